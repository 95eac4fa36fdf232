# %% [markdown]
# # A normal distribution behind the border of the United States
#
# 400 places are drawn from a normal distribution about (-115, 35) with variance 10 in both directions, in degrees, and
# seen only inside the contiguous United States. This is the setting of the paper behind TKSD. Draws in Mexico and in the
# Pacific are never seen. Which mean do the methods recover?
#
# The cells run in order, as a script or as a notebook. Figures are written into the folder given by the
# environment variable `FIGURES`, or into the current one.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import steinbound as sb
from steinbound import plotting

FIGURES = Path(os.environ.get("FIGURES", "."))
TRUTH = np.array([-115.0, 35.0])

# %% [markdown]
# ## The data
#
# `simulate` draws until the requested number of points lies inside. The same seed gives the same points as the command line.

# %%
states = sb.datasets.load_us_border()
model = sb.Gaussian(covariance=10.0)


def observed(n: int, seed: int) -> pd.DataFrame:
    return pd.DataFrame(sb.simulate(model, TRUTH, states, n, random_state=seed), columns=["lon", "lat"])


places = observed(400, seed=0)
whole = sb.simulate(model, TRUTH, None, 10_000, random_state=0)
print(f"{states.contains(whole).mean():.0%} of the density lies inside")
print(places.describe().loc[["count", "mean", "std"]].round(2))

# %% [markdown]
# ## Four estimates
#
# The default method, `efficient`, is given the region and places boundary points by itself. TKSD is given 200
# points on the border and nothing else. Truncated maximum likelihood is given the whole region and integrates
# over it. Plain maximum likelihood ignores the border: it is the mean of what was seen.

# %%
fits = {
    "efficient": sb.fit(places, domain=states, model=model),
    "tksd": sb.fit(places, boundary=states.sample_boundary(200), model=model, method="tksd"),
    "truncated-mle": sb.fit(places, domain=states, model=model, method="truncated-mle"),
    "mle": sb.fit(places, model=model, method="mle"),
}
table = pd.DataFrame(
    {
        name: {
            "lon": f"{result.estimates[0]:.2f} ({result.std_errors[0]:.2f})",
            "lat": f"{result.estimates[1]:.2f} ({result.std_errors[1]:.2f})",
            "error": f"{np.linalg.norm(result.estimates - TRUTH):.2f}",
        }
        for name, result in fits.items()
    }
).T
print(table)

# %% [markdown]
# Standard errors are in brackets. Plain maximum likelihood is biased inland by many of its standard errors, which
# do not measure bias.
#
# ## Is it luck?
#
# The same for 40 other samples.

# %%
errors: dict[str, list[float]] = {"tksd": [], "mle": []}
for seed in range(1, 41):
    again = observed(400, seed)
    border = states.sample_boundary(200, random_state=seed)
    for name, known in [("tksd", border), ("mle", None)]:
        result = sb.fit(again, boundary=known, model=model, method=name, diagnostics=False)
        errors[name].append(float(np.linalg.norm(result.estimates - TRUTH)))
for name, values in errors.items():
    spread = np.std(values, ddof=1) / np.sqrt(len(values))
    print(f"{name}: mean error {np.mean(values):.2f} +- {spread:.2f} degrees over {len(values)} samples")

# %% [markdown]
# ## Does the model hold?
#
# With the region known, data can be drawn from the fitted density and fitted again, which gives the test its level.

# %%
print(sb.gof_test(places, domain=states, model=model, bootstrap=200))

# %% [markdown]
# ## The map
#
# The contours are those of the density *before* truncation: they go on beyond the border, as the density does.

# %%
figure, (chart, strip) = plt.subplots(1, 2, figsize=(10, 4.6), width_ratios=[2.4, 1], layout="constrained")

lon, lat = np.linspace(-128, -98, 160), np.linspace(26, 46, 160)
grid = np.stack(np.meshgrid(lon, lat), axis=-1).reshape(-1, 2)
density = fits["tksd"].predict_density(grid).reshape(len(lat), len(lon))
rings = sb.datasets.load_us_border(as_rings=True)
plotting.plot_density_2d(
    chart, places, None, rings, lon, lat, density, fits["tksd"].estimates, names=["longitude", "latitude"]
)
chart.plot(*fits["mle"].estimates, "s", color="#009e73", markeredgecolor="white", markersize=7, zorder=4, label="mle")
chart.plot(*TRUTH, "P", color="black", markeredgecolor="white", markersize=8, zorder=3.5, label="truth")
chart.set(xlim=(lon[0], lon[-1]), ylim=(lat[0], lat[-1]))
# A degree of longitude is shorter than one of latitude.
chart.set_aspect(1 / np.cos(np.radians(36)))
handles, labels = chart.get_legend_handles_labels()
labels = ["tksd" if label == "mean" else label for label in labels]
chart.legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.01), ncols=6, frameon=False,
             borderaxespad=0, fontsize="small", handlelength=1.4, columnspacing=1.2)  # fmt: skip

jitter = np.random.default_rng(0).uniform(-0.16, 0.16, 40)
for place, (name, colour) in enumerate([("tksd", "#0072b2"), ("mle", "#009e73")]):
    strip.plot(place + jitter, errors[name], "o", color=colour, alpha=0.6, markersize=4, markeredgewidth=0)
    strip.hlines(np.mean(errors[name]), place - 0.28, place + 0.28, color=colour, linewidth=2)
strip.set(xlim=(-0.6, 1.6), ylim=(0, None), xticks=[0, 1], xticklabels=list(errors), ylabel="error of the mean, degrees")
strip.spines[["top", "right"]].set_visible(False)
figure.savefig(FIGURES / "python-us-border.png", dpi=110)
