//! Models of independent coordinates, each with the same density on the line and parameters of its own.

mod coordinate;
mod family;
mod likelihood;
#[cfg(test)]
mod tests;

use rand::rngs::ChaCha8Rng;

pub use coordinate::{
    Column, Coordinate, CoordinateSampler, Jet, MOST_PARAMETERS, NamedParameter, PowerEdge, Range,
};
pub use family::Coordinates;

use super::{
    Affine, Density, Edge, LinearScore, Model, NaiveLikelihood, Reported, Sampler, Sampling, Search, Slot,
    Support, Unit, check_values,
};
use crate::error::ModelError;
use crate::matrix::Matrix;
use crate::points::Points;

/// Independent coordinates with the same [`Coordinate`] density.
///
/// # Definition
///
/// `log p(x) = sum_l log p(x_l; theta_l)`. Parameters are named after their coordinate, `shape[x1]`, and
/// ordered as those of a Gaussian: the first of all coordinates, then the second. Known ones have one value for
/// all coordinates.
///
/// # Requirements
///
/// Data inside the [support](Coordinate::support).
///
/// # Complexity
///
/// One evaluation of the density for each coordinate of a point.
///
/// ```
/// use steinbound::model::{Model, ModelChoices, conformance, family};
/// let model = family("weibull").unwrap().build(1, &ModelChoices::default())?;
/// assert_eq!(model.reported_names(&["wait".into()]), ["shape[wait]", "scale[wait]"]);
/// assert_eq!(conformance::check_at(model.as_ref(), &[0.3, -0.2], &[vec![0.7], vec![2.0]]), Ok(()));
/// # Ok::<(), steinbound::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Independent {
    coordinate: &'static dyn Coordinate,
    dimension: usize,
    /// The values of known parameters.
    known: Vec<Option<f64>>,
}

impl Independent {
    /// The model in some number of coordinates, with parameters that are known.
    ///
    /// ```
    /// use steinbound::model::{Exponential, Independent, Model};
    /// let mut score = [f64::NAN];
    /// Independent::new(&Exponential, 1, &[])?.score(&[0.7], &[2.0], &mut score);
    /// assert_eq!(score, [-2.0]);
    /// # Ok::<(), steinbound::Error>(())
    /// ```
    pub fn new(
        coordinate: &'static dyn Coordinate,
        dimension: usize,
        known: &[(&str, f64)],
    ) -> Result<Independent, ModelError> {
        if dimension == 0 {
            return Err(ModelError::BadCoordinates { dimension });
        }
        let parameters = coordinate.parameters();
        let mut values = vec![None; parameters.len()];
        for (name, value) in known {
            let Some(at) = parameters.iter().position(|parameter| parameter.name == *name) else {
                let names = parameters.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
                return Err(ModelError::UnknownParameter {
                    model: coordinate.name(),
                    name: (*name).to_string(),
                    names,
                });
            };
            if !parameters[at].allows(*value) {
                return Err(ModelError::OutsideRange { name: (*name).to_string(), value: *value });
            }
            values[at] = Some(*value);
        }
        Ok(Independent { coordinate, dimension, known: values })
    }

    /// The places of the parameters that are estimated.
    fn free(&self) -> impl Iterator<Item = usize> {
        let parameters = self.coordinate.parameters();
        (0..parameters.len()).filter(|j| self.known[*j].is_none() && parameters[*j].range != Range::Given)
    }

    /// The reported parameters of a coordinate, and their derivatives in the fitted ones, of all parameters.
    /// One that has to be given and was not is zero.
    fn parameters_of(&self, l: usize, theta: &[f64]) -> ([f64; MOST_PARAMETERS], [f64; MOST_PARAMETERS]) {
        let (mut values, mut slopes) = ([0.0; MOST_PARAMETERS], [0.0; MOST_PARAMETERS]);
        for (value, known) in values.iter_mut().zip(&self.known) {
            *value = known.unwrap_or(0.0);
        }
        for (place, j) in self.free().enumerate() {
            let fitted = theta[place * self.dimension + l];
            (values[j], slopes[j]) = self.coordinate.parameters()[j].reported(fitted);
        }
        (values, slopes)
    }

    /// The density of a coordinate with its derivatives in the fitted parameters.
    fn at(&self, l: usize, x: f64, theta: &[f64]) -> Jet {
        let (values, slopes) = self.parameters_of(l, theta);
        let mut jet = self.coordinate.at(x, &values[..self.known.len()]);
        for derivatives in [&mut jet.log_in, &mut jet.score_in, &mut jet.slope_in] {
            derivatives.iter_mut().zip(&slopes).for_each(|(derivative, slope)| *derivative *= slope);
        }
        jet
    }

    /// Writes the derivatives of a value of each coordinate in its parameters.
    fn write_rows(
        &self,
        x: &[f64],
        theta: &[f64],
        of: impl Fn(&Jet) -> [f64; MOST_PARAMETERS],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        for (l, row) in out.chunks_exact_mut(self.parameters().max(1)).enumerate() {
            let derivatives = of(&self.at(l, x[l], theta));
            for (place, j) in self.free().enumerate() {
                row[place * self.dimension + l] = derivatives[j];
            }
        }
    }

    /// Names made of those of the parameters and coordinates.
    fn named(&self, coordinates: &[String], label: impl Fn(&NamedParameter) -> String) -> Vec<String> {
        let parameters = self.coordinate.parameters();
        let of_parameter = |j: usize| {
            let label = label(&parameters[j]);
            coordinates.iter().map(move |name| format!("{label}[{name}]")).collect::<Vec<_>>()
        };
        self.free().flat_map(of_parameter).collect()
    }

    fn support_of(&self) -> Support {
        self.coordinate.support(&self.known)
    }

    /// The fitted parameters of all coordinates, from the reported ones of each.
    fn joined(&self, each: &[Vec<f64>]) -> Vec<f64> {
        let fitted = |j: usize, l: usize| self.coordinate.parameters()[j].fitted(each[l][j]);
        self.free().flat_map(|j| (0..self.dimension).map(move |l| fitted(j, l))).collect()
    }
}

impl Model for Independent {
    fn name(&self) -> &str {
        self.coordinate.name()
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn parameters(&self) -> usize {
        self.free().count() * self.dimension
    }

    fn names(&self, coordinates: &[String]) -> Vec<String> {
        self.named(coordinates, |parameter| match parameter.range {
            Range::Scale => format!("log {}", parameter.name),
            _ => parameter.name.into(),
        })
    }

    fn reported_names(&self, coordinates: &[String]) -> Vec<String> {
        self.named(coordinates, |parameter| parameter.name.into())
    }

    fn score(&self, x: &[f64], theta: &[f64], score: &mut [f64]) {
        score.iter_mut().enumerate().for_each(|(l, score)| *score = self.at(l, x[l], theta).score);
    }

    fn score_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        self.write_rows(x, theta, |jet| jet.score_in, jacobian);
    }

    fn score_slope(&self, x: &[f64], theta: &[f64], slope: &mut [f64]) {
        slope.iter_mut().enumerate().for_each(|(l, slope)| *slope = self.at(l, x[l], theta).slope);
    }

    fn score_slope_jacobian(&self, x: &[f64], theta: &[f64], jacobian: &mut [f64]) {
        self.write_rows(x, theta, |jet| jet.slope_in, jacobian);
    }

    fn report(&self, theta: &[f64]) -> Option<Reported> {
        let parameters = self.coordinate.parameters();
        let owner = |k: usize| self.free().nth(k / self.dimension).unwrap_or(0);
        let of = |(k, fitted): (usize, &f64)| parameters[owner(k)].reported(*fitted);
        let (values, slopes): (Vec<f64>, Vec<f64>) = theta.iter().enumerate().map(of).unzip();
        let is_finite = values.iter().chain(&slopes).all(|value| value.is_finite());
        is_finite.then(|| Reported { values, jacobian: Matrix::diagonal(&slopes) })
    }

    fn unreportable(&self) -> String {
        "the estimate has run to infinity, so that its parameters cannot be given; use more data or a model with fewer \
         parameters"
            .into()
    }

    fn fitted_from(&self, reported: &[f64]) -> Result<Vec<f64>, ModelError> {
        let coordinates: Vec<String> = (1..=self.dimension).map(|l| format!("x{l}")).collect();
        let names = self.reported_names(&coordinates);
        check_values(reported, &names)?;
        let parameters = self.coordinate.parameters();
        let owners = self.free().flat_map(|j| std::iter::repeat_n(j, self.dimension));
        let fitted = |((j, value), name): ((usize, &f64), &String)| match parameters[j].range {
            // Its logarithm does not exist otherwise.
            Range::Scale if !parameters[j].allows(*value) => {
                Err(ModelError::OutsideRange { name: name.clone(), value: *value })
            }
            _ => Ok(parameters[j].fitted(*value)),
        };
        owners.zip(reported).zip(&names).map(fitted).collect()
    }

    fn implausible(&self, theta: &[f64], coordinates: &[String]) -> Option<String> {
        let parameters = self.coordinate.parameters();
        let owners = self.free().flat_map(|j| std::iter::repeat_n(j, self.dimension));
        let names = self.reported_names(coordinates);
        let mut all = owners.zip(theta).zip(&names);
        let found = all.find(|((j, value), _)| parameters[*j].range == Range::Positive && **value <= 0.0);
        found.map(|((_, value), name)| {
            format!(
                "the estimate of {name} is {value:.3}, and a {} density needs a positive number: inside the region \
                 this is a density, but none of that family; use a wider region, more data, or another model",
                self.name()
            )
        })
    }

    fn edges(&self, theta: &[f64], coordinates: &[String]) -> Vec<Edge> {
        let parameters = self.coordinate.parameters();
        let of_coordinate = |l: usize| {
            let (values, _) = self.parameters_of(l, theta);
            let edge = move |PowerEdge { place, exponent, parameter }: PowerEdge| Edge {
                coordinate: l,
                place,
                exponent,
                parameter: format!("{}[{}]", parameters[parameter].name, coordinates[l]),
                value: values[parameter],
                estimated: self.free().position(|j| j == parameter).map(|place| place * self.dimension + l),
            };
            self.coordinate.edges(&values[..self.known.len()]).into_iter().map(edge)
        };
        (0..self.dimension).flat_map(of_coordinate).collect()
    }

    fn support(&self) -> Vec<Support> {
        vec![self.support_of(); self.dimension]
    }

    fn affine(&self) -> Option<&dyn Affine> {
        self.coordinate.is_linear().then_some(self)
    }

    fn density(&self) -> Option<&dyn Density> {
        Some(self)
    }

    fn sampling(&self) -> Option<&dyn Sampling> {
        Some(self)
    }

    fn search(&self) -> Option<&dyn Search> {
        (!self.coordinate.is_linear()).then_some(self)
    }

    fn naive_likelihood(&self) -> Option<&dyn NaiveLikelihood> {
        let is_given = |(j, parameter): (usize, &NamedParameter)| {
            parameter.range != Range::Given || self.known[j].is_some()
        };
        self.coordinate.parameters().iter().enumerate().all(is_given).then_some(self)
    }
}

/// The derivatives of the score of a coordinate in its parameters, then what is left at parameters of zero.
impl Affine for Independent {
    fn linear_score(&self) -> LinearScore {
        let (d, count) = (self.dimension, self.free().count() + 1);
        let mut offset = Matrix::zeros(d * count, d);
        for l in 0..d {
            offset[(l * count + count - 1, l)] = 1.0;
        }
        let slot = |l: usize, place: usize| Slot {
            feature: l * count + place,
            parameter: place * d + l,
            factor: 1.0,
        };
        let design = (0..d).map(|l| (0..count - 1).map(|place| slot(l, place)).collect()).collect();
        LinearScore { parameters: self.parameters(), design, offset }
    }

    fn features(&self, x: &[f64], features: &mut [f64]) {
        let zero = vec![0.0; self.parameters()];
        for (l, part) in features.chunks_exact_mut(self.free().count() + 1).enumerate() {
            let jet = self.at(l, x[l], &zero);
            let all = self.free().map(|j| jet.score_in[j]).chain([jet.score]);
            part.iter_mut().zip(all).for_each(|(out, value)| *out = value);
        }
    }

    fn feature_slopes(&self, x: &[f64], slopes: &mut [f64]) {
        let zero = vec![0.0; self.parameters()];
        let (each, count) = (self.free().count() + 1, slopes.len() / self.dimension);
        slopes.fill(0.0);
        for l in 0..self.dimension {
            let jet = self.at(l, x[l], &zero);
            let all = self.free().map(|j| jet.slope_in[j]).chain([jet.slope]);
            slopes[l * count + l * each..][..each].iter_mut().zip(all).for_each(|(out, value)| *out = value);
        }
    }
}

impl Density for Independent {
    fn log_density(&self, x: &[f64], theta: &[f64]) -> f64 {
        let support = self.support_of();
        if x.iter().any(|x| !support.contains(*x)) {
            return f64::NEG_INFINITY;
        }
        x.iter().enumerate().map(|(l, x)| self.at(l, *x, theta).log).sum()
    }

    fn whole_log_normaliser(&self, theta: &[f64]) -> Option<f64> {
        let of_coordinate = |l: usize| {
            let (values, _) = self.parameters_of(l, theta);
            self.coordinate.log_normaliser(&values[..self.known.len()])
        };
        (0..self.dimension).map(of_coordinate).sum()
    }

    fn log_density_gradient(&self, x: &[f64], theta: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        for (l, x) in x.iter().enumerate() {
            let jet = self.at(l, *x, theta);
            for (place, j) in self.free().enumerate() {
                gradient[place * self.dimension + l] = jet.log_in[j];
            }
        }
    }
}

impl Sampling for Independent {
    fn sampler(&self, theta: &[f64]) -> Option<Sampler> {
        self.sampler_of(theta, |_, values| self.coordinate.sampler(values))
    }

    fn sampler_for(&self, theta: &[f64], bounds: &[(f64, f64)]) -> Option<Sampler> {
        self.sampler_of(theta, |l, values| self.coordinate.sampler_for(values, bounds[l]))
    }
}

impl Independent {
    /// Draws of all coordinates, from a sampler of each at its parameters.
    fn sampler_of(
        &self,
        theta: &[f64],
        sampler: impl Fn(usize, &[f64]) -> Option<CoordinateSampler>,
    ) -> Option<Sampler> {
        let parameters = self.coordinate.parameters();
        let of_coordinate = |l: usize| {
            let (values, _) = self.parameters_of(l, theta);
            let values = &values[..self.known.len()];
            let mut all = parameters.iter().zip(values).zip(&self.known);
            // One that has to be given and was not is up to the sampler.
            let are_allowed = all.all(|((parameter, value), known)| {
                parameter.allows(*value) || parameter.range == Range::Given && known.is_none()
            });
            are_allowed.then(|| sampler(l, values))?
        };
        let each: Vec<CoordinateSampler> = (0..self.dimension).map(of_coordinate).collect::<Option<_>>()?;
        Some(Box::new(move |rng: &mut ChaCha8Rng, x: &mut [f64]| {
            x.iter_mut().zip(&each).for_each(|(x, sampler)| *x = sampler(rng));
        }))
    }
}

impl Search for Independent {
    /// Those of the first guess: a change that changes the log-density by about one, and for a logarithm one.
    fn units(&self, points: &Points) -> Vec<Unit> {
        let weights = points.relative_weights();
        let mut units = vec![Unit::default(); self.parameters()];
        for l in 0..self.dimension.min(points.dimension()) {
            let column = Column::new(points, l, &weights);
            let Some(guess) = self.coordinate.starts(&column).into_iter().next() else { continue };
            for (place, j) in self.free().enumerate() {
                let parameter = &self.coordinate.parameters()[j];
                let size = match parameter.range {
                    Range::Scale => 1.0,
                    Range::Positive => guess[j],
                    _ => column.moments(|x| self.coordinate.at(x, &guess).log_in[j]).1.sqrt().recip(),
                };
                units[place * self.dimension + l] = Unit { origin: parameter.fitted(guess[j]), size };
            }
        }
        units
    }

    /// The first guess for every coordinate, then the second, and so on.
    fn starts(&self, points: &Points, _rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let weights = points.relative_weights();
        let each: Vec<Vec<Vec<f64>>> =
            (0..self.dimension).map(|l| self.coordinate.starts(&Column::new(points, l, &weights))).collect();
        let most = each.iter().map(Vec::len).min().unwrap_or(0);
        let start = |at: usize| {
            self.joined(&each.iter().map(|guesses| guesses[at].clone()).collect::<Vec<Vec<f64>>>())
        };
        (0..most).map(start).filter(|start| start.iter().all(|value| value.is_finite())).collect()
    }
}
