"""Densities that users write for JAX or PyTorch, with the derivatives that estimation needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["DifferentiableDensity", "jax_density", "torch_density"]

Floats = NDArray[np.float64]
Batched = Callable[[Floats, Floats], Sequence[Floats]]

# Rows that are differentiated at once: the derivatives of more would need memory without being faster.
BLOCK = 8192


#: What can be asked for, with the axes of one point's result: coordinates d, parameters p.
PARTS: dict[str, tuple[str, ...]] = {
    "log_density": (),
    "score": ("d",),
    "slope": ("d",),
    "score_jacobian": ("d", "p"),
    "slope_jacobian": ("d", "p"),
}


@dataclass(frozen=True)
class DifferentiableDensity:
    """An unnormalised log-density with its derivatives at many points, in double precision.

    Made by :func:`jax_density` and :func:`torch_density`. Every method takes points of shape ``(n, d)`` and
    parameters of shape ``(p,)``.
    """

    library: str
    _make: Callable[[tuple[str, ...]], Batched]
    _curvature: Callable[[bool], Callable[[Floats, Floats, Floats], Floats]]
    _made: dict[tuple[str, ...], Batched] = field(default_factory=dict)
    _seconds: dict[tuple[str, str], Callable[[Floats, Floats, Floats], Floats]] = field(default_factory=dict)

    def log_densities(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The log-density at each point, of shape ``(n,)``."""
        return self.parts(("log_density",), X, theta)[0]

    def scores(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """Its gradient in the point, of shape ``(n, d)``."""
        return self.parts(("score",), X, theta)[0]

    def score_jacobians(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The derivative of the score in the parameters, of shape ``(n, d, p)``."""
        return self.parts(("score_jacobian",), X, theta)[0]

    def slopes(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The derivative of each coordinate of the score in that coordinate, of shape ``(n, d)``."""
        return self.parts(("slope",), X, theta)[0]

    def slope_jacobians(self, X: ArrayLike, theta: ArrayLike) -> Floats:
        """The derivative of the slopes in the parameters, of shape ``(n, d, p)``."""
        return self.parts(("slope_jacobian",), X, theta)[0]

    def curvature(self, X: ArrayLike, theta: ArrayLike, weights: ArrayLike) -> Floats:
        """The second derivatives in the parameters of scores and slopes, each times its weight, of shape ``(p, p)``.

        Weights have shape ``(n, d)`` for scores alone, ``(n, 2 d)`` for scores and then slopes.
        """
        points, parameters = np.asarray(X, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        factors = np.asarray(weights, dtype=np.float64)
        key = ("curvature", "slope" if factors.shape[1] > points.shape[1] else "score")
        if key not in self._seconds:
            self._seconds[key] = self._curvature(key[1] == "slope")
        total = np.zeros((len(parameters), len(parameters)))
        for first in range(0, len(points), BLOCK):
            block = _padded(points[first : first + BLOCK])
            # Rows that only fill a block have no weight.
            own = np.zeros((len(block), factors.shape[1]))
            own[: len(factors[first : first + BLOCK])] = factors[first : first + BLOCK]
            total += self._seconds[key](block, parameters, own)
        return total

    def parts(self, wanted: tuple[str, ...], X: ArrayLike, theta: ArrayLike) -> list[Floats]:
        """Several of these by one call of the library for each block of points."""
        points, parameters = np.asarray(X, dtype=np.float64), np.asarray(theta, dtype=np.float64)
        if points.ndim != 2:
            raise ValueError(f"points have {points.ndim} dimensions; give one point in each row")
        if parameters.ndim != 1:
            raise ValueError(f"parameters have {parameters.ndim} dimensions; give one number for each")
        sizes = {"d": points.shape[1], "p": parameters.shape[0]}
        results = [np.empty((len(points), *(sizes[axis] for axis in PARTS[part]))) for part in wanted]
        # No derivative is asked for where there is none: the libraries refuse empty directions.
        if all(result.size > 0 for result in results):
            if wanted not in self._made:
                self._made[wanted] = self._make(wanted)
            for first in range(0, len(points), BLOCK):
                block = points[first : first + BLOCK]
                found = self._made[wanted](_padded(block), parameters)
                for result, part in zip(results, found, strict=True):
                    result[first : first + BLOCK] = part[: len(block)]
        return results


def _padded(block: Floats) -> Floats:
    """A block with its last row repeated up to a power of two: what is compiled depends on the number of rows."""
    rows = min(max(1 << (len(block) - 1).bit_length(), 16), BLOCK)
    return block if rows == len(block) else np.concatenate([block, np.repeat(block[-1:], rows - len(block), axis=0)])


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

    functions = {
        "log_density": value,
        "score": score,
        "slope": slope,
        "score_jacobian": in_parameters(score),
        "slope_jacobian": in_parameters(slope),
    }

    def batched(wanted: tuple[str, ...]) -> Batched:
        def all_of(x: Any, theta: Any) -> Any:
            return [functions[part](x, theta) for part in wanted]

        compiled = jax.jit(jax.vmap(all_of, in_axes=(0, None)))

        def at(points: Floats, theta: Floats) -> list[Floats]:
            with double_precision(True):
                return [np.asarray(part, dtype=np.float64) for part in compiled(points, theta)]

        return at

    def curvature(with_slopes: bool) -> Callable[[Floats, Floats, Floats], Floats]:
        def weighed(theta: Any, x: Any, weights: Any) -> Any:
            size = x.shape[0]
            total = score(x, theta) @ weights[:size]
            return total + slope(x, theta) @ weights[size:] if with_slopes else total

        def summed(theta: Any, points: Any, weights: Any) -> Any:
            return jax.vmap(weighed, in_axes=(None, 0, 0))(theta, points, weights).sum()

        compiled = jax.jit(jax.hessian(summed))

        def at(points: Floats, theta: Floats, weights: Floats) -> Floats:
            with double_precision(True):
                return np.asarray(compiled(theta, points, weights), dtype=np.float64)

        return at

    return DifferentiableDensity("jax", batched, curvature)


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

    functions = {
        "log_density": value,
        "score": score,
        "slope": slope,
        "score_jacobian": jacrev(score, argnums=1),
        "slope_jacobian": jacrev(slope, argnums=1),
    }

    def batched(wanted: tuple[str, ...]) -> Batched:
        def all_of(x: Any, theta: Any) -> Any:
            return tuple(functions[part](x, theta) for part in wanted)

        mapped = vmap(all_of, in_dims=(0, None))

        def at(points: Floats, theta: Floats) -> list[Floats]:
            given = torch.tensor(points, dtype=torch.float64), torch.tensor(theta, dtype=torch.float64)
            return [np.asarray(part.detach().numpy(), dtype=np.float64) for part in mapped(*given)]

        return at

    def curvature(with_slopes: bool) -> Callable[[Floats, Floats, Floats], Floats]:
        def weighed(theta: Any, x: Any, weights: Any) -> Any:
            size = x.shape[0]
            total = (score(x, theta) * weights[:size]).sum()
            return total + (slope(x, theta) * weights[size:]).sum() if with_slopes else total

        def summed(theta: Any, points: Any, weights: Any) -> Any:
            return vmap(weighed, in_dims=(None, 0, 0))(theta, points, weights).sum()

        second = jacrev(grad(summed))

        def at(points: Floats, theta: Floats, weights: Floats) -> Floats:
            given = (torch.tensor(part, dtype=torch.float64) for part in (theta, points, weights))
            return np.asarray(second(*given).detach().numpy(), dtype=np.float64)

        return at

    return DifferentiableDensity("torch", batched, curvature)
