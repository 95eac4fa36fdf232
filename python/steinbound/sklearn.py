"""Estimators for scikit-learn: densities and regressions behind a truncation, in pipelines and searches.

They compute what :func:`steinbound.fit` and :func:`steinbound.regress` compute, to the last bit, and keep the
whole result in ``result_``. Needs scikit-learn, which the rest of the package does not.

Examples
--------
>>> import steinbound as sb
>>> from sklearn.model_selection import cross_val_score
>>> from steinbound.sklearn import TruncatedGaussian
>>> disc = sb.Ball(radius=1.44)
>>> X = sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], disc, 300, random_state=1)
>>> cross_val_score(TruncatedGaussian(domain=disc, covariance=1.0), X).shape
(5,)
"""

try:
    from ._any_density_estimator import TruncatedDensity
    from ._density_estimators import TruncatedGaussian, discrepancy_score
    from ._mixture_estimator import TruncatedGaussianMixture
    from ._regressor import TruncatedRegressor
except ImportError as error:
    if error.name is None or not error.name.startswith("sklearn"):
        raise
    raise ImportError(
        "steinbound.sklearn needs scikit-learn 1.6 or newer; "
        "install it with 'pip install \"scikit-learn>=1.6\"'"
    ) from error

__all__ = [
    "TruncatedDensity",
    "TruncatedGaussian",
    "TruncatedGaussianMixture",
    "TruncatedRegressor",
    "discrepancy_score",
]
