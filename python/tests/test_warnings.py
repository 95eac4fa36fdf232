"""Warnings: a class for each kind, issued once, at the user's line; summaries show them."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, disc_sample, quiet

import steinbound as sb


def caught(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return found


def sparse(**more: Any) -> sb.FitResult:
    """Too few boundary points for TKSD."""
    return sb.fit(disc_sample(), DISC.sample_boundary(5), model=KNOWN, method="tksd", **more)


def pressed() -> np.ndarray[Any, Any]:
    """Data that grow towards the border, which no Gaussian with a positive covariance does."""
    angles = np.linspace(0, 2 * np.pi, 200)
    return np.column_stack([np.cos(angles), np.sin(angles)]) * np.linspace(1.2, 1.43, 200)[:, None]


def test_every_kind_of_the_engine_has_a_class() -> None:
    from steinbound._warnings import KINDS

    named = {"boundary", "convergence", "data", "model", "accuracy", "uncertainty", "coordinates", "censoring", "other"}
    assert set(KINDS) == named and len(set(KINDS.values())) == len(named)
    assert all(issubclass(kind, sb.FitWarning) for kind in KINDS.values())
    assert issubclass(sb.FitWarning, sb.SteinboundWarning) and issubclass(sb.SteinboundWarning, UserWarning)


def test_the_engine_says_of_which_kind_a_warning_is() -> None:
    # Each is provoked by data that have the fault.
    outlier = np.append(np.random.default_rng(0).normal(size=60), 500.0)
    spread = disc_sample(100) * [1.0, 8.0]
    border = DISC.sample_boundary(200) * [1.0, 8.0]
    cases: list[tuple[Callable[[], Any], type[Warning], str]] = [
        (lambda: sparse(diagnostics=False), sb.BoundaryWarning, "boundary"),
        (lambda: sb.fit(outlier, method="mle", model=sb.Gaussian()), sb.DataWarning, "data"),
        (lambda: sb.fit(spread, border, model=KNOWN, method="tksd"), sb.DataWarning, "data"),
        (lambda: sb.fit(pressed(), domain=DISC), sb.ModelWarning, "model"),
        (
            lambda: sb.fit(disc_sample(60), method="mle", model=KNOWN, clusters=[i % 5 for i in range(60)]),
            sb.UncertaintyWarning,
            "uncertainty",
        ),
        (
            lambda: sb.fit(disc_sample(2000), domain=DISC, model=KNOWN, compute="low-rank", bandwidth=0.02, method="tksd", diagnostics=False),
            sb.AccuracyWarning,
            "accuracy",
        ),
    ]
    for call, category, kind in cases:
        results: list[sb.FitResult] = []
        found = caught(lambda call=call, results=results: results.append(call()))  # type: ignore[misc]
        assert any(issubclass(warning.category, category) for warning in found), kind
        assert kind in results[0].warning_kinds
        assert len(results[0].warning_kinds) == len(results[0].warnings) == len(found)
        assert results[0].to_dict()["warning_kinds"] == results[0].warning_kinds


def test_rows_in_warnings_count_from_zero() -> None:
    values = np.append(np.random.default_rng(0).normal(size=60), 500.0)
    with pytest.warns(sb.DataWarning, match=r"^row 60 alone makes up"):
        sb.fit(values, method="mle", model=sb.Gaussian())


def test_results_that_should_not_be_trusted_can_be_stopped() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", sb.NotTrustworthyWarning)
        assert sb.fit(disc_sample(), domain=DISC, model=KNOWN).trustworthy
        with pytest.raises(sb.NotTrustworthyWarning):
            sb.fit(pressed(), domain=DISC)
    for warning in caught(lambda: sb.fit(pressed(), domain=DISC)):
        assert issubclass(warning.category, sb.NotTrustworthyWarning)
        assert warning.category.__name__.startswith("NotTrustworthy")
        again = pickle.loads(pickle.dumps(warning.message))
        assert type(again) is warning.category and str(again) == str(warning.message)


def test_each_is_issued_once() -> None:
    def twice() -> None:
        result = sparse(diagnostics=False)
        result.test(bootstrap=20)

    texts = [str(warning.message) for warning in caught(twice)]
    assert texts and len(texts) == len(set(texts))


def test_warnings_of_estimators_point_at_the_user() -> None:
    pytest.importorskip("sklearn")
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from steinbound.sklearn import TruncatedGaussian, discrepancy_score

    estimator = TruncatedGaussian(DISC.sample_boundary(5), method="tksd", covariance=1.0)
    calls: list[Callable[[], Any]] = [
        lambda: estimator.fit(disc_sample()),
        lambda: make_pipeline(FunctionTransformer(), estimator).fit(disc_sample()),
        lambda: cross_val_score(estimator, disc_sample(), scoring=discrepancy_score, cv=2),
    ]
    for call in calls:
        found = [one for one in caught(call) if issubclass(one.category, sb.SteinboundWarning)]
        assert found
        for warning in found:
            assert warning.filename == __file__ and warning.lineno == call.__code__.co_firstlineno


def test_code_beside_the_package_is_the_user_s() -> None:
    # A folder whose name begins as that of the package.
    path = f"{sb.__path__[0]}_study/main.py"
    program = compile("result = fit()", path, "exec")
    (found, *_) = caught(lambda: exec(program, {"fit": sparse}))
    assert found.filename == __file__
    program = compile("result = sb.fit(X, edge, model=model, method='tksd')", path, "exec")
    given = {"sb": sb, "X": disc_sample(), "edge": DISC.sample_boundary(5), "model": KNOWN}
    (found, *_) = caught(lambda: exec(program, given))
    assert found.filename == path and found.lineno == 1


def test_summaries_show_them() -> None:
    with quiet():
        result = sparse()
        test = sb.gof_test(disc_sample(), DISC.sample_boundary(5), model=KNOWN, method="tksd", bootstrap=20)
        apart = sb.discrepancy(disc_sample(), [0, 0], DISC.sample_boundary(5), model=KNOWN)
        compared = sb.compare(disc_sample(), DISC.sample_boundary(5), models=KNOWN, methods=["tksd"])
    for found in (result, test, apart, compared):
        assert found.warnings and len(found.warnings) == len(found.warning_kinds)
        summary = found.summary()
        start = found.warnings[0].split(":")[0][:40]
        for text in (summary.as_text(), summary.as_html(), summary.as_latex(), summary.as_markdown()):
            assert start in text and "warning" in text
        assert summary._repr_html_() == found._repr_html_() == summary.as_html()
        assert summary._repr_markdown_() == summary.as_markdown()
        for copied in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
            assert copied.summary().as_text() == summary.as_text()


def test_words_that_are_none() -> None:
    scores = sb.datasets.load_student_scores()
    with pytest.raises(TypeError, match=r"no argument 'uper' of regress; did you mean 'upper'\? Those there are: formula,"):
        sb.regress("achiv ~ langscore", scores, uper=40)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"no argument 'lower' of fit; .*Those there are: X, boundary, domain,|those there are: X") as raised:
        sb.fit(disc_sample(), lower=40)  # type: ignore[call-arg]
    assert "known_sigma" not in str(raised.value) and "boundary_points" in str(raised.value)
    with pytest.raises(TypeError, match="of gof_test; did you mean 'bootstrap'"):
        sb.gof_test(disc_sample(), boostrap=40)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="of compare; did you mean 'methods'"):
        sb.compare(disc_sample(), method=["tksd"])  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="of discrepancy; did you mean 'kernel'"):
        sb.discrepancy(disc_sample(), [0, 0], kernels="imq")  # type: ignore[call-arg]


def test_rbf_is_the_gaussian_kernel() -> None:
    found = sb.fit(disc_sample(), domain=DISC, model=KNOWN, kernel="rbf")
    assert found.to_dict()["kernel"]["name"] == "gaussian"
    assert found.estimates.tolist() == sb.fit(disc_sample(), domain=DISC, model=KNOWN).estimates.tolist()


def test_results_come_back_from_workers() -> None:
    joblib = pytest.importorskip("joblib")
    with quiet():
        expected = sb.fit(disc_sample(100), domain=DISC, model=KNOWN)
        found = joblib.Parallel(n_jobs=2)(
            joblib.delayed(sb.fit)(disc_sample(100), domain=DISC, model=KNOWN, threads=1) for _ in range(2)
        )
    for result in found:
        assert result.estimates.tolist() == expected.estimates.tolist()
        np.testing.assert_array_equal(result.witness([[0.1, 0.2]]), expected.witness([[0.1, 0.2]]))
