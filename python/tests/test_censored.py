"""Censored responses, kinds of standard errors and effects."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import steinbound as sb

TABLE = Path(__file__).parents[2] / "crates/steinbound/tests/regressions/mroz.csv"
FORMULA = "hours ~ nwifeinc + educ + exper + expersq + age + kidslt6 + kidsge6"


@pytest.fixture(scope="module")
def hours() -> dict[str, list[float]]:
    """Hours of work of 753 women, of whom 325 did not work."""
    with TABLE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


# Hours of those who work are no normal distribution above zero.
NOT_NORMAL = pytest.mark.filterwarnings("ignore:the ranks of the responses:steinbound.ModelWarning")


@NOT_NORMAL
def test_the_published_tobit(hours: dict[str, list[float]]) -> None:
    """Wooldridge, Introductory Econometrics, table 17.3."""
    result = sb.regress(FORMULA, hours, lower=0, censored=True)
    assert result.params["educ"] == pytest.approx(80.64561, rel=1e-6)
    assert result.params["sigma"] == pytest.approx(1122.022, rel=1e-6)
    assert result.llf == pytest.approx(-3819.0946, abs=1e-4)
    assert result.predict(which="uncensored").mean() == pytest.approx(0.589, abs=5e-4)
    effects = {effect["of"]: effect["estimate"] for effect in result.effects() if effect["name"] == "educ"}
    assert effects["recorded"] / effects["latent"] == pytest.approx(0.589, abs=5e-4)
    assert "80.64561" in str(result.summary(digits=7))


@NOT_NORMAL
def test_clusters_have_student_intervals(hours: dict[str, list[float]]) -> None:
    """With 31 ages there are 30 degrees of freedom."""
    result = sb.regress(FORMULA, hours, lower=0, censored=True, cov="cluster", clusters="age")
    low, high = result.conf_int(level=0.95).to_numpy()[2]
    assert result.cov_type == "cluster"
    assert (high - low) / 2 / result.bse["educ"] == pytest.approx(2.0422725, rel=1e-6)


def test_methods_by_slopes_are_refused(hours: dict[str, list[float]]) -> None:
    """A score says nothing of a record at a limit."""
    with pytest.raises(ValueError, match="cannot be used with censored"):
        sb.regress(FORMULA, hours, lower=0, censored=True, method="tksd")
