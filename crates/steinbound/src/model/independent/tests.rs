use super::*;
use crate::compute::gauss_legendre::gauss_legendre;
use crate::model::{FAMILIES, ModelChoices, conformance, family};
use crate::random::stream;

/// Each family with reported parameters of one coordinate and places in its support.
const CASES: [(&str, &[f64], [f64; 3]); 8] = [
    ("exponential", &[1.7], [0.2, 0.9, 2.4]),
    ("gamma", &[2.6, 1.3], [0.3, 1.1, 3.4]),
    ("weibull", &[1.7, 1.4], [0.3, 1.1, 2.2]),
    ("lognormal", &[0.3, 0.6], [0.4, 1.2, 2.5]),
    ("pareto", &[2.4], [0.7, 1.3, 4.0]),
    ("beta", &[1.8, 0.7], [0.15, 0.5, 0.85]),
    ("von-mises", &[0.4, 1.8], [-2.0, 0.1, 1.9]),
    ("student-t", &[0.5, 1.2, 3.5], [-2.0, 0.3, 3.1]),
];

fn built(name: &str, dimension: usize, known: &[(&str, f64)]) -> Box<dyn Model> {
    let known = known.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    family(name).unwrap().build(dimension, &ModelChoices { known, ..ModelChoices::default() }).unwrap()
}

fn coordinate(name: &str) -> &'static dyn Coordinate {
    match name {
        "exponential" => &crate::model::Exponential,
        "gamma" => &crate::model::Gamma,
        "weibull" => &crate::model::Weibull,
        "lognormal" => &crate::model::LogNormal,
        "pareto" => &crate::model::Pareto,
        "beta" => &crate::model::Beta,
        "von-mises" => &crate::model::VonMises,
        _ => &crate::model::StudentT,
    }
}

#[test]
fn every_coordinate_density_is_in_the_cases() {
    let listed = FAMILIES.iter().filter(|family| !family.parameters().is_empty());
    let names: Vec<&str> = listed.map(|family| family.name()).collect();
    assert_eq!(names, CASES.map(|(name, ..)| name));
}

#[test]
fn derivatives_are_those_of_the_density() {
    for (name, parameters, places) in CASES {
        let line = built(name, 1, &[]);
        let theta = line.fitted_from(parameters).unwrap();
        let points = places.map(|x| vec![x]);
        assert_eq!(conformance::check_at(line.as_ref(), &theta, &points), Ok(()));
        // Two coordinates, the second with other values.
        let plane = built(name, 2, &[]);
        let both: Vec<f64> = parameters.iter().flat_map(|value| [*value, value * 1.2]).collect();
        let theta = plane.fitted_from(&both).unwrap();
        let points = [vec![places[0], places[1]], vec![places[2], places[0]]];
        assert_eq!(conformance::check_at(plane.as_ref(), &theta, &points), Ok(()));
    }
}

#[test]
fn known_parameters_are_left_out_and_change_nothing_else() {
    for (name, parameters, places) in CASES.iter().filter(|(_, parameters, _)| parameters.len() > 1) {
        let whole = built(name, 1, &[]);
        let list = coordinate(name).parameters();
        for (j, parameter) in list.iter().enumerate() {
            let model = built(name, 1, &[(parameter.name, parameters[j])]);
            let names = model.reported_names(&["x".into()]);
            assert!(!names.contains(&format!("{}[x]", parameter.name)) && names.len() + 1 == list.len());
            let rest: Vec<f64> = (0..parameters.len()).filter(|k| *k != j).map(|k| parameters[k]).collect();
            let theta = model.fitted_from(&rest).unwrap();
            assert_eq!(conformance::check_at(model.as_ref(), &theta, &places.map(|x| vec![x])), Ok(()));
            let (mut some, mut all) = ([0.0], [0.0]);
            model.score(&[places[1]], &theta, &mut some);
            whole.score(&[places[1]], &whole.fitted_from(parameters).unwrap(), &mut all);
            assert!((some[0] - all[0]).abs() < 1e-14 * (1.0 + all[0].abs()), "{name} {}", parameter.name);
        }
    }
}

/// The integral of a function over a range, by panels of Gauss-Legendre nodes.
fn integral(low: f64, high: f64, of: impl Fn(f64) -> f64) -> f64 {
    let (panels, rule) = (4_000, gauss_legendre(8));
    let width = (high - low) / f64::from(panels);
    let panel = |k: i32| {
        let at = |t: f64| low + width * (f64::from(k) + 0.5 * (1.0 + t));
        rule.iter().map(|(t, weight)| 0.5 * width * weight * of(at(*t))).sum::<f64>()
    };
    (0..panels).map(panel).sum()
}

#[test]
fn normalisers_are_integrals() {
    for (name, parameters, _) in CASES {
        let all: &[f64] = if name == "pareto" { &[2.4, 0.7] } else { parameters };
        // The substitution x = y^4 makes powers near an end smooth, x = tan or the mirror image the rest.
        let density = |x: f64| coordinate(name).at(x, all).log.exp();
        let found = match name {
            "beta" => {
                let half = |f: &dyn Fn(f64) -> f64| {
                    integral(0.0, 0.5f64.powf(0.25), |y| f(y.powi(4)) * 4.0 * y.powi(3))
                };
                half(&density) + half(&|x| coordinate(name).at(x, &[all[1], all[0]]).log.exp())
            }
            "von-mises" => integral(-3.0, std::f64::consts::TAU - 3.0, density),
            "student-t" => integral(-9.0, 9.0, |y| density(y.sinh()) * y.cosh()),
            "pareto" => integral(0.7f64.ln(), 25.0, |y| density(y.exp()) * y.exp()),
            _ => integral(-25.0, 6.0, |y| density(y.exp()) * y.exp()),
        };
        let expected = coordinate(name).log_normaliser(all).unwrap();
        assert!((found.ln() - expected).abs() < 1e-7, "{name}: {} {expected}", found.ln());
    }
    // Concentrations on both sides of the change of formula, and without a value where there is none.
    for k in [0.01, 11.9, 12.1, 80.0] {
        let expected = integral(-3.2, std::f64::consts::TAU - 3.2, |x: f64| (k * (x.cos() - 1.0)).exp());
        let found = coordinate("von-mises").log_normaliser(&[0.0, k]).unwrap();
        assert!((found - k - expected.ln()).abs() < 1e-10, "{k}");
    }
    assert_eq!(coordinate("gamma").log_normaliser(&[-0.5, 1.0]), None);
}

/// Means of functions over draws, compared with integrals over the density.
#[test]
fn draws_come_from_the_density() {
    for (at, (name, parameters, _)) in CASES.into_iter().enumerate() {
        let known: &[(&str, f64)] = if name == "pareto" { &[("minimum", 0.7)] } else { &[] };
        let model = built(name, 1, known);
        let theta = model.fitted_from(parameters).unwrap();
        let sampler = model.sampling().unwrap().sampler(&theta).unwrap();
        let (rng, n) = (&mut stream(11, at as u64), 40_000);
        let draws: Vec<f64> = (0..n)
            .map(|_| {
                let mut x = [f64::NAN];
                sampler(rng, &mut x);
                x[0]
            })
            .collect();
        // The gradient of the log-density in its parameters has the mean of that of the normaliser.
        let density = model.density().unwrap();
        for k in 0..theta.len() {
            let of = |x: f64| {
                let mut gradient = vec![0.0; theta.len()];
                density.log_density_gradient(&[x], &theta, &mut gradient);
                gradient[k]
            };
            let values: Vec<f64> = draws.iter().map(|x| of(*x)).collect();
            let mean = values.iter().sum::<f64>() / f64::from(n);
            let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / f64::from(n);
            let normaliser = |change: f64| {
                let mut moved = theta.clone();
                moved[k] += change;
                density.whole_log_normaliser(&moved).unwrap()
            };
            let expected = (normaliser(1e-4) - normaliser(-1e-4)) / 2e-4;
            let error = (variance / f64::from(n)).sqrt();
            assert!((mean - expected).abs() < 4.0 * error + 1e-7, "{name} {k}: {mean} {expected} {error}");
        }
    }
}

#[test]
fn improper_parameters_have_no_sampler_and_scales_are_positive() {
    let gamma = built("gamma", 1, &[]);
    assert!(gamma.sampling().unwrap().sampler(&[-0.5, 1.0]).is_none());
    let doubt = gamma.implausible(&[-0.5, 1.0], &["wait".into()]).unwrap();
    assert!(doubt.starts_with("the estimate of shape[wait] is -0.500"), "{doubt}");
    assert_eq!(gamma.implausible(&[0.5, 1.0], &["wait".into()]), None);
    let error = built("weibull", 1, &[]).fitted_from(&[-1.0, 2.0]).unwrap_err().to_string();
    assert_eq!(error, "the value of shape[x1] is -1; it must be a positive number");
    assert!(built("weibull", 1, &[]).report(&[1e3, 0.0]).is_none());
    assert!(built("pareto", 1, &[]).sampling().unwrap().sampler(&[2.0]).is_none());
}

#[test]
fn wrong_choices_are_refused() {
    let refusal = |name: &str, dimension: usize, known: &[(&str, f64)]| {
        let known = known.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
        let choices = ModelChoices { known, ..ModelChoices::default() };
        family(name).unwrap().build(dimension, &choices).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refusal("gamma", 1, &[("scale", 2.0)]),
        "the model gamma has no parameter scale; its parameters are shape, rate"
    );
    assert!(refusal("gamma", 1, &[("shape", -2.0)]).contains("must be a positive number"));
    assert!(refusal("exponential", 1, &[("rate", 2.0)]).contains("every parameter"));
    assert!(refusal("gaussian", 1, &[("mean", 2.0)]).contains("known"));
}

/// What `tools/families.py` prints: the estimates of scipy from the data below.
const OF_SCIPY: [(&str, &[f64]); 8] = [
    ("exponential", &[1.708311077160258]),
    ("gamma", &[1.9269846540043727, 1.4650918772861135]),
    ("weibull", &[1.436159088536708, 1.4554888815680815]),
    ("lognormal", &[-0.007334050513602664, 0.7930720287119051]),
    ("pareto", &[2.309719356007383]),
    ("beta", &[0.9645184008222254, 1.5745939440339962]),
    ("von-mises", &[0.29970930403705853, 3.5285764994376163]),
    ("student-t", &[-0.010563341356998279, 1.1110241155986553, 1.3161421039931267]),
];

#[test]
fn maximum_likelihood_is_that_of_scipy() {
    for (name, expected) in OF_SCIPY {
        let place = |i: i32| {
            let uniform = (f64::from(i) * 0.618_033_988_749_894_9) % 1.0;
            let wait = -(-uniform).ln_1p() / 1.7;
            let amount = 0.1 + 2.0 * wait.powf(0.8);
            match name {
                "exponential" => wait,
                "gamma" | "weibull" | "lognormal" => amount,
                "pareto" => 1.0 + amount,
                "beta" => 0.02 + 0.9 * uniform.powf(1.5),
                "von-mises" => 2.0 * uniform - 0.7,
                _ => (0.8 * (uniform / (1.0 - uniform)).ln()).sinh(),
            }
        };
        let rows: Vec<[f64; 1]> = (1..=60).map(|i| [place(i)]).collect();
        let points = Points::from_rows(&rows).unwrap();
        let model = built(name, 1, if name == "pareto" { &[("minimum", 1.0)] } else { &[] });
        let naive = model.naive_likelihood().unwrap();
        let (theta, influence) = naive.maximum_likelihood(&points, &[1.0; 60]).unwrap();
        for (found, expected) in model.report(&theta).unwrap().values.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 2e-6, "{name}: {found} {expected}");
        }
        // Influence values are those of the weights: the move by a small weight of one row, and their mean is zero.
        let mut weights = [1.0; 60];
        weights[7] += 1e-4;
        let (moved, _) = naive.maximum_likelihood(&points, &weights).unwrap();
        for (k, (moved, theta)) in moved.iter().zip(&theta).enumerate() {
            let expected = (moved - theta) * 60.0 / 1e-4;
            let found = influence[(7, k)];
            assert!((found - expected).abs() < 1e-3 * (1.0 + expected.abs()), "{name}: {found} {expected}");
            let sum: f64 = influence.column(k).iter().sum();
            assert!(sum.abs() < 1e-6, "{name}: {sum}");
        }
    }
}
