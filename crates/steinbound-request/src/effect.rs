//! Which options have an effect, and notes about those that do not.

use steinbound::Method;
use steinbound::domain::Domain;
use steinbound::fit::{Compute, DistanceKind};

use crate::choices;
use crate::option::{OptionSpec, Options};
use crate::options;
use crate::wording::Wording;

/// What must be there for an option to have an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A method with a kernel.
    Kernel,
    /// A method with a statistic over pairs.
    Statistic,
    /// A method with a ridge.
    Ridge,
    /// A method that measures the distance to the boundary.
    Distance,
    /// The distance to the nearest boundary point.
    NearestDistance,
    /// A form of the pairs that may be of low rank.
    LowRank,
    /// A method whose bandwidth and ridge can be chosen, where that is asked for.
    Tuning,
    /// Boundary points that are sampled.
    SampledBoundary,
    /// A method that uses the normals of boundary points.
    BoundaryNormals,
    /// A known domain.
    Domain,
    /// A bootstrap.
    Bootstrap,
    /// A test.
    Test,
    /// A covariance that is not known.
    UnknownCovariance,
    /// A search for the estimate.
    Search,
}

/// What decides whether options have an effect.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Situation<'a> {
    /// The method.
    pub method: Method,
    /// The options that were given.
    pub options: &'a Options,
    /// The domain, where it is known.
    pub domain: Option<&'a dyn Domain>,
    /// Whether boundary points were given.
    pub has_boundary: bool,
    /// Whether a regression is fitted, whose limits are its domain.
    pub is_regression: bool,
    /// Whether anything is tested.
    pub is_tested: bool,
    /// How options are named.
    pub wording: Wording,
}

impl<'a> Situation<'a> {
    /// A method with its options, and nothing known of the region.
    pub fn new(method: Method, options: &'a Options, wording: Wording) -> Situation<'a> {
        let (domain, has_boundary, is_regression, is_tested) = (None, false, false, false);
        Situation { method, options, domain, has_boundary, is_regression, is_tested, wording }
    }

    /// The same where something is tested, or nothing is.
    pub fn tested(self, is_tested: bool) -> Situation<'a> {
        Situation { is_tested, ..self }
    }

    /// The same for a regression.
    pub fn regression(self) -> Situation<'a> {
        Situation { is_regression: true, ..self }
    }

    /// The same with other options.
    pub fn with_options(self, options: &'a Options) -> Situation<'a> {
        Situation { options, ..self }
    }

    /// The note about an option that was given and has no effect.
    ///
    /// ```
    /// use steinbound::Method;
    /// use steinbound_request::{Options, Situation, Value, Wording, options};
    /// let mut given = Options::new();
    /// given.set(&options::RIDGE, Value::Number(0.1));
    /// let with = |method| Situation::new(method, &given, Wording::CommandLine).note(&options::RIDGE);
    /// assert_eq!(with(Method::TKSD), None);
    /// assert_eq!(with(Method::MLE).unwrap(), "--ridge has no effect with --method mle");
    /// ```
    pub fn note(&self, option: &OptionSpec) -> Option<String> {
        let reason = self.options.get(option).and_then(|_| self.reason(option.needs))?;
        Some(format!("{} has no effect {reason}", self.wording.option(option.name)))
    }

    /// The notes about some options.
    pub fn notes(&self, options: &[&'static OptionSpec]) -> Vec<String> {
        options.iter().filter_map(|option| self.note(option)).collect()
    }

    /// The notes about limits of a search where none took place.
    pub fn search_notes(&self) -> Vec<String> {
        let given = [&options::MAX_ITERATIONS, &options::SEARCH_TOLERANCE];
        let given = given.into_iter().filter(|option| self.options.is_given(option));
        let note = |option: &OptionSpec| {
            format!("{} has no effect here: nothing is searched for", self.wording.option(option.name))
        };
        given.map(note).collect()
    }

    /// All notes about the method, its settings and what is known of the region.
    pub fn all_notes(&self) -> Vec<String> {
        let mut notes = self.notes(&options::METHOD_SETTINGS);
        notes.extend(self.distance_note());
        if self.has_boundary && !self.uses_boundary() {
            let boundary = self.wording.option("boundary");
            notes.push(format!("{boundary} has no effect {}", self.by_distance()));
        }
        notes.extend(self.notes(&options::GIVEN_BOUNDARY));
        notes.extend(self.notes(&options::SAMPLING));
        notes.extend(self.notes(&options::OUTSIDE));
        notes.extend(self.notes(&options::DENSITY));
        notes
    }

    /// How the distance to the boundary is measured, for methods that measure one.
    fn distance(&self) -> Option<DistanceKind> {
        let asked = self.options.choice(&options::DISTANCE, choices::distance());
        self.method.has_distance().then(|| match self.is_regression {
            true => asked.unwrap_or(DistanceKind::Exact),
            false => self.method.uses().distance(asked, self.domain),
        })
    }

    fn uses_boundary(&self) -> bool {
        self.method.uses().boundary_points || self.distance() == Some(DistanceKind::Nearest)
    }

    fn by_method(&self) -> String {
        format!("with {}", self.wording.with_value("method", self.method.name()))
    }

    /// The method and the distance that it measures.
    fn by_distance(&self) -> String {
        match self.distance() {
            Some(kind) if kind != DistanceKind::Nearest && !self.is_regression => {
                format!("{} and the {} distance", self.by_method(), kind.name())
            }
            _ => self.by_method(),
        }
    }

    /// The note where a domain has no exact distance, and none was chosen.
    fn distance_note(&self) -> Option<String> {
        let domain = self.domain.filter(|domain| !domain.has_distance())?;
        if self.options.is_given(&options::DISTANCE) {
            return None;
        }
        let instead = match self.distance()? {
            DistanceKind::Axes => "distances along the axes are used",
            _ => "the distance to the nearest of many boundary points is used",
        };
        let domain = domain.describe();
        Some(format!("the {domain} has no formula for the distance to its boundary: {instead}"))
    }

    /// Why an option with these needs has no effect; `None` where it has one.
    fn reason(&self, needs: Needs) -> Option<String> {
        let (uses, by_method) = (self.method.uses(), self.by_method());
        let compute = self.options.choice(&options::COMPUTE, choices::compute()).unwrap_or(Compute::Auto);
        match needs {
            // Only the fit shows whether there was a search.
            Needs::Nothing | Needs::Search => None,
            Needs::Kernel => (!uses.kernel).then_some(by_method),
            Needs::Statistic => (!uses.statistic).then_some(by_method),
            Needs::Ridge => (!uses.ridge).then_some(by_method),
            Needs::Distance => (!uses.has_distance()).then_some(by_method),
            Needs::NearestDistance => match self.distance() {
                Some(DistanceKind::Nearest) => None,
                Some(_) => {
                    let distance = self.wording.option("distance");
                    Some(format!("{by_method} unless {distance} is nearest"))
                }
                None => Some(by_method),
            },
            Needs::LowRank if !uses.kernel => Some(by_method),
            Needs::LowRank => (uses.statistic && !compute.has_tolerance())
                .then(|| format!("with {}", self.wording.with_value("compute", compute.name()))),
            Needs::Tuning => (self.options.is_tuned() && !uses.kernel).then_some(by_method),
            Needs::SampledBoundary if !self.uses_boundary() => Some(self.by_distance()),
            Needs::SampledBoundary => self
                .has_boundary
                .then(|| format!("when {} gives the points", self.wording.option("boundary"))),
            Needs::BoundaryNormals => (!uses.boundary_normals).then_some(by_method),
            Needs::Domain => {
                (self.domain.is_none() && !self.is_regression).then(|| "without a domain".to_string())
            }
            Needs::Bootstrap => (!self.options.is_given(&options::BOOTSTRAP))
                .then(|| format!("without {}", self.wording.option("bootstrap"))),
            Needs::UnknownCovariance => (self.options.is_given(&options::KNOWN_COVARIANCE))
                .then(|| format!("with {}", self.wording.option("known-covariance"))),
            Needs::Test => (!self.is_tested).then(|| format!("without {}", self.wording.option("test"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option::Value;

    fn given() -> Options {
        let mut given = Options::new();
        given.set(&options::RIDGE, Value::Number(0.1));
        given.set(&options::DISTANCE_NORM, Value::Name("1"));
        given.set(&options::TOLERANCE, Value::Number(0.1));
        given.set(&options::COMPUTE, Value::Name("dense"));
        given.set(&options::BOUNDARY_POINTS, Value::Count(20));
        given.set(&options::TUNE, Value::Name("none"));
        given
    }

    fn notes(method: Method, wording: Wording) -> Vec<String> {
        Situation::new(method, &given(), wording).all_notes()
    }

    #[test]
    fn notes_say_why_an_option_has_no_effect() {
        let expected = [
            "--distance-norm has no effect with --method tksd",
            "--tolerance has no effect with --compute dense",
        ];
        assert_eq!(notes(Method::TKSD, Wording::CommandLine), expected);
        let expected = [
            "--distance-norm has no effect with --method mle",
            "--ridge has no effect with --method mle",
            "--compute has no effect with --method mle",
            "--tolerance has no effect with --method mle",
            "--boundary-points has no effect with --method mle",
        ];
        assert_eq!(notes(Method::MLE, Wording::CommandLine), expected);
        assert_eq!(notes(Method::MLE, Wording::Python)[1], "ridge has no effect with method='mle'");
    }

    #[test]
    fn points_that_are_given_are_not_sampled() {
        let given = given();
        let mut situation = Situation::new(Method::TKSD, &given, Wording::CommandLine);
        assert_eq!(situation.note(&options::BOUNDARY_POINTS), None);
        situation.has_boundary = true;
        let note = situation.note(&options::BOUNDARY_POINTS).unwrap();
        assert_eq!(note, "--boundary-points has no effect when --boundary gives the points");
    }

    #[test]
    fn normals_are_for_methods_that_use_them() {
        let mut given = Options::new();
        given.set_text(&options::BOUNDARY_NORMALS, "nx,ny").unwrap();
        for method in Method::ALL {
            let notes = Situation::new(method, &given, Wording::CommandLine).all_notes();
            let expected = format!("--boundary-normals has no effect with --method {method}");
            assert_eq!(notes.contains(&expected), !method.uses().boundary_normals, "{notes:?}");
        }
        let error = given.set_text(&options::BOUNDARY_NORMALS, "nx,,ny").unwrap_err().to_string();
        assert!(error.contains("\"nx,,ny\" is not a list of columns"), "{error}");
    }

    #[test]
    fn bootstrap_and_test_are_needed_by_their_options() {
        let mut given = Options::new();
        given.set(&options::INTERVAL, Value::Name("normal"));
        let situation = Situation::new(Method::TKSD, &given, Wording::CommandLine);
        assert_eq!(situation.bootstrap_notes(), ["--interval has no effect without --bootstrap"]);
        given.set(&options::BOOTSTRAP, Value::Count(50));
        let situation = Situation::new(Method::TKSD, &given, Wording::CommandLine);
        assert!(situation.bootstrap_notes().is_empty());
        assert_eq!(situation.test_notes(), ["--bootstrap has no effect without --test"]);
        assert!(situation.tested(true).test_notes().is_empty());
    }
}
