"""Densities behind a truncation, from the points inside and points on the boundary.

Data are often seen only inside a region: inside a country's border, above a pass mark, within a detector's reach.
``steinbound`` recovers the density that generated them by Stein's method, efficiently by default, by the
truncated kernelised Stein discrepancy (TKSD) or by its rivals, with standard errors.

Examples
--------
>>> import numpy as np, steinbound as sb
>>> disc = sb.Ball(radius=1.44)
>>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 300, random_state=1)
>>> result = sb.fit(X, boundary=disc.sample_boundary(100), model=sb.Gaussian(covariance=1.0))
>>> result.names
['mean[x1]', 'mean[x2]']
>>> bool(np.all(np.abs(result.estimates - 0.5) < 3 * result.std_errors))
True
"""

from . import datasets, domains, kernels, models, plotting
from ._boundary import BoundaryUsed, Disagreement
from ._comparison import ComparedFit, ComparisonResult, compare
from ._core import __version__
from ._coverage import BoundaryCoverage
from ._fit import discrepancy, fit, gof_test, simulate
from ._options import Options
from ._regression import RegressionResult, regress
from ._results import Derived, DiscrepancyResult, FitResult, Summary, TestResult, WaldTest
from ._statsmodels import ModelNames
from ._warnings import (
    AccuracyWarning,
    BoundaryWarning,
    CensoringWarning,
    ConvergenceWarning,
    CoordinateWarning,
    DataWarning,
    FitWarning,
    ModelWarning,
    NotTrustworthyWarning,
    SteinboundWarning,
    UncertaintyWarning,
)
from .domains import (
    Annulus,
    Ball,
    Box,
    Cylinder,
    Domain,
    Ellipse,
    HalfSpace,
    Intersection,
    Interval,
    LevelSet,
    Outside,
    Polygon,
    Union,
    Where,
)
from .kernels import IMQ, GaussianKernel, Kernel, Matern52, RationalQuadratic
from .models import Formula, Gaussian, GaussianMixture, LogDensity, Model, Score

__all__ = [
    "IMQ",
    "AccuracyWarning",
    "Annulus",
    "Ball",
    "BoundaryCoverage",
    "BoundaryUsed",
    "BoundaryWarning",
    "Box",
    "CensoringWarning",
    "ComparedFit",
    "ComparisonResult",
    "ConvergenceWarning",
    "CoordinateWarning",
    "Cylinder",
    "DataWarning",
    "Derived",
    "Disagreement",
    "DiscrepancyResult",
    "Domain",
    "Ellipse",
    "FitResult",
    "FitWarning",
    "Formula",
    "Gaussian",
    "GaussianKernel",
    "GaussianMixture",
    "HalfSpace",
    "Intersection",
    "Interval",
    "Kernel",
    "LevelSet",
    "LogDensity",
    "Matern52",
    "Model",
    "ModelNames",
    "ModelWarning",
    "NotTrustworthyWarning",
    "Options",
    "Outside",
    "Polygon",
    "RationalQuadratic",
    "RegressionResult",
    "Score",
    "SteinboundWarning",
    "Summary",
    "TestResult",
    "UncertaintyWarning",
    "Union",
    "WaldTest",
    "Where",
    "__version__",
    "compare",
    "datasets",
    "discrepancy",
    "domains",
    "fit",
    "gof_test",
    "kernels",
    "models",
    "plotting",
    "regress",
    "simulate",
]
