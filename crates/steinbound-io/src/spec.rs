//! Domain specifications such as `ball(radius=2, norm=1)`.

use std::sync::Arc;

use steinbound::domain::{Ball, Cuboid, Domain, HalfSpace, Norm};

use crate::error::IoError;
use crate::names::{shown, unknown};

/// A domain as written by a person, perhaps without saying in how many coordinates.
///
/// ```
/// use steinbound_io::DomainSpec;
/// let spec = DomainSpec::parse("box(low=-3, high=3)")?;
/// assert_eq!(spec.dimension(), None);
/// assert_eq!(spec.build(2)?.describe(), "box [-3, 3]^2");
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DomainSpec {
    text: String,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Ball { radius: f64, norm: Norm, center: Option<Vec<f64>>, euclidean: bool },
    Box { low: Vec<f64>, high: Vec<f64> },
    HalfSpace { normal: Vec<f64>, offset: f64 },
}

/// The kinds of domain and how each is written.
const FORMS: [(&str, &str); 4] = [
    ("ball", "ball(radius=2, norm=2, center=0:0)"),
    ("box", "box(low=-3:-3, high=3:3)"),
    ("interval", "interval(-1, 1)"),
    ("halfspace", "halfspace(normal=1:0, offset=5)"),
];

impl DomainSpec {
    /// Reads a specification.
    pub fn parse(text: &str) -> Result<DomainSpec, IoError> {
        let fail = |reason: String| IoError::Spec { text: shown(text), reason };
        let trimmed = text.trim();
        let name = trimmed.split('(').next().unwrap_or_default().trim();
        let Some((_, form)) = FORMS.iter().find(|(known, _)| *known == name) else {
            let names = FORMS.map(|(name, _)| name);
            return Err(fail(unknown("domain", name, &names)));
        };
        let inner = trimmed[name.len()..]
            .trim()
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(|| fail(format!("write it as {form}")))?;
        let mut arguments = Arguments::parse(inner, form).map_err(fail)?;
        let shape = arguments.shape(name).map_err(fail)?;
        arguments.expect_all_used().map_err(fail)?;
        let spec = DomainSpec { text: trimmed.to_string(), shape };
        // Build once, so that impossible numbers are refused where they were written.
        spec.build(spec.dimension().unwrap_or(2))?;
        Ok(spec)
    }

    /// The number of coordinates, where the specification tells.
    pub fn dimension(&self) -> Option<usize> {
        match &self.shape {
            Shape::Ball { center, .. } => center.as_ref().map(Vec::len),
            Shape::Box { low, high } => Some(low.len().max(high.len())).filter(|d| *d > 1),
            Shape::HalfSpace { normal, .. } => Some(normal.len()),
        }
        .or(self.text.starts_with("interval").then_some(1))
    }

    /// The domain, in so many coordinates where the specification does not tell.
    pub fn build(&self, dimension: usize) -> Result<Arc<dyn Domain>, IoError> {
        let dimension = self.dimension().unwrap_or(dimension);
        Ok(match &self.shape {
            Shape::Ball { radius, norm, center, euclidean } => {
                let mut ball = Ball::new(*radius)?.with_norm(*norm).in_dimension(dimension);
                if let Some(center) = center {
                    ball = ball.with_center(center.clone())?;
                }
                Arc::new(if *euclidean { ball.with_euclidean_distance() } else { ball })
            }
            Shape::Box { low, high } => {
                let spread = |side: &Vec<f64>| match side.as_slice() {
                    [single] => vec![*single; dimension],
                    list => list.to_vec(),
                };
                Arc::new(Cuboid::new(spread(low), spread(high))?)
            }
            Shape::HalfSpace { normal, offset } => Arc::new(HalfSpace::new(normal.clone(), *offset)?),
        })
    }
}

/// The arguments between the brackets: `name=value` or a value by its place.
struct Arguments {
    form: &'static str,
    given: Vec<(Option<String>, String)>,
    used: Vec<String>,
}

impl Arguments {
    fn parse(inner: &str, form: &'static str) -> Result<Arguments, String> {
        let mut given: Vec<(Option<String>, String)> = Vec::new();
        for part in inner.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (Some(name.trim().to_lowercase()), value.trim()),
                None => (None, part),
            };
            if name.is_some() && given.iter().any(|(other, _)| *other == name) {
                return Err(format!("{} is given twice", shown(name.as_deref().unwrap_or_default())));
            }
            given.push((name, value.to_string()));
        }
        Ok(Arguments { form, given, used: Vec::new() })
    }

    fn shape(&mut self, name: &str) -> Result<Shape, String> {
        Ok(match name {
            "ball" => Shape::Ball {
                radius: self.required("radius", 0)?,
                norm: match self.take("norm", 1).as_deref() {
                    None | Some("2") => Norm::Two,
                    Some("1") => Norm::One,
                    Some("inf" | "infinity") => Norm::Infinity,
                    Some(other) => return Err(format!("the norm is 1, 2 or inf, not \"{}\"", shown(other))),
                },
                center: self.take("center", 2).map(|text| self.list("center", &text)).transpose()?,
                euclidean: match self.take("distance", 3).as_deref() {
                    None | Some("own") => false,
                    Some("euclidean") => true,
                    Some(other) => {
                        return Err(format!("the distance is own or euclidean, not \"{}\"", shown(other)));
                    }
                },
            },
            "halfspace" => Shape::HalfSpace {
                normal: self.required_list("normal", 0)?,
                offset: self.required("offset", 1)?,
            },
            "interval" => {
                Shape::Box { low: vec![self.required("low", 0)?], high: vec![self.required("high", 1)?] }
            }
            _ => Shape::Box { low: self.required_list("low", 0)?, high: self.required_list("high", 1)? },
        })
    }

    /// The argument of that name, or that place among those without a name.
    fn take(&mut self, name: &str, place: usize) -> Option<String> {
        self.used.push(name.to_string());
        let named = self.given.iter().find(|(given, _)| given.as_deref() == Some(name));
        let placed = self.given.get(place).filter(|(given, _)| given.is_none());
        named.or(placed).map(|(_, value)| value.clone())
    }

    fn required_list(&mut self, name: &str, place: usize) -> Result<Vec<f64>, String> {
        let text =
            self.take(name, place).ok_or_else(|| format!("{name} is missing; write it as {}", self.form))?;
        self.list(name, &text)
    }

    fn required(&mut self, name: &str, place: usize) -> Result<f64, String> {
        match self.required_list(name, place)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(format!("{name} is a single number; write it as {}", self.form)),
        }
    }

    fn list(&self, name: &str, text: &str) -> Result<Vec<f64>, String> {
        let number = |part: &str| match part.trim().parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(value),
            _ => Err(format!(
                "{name}: \"{}\" is not a number (coordinates are separated by colons); write it as {}",
                shown(part),
                self.form
            )),
        };
        text.split(':').map(number).collect()
    }

    fn expect_all_used(&self) -> Result<(), String> {
        for (at, (name, value)) in self.given.iter().enumerate() {
            let by_name =
                |wanted: &String| self.given.iter().any(|(given, _)| given.as_ref() == Some(wanted));
            match name {
                None if self.used.get(at).is_some_and(by_name) => {
                    return Err(format!("{} is given twice; write it as {}", self.used[at], self.form));
                }
                Some(name) if !self.used.contains(name) => {
                    let known: Vec<&str> = self.used.iter().map(String::as_str).collect();
                    return Err(unknown("argument", name, &known));
                }
                None if at >= self.used.len() => {
                    return Err(format!(
                        "\"{}\" is one value too many; write it as {}",
                        shown(value),
                        self.form
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> String {
        DomainSpec::parse(text).unwrap().build(2).unwrap().describe()
    }

    fn message(text: &str) -> String {
        DomainSpec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_form_of_the_contract_is_read() {
        assert_eq!(describe("ball(radius=2)"), "l2 ball of radius 2");
        assert_eq!(describe("ball(radius=2, norm=1, center=0:0)"), "l1 ball of radius 2");
        assert_eq!(describe(" ball ( 2 , inf ) "), "l-infinity ball of radius 2");
        assert_eq!(describe("box(low=-3, high=3)"), "box [-3, 3]^2");
        assert_eq!(describe("box(low=-3:-1, high=3:inf)"), "box [-3, 3] x [-1, inf]");
        assert_eq!(describe("box(low=0, high=1:2:3)"), "box [0, 1] x [0, 2] x [0, 3]");
        assert_eq!(describe("interval(-1, 1)"), "interval [-1, 1]");
        assert_eq!(describe("halfspace(normal=1:0, offset=5)"), "half-space [1.0, 0.0] . x >= 5");
        assert_eq!(DomainSpec::parse("interval(-1, 1)").unwrap().dimension(), Some(1));
        assert_eq!(DomainSpec::parse("ball(radius=1)").unwrap().dimension(), None);
    }

    #[test]
    fn mistakes_are_explained() {
        assert!(message("bal(radius=2)").contains("did you mean \"ball\""));
        assert!(message("ball(radios=2)").contains("radius is missing"));
        assert!(message("ball(radius=2, nrm=1)").contains("did you mean \"norm\""));
        assert!(message("ball(radius=2").contains("write it as ball("));
        assert!(message("ball(radius=-2)").contains("positive"));
        assert!(message("ball(radius=two)").contains("\"two\" is not a number"));
        assert!(message("ball(radius=2, norm=3)").contains("1, 2 or inf"));
        assert!(message("box(low=3, high=-3)").contains("larger than the lower limit"));
        assert!(message("box(low=1:2, high=3:4:5)").contains("coordinates"));
        assert!(message("interval(1, 2, 3)").contains("one value too many"));
        assert!(message("halfspace(normal=0:0, offset=1)").contains("not all zero"));
        assert!(message("ball(2, radius=3)").contains("radius is given twice"));
        assert!(message("").contains("unknown domain"));
    }

    proptest::proptest! {
        /// Whatever is typed is read or refused.
        #[test]
        fn any_text_is_read_or_refused(text in "(ball|box|interval|halfspace|.{0,3})?[(]?[a-z0-9=:,. inf()-]{0,40}[)]?") {
            if let Ok(spec) = DomainSpec::parse(&text) {
                let domain = spec.build(3).unwrap();
                proptest::prop_assert!(domain.dimension() >= 1);
            }
        }
    }
}
