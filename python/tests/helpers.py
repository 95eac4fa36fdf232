"""What several tests need: reference values, the command line, data, other processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import steinbound as sb

Floats = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "crates" / "steinbound" / "tests" / "golden"
SCORES = ROOT / "crates" / "steinbound-io" / "data" / "student_scores.csv"

DISC = sb.Ball(radius=1.44)
KNOWN = sb.Gaussian(covariance=1.0)
LINE = sb.Interval(-1, 1.5)


def golden(name: str) -> dict[str, Any]:
    """Reference values of an independent implementation."""
    found: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


def assert_close(found: Any, expected: Any, tolerance: float = 1e-8) -> None:
    """Each value within a share of what it should be."""
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=tolerance, atol=0)


def disc_sample(n: int = 200, seed: int = 1) -> Floats:
    """Points of a normal distribution about (0.5, 0.5) inside a disc."""
    return sb.simulate(KNOWN, [0.5, 0.5], DISC, n, random_state=seed)


def line_sample(n: int = 200, seed: int = 3) -> Floats:
    """Points of a normal distribution about 0.3 between -1 and 1.5."""
    return sb.simulate(KNOWN, [0.3], LINE, n, random_state=seed)


@contextmanager
def quiet() -> Iterator[None]:
    """Lets warnings of fits pass, where they are not what a test is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sb.FitWarning)
        yield


def integral(result: sb.FitResult, low: float, high: float, truncated: bool | None = None) -> float:
    """Over an interval, or the square of it in the plane, by the midpoint rule."""
    if result.problem.points.array.shape[1] == 1:
        edges = np.linspace(low, high, 4001)
        middle = (edges[1:] + edges[:-1]) / 2
        return float(result.predict_density(middle, truncated).sum() * (edges[1] - edges[0]))
    edges = np.linspace(low, high, 401)
    middle = (edges[1:] + edges[:-1]) / 2
    places = np.stack(np.meshgrid(middle, middle), axis=-1).reshape(-1, 2)
    return float(result.predict_density(places, truncated).sum() * (edges[1] - edges[0]) ** 2)


# The command line.


def executable() -> Path:
    """The command line, which STEINBOUND names where it is elsewhere."""
    named = os.environ.get("STEINBOUND")
    path = Path(named or ROOT / "target" / "release" / "steinbound")
    # Where one was named there has to be one: a suite without it would pass for one with it.
    if not path.is_file() and not named:
        pytest.skip(f"there is no command line at {path}; build it, or name it with STEINBOUND")
    return path


def run_command(folder: Path, *arguments: object) -> str:
    """What the command line prints; exit code 3 tells of a result that should not be trusted."""
    words = [str(executable()), *map(str, arguments)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 3), f"{' '.join(words)}\n{done.stderr}"
    return done.stdout


def command(folder: Path, *arguments: object) -> dict[str, Any]:
    """What the command line prints as JSON."""
    found: dict[str, Any] = json.loads(run_command(folder, *arguments, "--format", "json", "--quiet"))
    return found


def write_csv(path: Path, columns: dict[str, Sequence[Any]] | Floats) -> Path:
    """A table with all digits; an array has no header."""
    if isinstance(columns, np.ndarray):
        lines = [",".join(map(repr, row)) for row in columns.tolist()]
    else:
        lists = [np.asarray(values).tolist() for values in columns.values()]
        rows = zip(*lists, strict=True)
        lines = [",".join(columns), *(",".join(map(_written, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def _written(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def listed(values: Any) -> str:
    """Numbers as the command line takes them."""
    return ",".join(map(repr, np.asarray(values, dtype=np.float64).ravel().tolist()))


def assert_same(found: Any, expected: Any, without: Sequence[str] = ("seconds",), place: str = "") -> None:
    """Every value of a nested result is that of another, to the last bit; some fields are left out."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), place
        found, expected = (
            {key: value for key, value in held.items() if key not in without} for held in (found, expected)
        )
        assert set(found) == set(expected), f"{place}: {set(found) ^ set(expected)}"
        for key, value in expected.items():
            assert_same(found[key], value, without, f"{place}.{key}")
    elif isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected), place
        for i, value in enumerate(expected):
            assert_same(found[i], value, without, f"{place}[{i}]")
    else:
        assert type(found) is type(expected) and found == expected, f"{place}: {found!r} is not {expected!r}"


# Other processes.


def start_python(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Another interpreter that runs a program which can import the package and this module."""
    here = str(Path(__file__).parent)
    paths = [here, str(Path(sb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


def run_python(code: str, *arguments: object, timeout: float = 60) -> str:
    """What a program prints that must end well and in time."""
    process = start_python(code, *arguments)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        raise AssertionError(f"it was not done after {timeout} seconds\n{errors}") from None
    assert process.returncode == 0, f"exit code {process.returncode}\n{errors}"
    return output
