"""Normals of boundary points: everything that takes points on a boundary takes them, and says what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import DISC, KNOWN, command, disc_sample, quiet, write_csv

import steinbound as sb

X = disc_sample(60)
EDGE = DISC.sample_boundary(32)


def test_every_function_with_a_boundary_takes_normals() -> None:
    given: dict[str, Any] = {"boundary": EDGE, "model": KNOWN}
    normals: dict[str, Any] = {"boundary_normals": EDGE.tolist()}
    with quiet():
        fitted = sb.fit(X, **given, **normals)
        assert fitted.params == sb.fit(X, **given).params
        assert fitted.test(bootstrap=20).statistic == sb.fit(X, **given).test(bootstrap=20).statistic
        assert len(fitted.sensitivity()) > 0
        at = [0.5, 0.5]
        assert sb.discrepancy(X, at, **given, **normals).value == sb.discrepancy(X, at, **given).value
        tested = [sb.gof_test(X, at=at, bootstrap=20, **given, **more) for more in (normals, {})]
        assert tested[0].p_value == tested[1].p_value
        found = sb.compare(X, EDGE, models=KNOWN, methods=["tksd", "mle"], **normals)
        assert [row.method for row in found.rows] == ["tksd", "mle"]


def test_estimators_take_normals() -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone

    from steinbound.sklearn import TruncatedGaussian, TruncatedGaussianMixture, discrepancy_score

    with quiet():
        for make in (TruncatedGaussian, TruncatedGaussianMixture):
            estimator = clone(make(boundary=EDGE, boundary_normals=EDGE, covariance=1.0)).fit(X)
            assert np.isfinite(discrepancy_score(estimator, X))
            assert estimator.result_.problem.boundary_normals is not None
            with pytest.raises(ValueError, match="there are 3 normals for 32 given boundary points"):
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
        ({"boundary": EDGE, "boundary_normals": ZERO}, "the normal of boundary point 5 has length zero"),
        ({"boundary": EDGE, "boundary_normals": GAP}, "boundary_normals: row 4, column 1 is NaN"),
        ({"boundary": EDGE, "boundary_normals": EDGE[:3]}, "there are 3 normals for 32 given boundary points"),
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
    assert [row["estimate"] for row in found["parameters"]] == list(result.params.values())
