"""Truncated samples and boundary points, with fixed seeds, as raw files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

DISC_RADIUS = 2.0
BOX_REACH = 3.0
MODES = np.array([[1.5, 1.5], [-1.5, -1.5]])


@dataclass(frozen=True)
class Sample:
    """Data and boundary points in files, row by row."""

    data: Path
    boundary: Path
    points: int
    boundary_points: int
    dimension: int

    def options(self) -> list[str]:
        """How every contender is told of the sample."""
        files = ["--data", str(self.data), "--boundary", str(self.boundary)]
        return [*files, "--dimension", str(self.dimension)]

    def in_region(self) -> list[str]:
        """The same for contenders that take the region, a ball, in place of boundary points."""
        data = ["--data", str(self.data), "--radius", repr(radius(self.dimension))]
        return [*data, "--dimension", str(self.dimension)]

    def title(self) -> str:
        return f"d = {self.dimension}, n = {self.points:,}, m = {self.boundary_points:,}"


def tables(sample: Sample) -> tuple[Path, Path]:
    """The same data and boundary points as comma-separated files."""

    def table(raw: Path) -> Path:
        path = raw.with_suffix(".csv")
        np.savetxt(path, np.fromfile(raw, dtype="<f8").reshape(-1, sample.dimension), delimiter=",", fmt="%.17g")
        return path

    return table(sample.data), table(sample.boundary)


def radius(dimension: int) -> float:
    """A disc of radius 2, and in more dimensions the balls of the paper."""
    return DISC_RADIUS if dimension == 2 else dimension**0.53


def ball(folder: Path, points: int, dimension: int, boundary_points: int, seed: int = 1) -> Sample:
    """A Gaussian of unit covariance about (0.5, .., 0.5), seen in a ball about zero."""
    rng = np.random.default_rng(seed)

    def draw(count: int) -> np.ndarray:
        proposals = rng.standard_normal((count, dimension)) + 0.5
        return proposals[np.einsum("ij,ij->i", proposals, proposals) < radius(dimension) ** 2]

    data = accepted(draw, points)
    boundary = sphere(rng, boundary_points, dimension) * radius(dimension)
    return written(folder / f"ball-{points}-{dimension}-{boundary_points}-{seed}", data, boundary)


def box_mixture(folder: Path, points: int, boundary_points: int, seed: int = 1) -> Sample:
    """Two Gaussians of unit covariance and equal weight, seen in a square about zero."""
    rng = np.random.default_rng(seed)

    def draw(count: int) -> np.ndarray:
        proposals = rng.standard_normal((count, 2)) + MODES[rng.integers(len(MODES), size=count)]
        return proposals[np.abs(proposals).max(axis=1) < BOX_REACH]

    data = accepted(draw, points)
    return written(folder / f"box-{points}-{boundary_points}-{seed}", data, square(boundary_points))


def table(folder: Path, rows: int, columns: int = 4, seed: int = 1) -> Path:
    """A comma-separated table of Gaussian numbers with all their digits."""
    path = folder / f"table-{rows}-{columns}.csv"
    values = np.random.default_rng(seed).standard_normal((rows, columns)) * 10.0 ** np.arange(columns)
    lines = (",".join(map(repr, row)) for row in values.tolist())
    header = ",".join(f"column{j + 1}" for j in range(columns))
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


def near_modes(noise: float, seed: int = 1) -> list[float]:
    """The start of a search: the true means with noise."""
    return (MODES + noise * np.random.default_rng(seed).standard_normal(MODES.shape)).ravel().tolist()


def accepted(draw, points: int) -> np.ndarray:
    """Rejection sampling, in batches."""
    batches, found = [], 0
    while found < points:
        batches.append(draw(2 * points))
        found += len(batches[-1])
    return np.concatenate(batches)[:points]


def sphere(rng: np.random.Generator, count: int, dimension: int) -> np.ndarray:
    """Points on the unit sphere: evenly spaced on the circle, random in more dimensions."""
    if dimension == 2:
        angles = 2 * np.pi * np.arange(count) / count
        return np.column_stack([np.cos(angles), np.sin(angles)])
    directions = rng.standard_normal((count, dimension))
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def square(count: int) -> np.ndarray:
    """Points evenly spaced along the edge of the square."""
    side, along = np.divmod(4 * np.arange(count) / count, 1)
    along = BOX_REACH * (2 * along - 1)
    edge = np.full(count, BOX_REACH)
    sides = [(along, -edge), (edge, along), (-along, edge), (-edge, -along)]
    return np.column_stack([np.choose(side.astype(int), axis) for axis in zip(*sides)])


def written(stem: Path, data: np.ndarray, boundary: np.ndarray) -> Sample:
    data_file, boundary_file = stem.with_suffix(".data.f64"), stem.with_suffix(".boundary.f64")
    data.astype("<f8").tofile(data_file)
    boundary.astype("<f8").tofile(boundary_file)
    return Sample(data_file, boundary_file, len(data), len(boundary), data.shape[1])
