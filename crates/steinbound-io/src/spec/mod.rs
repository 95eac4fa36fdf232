//! Domain specifications such as `ball(radius=2, norm=1)`.

mod forms;
mod level;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use steinbound::domain::{
    self, Complement, Domain, Intersection, Polygon, ShapeArguments, Union, contiguous_united_states,
};

use crate::error::IoError;
use crate::map::{self, Map};
use crate::names::{shown, unknown};
use forms::forms;
use level::Level;

/// A domain written as text, in a number of coordinates that may be unspecified.
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
    root: Node,
}

/// A specification, or a part of one.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// A shape of the library.
    Shape {
        shape: &'static domain::Shape,
        given: ShapeArguments,
    },
    Level(Level),
    Polygon(Box<Map>),
    UnitedStates,
    Outside(Box<Node>),
    Intersection(Vec<Node>),
    Union(Vec<Node>),
}

/// The largest depth to which specifications may be nested.
const NESTING_LIMIT: usize = 20;

impl DomainSpec {
    /// Reads a specification.
    pub fn parse(text: &str) -> Result<DomainSpec, IoError> {
        let fail = |reason: String| IoError::Spec { text: shown(text), reason };
        let spec = DomainSpec { root: parse(text, 0).map_err(fail)? };
        // Build once, so that impossible numbers are rejected early; names of columns wait for the data.
        if spec.is_complete() {
            spec.build(spec.dimension().unwrap_or(2))?;
        }
        Ok(spec)
    }

    /// Whether it can be built: no formula names columns that are not known yet.
    pub fn is_complete(&self) -> bool {
        self.root.levels().into_iter().all(Level::is_complete)
    }

    /// The same where formulas may name the columns of the data, in the order of the coordinates.
    ///
    /// ```
    /// use steinbound_io::DomainSpec;
    /// let spec = DomainSpec::parse("level('lon^2 + lat^2 - 1')")?;
    /// let columns = ["lon", "lat"].map(String::from);
    /// assert!(spec.with_columns(&columns)?.build(2)?.contains(&[0.5, 0.5]));
    /// let error = spec.build(2).unwrap_err().to_string();
    /// assert!(error.contains("names lon and lat"), "{error}");
    /// # Ok::<(), steinbound_io::IoError>(())
    /// ```
    pub fn with_columns(&self, columns: &[String]) -> Result<DomainSpec, IoError> {
        let mut spec = self.clone();
        for level in spec.root.levels_mut() {
            level.name_columns(columns)?;
        }
        Ok(spec)
    }

    /// The ways to write domains, each with a meaning of a few words (or none), in the order of the help
    /// texts.
    ///
    /// ```
    /// use steinbound_io::DomainSpec;
    /// assert_eq!(DomainSpec::shapes().next(), Some(("ball(radius=2)", "about the origin")));
    /// ```
    pub fn shapes() -> impl Iterator<Item = (&'static str, &'static str)> {
        forms().flat_map(|form| form.usage.iter().copied())
    }

    /// The number of coordinates, if the specification determines it; for a formula, the largest coordinate
    /// it mentions.
    pub fn dimension(&self) -> Option<usize> {
        self.root.fixed_dimension().or(Some(self.root.mentioned_dimension()).filter(|d| *d > 0))
    }

    /// Whether the domain can be built in this number of coordinates.
    pub fn fits(&self, dimension: usize) -> bool {
        let fixed = self.root.fixed_dimension();
        fixed.map_or(dimension >= self.root.least_dimension(), |fixed| fixed == dimension)
    }

    /// The maps that the specification reads.
    pub fn maps(&self) -> Vec<&Map> {
        self.root.maps()
    }

    /// The polygon, if the specification is a map and nothing else.
    pub fn polygon(&self) -> Option<Result<Polygon, IoError>> {
        match &self.root {
            Node::Polygon(map) => Some(map.polygon()),
            Node::UnitedStates => Some(contiguous_united_states().map_err(IoError::from)),
            Node::Shape { .. }
            | Node::Level(_)
            | Node::Outside(_)
            | Node::Intersection(_)
            | Node::Union(_) => None,
        }
    }

    /// Whether the coordinates are degrees of longitude and latitude.
    pub fn is_geographic(&self) -> bool {
        self.root == Node::UnitedStates || self.maps().iter().any(|map| map.looks_geographic)
    }

    /// Whether a map states that it is in degrees.
    pub fn is_in_degrees(&self) -> bool {
        self.root == Node::UnitedStates || self.maps().iter().any(|map| map.is_in_degrees)
    }

    /// The domain, in `dimension` coordinates if the specification does not determine their number. A formula
    /// may have more coordinates than it mentions.
    pub fn build(&self, dimension: usize) -> Result<Arc<dyn Domain>, IoError> {
        let fixed = self.root.fixed_dimension();
        self.root.build(fixed.unwrap_or(dimension.max(self.root.mentioned_dimension())))
    }
}

/// Parses a specification at a nesting depth.
fn parse(text: &str, depth: usize) -> Result<Node, String> {
    if depth > NESTING_LIMIT {
        return Err(format!("domains are nested more than {NESTING_LIMIT} deep; use fewer"));
    }
    let trimmed = text.trim();
    let name = trimmed.split('(').next().unwrap_or_default().trim();
    let Some(form) = forms().find(|form| form.name == name) else {
        return Err(match map::is_named_like_one(name) {
            true => format!("a map is written as polygon({name})"),
            false => unknown("domain", name, &forms().map(|form| form.name).collect::<Vec<_>>()),
        });
    };
    let inner = trimmed[name.len()..]
        .trim()
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or_else(|| format!("write it as {}", form.example))?;
    form.read(inner, depth)
}

impl Node {
    /// The specifications of which it is made.
    fn parts(&self) -> &[Node] {
        match self {
            Node::Outside(inner) => std::slice::from_ref(inner),
            Node::Intersection(parts) | Node::Union(parts) => parts,
            Node::Shape { .. } | Node::Level(_) | Node::Polygon(_) | Node::UnitedStates => &[],
        }
    }

    /// The number of coordinates, if it is determined.
    fn fixed_dimension(&self) -> Option<usize> {
        match self {
            Node::Shape { shape, given } => (shape.dimension)(given),
            Node::Polygon(_) | Node::UnitedStates => Some(2),
            _ => self.parts().iter().find_map(Node::fixed_dimension),
        }
    }

    /// The number of coordinates that formulas mention.
    fn mentioned_dimension(&self) -> usize {
        self.levels().into_iter().map(Level::least_dimension).max().unwrap_or(0)
    }

    /// The smallest number of coordinates in which it exists.
    fn least_dimension(&self) -> usize {
        let own = match self {
            Node::Shape { shape, .. } => shape.least_dimension,
            _ => self.mentioned_dimension(),
        };
        self.parts().iter().map(Node::least_dimension).fold(own, usize::max)
    }

    fn maps(&self) -> Vec<&Map> {
        match self {
            Node::Polygon(map) => vec![map],
            _ => self.parts().iter().flat_map(Node::maps).collect(),
        }
    }

    fn levels(&self) -> Vec<&Level> {
        match self {
            Node::Level(level) => vec![level],
            _ => self.parts().iter().flat_map(Node::levels).collect(),
        }
    }

    fn levels_mut(&mut self) -> Vec<&mut Level> {
        match self {
            Node::Level(level) => vec![level],
            Node::Outside(inner) => inner.levels_mut(),
            Node::Intersection(parts) | Node::Union(parts) => {
                parts.iter_mut().flat_map(Node::levels_mut).collect()
            }
            Node::Shape { .. } | Node::Polygon(_) | Node::UnitedStates => Vec::new(),
        }
    }

    fn build(&self, dimension: usize) -> Result<Arc<dyn Domain>, IoError> {
        let built = |parts: &[Node]| parts.iter().map(|part| part.build(dimension)).collect::<Result<_, _>>();
        Ok(match self {
            Node::Shape { shape, given } => (shape.build)(given, dimension)?,
            Node::Level(level) => Arc::new(level.build(dimension)?),
            Node::Polygon(map) => Arc::new(map.polygon()?),
            Node::UnitedStates => Arc::new(contiguous_united_states()?),
            Node::Outside(inner) => Arc::new(Complement::new(inner.build(dimension)?)),
            Node::Intersection(parts) => Arc::new(Intersection::new(built(parts)?)?),
            Node::Union(parts) => Arc::new(Union::new(built(parts)?)?),
        })
    }
}
