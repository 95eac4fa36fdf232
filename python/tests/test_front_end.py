"""Comparisons, derived quantities, projections, reports and coverage: the same as the command line has them."""

from __future__ import annotations

import json
import pickle
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, ROOT, SCORES, Floats, assert_same, command, disc_sample, executable, listed, quiet, run_command, write_csv

import steinbound as sb

SEED = 7
BALL = "ball(radius=1.44)"
BERLIN = ROOT / "examples" / "berlin"
DISTRICT = BERLIN / "prenzlauer_berg.geojson"
RATIO = "ratio = mean[x1] / mean[x2]"


@cache
def sample() -> Floats:
    return disc_sample(90)


@cache
def places() -> dict[str, Floats]:
    """Longitudes and latitudes of some places in Berlin."""
    table = np.loadtxt(BERLIN / "listings.csv", delimiter=",", skiprows=1, usecols=(0, 1), max_rows=300)
    return {"lon": table[:, 0], "lat": table[:, 1]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    executable()
    write_csv(tmp_path / "x.csv", sample())
    write_csv(tmp_path / "places.csv", places())
    return tmp_path


# Comparisons.

COMPARISONS: list[tuple[list[object], dict[str, Any]]] = [
    (["--known-covariance", 1], {"models": KNOWN}),
    (["--known-covariance", 1, "--method", "efficient,mle"], {"models": [KNOWN], "methods": ["efficient", "mle"]}),
    (["--known-covariance", 1, "--method", "tksd,ksd", "--test", "--bootstrap", 60, "--level", 0.1],
     {"models": {"gaussian": KNOWN}, "methods": ["tksd", "ksd"], "test": True, "bootstrap": 60, "level": 0.1}),
    (["--known-covariance", 1, "--method", "tksd", "--model", "gaussian,gaussian-mixture", "--components", "2,3"],
     {"models": [KNOWN, sb.GaussianMixture(2, covariance=1.0), sb.GaussianMixture(3, covariance=1.0)],
      "methods": "tksd"}),
    (["--tune", "agreement", "--kernel", "imq"], {"tune": True, "kernel": "imq"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "options"), COMPARISONS)
def test_comparisons(folder: Path, words: list[object], options: dict[str, Any]) -> None:
    base: list[object] = ["compare", "x.csv", "--domain", BALL, "--seed", SEED, *words]
    expected = command(folder, *base)
    with quiet():
        found = sb.compare(sample(), domain=DISC, random_state=SEED, **options)
    assert_same(found.to_dict(), expected)
    assert json.loads(found.to_json())["fits"][0]["method"] == found.rows[0].method
    # The command prints warnings on its error stream.
    shown = found.summary().as_text().split("\n\nwarning: ")[0]
    assert without_times(shown) == without_times(run_command(folder, *base, "--quiet"))
    for row, other in zip(found.rows, expected["fits"], strict=True):
        assert (row.method, row.model) == (other["method"], other["label"])
        assert list(row.params.values()) == [value["estimate"] for value in other["fit"]["parameters"]]
        assert row.p_value == (other["test"]["p_value"] if "test" in other else None)


def without_times(text: str) -> str:
    return re.sub(r"[ -]+", " ", re.sub(r"[\d.]+ (us|ms|s|min)\b", "", text)).strip()


def test_comparisons_without_a_region(folder: Path) -> None:
    with quiet():
        found = sb.compare(sample(), models=KNOWN)
    assert_same(found.to_dict(), command(folder, "compare", "x.csv", "--known-covariance", 1))
    assert [row.method for row in found.rows] == ["ksd", "mle"]


def test_a_comparison_is_shown() -> None:
    pandas = pytest.importorskip("pandas")
    found = sb.compare(sample(), domain=DISC, models={"known": KNOWN, "free": sb.Gaussian()}, methods=["tksd"])
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame["model"]) == ["known", "free"]
    assert frame.loc[0, "mean[x1]"] == found.rows[0].params["mean[x1]"] and np.isnan(frame.loc[0, "cov[x1,x1]"])
    assert "<table" in found._repr_html_() and "tabular" in found.summary().as_latex()
    assert repr(found) == "<comparison of 2 fits: tksd known, tksd free>"
    assert found.trustworthy and found.projection is None
    again = pickle.loads(pickle.dumps(found))
    assert again.rows == found.rows


def test_models_of_one_family_are_told_apart() -> None:
    found = sb.compare(sample(), domain=DISC, models=[sb.Gaussian(1.0), sb.Gaussian(2.0)], methods="tksd")
    assert [row.model for row in found.rows] == [repr(sb.Gaussian(1.0)), repr(sb.Gaussian(2.0))]
    one = sb.Score(lambda X, theta: theta - X, start={"a": 0.0, "b": 0.0}, name="mine")
    with quiet():
        found = sb.compare(sample(), domain=DISC, models=["gaussian", one], methods="tksd")
    assert [row.model for row in found.rows] == ["gaussian", "mine"]


def test_what_cannot_be_compared() -> None:
    def compare(**options: Any) -> Any:
        return sb.compare(sample(), domain=DISC, **options)

    with pytest.raises(ValueError, match="more than once; give each a name"):
        compare(models=[KNOWN, KNOWN])
    with pytest.raises(ValueError, match="models is empty"):
        compare(models=[])
    with pytest.raises(ValueError, match="methods is empty"):
        compare(methods=[])
    with pytest.raises(ValueError, match="did you mean \"tksd\""):
        compare(methods=["tkds"])
    with pytest.raises(TypeError, match="models is a int"):
        compare(models=3)
    with pytest.raises(TypeError, match="test is 1, a int; give True or False"):
        compare(test=1)
    with pytest.raises(ValueError, match="no candidate could be fitted"):
        sb.compare(sample(), models=KNOWN, methods="tksd")


def test_a_fit_that_fails_has_a_reason() -> None:
    with quiet():
        found = sb.compare(sample(), models=KNOWN, methods=["ksd", "tksd"])
    failed = found.rows[1]
    assert failed.params == {} and not failed.trustworthy and "boundary" in (failed.reason or "")


# Derived quantities.


@pytest.mark.parametrize("bootstrap", [None, 40])
def test_derived_quantities(folder: Path, bootstrap: int | None) -> None:
    more: list[object] = [] if bootstrap is None else ["--bootstrap", bootstrap]
    words: list[object] = ["fit", "x.csv", "--domain", BALL, "--known-covariance", 1, "--seed", SEED, *more]
    words += ["--derive", RATIO, "--derive", "sum = mean[x1] + mean[x2]"]
    expected = command(folder, *words)
    formulas = {"ratio": "mean[x1] / mean[x2]", "sum": "mean[x1] + mean[x2]"}
    with quiet():
        result = sb.fit(sample(), domain=DISC, model=KNOWN, random_state=SEED, bootstrap=bootstrap, derive=formulas)
    assert_same(result.to_dict(), expected)
    assert [vars(found) for found in result.derived.values()] == expected["derived"]
    # The table follows the parameters.
    table = run_command(folder, *words, "--terminal-plot", "never")
    assert without_times(result.summary().as_text()) == without_times(table)
    for text in (result.summary().as_html(), result.summary().as_latex()):
        assert "ratio" in text


def test_quantities_derived_afterwards() -> None:
    formulas = [RATIO, "sum = mean[x1] + mean[x2]"]
    with quiet():
        asked = sb.fit(sample(), domain=DISC, model=KNOWN, derive=formulas)
        plain = sb.fit(sample(), domain=DISC, model=KNOWN)
        drawn = sb.fit(sample(), domain=DISC, model=KNOWN, bootstrap=40)
    assert plain.derived == {}
    assert plain.derive({"ratio": "mean[x1] / mean[x2]", "sum": "mean[x1] + mean[x2]"}) == asked.derived
    assert plain.derive(RATIO) == {"ratio": asked.derived["ratio"]}
    with pytest.raises(ValueError, match="fit again with derive"):
        drawn.derive(RATIO)


def test_derived_quantities_of_regressions(folder: Path) -> None:
    formula, derived = "achiv ~ langscore + prog", "per_ten = 10 * langscore"
    words: list[object] = ["regress", SCORES, "--formula", formula, "--lower", 40, "--derive", derived]
    with quiet():
        result = sb.regress(formula, sb.datasets.load_student_scores(), lower=40, derive=derived)
    assert [vars(found) for found in result.derived.values()] == command(folder, *words)["derived"]
    assert result.derived["per_ten"].estimate == pytest.approx(10 * result.params["langscore"])


def test_what_cannot_be_derived() -> None:
    result = sb.fit(sample(), domain=DISC, model=KNOWN)
    with pytest.raises(ValueError, match="derive: .*has no name; write it as NAME=FORMULA"):
        result.derive("mean[x1]")
    with pytest.raises(ValueError, match="the name \"mean\\[x1\\]\" is taken"):
        sb.fit(sample(), domain=DISC, model=KNOWN, derive="mean[x1] = 3")
    with pytest.raises(ValueError, match="derive"):
        result.derive({"root": "sqrt(-1 - mean[x1]^2)"})
    with pytest.raises(TypeError, match="derive is a int; give texts"):
        sb.fit(sample(), domain=DISC, model=KNOWN, derive=3)  # type: ignore[arg-type]
    with pytest.warns(sb.FitWarning, match="derive"):
        kept = sb.fit(sample(), domain=DISC, model=KNOWN, derive="root = sqrt(-1 - mean[x1]^2)")
    assert kept.derived == {}


# Projections.

PROJECTED: list[object] = ["--columns", "lon,lat", "--boundary", DISTRICT, "--project", "--seed", SEED]


def test_projected_fits(folder: Path) -> None:
    words: list[object] = ["places.csv", *PROJECTED, "--boundary-points", 200]
    expected = command(folder, "fit", *words)
    with quiet():
        result = sb.fit(places(), boundary=DISTRICT, project=True, boundary_points=200, random_state=SEED)
        plain = sb.fit(places(), boundary=DISTRICT, boundary_points=200, random_state=SEED)
    assert_same(result.to_dict(), expected)
    assert result.projection == expected["projection"] and plain.projection is None
    assert result.projection["unit"] == "km"
    # Means are in degrees, and covariances in square kilometres.
    assert abs(result.params["mean[lon]"] - plain.params["mean[lon]"]) < 0.05
    assert result.params["cov[lat,lat]"] > 100 * plain.params["cov[lat,lat]"]
    witness = command(folder, "witness", *words, "--grid", 4, "--method", "efficient")
    assert result.boundary is not None
    np.testing.assert_allclose(result.boundary, witness["boundary"], rtol=1e-12)
    found = result.witness(np.array(witness["points"])).T
    np.testing.assert_allclose(found, witness["g"], rtol=1e-6, atol=1e-9)
    sensitivity = command(folder, "fit", *words, "--sensitivity")["sensitivity"]
    with quiet():
        assert_same(result.sensitivity(), sensitivity)


def test_projected_densities_are_those_of_the_plane() -> None:
    with quiet():
        result = sb.fit(places(), boundary=DISTRICT, project=True, boundary_points=60)
    low, high = [13.2, 52.4], [13.6, 52.7]
    lon, lat = (np.linspace(a, b, 401) for a, b in zip(low, high, strict=True))
    grid = np.stack(np.meshgrid(lon, lat), axis=-1).reshape(-1, 2)
    # The area of a cell in square kilometres.
    cell = (lon[1] - lon[0]) * (lat[1] - lat[0]) * 111.195**2 * np.cos(np.radians(grid[:, 1]))
    for truncated, limit in ((False, 0.01), (True, 0.02)):
        density = result.predict_density(grid, truncated=truncated)
        assert float((density * cell).sum()) == pytest.approx(1.0, abs=limit)
    draws = result.sample(400, truncated=True)
    assert sb.Polygon(DISTRICT).contains(draws).mean() > 0.99
    assert (abs(result.sample(400).mean(axis=0) - result.estimates[:2]) < 0.02).all()


def test_projected_fits_are_drawn_in_degrees() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    with quiet():
        result = sb.fit(places(), boundary=DISTRICT, project=True, boundary_points=60)
    for draw in (result.plot, result.plot_witness):
        _, ax = pyplot.subplots()
        (x0, x1), (y0, y1) = draw(ax).get_xlim(), ax.get_ylim()
        assert 13 < x0 < x1 < 14 and 52 < y0 < y1 < 53
        pyplot.close("all")


def test_other_projected_functions(folder: Path) -> None:
    given: dict[str, Any] = {"boundary": DISTRICT, "project": True, "random_state": SEED}
    at = [13.42, 52.54, 1.0, 0.0, 1.0]
    words: list[object] = ["--at", "13.42,52.54,1,0,1"]
    with quiet():
        discrepancy = sb.discrepancy(places(), at, **given)
        test = sb.gof_test(places(), at=at, bootstrap=40, **given)
        comparison = sb.compare(places(), methods=["tksd", "mle"], **given)
    assert_same(discrepancy.to_dict(), command(folder, "discrepancy", "places.csv", *PROJECTED, *words))
    expected = command(folder, "test", "places.csv", *PROJECTED, *words, "--bootstrap", 40)
    assert_same(test.to_dict(), expected)
    other = command(folder, "compare", "places.csv", *PROJECTED, "--method", "tksd,mle")
    assert_same(comparison.to_dict(), other)
    assert discrepancy.projection == test.projection == comparison.projection == expected["projection"]


def test_what_cannot_be_projected() -> None:
    with pytest.raises(ValueError, match="project needs two columns"):
        sb.fit(sample()[:, :1], domain=sb.Interval(-2, 2), project=True)
    with pytest.raises(ValueError, match="project works with maps and boundary points, not with a l2 ball"):
        sb.fit(sample(), domain=DISC, project=True)
    with pytest.raises(ValueError, match="give longitude, then latitude"):
        sb.fit(np.column_stack([places()["lat"], 100 + places()["lon"]]), project=True, method="mle")
    with pytest.raises(TypeError, match="project is 1, a int; give True or False"):
        sb.fit(places(), boundary=DISTRICT, project=1)  # type: ignore[arg-type]


# Reports.


def test_reports_of_fits(folder: Path) -> None:
    words: list[object] = ["fit", "x.csv", "--domain", BALL, "--known-covariance", 1, "--seed", SEED, "--derive", RATIO]
    words += ["--bootstrap", 40, "--tune", "agreement", "--report", "there.html"]
    run_command(folder, *words)
    with quiet():
        result = sb.fit(sample(), domain=DISC, model=KNOWN, random_state=SEED, derive=RATIO, bootstrap=40, tune=True)
    before = dict(result.problem.settings)
    result.report(folder / "here.html")
    assert page(folder / "here.html") == page(folder / "there.html")
    assert result.problem.settings == before


def test_reports_of_projected_fits_and_regressions(folder: Path) -> None:
    run_command(folder, "fit", "places.csv", *PROJECTED, "--report", "there.html")
    with quiet():
        result = sb.fit(places(), boundary=DISTRICT, project=True, random_state=SEED)
    result.report(str(folder / "here.html"))
    assert page(folder / "here.html") == page(folder / "there.html")
    formula = "achiv ~ langscore + prog"
    words: list[object] = ["regress", SCORES, "--formula", formula, "--lower", 40, "--report", "there.html"]
    run_command(folder, *words)
    with quiet():
        line = sb.regress(formula, sb.datasets.load_student_scores(), lower=40)
    pickle.loads(pickle.dumps(line)).report(folder / "here.html")
    assert page(folder / "here.html") == page(folder / "there.html")


@pytest.mark.parametrize("at", [None, [0.5, 0.5]])
def test_reports_of_tests(folder: Path, at: list[float] | None) -> None:
    words: list[object] = ["test", "x.csv", "--domain", BALL, "--known-covariance", 1, "--seed", SEED, "--bootstrap", 40]
    words += [] if at is None else ["--at", listed(at)]
    run_command(folder, *words, "--report", "there.html")
    with quiet():
        found = sb.gof_test(sample(), domain=DISC, model=KNOWN, at=at, bootstrap=40, random_state=SEED)
    pickle.loads(pickle.dumps(found)).report(folder / "here.html")
    assert page(folder / "here.html") == page(folder / "there.html")


def page(path: Path) -> list[str]:
    """The lines of a report, without the names of files, the command and the time."""
    text = re.sub(r'<section id="repeat">.*?</section>\n', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r'(<th scope="row">data</th><td>)[^<]*: ', r"\1", text)
    text = re.sub(r'(<th scope="row">region</th><td>[^<]*?) \([^<(]*geojson\)', r"\1", text)
    lines = re.sub(r"Found in [\d.]+ \w+ \(", "Found in some time (", text).splitlines()
    assert "<!DOCTYPE html>" in lines[0] and any("<svg" in line for line in lines)
    return lines


def test_a_report_needs_a_folder(tmp_path: Path) -> None:
    result = sb.fit(sample(), domain=DISC, model=KNOWN)
    with pytest.raises(FileNotFoundError):
        result.report(tmp_path / "missing" / "report.html")
    with pytest.raises(TypeError, match="int"):
        result.report(1)  # type: ignore[arg-type]


# Coverage.


@pytest.mark.parametrize("is_near", [False, True])
def test_coverage_of_boundaries(folder: Path, is_near: bool) -> None:
    words: list[object] = ["boundary", "--domain", BALL, "--boundary-points", 40, "--boundary-sampling", "even"]
    words += ["--seed", SEED, *(["--near", "x.csv"] if is_near else [])]
    expected = command(folder, *words)
    near = sample() if is_near else None
    found = DISC.coverage(40, sampling="even", near=near, random_state=SEED)
    assert_same(found.to_dict(), expected)
    assert found.points.tolist() == expected["points"] and (found.leak is not None) == is_near
    measured = {"fill_distance": found.fill_distance, "mean_gap": found.mean_gap, "closest_pair": found.closest_pair}
    assert {"points": 40, **measured} == expected["coverage"]
    np.testing.assert_array_equal(
        found.points, DISC.sample_boundary(40, sampling="even", near=near, random_state=SEED)
    )
    table = run_command(folder, *words, "--output", "points.csv")
    assert str(found.summary()).strip() == table.strip()
    assert "<table" in found._repr_html_() and repr(found).startswith("<40 points on the boundary of the l2 ball")


def test_coverage_of_other_boundaries() -> None:
    assert len(sb.Box([0, 0, 0], [1, 1, 1]).coverage().points) == 200
    with pytest.raises(ValueError, match="near"):
        sb.HalfSpace([1.0, 0.0], 0.0).coverage()
    assert sb.HalfSpace([1.0, 0.0], 0.0).coverage(near=sample()).leak is not None
    with pytest.raises(TypeError, match="count is"):
        DISC.coverage(2.5)  # type: ignore[arg-type]
