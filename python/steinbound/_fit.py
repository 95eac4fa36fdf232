"""The functions that users start from: fit, discrepancy, gof_test, simulate."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from types import NoneType
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from . import _core, kernels
from ._geometry import NoArea
from ._inputs import Points, as_dimension, as_geojson, as_labels, as_points, as_vector, seed_of
from ._kinds import OPTIONS, as_count, check_kinds, check_order
from ._model import FAMILIES
from ._options import Options
from ._problem import Problem, Settings, distinct, matched, ordered
from ._results import DiscrepancyResult, FitResult, TestResult
from ._systems import common_system, read_map_table
from ._warnings import warn
from .domains import Domain, Polygon, as_domain
from .kernels import Kernel
from .models import Model, as_model, refuse_misspelt

__all__ = ["NAMES", "discrepancy", "fit", "fitted", "gof_test", "problem_of", "settings_of", "simulate"]


#: The names of the options, and those that are chosen by a number.
NAMES = sorted(Options.__annotations__)
NUMBERED = {option.name for option in OPTIONS if option.is_numbered}

#: The rules by which bandwidth and ridge are chosen.
RULES = next(option.choices for option in OPTIONS if option.name == "tune")


#: What other libraries call the arguments.
ELSEWHERE = {
    **dict.fromkeys(("tol", "ftol", "gtol", "xtol", "atol", "rtol", "eps"), "search_tolerance"),
    **dict.fromkeys(("seed", "rng"), "random_state"),
    **dict.fromkeys(("maxiter", "max_iter", "n_iter"), "max_iterations"),
    **dict.fromkeys(("n_jobs", "workers"), "threads"),
    "sample_weight": "weights",
    "groups": "clusters",
}


def unknown_option(function: Callable[..., Any], name: str) -> str:
    """The refusal of an argument that a function does not have, with the nearest and all that it has."""
    known = [own for own in signature(function).parameters if own != "options"] + NAMES
    elsewhere = [own for own in [ELSEWHERE.get(name.lower())] if own in known]
    near = elsewhere or get_close_matches(name.lower(), known, 1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? Those" if near else "those"
    return f"there is no argument {name!r} of {function.__name__}; {hint} there are: {', '.join(known)}"


def settings_of(
    method: str,
    kernel: Kernel | str,
    bandwidth: float | str | None,
    ridge: float | None,
    statistic: str,
    tune: str | bool | None,
    random_state: Any,
    options: Options,
    function: Callable[..., Any],
    project: bool = False,
) -> Settings:
    """All settings of an estimator; those that are rarely changed come as options of a function."""
    if tune not in (None, False, True, *RULES):
        others = " or ".join(repr(rule) for rule in RULES if rule != "none")
        raise ValueError(f"unknown rule {tune!r}; tune is None or {others}")
    for name in options:
        if name not in NAMES:
            raise TypeError(unknown_option(function, name))
    check_kinds({**options, "method": method, "ridge": ridge, "statistic": statistic, "project": project})
    name, width = kernels.chosen(kernel, bandwidth)
    return Settings(
        {
            **{name: _chosen(name, value) for name, value in options.items()},
            "method": method,
            "kernel": name,
            "bandwidth": width,
            "ridge": ridge,
            "statistic": statistic,
            "tune": False if tune in (None, "none") else tune,
            "seed": seed_of(random_state),
            "project": project,
        }
    )


def _chosen(name: str, value: Any) -> Any:
    """An option as the engine takes it: what is chosen by a number is a name there."""
    return f"{float(value):g}" if name in NUMBERED and not isinstance(value, str) else value


def problem_of(
    X: Any,
    boundary: Any,
    domain: Any,
    model: Any,
    weights: Any,
    clusters: Any,
    start: Any,
    settings: Settings,
    boundary_normals: Any = None,
    columns: Sequence[str | int] | None = None,
) -> Problem:
    check_order(X, weights, "weights")
    check_order(X, clusters, "clusters")
    check_order(boundary, boundary_normals, "boundary_normals", "boundary")
    points = distinct(as_points(X, "X", columns=columns, **_column_names(weights, clusters)), "X")
    chosen, begin = as_model(model, start)
    places, region, system = _region(boundary, domain, points)
    normals = None
    if boundary_normals is not None:
        normals = matched(as_points(boundary_normals, "boundary_normals"), points, "boundary_normals")
    return Problem(
        points=points,
        weights=points.weights if isinstance(weights, str) else _each(as_vector, weights, points, "weights"),
        clusters=points.clusters if isinstance(clusters, str) else _each(as_labels, clusters, points, "clusters"),
        model=chosen,
        boundary=places,
        boundary_normals=normals,
        domain=None if region is None else region._for(points.columns),
        start=begin,
        settings=settings,
        crs=system,
    )


def _column_names(weights: Any, clusters: Any) -> dict[str, str | None]:
    """Weights and clusters that are columns of the data."""
    given = {"weights": weights, "clusters": clusters}
    return {what: value if isinstance(value, str) else None for what, value in given.items()}


def _each(read: Callable[[Any, int, str], Any], values: Any, points: Points, what: str) -> Any:
    return None if values is None else read(values, len(points.array), what)


def _table_or_points(path: str | os.PathLike[str]) -> Any:
    """What a file holds that is no map for the engine: a table of geometries, or points."""
    table = read_map_table(path)
    return as_points(path, "boundary") if table is None else table


def _region(
    boundary: Any, domain: Any, points: Points
) -> tuple[NDArray[np.float64] | None, Domain | None, Any]:
    """Boundary points, the domain, and the coordinate system of all. A geometry given for the boundary is the domain."""
    region = None if domain is None else as_domain(domain)
    places = None
    if isinstance(boundary, (str, os.PathLike)) and not _core.is_map(boundary):
        boundary = _table_or_points(boundary)
    is_map = isinstance(boundary, (str, os.PathLike, Domain)) or (
        not isinstance(boundary, (np.ndarray, Points, NoneType)) and _is_area(boundary)
    )
    given = {"X": points, "boundary": boundary, "domain": region}
    if is_map:
        if region is not None:
            raise ValueError("the boundary is a map, which defines the domain; leave the domain out")
        given["boundary"] = region = boundary if isinstance(boundary, Domain) else Polygon(boundary)
    elif boundary is not None:
        found = boundary if isinstance(boundary, Points) else as_points(boundary, "boundary")
        given["boundary"], places = found, matched(found, points, "boundary")
    return places, region, common_system(given)


def _is_area(value: Any) -> bool:
    """Whether a value is a geometry with an area, and not points or a table of numbers."""
    try:
        return as_geojson(value, "boundary") is not None
    except NoArea:
        return False


def fit(
    X: Any,
    boundary: Any = None,
    domain: Any = None,
    model: Model | str | None = None,
    method: str = "efficient",
    *,
    kernel: Kernel | str = "gaussian",
    bandwidth: float | str | None = None,
    ridge: float | None = None,
    statistic: str = "v",
    tune: str | bool | None = None,
    random_state: Any = None,
    weights: Any = None,
    clusters: Any = None,
    start: Any = None,
    bootstrap: int | None = None,
    resampling: str = "nonparametric",
    interval: str = "percentile",
    diagnostics: bool = True,
    progress: bool = False,
    derive: str | Sequence[str] | Mapping[str, str] | None = None,
    project: bool = False,
    boundary_normals: Any = None,
    columns: Sequence[str | int] | None = None,
    callback: Callable[[int, float], Any] | None = None,
    **options: Unpack[Options],
) -> FitResult:
    """Estimate the parameters of a density from truncated data, with standard errors.

    Parameters
    ----------
    X
        The data, n by d: an array, a DataFrame, lists, points of a GeoDataFrame. An array of float64 that lies row by
        row is used as it is, without a copy: do not change it while a computation runs, or a result of it is still asked
        for witnesses, tests or pictures. Or the path of a table (CSV, Parquet) or a map of points; a lazy frame of
        polars, a reader, dataset or scanner of pyarrow, a relation of DuckDB, an iterator over tables or arrays: all of
        these are read some rows at a time.
    boundary
        Points on the boundary, m by d; or a geometry, whose rings are the boundary.
    domain
        The region, where it is known: a :class:`Domain`, a geometry, or text such as ``"ball(radius=2)"``.
    model
        The density; a Gaussian with unknown mean and covariance by default. Text is the formula of a log-density, whose
        parameters ``start`` names.
    method
        ``"efficient"``, the default, which needs the region or boundary points; ``"tksd"``, ``"bdksd"``,
        ``"truncsm"``, ``"ksd"``, ``"mle"`` or ``"truncated-mle"``.
    kernel
        ``"gaussian"``, ``"imq"``, ``"matern52"`` or ``"rational-quadratic"``, or a :class:`Kernel`.
    bandwidth
        The width of the kernel, in the units of the data. By default it is the median distance, or half of it where
        efficient has to search. Efficient, and tksd where only the domain is given, begin there and halve it
        until the estimate settles.
    ridge
        What tksd adds to the diagonal of the boundary's kernel matrix. By default it is chosen automatically
        where only the domain is given; 0.001 for given boundary points.
    statistic
        ``"v"`` or ``"u"``, for tksd, bdksd and ksd.
    tune
        ``"agreement"`` to choose bandwidth and ridge automatically.
    random_state
        A seed (default 0) or a NumPy generator, for everything random. The same seed gives the same bits as
        ``steinbound fit --seed``.
    weights, clusters
        Observation weights; labels of observations that depend on each other. Text is the name of a column of the
        data, which then is no coordinate.
    start
        Where a search starts: parameters in reported order or by name, or the means of a mixture.
    bootstrap
        Standard errors and intervals by a bootstrap with this number of replicates.
    resampling, interval
        ``"nonparametric"`` or ``"parametric"``; ``"percentile"`` or ``"normal"``.
    diagnostics
        Whether to check the assumptions of the fit; one that does not hold becomes a warning.
    progress
        Show a bar (tqdm) during a bootstrap.
    derive
        Functions of the parameters to estimate as well: one or several texts such as ``"ratio = mean[x1] / mean[x2]"``,
        or formulas by name.
    project
        Whether to lay longitude and latitude, in degrees, on a plane of equal areas about the data. Locations are
        reported in degrees; covariances, bandwidth and distances are in kilometres.
    boundary_normals
        A vector perpendicular to the boundary at each of its points, m by d, of any length and sign. By default they
        come from the domain or from neighbouring boundary points; methods that need none do not use them.
    columns
        The columns of the data to use, by name or by number from 0.
    callback
        ``callback(iteration, value)``: called after each step of a search with the number of steps and the objective
        there; what is true ends the search, whose result then is where it stood.
    **options
        See :class:`Options`.

    Returns
    -------
    FitResult

    Warns
    -----
    FitWarning
        Where an assumption does not hold, or the estimate should not be trusted.

    Examples
    --------
    >>> import steinbound as sb
    >>> disc = sb.Ball(radius=1.44)
    >>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 300, random_state=1)
    >>> result = sb.fit(X, boundary=disc.sample_boundary(100), model=sb.Gaussian(covariance=1.0))
    >>> result.conf_int().shape
    (2, 2)
    >>> result.wald_test("mean[x1] = mean[x2]").p_value > 0.01
    True
    """
    settings = settings_of(method, kernel, bandwidth, ridge, statistic, tune, random_state, options, fit, project)
    problem = problem_of(X, boundary, domain, model, weights, clusters, start, settings, boundary_normals, columns)
    result = fitted(problem, diagnostics, bootstrap, resampling, interval, derive, progress, callback)
    result._warn()
    return result


def fitted(
    problem: Problem,
    diagnostics: bool,
    bootstrap: int | None = None,
    resampling: str = "nonparametric",
    interval: str = "percentile",
    derive: Any = None,
    progress: bool = False,
    callback: Callable[[int, float], Any] | None = None,
) -> FitResult:
    """The fit of a problem, whose warnings are not issued."""
    selection = problem.choose(progress)
    found = problem.fitted(diagnostics, bootstrap, resampling, interval, derive, progress, callback)
    result = FitResult(problem, *found)
    result.selection = selection
    return result


def discrepancy(
    X: Any,
    at: Any,
    boundary: Any = None,
    domain: Any = None,
    model: Model | str | None = None,
    method: str = "tksd",
    *,
    kernel: Kernel | str = "gaussian",
    bandwidth: float | str | None = None,
    ridge: float | None = None,
    statistic: str = "v",
    random_state: Any = None,
    weights: Any = None,
    project: bool = False,
    boundary_normals: Any = None,
    columns: Sequence[str | int] | None = None,
    **options: Unpack[Options],
) -> DiscrepancyResult:
    """Measure how far data and model are apart at given parameters, without fitting.

    Parameters
    ----------
    X, boundary, domain, model, kernel, bandwidth, ridge, statistic, random_state, weights, project, boundary_normals, columns, **options
        As for :func:`fit`.
    at
        The parameters, in the order in which a fit reports them or by name.
    method
        Whose discrepancy, by default that of the paper, as for the command.

    Returns
    -------
    DiscrepancyResult
        A number (its ``squared`` value can be negative for a U-statistic, and then ``value`` is None).

    Examples
    --------
    >>> import steinbound as sb
    >>> X = [[-0.5], [0.1], [0.9], [0.3]]
    >>> near = sb.discrepancy(X, [0.2], domain=sb.Interval(-1, 1), model=sb.Gaussian(covariance=1.0))
    >>> far = sb.discrepancy(X, {"mean[x1]": 3}, domain=sb.Interval(-1, 1), model=sb.Gaussian(covariance=1.0))
    >>> near.value < far.value
    True
    """
    settings = settings_of(method, kernel, bandwidth, ridge, statistic, None, random_state, options, discrepancy, project)
    is_formula = _check_formula(model, at)
    formula_start = at if is_formula else None
    problem = problem_of(X, boundary, domain, model, weights, None, formula_start, settings, boundary_normals, columns)
    place = problem.parameters(at, "at")
    result = DiscrepancyResult(*problem.core.discrepancy(place))
    degrees = problem.degrees()
    warn([*degrees, *result.warnings], [*("coordinates" for _ in degrees), *result.warning_kinds])
    return result


def _check_formula(model: Any, at: Any) -> bool:
    """Whether a model is a formula, whose parameters have to be given by name."""
    is_formula = isinstance(model, str) and model not in FAMILIES
    if is_formula and not isinstance(at, Mapping):
        refuse_misspelt(model)
        raise ValueError('at names the parameters of the formula, each with its value: at={"mu": 0.0}')
    return is_formula


def gof_test(
    X: Any,
    boundary: Any = None,
    domain: Any = None,
    model: Model | str | None = None,
    method: str = "efficient",
    *,
    at: Any = None,
    bootstrap: int = 500,
    level: float = 0.05,
    resampling: str | None = None,
    kernel: Kernel | str = "gaussian",
    bandwidth: float | str | None = None,
    ridge: float | None = None,
    statistic: str = "v",
    tune: str | bool | None = None,
    random_state: Any = None,
    weights: Any = None,
    clusters: Any = None,
    start: Any = None,
    progress: bool = False,
    project: bool = False,
    boundary_normals: Any = None,
    columns: Sequence[str | int] | None = None,
    **options: Unpack[Options],
) -> TestResult:
    """Test whether the data come from the model, inside the boundary.

    Parameters
    ----------
    X, boundary, domain, model, method, kernel, bandwidth, ridge, statistic, tune, random_state, weights, clusters, start, progress, project, boundary_normals, columns, **options
        As for :func:`fit`.
    at
        The parameters to be tested; by default they are fitted, and the test takes that into account.
    bootstrap
        The number of draws under the hypothesis.
    level
        How often a true model may be rejected.
    resampling
        ``"wild"`` or ``"parametric"``; by default as suits the test.

    Returns
    -------
    TestResult

    Examples
    --------
    >>> import steinbound as sb
    >>> disc = sb.Ball(radius=1.44)
    >>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 200, random_state=1)
    >>> sb.gof_test(X, domain=disc, model=sb.Gaussian(covariance=1.0), at=[1.5, -0.5]).rejected
    True
    """
    settings = settings_of(method, kernel, bandwidth, ridge, statistic, tune, random_state, options, gof_test, project)
    begin = at if isinstance(model, str) and model not in FAMILIES and start is None else start
    problem = problem_of(X, boundary, domain, model, weights, clusters, begin, settings, boundary_normals, columns)
    place = None if at is None else problem.parameters(at, "at")
    asked = (place, bootstrap, level, resampling)
    result = TestResult(*problem.tested(*asked, progress), (problem, *asked))
    result._warn(degrees=problem.degrees())
    return result


def simulate(
    model: Model | str, at: Any, domain: Any, n: int, *, dimension: int | None = None, random_state: Any = None
) -> NDArray[np.float64]:
    """Draw from a density, inside a region.

    Parameters
    ----------
    model
        The density, also by its name, such as ``"gamma"``, or as a formula.
    at
        Its parameters, in reported order or by name; those of a formula by name.
    domain
        The region; None for draws of the whole density.
    n
        How many points.
    dimension
        The number of coordinates, if neither the region nor the number of parameters determines it.
    random_state
        A seed or a generator. For a Gaussian the same seed gives the same points as ``steinbound simulate --seed``.

    Examples
    --------
    >>> import steinbound as sb
    >>> sb.simulate(sb.Gaussian(covariance=1.0), [0.0], sb.Interval(0, 1), 5).shape
    (5, 1)
    """
    if not isinstance(model, (Model, str)):
        raise TypeError(f"model is a {type(model).__name__}; give one such as Gaussian(covariance=1.0)")
    if isinstance(model, str):
        _check_formula(model, at)
        model, _ = as_model(model, at if isinstance(at, Mapping) else None)
    region = None if domain is None else as_domain(domain)
    own = None if region is None else region.dimension
    values = [] if isinstance(at, Mapping) else np.asarray(at, dtype=np.float64).ravel().tolist()
    count = len(at) if isinstance(at, Mapping) else len(values)
    size = as_dimension(dimension) or own or model._dimension_of(count)
    columns = [f"x{axis + 1}" for axis in range(size)]
    built = model._build(size, columns)
    if isinstance(at, Mapping):
        values = ordered(at, built.parameter_names(columns), "at")
    inside = None if region is None else region._engine
    return _core.simulate(built, values, inside, as_count(n, "n"), seed_of(random_state))
