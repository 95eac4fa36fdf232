"""Models written in Python: as good as those built in, and clear about what went wrong."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, LINE, Floats, disc_sample, line_sample, quiet

import steinbound as sb

STEIN = ["efficient", "tksd", "bdksd", "ksd", "truncsm"]
# The likelihood asks for the density at all nodes of a quadrature, which in the plane are many.
METHODS = [*STEIN, pytest.param("truncated-mle", marks=pytest.mark.long)]
# The method efficient begins with half the median distance where a model has no closed form, and only built-in
# models have one: with a bandwidth that is given both are the same estimate.
WIDTH = 1.0
# Of a standard error: by how much ways to the same estimate may differ.
SHARE = 1e-6


def score(X: Floats, theta: Floats) -> Floats:
    """Of a normal distribution with two means and one logarithm of its spread."""
    return (theta[:2] - X) / np.exp(2 * theta[2])


def jacobian(X: Floats, theta: Floats) -> Floats:
    found = np.zeros((*X.shape, 3))
    found[:, 0, 0] = found[:, 1, 1] = np.exp(-2 * theta[2])
    found[:, :, 2] = -2 * score(X, theta)
    return found


def log_density(X: Floats, theta: Floats) -> Floats:
    return np.asarray(-((X - theta[:2]) ** 2).sum(axis=1) / (2 * np.exp(2 * theta[2])))


START = {"a": 0.1, "b": 0.2, "s": 0.0}
FORMULA = "-((x1-a)^2 + (x2-b)^2) / (2*exp(2*s))"


def jax_density(x: Any, theta: Any) -> Any:
    import jax.numpy as jnp

    return -((x - theta[:2]) ** 2).sum() / (2 * jnp.exp(2 * theta[2]))


def model_of(kind: str) -> Any:
    if kind == "jax":
        pytest.importorskip("jax")
        return sb.LogDensity(jax_density, START)
    return {
        "score": lambda: sb.Score(score, START, log_density=log_density),
        "jacobian": lambda: sb.Score(score, START, jacobian=jacobian, log_density=log_density),
        "formula": lambda: sb.Formula(FORMULA, START),
        "text": lambda: FORMULA,
    }[kind]()


@cache
def reference(method: str) -> sb.FitResult:
    """The same by a formula, which the engine differentiates exactly."""
    with quiet():
        return sb.fit(disc_sample(40), domain=DISC, model=sb.Formula(FORMULA, START), method=method)


def assert_alike(found: sb.FitResult, expected: sb.FitResult) -> None:
    errors = expected.std_errors
    assert np.isfinite(errors).all() and (errors > 0).all()
    assert np.abs(found.estimates - expected.estimates).max() < SHARE * errors.min()
    # Curvatures of what was differentiated numerically twice already have three digits.
    np.testing.assert_allclose(found.std_errors, errors, rtol=1e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["score", "jacobian", "jax", "text"])
def test_ways_to_write_a_model_agree(kind: str, method: str) -> None:
    model = model_of(kind)
    start = START if kind == "text" else None
    with quiet():
        found = sb.fit(disc_sample(40), domain=DISC, model=model, method=method, start=start)
    assert_alike(found, reference(method))
    assert found.names == list(START)


KNOWN_MODELS: dict[str, Any] = {
    "score": lambda: sb.Score(lambda X, theta: theta - X, {"a": 0.0, "b": 0.0}),
    "jacobian": lambda: sb.Score(
        lambda X, theta: theta - X,
        {"a": 0.0, "b": 0.0},
        jacobian=lambda X, theta: np.broadcast_to(np.eye(2), (*X.shape, 2)),
        log_density=lambda X, theta: -((X - theta) ** 2).sum(axis=1) / 2,
    ),
    "formula": lambda: sb.Formula("-((x1-a)^2 + (x2-b)^2)/2", {"a": 0.0, "b": 0.0}),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KNOWN_MODELS)
def test_written_models_agree_with_the_built_in_one(kind: str, method: str) -> None:
    if kind == "score" and method == "truncated-mle":
        pytest.skip("the likelihood needs a log-density, which this model has not")
    X = disc_sample(40)
    with quiet():
        found = sb.fit(X, domain=DISC, model=KNOWN_MODELS[kind](), method=method, bandwidth=WIDTH)
        expected = sb.fit(X, domain=DISC, model=KNOWN, method=method, bandwidth=WIDTH)
    assert_alike(found, expected)


@pytest.mark.parametrize("kind", ["score", "formula", "jax"])
def test_likelihoods_on_the_line_agree(kind: str) -> None:
    def density(x: Any, theta: Any) -> Any:
        return -((x[..., 0] - theta[0]) ** 2) / 2

    start = {"mu": 0.0}
    if kind == "jax":
        pytest.importorskip("jax")
        model: sb.Model = sb.LogDensity(density, start)
    elif kind == "formula":
        model = sb.Formula("-(x1-mu)^2/2", start)
    else:
        model = sb.Score(lambda X, theta: theta - X, start, log_density=density)
    X = line_sample(40)
    with quiet():
        found = sb.fit(X, domain=LINE, model=model, method="truncated-mle")
        expected = sb.fit(X, domain=LINE, model=KNOWN, method="truncated-mle")
    assert_alike(found, expected)


@pytest.mark.parametrize("kind", ["jacobian", "formula"])
@pytest.mark.parametrize("fitted", [True, False])
def test_tests_of_fit_agree(kind: str, fitted: bool) -> None:
    X = disc_sample(30)
    at = None if fitted else [0.5, 0.5]
    given: dict[str, Any] = {"domain": DISC, "bandwidth": WIDTH, "bootstrap": 30, "at": at}
    with quiet():
        found = sb.gof_test(X, model=KNOWN_MODELS[kind](), **given)
        expected = sb.gof_test(X, model=KNOWN, **given)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-5)
    if not fitted:
        # Signs are drawn for the same terms; draws of the model itself are made in another way.
        np.testing.assert_allclose(np.sort(found.draws), np.sort(expected.draws), rtol=1e-5)
    assert abs(found.p_value - expected.p_value) < 0.3


def test_discrepancies_and_witnesses_agree() -> None:
    X = disc_sample(30)
    values = []
    for model in (KNOWN, *(make() for make in KNOWN_MODELS.values())):
        with quiet():
            apart = sb.discrepancy(X, [0.3, 0.4], domain=DISC, model=model, bandwidth=WIDTH)
            result = sb.fit(X, domain=DISC, model=model, bandwidth=WIDTH)
        values.append(np.append(result.witness(X[:5]).ravel(), apart.squared))
    for other in values[1:]:
        np.testing.assert_allclose(other, values[0], rtol=1e-6, atol=1e-9)


def test_draws_and_densities_of_written_models() -> None:
    X = line_sample(100)
    model = sb.Score(
        lambda X, theta: theta - X, {"mu": 0.0}, log_density=lambda X, theta: -((X[:, 0] - theta[0]) ** 2) / 2
    )
    with quiet():
        result = sb.fit(X, domain=LINE, model=model, bandwidth=WIDTH)
        expected = sb.fit(X, domain=LINE, model=KNOWN, bandwidth=WIDTH)
    places = np.linspace(-0.9, 1.4, 7)
    np.testing.assert_allclose(
        result.predict_density(places, True), expected.predict_density(places, True), rtol=1e-5
    )
    draws = result.sample(2000, truncated=True, random_state=3)
    assert LINE.contains(draws).all()
    others = expected.sample(2000, truncated=True, random_state=4)
    assert abs(draws.mean() - others.mean()) < 5 * others.std() / np.sqrt(1000)


def test_simulation_of_written_models() -> None:
    model = sb.Formula("-((x1-a)^2 + (x2-b)^2)/2", {"a": 0.0, "b": 0.0})
    draws = sb.simulate(model, [0.5, 0.5], DISC, 3000, dimension=2, random_state=1)
    others = disc_sample(3000, 9)
    assert DISC.contains(draws).all()
    assert np.all(np.abs(draws.mean(axis=0) - others.mean(axis=0)) < 5 * others.std(axis=0) / np.sqrt(1500))


def test_columns_by_name() -> None:
    X = disc_sample(30)
    columns = {"north": X[:, 0], "east": X[:, 1]}
    with quiet():
        given: dict[str, Any] = {"domain": DISC, "bandwidth": WIDTH}
        found = sb.fit(columns, model="-((north-a)^2+(east-b)^2)/2", start={"a": 0.0, "b": 0.0}, **given)
        expected = sb.fit(X, model=KNOWN, **given)
    assert_alike(found, expected)


def test_functions_see_plain_arrays() -> None:
    seen: list[tuple[Any, Any]] = []

    def remembered(X: Floats, theta: Floats) -> Floats:
        seen.append((X, theta))
        return np.asarray(theta - X)

    with quiet():
        sb.fit(disc_sample(30), domain=DISC, model=sb.Score(remembered, {"a": 0.0, "b": 0.0}))
    for X, theta in seen:
        assert (
            X.dtype == theta.dtype == np.float64 and X.ndim == 2 and X.shape[1] == 2 and theta.shape == (2,)
        )


# What goes wrong in functions.


class OwnError(Exception):
    """An exception that only the test knows."""


def failing(kind: type[BaseException]) -> Any:
    def function(X: Any, theta: Any) -> Any:
        raise kind("from the user's function", 7)

    return function


def uses_of(model: sb.Model) -> list[Any]:
    X = disc_sample(30)
    return [
        *(lambda method=method: sb.fit(X, domain=DISC, model=model, method=method) for method in STEIN),
        lambda: sb.fit(X, domain=DISC, model=model, bootstrap=40),
        lambda: sb.discrepancy(X, [0.0, 0.0], domain=DISC, model=model),
        lambda: sb.gof_test(X, domain=DISC, model=model, bootstrap=20),
    ]


@pytest.mark.parametrize("kind", [OwnError, ZeroDivisionError, KeyboardInterrupt, SystemExit, MemoryError])
def test_exceptions_arrive_as_they_are(kind: type[BaseException]) -> None:
    model = sb.Score(failing(kind), {"a": 0.0, "b": 0.0})
    for use in uses_of(model):
        with pytest.raises(kind) as caught:
            use()
        assert type(caught.value) is kind and caught.value.args == ("from the user's function", 7)


def test_exceptions_in_jacobian_and_log_density() -> None:
    X, start = disc_sample(30), {"a": 0.0, "b": 0.0}
    model = sb.Score(lambda X, theta: theta - X, start, jacobian=failing(OwnError))
    with pytest.raises(OwnError):
        sb.fit(X, domain=DISC, model=model)
    model = sb.Score(lambda X, theta: theta - X, start, log_density=failing(OwnError))
    with pytest.raises(OwnError):
        sb.fit(X, domain=DISC, model=model, method="truncated-mle")
    with quiet():
        result = sb.fit(X, domain=DISC, model=model)
    for ask in (lambda: result.predict_density(X, True), lambda: result.sample(5, truncated=True)):
        with pytest.raises(OwnError):
            ask()
    with pytest.raises(OwnError):
        sb.simulate(model, [0.0, 0.0], DISC, 5, dimension=2)


def test_exceptions_in_jax() -> None:
    pytest.importorskip("jax")
    model = sb.LogDensity(failing(OwnError), {"a": 0.0, "b": 0.0})
    with pytest.raises(OwnError, match="from the user's function"):
        sb.fit(disc_sample(20), domain=DISC, model=model)


def test_an_exception_after_a_while() -> None:
    calls = 0

    def sometimes(X: Floats, theta: Floats) -> Floats:
        nonlocal calls
        calls += 1
        if calls > 6:
            raise OwnError("late")
        return np.asarray(theta - X)

    with pytest.raises(OwnError, match="late"):
        sb.fit(disc_sample(30), domain=DISC, model=sb.Score(sometimes, {"a": 0.0, "b": 0.0}), bootstrap=60)
    # Nothing of it is left for what comes after.
    with quiet():
        assert sb.fit(disc_sample(30), domain=DISC, model=KNOWN).converged


SHAPES = [
    lambda X, theta: X[:, :1],
    lambda X, theta: X.T,
    lambda X, theta: X[:-1],
    lambda X, theta: 0.0,
    lambda X, theta: X[None],
    lambda X, theta: np.zeros((len(X), 3)),
    lambda X, theta: [],
    lambda X, theta: None,
]


@pytest.mark.parametrize("function", SHAPES)
@pytest.mark.parametrize("method", ["efficient", "tksd", "truncsm"])
def test_wrong_shapes_are_refused(function: Any, method: str) -> None:
    start = {"a": 0.0, "b": 0.0}
    with pytest.raises((ValueError, TypeError), match="score gave an array of shape"):
        sb.fit(disc_sample(30), domain=DISC, model=sb.Score(function, start), method=method)
    model = sb.Score(lambda X, theta: theta - X, start, jacobian=function)
    with pytest.raises((ValueError, TypeError), match="jacobian gave an array of shape"):
        sb.fit(disc_sample(30), domain=DISC, model=model, method=method)


@pytest.mark.parametrize("value", ["text", object(), 1j, {"a": 1}, [[1, 2], [3]]])
def test_answers_that_are_no_numbers(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        sb.fit(disc_sample(30), domain=DISC, model=sb.Score(lambda X, theta: value, {"a": 0.0}))


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("method", ["efficient", "tksd", "bdksd", "ksd", "truncsm"])
def test_scores_that_are_not_finite_are_refused(value: float, method: str) -> None:
    def broken(X: Floats, theta: Floats) -> Floats:
        found = np.asarray(theta - X)
        found[X[:, 0] > 0.8] = value
        return found

    with pytest.raises(ValueError, match=r"finite|NaN|not a number"):
        sb.fit(disc_sample(30), domain=DISC, model=sb.Score(broken, {"a": 0.0, "b": 0.0}), method=method)


def test_a_log_density_is_asked_for_where_it_is_needed() -> None:
    model = sb.Score(lambda X, theta: theta - X, {"a": 0.0, "b": 0.0})
    with pytest.raises(ValueError, match="density"):
        sb.fit(disc_sample(30), domain=DISC, model=model, method="truncated-mle")
    with quiet():
        result = sb.fit(disc_sample(30), domain=DISC, model=model)
    for ask in (lambda: result.predict_density([[0, 0]], True), lambda: result.sample(3, truncated=True)):
        with pytest.raises(ValueError, match="density|sampled"):
            ask()


def test_arguments_that_are_no_models() -> None:
    X = disc_sample(20)
    for model in (3, [], object(), lambda X: X, sb.Gaussian):
        with pytest.raises(TypeError, match="model"):
            sb.fit(X, domain=DISC, model=model)
    with pytest.raises(ValueError, match="start"):
        sb.fit(X, domain=DISC, model="-(x1-a)^2")
    for start in (None, {}, [1.0], "a"):
        if start != [1.0]:
            with pytest.raises(TypeError, match="start"):
                sb.Score(score, start)
        with pytest.raises(TypeError, match="start"):
            sb.Formula("-a*x1", start)
    with pytest.raises(TypeError, match="score"):
        sb.Score(None, {"a": 1.0})
    with pytest.raises(ValueError, match="backend"):
        sb.LogDensity(jax_density, {"a": 1.0}, backend="numpy")


def test_results_of_densities_for_jax_are_pickled() -> None:
    pytest.importorskip("jax")
    result = sb.fit(disc_sample(100), domain=DISC, model=model_of("jax"))
    again = pickle.loads(pickle.dumps(result))
    np.testing.assert_array_equal(again.witness([[0.1, 0.2]]), result.witness([[0.1, 0.2]]))


def test_the_number_of_components_is_chosen() -> None:
    square = sb.Box(low=[-3, -3], high=[3, 3])
    X = sb.simulate(sb.GaussianMixture(2, covariance=0.5), [-1.5, 0, 1.5, 0], square, 300, random_state=1)
    result = sb.fit(X, domain=square, model=sb.GaussianMixture(components=(1, 3), covariance=0.5))
    assert result.selection is not None
    assert (result.selection["criterion"], result.selection["chosen"]) == ("bic", "gaussian-mixture 2")
    again = sb.fit(X, domain=square, model=sb.GaussianMixture(components=range(2, 3), covariance=0.5))
    alone = sb.fit(X, domain=square, model=sb.GaussianMixture(2, covariance=0.5))
    assert dict(result.params) == dict(again.params) == dict(alone.params)
    assert alone.selection is None
    rows = sb.compare(X, domain=square, models=sb.GaussianMixture((1, 2), covariance=0.5), methods="tksd").rows
    assert [row.model for row in rows] == ["gaussian-mixture 1", "gaussian-mixture 2"]
    assert rows[0].bic is not None and rows[1].bic is not None and rows[1].bic < rows[0].bic
    assert rows[0].held_out is None


@pytest.mark.parametrize(
    ("components", "said"), [((3, 1), "counts down"), ((0, 2), "from 1 on"), ((1, 2, 3), "such as"), (range(0), "from 1 on")]
)
def test_ranges_that_are_none_are_refused(components: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sb.fit([[0.0], [0.5], [1.0], [0.2]], domain=sb.Interval(-1, 2), model=sb.GaussianMixture(components))
