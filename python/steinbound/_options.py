"""The options of the functions, for type checkers and readers.

Written by tools/python_options.py from the engine's list of options; ``make python-reference`` writes it anew.
"""

from __future__ import annotations

from typing import TypedDict

__all__ = ["Options"]


class Options(TypedDict, total=False):
    """Settings that are rarely changed, as the command line has them.

    Attributes
    ----------
    distance
        The distance to the boundary for bdksd and truncsm: ``exact``, ``nearest``, ``axes`` (default: exact where
        the domain is known). Where a domain has no formula for it, truncsm measures along the axes and bdksd to the
        nearest of many boundary points; a bias by too few of them is measured and warned of.
    distance_norm
        The norm in which the nearest boundary point is sought: ``1``, ``2``, ``inf`` (default: 2).
    distance_power
        The power to which bdksd and truncsm raise the distance (default: 1).
    compute
        How pairs of points are held: ``auto``, ``dense``, ``tiled``, ``low-rank`` (default: auto).
    tolerance
        The share of the kernel that landmarks may leave out (default: 0.001).
    max_iterations
        The most steps of a search for the estimate (default: 200). A search that would need more has not converged.
        Estimates in closed form need none.
    search_tolerance
        The length of a search's last step, relative to the parameters (default: rounding).
    boundary_points
        How many boundary points to sample from a map or a domain (default: auto). By default efficient and tksd
        place as many as bandwidth and data need, until the estimate settles; others sample 8 d^2, at least 200, at
        most 4,000, or 4,000 for distances to the nearest of them.
    boundary_sampling
        How to place sampled boundary points: ``uniform``, ``even``, ``radial`` (default: uniform).
    allow_outside
        Keep data outside the domain or the limits, which otherwise are refused.
    confidence
        The confidence level of intervals (default: 0.95).
    time_limit
        The most seconds to compute for (default: none). A search ends then, and its result so far is given as one
        that has not converged; what would have followed, such as a bootstrap, is left out. Where there is nothing
        to give yet, one message says so.
    threads
        The number of threads; results do not depend on it (default: all cores).
    """

    distance: str | None
    distance_norm: float | str
    distance_power: float | None
    compute: str
    tolerance: float | None
    max_iterations: int | None
    search_tolerance: float | None
    boundary_points: int | None
    boundary_sampling: str
    allow_outside: bool
    confidence: float
    time_limit: float | None
    threads: int | None
