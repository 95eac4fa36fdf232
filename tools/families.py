"""The maximum likelihood estimates of scipy with which those of the named models are compared.

Prints the constants of crates/steinbound/src/model/independent/tests.rs: for each model scipy's estimates from fixed
data. Needs scipy."""

import numpy as np
from scipy import optimize, stats

numbers = np.arange(1, 61)
uniform = (numbers * 0.6180339887498949) % 1.0


def estimates():
    """Each model with its estimates; those without a fit in scipy maximise its log-density."""

    def maximised(log_density, start):
        found = optimize.minimize(
            lambda p: -np.sum(log_density(p)), start, method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-13, "maxiter": 20000}
        )
        return found.x

    waits = -np.log1p(-uniform) / 1.7
    yield "exponential", [1 / stats.expon.fit(waits, floc=0)[1]]
    amounts = 0.1 + 2.0 * waits**0.8
    shape, _, scale = stats.gamma.fit(amounts, floc=0)
    yield "gamma", [shape, 1 / scale]
    # Its own fit stops early.
    yield "weibull", list(maximised(lambda p: stats.weibull_min.logpdf(amounts, np.exp(p[0]), scale=np.exp(p[1])), [0.3, 0.3]))
    shape, _, scale = stats.lognorm.fit(amounts, floc=0)
    yield "lognormal", [np.log(scale), shape]
    tail, *_ = stats.pareto.fit(1 + amounts, floc=0, fscale=1)
    yield "pareto", [tail + 1]
    shares = 0.02 + 0.9 * uniform**1.5
    yield "beta", list(maximised(lambda p: stats.beta.logpdf(shares, *np.exp(p)), [0.0, 0.0]))
    angles = 2.0 * uniform - 0.7
    yield "von-mises", list(maximised(lambda p: stats.vonmises.logpdf(angles, np.exp(p[1]), loc=p[0]), [0.3, 0.5]))
    values = np.sinh(0.8 * np.log(uniform / (1 - uniform)))
    yield "student-t", list(maximised(lambda p: stats.t.logpdf(values, np.exp(p[2]), p[0], np.exp(p[1])), [0.3, 0.1, 1.0]))


if __name__ == "__main__":
    positive = {"weibull": [0, 1], "beta": [0, 1], "von-mises": [1], "student-t": [1, 2]}
    for name, values in estimates():
        values = [float(np.exp(v)) if k in positive.get(name, []) else float(v) for k, v in enumerate(values)]
        print(f'    ("{name}", &{values}),')
