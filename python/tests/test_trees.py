"""Parameters in arrays and nested structures, and densities that evaluate all points at once."""

from __future__ import annotations

import pickle
import time
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from helpers import DISC, disc_sample, quiet

import steinbound as sb
from steinbound._differentiation import jax_density
from steinbound._trees import Tree

Pair = namedtuple("Pair", "first second")


class Module:
    """What of a module of PyTorch is used: parameters by name, and a call with others in their place."""

    def __init__(self, **parameters: Any) -> None:
        self._parameters = {name: np.asarray(value, dtype=float) for name, value in parameters.items()}

    def named_parameters(self) -> Any:
        return iter(self._parameters.items())

    def functional_call(self, parameters: dict[str, Any], args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        return (args[0] - parameters["center"]) @ parameters["precision"]

    def __call__(self, x: Any) -> Any:
        return self.functional_call(self._parameters, (x,), {})


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"w": np.zeros(3), "b": 0.0}, ["w[0]", "w[1]", "w[2]", "b"]),
        ({"w": np.zeros((2, 2))}, ["w[0,0]", "w[0,1]", "w[1,0]", "w[1,1]"]),
        ({"layers": [{"w": [1.0, 2.0]}, {"w": 3.0}]}, ["layers[0].w[0]", "layers[0].w[1]", "layers[1].w"]),
        ([np.zeros(1), (2.0, 3)], ["[0][0]", "[1][0]", "[1][1]"]),
        ({"of": Pair(1.0, np.zeros(1))}, ["of.first", "of.second[0]"]),
        (np.zeros(2), ["[0]", "[1]"]),
        (Module(center=[1, 2], precision=3.0), ["center[0]", "center[1]", "precision"]),
        ({"net": Module(center=1.0)}, ["net.center"]),
    ],
)
def test_every_number_has_a_name_and_comes_back(given: Any, names: list[str]) -> None:
    tree = Tree(given)
    assert tree.names == names and len(tree.values) == len(names)
    theta = np.arange(1.0, 1 + len(names))
    again = Tree(tree.result(theta))
    assert again.values == theta.tolist() and len(again.names) == len(names)
    assert tree.flat(given, "start") == tree.values


def test_types_of_a_structure_are_kept() -> None:
    given = {"a": (1.0, [2.0]), "b": Pair(np.zeros((1, 2)), 0.0)}
    found = Tree(given).result(np.arange(5.0))
    assert found["a"] == (0.0, [1.0]) and isinstance(found["b"], Pair) and found["b"].second == 4.0
    np.testing.assert_array_equal(found["b"].first, [[2.0, 3.0]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("a", "start: it is a str, which is no structure"),
        ({"a": "x"}, "start: a is a str"),
        ({"a": np.zeros(0)}, "start has no parameters"),
        ({"a": [None]}, r"start: a\[0\] is a NoneType"),
        ({"a": np.array(["x"])}, "start: a is a .*, which holds no numbers"),
        ({"a": np.zeros(1), "a[0]": 1.0}, r"two parameters 'a\[0\]'"),
        ([], "start has no parameters"),
    ],
)
def test_what_is_no_structure_is_refused(given: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Tree(given)


def test_structures_of_jax() -> None:
    jax = pytest.importorskip("jax")

    @jax.tree_util.register_pytree_with_keys_class
    class Net:
        """A module as Equinox and Flax have them: arrays, and parts that are not estimated."""

        def __init__(self, weight: Any, steps: Any) -> None:
            self.weight, self.steps = weight, steps

        def tree_flatten_with_keys(self) -> Any:
            key = jax.tree_util.GetAttrKey
            return [(key("weight"), self.weight), (key("steps"), self.steps)], None

        @classmethod
        def tree_unflatten(cls, _: Any, parts: Any) -> Any:
            return cls(*parts)

    tree = Tree({"net": Net(jax.numpy.zeros(2), np.array(3)), "scale": 1.0})
    assert tree.names == ["net.weight[0]", "net.weight[1]", "scale"]
    found = tree.result(np.array([5.0, 6.0, 7.0]))
    assert isinstance(found["net"], Net) and found["net"].weight.tolist() == [5.0, 6.0] and found["net"].steps == 3


def score(X: Any, p: Any) -> Any:
    return (p["mean"] - X) / p["size"]


def test_a_score_gets_its_structure_and_results_give_it_back() -> None:
    X, start = disc_sample(), {"mean": np.zeros(2), "size": 1.5}
    model = sb.Score(score, start)
    flat = sb.Score(lambda X, theta: (theta[:2] - X) / theta[2], {"a": 0.0, "b": 0.0, "s": 1.5})
    with quiet():
        found, expected = (sb.fit(X, domain=DISC, model=one) for one in (model, flat))
    assert found.names == ["mean[0]", "mean[1]", "size"]
    np.testing.assert_array_equal(found.estimates, expected.estimates)
    tree = found.params_tree
    np.testing.assert_array_equal(tree["mean"], found.estimates[:2])
    assert tree["size"] == found.params["size"] and expected.params_tree == dict(expected.params)
    with quiet():
        again = sb.fit(X, domain=DISC, model=model, start=tree)
        np.testing.assert_allclose(again.estimates, found.estimates, rtol=1e-6)
        near = sb.discrepancy(X, tree, domain=DISC, model=model)
        by_name = sb.discrepancy(X, dict(found.params), domain=DISC, model=model)
    assert near.squared == by_name.squared
    with pytest.raises(ValueError, match="start has the parameters mean, size, and the model has mean"):
        sb.fit(X, domain=DISC, model=model, start={"mean": 0.0, "size": 1.0})


def test_models_with_structures_can_be_pickled() -> None:
    model = pickle.loads(pickle.dumps(sb.Score(score, {"mean": np.zeros(2), "size": 1.5})))
    with quiet():
        assert sb.fit(disc_sample(60), domain=DISC, model=model, max_iterations=2).names[0] == "mean[0]"


def test_a_module_is_called_with_the_parameters_of_the_search() -> None:
    module = Module(center=[0.0, 0.0], precision=np.eye(2))
    model = sb.Score(lambda X, net: -net(X), module)
    with quiet():
        found = sb.fit(disc_sample(), domain=DISC, model=model, method="truncsm")
    assert list(found.params_tree) == ["center", "precision"] and found.params_tree["precision"].shape == (2, 2)
    mean = found.params_tree["center"]
    with quiet():
        known = sb.fit(disc_sample(), domain=DISC, method="truncsm")
    # Its precision need not be symmetric, so that it is another estimate near the same.
    np.testing.assert_allclose(mean, known.estimates[:2], atol=3 * float(known.std_errors[:2].max()))


def energy(x: Any, p: Any) -> Any:
    import jax.numpy as jnp

    return -(x @ x) / 2 + p["w"] @ jnp.tanh(p["a"] @ x + p["b"])


def start(units: int, seed: int = 1) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "a": random.normal(size=(units, 2)),
        "b": random.normal(size=units),
        "w": 0.3 * random.normal(size=units),
    }


def test_second_derivatives_of_jax_are_those_of_differences() -> None:
    pytest.importorskip("jax")
    tree = Tree(start(2))
    density = jax_density(lambda x, theta: energy(x, tree.rebuilt(theta)))
    random = np.random.default_rng(3)
    X, theta = random.normal(size=(20, 2)), np.array(tree.values)
    for width in (2, 4):
        weights = random.normal(size=(20, width))

        def gradient(at: Any, weights: Any = weights, width: int = width) -> Any:
            parts = [density.score_jacobians(X, at), density.slope_jacobians(X, at)][: width // 2]
            return np.einsum("il,ilk->k", weights, np.concatenate(parts, axis=1))

        steps = 1e-5 * np.eye(len(theta))
        expected = [(gradient(theta + step) - gradient(theta - step)) / 2e-5 for step in steps]
        np.testing.assert_allclose(density.curvature(X, theta, weights), expected, atol=1e-7)


def counted_fit(n: int, units: int, copies: int = 1, **given: Any) -> tuple[sb.FitResult, list[int]]:
    model = sb.LogDensity(energy, start(units))
    calls: list[int] = []

    def counted(function: Any) -> Any:
        def call(X: Any, *others: Any) -> Any:
            calls.append(len(X))
            return function(X, *others)

        return call

    functions: Any = model._functions
    functions.evaluate, functions.curvature = counted(functions.evaluate), counted(functions.curvature)
    X = sb.simulate(sb.Gaussian(covariance=1.0), [0.4, 0.1], sb.Ball(radius=2), n // copies, random_state=1)
    with quiet():
        X = np.tile(X, (copies, 1))
        result = sb.fit(X, domain=sb.Ball(radius=2), model=model, diagnostics=False, bandwidth=1.0, **given)
    return result, calls


def test_calls_into_python_do_not_depend_on_rows_or_parameters() -> None:
    pytest.importorskip("jax")
    for method in ("ksd", "truncsm"):
        counts = []
        # Copies of the same points have the same objective, and the search takes the same way.
        for n, units, copies in [(60, 2, 1), (240, 2, 4), (60, 6, 1)]:
            result, calls = counted_fit(n, units, copies, method=method, max_iterations=4)
            assert set(calls) == {n} and result.to_dict()["iterations"] == 4
            counts.append(len(calls))
        assert counts[0] == counts[1] and max(counts) <= 4 * 4 + 8, counts


@pytest.mark.long
def test_many_parameters_take_seconds() -> None:
    pytest.importorskip("jax")
    began = time.process_time()
    result, calls = counted_fit(1000, 6)
    seconds = time.process_time() - began
    print(f"{len(result.names)} parameters, {len(calls)} calls, {seconds:.1f} s of all processors")
    assert len(result.names) == 24 and seconds < 10


def test_a_function_hears_of_each_step_and_ends_a_search() -> None:
    X, heard = disc_sample(60), list[tuple[int, float]]()
    model = sb.Formula("-((x1-a)^2 + (x2-b)^2)/(2*s)", {"a": 3.0, "b": 0.0, "s": 3.0})
    given: dict[str, Any] = {"domain": DISC, "model": model, "method": "truncsm"}

    def listen(iteration: int, value: float) -> bool:
        heard.append((iteration, value))
        return iteration == 2

    with quiet():
        whole = sb.fit(X, **given)
    with pytest.warns(sb.FitWarning, match="after 2 steps, by the function that watches it"):
        found = sb.fit(X, callback=listen, **given)
    assert [iteration for iteration, _ in heard] == [1, 2] and heard[1][1] < heard[0][1]
    assert not found.converged and not found.trustworthy and whole.converged
    assert found.estimates.tolist() != whole.estimates.tolist()
    with pytest.raises(ZeroDivisionError), quiet():
        sb.fit(X, callback=lambda iteration, value: 1 / 0, **given)
    with pytest.raises(TypeError, match="callback is a int"):
        sb.fit(X, callback=3, **given)
    with quiet():
        assert sb.fit(X, callback=lambda *_: None, **given).to_json() != found.to_json()


def test_time_is_limited() -> None:
    X = disc_sample(60)
    with pytest.raises(TimeoutError, match="the time limit of 0.000000001 s was over before there was a result"):
        sb.fit(X, domain=DISC, time_limit=1e-9)
    model = sb.Formula("-((x1-a)^2 + (x2-b)^2)/(2*s)", {"a": 3.0, "b": 0.0, "s": 3.0})
    with pytest.warns(sb.FitWarning, match="after 1 step, at the time limit of 2 s"):
        found = sb.fit(
            X, domain=DISC, model=model, method="truncsm", time_limit=2, callback=lambda *_: time.sleep(2.1), diagnostics=False
        )
    assert not found.converged and found.to_dict()["iterations"] == 1
    with pytest.raises(ValueError, match="time_limit: -1 is not a time"):
        sb.fit(X, domain=DISC, time_limit=-1.0)
