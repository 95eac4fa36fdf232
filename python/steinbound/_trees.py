"""Parameters as users have them, nested and in arrays, and as the engine has them, one after the other."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tree"]

EXAMPLE = 'give numbers or arrays by name, such as start={"w": np.zeros(3), "b": 0.0}'


class Tree:
    """A structure of numbers and arrays with a name for each number.

    It may be made of dictionaries, lists, tuples, arrays and tensors, be a module of PyTorch, or any structure that
    ``jax.tree_util`` knows, such as a module of Equinox.

    Attributes
    ----------
    names, values
        Of the numbers, in order.
    is_flat
        Whether it is a dictionary of numbers, which functions get as one array.

    Examples
    --------
    >>> tree = Tree({"layer": {"w": np.zeros((1, 2)), "b": 1.0}, "scale": 2.0})
    >>> tree.names
    ['layer.w[0,0]', 'layer.w[0,1]', 'layer.b', 'scale']
    >>> tree.rebuilt(np.arange(4.0))["layer"]
    {'w': array([[0., 1.]]), 'b': 2.0}
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self.is_flat = isinstance(given, Mapping) and all(_is_scalar(value) for value in given.values())
        leaves = list(_leaves(given, ""))
        self.names = [name + index for name, leaf in leaves for index in _indices(leaf)]
        self.values = [float(value) for _, leaf in leaves for value in np.ravel(leaf)]
        if not self.names:
            raise TypeError(f"start has no parameters; {EXAMPLE}")
        again = next((name for at, name in enumerate(self.names) if name in self.names[:at]), None)
        if again is not None:
            raise ValueError(f"start has two parameters {again!r}; give every one its own name")

    def rebuilt(self, theta: Any) -> Any:
        """The structure with other numbers: with arrays of the library that the numbers come in.

        A module of PyTorch becomes a function that calls the module with these parameters.
        """
        return _filled(self.given, _Reader(theta))

    def result(self, theta: NDArray[np.float64]) -> Any:
        """The structure as results have it, where a module of PyTorch is its parameters by name."""
        return _filled(self.given, _Reader(theta, is_result=True))

    def flat(self, given: Any, what: str) -> list[float]:
        """The numbers of a structure like this one."""
        other = Tree(given)
        if other.names != self.names:
            raise ValueError(
                f"{what} has the parameters {_few(other.names)}, and the model has {_few(self.names)}; give the same structure"
            )
        return other.values


class _Reader:
    """Numbers that are taken one leaf at a time."""

    def __init__(self, theta: Any, is_result: bool = False) -> None:
        self._theta, self._at, self.is_result = theta, 0, is_result

    def take(self, leaf: NDArray[np.float64]) -> Any:
        first, self._at = self._at, self._at + leaf.size
        if leaf.ndim > 0:
            return self._theta[first : self._at].reshape(leaf.shape)
        value = self._theta[first]
        return float(value) if isinstance(self._theta, np.ndarray) else value


def _few(names: list[str]) -> str:
    return ", ".join(names[:6]) + (", .." if len(names) > 6 else "")


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (numbers.Real, np.bool_)) or getattr(value, "shape", None) == ()


def _is_module(value: Any) -> bool:
    """Whether a value is a module of PyTorch, or acts as one."""
    return callable(getattr(value, "named_parameters", None)) and callable(value)


def _is_array(value: Any) -> bool:
    return _is_scalar(value) or (hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "__array__"))


def _as_array(value: Any, name: str) -> NDArray[np.float64]:
    for method in ("detach", "cpu"):
        value = getattr(value, method)() if hasattr(value, method) else value
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"start: {name or 'the parameter'} is a {type(value).__name__}, which holds no numbers; {EXAMPLE}") from None


def _indices(leaf: NDArray[np.float64]) -> Iterator[str]:
    """How the numbers of an array are named."""
    if leaf.ndim == 0:
        yield ""
    for place in np.ndindex(*leaf.shape) if leaf.ndim > 0 else ():
        yield f"[{','.join(map(str, place))}]"


def _leaves(part: Any, name: str) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """The arrays of a structure with their names, in the order in which it is filled again."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    elif isinstance(part, (list, tuple)):
        fields = getattr(part, "_fields", None)
        for place, value in enumerate(part):
            own = f"[{place}]" if fields is None else f".{fields[place]}" if name else fields[place]
            yield from _leaves(value, f"{name}{own}")
    elif _is_module(part) and not _known_to_jax(part):
        yield from _module_leaves(part, name)
    elif _is_array(part):
        yield name, _as_array(part, name)
    else:
        for path, leaf in _jax_leaves(part, name):
            if _is_number_array(leaf):
                yield f"{name}{path}".removeprefix("."), _as_array(leaf, name)


def _module_leaves(module: Any, name: str = "") -> Iterator[tuple[str, NDArray[np.float64]]]:
    for own, value in module.named_parameters():
        yield f"{name}.{own}" if name else str(own), _as_array(value, str(own))


def _filled(part: Any, reader: _Reader) -> Any:
    """The structure with its arrays taken from a reader."""
    if isinstance(part, Mapping):
        filled = {key: _filled(value, reader) for key, value in part.items()}
        kind: Any = type(part)
        return filled if kind is dict else kind(filled)
    if isinstance(part, (list, tuple)):
        items = [_filled(value, reader) for value in part]
        return type(part)(*items) if hasattr(part, "_fields") else type(part)(items)
    if _is_module(part) and not _known_to_jax(part):
        parameters = {name: reader.take(leaf) for name, leaf in _module_leaves(part)}
        return parameters if reader.is_result else _called(part, parameters)
    if _is_array(part):
        return reader.take(_as_array(part, ""))
    from jax import tree_util

    leaves, structure = tree_util.tree_flatten(part)
    taken = [reader.take(_as_array(leaf, "")) if _is_number_array(leaf) else leaf for leaf in leaves]
    return tree_util.tree_unflatten(structure, taken)


def _called(module: Any, parameters: dict[str, Any]) -> Callable[..., Any]:
    """A module with other parameters, as a function."""
    own = getattr(module, "functional_call", None)
    if own is not None:
        return lambda *args, **kwargs: own(parameters, args, kwargs)
    from torch.func import functional_call

    return lambda *args, **kwargs: functional_call(module, parameters, args, kwargs)


def _known_to_jax(part: Any) -> bool:
    """Whether a structure is registered with JAX; those of PyTorch are not."""
    import sys

    jax = sys.modules.get("jax")
    return jax is not None and not jax.tree_util.all_leaves([part])


def _jax_leaves(part: Any, name: str) -> list[tuple[str, Any]]:
    refusal = f"start: {name or 'it'} is a {type(part).__name__}, which is no structure of numbers; {EXAMPLE}"
    if part is None or isinstance(part, (str, bytes)):
        raise TypeError(refusal)
    try:
        from jax import tree_util
    except ImportError:
        raise TypeError(refusal) from None
    found, _ = tree_util.tree_flatten_with_path(part)
    if len(found) == 1 and found[0][1] is part:
        raise TypeError(refusal)
    return [(tree_util.keystr(path).replace("['", ".").replace("']", ""), leaf) for path, leaf in found]


def _is_number_array(leaf: Any) -> bool:
    """Whether a leaf is estimated: whole numbers and functions in a structure are part of it."""
    kind = getattr(getattr(leaf, "dtype", None), "kind", None)
    return isinstance(leaf, float) or kind == "f"
