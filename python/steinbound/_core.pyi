"""The compiled part of steinbound."""

import os
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "STUDENT_SCORES",
    "Domain",
    "Model",
    "Problem",
    "Regression",
    "__version__",
    "derive",
    "families",
    "is_map",
    "options",
    "p_value",
    "quantile",
    "read_points",
    "regression_method",
    "render",
    "simulate",
    "united_states",
    "wald_test",
]

STUDENT_SCORES: str
__version__: str

_Array = NDArray[np.float64]
_Forms = tuple[str, str, str, str]
_Progress = Callable[[int, int], None] | None

@final
class Domain:
    def __new__(cls, spec: str) -> Domain: ...
    @staticmethod
    def from_map(name: str, text: str) -> Domain: ...
    @staticmethod
    def from_file(path: str | os.PathLike[str], feature: tuple[str, str] | None) -> Domain: ...
    @staticmethod
    def outside(domain: Domain) -> Domain: ...
    @staticmethod
    def intersection(domains: Sequence[Domain]) -> Domain: ...
    @staticmethod
    def union(domains: Sequence[Domain]) -> Domain: ...
    @staticmethod
    def predicate(
        name: str, inside: Callable[[_Array], NDArray[np.bool_]], bounds: Sequence[tuple[float, float]]
    ) -> Domain: ...
    @property
    def dimension(self) -> int | None: ...
    @property
    def warnings(self) -> list[str]: ...
    def describe(self, dimension: int | None = None) -> str: ...
    def with_columns(self, columns: Sequence[str]) -> Domain: ...
    def contains(self, places: _Array) -> NDArray[np.bool_]: ...
    def sample_boundary(
        self,
        count: int | None,
        seed: int,
        sampling: str,
        dimension: int | None = None,
        near: _Array | None = None,
    ) -> _Array: ...
    def coverage(
        self,
        count: int | None,
        seed: int,
        sampling: str,
        dimension: int | None = None,
        near: _Array | None = None,
    ) -> tuple[str, _Forms]: ...
    def bounds(self, dimension: int | None = None) -> list[tuple[float, float]]: ...
    def outline(self, window: Sequence[tuple[float, float]]) -> list[_Array]: ...

@final
class Model:
    @staticmethod
    def family(
        name: str,
        dimension: int,
        shape: str | None = None,
        known: Any = None,
        components: int | None = None,
        estimate_weights: bool = False,
        parameters: Sequence[tuple[str, float]] = ...,
    ) -> Model: ...
    @staticmethod
    def gaussian(dimension: int, shape: str, known: Any) -> Model: ...
    @staticmethod
    def mixture(dimension: int, components: int, shape: str, known: Any, estimate_weights: bool) -> Model: ...
    @staticmethod
    def formula(text: str, columns: Sequence[str], parameters: Sequence[tuple[str, float]]) -> Model: ...
    @staticmethod
    def callback(
        name: str,
        dimension: int,
        parameters: Sequence[str],
        start: Sequence[float] | None,
        evaluate: Callable[..., Any],
        log_densities: Callable[..., Any] | None,
        curvature: Callable[..., Any] | None = None,
    ) -> Model: ...
    def parameter_names(self, columns: Sequence[str]) -> list[str]: ...

@final
class Problem:
    def __new__(
        cls,
        data: _Array,
        names: Sequence[str] | None,
        weights: _Array | None,
        clusters: Sequence[str] | None,
        model: Model,
        boundary: _Array | None,
        boundary_normals: _Array | None,
        domain: Domain | None,
        start: Sequence[float] | None,
        settings: dict[str, Any],
    ) -> Problem: ...
    def parameter_names(self) -> list[str]: ...
    def fit(
        self,
        diagnose: bool,
        bootstrap: tuple[int, str, str] | None,
        progress: _Progress,
        derive: Sequence[str] | None = None,
        callback: Callable[[int, float], Any] | None = None,
    ) -> tuple[str, str, bool, list[float] | None, _Array | None]: ...
    def report(
        self,
        facts: Sequence[tuple[str, str]],
        model_facts: Sequence[tuple[str, str]],
        diagnose: bool = True,
        bootstrap: tuple[int, str, str] | None = None,
        progress: _Progress = None,
        derive: Sequence[str] | None = None,
    ) -> str: ...
    def discrepancy(self, at: Sequence[float]) -> tuple[float, float | None, str, _Forms]: ...
    def witness(self, at: Sequence[float], places: _Array) -> tuple[_Array, _Array | None, float]: ...
    def test(
        self,
        at: Sequence[float] | None,
        draws: int,
        level: float,
        resampling: str | None,
        progress: _Progress,
    ) -> tuple[str, _Array, _Forms]: ...
    def test_report(
        self,
        facts: Sequence[tuple[str, str]],
        model_facts: Sequence[tuple[str, str]],
        at: Sequence[float] | None,
        draws: int,
        level: float,
        resampling: str | None,
        progress: _Progress,
    ) -> str: ...
    def compare(
        self,
        models: Sequence[tuple[str, Model]],
        methods: Sequence[str] | None = None,
        test: tuple[int, float, str | None] | None = None,
        progress: _Progress = None,
    ) -> tuple[str, _Forms, list[bool], list[tuple[str, str]]]: ...
    def choose(self, models: Sequence[tuple[str, Model]], progress: _Progress = None) -> str: ...
    def sensitivity(self) -> str: ...
    def truncated_log_density(self, theta: Sequence[float], places: _Array) -> _Array: ...
    def project(self, places: _Array) -> _Array: ...
    def sample(self, theta: Sequence[float], count: int, inside: bool, seed: int) -> _Array: ...

@final
class Regression:
    def __new__(
        cls,
        formula: str,
        columns: dict[str, Any] | str | os.PathLike[str],
        lower: Any,
        upper: Any,
        known_sigma: float | None,
        kernel_on: str,
        weights: Any,
        clusters: str | Sequence[str] | None,
        drop_missing: bool,
        seed: int,
        censored: str | None,
    ) -> Regression: ...
    def problem(self, settings: dict[str, Any]) -> Problem: ...
    @property
    def rows(self) -> list[int]: ...
    @property
    def response(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def limits(self) -> tuple[float, float]: ...
    def points(self) -> tuple[list[str], _Array]: ...
    def variables(
        self, columns: dict[str, Any] | str | os.PathLike[str], drop_missing: bool
    ) -> list[tuple[str, list[str] | None, NDArray[np.float64] | list[str]]]: ...
    def predict(
        self, fit: str, columns: dict[str, Any] | str | os.PathLike[str], which: str
    ) -> tuple[_Array, _Array]: ...
    def effects(self, fit: str) -> str: ...

def derive(fit: str, formulas: Sequence[str]) -> str: ...
def families() -> str: ...
def is_map(path: str | os.PathLike[str]) -> bool: ...
def options() -> str: ...
def read_points(
    path: str | os.PathLike[str], columns: Sequence[str], weights: str | None = None, clusters: str | None = None
) -> tuple[_Array, list[str] | None, NDArray[np.float64] | None, list[str] | None, list[str]]: ...
def united_states() -> list[_Array]: ...
def p_value(z: float, degrees: int | None) -> float: ...
def quantile(confidence: float, degrees: int | None) -> float: ...
def regression_method(method: str | None, censored: str | None, limits: Sequence[bool]) -> str: ...
def render(fit: str, format: str, digits: int | None = None) -> str: ...
def simulate(
    model: Model, at: Sequence[float], domain: Domain | None, count: int, seed: int
) -> _Array: ...
def wald_test(
    names: Sequence[str],
    estimates: Sequence[float],
    covariance: _Array,
    equations: str | None,
    restrictions: _Array | None,
    values: Sequence[float] | None,
) -> str: ...
