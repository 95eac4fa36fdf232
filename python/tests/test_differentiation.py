"""Derivatives by JAX and PyTorch agree with formulas, in double precision."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from steinbound import _differentiation
from steinbound._differentiation import DifferentiableDensity, jax_density, torch_density

Maker = Callable[[Callable[[Any, Any], Any]], DifferentiableDensity]


@pytest.fixture(params=["jax", "torch"])
def library(request: pytest.FixtureRequest) -> tuple[Maker, Any]:
    """What makes a density, and the functions to write it with."""
    if request.param == "jax":
        pytest.importorskip("jax")
        import jax.numpy

        return jax_density, jax.numpy
    return torch_density, pytest.importorskip("torch")


def quartic(module: Any) -> Callable[[Any, Any], Any]:
    """A density whose derivatives are short: -a |x|^4 / 4 + sin(b x1) + c x1 x2."""

    def log_density(x: Any, theta: Any) -> Any:
        a, b, c = theta[0], theta[1], theta[2]
        return -a * (x * x).sum() ** 2 / 4 + module.sin(b * x[0]) + c * x[0] * x[1]

    return log_density


def test_derivatives_of_a_formula(library: tuple[Maker, Any]) -> None:
    make, module = library
    density = make(quartic(module))
    X, theta = np.random.default_rng(0).normal(size=(5, 2)), np.array([0.7, 1.3, -0.4])
    a, b, c = theta
    x, y = X.T
    r = x * x + y * y
    scores = np.stack([-a * r * x + b * np.cos(b * x) + c * y, -a * r * y + c * x], axis=1)
    slopes = np.stack([-a * (r + 2 * x * x) - b * b * np.sin(b * x), -a * (r + 2 * y * y)], axis=1)
    none = np.zeros(5)
    in_score = [[-r * x, np.cos(b * x) - b * x * np.sin(b * x), y], [-r * y, none, x]]
    in_slope = [
        [-(r + 2 * x * x), -2 * b * np.sin(b * x) - b * b * x * np.cos(b * x), none],
        [-(r + 2 * y * y), none, none],
    ]
    expected = {
        "log_densities": -a * r * r / 4 + np.sin(b * x) + c * x * y,
        "scores": scores,
        "slopes": slopes,
        "score_jacobians": np.moveaxis(np.array(in_score), 2, 0),
        "slope_jacobians": np.moveaxis(np.array(in_slope), 2, 0),
    }
    for name, values in expected.items():
        found = getattr(density, name)(X, theta)
        assert found.dtype == np.float64 and found.shape == values.shape
        np.testing.assert_allclose(found, values, rtol=1e-13, atol=1e-13, err_msg=name)


def test_more_coordinates_than_parameters(library: tuple[Maker, Any]) -> None:
    make, _ = library
    density = make(lambda x, theta: -theta[0] * (x * x).sum() / 2)
    X = np.arange(8.0).reshape(2, 4)
    np.testing.assert_array_equal(density.score_jacobians(X, [2.0]), -X[:, :, None])
    np.testing.assert_array_equal(density.slope_jacobians(X, [2.0]), -np.ones((2, 4, 1)))


def test_double_precision_is_not_left_switched_on() -> None:
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    density = jax_density(lambda x, theta: -((x - theta) ** 2).sum() / 2)
    tiny = 1 + 1e-12
    assert density.scores([[tiny]], [1.0])[0, 0] == 1.0 - tiny
    assert jax.config.jax_enable_x64 == before
    assert jax.numpy.ones(1).dtype == ("float64" if before else "float32")


def test_blocks_give_what_one_pass_gives(library: tuple[Maker, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    make, _ = library
    density = make(lambda x, theta: -theta[0] * (x * x).sum() / 2)
    X = np.random.default_rng(1).normal(size=(7, 2))
    whole = density.scores(X, [0.7])
    monkeypatch.setattr(_differentiation, "BLOCK", 3)
    np.testing.assert_allclose(density.scores(X, [0.7]), whole, rtol=1e-14)


def test_nothing_to_differentiate(library: tuple[Maker, Any]) -> None:
    make, _ = library
    density = make(lambda x, theta: -(x * x).sum() / 2)
    assert density.score_jacobians(np.ones((3, 2)), np.zeros(0)).shape == (3, 2, 0)
    assert density.scores(np.ones((0, 2)), np.zeros(1)).shape == (0, 2)
    np.testing.assert_array_equal(density.score_jacobians(np.ones((3, 2)), [5.0]), np.zeros((3, 2, 1)))
    frozen = np.ones((3, 2))
    frozen.flags.writeable = False
    np.testing.assert_array_equal(density.scores(frozen, [5.0]), -frozen)


def test_functions_and_arguments_that_do_not_fit(library: tuple[Maker, Any]) -> None:
    make, _ = library
    with pytest.raises(
        ValueError, match=r"returned an array of shape \(2,\) for one point.*returns one number"
    ):
        make(lambda x, theta: x - theta).scores(np.ones((3, 2)), [1.0])
    density = make(lambda x, theta: -(x * x).sum())
    with pytest.raises(ValueError, match="points have 1 dimensions; give one point in each row"):
        density.scores(np.ones(3), [1.0])
    with pytest.raises(ValueError, match="parameters have 0 dimensions; give one number for each"):
        density.scores(np.ones((3, 1)), 1.0)


@pytest.mark.parametrize(("name", "make"), [("jax", jax_density), ("torch", torch_density)])
def test_libraries_that_are_not_installed(name: str, make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install .*{name}"):
        make(lambda x, theta: 0.0)
