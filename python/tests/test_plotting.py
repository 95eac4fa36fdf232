"""Plots show what they are given, in axes that are given, and can be drawn."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import steinbound as sb
from helpers import quiet
from steinbound import plotting
from steinbound._marks import VERMILLION, levels_of

matplotlib = pytest.importorskip("matplotlib")
RANDOM = np.random.default_rng(0)
BALL = sb.Ball(radius=1.5)
BALL_SAMPLE = sb.simulate(sb.Gaussian(covariance=1.0), [0.6, 0, 0.3], BALL, 500, dimension=3, random_state=2)
DISC = RANDOM.uniform(-1, 1, size=(200, 2))
ANGLES = np.linspace(0, 2 * np.pi, 24, endpoint=False)
CIRCLE = 1.5 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
GRID_X, GRID_Y = np.linspace(-1.5, 1.5, 20), np.linspace(-1.5, 1.5, 15)


@pytest.fixture
def figure() -> Iterator[Any]:
    """A figure that is drawn after the test, because much goes wrong only then."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 3), dpi=50)
    FigureCanvasAgg(figure)
    yield figure
    figure.savefig(io.BytesIO(), format="png")


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def scale_of(ax: Any) -> Any:
    """The axes of the colour bar, which lie beside those that they explain."""
    found = ax.child_axes[0]
    ax.figure.canvas.draw()
    assert found.get_window_extent().x0 > ax.get_window_extent().x1
    assert found.get_window_extent().height == pytest.approx(ax.get_window_extent().height, rel=0.02)
    return found


def line(ax: Any, label: str) -> Any:
    return next(line for line in ax.lines if line.get_label() == label)


def test_density_of_one_coordinate(figure: Any) -> None:
    data, grid = RANDOM.uniform(0.01, 0.99, 500), np.linspace(0, 1, 30)
    ax = plotting.plot_density_1d(
        figure.subplots(), data, grid, grid * 2, [[1.0], [0.0]], "fit", name="height"
    )
    assert sorted(labels(ax)) == ["boundary", "data", "fit"] and ax.get_xlabel() == "height"
    np.testing.assert_array_equal(line(ax, "fit").get_ydata(), grid * 2)
    bars = [bar.get_x() for bar in ax.patches], [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert min(bars[0]) == pytest.approx(0, abs=1e-12) and max(bars[1]) == pytest.approx(1), (
        "bins end at the boundary"
    )
    assert sum(bar.get_height() * bar.get_width() for bar in ax.patches) == pytest.approx(1)


def test_legends_hide_nothing(figure: Any) -> None:
    ax = plotting.plot_density_1d(figure.subplots(), [0.2, 0.4], [0, 1], [1, 1], [0, 1])
    figure.canvas.draw()
    assert ax.get_legend().get_window_extent().y0 >= ax.get_window_extent().y1


def test_bins_far_from_a_boundary_do_not_reach_for_it(figure: Any) -> None:
    ax = plotting.plot_density_1d(figure.subplots(), RANDOM.uniform(0, 1, 100), [0, 1], [1, 1], [-50, 50])
    assert min(bar.get_x() for bar in ax.patches) >= 0
    constant = plotting.plot_density_1d(figure.subplots(), [3.0, 3.0], [2, 4], [1, 1])
    assert len(constant.patches) == 1
    with pytest.raises(ValueError, match="no points to draw"):
        plotting.plot_density_1d(ax, [np.nan], [0, 1], [1, 1])


def test_density_of_two_coordinates(figure: Any) -> None:
    x, y = np.meshgrid(GRID_X, GRID_Y)
    density = np.where(x * x + y * y < 2, np.exp(-x * x - y * y), np.nan)
    ax = plotting.plot_density_2d(
        figure.subplots(),
        DISC,
        CIRCLE,
        [CIRCLE],
        GRID_X,
        GRID_Y,
        density,
        [0.1, 0.2],
        ["lon", "lat"],
        equal_aspect=True,
    )
    assert set(labels(ax)) == {"data", "boundary points", "mean"} and scale_of(ax).get_ylabel() == "fitted density"
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_aspect()) == ("lon", "lat", 1.0)
    assert line(ax, "mean").get_xydata().tolist() == [[0.1, 0.2]]
    drawn = [collection.get_offsets() for collection in ax.collections]
    assert any(len(offsets) == len(DISC) and np.allclose(offsets, DISC) for offsets in drawn)
    assert any(len(offsets) == len(CIRCLE) and np.allclose(offsets, CIRCLE) for offsets in drawn)
    bare = plotting.plot_density_2d(figure.subplots(), DISC, outline_rings=[CIRCLE])
    assert set(labels(bare)) == {"data", "boundary"}
    ring = line(bare, "boundary").get_xydata()
    assert np.array_equal(ring[0], ring[-1]), "rings are closed"
    with pytest.raises(ValueError, match="^1 names were given for 2; give one for each$"):
        plotting.plot_density_2d(bare, DISC, names=["lon"])
    with pytest.raises(ValueError, match="1 dimensions; give one point in each row"):
        plotting.plot_density_2d(bare, [1.0, 2.0])


def test_densities_without_height(figure: Any) -> None:
    for heights in (np.zeros((15, 20)), np.full((15, 20), np.nan)):
        ax = plotting.plot_density_2d(figure.subplots(), DISC, None, None, GRID_X, GRID_Y, heights)
        assert labels(ax) == ["data"]
        plotting.plot_witness(figure.subplots(), GRID_X, GRID_Y, heights)


def test_pairs(figure: Any) -> None:
    data = RANDOM.normal(size=(50, 3))
    axes = plotting.plot_pairs(figure, data, ["a", "b", "c"], data[:5], np.zeros(3), np.diag([1.0, 4.0, 9.0]))
    assert axes.shape == (3, 3) and [ax.get_xlabel() for ax in axes[2]] == ["a", "b", "c"]
    half = line(axes[1, 0], "50% of the fitted normal").get_xydata()
    np.testing.assert_allclose(half[:, 0] ** 2 + half[:, 1] ** 2 / 4, -2 * np.log(0.5))
    marginal = axes[1, 1].lines[0].get_xydata()
    np.testing.assert_allclose(marginal[:, 1], np.exp(-(marginal[:, 0] ** 2) / 8) / np.sqrt(8 * np.pi))
    assert not axes[0, 1].get_visible()
    # The empty corner of a small figure has no room for it.
    assert len(labels(axes[0, 0])) == 4
    given = plotting.plot_pairs(figure.subplots(3, 3), data)
    assert [ax.get_xlabel() for ax in given[2]] == ["x1", "x2", "x3"] and not given[1, 0].lines
    with pytest.raises(ValueError, match="give 3 by 3 axes"):
        plotting.plot_pairs(figure.subplots(2, 2), data)


def test_covariances_that_are_none_are_not_drawn(figure: Any) -> None:
    data = RANDOM.normal(size=(50, 2))
    axes = plotting.plot_pairs(figure, data, mean=[0, 0], covariance=[[1.0, 2.0], [2.0, 1.0]])
    assert not axes[1, 0].lines


@pytest.mark.parametrize("hole", [False, True])
def test_witness_is_white_at_zero(figure: Any, hole: bool) -> None:
    x, y = np.meshgrid(GRID_X, GRID_Y)
    g = np.where(x * x + y * y < 2, x + 3, np.nan) if hole else x + 3
    ax = plotting.plot_witness(
        figure.subplots(), GRID_X, GRID_Y, g, DISC, CIRCLE, label="where", equal_aspect=True
    )
    low, high = ax.collections[0].get_clim()
    assert low == -high == -np.nanmax(g) and scale_of(ax).get_ylabel() == "where"


def test_regression(figure: Any) -> None:
    x = RANDOM.uniform(0, 10, 50)
    ax = plotting.plot_regression(
        figure.subplots(), x, 2 + x, lambda at: 1 + at, 1.5, x + 5, ([0, 10], [3, 4]), names=["age", "score"]
    )
    assert set(labels(ax)) == {"data", "fitted line", "ignoring the limits", "limits"}
    at, heights = line(ax, "fitted line").get_data()
    np.testing.assert_allclose(heights, 1 + at)
    assert line(ax, "ignoring the limits").get_ydata().tolist() == [3, 4]
    upper = ax.lines[-1].get_xydata()
    assert np.all(np.diff(upper[:, 0]) >= 0) and np.allclose(upper[:, 1], upper[:, 0] + 5)
    assert "limit" in labels(
        plotting.plot_regression(figure.subplots(), x, x, lambda at: at, limit_upper=9.0)
    )


def test_test(figure: Any) -> None:
    ax = plotting.plot_test(figure.subplots(), np.arange(101.0), 120.0, p_value=0.0099)
    assert line(ax, "statistic of the data, p = 0.0099").get_xdata()[0] == 120
    assert line(ax, "95% of the draws").get_xdata()[0] == 95
    assert sum(bar.get_height() for bar in ax.patches) == 101


def test_current_axes_are_used_where_none_are_given() -> None:
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    assert plotting.plot_test(None, [1.0, 2.0], 3.0) is ax
    assert plotting.plot_pairs(None, DISC)[0, 0].figure is figure
    plt.close(figure)


def test_matplotlib_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plotting.plot_test(None, [1.0, 2.0], 3.0)


def test_heights_of_contours_are_round() -> None:
    for largest in (0.31, 0.1, 2.4e-6, 7.0, 0.999):
        levels = levels_of(largest)
        assert levels[-1] >= largest * (1 - 1e-9) and 4 <= len(levels) <= 8 and np.all(np.diff(levels) > 0)
        step = levels[2] - levels[1]
        assert step / 10 ** np.floor(np.log10(step)) == pytest.approx(round(2 * step / 10 ** np.floor(np.log10(step))) / 2)


def test_margins_are_those_inside_the_domain(figure: Any) -> None:
    with quiet():
        result = sb.fit(BALL_SAMPLE, domain=BALL)
    ax = result.plot(figure.subplots())
    steps = next(patch for patch in ax.patches if patch.get_label() == "fitted density inside").get_data()
    bars = [bar.get_height() for bar in ax.patches if hasattr(bar, "get_height")]
    # In the bins of the data, and nothing of it outside of the ball.
    assert len(steps.values) == len(bars) and np.sum(steps.values * np.diff(steps.edges)) == pytest.approx(1, abs=0.02)
    error = np.sqrt(np.maximum(steps.values, 0.02) / len(BALL_SAMPLE) / np.diff(steps.edges))
    assert np.mean(np.abs(steps.values - bars) < 3 * error) > 0.9


def test_witnesses_are_drawn_where_there_are_data(figure: Any) -> None:
    far = np.concatenate([RANDOM.normal(-2, 0.1, size=(60, 2)), RANDOM.normal(2, 0.1, size=(60, 2))])
    with quiet():
        result = sb.fit(far, domain=sb.Box([-3, -3], [3, 3]), model=sb.Gaussian(covariance=1.0), bandwidth=0.5)
    ax = result.plot_witness(figure.subplots())
    mesh = ax.collections[0]
    drawn = mesh.get_coordinates()[:-1, :-1].reshape(-1, 2)[~np.ma.getmaskarray(mesh.get_array()).ravel()]
    nearest = np.sqrt(((drawn[:, None] - far) ** 2).sum(axis=2)).min(axis=1)
    assert len(drawn) > 20 and nearest.max() < 0.65 and not np.ma.getmaskarray(mesh.get_array()).all()


def test_categories_are_groups(figure: Any) -> None:
    scores = sb.datasets.load_student_scores()
    with quiet():
        grouped = sb.regress("achiv ~ prog", scores, lower=40, method="truncated-mle")
        lined = sb.regress("achiv ~ langscore + prog", scores, lower=40, method="truncated-mle")
    left, right = figure.subplots(1, 2)
    grouped.plot(left)
    names = ["academic", "general", "vocational"]
    assert [text.get_text() for text in left.get_xticklabels()] == names
    means = [line.get_ydata()[0] for line in left.lines if len(line.get_xdata()) == 2][:3]
    first = grouped.estimates[0]
    np.testing.assert_allclose(means, [first, first + grouped.estimates[1], first + grouped.estimates[2]])
    lined.plot(right)
    assert set(names) < set(labels(right))
    slope = np.diff(line(right, "general").get_ydata()) / np.diff(line(right, "general").get_xdata())
    assert slope[0] == pytest.approx(lined.params["langscore"])


def test_dark_backgrounds_have_light_points(figure: Any) -> None:
    ax = figure.subplots()
    ax.set_facecolor("black")
    plotting.plot_density_2d(ax, DISC)
    assert ax.collections[0].get_facecolor()[0, :3].min() > 0.8


def test_outlines_that_leave_the_picture_stay_open(figure: Any) -> None:
    X = np.random.default_rng(0).normal(size=(200, 2)) * 0.4 + [2, 2]
    with quiet():
        found = sb.fit(X, domain=sb.Box(-5, 5), model=sb.Gaussian(0.2), method="tksd")
    left, right = figure.subplots(1, 2)
    found.plot(left)
    found.plot_witness(right)
    for ax in (left, right):
        drawn = [one.get_xydata() for one in ax.lines if one.get_color() == VERMILLION]
        assert any(len(curve) > 10 for curve in drawn)
        for curve in drawn:
            middles = (curve[1:] + curve[:-1]) / 2
            np.testing.assert_allclose(abs(middles).max(axis=1), 5, atol=0.1)


@pytest.mark.parametrize(
    "formula", ["achiv ~ langscore + I(langscore**2)", "achiv ~ langscore * prog", "achiv ~ bs(langscore, df=4) + prog"]
)
def test_regressions_are_drawn_as_they_predict(figure: Any, formula: str) -> None:
    scores = sb.datasets.load_student_scores()
    with quiet():
        found = sb.regress(formula, scores, lower=40, method="truncated-mle")
    ax = found.plot(figure.subplots())
    assert ax.get_xlabel() == "langscore"
    for name in ["fitted line"] if "prog" not in formula else ["academic", "general", "vocational"]:
        x, y = line(ax, name).get_data()
        assert len(x) == 100 and x.min() == min(scores["langscore"])
        np.testing.assert_allclose(y, found.predict({"langscore": x, "prog": [name] * 100}))


def test_other_columns_of_regressions_are_at_their_mean(figure: Any, tmp_path: Path) -> None:
    draw = np.random.default_rng(2)
    x, z = draw.uniform(1, 3, size=(2, 150))
    town, many = draw.choice(["Bonn", "Ulm"], 150), draw.integers(0, 9, 150)
    y = x * z + 0.1 * many + draw.normal(0, 0.2, 150)
    file = tmp_path / "rows.csv"
    file.write_text("y,x,z,many,town\n" + "\n".join(f"{a},{b},{c},{d},{e}" for a, b, c, d, e in zip(y, x, z, many, town, strict=True)))
    for data in ({"y": y, "x": x, "z": z, "many": many, "town": town}, file):
        with quiet():
            plain = sb.regress("y ~ log(x) * z + C(many) + town", data, method="mle")
            grouped = sb.regress("y ~ C(many) + town", data, method="mle")
        ax = plain.plot(figure.add_subplot())
        # Nine categories are more than there are colours: they are averaged over, with towns as they are beside them.
        at, drawn = line(ax, "fitted line").get_data()
        rows = {"x": np.full(150, at[40]), "z": np.full(150, z.mean()), "many": many.astype(float), "town": list(town)}
        assert drawn[40] == pytest.approx(float(np.mean(plain.predict(rows))))
        groups = grouped.plot(figure.add_subplot())
        assert [text.get_text() for text in groups.get_xticklabels()] == [str(value) for value in range(9)]
