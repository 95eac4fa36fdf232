"""Fitted densities and draws of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from helpers import DISC, KNOWN, LINE, Floats, disc_sample, integral, line_sample, quiet

import steinbound as sb


@cache
def fitted() -> sb.FitResult:
    with quiet():
        return sb.fit(disc_sample(), domain=DISC, random_state=2)


def one_dimensional() -> dict[str, sb.Model]:
    return {
        "known": KNOWN,
        "full": sb.Gaussian(),
        "mixture": sb.GaussianMixture(2, covariance=0.2),
        "formula": sb.Formula("-(x1-mu)^2/2", {"mu": 0.0}),
        "score": sb.Score(
            lambda X, theta: theta - X,
            {"mu": 0.0},
            log_density=lambda X, theta: -((X[:, 0] - theta[0]) ** 2) / 2,
        ),
    }


@pytest.mark.parametrize("name", one_dimensional())
def test_densities_on_the_line_integrate_to_one(name: str) -> None:
    with quiet():
        result = sb.fit(line_sample(), domain=LINE, model=one_dimensional()[name])
    assert integral(result, -1, 1.5, True) == pytest.approx(1, abs=1e-4)
    np.testing.assert_array_equal(result.predict_density([[-1.2], [1.6]], True), [0.0, 0.0])
    if name in ("formula", "score"):
        assert integral(result, -1, 1.5) == pytest.approx(1, abs=1e-4)
        with pytest.raises(ValueError, match="truncated=True"):
            result.predict_density([[0.0]], False)
    else:
        assert integral(result, -12, 12) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("shape", ["known", "full", "diagonal"])
def test_densities_in_the_plane_integrate_to_one(shape: str) -> None:
    model = KNOWN if shape == "known" else sb.Gaussian(shape=shape)
    with quiet():
        result = sb.fit(disc_sample(), domain=DISC, model=model)
    assert integral(result, -14, 14) == pytest.approx(1, abs=1e-6)
    # The edge runs through cells, and the normaliser is found by quadrature or draws.
    assert integral(result, -1.44, 1.44, True) == pytest.approx(1, abs=5e-3)


def test_density_on_a_map_with_much_detail() -> None:
    border, model = sb.datasets.load_us_border(), sb.Gaussian(covariance=10.0)
    X = sb.simulate(model, [-115, 35], border, 400, random_state=0)
    result = sb.fit(X, domain=border, model=model, boundary_points=200)
    inside, whole = (result.predict_density(X[:1], truncated=cut)[0] for cut in (True, False))
    draws = np.random.default_rng(1).normal(result.estimates, 10**0.5, (100_000, 2))
    mass = border.contains(draws).mean()
    error = ((1 - mass) / mass / len(draws)) ** 0.5
    assert abs(inside * mass / whole - 1) < 3e-3 + 3 * error


def test_density_of_jax() -> None:
    pytest.importorskip("jax")
    with quiet():
        model = sb.LogDensity(lambda x, theta: -((x - theta) ** 2).sum() / 2, {"mu": 0.0})
        result = sb.fit(line_sample(60), domain=LINE, model=model)
    assert integral(result, -1, 1.5) == pytest.approx(1, abs=1e-4)


def test_densities_are_those_of_the_parameters() -> None:
    result = fitted()
    mean, (xx, xy, yy) = result.estimates[:2], result.estimates[2:]
    covariance = np.array([[xx, xy], [xy, yy]])
    places = disc_sample(20)
    offset = places - mean
    power = -0.5 * np.einsum("ij,jk,ik->i", offset, np.linalg.inv(covariance), offset)
    expected = np.exp(power) / (2 * np.pi * np.sqrt(np.linalg.det(covariance)))
    np.testing.assert_allclose(result.predict_density(places), expected, rtol=1e-10)
    inside = result.predict_density(places, True) / expected
    np.testing.assert_allclose(inside, inside[0], rtol=1e-10)
    # All of it inside the disc is one over the share that is seen, which draws tell too.
    seen = DISC.contains(result.sample(20000, random_state=1)).mean()
    assert inside[0] * seen == pytest.approx(1, abs=0.03)


def moments_agree(draws: Floats, mean: Floats, covariance: Floats) -> None:
    error = np.sqrt(np.diag(covariance) / len(draws))
    assert np.all(np.abs(draws.mean(axis=0) - mean) < 5 * error)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.06 * np.diag(covariance).max())


def test_draws_have_the_moments_of_the_fit() -> None:
    result = fitted()
    mean, (xx, xy, yy) = result.estimates[:2], result.estimates[2:]
    moments_agree(result.sample(20000, random_state=5), mean, np.array([[xx, xy], [xy, yy]]))
    inside = result.sample(5000, truncated=True, random_state=5)
    assert DISC.contains(inside).all()
    edges = np.linspace(-1.44, 1.44, 301)
    places = np.stack(np.meshgrid(edges, edges), axis=-1).reshape(-1, 2)
    weights = result.predict_density(places, True)
    expected = (places * weights[:, None]).sum(axis=0) / weights.sum()
    assert np.all(np.abs(inside.mean(axis=0) - expected) < 5 * inside.std(axis=0) / np.sqrt(5000))


def test_draws_depend_on_the_random_state_alone() -> None:
    result = fitted()
    np.testing.assert_array_equal(result.sample(10, random_state=1), result.sample(10, random_state=1))
    assert not np.array_equal(result.sample(10, random_state=1), result.sample(10, random_state=2))
    generator = np.random.default_rng(0)
    assert not np.array_equal(
        result.sample(5, random_state=generator), result.sample(5, random_state=generator)
    )
    with pytest.raises(ValueError, match="at least one"):
        result.sample(0)


def test_draws_inside_need_a_domain() -> None:
    with quiet():
        result = sb.fit(disc_sample(60), boundary=DISC.sample_boundary(16), model=KNOWN)
    for ask in (lambda: result.sample(5, truncated=True), lambda: result.predict_density([[0, 0]], True)):
        with pytest.raises(ValueError, match="domain"):
            ask()
