"""What all models have in common, and models that the engine describes."""

from __future__ import annotations

import json
from bisect import bisect_left
from typing import Any, ClassVar

import numpy as np

from . import _core

__all__ = ["FAMILIES", "Model", "NamedModel", "class_name", "known_covariance"]


def _families() -> dict[str, dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(_core.families())
    return {name: family for family in listed for name in (family["name"], *family["aliases"])}


#: The models that have a name, by names and aliases, as the engine describes them.
FAMILIES = _families()


def class_name(name: str) -> str:
    """The name of the class of a model.

    Examples
    --------
    >>> class_name("student-t")
    'StudentT'
    """
    return "".join(part.capitalize() for part in name.split("-"))


class Model:
    """A density up to its normaliser; see its subclasses."""

    _settings: dict[str, Any]

    def _build(self, dimension: int, names: list[str]) -> _core.Model:
        raise NotImplementedError

    def _dimension_of(self, parameters: int) -> int:
        """The number of coordinates for which there is this number of parameters."""
        few, more = (self._count(dimension) for dimension in (1, 2))
        if few == more:
            raise ValueError("the parameters do not tell the number of coordinates; give it with dimension=...")
        dimension = bisect_left(range(parameters + 1), parameters, lo=1, key=self._count)
        if dimension <= parameters and self._count(dimension) == parameters:
            return dimension
        raise ValueError(f"{parameters} parameters do not fit {self!r} in any number of coordinates; check their number")

    def _flat(self, given: Any, what: str) -> Any:
        """Parameters by name or in order, from those in a structure of the user's."""
        return given

    def _has_log_density(self) -> bool:
        return True

    def _count(self, dimension: int) -> int:
        names = [f"x{axis + 1}" for axis in range(dimension)]
        return len(self._build(dimension, names).parameter_names(names))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._settings.items() if value is not None)
        return f"{type(self).__name__}({given})"


class NamedModel(Model):
    """A model that the engine describes: its parameters by name, and its choices."""

    _family: ClassVar[str]

    def _dimension_of(self, parameters: int) -> int:
        return max(parameters // max(self._count(1), 1), 1)

    def _known(self) -> dict[str, float]:
        """The parameters that are known."""
        names = [parameter["name"].replace("-", "_") for parameter in FAMILIES[self._family]["parameters"]]
        given = {name: self._settings[name] for name in names if self._settings[name] is not None}
        for name, value in given.items():
            if isinstance(value, (bool, str)) or np.ndim(value) != 0:
                raise TypeError(f"{name} is {value!r}; give a number, or None where it is to be estimated")
        return {name: float(value) for name, value in given.items()}

    def _build(self, dimension: int, names: list[str]) -> _core.Model:
        # A parameter can have the name of a choice, as the shape of a gamma density.
        own = [parameter["name"].replace("-", "_") for parameter in FAMILIES[self._family]["parameters"]]
        given = {name: value for name, value in self._settings.items() if name not in own}
        return _core.Model.family(
            self._family,
            dimension,
            shape=given.get("shape"),
            known=known_covariance(given.get("covariance")),
            components=given.get("components"),
            estimate_weights=given.get("estimate_weights", False),
            parameters=[(name.replace("_", "-"), value) for name, value in self._known().items()],
        )


def known_covariance(covariance: Any) -> Any:
    """A known covariance as the engine takes it: a number, a list of variances, or a matrix."""
    if covariance is None:
        return None
    if isinstance(covariance, str):
        raise ValueError(
            f"a covariance that is known is a number, a list of variances or a matrix, not {covariance!r}; "
            f"an unknown one gets its shape by shape={covariance!r}"
        )
    try:
        array = np.asarray(covariance, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"the covariance {covariance!r} is not numeric; give a number, variances or a matrix"
        ) from None
    if array.ndim == 0:
        return float(array)
    if array.ndim == 1:
        return array.tolist()
    if array.ndim == 2:
        return np.ascontiguousarray(array)
    raise ValueError(f"the covariance has {array.ndim} dimensions; give a number, variances or a matrix")
