# %% [markdown]
# # Scores above a limit
#
# 178 students, of whom only those with a score above 40 are in the table. How does the score depend on language skills
# and on the programme? The line through the observed scores is too flat: among students with weak language skills only those
# with unusually high scores are in the table.
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

FIGURES = Path(os.environ.get("FIGURES", "."))
FORMULA = "achiv ~ langscore + C(prog, base=general)"

scores = sb.datasets.load_student_scores(as_frame=True)
print(scores.groupby("prog").agg(students=("achiv", "size"), lowest=("achiv", "min"), mean=("achiv", "mean")).round(1))

# %% [markdown]
# ## Three lines
#
# Least squares ignores the limit. Truncated maximum likelihood, the textbook's method, takes the noise to be normal and
# integrates its density; TKSD needs no integral, but its standard errors are wider.

# %%
METHODS = {"least squares": "mle", "truncated-mle": "truncated-mle", "tksd": "tksd"}
# Least squares does not pass the checks of a truncated fit.
fits = {
    name: sb.regress(FORMULA, scores, lower=40, method=method, diagnostics=method != "mle")
    for name, method in METHODS.items()
}
print(fits["truncated-mle"].summary())

# %% [markdown]
# Side by side, with standard errors in brackets:

# %%
table = pd.DataFrame(
    {
        name: {term: f"{result.params[term]:.2f} ({result.bse[term]:.2f})" for term in result.names}
        for name, result in fits.items()
    }
)
print(table)

# %% [markdown]
# ## Questions
#
# Do the programmes differ, once language skills are accounted for? A Wald test of two equations at once. And is normal
# noise of one variance a good description? The test of fit draws responses from the fitted model and fits them again.

# %%
for name, result in fits.items():
    print(f"{name}: {result.wald_test('prog[academic] = 0, prog[vocational] = 0')}")
print(fits["tksd"].test(bootstrap=200))

# %% [markdown]
# ## Predictions
#
# Means of the response *before* truncation, for students of the academic programme, with their 95 % intervals.

# %%
reach = np.linspace(scores["langscore"].min(), scores["langscore"].max(), 50)
academic = {"langscore": reach, "prog": ["academic"] * len(reach)}
lines = {name: result.get_prediction(academic) for name, result in fits.items()}
for name, line in lines.items():
    print(f"{name}: {line['mean'][0]:.1f} +- {line['std_error'][0]:.1f} at a language score of {reach[0]:.0f}")

# %%
COLOURS = {"least squares": "#80868b", "truncated-mle": "#009e73", "tksd": "#0072b2"}
figure, (chart, slopes) = plt.subplots(1, 2, figsize=(10, 4.4), width_ratios=[2.4, 1], layout="constrained")

chosen = scores["prog"] == "academic"
chart.plot(scores["langscore"][~chosen], scores["achiv"][~chosen], "o", color="#b4bac1", markersize=3.5,
           markeredgewidth=0, label="other programmes")  # fmt: skip
chart.plot(scores["langscore"][chosen], scores["achiv"][chosen], "o", color="#3c4043", markersize=3.5,
           markeredgewidth=0, label="academic")  # fmt: skip
for name, line in lines.items():
    style = "--" if name == "least squares" else "-"
    chart.plot(reach, line["mean"], style, color=COLOURS[name], linewidth=2, label=name)
chart.fill_between(reach, lines["tksd"]["lower"], lines["tksd"]["upper"], color=COLOURS["tksd"], alpha=0.12, linewidth=0)
chart.axhline(40, color="#d55e00", linewidth=1.2, label="limit")
chart.set(xlabel="language score", ylabel="score")
chart.legend(loc="lower left", bbox_to_anchor=(0, 1.01), ncols=3, frameon=False, borderaxespad=0, fontsize="small",
             handlelength=1.4, columnspacing=1.2)  # fmt: skip

for height, (name, result) in enumerate(fits.items()):
    at = result.names.index("langscore")
    low, high = result.conf_int().loc["langscore"]
    slopes.plot([low, high], [height, height], color=COLOURS[name], linewidth=2)
    slopes.plot(result.estimates[at], height, "o", color=COLOURS[name])
slopes.set(yticks=range(len(fits)), yticklabels=list(fits), ylim=(-0.6, len(fits) - 0.4), xlabel="slope, 95% interval")
slopes.invert_yaxis()
for axes in (chart, slopes):
    axes.spines[["top", "right"]].set_visible(False)
figure.savefig(FIGURES / "python-student-scores.png", dpi=110)
