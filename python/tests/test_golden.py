"""Reference values of an independent implementation, through Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import KNOWN, assert_close, golden, quiet

import steinbound as sb

MEANS = [
    (name, field)
    for name in ("ball_l2_d2", "ball_l2_d5", "ball_l1_d3", "interval_d1")
    for field in golden(name)["mean_hat"]
]
FULL = ["ball_l2_d2", "ball_l2_d5"]


def domain_of(name: str, held: dict[str, Any]) -> sb.Domain:
    if "radius" not in held:
        return sb.Interval(-1, 1)
    return sb.Ball(radius=held["radius"], norm=1 if "l1" in name else 2)


def options(name: str, field: str) -> dict[str, Any]:
    """The arguments behind a field such as ``tksd_u`` or ``truncsm_nearest_point``."""
    held = golden(name)
    return {
        "X": np.array(held["data"]),
        "boundary": np.array(held["boundary"]),
        "domain": domain_of(name, held),
        "method": "mle" if field == "naive_mle" else field.split("_")[0],
        "ridge": held["ridge"],
        "statistic": "u" if field.endswith("_u") else "v",
        "distance": "nearest" if "nearest" in field else "exact",
    }


def moments(held: dict[str, Any]) -> list[float]:
    (first, off), (_, second) = held["covariance"]
    return [*held["mean"], first, off, second]


def test_all_reference_values_are_covered() -> None:
    assert len(MEANS) == 7 + 7 + 4 + 2


@pytest.mark.parametrize(("name", "field"), MEANS)
def test_means_of_every_method(name: str, field: str) -> None:
    with quiet():
        result = sb.fit(model=KNOWN, **options(name, field))
    assert_close(result.estimates, golden(name)["mean_hat"][field])
    if result.bandwidth is not None and not field.startswith("truncsm"):
        assert_close(result.bandwidth, golden(name)["sigma"], 1e-12)


@pytest.mark.parametrize("name", FULL)
def test_standard_errors(name: str) -> None:
    with quiet():
        result = sb.fit(model=KNOWN, **options(name, "tksd_v"))
    assert_close(result.std_errors, golden(name)["tksd_v_standard_error"])
    assert_close(list(dict(result.bse).values()), result.std_errors, 1e-15)


@pytest.mark.parametrize("name", FULL)
@pytest.mark.parametrize("field", ["tksd_squared_v", "tksd_squared_u", "ksd_squared_v", "bdksd_squared_v"])
def test_discrepancies(name: str, field: str) -> None:
    held = golden(name)["at_theta"]
    with quiet():
        found = sb.discrepancy(at=held["theta"], model=KNOWN, **options(name, field))
    assert_close(found.squared, held[field])
    assert_close(float(found), np.sqrt(held[field]))


@pytest.mark.parametrize("name", FULL)
def test_witness(name: str) -> None:
    held = golden(name)["witness"]
    with quiet():
        problem = sb.fit(model=KNOWN, **options(name, "tksd_v")).problem
    values = problem.core.witness(held["theta"], np.array(held["points"]))[0]
    assert_close(values.T, held["g"])


@pytest.mark.parametrize("name", FULL)
def test_witness_of_a_fit_is_that_at_its_estimates(name: str) -> None:
    places = np.array(golden(name)["witness"]["points"])
    with quiet():
        result = sb.fit(model=KNOWN, **options(name, "tksd_v"))
    expected = result.problem.core.witness(result.estimates.tolist(), places)[0]
    np.testing.assert_array_equal(result.witness(places), expected)


def test_full_gaussian() -> None:
    held = golden("gaussian_full_d2")
    with quiet():
        result = sb.fit(**options("gaussian_full_d2", "tksd_v"))
        other = sb.fit(**options("gaussian_full_d2", "truncsm_exact"))
    assert_close(result.estimates, moments(held["tksd_v"]))
    natural = result.to_dict()["natural"]
    assert_close([parameter["estimate"] for parameter in natural], held["tksd_v"]["natural"])
    errors = [parameter["std_error"] for parameter in natural]
    assert_close(errors, held["tksd_v"]["natural_standard_error"])
    assert_close(other.estimates, moments(held["truncsm_exact"]))


@pytest.mark.parametrize("field", ["tksd_v", "truncsm_exact"])
def test_mixture(field: str) -> None:
    held = golden("mixture_k2_box")
    model = sb.GaussianMixture(2, covariance=1.0)
    with quiet():
        result = sb.fit(
            held["data"],
            boundary=held["boundary"],
            domain=sb.Box([-3, -3], [3, 3]),
            model=model,
            method=field.split("_")[0],
            ridge=held["ridge"],
            start=held["init"],
        )
    assert_close(result.estimates, np.ravel(held[field]["means"]))
    if field == "truncsm_exact":
        assert_close(result.to_dict()["objective"], held[field]["objective"], 1e-9)
        return
    # The reference leaves out what no parameter changes: the discrepancy of a score that is zero.
    flat = sb.Score(lambda X, theta: 0 * X, start={"nothing": 0.0})
    with quiet():
        constant = sb.discrepancy(
            held["data"], [0.0], held["boundary"], model=flat, method="tksd", ridge=held["ridge"]
        ).squared
    assert result.discrepancy_squared is not None
    assert_close(result.discrepancy_squared - constant, held[field]["objective"])


def test_even_boundary_of_a_box() -> None:
    expected = np.array(golden("mixture_k2_box")["boundary"])
    found = sb.Box([-3, -3], [3, 3]).sample_boundary(len(expected), sampling="even")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_regression_with_the_kernel_on_the_response() -> None:
    held = golden("regression")
    with quiet():
        result = sb.regress(
            "y ~ x",
            {"y": held["y"], "x": held["x"]},
            lower=5,
            method="tksd",
            known_sigma=1.0,
            kernel_on="y",
            ridge=held["paper"]["ridge"],
            # Beside the response nothing counts, so that all boundary points would be the same.
            boundary_points=len(held["paper"]["boundary_y"]),
        )
    assert_close(result.bandwidth, held["sigma_y"], 1e-12)
    assert_close(result.estimates, held["paper"]["beta"])


def test_published_truncated_regression() -> None:
    scores = sb.datasets.load_student_scores()
    formula = "achiv ~ langscore + C(prog, base=general)"
    result = sb.regress(formula, scores, lower=40, method="truncated-mle")
    # The manual of Stata, truncreg, to the digits it prints.
    published = {
        "(Intercept)": (11.30152, 6.77273),
        "langscore": (0.7125775, 0.1144719),
        "prog[academic]": (4.065219, 2.054938),
        "prog[vocational]": (-1.135863, 2.669961),
        "sigma": (8.755315, 0.6668032),
    }
    assert result.names == list(published)
    assert_close(result.estimates, [value for value, _ in published.values()], 1e-6)
    assert_close(result.std_errors, [error for _, error in published.values()], 1e-6)
    assert result.log_likelihood == pytest.approx(-591.30981, abs=1e-5)
