"""Regions: their shapes, their combinations, those that a function decides, and formulas in columns of the data."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest

import steinbound as sb

from helpers import KNOWN, Floats

PLANE = [[0.0, 0.0], [0.9, 0.0], [0.0, 0.9], [1.5, 0.0], [0.0, 1.9], [3.0, 0.0]]


@pytest.mark.parametrize(
    ("region", "spec"),
    [
        (sb.Ellipse([2, 1]), "ellipse(radii=2:1)"),
        (sb.Ellipse([2, 1], center=[0.5, 0], angle=30), "ellipse(radii=2:1, center=0.5:0, angle=30)"),
        (sb.Annulus(0.5, 2), "annulus(inner=0.5, outer=2)"),
        (sb.Annulus(0.5, 2, center=[1, 0]), "annulus(inner=0.5, outer=2, center=1:0)"),
        (sb.Cylinder(1, -2, 2), "cylinder(radius=1, low=-2, high=2)"),
        (sb.Cylinder(1, 0, float("inf"), center=[0.5]), "cylinder(radius=1, low=0, high=inf, center=0.5)"),
        (sb.Ball(1) | sb.Box(1, 2), "union(ball(radius=1), box(low=1, high=2))"),
        (sb.Ball(2) - sb.Ball(1), "intersection(ball(radius=2), outside(ball(radius=1)))"),
        (sb.Ball(2) & sb.Box(0, 3), "intersection(ball(radius=2), box(low=0, high=3))"),
        (~sb.Ball(2), "outside(ball(radius=2))"),
    ],
)
def test_regions_are_those_of_the_command_line(region: sb.Domain, spec: str) -> None:
    written = sb.Domain(spec)
    assert region.describe() == written.describe()
    assert region.contains(PLANE).tolist() == written.contains(PLANE).tolist()
    near = np.array(PLANE)
    assert np.array_equal(region.sample_boundary(20, near=near), written.sample_boundary(20, near=near))


def test_operators_are_those_of_sets() -> None:
    a, b = sb.Ball(1, center=[0, 0]), sb.Ball(1, center=[1, 0])
    at = np.random.default_rng(1).uniform(-2.5, 2.5, (500, 2))
    ina, inb = a.contains(at), b.contains(at)
    for region, expected in [(a | b, ina | inb), (a & b, ina & inb), (a - b, ina & ~inb), (~a, ~ina)]:
        assert np.array_equal(region.contains(at), expected), region
    assert (a | b) == (a | b) and hash(a | b) == hash(a | b) and (a | b) != (b | a)
    assert copy.copy(a | b) == (a | b)
    assert (a | "ball(radius=3)").contains([[2.5, 0]]).tolist() == [True]
    with pytest.raises(ValueError, match="two regions or more"):
        sb.Union(a)
    with pytest.raises(ValueError, match="coordinates"):
        sb.Union(a, sb.Interval(0, 1))


def test_boundaries_of_unions_leave_out_what_is_inside() -> None:
    both = sb.Ball(1) | sb.Ball(1, center=[1, 0])
    edge = both.sample_boundary(200)
    depth = np.minimum(np.hypot(*edge.T), np.hypot(edge[:, 0] - 1, edge[:, 1]))
    assert np.allclose(depth, 1)


class Counted:
    """The disc of radius 1.44, with the numbers of points of each call."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.calls: list[int] = []

    def __call__(self, x: Floats) -> Any:
        self.calls.append(len(x))
        level = (x**2).sum(axis=1) - 1.44**2
        return {"bool": level <= 0, "level": level, "list": (level <= 0).tolist()}[self.kind]


@pytest.mark.parametrize("kind", ["bool", "level", "list"])
def test_functions_decide_on_many_points_at_once(kind: str) -> None:
    inside = Counted(kind)
    region = sb.Where(inside, bounds=[(-2, 2), (-2, 2)])
    assert region.dimension == 2 and region.bounds().tolist() == [[-2, 2], [-2, 2]]
    assert "Counted" in region.describe()
    assert region.contains([[1.4, 0.0], [1.5, 0.0], [9.0, 9.0]]).tolist() == [True, False, False]
    # Nothing is asked outside of the box.
    assert inside.calls[-1] == 2
    inside.calls.clear()
    edge = region.sample_boundary(300, random_state=3)
    assert np.allclose(np.hypot(*edge.T), 1.44) and len(inside.calls) < 1000
    angles = np.sort(np.arctan2(edge[:, 1], edge[:, 0]))
    assert np.diff(angles).max() < 4 * 2 * np.pi / 300
    assert region.coverage(50).notes[0].startswith("the boundary of the")


def test_a_function_is_as_good_as_a_formula() -> None:
    disc, region = sb.Ball(1.44), sb.Where(lambda x: np.hypot(x[:, 0], x[:, 1]) < 1.44, bounds=[(-2, 2), (-2, 2)])
    X = sb.simulate(KNOWN, [0.5, 0.5], region, 300, random_state=1)
    assert np.array_equal(X, sb.simulate(KNOWN, [0.5, 0.5], disc, 300, random_state=1))
    for method in ["efficient", "tksd", "truncated-mle", "truncsm"]:
        found, known = (sb.fit(X, domain=d, model=KNOWN, method=method) for d in (region, disc))
        apart = np.abs(found.estimates - known.estimates) / known.std_errors
        # truncsm measures along the axes, which is another weight.
        assert apart.max() < (1.0 if method == "truncsm" else 0.3), method
        assert found.trustworthy
    without = (region - sb.Ball(0.3)).contains([[0.0, 0.0], [1.0, 0.0]])
    assert without.tolist() == [False, True]
    with pytest.raises(ValueError, match="lie outside the region"):
        sb.fit(X + 1, domain=region, model=KNOWN)


class OwnError(Exception):
    pass


@pytest.mark.parametrize(("kind", "after"), [(OwnError, 0), (OwnError, 3), (KeyboardInterrupt, 40)])
def test_exceptions_in_a_region_reach_the_user(kind: type[BaseException], after: int) -> None:
    calls = 0

    def fails(x: Floats) -> Floats:
        nonlocal calls
        calls += 1
        if calls > after:
            raise kind("no")
        return np.hypot(x[:, 0], x[:, 1]) - 1.44

    region = sb.Where(fails, bounds=[(-2, 2), (-2, 2)])
    X = sb.simulate(KNOWN, [0.5, 0.5], sb.Ball(1.44), 200, random_state=1)
    with pytest.raises(kind):
        sb.fit(X, domain=region, model=KNOWN)
    calls = 0
    if after == 0:
        for ask in (lambda: region.contains(X), lambda: region.sample_boundary(9), lambda: region.outline()):
            with pytest.raises(OwnError):
                ask()


@pytest.mark.parametrize(
    ("function", "bounds", "kind", "message"),
    [
        ("x", [(0, 1)], TypeError, "function of points, not by a str"),
        (lambda x: x, [0, 1], ValueError, "smallest and largest"),
        (lambda x: x, [(1, 0)], ValueError, "upper larger than the lower"),
        (lambda x: x, [(0, np.inf)], ValueError, "finite"),
        (lambda x: x, [(0, 1)], ValueError, r"shape \(2, 1\) for 2 points"),
        (lambda x: x[:1, 0], [(0, 1)], ValueError, r"shape \(1,\) for 2 points"),
        (lambda x: x[:, 0] * 1j, [(0, 1)], TypeError, "complex"),
        (lambda x: x.__setitem__(0, 1), [(0, 1)], ValueError, "read-only"),
    ],
)
def test_what_is_no_region_is_refused(function: Any, bounds: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        sb.Where(function, bounds).contains([[0.5], [0.6]])


def test_formulas_name_columns() -> None:
    X = sb.simulate(KNOWN, [0.5, 0.5], sb.Ball(1.44), 300, random_state=1)
    frame = pd.DataFrame(X, columns=["lat", "lon"])
    named, numbered = sb.LevelSet("lon^2 + 2*lat^2 - 4.2"), sb.LevelSet("x2^2 + 2*x1^2 - 4.2")
    results = [sb.fit(frame, domain=d, model=KNOWN, method="tksd") for d in (named, numbered)]
    assert np.array_equal(results[0].estimates, results[1].estimates)
    assert np.array_equal(named.contains(frame), numbered.contains(X))
    assert np.array_equal(named.sample_boundary(20, near=frame), numbered.sample_boundary(20, near=X))
    both = (named & sb.Ball(3)) | ~sb.LevelSet("lat - 9")
    assert np.array_equal(both.contains(frame), named.contains(frame) | (X[:, 0] > 9))
    with pytest.raises(ValueError, match="lng is not a column of the data; their columns are lat, lon"):
        sb.fit(frame, domain=sb.LevelSet("lng^2 + lat^2 - 1"), model=KNOWN)
    with pytest.raises(ValueError, match="names lng, and there are no data"):
        sb.LevelSet("lng^2 + x1^2 - 1").describe()


def test_the_line_has_all_its_regions() -> None:
    gaps = sb.Interval(-1, -0.2) | sb.Interval(0.5, float("inf"))
    X = sb.simulate(KNOWN, [0.4], gaps, 400, dimension=1, random_state=2)
    assert gaps.contains(X).all()
    for method in ["efficient", "tksd", "bdksd", "truncsm", "truncated-mle"]:
        found = sb.fit(X, domain=gaps, model=KNOWN, method=method)
        assert found.trustworthy and abs(found.estimates[0] - 0.4) < 4 * found.std_errors[0], method


def test_cylinders_are_in_space_unless_asked_otherwise() -> None:
    cylinder = sb.Cylinder(1, -2, 2)
    for domain in (cylinder, sb.Domain("cylinder(radius=1, low=-2, high=2)"), cylinder & sb.Ball(3), ~cylinder & sb.Box(-3, 3)):
        assert domain.sample_boundary(30).shape == (30, 3)
        assert domain.bounds().shape == (3, 2) and domain.coverage(30).points.shape == (30, 3)
        assert domain.sample_boundary(30, dimension=2).shape == (30, 2)
    assert sb.Cylinder(1, -2, 2, center=0.5).sample_boundary(30).shape[1] == (sb.Cylinder(1, -2, 2, center=0.5).dimension or 3)
    assert (cylinder & sb.Box([0, 0], [1, 1])).bounds().shape == (2, 2)
    assert sb.Ball(1).sample_boundary(30).shape == (30, 2)
