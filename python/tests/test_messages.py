"""Messages speak of arrays and arguments, not of files and flags, and count from 0."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, disc_sample, quiet

import steinbound as sb

SCORES = sb.datasets.load_student_scores()


def regress(changed: dict[str, Any] | None = None, formula: str = "achiv ~ langscore", **more: Any) -> Any:
    return sb.regress(formula, {**SCORES, **(changed or {})}, **{"lower": 40, **more})


def fit(**more: Any) -> Any:
    return sb.fit(disc_sample(60), **{"domain": DISC, **more})


def with_gap(values: Any, place: int, gap: Any) -> Any:
    changed = list(values)
    changed[place] = gap
    return changed


#: What is wrong, and words of the message.
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: regress({"langscore": with_gap(SCORES["langscore"], 4, float("nan"))}), 'row 4, column 1 ("langscore")'),
    (lambda: regress({"prog": with_gap(SCORES["prog"], 3, None)}, "achiv ~ prog"), 'row 3, column 2 ("prog")'),
    (lambda: regress({"langscore": with_gap(SCORES["langscore"], 4, float("inf"))}), "row 4"),
    (lambda: regress(formula="achiv ~ lanscore"), 'did you mean "langscore"'),
    (lambda: regress(formula="prog ~ langscore"), "the response prog is text"),
    (lambda: regress(lower="limt"), 'no column "limt"'),
    (lambda: regress(lower="achiv"), "lower is the response itself"),
    (lambda: regress(lower=50), "data, row 2: the response achiv is 44, outside its limits"),
    (lambda: regress(weights="w"), 'no column "w"'),
    (lambda: regress(clusters="w"), 'no column "w"'),
    (lambda: regress(method="tkds"), 'did you mean "tksd"'),
    (lambda: regress(kernel_on="x"), "one of product, y"),
    (lambda: fit(weights=[1.0, -1.0] + [1.0] * 58), "the weight of row 1 is -1"),
    (lambda: fit(domain=sb.Ball(0.5)), "outside the l2 ball of radius 0.5: row 0"),
    (lambda: sb.fit(np.vstack([disc_sample(60), [[np.nan, 0]]]), domain=DISC), "row 60, column 0 is NaN"),
    (lambda: sb.fit(disc_sample(60)), "efficient needs to know the boundary"),
    (lambda: sb.fit(disc_sample(3), domain=DISC), "only 3 rows"),
    (lambda: fit(kernel="gausian"), 'did you mean "gaussian"'),
    (lambda: fit(bandwidth=0), "the bandwidth is 0"),
    (lambda: fit(bootstrap=3), "bootstrap: 3 bootstrap draws are too few"),
    (lambda: fit(distance="axes", method="bdksd"), "one weight for all coordinates"),
    (lambda: fit(project=True), "project works with maps"),
    (lambda: fit(model=sb.GaussianMixture(0)), "components is 0"),
    (lambda: fit(model=sb.GaussianMixture(2), start=[1, 2]), "start has 2 values"),
    (lambda: fit(model=sb.Gaussian([1.0, 2.0, 3.0])), "a list of 3 variances and the data have 2 columns"),
    (lambda: fit(clusters=["a"] * 60), "one cluster"),
    (lambda: fit(threads=0), "threads is 0"),
    (lambda: fit(method="mle", model=KNOWN).sensitivity(), "mle has no kernel"),
    (lambda: sb.gof_test(disc_sample(60), domain=DISC, level=2), "the level of the test is 2"),
    (lambda: sb.discrepancy(disc_sample(60), [0.0], domain=DISC), "1 parameter values"),
    (lambda: fit(model=KNOWN).witness([[0.0, 0.0], [np.inf, 0.0]]), "points: row 1, column 0 is inf"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_messages_speak_of_arrays(number: int) -> None:
    call, words = WRONG[number]
    with quiet(), pytest.raises((ValueError, TypeError)) as raised:
        call()
    message = str(raised.value)
    assert words in message
    assert not re.search(r"--[a-z]|\bfiles?\b|\bline \d", message), message


def test_names_that_are_nearly_right() -> None:
    X = abs(disc_sample(60))
    named = [
        lambda: sb.fit(X, model="weibul"),
        lambda: sb.simulate("weibul", [1, 2], None, 5),
        lambda: sb.discrepancy(X, [1, 2], model="Weibul"),
    ]
    for call in named:
        with pytest.raises(ValueError, match=r"there is no model '[Ww]eibul'; did you mean 'weibull'\? Those there are: gaussian"):
            call()
    for formula in ("-gamma*x1", "-a*x1^2"):
        with pytest.raises(ValueError, match="name the parameters of the formula"):
            sb.fit(X, model=formula)
    suggested = {"tol": "search_tolerance", "seed": "random_state", "max_iter": "max_iterations", "sample_weight": "weights"}
    for name, own in suggested.items():
        with pytest.raises(TypeError, match=f"there is no argument '{name}' of fit; did you mean '{own}'"):
            fit(**{name: 1})


def test_tables_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    with quiet():
        result = fit(model=KNOWN, method="tksd")
        compared = sb.compare(disc_sample(60), domain=DISC, models=KNOWN, methods="tksd")
    monkeypatch.setitem(sys.modules, "pandas", None)
    for call in (result.to_frame, compared.to_frame):
        with pytest.raises(ImportError, match="to_frame makes a DataFrame of pandas, which is not installed; install it with"):
            call()
    with pytest.raises(ImportError, match="as_frame=True makes a DataFrame of pandas"):
        sb.datasets.load_student_scores(as_frame=True)


def test_covariances_that_mixtures_do_not_have() -> None:
    pytest.importorskip("sklearn")
    from steinbound.sklearn import TruncatedGaussianMixture

    message = "covariance_type is 'diag'; behind a truncation it is one of full, tied, spherical"
    with pytest.raises(ValueError, match=message):
        TruncatedGaussianMixture(2, domain=DISC, covariance_type="diag").fit(disc_sample(60))
