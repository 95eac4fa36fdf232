"""Data to try things with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._named import pandas_for
from .domains import Polygon

__all__ = ["load_student_scores", "load_us_border"]


def load_us_border(as_rings: bool = False) -> Any:
    """The border of the contiguous United States with its islands, in degrees of longitude and latitude.

    Natural Earth, countries at 1:50 million, in the public domain: 52 rings with 2,436 vertices.

    Parameters
    ----------
    as_rings
        Whether to return the rings, a list of arrays of vertices, instead of a region.

    Returns
    -------
    Polygon or list of ndarray

    Examples
    --------
    >>> import steinbound as sb
    >>> states = sb.datasets.load_us_border()
    >>> states.contains([[-98.0, 39.0], [-80.0, 20.0]])
    array([ True, False])
    """
    rings: list[NDArray[np.float64]] = _core.united_states()
    return rings if as_rings else Polygon(rings)


def load_student_scores(as_frame: bool = False) -> Any:
    """Scores of 178 pupils in reading and writing, and their programme, seen only where the reading score is above 40.

    The table ``hsb2`` of the High School and Beyond survey under the names of the textbook example of truncated
    regression: ``achiv`` (reading), ``langscore`` (writing) and ``prog``.

    Parameters
    ----------
    as_frame
        Whether to return a pandas DataFrame instead of a dictionary of columns.

    Examples
    --------
    >>> import steinbound as sb
    >>> scores = sb.datasets.load_student_scores()
    >>> list(scores), len(scores["achiv"])
    (['achiv', 'langscore', 'prog'], 178)
    """
    header, *rows = (line.split(",") for line in _core.STUDENT_SCORES.splitlines())
    columns: dict[str, Any] = {}
    for name, values in zip(header, zip(*rows, strict=True), strict=True):
        columns[name] = list(values) if name == "prog" else np.array(values, dtype=np.float64)
    if not as_frame:
        return columns
    return pandas_for("as_frame=True").DataFrame(columns)
