"""The same numbers as the command line, to the last bit, for the same input and seed."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import (
    DISC,
    KNOWN,
    SCORES,
    Floats,
    assert_same,
    command,
    disc_sample,
    executable,
    listed,
    quiet,
    run_command,
    write_csv,
)

import steinbound as sb

SEED = 7
BALL = "ball(radius=1.44)"
# An L, so that it has a corner that turns inward.
VERTICES = [[-1.5, -1.5], [1.5, -1.5], [1.5, 0.25], [0.25, 0.25], [0.25, 1.5], [-1.5, 1.5]]
MAP = {"type": "Polygon", "coordinates": [[*VERTICES, VERTICES[0]]]}
# What only the command line tells: files, words that Python has elsewhere.
ONLY_THERE = ("seconds", "schema", "projection", "at", "formula", "response")

Options = dict[str, Any]


@cache
def sample() -> Floats:
    return disc_sample(90)


@cache
def edge() -> Floats:
    return DISC.sample_boundary(24, random_state=5)


@cache
def two_groups() -> Floats:
    mixture = sb.GaussianMixture(2, covariance=0.3)
    return sb.simulate(mixture, [-1.0, -1.0, 1.0, 1.0], sb.Box([-2, -2], [2, 2]), 120, random_state=4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    executable()
    write_csv(tmp_path / "x.csv", sample())
    write_csv(tmp_path / "line.csv", sample()[:, :1])
    write_csv(tmp_path / "groups.csv", two_groups())
    write_csv(tmp_path / "edge.csv", edge())
    write_csv(tmp_path / "spread.csv", np.array([[1.0, 0.2], [0.2, 1.5]]))
    (tmp_path / "map.geojson").write_text(json.dumps(MAP))
    return tmp_path


def compare(folder: Path, words: list[object], **options: Any) -> sb.FitResult:
    """A fit of both is the same."""
    expected = command(folder, "fit", *words, "--seed", SEED)
    with quiet():
        result = sb.fit(random_state=SEED, **options)
    assert_same(result.to_dict(), expected)
    assert json.loads(result.to_json())["parameters"] == expected["parameters"]
    return result


COVARIANCES: list[tuple[list[object], Options]] = [
    (["--known-covariance", "1"], {"model": KNOWN}),
    (["--known-covariance", "1,1.5"], {"model": sb.Gaussian([1, 1.5])}),
    (["--known-covariance", "spread.csv"], {"model": sb.Gaussian([[1.0, 0.2], [0.2, 1.5]])}),
    ([], {}),
    (["--covariance", "diagonal"], {"model": sb.Gaussian(shape="diagonal")}),
]


@pytest.mark.parametrize(("words", "options"), COVARIANCES)
@pytest.mark.parametrize("method", ["efficient", "tksd", "bdksd", "truncsm", "ksd", "mle", "truncated-mle"])
def test_gaussians_by_every_method(folder: Path, method: str, words: list[object], options: Options) -> None:
    compare(folder, ["x.csv", "--domain", BALL, "--method", method, *words], X=sample(), domain=DISC,
            method=method, **options)  # fmt: skip


SETTINGS: list[tuple[list[object], Options]] = [
    (["--kernel", "imq"], {"kernel": "imq"}),
    (["--kernel", "matern52", "--bandwidth", "0.7"], {"kernel": sb.Matern52(0.7)}),
    (["--kernel", "rational-quadratic"], {"kernel": sb.RationalQuadratic()}),
    (["--bandwidth", "0.31"], {"bandwidth": 0.31}),
    (["--bandwidth", "median"], {"bandwidth": "median"}),
    (["--method", "tksd"], {"method": "tksd"}),
    (["--method", "tksd", "--ridge", "0.07"], {"method": "tksd", "ridge": 0.07}),
    (["--method", "tksd", "--statistic", "u"], {"method": "tksd", "statistic": "u"}),
    (["--tune", "agreement"], {"tune": "agreement"}),
    (["--tune", "agreement"], {"tune": True}),
    (["--method", "tksd", "--tune", "agreement"], {"method": "tksd", "tune": True}),
    (["--confidence", "0.8"], {"confidence": 0.8}),
    (["--tolerance", "0.01"], {"tolerance": 0.01}),
    (["--method", "tksd", "--compute", "tiled"], {"method": "tksd", "compute": "tiled"}),
    (["--method", "tksd", "--compute", "low-rank", "--tolerance", "0.01"],
     {"method": "tksd", "compute": "low-rank", "tolerance": 0.01}),
    (["--threads", "1"], {"threads": 1}),
    (["--boundary-points", "50"], {"boundary_points": 50}),
    (["--boundary-points", "50", "--boundary-sampling", "even"],
     {"boundary_points": 50, "boundary_sampling": "even"}),
    (["--boundary-sampling", "radial"], {"boundary_sampling": "radial"}),
    (["--method", "bdksd", "--distance", "nearest", "--distance-norm", "1"],
     {"method": "bdksd", "distance": "nearest", "distance_norm": 1}),
    (["--method", "truncsm", "--distance", "nearest", "--distance-norm", "inf"],
     {"method": "truncsm", "distance": "nearest", "distance_norm": np.inf}),
    (["--method", "truncsm", "--distance", "axes"], {"method": "truncsm", "distance": "axes"}),
    (["--method", "truncsm", "--distance-power", "2"], {"method": "truncsm", "distance_power": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "options"), SETTINGS)
def test_settings(folder: Path, words: list[object], options: Options) -> None:
    base: list[object] = ["x.csv", "--domain", BALL, "--known-covariance", "1"]
    compare(folder, [*base, *words], X=sample(), domain=BALL, model=KNOWN, **options)


REPLICATES: list[tuple[list[object], Options]] = [
    (["--bootstrap", 60], {"bootstrap": 60}),
    (["--bootstrap", 60, "--resampling", "parametric", "--interval", "normal"],
     {"bootstrap": 60, "resampling": "parametric", "interval": "normal"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "options"), REPLICATES)
def test_bootstrap(folder: Path, words: list[object], options: Options) -> None:
    base: list[object] = ["x.csv", "--domain", BALL, "--known-covariance", "1"]
    compare(folder, [*base, *words], X=sample(), domain=DISC, model=KNOWN, **options)


def test_given_boundary_points(folder: Path) -> None:
    base: list[object] = ["x.csv", "--boundary", "edge.csv"]
    compare(folder, base, X=sample(), boundary=edge())
    compare(folder, [*base, "--domain", BALL, "--method", "bdksd"], X=sample(), boundary=edge(), domain=DISC,
            method="bdksd")  # fmt: skip


MIXTURES: list[tuple[list[object], Options, Options]] = [
    (["--known-covariance", "0.3"], {"covariance": 0.3}, {}),
    (["--known-covariance", "0.3", "--start", "-1,-1,1,1"], {"covariance": 0.3}, {"start": [-1, -1, 1, 1]}),
    (["--covariance", "spherical", "--estimate-weights"],
     {"shape": "spherical", "estimate_weights": True}, {}),
    (["--covariance", "shared", "--start", "-1,-1,1,1"], {"shape": "shared"}, {"start": [-1, -1, 1, 1]}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "shape", "options"), MIXTURES)
def test_mixtures(folder: Path, words: list[object], shape: Options, options: Options) -> None:
    base: list[object] = ["groups.csv", "--domain", "box(low=-2, high=2)", "--model", "gaussian-mixture"]
    compare(folder, [*base, "--components", 2, *words], X=two_groups(), domain=sb.Box([-2, -2], [2, 2]),
            model=sb.GaussianMixture(2, **shape), **options)  # fmt: skip


@pytest.mark.parametrize("method", ["efficient", "tksd", "bdksd", "truncsm", "ksd", "truncated-mle"])
def test_formulas(folder: Path, method: str) -> None:
    formula, start = "-(x1-mu)^2/(2*s^2)", {"mu": 0.1, "s": 1.2}
    words: list[object] = ["line.csv", "--domain", "interval(-1.5, 1.5)", "--log-density", formula]
    words += ["--start", "mu=0.1,s=1.2", "--method", method]
    given: Options = {"X": sample()[:, :1], "domain": sb.Interval(-1.5, 1.5), "method": method}
    result = compare(folder, words, model=sb.Formula(formula, start), **given)
    with quiet():
        text = sb.fit(model=formula, start=start, random_state=SEED, **given)
    assert_same(text.to_dict(), result.to_dict())


def test_maps(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shapely = pytest.importorskip("shapely.geometry")
    monkeypatch.chdir(folder)
    inside = sample()[sb.Polygon(VERTICES).contains(sample())]
    write_csv(folder / "inside.csv", inside)
    words: list[object] = ["inside.csv", "--boundary", "map.geojson", "--known-covariance", "1"]
    # The command lays degrees, in which GeoJSON is, on a plane by itself.
    words += ["--boundary-points", 40, "--no-project"]
    expected = command(folder, "fit", *words, "--seed", SEED)
    geometries: list[Options] = [
        {"boundary": shapely.shape(MAP)},
        {"boundary": MAP},
        {"boundary": "map.geojson"},
        {"boundary": folder / "map.geojson"},
        {"domain": shapely.shape(MAP)},
        {"domain": MAP},
        {"domain": folder / "map.geojson"},
        {"domain": sb.Polygon(VERTICES)},
        {"domain": "polygon(map.geojson)"},
    ]
    for given in geometries:
        with quiet():
            result = sb.fit(inside, model=KNOWN, boundary_points=40, random_state=SEED, **given)
        # What is said of a map depends on how it was given: only a file has a name, only a map alone has features.
        assert_same(result.to_dict(), expected, ("seconds", "region"), place=str(given))


def test_columns_weights_and_clusters(folder: Path) -> None:
    rng = np.random.default_rng(0)
    columns = {"north": sample()[:, 0], "east": sample()[:, 1]}
    weights, groups = rng.uniform(0.5, 2, len(sample())), rng.integers(0, 12, len(sample()))
    write_csv(folder / "table.csv", {**columns, "size": weights, "group": groups})
    words: list[object] = ["table.csv", "--columns", "north,east", "--weights", "size", "--domain", BALL]
    pandas = pytest.importorskip("pandas")
    for X in (columns, pandas.DataFrame(columns)):
        result = compare(folder, words, X=X, domain=DISC, weights=weights)
        assert result.names[0] == "mean[north]" and result.names[-1] == "cov[east,east]"
        compare(folder, [*words, "--cluster", "group"], X=X, domain=DISC, weights=weights, clusters=groups)


REGRESSIONS: list[tuple[list[object], Options]] = [
    ([], {}),
    (["--method", "truncated-mle"], {"method": "truncated-mle"}),
    (["--method", "truncsm"], {"method": "truncsm"}),
    (["--method", "bdksd"], {"method": "bdksd"}),
    (["--method", "mle"], {"method": "mle"}),
    (["--kernel-on", "y", "--known-sigma", "9"], {"kernel_on": "y", "known_sigma": 9}),
    (["--boundary-points", "30", "--statistic", "u"], {"boundary_points": 30, "statistic": "u"}),
    (["--bootstrap", "40"], {"bootstrap": 40}),
    (["--upper", "90"], {"upper": 90}),
]


@pytest.mark.parametrize(("words", "options"), REGRESSIONS)
@pytest.mark.parametrize("formula", ["achiv ~ langscore + C(prog, base=general)"])
def test_regressions(folder: Path, formula: str, words: list[object], options: Options) -> None:
    expected = command(folder, "regress", SCORES, "--formula", formula, "--lower", 40, "--seed", SEED, *words)
    with quiet():
        result = sb.regress(
            formula, sb.datasets.load_student_scores(), lower=40, random_state=SEED, **options
        )
    assert_same(result.to_dict(), expected, ONLY_THERE)


def test_regression_with_columns_for_limits_weights_and_clusters(folder: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 1, 400)
    y, low = 1 + 2 * x + rng.normal(size=400), rng.uniform(0.5, 1.5, 400)
    seen = y > low
    table = {"y": y[seen], "x": x[seen], "low": low[seen], "size": rng.uniform(0.5, 2, seen.sum())}
    groups = rng.integers(0, 30, seen.sum())
    write_csv(folder / "table.csv", {**table, "group": groups})
    words: list[object] = ["regress", "table.csv", "--formula", "y ~ x", "--lower", "low"]
    words += ["--weights", "size", "--cluster", "group", "--seed", SEED]
    expected = command(folder, *words)
    given: list[Options] = [
        {"lower": "low", "weights": "size", "clusters": "group"},
        {"lower": table["low"], "weights": table["size"], "clusters": groups},
    ]
    data = {**table, "group": groups}
    for options in given:
        with quiet():
            result = sb.regress("y ~ x", data, random_state=SEED, **options)
        assert_same(result.to_dict(), expected, (*ONLY_THERE, "d"))


def predictions(folder: Path) -> tuple[dict[str, Floats], dict[str, list[float]]]:
    """Predictions of Python and of the command line."""
    places = {"langscore": [40.0, 55.5, 61.0], "prog": ["academic", "vocational", "general"]}
    write_csv(folder / "places.csv", places)
    words: list[object] = ["regress", SCORES, "--formula", "achiv ~ langscore + prog", "--lower", 40]
    rows = command(folder, *words, "--predict", "places.csv")["predictions"]
    with quiet():
        result = sb.regress("achiv ~ langscore + prog", sb.datasets.load_student_scores(), lower=40)
    found = result.get_prediction(places)
    return found, {name: [row[name] for row in rows] for name in ("mean", "std_error", "lower", "upper")}


def test_predictions_of_regressions(folder: Path) -> None:
    found, expected = predictions(folder)
    assert found["mean"].tolist() == expected["mean"]
    for name in ("std_error", "lower", "upper"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)


def test_errors_of_predictions_to_the_last_bit(folder: Path) -> None:
    found, expected = predictions(folder)
    assert found["std_error"].tolist() == expected["std_error"]


@pytest.mark.parametrize("method", ["efficient", "tksd", "bdksd", "ksd"])
@pytest.mark.parametrize("statistic", ["v", "u"])
def test_discrepancies(folder: Path, method: str, statistic: str) -> None:
    words: list[object] = ["discrepancy", "x.csv", "--domain", BALL, "--known-covariance", "1"]
    words += ["--at", "0.4,0.6", "--method", method, "--statistic", statistic, "--seed", SEED]
    expected = command(folder, *words)
    with quiet():
        found = sb.discrepancy(sample(), [0.4, 0.6], domain=DISC, model=KNOWN, method=method,
                               statistic=statistic, random_state=SEED)  # fmt: skip
    assert_same(found.to_dict(), expected, ONLY_THERE)


@pytest.mark.parametrize("at", [None, [0.4, 0.6]])
def test_witness(folder: Path, at: list[float] | None) -> None:
    words: list[object] = ["witness", "x.csv", "--domain", BALL, "--known-covariance", "1", "--grid", 4]
    words += ["--method", "efficient"]
    expected = command(folder, *words, "--seed", SEED, *([] if at is None else ["--at", listed(at)]))
    with quiet():
        result = sb.fit(sample(), domain=DISC, model=KNOWN, random_state=SEED)
    assert result.boundary is not None
    places = np.array(expected["points"])
    core = result.problem.core.witness(expected["at"], places)
    found = result.witness(places) if at is None else core[0]
    assert found.T.tolist() == expected["g"]
    assert result.boundary.tolist() == expected["boundary"]
    assert DISC.contains(places).tolist() == expected["inside"]
    assert core[2] == expected["discrepancy"]


TESTS: list[tuple[list[object], Options]] = [
    ([], {}),
    (["--at", "0.5,0.5"], {"at": [0.5, 0.5]}),
    (["--at", "0.5,0.5", "--level", "0.1"], {"at": {"mean[x2]": 0.5, "mean[x1]": 0.5}, "level": 0.1}),
    (["--at", "0.5,0.5", "--resampling", "wild"], {"at": [0.5, 0.5], "resampling": "wild"}),
    (["--resampling", "parametric"], {"resampling": "parametric"}),
    (["--statistic", "u"], {"statistic": "u"}),
    (["--method", "bdksd"], {"method": "bdksd"}),
]


@pytest.mark.parametrize(("words", "options"), TESTS)
def test_tests_of_fit(folder: Path, words: list[object], options: Options) -> None:
    base: list[object] = ["test", "x.csv", "--domain", BALL, "--known-covariance", "1", "--bootstrap", 99]
    expected = command(folder, *base, "--seed", SEED, *words)
    with quiet():
        found = sb.gof_test(sample(), domain=DISC, model=KNOWN, bootstrap=99, random_state=SEED, **options)
    assert_same(found.to_dict(), expected, tuple(name for name in ONLY_THERE if name != "at"))
    assert len(found.draws) == 99
    # The p-value is a count among the draws.
    above = int((found.draws >= found.statistic).sum())
    assert found.p_value == (1 + above) / (1 + len(found.draws))


def test_test_of_a_fit_is_that_of_its_data(folder: Path) -> None:
    words: list[object] = ["test", "x.csv", "--domain", BALL, "--known-covariance", "1", "--bootstrap", 50]
    expected = command(folder, *words, "--seed", SEED)
    with quiet():
        result = sb.fit(sample(), domain=DISC, model=KNOWN, random_state=SEED)
        assert_same(result.test(bootstrap=50).to_dict(), expected, ONLY_THERE[:3])


def test_sensitivity(folder: Path) -> None:
    words: list[object] = ["fit", "x.csv", "--domain", BALL, "--known-covariance", "1", "--sensitivity"]
    expected = command(folder, *words, "--seed", SEED)["sensitivity"]
    with quiet():
        result = sb.fit(sample(), domain=DISC, model=KNOWN, random_state=SEED)
    assert_same(result.sensitivity(), expected)


SIMULATIONS: list[tuple[list[object], sb.Model, list[float], str]] = [
    ([], KNOWN, [0.5, 0.5], BALL),
    (["--dimension", 2], sb.Gaussian(), [0.5, 0.5, 1.0, 0.3, 2.0], BALL),
    (["--known-covariance", "1"], KNOWN, [0.2], "interval(-1, 1)"),
    (["--known-covariance", "2", "--dimension", 3], sb.Gaussian(2.0), [0.2, 0, 0], "box(low=-3, high=3)"),
    (["--model", "gaussian-mixture", "--components", 2, "--known-covariance", "0.5"],
     sb.GaussianMixture(2, covariance=0.5), [-1, -1, 1, 1], "box(low=-3, high=3)"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "model", "at", "domain"), SIMULATIONS)
def test_simulations(
    folder: Path, words: list[object], model: sb.Model, at: list[float], domain: str
) -> None:
    more: list[object] = ["--output", "drawn.csv", "--boundary-output", "border.csv", "--seed", SEED]
    command(folder, "simulate", "--domain", domain, "--at", listed(at), "-n", 50, *words, *more)
    expected = np.loadtxt(folder / "drawn.csv", delimiter=",", skiprows=1, ndmin=2)
    found = sb.simulate(model, at, domain, 50, random_state=SEED)
    np.testing.assert_array_equal(found, expected)
    border = np.loadtxt(folder / "border.csv", delimiter=",", skiprows=1, ndmin=2)
    edge = sb.Domain(domain).sample_boundary(dimension=expected.shape[1], random_state=SEED)
    np.testing.assert_array_equal(edge, border)


def test_table(folder: Path) -> None:
    table = run_command(folder, "fit", "x.csv", "--domain", BALL, "--seed", SEED, "--terminal-plot", "never")
    with quiet():
        result = sb.fit(sample(), domain=DISC, random_state=SEED)
    assert without_time(result.summary().as_text()) == without_time(table)


def without_time(text: str) -> list[str]:
    """The lines of a table; the last word of the last line that is not empty is how long it took."""
    lines = text.strip().splitlines()
    return [line.rpartition(",")[0] if line.endswith((" us", " ms", " s", " min")) else line for line in lines]
