"""The estimators for scikit-learn: what fit and regress compute, in pipelines and searches."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import steinbound as sb

pytest.importorskip("sklearn")

from joblib import parallel_config
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from steinbound.sklearn import (
    TruncatedDensity,
    TruncatedGaussian,
    TruncatedGaussianMixture,
    TruncatedRegressor,
    discrepancy_score,
)

Array = NDArray[np.float64]

DISC = sb.Ball(radius=1.44)
BOX = sb.Box(-3, 3)
MEANS = np.array([[-2.0, -1.0], [2.0, 1.0]])


def disc_sample(count: int = 400, seed: int = 1) -> Array:
    return sb.simulate(sb.Gaussian(covariance=1.0), [0.5, 0.5], DISC, count, random_state=seed)


def mixture_sample(count: int = 400, seed: int = 1) -> Array:
    return sb.simulate(sb.GaussianMixture(2, covariance=1.0), MEANS.ravel(), BOX, count, random_state=seed)


def responses(seed: int = 0, count: int = 600) -> tuple[Array, Array]:
    """Covariates and responses y = 1 + 2 a - b + 1.5 noise, of which those above 0 are seen."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, 2))
    y = 1 + X @ [2.0, -1.0] + 1.5 * rng.normal(size=count)
    return X[y > 0], y[y > 0]


class TestRecovery:
    def test_gaussian_with_unknown_covariance(self) -> None:
        X = disc_sample(3000)
        estimator = TruncatedGaussian(boundary=DISC.sample_boundary(200)).fit(X)
        found = np.concatenate([estimator.mean_, estimator.covariance_[np.triu_indices(2)]])
        assert np.all(np.abs(found - [0.5, 0.5, 1, 0, 1]) < 4 * estimator.result_.std_errors)
        # The sample mean, in contrast, is far off.
        assert np.all(np.abs(X.mean(axis=0) - 0.5) > 0.2)

    def test_mixture(self) -> None:
        estimator = TruncatedGaussianMixture(2, domain=BOX, covariance=1.0, start=MEANS)
        estimator.fit(mixture_sample(1500))
        bse = estimator.result_.bse
        errors = np.array([[bse[f"mean[{k}][x{j}]"] for j in (1, 2)] for k in (1, 2)])
        assert np.all(np.abs(estimator.means_ - MEANS) < 4 * errors)
        # The weights are estimated as well.
        assert abs(estimator.weights_[0] - 0.5) < 4 * bse["weight[1]"] and estimator.weights_[0] != 0.5

    @pytest.mark.parametrize("method", ["efficient", "tksd", "truncated-mle"])
    def test_regression(self, method: str) -> None:
        X, y = responses(count=2000)
        estimator = TruncatedRegressor(lower=0, method=method).fit(X, y)
        found = [estimator.intercept_, *estimator.coef_, estimator.sigma_]
        assert np.all(np.abs(np.subtract(found, [1, 2, -1, 1.5])) < 4 * estimator.result_.std_errors)
        with pytest.warns(sb.ModelWarning, match="uneven"):
            naive = TruncatedRegressor(method="mle").fit(X, y)
        assert abs(naive.coef_[0] - 2) > 4 * naive.result_.bse["x1"]


@pytest.mark.filterwarnings("ignore::steinbound.FitWarning")
class TestSameNumbers:
    """Estimators only hand on, so every bit agrees."""

    @pytest.mark.parametrize(
        "method", ["efficient", "tksd", "bdksd", "truncsm", "truncated-mle", "mle", "ksd"]
    )
    def test_gaussian(self, method: str) -> None:
        X, weights = disc_sample(), np.random.default_rng(0).uniform(0.5, 2, 400)
        estimator = TruncatedGaussian(domain=DISC, method=method, kernel="imq", bandwidth=0.8, random_state=3)
        if method in ("mle", "truncated-mle", "truncsm"):
            estimator.set_params(kernel="gaussian", bandwidth=None)
        estimator.fit(X, sample_weight=weights)
        settings = {name: getattr(estimator, name) for name in ("kernel", "bandwidth", "random_state")}
        expected = sb.fit(X, domain=DISC, method=method, weights=weights, **settings)
        assert estimator.result_.estimates.tobytes() == expected.estimates.tobytes()
        moments = [*estimator.mean_, *estimator.covariance_[np.triu_indices(2)]]
        assert moments == expected.estimates.tolist()
        assert estimator.score_samples(X).tobytes() == expected.log_density(X).tobytes()
        assert estimator.sample(7).tobytes() == expected.sample(7, random_state=3).tobytes()

    def test_options_reach_the_engine(self) -> None:
        X = disc_sample()
        options = {"boundary_points": 20, "boundary_sampling": "even", "threads": 1}
        estimator = TruncatedGaussian(domain=DISC, covariance=1.0, options=options).fit(X)
        expected = sb.fit(X, domain=DISC, model=sb.Gaussian(covariance=1.0), **options)
        assert estimator.result_.boundary is not None and len(estimator.result_.boundary) == 20
        assert estimator.result_.estimates.tobytes() == expected.estimates.tobytes()

    def test_mixture(self) -> None:
        X = mixture_sample()
        estimator = TruncatedGaussianMixture(
            2, domain=BOX, covariance_type="spherical", start=MEANS, estimate_weights=False
        ).fit(X)
        expected = sb.fit(X, domain=BOX, model=sb.GaussianMixture(2, shape="spherical"), start=MEANS)
        assert estimator.result_.estimates.tobytes() == expected.estimates.tobytes()
        assert estimator.means_.ravel().tolist() == expected.estimates[:4].tolist()
        variances = [expected.params["variance[1]"], expected.params["variance[2]"]]
        assert estimator.covariances_.tolist() == [(np.eye(2) * value).tolist() for value in variances]
        assert estimator.weights_.tolist() == [0.5, 0.5]

    @pytest.mark.parametrize("intercept", [True, False])
    def test_regression(self, intercept: bool) -> None:
        X, y = responses()
        weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
        estimator = TruncatedRegressor(lower=0, fit_intercept=intercept, kernel_on="y")
        estimator.fit(X, y, sample_weight=weights)
        columns = {"y": y, "x1": X[:, 0], "x2": X[:, 1]}
        formula = "y ~ x1 + x2" if intercept else "y ~ x1 + x2 - 1"
        expected = sb.regress(formula, columns, lower=0, weights=weights, kernel_on="y")
        assert estimator.result_.estimates.tobytes() == expected.estimates.tobytes()
        first = [estimator.intercept_] if intercept else []
        assert [*first, *estimator.coef_, estimator.sigma_] == expected.estimates.tolist()
        assert np.allclose(estimator.predict(X), expected.predict(columns), rtol=1e-12)

    def test_features_keep_their_names(self) -> None:
        pandas = pytest.importorskip("pandas")
        X = pandas.DataFrame(disc_sample(), columns=["lon", "lat"])
        border = pandas.DataFrame(DISC.sample_boundary(100)[:, ::-1], columns=["lat", "lon"])
        estimator = TruncatedGaussian(boundary=border).fit(X)
        assert estimator.result_.names[:2] == ["mean[lon]", "mean[lat]"]
        assert estimator.feature_names_in_.tolist() == ["lon", "lat"]
        assert estimator.result_.estimates.tobytes() == sb.fit(X, boundary=border).estimates.tobytes()
        with pytest.raises(ValueError, match="feature names"):
            estimator.score_samples(X[["lat", "lon"]])

    @pytest.mark.parametrize(
        ("given", "used"),
        [
            (["blood pressure", "log(age)"], ["blood pressure", "log(age)"]),
            (["2", "1"], ["x1", "x2"]),
            (["sigma", "b"], ["x1", "x2"]),
            (["a`b", "c"], ["x1", "x2"]),
        ],
    )
    def test_regression_names(self, given: list[str], used: list[str]) -> None:
        pandas = pytest.importorskip("pandas")
        X, y = responses()
        named = TruncatedRegressor(lower=0).fit(pandas.DataFrame(X, columns=given), y)
        assert named.result_.names == ["(Intercept)", *used, "sigma"]
        assert named.coef_.tobytes() == TruncatedRegressor(lower=0).fit(X, y).coef_.tobytes()


class TestDensity:
    def test_integrates_to_one_over_the_whole_space(self) -> None:
        estimator = TruncatedGaussian(domain=DISC).fit(disc_sample())
        axis = np.linspace(-11, 12, 461)
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        density = np.exp(estimator.score_samples(grid))
        assert abs(density.sum() * (axis[1] - axis[0]) ** 2 - 1) < 1e-6

    def test_integrates_to_one_inside_the_domain(self) -> None:
        domain = sb.Interval(-1, 2)
        X = sb.simulate(sb.Gaussian(covariance=1.0), [0.0], domain, 300)
        estimator = TruncatedGaussian(domain=domain).fit(X)
        middles = -1 + 3 * (np.arange(3000) + 0.5)[:, None] / 3000
        assert abs(np.exp(estimator.score_samples(middles, truncated=True)).mean() * 3 - 1) < 1e-6
        assert estimator.score_samples([[2.5]], truncated=True)[0] == -np.inf
        assert estimator.score_samples([[2.5]])[0] > -20

    def test_mixture_integrates_to_one(self) -> None:
        estimator = TruncatedGaussianMixture(2, domain=BOX, covariance=1.0).fit(mixture_sample())
        axis = np.linspace(-12, 12, 481)
        grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        density = np.exp(estimator.score_samples(grid))
        assert abs(density.sum() * (axis[1] - axis[0]) ** 2 - 1) < 1e-6

    def test_score_is_the_likelihood_of_what_is_seen(self) -> None:
        X = disc_sample()
        inside = TruncatedGaussian(domain=DISC).fit(X)
        assert inside.score(X) == inside.score_samples(X, truncated=True).mean()
        assert inside.score([[5.0, 5.0]]) == -np.inf
        whole = TruncatedGaussian(method="mle").fit(X)
        assert whole.score(X) == whole.score_samples(X).mean()
        # Inside the domain the fit that knows of it is better; over the whole space it looks worse.
        naive = TruncatedGaussian(domain=DISC, method="mle").fit(X)
        assert inside.score(X) > naive.score(X)
        assert inside.score_samples(X).mean() < naive.score_samples(X).mean()

    def test_boundary_points_alone_have_no_likelihood(self) -> None:
        estimator = TruncatedGaussian(boundary=DISC.sample_boundary(100)).fit(disc_sample())
        with pytest.raises(ValueError, match="discrepancy_score"):
            estimator.score(disc_sample())
        assert discrepancy_score(estimator, disc_sample(seed=2)) < 0.01

    def test_a_density_without_mean_exists_inside_only(self) -> None:
        X = np.random.default_rng(0).beta(0.5, 0.5, size=(300, 1))
        with pytest.warns(sb.FitWarning, match="not positive definite"):
            estimator = TruncatedGaussian(domain=sb.Interval(0, 1)).fit(X)
        assert np.isnan(estimator.mean_).all()
        assert estimator.score(X) > 0
        assert estimator.sample(5, truncated=True).shape == (5, 1)
        with pytest.raises(ValueError, match="truncated=True"):
            estimator.score_samples(X)
        with pytest.raises(ValueError, match="no mean and covariance"):
            discrepancy_score(estimator, X)

    def test_draws(self) -> None:
        estimator = TruncatedGaussian(domain=DISC, covariance=1.0).fit(disc_sample())
        draws = estimator.sample(4000)
        assert np.all(np.abs(draws.mean(axis=0) - estimator.mean_) < 4 / np.sqrt(4000))
        assert not DISC.contains(draws).all()
        assert DISC.contains(estimator.sample(200, truncated=True)).all()
        assert estimator.sample(3).tobytes() == estimator.sample(3).tobytes()
        generator = np.random.default_rng(0)
        first, second = (estimator.sample(3, random_state=generator) for _ in range(2))
        assert first.tobytes() != second.tobytes()
        with pytest.raises(ValueError, match="n_samples is 0"):
            estimator.sample(0)


class TestMixture:
    def test_probabilities_are_the_posterior(self) -> None:
        stats = pytest.importorskip("scipy.stats")
        X = mixture_sample()
        estimator = TruncatedGaussianMixture(2, domain=BOX, method="mle", estimate_weights=True).fit(X)
        parts = zip(estimator.weights_, estimator.means_, estimator.covariances_, strict=True)
        joint = np.array([weight * stats.multivariate_normal(*moments).pdf(X) for weight, *moments in parts])
        posterior = (joint / joint.sum(axis=0)).T
        assert np.allclose(estimator.predict_proba(X), posterior, rtol=1e-9, atol=1e-12)
        assert estimator.predict(X).tolist() == posterior.argmax(axis=1).tolist()
        assert np.allclose(estimator.score_samples(X), np.log(joint.sum(axis=0)))
        assert abs(estimator.weights_.sum() - 1) < 1e-12

    def test_labels_of_draws_follow_the_components(self) -> None:
        model = sb.GaussianMixture(2, covariance=1.0)
        X = sb.simulate(model, MEANS.ravel() / 2, None, 800)
        # Most of one side is left out, so that the weights differ.
        X = X[(X[:, 0] < 0) | (np.arange(800) % 3 == 0)]
        estimator = TruncatedGaussianMixture(2, method="mle", covariance=1.0, estimate_weights=True).fit(X)
        assert abs(estimator.weights_[0] - 0.5) > 0.1
        points, labels = estimator.sample(6000, random_state=5)
        shares = np.bincount(labels, minlength=2) / 6000
        assert np.all(np.abs(shares - estimator.weights_) < 4 * np.sqrt(0.25 / 6000))
        # Where components overlap, a draw need not come from the most probable one.
        doubt = (1 - estimator.predict_proba(points).max(axis=1)).mean()
        error = np.sqrt(doubt * (1 - doubt) / 6000)
        assert doubt > 10 * error
        assert abs((labels != estimator.predict(points)).mean() - doubt) < 4 * error
        for k in range(2):
            own = points[labels == k]
            error = np.sqrt(np.diag(estimator.covariances_[k]) / len(own))
            assert np.all(np.abs(own.mean(axis=0) - estimator.means_[k]) < 4 * error)

    def test_far_points_have_probabilities(self) -> None:
        estimator = TruncatedGaussianMixture(2, domain=BOX, covariance=1.0, start=MEANS).fit(mixture_sample())
        assert np.allclose(estimator.predict_proba([[400.0, 200.0], [-400.0, -200.0]]), [[0, 1], [1, 0]])

    def test_fit_predict(self) -> None:
        X = mixture_sample()
        estimator = TruncatedGaussianMixture(2, domain=BOX, covariance=1.0)
        assert estimator.fit_predict(X).tolist() == estimator.predict(X).tolist()
        # What is left and right of the middle between the means lies in different components.
        assert len(set(estimator.predict(X[X[:, 0] < -2]))) == 1


class TestAnyModel:
    def test_a_formula(self) -> None:
        waits = np.random.default_rng(0).exponential(2.0, size=(800, 1))
        waits = waits[waits[:, 0] < 3]
        model, domain = sb.Formula("-rate*x1", start={"rate": 1.0}), sb.Interval(0, 3)
        estimator = TruncatedDensity(model, domain=domain).fit(waits)
        expected = sb.fit(waits, domain=domain, model=model)
        assert estimator.names_ == ["rate"] and estimator.estimates_.tolist() == expected.estimates.tolist()
        assert abs(estimator.estimates_[0] - 0.5) < 4 * expected.std_errors[0]
        by_text = TruncatedDensity("-rate*x1", start={"rate": 1.0}, domain=domain).fit(waits)
        assert by_text.estimates_.tolist() == expected.estimates.tolist()
        # The density inside is that of an exponential distribution cut off at 3.
        rate = estimator.estimates_[0]
        known = np.log(rate) - rate * waits[:, 0] - np.log(-np.expm1(-3 * rate))
        assert np.allclose(estimator.score_samples(waits, truncated=True), known, rtol=1e-6)
        assert np.isclose(estimator.bic(waits), -2 * known.sum() + np.log(len(waits)), rtol=1e-6)
        assert np.isclose(estimator.aic(waits), -2 * known.sum() + 2, rtol=1e-6)
        assert not hasattr(estimator, "predict_proba") and not hasattr(estimator, "means_")
        with pytest.raises(AttributeError, match="predict"):
            estimator.predict(waits)
        again = pickle.loads(pickle.dumps(clone(estimator).fit(waits)))
        assert again.estimates_.tolist() == estimator.estimates_.tolist()

    def test_gaussians_and_mixtures_are_those_of_their_own_estimators(self) -> None:
        X = mixture_sample()
        model = sb.GaussianMixture(2, covariance=1.0, estimate_weights=True)
        found = TruncatedDensity(model, domain=BOX, start=None).fit(X)
        own = TruncatedGaussianMixture(2, domain=BOX, covariance=1.0).fit(X)
        assert found.means_.tobytes() == own.means_.tobytes() and found.weights_.tobytes() == own.weights_.tobytes()
        assert found.predict_proba(X).tobytes() == own.predict_proba(X).tobytes()
        assert found.predict(X).tolist() == own.predict(X).tolist()
        plain = TruncatedDensity(domain=DISC).fit(disc_sample())
        assert plain.means_[0].tolist() == TruncatedGaussian(domain=DISC).fit(disc_sample()).mean_.tolist()

    def test_the_best_of_several_searches_is_kept(self) -> None:
        X = mixture_sample()
        several = TruncatedGaussianMixture(2, method="mle", covariance=1.0, n_init=3, random_state=5).fit(X)
        alone = [
            TruncatedGaussianMixture(2, method="mle", covariance=1.0, random_state=5 + k).fit(X).score(X) for k in range(3)
        ]
        assert np.isclose(several.score(X), max(alone), rtol=1e-12)
        assert several.converged_ and several.n_iter_ == several.result_.to_dict()["iterations"]
        for wrong in (0, 1.5, "2"):
            with pytest.raises(ValueError, match="n_init is"):
                TruncatedGaussianMixture(2, method="mle", n_init=wrong).fit(X)  # type: ignore[arg-type]

    def test_searches_end_after_so_many_steps(self) -> None:
        X = mixture_sample()
        estimator = TruncatedGaussianMixture(2, domain=BOX, method="tksd", max_iter=1)
        with pytest.warns(sb.NotTrustworthyWarning, match="without converging") as caught:
            estimator.fit(X)
        assert not estimator.converged_ and estimator.n_iter_ == 1
        assert any(issubclass(warning.category, sb.ConvergenceWarning) for warning in caught)
        assert clone(estimator).set_params(max_iter=200).fit(X).converged_
        with pytest.raises(ValueError, match="max_iter and options"):
            clone(estimator).set_params(options={"max_iterations": 3}).fit(X)

    def test_criteria_are_those_of_scikit_learn(self) -> None:
        # Of data that are not truncated both are the same model.
        from sklearn.mixture import GaussianMixture

        X = sb.simulate(sb.GaussianMixture(2, covariance=1.0), MEANS.ravel(), None, 500, random_state=3)
        theirs = GaussianMixture(2, covariance_type="tied", tol=1e-10, max_iter=1000, random_state=0).fit(X)
        ours = TruncatedGaussianMixture(2, method="mle", covariance_type="tied").fit(X)
        assert np.isclose(ours.bic(X), theirs.bic(X), rtol=1e-6)
        assert np.isclose(ours.aic(X), theirs.aic(X), rtol=1e-6)
        order = np.argsort(theirs.means_[:, 0])
        assert np.allclose(ours.means_, theirs.means_[order], atol=1e-3)
        assert np.allclose(ours.weights_, theirs.weights_[order], atol=1e-3)
        assert np.allclose(ours.covariances_[0], theirs.covariances_, atol=1e-3)
        with pytest.raises(ValueError, match="covariance_type is 'round'; behind a truncation it is one of full, tied"):
            TruncatedGaussianMixture(2, method="mle", covariance_type="round").fit(X)

    def test_jobs_are_threads(self) -> None:
        X = disc_sample()
        found = [TruncatedGaussian(domain=DISC, n_jobs=jobs).fit(X).result_ for jobs in (1, 2, -1, None)]
        assert len({result.estimates.tobytes() for result in found}) == 1
        assert [result.to_dict()["compute"]["threads"] for result in found[:2]] == [1, 2]
        with pytest.raises(ValueError, match="n_jobs and options"):
            TruncatedGaussian(domain=DISC, n_jobs=1, options={"threads": 1}).fit(X)


class TestUnits:
    """A transformer before the estimator changes the units of the data, not those of the boundary."""

    @pytest.mark.parametrize(
        ("boundary", "domain"),
        [
            (DISC.sample_boundary(60) + 50.0, None),
            (DISC.sample_boundary(60) * 1e4, None),
            (None, sb.Ball(radius=1.44, center=[50.0, 50.0])),
        ],
    )
    def test_scalers_before_a_boundary_are_refused(self, boundary: Any, domain: Any) -> None:
        X = disc_sample() * (1e4 if boundary is not None and np.abs(boundary).max() > 100 else 1.0)
        X = X + (50.0 if boundary is None or boundary.min() > 40 else 0.0)
        estimator = TruncatedGaussian(boundary, domain, method="tksd")
        clone(estimator).fit(X)
        with pytest.raises(ValueError, match="a scaler or another transformer before the estimator changes the units"):
            make_pipeline(StandardScaler(), estimator).fit(X)

    def test_boundaries_on_one_side_are_not(self) -> None:
        coast = np.column_stack([np.full(40, 1.2), np.linspace(-2, 2, 40)])
        X = disc_sample()
        X = X[X[:, 0] < 1.2]
        TruncatedGaussian(coast, method="tksd", covariance=1.0).fit(X)
        TruncatedGaussian(coast * 1e6, method="mle").fit(X)


class TestModelSelection:
    @pytest.mark.filterwarnings("ignore::steinbound.FitWarning")
    def test_likelihood_chooses_the_bandwidth(self) -> None:
        grid = {"bandwidth": [0.02, 1.0]}
        search = GridSearchCV(TruncatedGaussian(domain=DISC, covariance=1.0), grid).fit(disc_sample())
        assert search.best_params_ == {"bandwidth": 1.0}
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_estimator_.mean_.shape == (2,)

    def test_likelihood_chooses_the_number_of_components(self) -> None:
        search = GridSearchCV(
            TruncatedGaussianMixture(domain=BOX, covariance=1.0), {"n_components": [1, 2]}, cv=3
        ).fit(mixture_sample())
        assert search.best_params_ == {"n_components": 2}

    def test_discrepancy_chooses_without_a_domain(self) -> None:
        estimator = TruncatedGaussian(boundary=DISC.sample_boundary(100), covariance=1.0)
        search = GridSearchCV(estimator, {"method": ["mle", "tksd", "ksd"]}, scoring=discrepancy_score)
        assert search.fit(disc_sample()).best_params_ == {"method": "tksd"}

    def test_discrepancy_is_that_of_the_package(self) -> None:
        X, other = disc_sample(), disc_sample(seed=2)
        estimator = TruncatedGaussian(domain=DISC, bandwidth=0.8).fit(X)
        expected = sb.discrepancy(
            other, estimator.result_.estimates, domain=DISC, method="tksd", statistic="u"
        )
        assert discrepancy_score(estimator, other) == -expected.squared
        free = TruncatedGaussian(method="mle").fit(X)
        expected = sb.discrepancy(other, free.result_.estimates, method="ksd", statistic="u")
        assert discrepancy_score(free, other) == -expected.squared
        with pytest.raises(TypeError, match="TruncatedGaussian"):
            discrepancy_score(TruncatedRegressor(), other)  # type: ignore[arg-type]

    def test_threads_give_the_same_scores(self) -> None:
        X, estimator = disc_sample(), TruncatedGaussian(domain=DISC)
        alone = cross_val_score(estimator, X)
        with parallel_config(backend="threading"):
            together = cross_val_score(estimator, X, n_jobs=2)
        assert together.tobytes() == alone.tobytes()

    def test_weights_are_split_with_the_rows(self) -> None:
        X, y = responses()
        weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
        estimator = TruncatedRegressor(lower=0)
        found = cross_val_predict(estimator, X, y, params={"sample_weight": weights}, cv=2)
        half = len(y) // 2 + len(y) % 2
        expected = clone(estimator).fit(X[half:], y[half:], sample_weight=weights[half:]).predict(X[:half])
        assert found[:half].tobytes() == expected.tobytes()


class TestPipelines:
    def test_scaled_covariates_give_the_same_regression(self) -> None:
        X, y = responses()
        X = X * [1.0, 100.0] + [5.0, 0.0]
        plain = TruncatedRegressor(lower=0).fit(X, y)
        scaled = make_pipeline(StandardScaler(), TruncatedRegressor(lower=0)).fit(X, y)
        # The kernel standardises covariates itself.
        assert np.allclose(scaled.predict(X), plain.predict(X), rtol=1e-6)
        assert np.isclose(scaled[-1].sigma_, plain.sigma_, rtol=1e-6)
        # Of what is seen least squares are the better predictor, though not of what is not.
        assert 0 < scaled.score(X, y) < TruncatedRegressor(method="mle").fit(X, y).score(X, y)

    def test_pipeline_of_a_density(self) -> None:
        X = disc_sample()
        pipeline = make_pipeline(FunctionTransformer(_less_one), TruncatedGaussian(domain=DISC)).fit(X + 1)
        assert np.isclose(pipeline.score(X + 1), TruncatedGaussian(domain=DISC).fit(X).score(X))
        assert pipeline.score_samples(X + 1).shape == (400,)

    def test_limits_of_rows_travel_with_them(self) -> None:
        X, y = responses()
        lower = np.random.default_rng(0).uniform(0, 1, len(y))
        X, y, lower = X[y > lower], y[y > lower], lower[y > lower]
        pipeline = make_pipeline(StandardScaler(), TruncatedRegressor(lower=-50))
        pipeline.fit(X, y, truncatedregressor__lower=lower)
        expected = TruncatedRegressor().fit(StandardScaler().fit_transform(X), y, lower=lower)
        assert pipeline[-1].coef_.tobytes() == expected.coef_.tobytes()

    def test_limits_of_rows_are_split_with_them(self) -> None:
        X, y = responses()
        lower = np.random.default_rng(0).uniform(0, 1, len(y))
        X, y, lower = X[y > lower], y[y > lower], lower[y > lower]
        with config_context(enable_metadata_routing=True):
            estimator = TruncatedRegressor(method="truncated-mle").set_fit_request(lower=True)
            found = cross_val_predict(
                make_pipeline(StandardScaler(), estimator), X, y, params={"lower": lower}, cv=2
            )
        half = len(y) // 2 + len(y) % 2
        scaler = StandardScaler().fit(X[half:])
        alone = TruncatedRegressor(method="truncated-mle")
        alone.fit(scaler.transform(X[half:]), y[half:], lower=lower[half:])
        assert found[:half].tobytes() == alone.predict(scaler.transform(X[:half])).tobytes()


def _less_one(X: Array) -> Array:
    return X - 1


class TestRules:
    @pytest.mark.parametrize(
        "estimator",
        [
            TruncatedGaussian(DISC.sample_boundary(100), kernel=sb.IMQ(0.8)),
            TruncatedGaussian(domain=sb.Polygon([[-2, -2], [2, -2], [2, 2], [-2, 2]]) & DISC),
            TruncatedGaussianMixture(1, domain=DISC, covariance=np.eye(2)),
        ],
    )
    def test_clones_and_pickles(self, estimator: Any) -> None:
        X = disc_sample()
        fitted = clone(estimator).fit(X)
        assert not hasattr(estimator, "result_")
        again = pickle.loads(pickle.dumps(fitted))
        assert again.score_samples(X).tobytes() == fitted.score_samples(X).tobytes()
        assert again.result_.estimates.tobytes() == clone(again).fit(X).result_.estimates.tobytes()
        assert str(again.result_.summary()) == str(fitted.result_.summary())

    def test_a_regression_pickles(self) -> None:
        X, y = responses()
        fitted = TruncatedRegressor(lower=0).fit(X, y)
        again = pickle.loads(pickle.dumps(fitted))
        assert again.predict(X).tobytes() == fitted.predict(X).tobytes()
        columns = {"x1": X[:, 0], "x2": X[:, 1]}
        assert again.result_.predict(columns).tobytes() == fitted.result_.predict(columns).tobytes()

    @pytest.mark.parametrize(
        "estimator", [TruncatedGaussian(), TruncatedGaussianMixture(), TruncatedRegressor()], ids=repr
    )
    def test_unfitted_estimators_say_so(self, estimator: Any) -> None:
        for name in ("score_samples", "predict", "predict_proba", "sample"):
            if hasattr(estimator, name):
                with pytest.raises(NotFittedError):
                    getattr(estimator, name)(1 if name == "sample" else [[0.0]])

    @pytest.mark.parametrize(
        ("estimator", "message"),
        [
            (TruncatedGaussian(), "efficient needs to know the boundary"),
            (TruncatedGaussian(boundary=[[1.0]]), "boundary: there are 1 columns and the data have 2"),
            (TruncatedGaussian(domain=sb.Ball(0.1)), "lie outside"),
            (TruncatedGaussian(domain=DISC, method="magic"), "magic"),
            (TruncatedGaussian(domain=DISC, shape="round"), "round"),
            (TruncatedGaussian(domain=DISC, bandwidth=-1), "bandwidth"),
            (TruncatedGaussian(domain=DISC, options={"kernel": "imq"}), "there is no option 'kernel'"),
            (TruncatedGaussianMixture(0, domain=DISC), "component"),
            (TruncatedRegressor(), "no limit of the response is given"),
            (TruncatedRegressor(lower=5.0), "outside its limits"),
        ],
    )
    def test_refusals_are_the_engine_s(self, estimator: Any, message: str) -> None:
        X = disc_sample()
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, X[:, 0])

    def test_warnings_pass(self) -> None:
        estimator = TruncatedGaussian(DISC.sample_boundary(6), method="tksd", covariance=1.0)
        with pytest.warns(sb.FitWarning) as caught:
            estimator.fit(disc_sample())
        assert [str(warning.message) for warning in caught] == estimator.result_.warnings != []

    def test_a_line_that_does_not_exist_predicts_nothing(self) -> None:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 1)), rng.beta(0.4, 0.4, size=60)
        with pytest.warns(sb.FitWarning, match="not positive"):
            estimator = TruncatedRegressor(lower=0, upper=1).fit(X, y)
        assert np.isnan([*estimator.coef_, estimator.intercept_, estimator.sigma_]).all()
        with pytest.raises(ValueError, match="no coefficients"):
            estimator.predict(X)

    def test_a_known_covariance_stays_the_user_s(self) -> None:
        known = np.array([[1.0, 0.2], [0.2, 1.5]])
        estimator = TruncatedGaussian(domain=DISC, covariance=known).fit(disc_sample())
        assert estimator.covariance_.tolist() == known.tolist()
        estimator.covariance_[0, 0] = 9
        assert known[0, 0] == 1

    def test_known_noise(self) -> None:
        X, y = responses()
        estimator = TruncatedRegressor(lower=0, known_sigma=1.5).fit(X, y)
        assert estimator.sigma_ == 1.5
        assert "sigma" not in estimator.result_.names

    @pytest.mark.filterwarnings("ignore::steinbound.FitWarning")
    def test_whole_weights_are_repetitions(self) -> None:
        X, y = responses(count=200)
        weights = np.random.default_rng(0).integers(0, 4, len(y))
        rows = np.repeat(np.arange(len(y)), weights)
        # The median distance does not see weights, so that the bandwidth must be given; and the penalty of the
        # method efficient depends on the number of observations.
        density = TruncatedGaussian(DISC.sample_boundary(100), method="tksd", bandwidth=1.0)
        seen = disc_sample(len(y))
        weighted, repeated = clone(density).fit(seen, sample_weight=weights), clone(density).fit(seen[rows])
        assert np.allclose(weighted.mean_, repeated.mean_)
        assert np.allclose(weighted.covariance_, repeated.covariance_)
        regressor = TruncatedRegressor(lower=0, method="truncated-mle")
        one, other = clone(regressor).fit(X, y, sample_weight=weights), clone(regressor).fit(X[rows], y[rows])
        assert np.allclose(one.predict(X), other.predict(X), rtol=1e-6)
        mixture = TruncatedGaussianMixture(2, method="mle", covariance=1.0, start=[-1.0, 0.0, 1.0, 0.0])
        first, second = clone(mixture).fit(X, sample_weight=weights), clone(mixture).fit(X[rows])
        assert np.allclose(first.predict_proba(X), second.predict_proba(X), rtol=1e-5)


def test_the_package_does_not_need_scikit_learn() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None; import steinbound\n"
        "try: import steinbound.sklearn\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install" in done.stdout
