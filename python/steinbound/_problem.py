"""Data, boundary, model and settings as they were given, and the engine's problem that they make."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._inputs import Points
from ._kinds import as_count, check_kinds
from ._report import Facts, density_facts
from ._systems import DEGREES, is_degrees
from .domains import Domain
from .models import GaussianMixture, Model


class Settings(dict[str, Any]):
    """The settings of an estimator by name, as the engine takes them."""


@dataclass(frozen=True)
class Asked:
    """What was asked of a fit, with the settings before any of them was chosen."""

    settings: Settings
    diagnostics: bool
    replicates: tuple[int, str, str] | None
    derive: list[str] | None


@dataclass
class Problem:
    """What was given. The engine's problem is made of it when it is needed."""

    points: Points
    weights: NDArray[np.float64] | None
    clusters: list[str] | None
    model: Model
    boundary: NDArray[np.float64] | None
    boundary_normals: NDArray[np.float64] | None
    domain: Domain | None
    start: list[float] | Mapping[str, float] | None
    settings: Settings
    #: What was asked of the fit, once it is made.
    asked: Asked | None = None
    #: The coordinate system, where it is known.
    crs: Any = None

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self.points.columns

    @property
    def core(self) -> _core.Problem:
        """The engine's problem, made anew: kept here, it would tie a model's functions and what they belong to together for ever."""
        return self._make(self._begin())

    def _make(self, start: list[float] | None) -> _core.Problem:
        dimension = self.points.array.shape[1]
        return _core.Problem(
            self.points.array,
            self.points.names,
            self.weights,
            self.clusters,
            self.model._build(dimension, self.names),
            self.boundary,
            self.boundary_normals,
            None if self.domain is None else self.domain._engine,
            start,
            self.settings,
        )

    def _begin(self) -> list[float] | None:
        """The start in reported order."""
        if not isinstance(self.start, Mapping):
            return self.start
        return ordered(self.start, self._make(None).parameter_names(), "start")

    def choose(self, progress: bool) -> dict[str, Any] | None:
        """Takes one number of components where the model has several; how it was chosen."""
        candidates = self.model._candidates() if isinstance(self.model, GaussianMixture) else None
        if candidates is None:
            return None
        if self.start is not None:
            raise ValueError("start begins with the means of one number of components; give components=K, or leave it out")
        dimension = self.points.array.shape[1]
        built = [(label, model._build(dimension, self.names)) for label, model in candidates.items()]
        self.model = next(iter(candidates.values()))
        with progress_bar("models", progress) as step:
            found: dict[str, Any] = json.loads(self.core.choose(built, step))
        self.model = candidates[found["chosen"]]
        return found

    def fitted(
        self,
        diagnostics: bool,
        bootstrap: int | None,
        resampling: str,
        interval: str,
        derive: Any,
        progress: bool,
        callback: Callable[[int, float], Any] | None = None,
    ) -> tuple[str, str, bool, list[float] | None, NDArray[np.float64] | None]:
        """The engine's fit, with a bootstrap where one is requested."""
        check_kinds(
            {"diagnostics": diagnostics, "bootstrap": bootstrap, "resampling": resampling, "interval": interval}
        )
        if callback is not None and not callable(callback):
            raise TypeError(f"callback is a {type(callback).__name__}, which cannot be called; give a function")
        replicates = None if bootstrap is None else (bootstrap, resampling, interval)
        asked = Asked(Settings(self.settings), diagnostics, replicates, as_formulas(derive))
        with progress_bar("bootstrap", progress and bootstrap is not None) as step:
            found = self.core.fit(diagnostics, replicates, step, asked.derive, callback)
        self.asked = asked
        return found

    def degrees(self) -> list[str]:
        """What there is to say of coordinates that are degrees and are taken for distances."""
        return [DEGREES] if not self.settings["project"] and is_degrees(self.crs) else []

    def facts(self) -> tuple[Facts, Facts]:
        """The data and the model for a report."""
        return density_facts(self)

    def report(self, progress: bool) -> str:
        """The engine's report of the fit, as an HTML page."""
        asked = self.asked
        if asked is None:
            raise ValueError("there is no fit to report")
        problem = copy(self)
        problem.settings = asked.settings
        with progress_bar("bootstrap", progress and asked.replicates is not None) as step:
            return problem.core.report(*self.facts(), asked.diagnostics, asked.replicates, step, asked.derive)

    def tested(
        self, at: list[float] | None, bootstrap: int, level: float, resampling: str | None, progress: bool
    ) -> tuple[str, NDArray[np.float64], tuple[str, str, str, str]]:
        """The engine's test, of the fit or at given parameters."""
        draws = as_count(bootstrap, "bootstrap")
        check_kinds({"level": level, "resampling": resampling})
        with progress_bar("test", progress) as step:
            return self.core.test(at, draws, level, resampling, step)

    def test_report(
        self, at: list[float] | None, draws: int, level: float, resampling: str | None, progress: bool
    ) -> str:
        """The engine's report of a test, as an HTML page."""
        with progress_bar("test", progress) as step:
            return self.core.test_report(*self.facts(), at, draws, level, resampling, step)

    def parameters(self, given: Any, what: str) -> list[float]:
        """Parameters in reported order, which may be given by name or in the structure of the model."""
        given = self.model._flat(given, what)
        if isinstance(given, Mapping):
            return ordered(given, self.core.parameter_names(), what)
        return np.asarray(given, dtype=np.float64).ravel().tolist()


def as_formulas(given: Any) -> list[str] | None:
    """Derived quantities as the engine takes them: a text such as ``"ratio = a / b"`` for each.

    Examples
    --------
    >>> as_formulas({"ratio": "a / b"}), as_formulas("ratio = a / b")
    (['ratio = a / b'], ['ratio = a / b'])
    """
    if given is None or isinstance(given, str):
        return None if given is None else [given]
    listed = [f"{name} = {formula}" for name, formula in given.items()] if isinstance(given, Mapping) else given
    if not isinstance(listed, Sequence) or not all(isinstance(text, str) for text in listed):
        raise TypeError(
            f"derive is a {type(given).__name__}; give texts such as 'ratio = a / b', or formulas by name: {{'ratio': 'a / b'}}"
        )
    return list(listed)


def distinct(points: Points, what: str) -> Points:
    """Points whose columns have a name each."""
    names = points.names or []
    again = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if again is not None:
        raise ValueError(f"{what} has more than one column {again!r}; rename all but one of them")
    return points


def matched(points: Points, data: Points, what: str) -> NDArray[np.float64]:
    """Points with the columns of the data: by name where both have the same names, else in order."""
    found, expected = points.array.shape[1], data.array.shape[1]
    if found != expected:
        raise ValueError(f"{what}: there are {found} columns and the data have {expected}; give the same columns")
    ours, theirs = data.names, distinct(points, what).names
    if ours and theirs and ours != theirs and set(ours) == set(theirs):
        return np.ascontiguousarray(points.array[:, [theirs.index(name) for name in ours]])
    return points.array


def placed(points: Points, data: Points, what: str) -> NDArray[np.float64]:
    """Points at which a fit of the data is asked: those of a table have the columns of the data, in any order."""
    ours, theirs = data.names, points.names
    is_by_name = ours and theirs and not (data.are_geometries or points.are_geometries)
    if is_by_name and ours and theirs and set(ours) != set(theirs):
        raise ValueError(
            f"{what}: the columns are {', '.join(theirs)} and the fit has {', '.join(ours)}; give columns with these names, "
            "or an array where they go by place"
        )
    return matched(points, data, what)


def ordered(given: Mapping[str, float], names: list[str], what: str) -> list[float]:
    """The values of parameters in the order of their names."""
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"{what}: there is no parameter {unknown[0]!r}; the parameters are {', '.join(names)}")
    missing = [name for name in names if name not in given]
    if missing:
        raise ValueError(f"{what} does not give {missing[0]}; give every parameter")
    return [float(given[name]) for name in names]


@contextmanager
def progress_bar(what: str, is_wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A function that shows the progress of a computation, where that is wanted."""
    if not is_wanted:
        yield None
        return
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError as error:
        raise ImportError("progress=True shows a bar by tqdm; install it with 'pip install tqdm'") from error
    with tqdm(desc=what, leave=False) as bar:

        def step(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield step
