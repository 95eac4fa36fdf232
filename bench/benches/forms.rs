//! Each way to hold and condition the pairs: one pass over them, and whole fits.

mod common;

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use steinbound::domain::{BoundaryDistance, BoundarySampling, Domain};
use steinbound::fit::Compute;
use steinbound::model::{Gaussian, GaussianMixture};
use steinbound::stein::{Conditioned, Operator, Radial, SteinForm, Term, Weighted};
use steinbound::{Error, Estimator, Matrix, Points, kernel, simulate};

const POINTS: usize = 2_000;
const BOUNDARY: usize = 32;
const BANDWIDTH: f64 = 1.5;
const RIDGE: f64 = 1e-3;

fn edge() -> Points<'static> {
    let sampling = BoundarySampling::new(BOUNDARY);
    common::disc().sample_boundary(&sampling, &mut simulate::stream(1, 1)).expect("points on a circle")
}

type NamedForm = (&'static str, Box<dyn SteinForm>);

fn forms(points: &Points) -> Result<Vec<NamedForm>, Error> {
    let kernel = || kernel::by_name("gaussian");
    let tiled = || Radial::tiled(points, kernel()?, BANDWIDTH);
    let distance = BoundaryDistance::exact(Arc::new(common::disc()));
    Ok(vec![
        ("dense", Box::new(Radial::dense(points, kernel()?, BANDWIDTH)?)),
        ("tiled", Box::new(tiled()?)),
        ("conditioned", Box::new(Conditioned::new(tiled()?, &edge(), RIDGE)?)),
        ("weighted", Box::new(Weighted::new(tiled()?, points, distance)?)),
    ])
}

/// All operators on one column: what a standard error needs.
fn every_operator() -> Vec<Term> {
    let slopes = (0..2).flat_map(|l| [Operator::First(l), Operator::Second(l)]);
    let operators = [Operator::Value, Operator::Both].into_iter().chain(slopes);
    operators.map(|operator| Term::new(operator, 0)).collect()
}

fn passes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("apply");
    group.throughput(Throughput::Elements((POINTS * POINTS) as u64));
    let (_, points) = common::gaussian(POINTS);
    let (ones, terms) = (Matrix::from_fn(POINTS, 1, |_, _| 1.0), every_operator());
    for (name, form) in forms(&points).expect("valid forms") {
        group.bench_function(BenchmarkId::new(name, POINTS), |bencher| {
            bencher.iter(|| form.apply(&ones, &terms).expect("a pass"));
        });
    }
    group.finish();
}

fn gaussian_fits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    group.sample_size(20);
    let (mean, points) = common::gaussian(POINTS);
    for (name, model) in [("gaussian-mean", &mean), ("gaussian", &Gaussian::full(2))] {
        for (holder, compute) in [("dense", Compute::Dense), ("tiled", Compute::Tiled)] {
            let estimator = Estimator::tksd().boundary(edge()).compute(compute);
            group.bench_function(BenchmarkId::new(name, holder), |bencher| {
                bencher.iter(|| estimator.fit(&points, model).expect("a fit"));
            });
        }
    }
    group.finish();
}

fn mixture_fit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fit");
    group.sample_size(10);
    let mixture = GaussianMixture::new(2, 2).expect("components");
    let truth = [-1.0, -1.0, 1.0, 1.0];
    let points = common::sample(&mixture, &truth, POINTS);
    let estimator = Estimator::tksd().boundary(edge()).start(truth.to_vec());
    group.bench_function("mixture", |bencher| {
        bencher.iter(|| estimator.fit(&points, &mixture).expect("a fit"))
    });
    group.finish();
}

criterion_group!(benches, passes, gaussian_fits, mixture_fit);
criterion_main!(benches);
