"""How well points cover a boundary."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._summary import Summary

__all__ = ["BoundaryCoverage"]


class BoundaryCoverage:
    """Points on the boundary of a domain, and how well they cover it.

    Attributes
    ----------
    points
        The points, one row for each.
    """

    def __init__(self, text: str, forms: tuple[str, str, str, str]) -> None:
        self._found: dict[str, Any] = json.loads(text)
        self._summary = Summary(*forms)
        self.points: NDArray[np.float64] = np.array(self._found["points"], dtype=np.float64)

    @property
    def domain(self) -> str:
        """The domain in words."""
        return str(self._found["domain"])

    @property
    def fill_distance(self) -> float | None:
        """The largest distance from a place on the boundary to the nearest point; None where it is not known."""
        return self._measured("fill_distance")

    @property
    def mean_gap(self) -> float | None:
        """The mean distance from a place on the boundary to the nearest point; None where it is not known."""
        return self._measured("mean_gap")

    @property
    def closest_pair(self) -> float | None:
        """The smallest distance between two points; None where it is not known."""
        return self._measured("closest_pair")

    @property
    def leak(self) -> dict[str, float] | None:
        """With data: what is left of a Gaussian kernel at a point when the others are known, on average and at most."""
        found = self._found["leak"]
        return None if found is None else dict(found)

    @property
    def notes(self) -> list[str]:
        """What there is to know, such as how the boundary was found."""
        return list(self._found["notes"])

    def _measured(self, name: str) -> float | None:
        value = self._found["coverage"][name]
        return None if value is None else float(value)

    def summary(self) -> Summary:
        """The table that ``steinbound boundary`` prints."""
        return self._summary

    def _repr_html_(self) -> str:
        return self._summary.as_html()

    def __repr__(self) -> str:
        shown = "unknown" if self.fill_distance is None else f"{self.fill_distance:.4g}"
        return f"<{len(self.points)} points on the boundary of the {self.domain}: fill distance {shown}>"

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as the command line's JSON has it."""
        return dict(self._found)
