//! Properties of estimates that need no reference values, for every model and method in the lists of the library: other
//! units, another origin, another order of the rows, rows repeated, other threads, pairs held in another way.

use std::sync::Arc;

use rayon::prelude::*;

use steinbound::domain::{BoundarySampling, BoundaryScheme, Cuboid, Domain};
use steinbound::fit::Compute;
use steinbound::kernel::Bandwidth;
use steinbound::model::{Choice, FAMILIES, Family, KnownCovariance, Model, ModelChoices};
use steinbound::{Error, Estimator, Fit, Method, Points, simulate};

/// Where a model is tried.
struct Place {
    dimension: usize,
    region: (f64, f64),
    /// Reported parameters of the density from which a sample is drawn; with a known variance of 1, if it has one.
    truth: &'static [f64],
    /// Whether the model describes data in any units.
    has_units: bool,
}

fn place(name: &str) -> Place {
    let line = |low: f64, high: f64, truth: &'static [f64]| Place {
        dimension: 1,
        region: (low, high),
        truth,
        has_units: true,
    };
    match name {
        "gaussian" => Place { dimension: 2, ..line(-1.5, 1.5, &[0.3, -0.2]) },
        "gaussian-mixture" => Place { dimension: 2, ..line(-4.0, 4.0, &[-2.0, -1.5, 2.0, 1.0]) },
        "exponential" => line(0.0, 2.0, &[1.0]),
        "gamma" => line(0.0, 3.0, &[2.5, 1.0]),
        "weibull" => line(0.2, 2.0, &[1.5, 1.0]),
        "lognormal" => line(0.2, 3.0, &[0.0, 0.5]),
        "pareto" => line(1.0, 6.0, &[2.5]),
        "beta" => Place { has_units: false, ..line(0.1, 1.0, &[2.0, 2.0]) },
        "von-mises" => Place { has_units: false, ..line(-1.0, 2.0, &[0.3, 1.5]) },
        "student-t" => line(-4.0, 4.0, &[0.2, 1.0, 4.0]),
        other => panic!("give {other} a region and parameters here, so that every method is tried with it"),
    }
}

/// A reported parameter in units of one, from its value for data in other units.
fn in_units_of_one(family: &str, name: &str, value: f64, unit: f64) -> f64 {
    let head = name.split('[').next().unwrap();
    match (family, head) {
        ("lognormal", "location") => value - unit.ln(),
        ("lognormal", "scale") => value,
        (_, "mean" | "location" | "scale") => value / unit,
        (_, "cov" | "variance") => value / (unit * unit),
        (_, "rate") => value * unit,
        (_, "shape" | "exponent" | "degrees" | "weight") => value,
        _ => panic!("say here how {name} of {family} changes with the units"),
    }
}

/// A model as it can be chosen.
struct Variant {
    family: &'static dyn Family,
    what: String,
    choices: ModelChoices,
}

/// Every family with a known covariance, and in every shape of an unknown one.
fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for family in FAMILIES.iter().copied() {
        let has = |choice: Choice| family.choices().contains(&choice);
        let plain =
            ModelChoices { components: has(Choice::Components).then_some(2), ..ModelChoices::default() };
        let known_covariance = has(Choice::KnownCovariance).then_some(KnownCovariance::Variance(1.0));
        let (name, known) = (family.name(), ModelChoices { known_covariance, ..plain.clone() });
        variants.push(Variant { family, what: name.into(), choices: known });
        for shape in family.shapes() {
            let choices = ModelChoices { covariance: Some(*shape), ..plain.clone() };
            variants.push(Variant { family, what: format!("{name}, {}", shape.name()), choices });
        }
    }
    variants
}

/// One variant for each family.
fn families() -> Vec<Variant> {
    variants().into_iter().filter(|variant| variant.what == variant.family.name()).collect()
}

impl Variant {
    fn place(&self) -> Place {
        place(self.family.name())
    }

    fn model(&self, unit: f64) -> Box<dyn Model> {
        let mut choices = self.choices.clone();
        if let Some(KnownCovariance::Variance(variance)) = &mut choices.known_covariance {
            *variance *= unit * unit;
        }
        self.family.build(self.place().dimension, &choices).unwrap()
    }

    fn sample(&self, count: usize) -> Points<'static> {
        let place = self.place();
        let of_family =
            families().into_iter().find(|known| known.family.name() == self.family.name()).unwrap();
        let model = of_family.model(1.0);
        let theta = model.fitted_from(place.truth).unwrap();
        let rng = &mut simulate::stream(7, 0);
        simulate::truncated(model.as_ref(), &theta, &self.region(1.0, 0.0), count, rng).unwrap().points
    }

    fn region(&self, unit: f64, shift: f64) -> Cuboid {
        let Place { region: (low, high), dimension, .. } = self.place();
        Cuboid::uniform(unit * low + shift, unit * high + shift, dimension).unwrap()
    }

    /// Estimates with given boundary points: what is chosen by how far an estimate moves is not part of a comparison.
    fn estimator(&self, method: Method, unit: f64, shift: f64) -> Estimator {
        let sampling = BoundarySampling::new(60).scheme(BoundaryScheme::Even);
        let sampling = if self.place().dimension == 1 { BoundarySampling::new(2) } else { sampling };
        let edge = self.region(1.0, 0.0).sample_boundary(&sampling, &mut simulate::stream(0, 1)).unwrap();
        let edge = edge.moved(|x| x.iter().map(|v| unit * v + shift).collect()).unwrap();
        Estimator::new(method).domain(Arc::new(self.region(unit, shift))).boundary(edge)
    }

    fn fit(&self, method: Method, data: &Points, unit: f64, shift: f64) -> Result<Fit, Error> {
        let data = data.moved(|x| x.iter().map(|v| unit * v + shift).collect())?;
        self.estimator(method, unit, shift).fit(&data, self.model(unit).as_ref())
    }
}

/// Fails unless two fits agree to this share of the standard errors of the first; `back` turns parameters of the
/// second into those of the first.
#[track_caller]
fn assert_same(
    here: &Result<Fit, Error>,
    there: &Result<Fit, Error>,
    tolerance: f64,
    back: impl Fn(&str, f64) -> f64,
    what: &str,
) {
    let (here, there) = match (here, there) {
        (Ok(here), Ok(there)) => (here, there),
        (Err(_), Err(_)) => return,
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => panic!("{what}: only one of two is refused: {error}"),
    };
    let trusted = (here.is_trustworthy(), there.is_trustworthy());
    assert!(trusted.0 == trusted.1, "{what}: {trusted:?} {:?} {:?}", here.warnings, there.warnings);
    if !trusted.0 {
        return;
    }
    for (a, b) in here.parameters.iter().zip(&there.parameters) {
        let (Some(estimate), Some(error)) = (a.estimate, a.std_error) else { continue };
        let (other, other_error) = (b.estimate.unwrap(), b.std_error.unwrap());
        let moved = (back(&b.name, other) - estimate).abs() / error;
        // The parameters change linearly, so that the ends of an interval do as well.
        let ratio = (back(&b.name, other + other_error) - back(&b.name, other)) / error - 1.0;
        // Second derivatives of some likelihoods are differences.
        assert!(
            moved < tolerance && ratio.abs() < tolerance.max(1e-5),
            "{what} {}: {moved:e} {ratio:e}",
            a.name
        );
    }
}

/// All variants with all methods, on all cores.
fn each(variants: &[Variant], check: impl Fn(&Variant, Method, &str) + Sync) {
    let pairs: Vec<(&Variant, Method)> =
        variants.iter().flat_map(|variant| Method::ALL.map(|method| (variant, method))).collect();
    pairs.into_par_iter().for_each(|(variant, method)| {
        check(variant, method, &format!("{}, {method}", variant.what));
    });
}

/// Powers of two, by which data change without rounding.
fn units_do_not_matter(exponents: &[i32], count: usize) {
    each(&variants(), |variant, method, what| {
        if !variant.place().has_units {
            return;
        }
        let data = variant.sample(count);
        let plain = variant.fit(method, &data, 1.0, 0.0);
        for exponent in exponents {
            let unit = 2f64.powi(*exponent);
            let back = |name: &str, value: f64| in_units_of_one(variant.family.name(), name, value, unit);
            let other = variant.fit(method, &data, unit, 0.0);
            assert_same(&plain, &other, 1e-6, back, &format!("{what}, 2^{exponent}"));
        }
    });
}

#[test]
fn units_of_a_million_do_not_matter() {
    units_do_not_matter(&[20, -20], 80);
}

#[test]
#[ignore = "long; run by make simulations"]
fn no_units_matter() {
    units_do_not_matter(&[-40, -30, -10, -3, 3, 10, 30, 40], 200);
}

/// Of densities that can be anywhere.
#[test]
fn the_origin_does_not_matter() {
    let anywhere =
        |variant: &Variant| ["gaussian", "gaussian-mixture", "student-t"].contains(&variant.family.name());
    let variants: Vec<Variant> = variants().into_iter().filter(anywhere).collect();
    each(&variants, |variant, method, what| {
        // So few digits that the shifted numbers are exact.
        let rounded = |x: &[f64]| x.iter().map(|v| (v * 65536.0).round() / 65536.0).collect();
        let data = variant.sample(80).moved(rounded).unwrap();
        let plain = variant.fit(method, &data, 1.0, 0.0);
        let shift = 1_048_576.0;
        let back = |name: &str, value: f64| match name.starts_with("mean") || name.starts_with("location") {
            true => value - shift,
            false => value,
        };
        assert_same(&plain, &variant.fit(method, &data, 1.0, shift), 1e-6, back, what);
    });
}

#[test]
fn the_order_of_rows_does_not_matter() {
    each(&variants(), |variant, method, what| {
        let data = variant.sample(80);
        let order = (0..80).map(|i| data.row(i * 27 % 80)).collect::<Vec<_>>();
        let turned = Points::from_rows(&order).unwrap();
        let model = variant.model(1.0);
        let estimator = variant.estimator(method, 1.0, 0.0);
        let plain = estimator.fit(&data, model.as_ref());
        // Starts are drawn from the rows by their number.
        let near = plain.as_ref().ok().filter(|fit| model.search().is_some() && fit.is_trustworthy());
        let estimator = match near {
            Some(fit) => estimator.start(fit.estimates()),
            None => estimator,
        };
        // Test functions are chosen one after the other, and rounding decides between rows that serve alike.
        let tolerance = if method.uses().adaptive { 1e-2 } else { 1e-6 };
        assert_same(&plain, &estimator.fit(&turned, model.as_ref()), tolerance, |_, value| value, what);
    });
}

/// Each row twice with half its weight, both in one cluster.
#[test]
fn half_a_row_twice_is_a_row() {
    each(&families(), |variant, method, what| {
        let data = variant.sample(80).with_clusters(&(0..80).collect::<Vec<_>>()).unwrap();
        let labels: Vec<usize> = (0..160).map(|i| i / 2).collect();
        let twice = labels.iter().map(|i| data.row(*i)).collect::<Vec<_>>();
        let twice = Points::from_rows(&twice).unwrap().with_weights(vec![0.5; 160]).unwrap();
        let twice = twice.with_clusters(&labels).unwrap();
        let model = variant.model(1.0);
        let estimator = variant.estimator(method, 1.0, 0.0).bandwidth(Bandwidth::Fixed(1.0));
        let plain = estimator.fit(&data, model.as_ref());
        let near = plain.as_ref().ok().filter(|fit| model.search().is_some() && fit.is_trustworthy());
        let again = match near {
            Some(fit) => estimator.clone().start(fit.estimates()),
            None => estimator.clone(),
        };
        // What depends on the number of rows is chosen anew.
        let tolerance = if method.uses().adaptive { 0.3 } else { 1e-6 };
        assert_same(&plain, &again.fit(&twice, model.as_ref()), tolerance, |_, value| value, what);
    });
}

#[test]
fn every_model_has_the_same_bits_on_any_number_of_threads() {
    for variant in families() {
        let (data, model) = (variant.sample(300), variant.model(1.0));
        let bits = |threads: usize| -> Vec<Option<Vec<u64>>> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let of_method = |method: Method| {
                let estimator = variant.estimator(method, 1.0, 0.0);
                let fit = pool.install(|| estimator.fit(&data, model.as_ref())).ok()?;
                let values = fit.parameters.iter().flat_map(|p| [p.estimate, p.std_error]).flatten();
                Some(values.chain(fit.discrepancy_squared).map(f64::to_bits).collect())
            };
            Method::ALL.into_iter().map(of_method).collect()
        };
        let one = bits(1);
        for threads in [2, 3, 7] {
            assert_eq!(one, bits(threads), "{}, {threads} threads", variant.what);
        }
    }
}

/// Pairs that are stored and pairs that are computed when needed, and as many landmarks as there are independent rows.
#[test]
fn every_model_is_fitted_alike_however_pairs_are_held() {
    each(&families(), |variant, method, what| {
        if !method.uses().statistic {
            return;
        }
        let (data, model) = (variant.sample(80), variant.model(1.0));
        let fit = |compute: Compute, start: Option<Vec<f64>>| {
            let estimator = variant.estimator(method, 1.0, 0.0).compute(compute).tolerance(1e-14);
            start.into_iter().fold(estimator, Estimator::start).fit(&data, model.as_ref())
        };
        let dense = fit(Compute::Dense, None);
        let near = dense.as_ref().ok().filter(|fit| model.search().is_some() && fit.is_trustworthy());
        let near = near.map(Fit::estimates);
        let same = |_: &str, value: f64| value;
        assert_same(&dense, &fit(Compute::Tiled, near.clone()), 1e-6, same, &format!("{what}, tiled"));
        assert_same(&dense, &fit(Compute::LowRank, near), 1e-3, same, &format!("{what}, low rank"));
    });
}
