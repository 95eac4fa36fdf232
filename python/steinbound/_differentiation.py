"""Densities that users write for JAX or PyTorch, with the derivatives that estimation needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["DifferentiableDensity", "jax_density", "torch_density"]

Floats = NDArray[np.float64]
Batched = Callable[[Floats, Floats], Floats]

# Rows that are differentiated at once: the derivatives of more would need memory without being faster.
BLOCK = 8192


@dataclass(frozen=True)
class DifferentiableDensity:
    """An unnormalised log-density with its derivatives at many points, in double precision.

    Made by :func:`jax_density` and :func:`torch_density`. Every method takes points of shape ``(n, d)`` and
    parameters of shape ``(p,)``.
    """

    library: str
    _value: Batched
    _score: Batched
    _score_jacobian: Batched
    _slope: Batched
    _slope_jacobian: Batched

    def log_densities(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The log-density at each point, of shape ``(n,)``."""
        return self._at(self._value, X, theta, ())

    def scores(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """Its gradient in the point, of shape ``(n, d)``."""
        return self._at(self._score, X, theta, ("d",))

    def score_jacobians(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The derivative of the score in the parameters, of shape ``(n, d, p)``."""
        return self._at(self._score_jacobian, X, theta, ("d", "p"))

    def slopes(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The derivative of each coordinate of the score in that coordinate, of shape ``(n, d)``."""
        return self._at(self._slope, X, theta, ("d",))

    def slope_jacobians(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The derivative of the slopes in the parameters, of shape ``(n, d, p)``."""
        return self._at(self._slope_jacobian, X, theta, ("d", "p"))

    def _at(self, batched: Batched, X: ArrayLike, theta: ArrayLike, axes: tuple[str, ...]) -> Floats:
        points, parameters = np.asarray(X, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        if points.ndim != 2:
            raise ValueError(f"points have {points.ndim} dimensions; give one point in each row")
        if parameters.ndim != 1:
            raise ValueError(f"parameters have {parameters.ndim} dimensions; give one number for each")
        sizes = {"d": points.shape[1], "p": parameters.shape[0]}
        result = np.empty((len(points), *(sizes[axis] for axis in axes)))
        # No derivative is asked for where there is none: the libraries refuse empty directions.
        if result.size > 0:
            for first in range(0, len(points), BLOCK):
                result[first : first + BLOCK] = batched(points[first : first + BLOCK], parameters)
        return result


def _scalar_message(shape: tuple[int, ...]) -> str:
    return (
        f"log_density returned an array of shape {tuple(shape)} for one point; it takes a point of shape "
        "(d,) and parameters of shape (p,), and returns one number"
    )


def jax_density(log_density: Callable[[Any, Any], Any]) -> DifferentiableDensity:
    """The derivatives of a log-density written with ``jax.numpy``.

    They are compiled, and computed in double precision whatever JAX is set to, which stays as it is. Arrays
    that the function holds should be NumPy arrays in double precision: those of JAX are in single precision
    by default.

    Parameters
    ----------
    log_density
        Takes one point of shape ``(d,)`` and parameters of shape ``(p,)``, returns the log-density there, up
        to a constant.

    Raises
    ------
    ImportError
        Where JAX is not installed.

    Examples
    --------
    >>> density = jax_density(lambda x, theta: -((x - theta) ** 2).sum() / 2)  # doctest: +SKIP
    >>> density.scores([[1.0], [3.0]], [2.0])  # doctest: +SKIP
    array([[ 1.],
           [-1.]])
    """
    try:
        import jax
        import jax.numpy as jnp
    except ImportError as error:
        raise ImportError(
            "this density is differentiated by JAX; install it with: pip install jax"
        ) from error

    def value(x: Any, theta: Any) -> Any:
        result = jnp.asarray(log_density(x, theta))
        if result.shape != ():
            raise ValueError(_scalar_message(result.shape))
        return result.astype(x.dtype)

    score = jax.grad(value)

    def slope(x: Any, theta: Any) -> Any:
        def along(direction: Any) -> Any:
            return jax.jvp(lambda at: score(at, theta), (x,), (direction,))[1] @ direction

        return jax.vmap(along)(jnp.eye(x.size, dtype=x.dtype))

    def in_parameters(of: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def jacobian(x: Any, theta: Any) -> Any:
            # One pass for each parameter, or one for each coordinate: whichever are fewer.
            return (jax.jacrev if theta.size > x.size else jax.jacfwd)(of, argnums=1)(x, theta)

        return jacobian

    double_precision = jax.enable_x64 if hasattr(jax, "enable_x64") else _older_double_precision()

    def batched(of: Callable[[Any, Any], Any]) -> Batched:
        compiled = jax.jit(jax.vmap(of, in_axes=(0, None)))

        def at(points: Floats, theta: Floats) -> Floats:
            with double_precision(True):
                return np.asarray(compiled(points, theta), dtype=np.float64)

        return at

    functions = (value, score, in_parameters(score), slope, in_parameters(slope))
    return DifferentiableDensity("jax", *map(batched, functions))


def _older_double_precision() -> Any:
    """The context manager that JAX had before version 0.8."""
    return import_module("jax.experimental").enable_x64


def torch_density(log_density: Callable[[Any, Any], Any]) -> DifferentiableDensity:
    """The derivatives of a log-density written with ``torch``.

    They are computed in double precision on the processor; tensors that the function holds should be so, too.

    Parameters
    ----------
    log_density
        Takes one point of shape ``(d,)`` and parameters of shape ``(p,)``, returns the log-density there, up
        to a constant.

    Raises
    ------
    ImportError
        Where PyTorch is not installed, or older than version 2.

    Examples
    --------
    >>> density = torch_density(lambda x, theta: -((x - theta) ** 2).sum() / 2)  # doctest: +SKIP
    >>> density.scores([[1.0], [3.0]], [2.0])  # doctest: +SKIP
    array([[ 1.],
           [-1.]])
    """
    try:
        import torch
        from torch.func import grad, jacrev, vmap
    except ImportError as error:
        remedy = 'install version 2 or newer with: pip install "torch>=2"'
        raise ImportError(f"this density is differentiated by PyTorch; {remedy}") from error

    def value(x: Any, theta: Any) -> Any:
        result = torch.as_tensor(log_density(x, theta))
        if result.shape != ():
            raise ValueError(_scalar_message(result.shape))
        return result.to(x.dtype)

    score = grad(value)
    hessian = jacrev(score)

    def slope(x: Any, theta: Any) -> Any:
        return torch.diagonal(hessian(x, theta))

    def batched(of: Callable[[Any, Any], Any]) -> Batched:
        mapped = vmap(of, in_dims=(0, None))

        def at(points: Floats, theta: Floats) -> Floats:
            given = torch.tensor(points, dtype=torch.float64), torch.tensor(theta, dtype=torch.float64)
            return np.asarray(mapped(*given).detach().numpy(), dtype=np.float64)

        return at

    functions = (value, score, jacrev(score, argnums=1), slope, jacrev(slope, argnums=1))
    return DifferentiableDensity("torch", *map(batched, functions))
