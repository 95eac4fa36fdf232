"""Models that have a name.

Written by tools/python_models.py from the engine's list of models; ``make python-reference`` writes it anew.
"""

from __future__ import annotations

from ._model import NamedModel

__all__ = [
    "Beta",
    "Exponential",
    "Gamma",
    "Lognormal",
    "Pareto",
    "StudentT",
    "VonMises",
    "Weibull",
]


class Exponential(NamedModel):
    """Waiting times at a constant rate.

    Parameters
    ----------
    rate
        Events per unit; 1/mean if not truncated. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.Exponential()
    """

    _family = "exponential"

    def __init__(self, rate: float | None = None) -> None:
        self._settings = {"rate": rate}


class Gamma(NamedModel):
    """Positive amounts, from steep (shape below 1) to bell-shaped.

    Parameters
    ----------
    shape
        The power at zero, plus one. None where it is estimated.
    rate
        The decay at large values; mean = shape/rate. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.Gamma()
    """

    _family = "gamma"

    def __init__(self, shape: float | None = None, rate: float | None = None) -> None:
        self._settings = {"shape": shape, "rate": rate}


class Weibull(NamedModel):
    """Lifetimes and wind speeds.

    Parameters
    ----------
    shape
        Above 1 the risk grows with age, below it falls. None where it is estimated.
    scale
        The value below which 63 % lie if not truncated. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.Weibull()
    """

    _family = "weibull"

    def __init__(self, shape: float | None = None, scale: float | None = None) -> None:
        self._settings = {"shape": shape, "scale": scale}


class Lognormal(NamedModel):
    """Positive amounts whose logarithm is normal.

    Parameters
    ----------
    location
        The mean of the logarithm if not truncated. None where it is estimated.
    scale
        The standard deviation of the logarithm. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.Lognormal()
    """

    _family = "lognormal"

    def __init__(self, location: float | None = None, scale: float | None = None) -> None:
        self._settings = {"location": location, "scale": scale}


class Pareto(NamedModel):
    """A power law, x to the power of minus the exponent, above a minimum.

    Parameters
    ----------
    exponent
        The power of the density, 1 + the index of the tail. None where it is estimated.
    minimum
        Where the power law begins, if not at the region's edge. None where the region says it.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.Pareto()
    """

    _family = "pareto"

    def __init__(self, exponent: float | None = None, minimum: float | None = None) -> None:
        self._settings = {"exponent": exponent, "minimum": minimum}


class Beta(NamedModel):
    """Shares between 0 and 1.

    Parameters
    ----------
    alpha
        The power at 0, plus one. None where it is estimated.
    beta
        The power at 1, plus one. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.Beta()
    """

    _family = "beta"

    def __init__(self, alpha: float | None = None, beta: float | None = None) -> None:
        self._settings = {"alpha": alpha, "beta": beta}


class VonMises(NamedModel):
    """Directions, as angles in radians; a region is an arc, such as interval(0, 1.5).

    Parameters
    ----------
    direction
        The angle of the peak. None where it is estimated.
    concentration
        0 is uniform; large ones are 1/variance. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.VonMises()
    """

    _family = "von-mises"

    def __init__(self, direction: float | None = None, concentration: float | None = None) -> None:
        self._settings = {"direction": direction, "concentration": concentration}


class StudentT(NamedModel):
    """Bell-shaped with heavy tails.

    Parameters
    ----------
    location
        The centre. None where it is estimated.
    scale
        The spread. None where it is estimated.
    degrees
        Degrees of freedom; smaller ones have heavier tails. None where it is estimated.

    Examples
    --------
    >>> import steinbound as sb
    >>> model = sb.models.StudentT()
    """

    _family = "student-t"

    def __init__(self, location: float | None = None, scale: float | None = None, degrees: float | None = None) -> None:
        self._settings = {"location": location, "scale": scale, "degrees": degrees}
