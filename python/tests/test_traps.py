"""What users do without meaning to: names in another order, units far from one, the same seed twice."""

from __future__ import annotations

import gc
import math
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, Floats, disc_sample, quiet

import steinbound as sb


def test_places_are_matched_by_name() -> None:
    pd = pytest.importorskip("pandas")
    result = sb.fit(pd.DataFrame(disc_sample(100), columns=["lon", "lat"]), domain=DISC, model=KNOWN)
    place = pd.DataFrame({"lon": [1.0], "lat": [0.0]})
    for ask in (result.predict_density, result.witness):
        np.testing.assert_array_equal(ask(place[["lat", "lon"]]), ask(place))
    with pytest.raises(ValueError, match="points: there are 1 columns and the data have 2"):
        result.witness([[1.0]])


def test_columns_of_one_name_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="more than one column 'a'"):
        sb.fit(pd.DataFrame(disc_sample(50), columns=["a", "a"]), domain=DISC)


def test_parameters_of_a_simulation_by_name() -> None:
    named = sb.simulate(KNOWN, {"mean[x2]": 5.0, "mean[x1]": 0.0}, None, 10, dimension=2)
    np.testing.assert_array_equal(named, sb.simulate(KNOWN, [0.0, 5.0], None, 10))


def test_parameters_that_do_not_tell_the_dimension() -> None:
    with pytest.raises(ValueError, match="dimension=1"):
        sb.simulate(sb.Gaussian(), [0.5, 0.5], sb.Ball(1), 5)
    with pytest.raises(ValueError, match="dimension="):
        sb.simulate(sb.Formula("-a*x1^2", {"a": 1.0}), [1.0], sb.Ball(1), 5)
    assert sb.simulate(sb.Gaussian(1.0), np.zeros(3000), None, 2).shape == (2, 3000)


def test_samples_are_not_the_simulated_data_again() -> None:
    X = sb.simulate(KNOWN, [0.0, 0.0], None, 300)
    again = sb.fit(X, method="mle", model=KNOWN).sample(300)
    assert abs(np.corrcoef(X[:, 0], again[:, 0])[0, 1]) < 0.25


@pytest.mark.parametrize("offset", [0.0, 1e5, 1e8])
def test_densities_far_from_the_origin(offset: float) -> None:
    draws = np.random.default_rng(0).normal(0.5, 1, 3000)
    inside = draws[(draws > -1) & (draws < 2)][:500] + offset
    result = sb.fit(inside, domain=sb.Interval(offset - 1, offset + 2))
    edges = offset + np.linspace(-1, 2, 2001)
    middle = (edges[1:] + edges[:-1])[:, None] / 2
    assert abs(result.predict_density(middle, truncated=True).sum() * 3 / 2000 - 1) < 1e-5


def test_a_narrow_component_is_not_missed() -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(-1, 0.5, 300), rng.normal(1, 0.002, 300)])[:, None]
    X = X[np.abs(X[:, 0]) < 3]
    with quiet():
        result = sb.fit(X, domain=sb.Interval(-3, 3), model=sb.GaussianMixture(2), method="mle")
    whole, inside = result.predict_density(X), result.predict_density(X, truncated=True)
    np.testing.assert_allclose(inside / whole, 1.0, rtol=1e-3)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0, 1e4])
def test_differences_in_any_unit(unit: float) -> None:
    def score(X: Floats, theta: Floats) -> Floats:
        return -np.tanh((X - theta[0]) / (2 * unit)) / unit

    def jacobian(X: Floats, theta: Floats) -> Floats:
        return ((1 - np.tanh((X - theta[0]) / (2 * unit)) ** 2) / (2 * unit**2))[..., None]

    X = np.random.default_rng(2).logistic(0.3 * unit, unit, 300)[:, None]
    domain = sb.Interval(-20 * unit, 20 * unit)
    for method in ("efficient", "tksd", "truncsm"):
        exact, found = (
            sb.fit(X, domain=domain, model=sb.Score(score, {"location": 0.0}, jacobian=given), method=method)
            for given in (jacobian, None)
        )
        assert found.converged
        assert abs(found.estimates - exact.estimates)[0] < 1e-3 * exact.std_errors[0]


def test_functions_cannot_change_what_they_are_given() -> None:
    def score(X: Floats, theta: Floats) -> Floats:
        X -= theta
        return -X

    with pytest.raises(ValueError, match="read-only"):
        sb.fit(disc_sample(50), domain=DISC, model=sb.Score(score, {"a": 0.0, "b": 0.0}))


def test_densities_are_not_asked_for_where_they_are_not() -> None:
    def log_density(X: Floats, theta: Floats) -> Any:
        return [-theta[0] * math.sqrt(x) for x in X[:, 0]]

    def score(X: Floats, theta: Floats) -> Floats:
        return -theta[0] / (2 * np.sqrt(X))

    X = np.random.default_rng(3).exponential(1.0, 200)
    model = sb.Score(score, {"rate": 1.0}, log_density=log_density)
    result = sb.fit(X[(X > 0.1) & (X < 3)], domain=sb.Interval(0.1, 3), model=model)
    assert result.predict_density([[1.0], [-1.0]], truncated=True)[1] == 0


def test_a_log_density_need_not_exist_at_zero() -> None:
    def log_density(X: Floats, theta: Floats) -> Floats:
        return -0.5 * (X[:, 0] / theta[0]) ** 2 - math.log(theta[0])

    def score(X: Floats, theta: Floats) -> Floats:
        return -X / theta[0] ** 2

    X = np.random.default_rng(4).normal(size=200)
    model = sb.Score(score, {"s": 1.0}, log_density=log_density)
    result = sb.fit(X[np.abs(X) < 2], domain=sb.Interval(-2, 2), model=model, method="truncated-mle")
    assert abs(result.params["s"] - 1) < 4 * result.bse["s"]


def test_models_of_an_object_do_not_live_for_ever() -> None:
    class Study:
        def score(self, X: Floats, theta: Floats) -> Floats:
            return theta - X

        def run(self) -> None:
            model = sb.Score(self.score, {"a": 0.0, "b": 0.0})
            self.result = sb.fit(disc_sample(50), domain=DISC, model=model)

    study = Study()
    study.run()
    gone = weakref.ref(study)
    del study
    gc.collect()
    assert gone() is None


def test_a_function_may_wait_for_a_fit_in_another_thread() -> None:
    def score(X: Floats, theta: Floats) -> Floats:
        other = threading.Thread(target=lambda: sb.fit(disc_sample(20), domain=DISC, model=KNOWN, threads=1))
        other.start()
        other.join(timeout=20)
        assert not other.is_alive()
        return theta - X

    result = sb.fit(disc_sample(30), domain=DISC, model=sb.Score(score, {"a": 0.0, "b": 0.0}), threads=1)
    assert result.converged


def test_tuned_results_stay_as_they_were_tuned() -> None:
    X = disc_sample(300)
    result = sb.fit(X, domain=DISC, model=KNOWN, tune=True)
    again = sb.fit(X, domain=DISC, model=KNOWN, bandwidth=result.bandwidth, ridge=result.ridge)
    np.testing.assert_array_equal(result.witness([[0.1, 0.2]]), again.witness([[0.1, 0.2]]))
    assert not result.problem.settings["tune"]
    line = sb.regress("achiv ~ langscore", sb.datasets.load_student_scores(), lower=40, tune=True)
    assert line.problem.settings["bandwidth"] == line.bandwidth and not line.problem.settings["tune"]


def test_long_identifiers_are_clusters_of_their_own() -> None:
    pd = pytest.importorskip("pandas")
    scores = sb.datasets.load_student_scores(as_frame=True)
    scores["id"] = 2**60 + np.arange(len(scores)) // 2
    by_name, by_values = (
        sb.regress("achiv ~ langscore", scores, lower=40, clusters=clusters).std_errors
        for clusters in ("id", scores["id"])
    )
    np.testing.assert_array_equal(by_name, by_values)
    with_gap = scores.assign(id=scores["id"].astype("string").where(scores.index != 3, pd.NA))
    result = sb.regress("achiv ~ langscore", with_gap, lower=40, clusters="id", drop_missing=True)
    assert result.n == len(scores) - 1 and 3 not in result.rows


def test_reference_systems_have_to_agree() -> None:
    geopandas = pytest.importorskip("geopandas")
    shapely = pytest.importorskip("shapely")
    data = geopandas.GeoSeries.from_xy([0.1, 0.2, 0.3], [0.1, 0.2, 0.4], crs=4326)
    region = geopandas.GeoSeries([shapely.box(0, 0, 1, 1)], crs=25833)
    with pytest.raises(ValueError, match="X is in EPSG:4326 and the boundary in EPSG:25833"):
        sb.fit(data, boundary=region)


def test_mistakes_are_named() -> None:
    X = disc_sample(50)
    gap = DISC.sample_boundary(32)
    gap[3, 0] = np.nan
    with pytest.raises(ValueError, match="boundary: row 3, column 0 is NaN"):
        sb.fit(X, boundary=gap, model=KNOWN)
    with pytest.raises(TypeError, match="did you mean 'bandwidth'"):
        sb.fit(X, domain=DISC, bandwith=1.0)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="did you mean \"diagonal\""):
        sb.fit(X, domain=DISC, model=sb.Gaussian(shape="diag"))
    with pytest.raises(ValueError, match="at names the parameters"):
        sb.discrepancy(X, [1.0], domain=DISC, model="-a*x1^2")
    line = sb.regress("achiv ~ langscore", sb.datasets.load_student_scores(), lower=40)
    for call in (lambda: line.sample(3), lambda: line.predict_density([[50.0, 50.0]])):
        with pytest.raises(ValueError, match="a regression has no density"):
            call()


#: The methods that take boundary points alone.
CHECKED = ["efficient", "tksd"]


@pytest.mark.parametrize("method", CHECKED)
def test_a_boundary_out_of_reach_is_told(method: str) -> None:
    with pytest.warns(sb.FitWarning) as told:
        sb.fit(disc_sample(100), boundary=DISC.sample_boundary(32) + 50, model=KNOWN, method=method)
    assert any("have no effect" in str(one.message) for one in told)


@pytest.mark.parametrize("method", CHECKED)
def test_too_few_points_on_a_boundary_are_told(method: str) -> None:
    with pytest.warns(sb.FitWarning) as told:
        sb.fit(disc_sample(400), boundary=DISC.sample_boundary(3), model=KNOWN, method=method)
    assert any("too sparse" in str(one.message) for one in told)


def test_a_shape_is_not_a_covariance() -> None:
    with pytest.raises(ValueError, match="gets its shape by shape='diagonal'"):
        sb.fit(disc_sample(50), domain=DISC, model=sb.Gaussian(covariance="diagonal"))
    with pytest.raises(ValueError, match="is not numeric"):
        sb.fit(disc_sample(50), domain=DISC, model=sb.Gaussian(covariance=[1.0, "a"]))


def test_what_is_no_polygon() -> None:
    with pytest.raises(TypeError, match="is a domain already; use it as it is"):
        sb.Polygon(sb.datasets.load_us_border())
    for value in (7, object(), [object()]):
        with pytest.raises((TypeError, ValueError), match="a polygon is a geometry|a ring is an array"):
            sb.Polygon(value)


def test_a_narrow_domain_is_told() -> None:
    ring = sb.Ball(radius=2) & ~sb.Ball(radius=1)
    X = sb.simulate(KNOWN, [0.5, 0.5], ring, 1000, random_state=1)
    with pytest.warns(sb.FitWarning, match="ridge is too large for this domain and bandwidth.*use a smaller ridge"):
        result = sb.fit(X, domain=ring, method="tksd", ridge=0.001)
    tie = result.to_dict()["diagnostics"]["tie"]
    assert tie["strength"] > tie["limit"]
    smaller = sb.fit(X, domain=ring, method="tksd", ridge=1e-5)
    assert not [text for text in smaller.warnings if "biased" in text]
    # A ridge that is chosen, and the method that has none, fit the ring.
    for method in ("tksd", "efficient"):
        found = sb.fit(X, domain=ring, model=KNOWN, method=method)
        assert found.warnings == [] and np.all(np.abs(found.estimates - 0.5) < 4 * found.std_errors)


KINDS: list[tuple[str, Any]] = [
    ("threads", -1),
    ("threads", 1.0),
    ("boundary_points", -10),
    ("boundary_points", "50"),
    ("bandwidth", [1, 2]),
    ("ridge", "a"),
    ("method", None),
    ("statistic", 3),
    ("compute", None),
    ("boundary_sampling", None),
    ("confidence", "0.9"),
    ("tolerance", "a"),
    ("allow_outside", 1),
    ("diagnostics", 1),
    ("bootstrap", -5),
    ("bootstrap", 99.5),
]


@pytest.mark.parametrize(("name", "value"), KINDS)
def test_arguments_of_a_wrong_kind_are_named(name: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{name} is .*; give "):
        sb.fit(disc_sample(50), domain=DISC, model=KNOWN, **{name: value})


def test_counts_of_a_wrong_kind_are_named() -> None:
    result = sb.fit(disc_sample(50), domain=DISC, model=KNOWN)
    calls: list[tuple[str, Any]] = [
        ("n", lambda: sb.simulate(KNOWN, [0, 0], DISC, -1)),
        ("n", lambda: result.sample(2.5)),
        ("count", lambda: DISC.sample_boundary(-1)),
        ("components", lambda: sb.fit(disc_sample(50), domain=DISC, model=sb.GaussianMixture(-1))),
        ("bootstrap", lambda: result.test(bootstrap=None)),
        ("formula", lambda: sb.regress(None, {"y": [1.0, 2.0]}, lower=0)),
    ]
    for name, call in calls:
        with pytest.raises((TypeError, ValueError), match=f"^{name} is .*; give "):
            call()


def test_rows_in_another_order_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(disc_sample(60), columns=["a", "b"])
    weights = pd.Series(np.linspace(0.5, 1.5, 60))
    mixed = X.sample(frac=1, random_state=1)
    for name in ("weights", "clusters"):
        with pytest.raises(ValueError, match=f"{name} has the rows of the data in another order"):
            sb.fit(mixed, domain=DISC, model=KNOWN, **{name: weights})
    with quiet():
        # The order of the rows changes the landmarks of the method efficient, but nothing of tksd.
        given: dict[str, Any] = {"domain": DISC, "model": KNOWN, "method": "tksd"}
        same = sb.fit(mixed, weights=weights.loc[mixed.index], **given)
        whole = sb.fit(X, weights=weights, **given)
        by_place = sb.fit(X, weights=weights.set_axis(range(7, 67)), **given)
    np.testing.assert_allclose(same.estimates, whole.estimates, rtol=1e-9)
    np.testing.assert_array_equal(by_place.estimates, whole.estimates)
    with pytest.raises(ValueError, match="weights has the rows of the data in another order"):
        sb.regress("a ~ b", mixed, lower=-2, weights=weights)
    for name in ("lower", "upper"):
        with pytest.raises(ValueError, match=f"{name} has the rows of the data in another order"):
            sb.regress("a ~ b", mixed, **{name: weights})


def test_points_of_a_fit_have_its_columns() -> None:
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame(disc_sample(60), columns=["a", "b"])
    with quiet():
        found = sb.fit(X, domain=DISC, model=KNOWN, method="tksd")
    expected = found.predict_density(X.to_numpy())
    np.testing.assert_array_equal(found.predict_density(X[["b", "a"]]), expected)
    np.testing.assert_array_equal(found.log_density(X.set_axis([0, 1], axis=1)), np.log(expected))
    for names in (["c", "d"], ["a", "d"]):
        message = rf"points: the columns are {', '.join(names)} and the fit has a, b; give columns with these names, or an array"
        for ask in (found.predict_density, found.log_density, found.witness):
            with pytest.raises(ValueError, match=message):
                ask(X.set_axis(names, axis=1))
    geopandas = pytest.importorskip("geopandas")
    # The coordinates of geometries have no names of their own.
    np.testing.assert_array_equal(found.predict_density(geopandas.GeoSeries.from_xy(X.a, X.b)), expected)
    with quiet():
        found = sb.fit(geopandas.GeoSeries.from_xy(X.a, X.b), domain=DISC, model=KNOWN, method="tksd")
    np.testing.assert_array_equal(found.predict_density(X), expected)
