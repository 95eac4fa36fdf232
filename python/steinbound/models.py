"""Densities, up to their normaliser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, _families
from ._callbacks import Functions, ScoreFunctions, differentiated
from ._families import *
from ._kinds import as_count
from ._model import FAMILIES, Model, class_name, known_covariance
from ._trees import Tree

__all__ = ["Formula", "Gaussian", "GaussianMixture", "LogDensity", "Model", "Score"]
__all__ += _families.__all__


class Gaussian(Model):
    """A normal distribution.

    Parameters
    ----------
    covariance
        The covariance where it is known: a number (times the identity), a list of variances, or a matrix. Then only
        the mean is estimated. None where it is not.
    shape
        The shape of an unknown covariance: ``"full"`` or ``"diagonal"``.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.Gaussian(covariance=1.0)
    Gaussian(covariance=1.0, shape='full')
    """

    def __init__(self, covariance: Any = None, shape: str = "full") -> None:
        self._settings = {"covariance": covariance, "shape": shape}

    def _dimension_of(self, parameters: int) -> int:
        dimension = super()._dimension_of(parameters)
        if dimension == 1 and parameters > 1:
            raise ValueError(
                f"{parameters} parameters are a mean and a variance, or means without their covariance; "
                "say the first with dimension=1, or give the covariance with Gaussian(covariance=...)"
            )
        return dimension

    def _build(self, dimension: int, names: list[str]) -> _core.Model:
        return _core.Model.gaussian(dimension, self._settings["shape"], known_covariance(self._settings["covariance"]))


class GaussianMixture(Model):
    """A mixture of normal distributions.

    Parameters
    ----------
    components
        How many; or several that follow each other, as ``(1, 5)`` or ``range(1, 6)``, from which :func:`fit` chooses
        (:attr:`FitResult.selection` says why) and which :func:`compare` lays side by side.
    covariance
        The covariance of every component, where it is known.
    shape
        The shape of unknown covariances: ``"full"``, ``"shared"`` or ``"spherical"``.
    estimate_weights
        Whether the weights of the components are estimated; else they are equal.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.GaussianMixture(2, covariance=1.0)
    GaussianMixture(components=2, covariance=1.0, shape='full', estimate_weights=False)
    """

    def __init__(
        self,
        components: int | tuple[int, int] | range,
        covariance: Any = None,
        shape: str = "full",
        estimate_weights: bool = False,
    ) -> None:
        self._settings = {
            "components": components,
            "covariance": covariance,
            "shape": shape,
            "estimate_weights": estimate_weights,
        }

    def _candidates(self) -> dict[str, GaussianMixture] | None:
        """A mixture for each number of components, by name; None where there is one number."""
        given = self._settings["components"]
        if isinstance(given, range):
            numbers = list(given)
        elif isinstance(given, tuple):
            if len(given) != 2:
                raise ValueError(f"components={given!r} is not a range; give the first and the last number, such as (1, 5)")
            first, last = (as_count(number, "components") for number in given)
            if first > last:
                raise ValueError(f"components={given!r} counts down; write ({last}, {first})")
            numbers = list(range(first, last + 1))
        else:
            return None
        if not numbers or min(numbers) < 1:
            raise ValueError(f"components={given!r} holds no numbers from 1 on; give a range such as (1, 5)")
        others = {name: value for name, value in self._settings.items() if name != "components"}
        return {f"gaussian-mixture {number}": GaussianMixture(number, **others) for number in numbers}

    def _build(self, dimension: int, names: list[str]) -> _core.Model:
        given = self._settings
        if isinstance(given["components"], (tuple, range)):
            raise ValueError(
                f"components={given['components']!r} is a range, from which only fit chooses and of which compare shows "
                "all; give one number"
            )
        return _core.Model.mixture(
            dimension,
            as_count(given["components"], "components"),
            given["shape"],
            known_covariance(given["covariance"]),
            given["estimate_weights"],
        )


class Formula(Model):
    """A log-density written as a formula, which is differentiated exactly.

    Parameters
    ----------
    log_density
        The formula, in the columns (``x1``, ``x2``, .. or their names) and in named parameters.
    start
        The parameters, each with a value to start from.

    Examples
    --------
    >>> import steinbound as sb
    >>> waits = [[0.3], [1.7], [0.8], [2.9], [0.1], [1.1]]
    >>> model = sb.Formula("-rate*x1", start={"rate": 1.0})
    >>> sb.fit(waits, domain=sb.Interval(0, 3), model=model).names
    ['rate']
    """

    def __init__(self, log_density: str, start: Mapping[str, float]) -> None:
        if not isinstance(log_density, str):
            raise TypeError(f"a formula is text, not a {type(log_density).__name__}")
        self._settings = {"log_density": log_density, "start": _named(start)}

    def _build(self, dimension: int, names: list[str]) -> _core.Model:
        return _core.Model.formula(self._settings["log_density"], names, list(self._settings["start"].items()))


def _named(start: Any) -> dict[str, float]:
    """Parameters with their values."""
    if not isinstance(start, Mapping) or not start:
        raise TypeError('start names the parameters, each with a value: {"mu": 0.0, "s": 1.0}')
    return {str(name): float(value) for name, value in start.items()}


def _tree(start: Any) -> Tree:
    """Parameters of a function written in Python."""
    if start is None or (isinstance(start, Mapping) and not start):
        raise TypeError('start names the parameters, each with a value: {"mu": 0.0, "s": 1.0}')
    return Tree(start)


class _Written(Model):
    """A model whose functions are written in Python."""

    _functions: Functions
    _tree: Tree

    def _flat(self, given: Any, what: str) -> Any:
        # Parameters by name and in order are known elsewhere.
        is_named = isinstance(given, Mapping) and set(given) <= set(self._tree.names)
        is_row = isinstance(given, np.ndarray) or (isinstance(given, Sequence) and all(map(np.isscalar, given)))
        return given if given is None or self._tree.is_flat or is_named or is_row else self._tree.flat(given, what)

    def _has_log_density(self) -> bool:
        return self._functions.has_log_density

    def _build(self, dimension: int, names: list[str]) -> _core.Model:
        functions = self._functions
        return _core.Model.callback(
            self._settings["name"],
            dimension,
            self._tree.names,
            self._tree.values,
            functions.evaluate,
            functions.log_densities if functions.has_log_density else None,
            functions.curvature if functions.has_curvature else None,
        )


class Score(_Written):
    """A density given by its score, the gradient of its log-density in the point.

    Parameters
    ----------
    score
        ``score(X, theta)``: an array like ``X``, n by d, for parameters ``theta`` of length p.
    start
        The parameters, each with a value to start from. Where some are arrays, or they are nested in dictionaries, lists
        or tuples, functions get them in that structure instead of ``theta``, and results have
        :attr:`FitResult.params_tree`; names are ``w[0]``, ``layer.w[0,1]``.
    jacobian
        ``jacobian(X, theta)``: the derivative of the score in the parameters, n by d by p; central differences by
        default.
    log_density
        ``log_density(X, theta)``: n values up to a constant; needed only for densities, samples and truncated maximum
        likelihood.
    name
        What results call it.

    Examples
    --------
    >>> import steinbound as sb
    >>> X = [[-0.5], [0.1], [0.9], [0.3], [-0.2]]
    >>> model = sb.Score(lambda X, theta: theta - X, start={"mean": 0.0})
    >>> given = {"domain": sb.Interval(-1, 1), "bandwidth": 1.0}
    >>> written = sb.fit(X, model=model, **given).params["mean"]
    >>> built_in = sb.fit(X, model=sb.Gaussian(covariance=1.0), **given).params["mean[x1]"]
    >>> bool(abs(written - built_in) < 1e-6)
    True
    """

    def __init__(
        self,
        score: Callable[[NDArray[np.float64], NDArray[np.float64]], Any],
        start: Any,
        *,
        jacobian: Callable[[NDArray[np.float64], NDArray[np.float64]], Any] | None = None,
        log_density: Callable[[NDArray[np.float64], NDArray[np.float64]], Any] | None = None,
        name: str = "score",
    ) -> None:
        self._settings, self._tree = {"start": start, "name": name}, _tree(start)
        self._functions = ScoreFunctions(score, jacobian, log_density, self._tree)


class LogDensity(_Written):
    """A log-density written for JAX or PyTorch, which differentiates it.

    Parameters
    ----------
    log_density
        ``log_density(x, theta)`` of one point ``x`` of length d and parameters of length p: a number up to a constant,
        computed with the functions of the backend.
    start
        The parameters, each with a value to start from. Where some are arrays, or they are nested, the function gets
        them in that structure instead of ``theta``, as for :class:`Score`. Also any structure that ``jax.tree_util``
        knows, such as a module of Equinox, whose floating-point arrays are estimated; or a module of PyTorch, in whose
        place the function gets one that calls it.
    backend
        ``"jax"`` or ``"torch"``, which must be installed.
    name
        What results call it.
    """

    def __init__(
        self,
        log_density: Callable[[Any, Any], Any],
        start: Any,
        *,
        backend: str = "jax",
        name: str = "log-density",
    ) -> None:
        self._settings, self._tree = {"start": start, "backend": backend, "name": name}, _tree(start)
        self._functions = differentiated(log_density, backend, self._tree)


def as_model(value: Any, start: Any) -> tuple[Model, list[float] | Mapping[str, float] | None]:
    """The model that a value stands for, and where its search starts.

    Text is the name of a model, or else a formula, whose parameters the start names.
    """
    if value is None or value == "gaussian":
        return Gaussian(), _starting(start)
    if isinstance(value, Model):
        return value, _starting(value._flat(start, "start"))
    if isinstance(value, str):
        if value in FAMILIES:
            return _named_family(FAMILIES[value]["name"]), _starting(start)
        if not isinstance(start, Mapping):
            refuse_misspelt(value)
            raise ValueError('name the parameters of the formula, each with a value to start from: start={"mu": 0.0}')
        return Formula(value, start), None
    raise TypeError(f"a model cannot be made of a {type(value).__name__}; give one such as Gaussian(), or a formula")


def refuse_misspelt(name: str) -> None:
    """Refuses a text that is nearly the name of a model."""
    is_name = re.fullmatch(r"[A-Za-z][\w \-]*", name.strip()) is not None
    near = get_close_matches(name.strip().lower(), FAMILIES, 1)
    if is_name and near:
        raise ValueError(f"there is no model {name!r}; did you mean {near[0]!r}? Those there are: {', '.join(FAMILIES)}")


def _named_family(name: str) -> Model:
    """A model by its name alone."""
    if name == "gaussian-mixture":
        raise ValueError("a mixture needs its number of components; give GaussianMixture(2), or another number")
    found: Model = getattr(_families, class_name(name))()
    return found


def _starting(start: Any) -> list[float] | Mapping[str, float] | None:
    if start is None or isinstance(start, Mapping):
        return start
    values: Sequence[float] = np.asarray(start, dtype=np.float64).ravel().tolist()
    return list(values)
