"""How a fit represents the boundary."""

from __future__ import annotations

from typing import TypedDict

__all__ = ["BoundaryUsed", "Disagreement"]


class Disagreement(TypedDict):
    """The difference of two estimates.

    Attributes
    ----------
    parameter
        The parameter in which they differ most.
    standard_errors
        The difference, in standard errors of the fit.
    """

    parameter: str
    standard_errors: float


class BoundaryUsed(TypedDict):
    """How the boundary is represented, and how far the estimate moves with another representation.

    Attributes
    ----------
    normals
        Where the normals of the boundary points come from: ``"given"``, ``"region"``, ``"neighbours"`` or
        ``"none"``.
    without_normal
        The number of boundary points without a normal.
    spacing
        The distance between boundary points near the data, in bandwidths; None where they were not placed by
        it.
    halvings
        How often the bandwidth was halved.
    tolerated_flux
        The flux through the boundary that the penalty tolerates; its strength is the number of observations over
        this.
    finer
        The move of the estimate with twice as many boundary points; None where the region is not known.
    tighter
        The move of the estimate with a tenth of the tolerated flux through the boundary; None where it was not
        measured.
    """

    normals: str
    without_normal: int
    spacing: float | None
    halvings: int
    tolerated_flux: float
    finer: Disagreement | None
    tighter: Disagreement | None
