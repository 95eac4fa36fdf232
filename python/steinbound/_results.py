"""Results of the functions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._boundary import BoundaryUsed
from ._inputs import as_points, seed_of
from ._kinds import as_count, check_number
from ._named import named, pandas_for, table
from ._problem import Problem, as_formulas, placed
from ._statsmodels import ModelNames, ParameterNames, StatsmodelsNames
from ._summary import Summary
from ._systems import reprojected
from ._warnings import FitWarning, warn
from .models import LogDensity, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .domains import Domain

__all__ = ["Derived", "DiscrepancyResult", "FitResult", "FitWarning", "Summary", "TestResult", "WaldTest", "warn"]


def write_page(path: str | os.PathLike[str], made: Callable[[], str]) -> None:
    """Writes a page that is made once it is known that the path is one."""
    # A number would be a file that is open already.
    file_name = os.fspath(path)
    page = made()
    with open(file_name, "w", encoding="utf-8", newline="\n") as file:
        file.write(page)


#: A table as text, HTML, LaTeX and Markdown.
Forms = tuple[str, str, str, str]


def _share(value: Any, what: str, example: str) -> float:
    check_number(value, what)
    share = float(value)
    if not 0 < share < 1:
        raise ValueError(f"{what} is {share:g}; give one between 0 and 1, such as {example}")
    return share


def _level_of(alpha: Any, level: Any) -> float | None:
    """The confidence level that one of both says; None for that of the fit.

    Examples
    --------
    >>> round(_level_of(0.05, None), 12)
    0.95
    """
    if alpha is not None and level is not None:
        raise TypeError("alpha and level say the same in two ways; give one of them")
    if alpha is not None:
        miss = _share(alpha, "alpha", "0.05")
        if miss > 0.5:
            raise ValueError(
                f"alpha is {miss:g}, so that {miss:.0%} of the intervals would miss; did you mean level={miss:g}, or alpha={1 - miss:.6g}?"
            )
        return 1 - miss
    if level is None:
        return None
    found = _share(level, "the confidence level", "0.95")
    if found < 0.5:
        raise ValueError(
            f"the confidence level is {found:g}, so that {1 - found:.0%} of the intervals would miss; did you mean "
            f"alpha={found:g}, which is level={1 - found:.6g}?"
        )
    return found


@dataclass(frozen=True)
class WaldTest:
    """A test of linear equations in the parameters."""

    hypothesis: list[str]
    statistic: float
    degrees_of_freedom: int
    p_value: float
    #: The degrees of freedom of the covariance, where p-values are by Student's t and F.
    denominator: int | None = None

    def __str__(self) -> str:
        restricted = self.degrees_of_freedom
        if self.denominator is None:
            noun = "degree" if restricted == 1 else "degrees"
            law = f"chi-square {self.statistic:.4g} with {restricted} {noun}"
        else:
            law = f"F {self.statistic / restricted:.4g} with {restricted} and {self.denominator} degrees"
        return f"Wald test of {', '.join(self.hypothesis)}: {law} of freedom, p = {self.p_value:.4g}"


@dataclass(frozen=True)
class Derived:
    """A quantity that is a function of the estimates, with its uncertainty."""

    name: str
    estimate: float
    std_error: float
    lower: float
    upper: float

    def __str__(self) -> str:
        return f"{self.name} = {self.estimate:.4g} +- {self.std_error:.4g} ({self.lower:.4g} to {self.upper:.4g})"


class DiscrepancyResult:
    """The discrepancy at given parameters; ``float`` of it is the value."""

    def __init__(self, squared: float, value: float | None, text: str, forms: Forms) -> None:
        self._described: dict[str, Any] = json.loads(text)
        self._summary = Summary(*forms)
        #: The square, which a U-statistic can make negative.
        self.squared = squared
        #: The discrepancy, or None where its square is negative.
        self.value = value

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def summary(self) -> Summary:
        """The table that the command line prints, which notebooks show as HTML."""
        return self._summary

    def _repr_html_(self) -> str:
        return self._summary.as_html()

    def __repr__(self) -> str:
        return f"DiscrepancyResult(value={self.value!r}, squared={self.squared!r})"

    @property
    def warnings(self) -> list[str]:
        """What the user should know about the data."""
        return list(self._described["warnings"])

    @property
    def warning_kinds(self) -> list[str]:
        """What each of the warnings is about, such as ``"boundary"``."""
        return list(self._described["warning_kinds"])

    @property
    def bandwidth(self) -> float | None:
        """The bandwidth in use."""
        return _bandwidth(self._described)

    @property
    def projection(self) -> dict[str, Any] | None:
        """The projection, with ``project=True``: its name, its center in degrees and the unit of the plane."""
        return _projection(self._described)

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as the command line's JSON has it."""
        return dict(self._described)


def _bandwidth(described: Mapping[str, Any]) -> float | None:
    kernel = described.get("kernel")
    return None if kernel is None else float(kernel["bandwidth"])


def _projection(described: Mapping[str, Any]) -> dict[str, Any] | None:
    found = described.get("projection")
    return None if found is None else dict(found)


class TestResult:
    """What a test of goodness of fit found."""

    #: Not a test for pytest to collect.
    __test__ = False

    def __init__(
        self,
        text: str,
        draws: NDArray[np.float64],
        forms: Forms,
        asked: tuple[Problem, list[float] | None, int, float, str | None],
    ) -> None:
        self._found: dict[str, Any] = json.loads(text)
        self._summary = Summary(*forms)
        #: What was asked, to report it.
        self._asked: tuple[Problem, list[float] | None, int, float, str | None] | None = asked
        #: The statistics that were drawn under the hypothesis.
        self.draws = draws

    def __getstate__(self) -> dict[str, Any]:
        # Functions of the user's need not be such as can be stored, which a test alone can.
        is_kept = self._asked is None or not isinstance(self._asked[0].model, (Score, LogDensity))
        return self.__dict__ if is_kept else {**self.__dict__, "_asked": None}

    @property
    def statistic(self) -> float:
        """The squared discrepancy."""
        return float(self._found["statistic"])

    @property
    def p_value(self) -> float:
        """The probability of such a statistic, or a larger one, under the hypothesis."""
        return float(self._found["p_value"])

    @property
    def rejected(self) -> bool:
        """Whether the hypothesis is rejected at the level."""
        return bool(self._found["rejected"])

    @property
    def level(self) -> float:
        """How often a true model may be rejected."""
        return float(self._found["level"])

    @property
    def trustworthy(self) -> bool:
        """Whether the level can be relied on."""
        return bool(self._found["trustworthy"])

    @property
    def notes(self) -> list[str]:
        """How to read the result."""
        return list(self._found["notes"])

    @property
    def warnings(self) -> list[str]:
        """What the user should know about the data and the fit."""
        return list(self._found["warnings"])

    @property
    def warning_kinds(self) -> list[str]:
        """What each of the warnings is about, such as ``"boundary"``."""
        return list(self._found["warning_kinds"])

    def _warn(self, known: Sequence[str] = (), degrees: Sequence[str] = ()) -> None:
        """Issues the warnings that are not known yet; why a level cannot be relied on is one, too."""
        notes = [] if self.trustworthy else self.notes
        kinds = [*("coordinates" for _ in degrees), *self.warning_kinds, *("other" for _ in notes)]
        warn([*degrees, *self.warnings, *notes], kinds, self.trustworthy, known)

    @property
    def projection(self) -> dict[str, Any] | None:
        """The projection, with ``project=True``: its name, its center in degrees and the unit of the plane."""
        return _projection(self._found)

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as the command line's JSON has it."""
        return dict(self._found)

    def summary(self) -> Summary:
        """The table that the command line prints, which notebooks show as HTML."""
        return self._summary

    def _repr_html_(self) -> str:
        return self._summary.as_html()

    def report(self, path: str | os.PathLike[str], progress: bool = False) -> None:
        """Write the HTML page that ``steinbound test --report`` writes; the test is computed again.

        Parameters
        ----------
        path
            The file, which is replaced.
        progress
            Show a bar (tqdm).
        """
        if self._asked is None:
            raise ValueError("the functions of the model were not stored with this test; run it again to report it")
        problem, at, draws, level, resampling = self._asked
        write_page(path, lambda: problem.test_report(at, draws, level, resampling, progress))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the statistic among those drawn under the hypothesis."""
        from . import plotting

        return plotting.plot_test(ax, self.draws, self.statistic, self.p_value)

    def __repr__(self) -> str:
        verdict = "rejected" if self.rejected else "not rejected"
        return f"TestResult(statistic={self.statistic:.4g}, p_value={self.p_value:.4g}, {verdict} at {self.level:g})"


class FitResult(StatsmodelsNames):
    """A finished fit: estimates with their uncertainty, and all that is needed to judge, use and repeat it.

    Attributes
    ----------
    problem
        What was given.
    boundary
        The boundary points in use, given or sampled, or None.
    trustworthy
        Whether the minimum was found, and every parameter exists and has a standard error.
    selection
        How the number of components was chosen from several: ``criterion``, ``chosen``, ``reason`` and ``candidates``
        with their values; None where nothing was chosen.
    """

    selection: dict[str, Any] | None = None

    def __init__(
        self,
        problem: Problem,
        text: str,
        table: str,
        trustworthy: bool,
        theta: list[float] | None,
        boundary: NDArray[np.float64] | None,
    ) -> None:
        self.problem = problem
        self._json = text
        self._fit: dict[str, Any] = json.loads(text)
        self._table = table
        self._theta = theta
        self.trustworthy = trustworthy
        self.boundary = boundary
        if problem.settings["tune"]:
            # What was chosen stays, for all that is asked of the fit.
            problem.settings.update(tune=False, bandwidth=self.bandwidth, ridge=self.ridge)

    # Estimates and their uncertainty.

    def _column(self, name: str) -> NDArray[np.float64]:
        values = [parameter[name] for parameter in self._fit["parameters"]]
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [parameter["name"] for parameter in self._fit["parameters"]]

    def _values(self) -> dict[str, float]:
        """The estimates by name, whether or not pandas is there."""
        return dict(zip(self.names, self.estimates.tolist(), strict=True))

    @property
    def estimates(self) -> NDArray[np.float64]:
        """The estimates, in the order of the names; NaN where one does not exist."""
        return self._column("estimate")

    @property
    def std_errors(self) -> NDArray[np.float64]:
        """The standard errors, in the order of the names."""
        return self._column("std_error")

    @property
    def params(self) -> Any:
        """The estimates by name: a Series where pandas is installed, else a dictionary."""
        return named(self.estimates, self.names)

    @property
    def params_tree(self) -> Any:
        """The estimates in the structure in which a :class:`Score` or :class:`LogDensity` got its ``start``.

        Arrays are NumPy's; for a module of PyTorch they come by name, as its ``load_state_dict`` takes them after
        ``torch.as_tensor``. For other models the estimates by name, in a dictionary.
        """
        tree = getattr(self.problem.model, "_tree", None)
        flat = dict(zip(self.names, self.estimates.tolist(), strict=True))
        return flat if tree is None else tree.result(self.estimates)

    @property
    def bse(self) -> Any:
        """The standard errors by name: a Series where pandas is installed, else a dictionary."""
        return named(self.std_errors, self.names)

    def _scores(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.estimates / self.std_errors

    @property
    def zvalues(self) -> Any:
        """Estimates divided by their standard errors, by name."""
        return named(self._scores(), self.names)

    @property
    def pvalues(self) -> Any:
        """Two-sided probabilities of such estimates where the parameter is zero, by name."""
        return named(np.array([_core.p_value(z, self._degrees) for z in self._scores()]), self.names)

    @property
    def _degrees(self) -> int | None:
        """The degrees of freedom of Student's t, where intervals and probabilities are by it."""
        return self._fit.get("degrees_of_freedom")

    def conf_int(self, alpha: float | None = None, *, level: float | None = None) -> Any:
        """Confidence intervals, one row for each parameter: a DataFrame where pandas is installed, else an array.

        Parameters
        ----------
        alpha
            The share of intervals that miss, such as 0.05, as in statsmodels; that of the fit by default.
        level
            The confidence level instead, such as 0.95.

        Examples
        --------
        >>> import numpy as np, steinbound as sb
        >>> result = sb.fit([[1.0], [2.0], [6.0], [4.0]], method="mle", model=sb.Gaussian(1.0))
        >>> np.asarray(result.conf_int(0.1)).round(2)
        array([[1.67, 4.83]])
        >>> bool(np.all(result.conf_int(0.1) == result.conf_int(level=0.9)))
        True
        """
        return table(self._intervals(_level_of(alpha, level)), self.names)

    def _intervals(self, level: float | None = None) -> NDArray[np.float64]:
        if level is None or abs(level - self._fit["confidence"]) < 1e-12:
            return np.column_stack([self._column("lower"), self._column("upper")])
        reach = self._reach(level) * self.std_errors
        if self._fit.get("bootstrap") is not None:
            raise ValueError("intervals of a bootstrap belong to its level; fit again with confidence=LEVEL")
        return np.column_stack([self.estimates - reach, self.estimates + reach])

    def _reach(self, level: float | None) -> float:
        """How many standard errors a confidence interval extends to each side."""
        chosen = float(self._fit["confidence"] if level is None else level)
        return _core.quantile(chosen, self._degrees)

    @property
    def model(self) -> ModelNames:
        """The names of response, terms and parameters, as statsmodels has them; the model is ``problem.model``."""
        return ModelNames(", ".join(self.problem.names), [], None, ParameterNames(self.names))

    def cov_params(self) -> NDArray[np.float64]:
        """The covariance of the estimates, p by p."""
        rows = self._fit["covariance"]
        if rows is None:
            raise ValueError("the estimates have no covariance; see the warnings of the fit")
        return np.array(rows, dtype=np.float64)

    def wald_test(self, hypothesis: str | Any, values: Any = None) -> WaldTest:
        """Test linear equations in the parameters.

        Parameters
        ----------
        hypothesis
            Equations such as ``"mean[x1] = mean[x2], mean[x1] = 0"``, or a matrix with one row for each restriction.
        values
            For a matrix: what each restriction should be equal to (default 0).

        Examples
        --------
        >>> import steinbound as sb
        >>> result = sb.fit([[1.0, 0.2], [2.0, 1.5], [6.0, 0.1], [4.0, 0.9]], method="mle", model=sb.Gaussian(1.0))
        >>> result.wald_test("mean[x1] = mean[x2]").degrees_of_freedom
        1
        """
        covariance = self.cov_params()
        names, estimates = self.names[: len(covariance)], self.estimates[: len(covariance)].tolist()
        if isinstance(hypothesis, str):
            found = _core.wald_test(names, estimates, covariance, hypothesis, None, None)
        else:
            matrix = np.atleast_2d(np.asarray(hypothesis, dtype=np.float64))
            right = None if values is None else np.atleast_1d(np.asarray(values, dtype=np.float64)).tolist()
            found = _core.wald_test(names, estimates, covariance, None, np.ascontiguousarray(matrix), right)
        return WaldTest(**json.loads(found))

    @property
    def derived(self) -> dict[str, Derived]:
        """The quantities that ``derive`` asked for, by name."""
        return {found["name"]: Derived(**found) for found in self._fit.get("derived", [])}

    def derive(self, formulas: str | Sequence[str] | Mapping[str, str]) -> dict[str, Derived]:
        """Functions of the estimates, with standard errors by the delta method.

        After a bootstrap they are asked for with the fit, by ``derive=``: its replicates are not kept.

        Parameters
        ----------
        formulas
            One or several texts such as ``"ratio = mean[x1] / mean[x2]"``, or formulas by name.

        Examples
        --------
        >>> import steinbound as sb
        >>> result = sb.fit([[1.0, 0.2], [2.0, 1.5], [6.0, 0.1], [4.0, 0.9]], method="mle", model=sb.Gaussian(1.0))
        >>> print(result.derive("difference = mean[x1] - mean[x2]")["difference"])
        difference = 2.575 +- 1.084 (0.4512 to 4.699)
        """
        if self._fit.get("bootstrap") is not None:
            raise ValueError("the replicates of the bootstrap are not kept; fit again with derive=...")
        found = json.loads(_core.derive(self._json, as_formulas(formulas) or []))
        return {quantity["name"]: Derived(**quantity) for quantity in found}

    # What the fit is like.

    @property
    def discrepancy(self) -> float | None:
        """The discrepancy at the estimate; None where its square is negative or the method has none."""
        return self._optional("discrepancy")

    @property
    def discrepancy_squared(self) -> float | None:
        """The squared discrepancy at the estimate."""
        return self._optional("discrepancy_squared")

    @property
    def log_likelihood(self) -> float | None:
        """The log-likelihood at the estimate, for methods that maximise one."""
        return self._optional("log_likelihood")

    def _optional(self, name: str) -> float | None:
        value = self._fit.get(name)
        return None if value is None else float(value)

    @property
    def converged(self) -> bool:
        """Whether the minimum was found."""
        return bool(self._fit["converged"])

    @property
    def warnings(self) -> list[str]:
        """What to know before trusting the estimate."""
        return list(self._fit["warnings"])

    @property
    def warning_kinds(self) -> list[str]:
        """What each of the warnings is about, such as ``"boundary"``."""
        return list(self._fit["warning_kinds"])

    def _warn(self) -> None:
        """Issues the warnings."""
        own = self.problem.degrees()
        kinds = [*("coordinates" for _ in own), *self.warning_kinds]
        warn([*own, *self.warnings], kinds, self.trustworthy)

    @property
    def method(self) -> str:
        """The method."""
        return str(self._fit["method"])

    @property
    def bandwidth(self) -> float | None:
        """The bandwidth in use."""
        return _bandwidth(self._fit)

    @property
    def ridge(self) -> float | None:
        """The ridge in use; None for methods without one."""
        return self._optional("ridge")

    @property
    def boundary_used(self) -> BoundaryUsed | None:
        """How the boundary is represented, for methods that let no flux through it; None for others."""
        found: BoundaryUsed | None = self.to_dict().get("boundary")
        return found

    @property
    def n(self) -> int:
        """The number of observations."""
        return int(self._fit["n"])

    @property
    def projection(self) -> dict[str, Any] | None:
        """The projection, with ``project=True``: its name, its center in degrees and the unit of the plane."""
        return _projection(self._fit)

    def summary(self, digits: int | None = None) -> Summary:
        """The table that the command line prints, which notebooks show as HTML.

        Parameters
        ----------
        digits
            Significant digits of every number; by default as many as its standard error allows.
        """
        others = (_core.render(self._json, form, digits) for form in ("html", "latex", "markdown"))
        return Summary(self._table if digits is None else _core.render(self._json, "text", digits), *others)

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4g}" for name, value in self._values().items())
        return f"<{self.method} fit of {self.n} points: {shown}>"

    def to_dict(self) -> dict[str, Any]:
        """All that is known, as the command line's JSON has it."""
        found: dict[str, Any] = json.loads(self._json)
        return found

    def to_json(self) -> str:
        """The JSON that ``steinbound fit --format json`` prints."""
        return self._json

    def to_frame(self) -> Any:
        """The estimates as a pandas DataFrame."""
        pandas = pandas_for("to_frame")
        columns = {
            "estimate": self.estimates,
            "std_error": self.std_errors,
            "z": np.asarray(self.zvalues),
            "p": np.asarray(self.pvalues),
            "lower": self._column("lower"),
            "upper": self._column("upper"),
        }
        return pandas.DataFrame(columns, index=pandas.Index(self.names, name="parameter"))

    def report(self, path: str | os.PathLike[str], progress: bool = False) -> None:
        """Write the HTML page that ``steinbound fit --report`` writes: estimates, pictures, diagnostics.

        Everything is computed again, and fits under other settings beside it where that takes only seconds.

        Parameters
        ----------
        path
            The file, which is replaced.
        progress
            Show a bar (tqdm) during a bootstrap.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import steinbound as sb
        >>> result = sb.fit([[-0.5], [0.1], [0.9], [0.3]], domain=sb.Interval(-1, 1), model=sb.Gaussian(1.0))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = pathlib.Path(folder) / "report.html"
        ...     result.report(page)
        ...     "<svg" in page.read_text(encoding="utf-8")
        True
        """
        write_page(path, lambda: self.problem.report(progress))

    @property
    def crs(self) -> Any:
        """The coordinate system of data, boundary and estimates, as GeoPandas has it; None where it is not known."""
        return self.problem.crs

    @property
    def domain(self) -> Domain | None:
        """The region, where it is known; GeoPandas and Shapely read it through ``__geo_interface__``."""
        return self.problem.domain

    # What follows from the fit.

    def _fitted(self) -> list[float]:
        if self._theta is None:
            raise ValueError("the fit has no parameters to work with; see its warnings")
        return self._theta

    def _places(self, points: Any) -> NDArray[np.float64]:
        """Places with the columns of the data and in their coordinate system, all of them numbers."""
        points = reprojected(points, self.crs, "points", "fit")
        places = placed(as_points(points, "points"), self.problem.points, "points")
        bad = np.argwhere(~np.isfinite(places))
        if len(bad):
            row, column = bad[0]
            value = places[row, column]
            raise ValueError(f"points: row {row}, column {column} is {value}, not a finite number; repair that row")
        return places

    def witness(self, points: Any) -> NDArray[np.float64]:
        """The witness function at some points, m by d: where, and in which direction, data and model differ.

        Examples
        --------
        >>> import steinbound as sb
        >>> result = sb.fit([[-0.5], [0.1], [0.9], [0.3]], domain=sb.Interval(-1, 1), model=sb.Gaussian(1.0))
        >>> result.witness([[0.0], [0.5]]).shape
        (2, 1)
        """
        at = self.estimates.tolist()
        if np.isnan(at).any():
            raise ValueError("the fit has no parameters at which to evaluate the witness; see its warnings")
        return self.problem.core.witness(at, self._places(points))[0]

    def log_density(self, points: Any, truncated: bool | None = None) -> NDArray[np.float64]:
        """The logarithm of :meth:`predict_density`."""
        from ._density import log_density

        return log_density(self, self._places(points), truncated)

    def predict_density(self, points: Any, truncated: bool | None = None) -> NDArray[np.float64]:
        """The fitted density at some points.

        Parameters
        ----------
        points
            Where. Points of GeoPandas in another coordinate system are brought into that of the fit, of whose
            coordinates the density remains one.
        truncated
            Whether the density is that inside the domain, which integrates to one there and is zero elsewhere; needs a
            domain. By default that of the whole space for Gaussians and mixtures, whose normaliser is known, and
            the truncated one otherwise.

        Examples
        --------
        >>> import steinbound as sb
        >>> result = sb.fit([[-0.5], [0.1], [0.9], [0.3]], domain=sb.Interval(-1, 1), model=sb.Gaussian(1.0))
        >>> float(result.predict_density([[0.0], [2.0]], truncated=True)[1])
        0.0
        """
        return np.asarray(np.exp(self.log_density(points, truncated)))

    def sample(self, n: int, truncated: bool = False, random_state: Any = None) -> NDArray[np.float64]:
        """Draws of the fitted density, of the whole space or inside the domain.

        Examples
        --------
        >>> import steinbound as sb
        >>> result = sb.fit([[-0.5], [0.1], [0.9], [0.3]], domain=sb.Interval(-1, 1), model=sb.Gaussian(1.0))
        >>> draws = result.sample(100, truncated=True)
        >>> bool((abs(draws) < 1).all())
        True
        """
        if truncated and self.problem.domain is None:
            raise ValueError("draws inside a domain need one; fit with domain=..., or draw with truncated=False")
        return self.problem.core.sample(self._fitted(), as_count(n, "n"), truncated, seed_of(random_state))

    def test(
        self,
        bootstrap: int = 500,
        level: float = 0.05,
        resampling: str | None = None,
        progress: bool = False,
    ) -> TestResult:
        """Test whether the data come from the fitted model; see :func:`gof_test`."""
        found = TestResult(
            *self.problem.tested(None, bootstrap, level, resampling, progress),
            (self.problem, None, bootstrap, level, resampling),
        )
        # The fit has said what it has to say.
        found._warn(self.warnings)
        return found

    def sensitivity(self) -> dict[str, Any]:
        """What changes under other kernels, bandwidths and boundary points, as the command line's JSON has it."""
        found: dict[str, Any] = json.loads(self.problem.core.sensitivity())
        return found

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw data, boundary and fitted density: a histogram on the line, contours in the plane, pairs beyond.

        Returns
        -------
        matplotlib.axes.Axes
            The axes; of pairs, the first.
        """
        from ._pictures import plot_fit

        return plot_fit(self, ax)

    def plot_witness(self, ax: Axes | None = None, coordinate: int = 0) -> Axes:
        """Draw one coordinate of the witness function over the plane."""
        from ._pictures import plot_witness

        return plot_witness(self, ax, coordinate)
