# %% [markdown]
# # A user-defined density
#
# A density bent like a banana: the first coordinate is standard normal, the second is normal about `bend` times the
# square of the first, with the standard deviation `exp(log_width)`. Only points inside a disc are seen. The density is
# written in three ways, fitted, tested, and compared with a normal distribution, which is the wrong model here.
#
# The cells run in order, as a script or as a notebook. Figures are written into the folder given by the
# environment variable `FIGURES`, or into the current one.

# %%
import os
from pathlib import Path

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import steinbound as sb

FIGURES = Path(os.environ.get("FIGURES", "."))

# %% [markdown]
# ## The data
#
# Drawn by hand: all points first, then those inside the disc.

# %%
generator = np.random.default_rng(1)
first = generator.normal(size=3000)
everything = np.column_stack([first, 0.8 * first**2 + 0.5 * generator.normal(size=3000)])
disc = sb.Ball(radius=1.5)
seen = everything[disc.contains(everything)]
points = seen[:500]
print(f"{len(seen) / len(everything):.0%} of the draws lie inside; {len(points)} of them are taken")

# %% [markdown]
# ## As a score
#
# The score is the gradient of the log-density in the point, so it needs no normaliser. It is written for all points at
# once. Its derivative in the parameters may be given, too, which is faster and more exact than the default
# differences.

# %%
Array = np.ndarray


def score(X: Array, theta: Array) -> Array:
    bend, log_width = theta
    off = (X[:, 1] - bend * X[:, 0] ** 2) / np.exp(2 * log_width)
    return np.column_stack([-X[:, 0] + 2 * bend * X[:, 0] * off, -off])


def jacobian(X: Array, theta: Array) -> Array:
    bend, log_width = theta
    x, precision = X[:, 0], np.exp(-2 * log_width)
    off = (X[:, 1] - bend * x**2) * precision
    in_bend = np.column_stack([2 * x * off - 2 * bend * x**3 * precision, x**2 * precision])
    in_log_width = np.column_stack([-4 * bend * x * off, 2 * off])
    return np.stack([in_bend, in_log_width], axis=-1)


start = {"bend": 0.5, "log_width": -0.5}
by_score = sb.fit(points, domain=disc, model=sb.Score(score, start, jacobian=jacobian))
print(by_score.summary())

# %% [markdown]
# ## As a log-density for JAX
#
# One point at a time, with the functions of `jax.numpy`; all derivatives are JAX's.


# %%
def log_density(x, theta):  # type: ignore[no-untyped-def]
    bend, log_width = theta
    return -x[0] ** 2 / 2 - ((x[1] - bend * x[0] ** 2) / jnp.exp(log_width)) ** 2 / 2


by_jax = sb.fit(points, domain=disc, model=sb.LogDensity(log_density, start))

# %% [markdown]
# ## As a formula
#
# The engine differentiates it, and no Python runs during the fit.

# %%
formula = sb.Formula("-x1^2/2 - ((x2 - bend*x1^2) / exp(log_width))^2 / 2", start)
by_formula = sb.fit(points, domain=disc, model=formula)
for name, result in [("score", by_score), ("jax", by_jax), ("formula", by_formula)]:
    shown = ", ".join(f"{key} {result.params[key]:.4f} ({result.bse[key]:.4f})" for key in result.names)
    print(f"{name}: {shown}")

# %% [markdown]
# ## Does it fit, and does a normal distribution?
#
# A test draws and fits again a hundred times, so the formula is used, which is the quickest.

# %%
normal = sb.fit(points, domain=disc)
print(f"bent:   {by_formula.test(bootstrap=100)}")
print(f"normal: {normal.test(bootstrap=100)}")

# %% [markdown]
# The normal distribution is rejected. The witness shows where it fails: it is an arrow at each place, and this is its
# second coordinate. In the middle it is positive, at both sides negative, because the points follow a bend that
# the model does not have.

# %%
figure, axes = plt.subplots(1, 3, figsize=(12, 4.3), layout="constrained")
by_jax.plot(axes[0])
normal.plot(axes[1])
normal.plot_witness(axes[2], coordinate=1)
for ax, title in zip(axes, ["bent", "normal", "where the normal fails"], strict=True):
    ax.set_xlabel(f"{ax.get_xlabel()}\n{title}")
figure.savefig(FIGURES / "python-custom-density.png", dpi=100)
