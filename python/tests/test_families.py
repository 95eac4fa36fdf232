"""Models that have a name: every one of the engine's list is a class that every function takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import quiet

import steinbound as sb
from steinbound import _families
from steinbound._model import FAMILIES, class_name

#: An interval and parameters for each; a new model needs both here.
CASES: dict[str, tuple[sb.Domain, list[float], dict[str, float]]] = {
    "exponential": (sb.Interval(0, 2), [1.0], {}),
    "gamma": (sb.Interval(0, 3), [2.0, 1.0], {}),
    "weibull": (sb.Interval(0.2, 2), [1.5, 1.0], {}),
    "lognormal": (sb.Interval(0.2, 3), [0.0, 0.5], {}),
    "pareto": (sb.Interval(1, 6), [2.5], {}),
    "beta": (sb.Interval(0.1, 1), [2.0, 2.0], {}),
    "von-mises": (sb.Interval(-1, 2), [0.3, 1.5], {}),
    "student-t": (sb.Interval(-2, 3), [0.2, 1.0], {"degrees": 4.0}),
}


def test_every_model_is_a_class() -> None:
    names = {family["name"] for family in FAMILIES.values()} - {"gaussian", "gaussian-mixture"}
    assert {class_name(name) for name in names} == set(_families.__all__) <= set(sb.models.__all__)
    assert names == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_every_function_takes_it(name: str) -> None:
    region, at, known = CASES[name]
    model: Any = getattr(sb.models, class_name(name))(**known)
    X = sb.simulate(model, at, region, 200, random_state=1)
    assert X.shape == (200, 1)
    with quiet():
        result = sb.fit(X, domain=region, model=model, diagnostics=True)
        assert result.to_dict()["model"] == name and result.converged
        assert np.all(np.abs(result.estimates - at) < 5 * result.std_errors)
        assert np.all(np.isfinite(result.predict_density(X)))
        assert sb.gof_test(X, domain=region, model=model, at=at, bootstrap=20).p_value > 0.0
        assert sb.discrepancy(X, at, domain=region, model=model).squared >= 0.0
        assert len(sb.compare(X, domain=region, models=[model], methods=["tksd", "truncsm"]).rows) == 2
        if not known:
            by_name = sb.fit(X, domain=region, model=name)
            assert np.array_equal(by_name.estimates, sb.fit(X, domain=region, model=model).estimates)


def test_parameters_that_are_known_are_numbers() -> None:
    X = [[0.5], [1.0], [1.5], [0.2]]
    assert repr(sb.models.Gamma(shape=2.0)) == "Gamma(shape=2.0)"
    assert sb.fit(X, domain=sb.Interval(0, 2), model=sb.models.Gamma(shape=2.0)).names == ["rate[x1]"]
    wrong: Any = "two"
    with pytest.raises(TypeError, match="shape is 'two'; give a number"):
        sb.fit(X, domain=sb.Interval(0, 2), model=sb.models.Gamma(shape=wrong))
    with pytest.raises(ValueError, match="positive number"):
        sb.fit(X, domain=sb.Interval(0, 2), model=sb.models.Gamma(shape=-1.0))
    with pytest.raises(ValueError, match="not in the support of the gamma model"):
        sb.fit([[0.5], [-1.0], [2.0]], model=sb.models.Gamma())
    with pytest.raises(ValueError, match="number of components"):
        sb.fit(X, domain=sb.Interval(0, 2), model="gaussian-mixture")


def test_draws_of_densities_by_name() -> None:
    expected = sb.simulate(sb.models.Gamma(), [2, 1], sb.Interval(1, 4), 50, random_state=3)
    np.testing.assert_array_equal(sb.simulate("gamma", [2, 1], sb.Interval(1, 4), 50, random_state=3), expected)
    by_name = {"shape[x1]": 2, "rate[x1]": 1}
    np.testing.assert_array_equal(sb.simulate("gamma", by_name, sb.Interval(1, 4), 50, random_state=3), expected)
    formula = sb.simulate("-(x1 - mu)^2 / 2", {"mu": 1.0}, sb.Interval(0, 2), 400, random_state=3)
    assert formula.shape == (400, 1) and abs(formula.mean() - 1) < 0.15
    with pytest.raises(ValueError, match="at names the parameters of the formula"):
        sb.simulate("-(x1 - mu)^2 / 2", [1.0], sb.Interval(0, 2), 5)
