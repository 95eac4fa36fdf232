"""What is copied, how much memory a large fit takes, and what an import does."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from helpers import DISC, KNOWN, disc_sample, quiet, run_python

import steinbound as sb

GIGABYTE = 10**9

#: Peak memory in bytes; Linux counts kilobytes, macOS bytes.
PEAK = """
import resource, sys

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
"""

needs_resource = pytest.mark.skipif(sys.platform == "win32", reason="there is no module resource")


def test_an_array_is_used_as_it_is() -> None:
    X = disc_sample(60)
    with quiet():
        result = sb.fit(X, domain=DISC, model=KNOWN)
    assert result.problem.points.array is X
    assert np.shares_memory(result.problem.points.array, X)


@pytest.mark.parametrize("layout", ["F", "strided", "float32", "list"])
def test_other_arrays_are_copied_once_and_give_the_same(layout: str) -> None:
    X = disc_sample(60)
    if layout == "float32":
        X = X.astype(np.float32).astype(np.float64)
    given = {
        "F": lambda: np.asfortranarray(X),
        "strided": lambda: np.repeat(X, 2, axis=0)[::2],
        "float32": lambda: X.astype(np.float32),
        "list": X.tolist,
    }[layout]()
    with quiet():
        found = sb.fit(given, domain=DISC, model=KNOWN)
        expected = sb.fit(X, domain=DISC, model=KNOWN)
    assert not isinstance(given, np.ndarray) or not np.shares_memory(found.problem.points.array, given)
    assert found.estimates.tolist() == expected.estimates.tolist()


def test_read_only_arrays_are_used_and_left_alone() -> None:
    X = disc_sample(60)
    X.setflags(write=False)
    with quiet():
        result = sb.fit(X, domain=DISC, model=KNOWN)
    assert result.problem.points.array is X and not X.flags.writeable


@needs_resource
def test_nothing_of_the_size_of_the_data_is_made() -> None:
    # The mean alone, of 400 megabytes: a copy would be seen.
    program = """
import numpy as np, steinbound as sb, warnings
warnings.simplefilter("ignore")
X = np.ones((25_000_000, 2))
X[::2] = 0.5
sb.fit(X[:1000], method="mle", model=sb.Gaussian(1.0))
before = peak()
problem = sb.fit(X[:1000], method="mle", model=sb.Gaussian(1.0)).problem
from steinbound._inputs import as_points
held = as_points(X)
model = problem.model._build(2, ["a", "b"])
sb._core.Problem(held.array, None, None, None, model, None, None, None, None, problem.settings)
print(peak() - before)
"""
    assert int(run_python(PEAK + program)) < 40e6


@needs_resource
def test_a_million_points_fit_in_little_memory() -> None:
    program = """
import steinbound as sb, warnings
warnings.simplefilter("ignore")
from helpers import DISC, KNOWN, disc_sample
X = disc_sample(1_000_000)
result = sb.fit(X, domain=DISC, model=KNOWN)
assert abs(result.estimates - 0.5).max() < 0.05, result
print(peak())
"""
    assert int(run_python(PEAK + program, timeout=120)) < 1.2 * GIGABYTE


def test_an_import_brings_nothing_along() -> None:
    program = """
import sys
import steinbound
optional = {"pandas", "polars", "pyarrow", "sklearn", "matplotlib", "jax"}
optional |= {"torch", "shapely", "geopandas", "tqdm", "scipy"}
print(*sorted(optional & set(sys.modules)))
"""
    assert not run_python(program).split()
