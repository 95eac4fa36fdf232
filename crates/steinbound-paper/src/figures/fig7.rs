//! Figure 7: truncated regression.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use steinbound::regression::{KernelOn, ResponseLimit, TruncatedRegression};
use steinbound::{Error, Estimator, Fit, Matrix, Points};
use steinbound_io::examples::STUDENT_SCORES;
use steinbound_plot::{Axis, Color, Entry, Marker, Panel, Style};

use super::{Figure, Picture};
use crate::comparison::Published;
use crate::draw;
use crate::error::PaperError;
use crate::methods::{EFFICIENT, LIKELIHOOD, NAIVE, TKSD, TKSD_RESPONSE, color, label, line};
use crate::results::Results;
use crate::study::{Cell, Measured, Study, Trial, distance};

/// Errors of simulated regressions, an example, and the students' scores.
pub struct Regressions;

const METHODS: [&str; 5] = [TKSD, EFFICIENT, TKSD_RESPONSE, LIKELIHOOD, NAIVE];
const COEFFICIENTS: [f64; 2] = [3.0, 4.0];
const LIMIT: f64 = 5.0;
const DRAWS: usize = 600;
const DRAWS_OF_EXAMPLE: usize = 200;

const PASS_MARK: f64 = 40.0;

/// Pairs of a covariate and a response, observed and unobserved.
struct Sample {
    seen: Vec<(f64, f64)>,
    unseen: Vec<(f64, f64)>,
}

fn sample(count: usize, purpose: &str, trial: &Trial) -> Sample {
    let rng = &mut trial.stream(purpose);
    let draw = |_| {
        let x: f64 = rng.random();
        let noise: f64 = StandardNormal.sample(rng);
        (x, COEFFICIENTS[0] + COEFFICIENTS[1] * x + noise)
    };
    let (seen, unseen) = (0..count).map(draw).partition(|(_, y)| *y >= LIMIT);
    Sample { seen, unseen }
}

fn student_scores() -> Vec<(f64, f64)> {
    let number = |field: Option<&str>| field.and_then(|f| f.parse().ok()).unwrap_or(f64::NAN);
    let pair = |line: &str| {
        let mut fields = line.split(',');
        let score = number(fields.next());
        (number(fields.next()), score)
    };
    STUDENT_SCORES.lines().skip(1).map(pair).collect()
}

/// The line fitted by a method to pairs whose response is observed above a limit.
fn fit(method: &str, pairs: &[(f64, f64)], limit: f64, sigma: Option<f64>) -> Result<Fit, Error> {
    let covariate = Matrix::from_fn(pairs.len(), 1, |i, _| pairs[i].0);
    let mut regression = TruncatedRegression::new("y", pairs.iter().map(|pair| pair.1).collect())
        .covariates(["x"], covariate)
        .lower(ResponseLimit::Constant(limit));
    if let Some(sigma) = sigma {
        regression = regression.known_sigma(sigma);
    }
    if method == TKSD_RESPONSE {
        regression = regression.kernel_on(KernelOn::Response);
    }
    let prepared = regression.build(0)?;
    let estimator = match method {
        EFFICIENT => Estimator::efficient(),
        LIKELIHOOD => Estimator::truncated_mle(),
        NAIVE => Estimator::mle(),
        // On the response alone, the boundary is one point.
        TKSD_RESPONSE => Estimator::tksd().boundary(Points::from_rows(&[[limit, 0.0]])?),
        _ => Estimator::tksd(),
    };
    prepared.estimator(&estimator).fit(&prepared.points, &prepared.model)
}

fn on_line(estimates: &[f64], x: f64) -> f64 {
    estimates[0] + estimates[1] * x
}

/// The log-likelihood of pairs under N(a + b x, 1).
fn log_likelihood(estimates: &[f64], pairs: &[(f64, f64)]) -> f64 {
    let normal =
        |(x, y): &(f64, f64)| -0.5 * ((y - on_line(estimates, *x)).powi(2) + std::f64::consts::TAU.ln());
    pairs.iter().map(normal).sum()
}

fn simulated() -> Cell {
    Cell::new([DRAWS], &METHODS, |trial| {
        let sample = sample(DRAWS, "fig7 data", trial);
        let values = |fit: &Fit| {
            let estimates = fit.estimates();
            let square = |(x, y): &(f64, f64)| (y - on_line(&estimates, *x)).powi(2);
            vec![
                estimates[0],
                estimates[1],
                distance(&estimates, &COEFFICIENTS),
                sample.unseen.iter().map(square).sum::<f64>() / sample.unseen.len() as f64,
                log_likelihood(&estimates, &sample.seen),
                log_likelihood(&estimates, &sample.unseen),
            ]
        };
        let of = |method: &&str| Measured::timed(|| fit(method, &sample.seen, LIMIT, Some(1.0)), values);
        Ok(METHODS.iter().map(of).collect())
    })
}

impl Figure for Regressions {
    fn name(&self) -> &'static str {
        "fig7"
    }

    fn title(&self) -> &'static str {
        "truncated regression"
    }

    fn setting(&self) -> &'static str {
        "600 draws of y from N(3 + 4 x, 1) with x uniform in [0, 1], of which those with y >= 5 are seen; both coefficients are sought, the variance is known. \
         Below: scores of 178 students, seen only above 40, against another score; there the variance is sought too."
    }

    fn departures(&self) -> &'static str {
        "The paper's kernel looks at the response alone, so that test functions cannot depend on the covariate and the coefficients are weakly determined. The \
         default here is a product of kernels on response and covariate; both are run. Efficient Stein estimation with the product of kernels and the truncated likelihood are added. The paper's \"MLE\" is least squares \
         that ignores the truncation. Its unobserved error is a sum in the text and a mean in the public code; here it is a mean."
    }

    fn studies(&self) -> Result<Vec<Study>, PaperError> {
        let students = Cell::new(["langscore"], &METHODS, |_| {
            let pairs = student_scores();
            let values = |fit: &Fit| fit.estimates().into_iter().chain(fit.std_errors()).collect();
            Ok(METHODS
                .iter()
                .map(|method| Measured::timed(|| fit(method, &pairs, PASS_MARK, None), values))
                .collect())
        });
        Ok(vec![
            Study {
                name: "fig7",
                labels: &["draws"],
                quantities: &[
                    "intercept",
                    "slope",
                    "error",
                    "unobserved_mse",
                    "observed_loglik",
                    "unobserved_loglik",
                ],
                trials: 256,
                is_timed: false,
                cells: vec![simulated()],
            },
            Study {
                name: "fig7_students",
                labels: &["covariate"],
                quantities: &[
                    "intercept",
                    "slope",
                    "sigma",
                    "intercept_std_error",
                    "slope_std_error",
                    "sigma_std_error",
                ],
                trials: 1,
                is_timed: false,
                cells: vec![students],
            },
        ])
    }

    fn published(&self) -> Vec<Published> {
        const SETTING: &[(&str, &str)] = &[("draws", "600")];
        let mse = |method, mean, std_error| Published {
            quantity: "unobserved_mse",
            std_error: Some(std_error),
            digit: 0.01,
            ..Published::error("fig7", SETTING, method, mean, 64)
        };
        let likelihood = |quantity, method, mean| Published {
            quantity,
            digit: 1.0,
            ..Published::error("fig7", SETTING, method, mean, 64)
        };
        vec![
            mse(TKSD_RESPONSE, 1.51, 0.09),
            mse(NAIVE, 3.56, 0.04),
            likelihood("observed_loglik", TKSD_RESPONSE, -433.0),
            likelihood("observed_loglik", NAIVE, -362.0),
            likelihood("unobserved_loglik", TKSD_RESPONSE, -505.0),
            likelihood("unobserved_loglik", NAIVE, -814.0),
        ]
    }

    fn pictures(&self, results: &Results, seed: u64) -> Result<Vec<Picture>, PaperError> {
        let histograms = [
            ("unobserved_mse", "unobserved mean squared error", (0.6, 4.6)),
            ("observed_loglik", "observed log-likelihood", (-620.0, -300.0)),
            ("unobserved_loglik", "unobserved log-likelihood", (-1000.0, -250.0)),
        ]
        .map(|(quantity, title, (low, high))| {
            let edges = draw::steps(low, high, 37);
            let start = Panel::new(Axis::linear(title).range(low, high), Axis::linear("trials").from_zero());
            METHODS.into_iter().fold(start, |panel, method| {
                let values = results.values("fig7", &[], method, quantity);
                panel.histogram(
                    edges.clone(),
                    draw::histogram(&values, &edges),
                    Style::new(color(method)).opacity(0.8),
                )
            })
        });
        let seen = Style::new(Color::BLACK).marker(Marker::Circle).size(1.7).opacity(0.8);
        let unseen = Style::new(Color::LIGHT_GREY).marker(Marker::Circle).size(1.4);
        let lines = |mut panel: Panel,
                     pairs: &[(f64, f64)],
                     limit: f64,
                     sigma: Option<f64>|
         -> Result<Panel, Error> {
            let (low, high) = draw::range(pairs.iter().map(|pair| pair.0));
            panel = panel
                .points(pairs.to_vec(), seen.clone())
                .horizontal(limit, Style::new(Color::GREY).width(0.8));
            for method in METHODS {
                if let Ok(fit) = fit(method, pairs, limit, sigma) {
                    let estimates = fit.estimates();
                    let ends = [low, high].map(|x| (x, on_line(&estimates, x))).to_vec();
                    panel = panel.line(ends, line(method));
                }
            }
            Ok(panel)
        };
        let example = sample(DRAWS_OF_EXAMPLE, "fig7 example", &Trial { seed, number: 0 });
        let simulated = Panel::new(Axis::linear("x"), Axis::linear("y"))
            .title("simulated")
            .points(example.unseen, unseen.clone());
        let simulated = lines(simulated, &example.seen, LIMIT, Some(1.0))?;
        let scores =
            Panel::new(Axis::linear("language score"), Axis::linear("achievement score")).title("students");
        let scores = lines(scores, &student_scores(), PASS_MARK, None)?;
        let mut entries: Vec<Entry> =
            METHODS.into_iter().map(|method| Entry::line(name(method), line(method))).collect();
        entries.extend([Entry::marker("seen", seen), Entry::marker("not seen", unseen)]);
        let figure = steinbound_plot::Figure::new(720.0)
            .row(220.0, histograms.into())
            .row(300.0, vec![simulated, scores])
            .legend(entries);
        let caption = "Top: mean squared error over the points that were not seen, and log-likelihoods of the points that were and were not seen, over all trials; what \
                       lies beyond an axis is counted in its first or last bar. Bottom: fitted lines for one simulated sample (200 draws) and for the students; horizontal lines are the limits."
            .into();
        Ok(vec![Picture { name: "fig7", caption, figure }])
    }
}

/// The name of a method in this figure.
fn name(method: &str) -> &str {
    match method {
        TKSD => "TKSD, product kernel",
        EFFICIENT => "efficient, product kernel",
        NAIVE => "least squares, ignoring the truncation",
        other => label(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_students_are_read() {
        let pairs = student_scores();
        assert_eq!(pairs.len(), 178);
        assert!(pairs.iter().all(|(x, y)| x.is_finite() && *y > PASS_MARK));
    }

    #[test]
    fn least_squares_is_least_squares() {
        let pairs = [(0.0, 6.0), (1.0, 7.0), (2.0, 9.0), (3.0, 9.5)];
        let estimates = fit(NAIVE, &pairs, LIMIT, Some(1.0)).unwrap().estimates();
        assert!((estimates[1] - 1.25).abs() < 1e-10 && (estimates[0] - 6.0).abs() < 1e-10, "{estimates:?}");
        let square = |(x, y): &(f64, f64)| (y - 6.0 - 1.25 * x).powi(2);
        let expected = -0.5 * (pairs.iter().map(square).sum::<f64>() + 4.0 * std::f64::consts::TAU.ln());
        assert!((log_likelihood(&estimates, &pairs) - expected).abs() < 1e-10);
    }
}
