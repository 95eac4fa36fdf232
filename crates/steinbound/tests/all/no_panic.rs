//! Whatever the numbers, the library answers or refuses; it does not panic.

use std::sync::Arc;

use proptest::prelude::*;
use steinbound::domain::{
    Ball, BoundarySampling, BoundaryScheme, Complement, Cuboid, Domain, HalfSpace, Intersection, LevelSet,
    Norm, Polygon,
};
use steinbound::fit::{Compute, DistanceKind};
use steinbound::inference::{Bootstrap, GoodnessOfFit, Interval, Resampling};
use steinbound::kernel::{self, Bandwidth};
use steinbound::model::{Autodiff, Gaussian, GaussianMixture, Model};
use steinbound::simulate::stream;
use steinbound::stein::Statistic;
use steinbound::{Estimator, Matrix, Method, Points};

/// Numbers as they occur, and as they should not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -3.0..3.0f64,
        1 => Just(0.0),
        1 => Just(1.0),
        1 => -1e200..1e200f64,
        1 => -1e-200..1e-200f64,
        1 => any::<f64>(),
    ]
}

fn rows(dimension: usize) -> impl Strategy<Value = Vec<f64>> {
    (0..14usize).prop_flat_map(move |n| prop::collection::vec(number(), n * dimension))
}

fn domain(dimension: usize, kind: u8, radius: f64) -> Option<Arc<dyn Domain>> {
    Some(match kind {
        0 => Arc::new(Ball::new(radius).ok()?.in_dimension(dimension)),
        1 => Arc::new(Ball::new(radius).ok()?.in_dimension(dimension).with_norm(Norm::One)),
        2 => Arc::new(Cuboid::uniform(-radius, radius, dimension).ok()?),
        3 => Arc::new(Cuboid::uniform(radius, f64::INFINITY, dimension).ok()?),
        4 => Arc::new(Complement::new(Arc::new(Ball::new(radius).ok()?.in_dimension(dimension)))),
        5 => Arc::new(LevelSet::parse(&format!("x1^2 - abs({radius})"), dimension).ok()?),
        6 => {
            let parts: [Arc<dyn Domain>; 2] = [
                Arc::new(Ball::new(radius).ok()?.in_dimension(dimension)),
                Arc::new(HalfSpace::new(vec![1.0; dimension], 0.5).ok()?),
            ];
            Arc::new(Intersection::new(parts.to_vec()).ok()?)
        }
        _ => Arc::new(HalfSpace::new(vec![radius; dimension], radius).ok()?),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_fit_answers_or_refuses(
        (dimension, data, boundary) in (1..4usize).prop_flat_map(|d| (Just(d), rows(d), rows(d))),
        weights in prop::option::of(prop::collection::vec(prop_oneof![40 => 0.0..3.0f64, 1 => number()], 14)),
        choices in prop::collection::vec(any::<u8>(), 10),
        (radius, bandwidth, ridge, at) in (number(), number(), number(), prop::collection::vec(number(), 9)),
    ) {
        let pick = |k: usize, count: u8| choices[k] % count;
        let Ok(mut data) = Points::new(data, dimension) else { return Ok(()) };
        if let Some(weights) = weights {
            let count = data.len();
            match data.clone().with_weights(weights[..count].to_vec()) {
                Ok(weighted) => data = weighted,
                Err(_) => return Ok(()),
            }
        }
        let names: Vec<String> = (1..=dimension).map(|l| format!("x{l}")).collect();
        let formula = || Autodiff::from_formula("a*cos(x1) - exp(b)*x1^2 + log(x1 + 3)", &names, &[("a", at[0]), ("b", at[1])]);
        let mixture = GaussianMixture::new(dimension, 2).unwrap();
        let model: Box<dyn Model> = match pick(0, 12) {
            0..4 => Box::new(Gaussian::with_variance(dimension, 1.0).unwrap()),
            4 => Box::new(Gaussian::diagonal(dimension)),
            5..8 => Box::new(Gaussian::full(dimension)),
            8 => Box::new(mixture),
            9 => Box::new(mixture.spherical().estimate_weights()),
            10 => match formula() {
                Ok(model) => Box::new(model),
                Err(_) => return Ok(()),
            },
            // A model of another dimension must be refused.
            _ => Box::new(Gaussian::full(dimension + 1)),
        };
        let model = model.as_ref();
        let mut estimator = Estimator::new(Method::ALL[usize::from(pick(1, 6))])
            .kernel(kernel::all()[usize::from(pick(2, 4))].clone())
            .statistic([Statistic::V, Statistic::U][usize::from(pick(3, 2))])
            .compute([Compute::Dense, Compute::Tiled][usize::from(pick(4, 2))])
            .allow_outside(pick(5, 4) > 0);
        if pick(6, 3) == 0 {
            estimator = estimator.bandwidth(Bandwidth::Fixed(bandwidth)).ridge(ridge);
        }
        if pick(7, 3) > 0 {
            estimator = estimator.distance([DistanceKind::Exact, DistanceKind::Nearest][usize::from(pick(7, 2))]);
        }
        if let Ok(points) = Points::new(boundary, dimension) {
            estimator = estimator.boundary(points);
        } else if pick(8, 2) == 0 {
            estimator = estimator.boundary(Points::none(dimension));
        }
        if pick(5, 5) == 0 {
            estimator = estimator.distance(DistanceKind::Axes).distance_power(bandwidth);
        }
        if let Some(domain) = domain(dimension, pick(9, 8), radius) {
            estimator = estimator.domain(domain);
        }
        let Ok(problem) = estimator.check(&data, model) else { return Ok(()) };
        let parameters = model.report(&vec![1.0; model.parameters()]).map_or(3, |r| r.values.len());
        let at: Vec<f64> = at.iter().cycle().take(parameters).copied().collect();
        let _ = problem.discrepancy(&at);
        let _ = problem.witness(&at, &data);
        let _ = problem.witness(&at, &Points::none(dimension));
        if let Ok(fit) = problem.fit() {
            for p in &fit.parameters {
                prop_assert!(p.estimate.is_none_or(f64::is_finite), "{fit:?}");
                prop_assert!(p.std_error.is_none_or(|s| s >= 0.0), "{fit:?}");
            }
            prop_assert!(!fit.summary().is_empty());
            let found = problem.diagnose(&fit);
            prop_assert!(found.is_ok(), "{found:?}");
            let _ = fit.wald_test(&Matrix::from_fn(1, fit.parameters.len(), |_, k| at[k % at.len()]), &[radius]);
            let _ = fit.derived("sum", |values| values.iter().sum::<f64>() * radius);
            // These fit many times over.
            if pick(4, 16) < 2 {
                let resampling = [Resampling::Nonparametric, Resampling::Parametric][usize::from(pick(3, 2))];
                let settings = Bootstrap::new(25).interval(Interval::Normal).resampling(resampling);
                let _ = problem.test(&fit, &GoodnessOfFit::new().draws(19));
                let _ = problem.test_at(&at, &GoodnessOfFit::new().draws(19));
                if let Ok(again) = problem.bootstrap(fit, &settings) {
                    prop_assert!(again.parameters.iter().all(|p| p.std_error.is_none_or(|s| s >= 0.0)));
                }
                let _ = estimator.tuned(&data, model);
                let _ = estimator.sensitivity(&data, model);
            }
        }
    }

    #[test]
    fn any_covariance_is_taken_or_refused(values in prop::collection::vec(number(), 9)) {
        let matrix = Matrix::from_fn(3, 3, |i, j| values[3 * i.min(j) + i.max(j)]);
        let _ = Gaussian::with_covariance(matrix);
        let _ = Gaussian::with_variances(&values);
        let theta: Vec<f64> = values.clone();
        let model = Gaussian::full(3);
        let _ = model.report(&theta);
        let _ = model.fitted_from(&theta);
        let _ = model.sampling().map(|sampling| sampling.sampler(&theta).is_some());
    }

    #[test]
    fn any_rings_are_taken_or_refused(
        rings in prop::collection::vec(prop::collection::vec([number(), number()], 0..7), 0..4),
        // Small whole numbers meet at vertices, along edges and in lines.
        lattice in prop::collection::vec(prop::collection::vec([0..4i8, 0..4i8], 3..7), 1..4),
        (x, y, length) in (number(), number(), number()),
    ) {
        let whole = lattice.iter().map(|ring| ring.iter().map(|v| v.map(f64::from)).collect()).collect();
        for rings in [rings, whole] {
            let Ok(polygon) = Polygon::new(rings) else { continue };
            let mut gradient = [0.0; 2];
            let _ = polygon.contains(&[x, y]);
            let distance = polygon.distance_to_boundary(&[x, y], &mut gradient);
            prop_assert!(distance >= 0.0 || !(x.is_finite() && y.is_finite()), "{distance}");
            prop_assert!(polygon.length() > 0.0 && polygon.area().is_finite());
            let _ = (polygon.sections(&[x, y], 0, (-1.0, length)), polygon.sections(&[x, y], 1, (length, 1.0)));
            let _ = polygon.map_vertices(length.abs().max(1e-3), |[u, v]| [u * x, v + y]);
            for scheme in [BoundaryScheme::Uniform, BoundaryScheme::Even, BoundaryScheme::Radial] {
                let _ = polygon.sample_boundary(&BoundarySampling::new(9).scheme(scheme), &mut stream(1, 1));
            }
        }
    }
}
