"""Normals of boundary points: everything that takes points on a boundary takes them, and says what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, command, disc_sample, quiet, write_csv

import steinbound as sb

X = disc_sample(60)
EDGE = DISC.sample_boundary(100)


def test_every_function_with_a_boundary_takes_normals() -> None:
    given: dict[str, Any] = {"boundary": EDGE, "model": KNOWN}
    normals: dict[str, Any] = {"boundary_normals": EDGE.tolist()}
    at = [0.5, 0.5]
    for method in ("efficient", "tksd"):
        given["method"] = method
        with quiet():
            fitted, plain = sb.fit(X, **given, **normals), sb.fit(X, **given)
            tests = [result.test(bootstrap=20).statistic for result in (fitted, plain)]
            apart = [sb.discrepancy(X, at, **given, **more).value for more in (normals, {})]
            tested = [sb.gof_test(X, at=at, bootstrap=20, **given, **more).statistic for more in (normals, {})]
            assert len(fitted.sensitivity()) > 0
        # One uses them, the other does without.
        for with_normals, without in [(fitted.estimates.tolist(), plain.estimates.tolist()), tests, apart, tested]:
            assert (with_normals == without) == (method == "tksd")
    with quiet():
        found = sb.compare(X, EDGE, models=KNOWN, methods=["tksd", "mle"], **normals)
        assert [row.method for row in found.rows] == ["tksd", "mle"]


def test_fits_say_where_normals_come_from() -> None:
    even = DISC.sample_boundary(64, sampling="even")
    with quiet():
        given = sb.fit(X, boundary=even, boundary_normals=even, model=KNOWN, bandwidth=1.0)
        found = sb.fit(X, boundary=even, model=KNOWN, bandwidth=1.0)
        region = sb.fit(X, domain=DISC, model=KNOWN, bandwidth=1.0)
    used = [result.boundary_used for result in (given, found, region)]
    assert [one and one["normals"] for one in used] == ["given", "neighbours", "region"]
    assert all(one is not None and one["without_normal"] == one["halvings"] == 0 for one in used)
    assert used[2] is not None and used[2]["spacing"] is not None and used[2]["finer"] is not None
    assert used[0] is not None and used[0]["spacing"] is None and used[0]["finer"] is None
    # The same boundary, however it is known.
    for other in (found, region):
        assert np.all(np.abs(other.estimates - given.estimates) < 0.1 * given.std_errors)
    assert sb.fit(X, method="mle", model=KNOWN).boundary_used is None


def test_estimators_take_normals() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone

    from steinbound.sklearn import TruncatedGaussian, TruncatedGaussianMixture, discrepancy_score

    with quiet():
        for make in (TruncatedGaussian, TruncatedGaussianMixture):
            estimator = clone(make(boundary=EDGE, boundary_normals=EDGE, covariance=1.0)).fit(X)
            assert np.isfinite(discrepancy_score(estimator, X))
            assert estimator.result_.problem.boundary_normals is not None
            with pytest.raises(ValueError, match="there are 3 normals for 100 given boundary points"):
                clone(estimator).set_params(boundary_normals=EDGE[:3]).fit(X)


def test_normals_are_matched_to_the_columns_of_the_data() -> None:
    pandas = pytest.importorskip("pandas")
    data = pandas.DataFrame(X, columns=["x", "y"])
    turned = pandas.DataFrame(EDGE[:, ::-1] * [1.0, 2.0], columns=["y", "x"])
    with quiet():
        result = sb.fit(data, boundary=EDGE, boundary_normals=turned, model=KNOWN)
    np.testing.assert_array_equal(result.problem.boundary_normals, EDGE * [2.0, 1.0])
    edge = pandas.DataFrame(EDGE, columns=["x", "y"])
    with pytest.raises(ValueError, match=r"boundary_normals has the rows of the boundary in another order; .*loc\[boundary"):
        sb.fit(data, boundary=edge, boundary_normals=edge.iloc[::-1], model=KNOWN)


ZERO = EDGE.copy()
ZERO[4] = 0.0
GAP = EDGE.copy()
GAP[3, 0] = np.nan


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"boundary": EDGE, "boundary_normals": ZERO}, "the normal of boundary point 4 has length zero"),
        ({"boundary": EDGE, "boundary_normals": GAP}, "boundary_normals: row 3, column 0 is NaN"),
        ({"boundary": EDGE, "boundary_normals": EDGE[:3]}, "there are 3 normals for 100 given boundary points"),
        ({"boundary": EDGE, "boundary_normals": EDGE[:, :1]}, "boundary_normals: there are 1 columns and the data have 2"),
        ({"domain": DISC, "boundary_normals": EDGE}, "boundary_normals: the boundary is given as a region, which has its own"),
        ({"boundary": DISC, "boundary_normals": EDGE}, "boundary_normals: the boundary is given as a region, which has its own"),
        ({"boundary_normals": EDGE}, "boundary_normals: there are no boundary points that normals could belong to"),
        ({"boundary": EDGE, "boundary_normals": EDGE, "project": True}, "boundary_normals: directions in degrees"),
    ],
)
def test_normals_that_do_not_fit_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sb.fit(X, model=KNOWN, **more)


def test_the_command_line_finds_the_same(tmp_path: Path) -> None:
    write_csv(tmp_path / "data.csv", X)
    write_csv(tmp_path / "edge.csv", np.hstack([EDGE, EDGE]))
    given = ["--boundary", "edge.csv", "--boundary-normals", "3,4"]
    found = command(tmp_path, "fit", "data.csv", "--known-covariance", 1, *given)
    with quiet():
        result = sb.fit(X, boundary=EDGE, boundary_normals=EDGE, model=KNOWN)
    assert [row["estimate"] for row in found["parameters"]] == result.estimates.tolist()
