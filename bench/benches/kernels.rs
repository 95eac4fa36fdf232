//! Each kernel by name: a row of its profile, and a discrepancy over all pairs.

mod common;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use steinbound::stein::{Radial, Statistic, discrepancy_squared};
use steinbound::{Matrix, kernel};

/// Values in a row: few enough to stay in the first-level cache.
const ROW: usize = 1_024;
const POINTS: usize = 2_000;

fn profile_rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("profile_row");
    group.throughput(Throughput::Elements(ROW as u64));
    let q: Vec<f64> = (0..ROW).map(|j| 8.0 * j as f64 / ROW as f64).collect();
    for name in kernel::names() {
        let kernel = kernel::by_name(name).expect("a known name");
        let [mut value, mut first, mut second] = [(); 3].map(|()| vec![0.0; ROW]);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                kernel.profile_row(black_box(&q), &mut value, &mut first, &mut second);
                black_box((&value, &first, &second));
            });
        });
    }
    group.finish();
}

fn discrepancies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("discrepancy");
    group.throughput(Throughput::Elements((POINTS * POINTS) as u64));
    let (_, points) = common::gaussian(POINTS);
    let scores = Matrix::from_fn(POINTS, 2, |i, l| 0.5 - points.row(i)[l]);
    let weights = vec![1.0; POINTS];
    for name in kernel::names() {
        let kernel = kernel::by_name(name).expect("a known name");
        let form = Radial::tiled(&points, kernel, 1.5).expect("a valid form");
        group.bench_function(BenchmarkId::new(name, POINTS), |bencher| {
            let measured = || discrepancy_squared(&form, scores.clone(), &weights, Statistic::V);
            bencher.iter(|| measured().expect("a discrepancy"));
        });
    }
    group.finish();
}

criterion_group!(benches, profile_rows, discrepancies);
criterion_main!(benches);
