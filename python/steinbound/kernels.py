"""Kernels: how alike two points are, as a function of their distance in bandwidths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._kinds import check_kinds

__all__ = ["IMQ", "GaussianKernel", "Kernel", "Matern52", "RationalQuadratic"]


@dataclass(frozen=True)
class Kernel:
    """A kernel with its bandwidth.

    Parameters
    ----------
    bandwidth
        The width, in the units of the data; None for the median distance between observations.
    """

    bandwidth: float | None = None

    #: The name by which the command line knows it.
    name: ClassVar[str] = ""


@dataclass(frozen=True)
class GaussianKernel(Kernel):
    """``exp(-q / 2)`` of ``q = |x - y|^2 / bandwidth^2``: the default, and the fastest.

    Examples
    --------
    >>> import steinbound as sb
    >>> result = sb.fit([[-0.5], [0.1], [0.9], [0.3]], domain=sb.Interval(-1, 1),
    ...                 model=sb.Gaussian(covariance=1.0), kernel=sb.GaussianKernel(bandwidth=0.7))
    >>> result.bandwidth
    0.7
    """

    name: ClassVar[str] = "gaussian"


@dataclass(frozen=True)
class IMQ(Kernel):
    """The inverse multiquadric kernel, with heavier tails."""

    name: ClassVar[str] = "imq"


@dataclass(frozen=True)
class Matern52(Kernel):
    """The Matern kernel with smoothness 5/2."""

    name: ClassVar[str] = "matern52"


@dataclass(frozen=True)
class RationalQuadratic(Kernel):
    """A mixture of Gaussian kernels of all widths."""

    name: ClassVar[str] = "rational-quadratic"


def chosen(kernel: Kernel | str, bandwidth: float | str | None) -> tuple[str, float | None]:
    """The name and the bandwidth, None for the median, of a kernel given with a bandwidth beside it."""
    if not isinstance(kernel, (Kernel, str)):
        raise TypeError(f"kernel is a {type(kernel).__name__}; give a name such as 'gaussian', or a Kernel")
    own = kernel.bandwidth if isinstance(kernel, Kernel) else None
    name = kernel.name if isinstance(kernel, Kernel) else kernel
    if isinstance(bandwidth, str):
        if bandwidth != "median":
            raise ValueError(f"unknown bandwidth {bandwidth!r}; give a positive number or 'median'")
        bandwidth = None
    if own is not None and bandwidth is not None:
        raise ValueError("the kernel has a bandwidth and another is given beside it; leave one of them out")
    width = own if own is not None else bandwidth
    check_kinds({"bandwidth": width})
    return name, None if width is None else float(width)
