//! Domain specifications such as `ball(radius=2, norm=1)`.

use std::path::Path;
use std::sync::Arc;

use steinbound::domain::{
    Ball, Complement, Cuboid, Domain, HalfSpace, Intersection, LevelSet, Norm, Polygon,
    contiguous_united_states,
};
use steinbound::expression::Expression;

use crate::arguments::Arguments;
use crate::error::IoError;
use crate::map::{self, Map, MapOptions, read_map};
use crate::names::{shown, unknown};

/// A domain as written by a person, perhaps without saying in how many coordinates.
///
/// ```
/// use steinbound_io::DomainSpec;
/// let spec = DomainSpec::parse("box(low=-3, high=3)")?;
/// assert_eq!(spec.dimension(), None);
/// assert_eq!(spec.build(2)?.describe(), "box [-3, 3]^2");
/// let frame = DomainSpec::parse("intersection(box(low=-3, high=3), outside(level('x1^2 + x2^2 - 1')))")?;
/// assert!(frame.build(2)?.contains(&[2.0, 0.0]));
/// # Ok::<(), steinbound_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DomainSpec {
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Ball { radius: f64, norm: Norm, center: Option<Vec<f64>>, euclidean: bool },
    Box { low: Vec<f64>, high: Vec<f64> },
    Interval { low: f64, high: f64 },
    HalfSpace { normal: Vec<f64>, offset: f64 },
    Level { formula: Expression },
    Polygon(Box<Map>),
    UnitedStates,
    Outside(Box<Shape>),
    Intersection(Vec<Shape>),
}

/// The kinds of domain and how each is written.
const FORMS: [(&str, &str); 9] = [
    ("ball", "ball(radius=2, norm=2, center=0:0)"),
    ("box", "box(low=-3:-3, high=3:3)"),
    ("interval", "interval(-1, 1)"),
    ("halfspace", "halfspace(normal=1:0, offset=5)"),
    ("level", "level(\"x1^2 + x2^2 - 1\")"),
    ("polygon", "polygon(border.geojson)"),
    ("usa", "usa()"),
    ("outside", "outside(ball(radius=2))"),
    ("intersection", "intersection(box(low=-3, high=3), outside(ball(radius=2)))"),
];

/// How deep domains may lie within each other.
const NESTING_LIMIT: usize = 20;

/// The largest coordinate a formula may name.
const COORDINATE_LIMIT: usize = 10_000;

impl DomainSpec {
    /// Reads a specification.
    pub fn parse(text: &str) -> Result<DomainSpec, IoError> {
        let fail = |reason: String| IoError::Spec { text: shown(text), reason };
        let spec = DomainSpec { shape: Shape::parse(text, 0).map_err(fail)? };
        // Build once, so that impossible numbers are refused where they were written.
        spec.build(spec.dimension().unwrap_or(2))?;
        Ok(spec)
    }

    /// The number of coordinates, where the specification tells; a formula tells the largest it names.
    pub fn dimension(&self) -> Option<usize> {
        self.shape.fixed_dimension().or(Some(self.shape.least_dimension()).filter(|d| *d > 0))
    }

    /// Whether the domain can be built in so many coordinates.
    pub fn fits(&self, dimension: usize) -> bool {
        let fixed = self.shape.fixed_dimension();
        fixed.map_or(dimension >= self.shape.least_dimension(), |fixed| fixed == dimension)
    }

    /// The maps that the specification reads.
    pub fn maps(&self) -> Vec<&Map> {
        self.shape.maps()
    }

    /// The polygon, where the specification is nothing but a map.
    pub fn polygon(&self) -> Option<Result<Polygon, IoError>> {
        match &self.shape {
            Shape::Polygon(map) => Some(map.polygon()),
            Shape::UnitedStates => Some(contiguous_united_states().map_err(IoError::from)),
            _ => None,
        }
    }

    /// Whether its coordinates are degrees of longitude and latitude.
    pub fn is_geographic(&self) -> bool {
        self.shape == Shape::UnitedStates || self.maps().iter().any(|map| map.looks_geographic)
    }

    /// The domain, in so many coordinates where the specification does not tell. A formula may have more than it names.
    pub fn build(&self, dimension: usize) -> Result<Arc<dyn Domain>, IoError> {
        let fixed = self.shape.fixed_dimension();
        self.shape.build(fixed.unwrap_or(dimension.max(self.shape.least_dimension())))
    }
}

impl Shape {
    fn parse(text: &str, depth: usize) -> Result<Shape, String> {
        if depth > NESTING_LIMIT {
            return Err(format!("domains are nested more than {NESTING_LIMIT} deep; use fewer"));
        }
        let trimmed = text.trim();
        let name = trimmed.split('(').next().unwrap_or_default().trim();
        let Some((_, form)) = FORMS.iter().find(|(known, _)| *known == name) else {
            return Err(match map::is_named_like_one(name) {
                true => format!("a map is written as polygon({name})"),
                false => unknown("domain", name, &FORMS.map(|(name, _)| name)),
            });
        };
        let inner = trimmed[name.len()..]
            .trim()
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(|| format!("write it as {form}"))?;
        let mut arguments = Arguments::parse(inner, form)?;
        let shape = Shape::read(name, &mut arguments, depth)?;
        arguments.expect_all_used()?;
        Ok(shape)
    }

    fn read(name: &str, arguments: &mut Arguments, depth: usize) -> Result<Shape, String> {
        Ok(match name {
            "ball" => Shape::Ball {
                radius: arguments.required("radius", 0)?,
                norm: match arguments.take("norm", 1).as_deref() {
                    None | Some("2") => Norm::Two,
                    Some("1") => Norm::One,
                    Some("inf" | "infinity") => Norm::Infinity,
                    Some(other) => return Err(format!("the norm is 1, 2 or inf, not \"{}\"", shown(other))),
                },
                center: arguments
                    .take("center", 2)
                    .map(|text| arguments.list("center", &text))
                    .transpose()?,
                euclidean: match arguments.take("distance", 3).as_deref() {
                    None | Some("own") => false,
                    Some("euclidean") => true,
                    Some(other) => {
                        return Err(format!("the distance is own or euclidean, not \"{}\"", shown(other)));
                    }
                },
            },
            "halfspace" => Shape::HalfSpace {
                normal: arguments.required_list("normal", 0)?,
                offset: arguments.required("offset", 1)?,
            },
            "interval" => {
                Shape::Interval { low: arguments.required("low", 0)?, high: arguments.required("high", 1)? }
            }
            "level" => Shape::Level { formula: formula(&arguments.required_text("formula", 0)?)? },
            "polygon" => {
                let file = arguments.required_text("file", 0)?;
                let feature = match (arguments.take("property", 1), arguments.take("value", 2)) {
                    (None, None) => None,
                    (Some(property), Some(value)) => Some((property, value)),
                    _ => return Err("property and value choose a feature together; give both or none".into()),
                };
                let map = read_map(Path::new(&file), &MapOptions { feature });
                Shape::Polygon(Box::new(map.map_err(|error| error.to_string())?))
            }
            "usa" => Shape::UnitedStates,
            "outside" => {
                Shape::Outside(Box::new(Shape::parse(&arguments.required_raw("domain", 0)?, depth + 1)?))
            }
            "intersection" => {
                let parts = arguments.all_values()?;
                let parts =
                    parts.iter().map(|part| Shape::parse(part, depth + 1)).collect::<Result<Vec<_>, _>>()?;
                // An intersection of intersections is one of all their parts.
                let flat = parts.into_iter().flat_map(|part| match part {
                    Shape::Intersection(inner) => inner,
                    other => vec![other],
                });
                Shape::Intersection(flat.collect())
            }
            _ => Shape::Box {
                low: arguments.required_list("low", 0)?,
                high: arguments.required_list("high", 1)?,
            },
        })
    }

    /// The number of coordinates, where nothing else is possible.
    fn fixed_dimension(&self) -> Option<usize> {
        match self {
            Shape::Ball { center, .. } => center.as_ref().map(Vec::len),
            Shape::Box { low, high } => Some(low.len().max(high.len())).filter(|d| *d > 1),
            Shape::Interval { .. } => Some(1),
            Shape::HalfSpace { normal, .. } => Some(normal.len()),
            Shape::Level { .. } => None,
            Shape::Polygon(_) | Shape::UnitedStates => Some(2),
            Shape::Outside(inner) => inner.fixed_dimension(),
            Shape::Intersection(parts) => parts.iter().find_map(Shape::fixed_dimension),
        }
    }

    fn maps(&self) -> Vec<&Map> {
        match self {
            Shape::Polygon(map) => vec![map],
            Shape::Outside(inner) => inner.maps(),
            Shape::Intersection(parts) => parts.iter().flat_map(Shape::maps).collect(),
            _ => Vec::new(),
        }
    }

    /// The number of coordinates that formulas name.
    fn least_dimension(&self) -> usize {
        match self {
            Shape::Level { formula } => formula.variables(),
            Shape::Outside(inner) => inner.least_dimension(),
            Shape::Intersection(parts) => parts.iter().map(Shape::least_dimension).max().unwrap_or(0),
            _ => 0,
        }
    }

    fn build(&self, dimension: usize) -> Result<Arc<dyn Domain>, IoError> {
        Ok(match self {
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
            Shape::Interval { low, high } => Arc::new(Cuboid::interval(*low, *high)?),
            Shape::HalfSpace { normal, offset } => Arc::new(HalfSpace::new(normal.clone(), *offset)?),
            Shape::Level { formula } => Arc::new(LevelSet::new(formula.clone(), dimension)?),
            Shape::Polygon(map) => Arc::new(map.polygon()?),
            Shape::UnitedStates => Arc::new(contiguous_united_states()?),
            Shape::Outside(inner) => Arc::new(Complement::new(inner.build(dimension)?)),
            Shape::Intersection(parts) => {
                let parts = parts.iter().map(|part| part.build(dimension)).collect::<Result<_, _>>()?;
                Arc::new(Intersection::new(parts)?)
            }
        })
    }
}

/// A formula in `x1`, `x2`, .., up to the largest of them that it names.
fn formula(text: &str) -> Result<Expression, String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')));
    let coordinate = |word: &str| word.strip_prefix('x').and_then(|digits| digits.parse::<usize>().ok());
    let largest = words.filter_map(coordinate).filter(|l| *l <= COORDINATE_LIMIT).max().unwrap_or(0);
    let names: Vec<String> = (1..=largest.max(1)).map(|l| format!("x{l}")).collect();
    let formula = Expression::parse(text, &names).map_err(|error| error.to_string())?;
    match (0..names.len()).any(|variable| formula.uses(variable)) {
        true => Ok(formula),
        false => Err("the formula names no coordinate; write them as x1, x2, ..".to_string()),
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
        assert_eq!(describe("level(\"x1^2 + x2^2 - 1\")"), "level set x1^2 + x2^2 - 1 <= 0");
        assert_eq!(describe("level('max(x1, x2) - 1')"), "level set max(x1, x2) - 1 <= 0");
        assert_eq!(describe("level(max(x1, x2) - 1)"), "level set max(x1, x2) - 1 <= 0");
        assert_eq!(describe("outside( ball(radius=1, norm=1) )"), "outside of the l1 ball of radius 1");
        assert_eq!(
            describe("intersection(box(low=0, high=2:3), outside(ball(1)), level('x1 - 1'))"),
            "intersection of the box [0, 2] x [0, 3], the outside of the l2 ball of radius 1 and the level set x1 - 1 <= 0"
        );
    }

    /// Parts without a dimension take that of the others; formulas may have more coordinates than they name.
    #[test]
    fn dimensions_are_agreed_upon() {
        let dimensions = |text: &str, asked: usize| {
            let spec = DomainSpec::parse(text).unwrap();
            (spec.dimension(), spec.build(asked).unwrap().dimension())
        };
        assert_eq!(dimensions("level('x1 + x3')", 2), (Some(3), 3));
        assert_eq!(dimensions("level('x1 + x3')", 5), (Some(3), 5));
        assert_eq!(dimensions("outside(ball(1))", 4), (None, 4));
        assert_eq!(dimensions("intersection(ball(1), level('x2'))", 1), (Some(2), 2));
        assert_eq!(dimensions("intersection(ball(1), box(0:0:0, 1))", 9), (Some(3), 3));
        assert_eq!(dimensions("outside(interval(0, 1))", 9), (Some(1), 1));
        assert!(message("intersection(interval(0, 1), level('x2'))").contains("coordinates"));
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
        assert!(message("data/Border.WKT").contains("a map is written as polygon(data/Border.WKT)"));
        assert!(message("outside(bal(1))").contains("did you mean \"ball\""));
        assert!(message("outside()").contains("domain is missing; write it as outside("));
        assert!(message("outside(ball(1), ball(2))").contains("one value too many"));
        assert!(message("intersection()").contains("at least one"));
        assert!(message("intersection(a=ball(1))").contains("\"a\" has no place here"));
        assert!(message("intersection(interval(0, 1), interval(2, 3))").contains("do not overlap"));
        assert!(message("level('x1").contains("write it as level("));
        assert!(message("level('x1)").contains("the quote ' is never closed"));
        assert!(message("outside(ball(1)").contains("a ( is never closed"));
        assert!(message("level('1')").contains("names no coordinate"));
        assert!(message("level('x99999999999 - 1')").contains("unknown name"));
        let nested = "outside(".repeat(30) + "ball(1)" + &")".repeat(30);
        assert!(message(&nested).contains("nested more than 20 deep"));
        // The caret of a formula stands on a line of its own.
        assert_eq!(
            message("level('x1^2 + 2x2 - 1')"),
            "cannot read the domain \"level(\\'x1^2 + 2x2 - 1\\')\": an operator is missing; write 2*x2 to multiply\n  \
             x1^2 + 2x2 - 1\n          ^"
        );
    }

    proptest::proptest! {
        /// Whatever is typed is read or refused.
        #[test]
        fn any_text_is_read_or_refused(
            text in "(ball|box|interval|halfspace|level|outside|intersection|.{0,3})?[(]?[a-z0-9=:,. inf()'\"-]{0,40}[)]?",
        ) {
            if let Ok(spec) = DomainSpec::parse(&text) {
                // What was possible in the plane may be empty in space.
                if let Ok(domain) = spec.build(3) {
                    proptest::prop_assert!(domain.dimension() >= 1);
                }
            }
        }

        /// Domains within each other are read as they were written.
        #[test]
        fn nested_domains_are_read(depth in 0usize..20, radius in 0.5..2.0f64, quote in "['\"]") {
            let text = "outside(".repeat(depth)
                + &format!("intersection(ball({radius}), level({quote}max(x1, x2) - 1{quote}))")
                + &")".repeat(depth);
            let domain = DomainSpec::parse(&text).unwrap().build(2).unwrap();
            let described = domain.describe();
            proptest::prop_assert_eq!(described.matches("outside of the").count(), depth);
            proptest::prop_assert!(described.ends_with("the level set max(x1, x2) - 1 <= 0"));
        }
    }
}
