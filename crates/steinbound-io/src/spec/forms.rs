//! All names with which a specification may begin, and the readers of their arguments.

use std::path::Path;

use steinbound::domain::{self, ParameterKind, SHAPES, ShapeArguments};

use super::level::Level;
use super::{Node, parse};
use crate::arguments::Arguments;
use crate::map::{MapOptions, read_map};
use crate::names::shown;

/// A name with which a specification may begin.
pub(super) struct Form {
    pub(super) name: &'static str,
    /// A complete example, for messages about texts that cannot be parsed.
    pub(super) example: &'static str,
    /// The ways to write it, each with a meaning of a few words (or none), for help texts.
    pub(super) usage: &'static [(&'static str, &'static str)],
    reader: Reader,
}

/// How the arguments of a form are parsed.
enum Reader {
    /// A shape of the library: according to its list of parameters.
    Shape(&'static domain::Shape),
    /// By a function, which receives the nesting depth of the form.
    Own(fn(&mut Arguments, usize) -> Result<Node, String>),
}

/// All forms: the shapes of the library, and those that read files, formulas or other specifications.
pub(super) fn forms() -> impl Iterator<Item = Form> {
    let of_shape = |shape: &&'static domain::Shape| Form {
        name: shape.name,
        example: shape.example,
        usage: shape.usage,
        reader: Reader::Shape(shape),
    };
    SHAPES.iter().map(of_shape).chain(OWN)
}

/// The forms that are not shapes of the library.
const OWN: [Form; 6] = [
    Form {
        name: "polygon",
        example: "polygon(border.geojson)",
        usage: &[("polygon(FILE)", "a map")],
        reader: Reader::Own(polygon),
    },
    Form {
        name: "usa",
        example: "usa()",
        usage: &[("usa()", "contiguous United States")],
        reader: Reader::Own(|_, _| Ok(Node::UnitedStates)),
    },
    Form {
        name: "level",
        example: "level(\"x1^2 + x2^2 - 1\")",
        usage: &[
            ("level(\"x1^2 + x2^2 - 1\")", "where it is negative"),
            ("level(\"lon^2 + lat^2 - 1\")", "in columns of the data"),
        ],
        reader: Reader::Own(|arguments, _| {
            Ok(Node::Level(Level::parse(&arguments.required_text("formula", 0)?)?))
        }),
    },
    Form {
        name: "outside",
        example: "outside(ball(radius=2))",
        usage: &[("outside(SPEC)", "")],
        reader: Reader::Own(|arguments, depth| {
            Ok(Node::Outside(Box::new(parse(&arguments.required_raw("domain", 0)?, depth + 1)?)))
        }),
    },
    Form {
        name: "intersection",
        example: "intersection(box(low=-3, high=3), outside(ball(radius=2)))",
        usage: &[("intersection(SPEC, SPEC)", "")],
        reader: Reader::Own(|arguments, depth| {
            // Nested ones of the same kind are one.
            let parts = domains(arguments, depth)?.into_iter().flat_map(|part| match part {
                Node::Intersection(parts) => parts,
                other => vec![other],
            });
            Ok(Node::Intersection(parts.collect()))
        }),
    },
    Form {
        name: "union",
        example: "union(box(low=-3, high=-1), box(low=1, high=3))",
        usage: &[("union(SPEC, SPEC)", "")],
        reader: Reader::Own(|arguments, depth| {
            // Nested ones of the same kind are one.
            let parts = domains(arguments, depth)?.into_iter().flat_map(|part| match part {
                Node::Union(parts) => parts,
                other => vec![other],
            });
            Ok(Node::Union(parts.collect()))
        }),
    },
];

/// All arguments as specifications.
fn domains(arguments: &mut Arguments, depth: usize) -> Result<Vec<Node>, String> {
    arguments.all_values()?.iter().map(|part| parse(part, depth + 1)).collect()
}

impl Form {
    /// Reads the arguments between the parentheses.
    pub(super) fn read(&self, inner: &str, depth: usize) -> Result<Node, String> {
        let mut arguments = Arguments::parse(inner, self.example)?;
        let node = match self.reader {
            Reader::Shape(shape) => Node::Shape { shape, given: shape_arguments(shape, &mut arguments)? },
            Reader::Own(read) => read(&mut arguments, depth)?,
        };
        arguments.expect_all_used()?;
        Ok(node)
    }
}

/// Parses the arguments of a shape of the library.
fn shape_arguments(shape: &domain::Shape, arguments: &mut Arguments) -> Result<ShapeArguments, String> {
    let mut given = ShapeArguments::default();
    for (place, parameter) in shape.parameters.iter().enumerate() {
        let name = parameter.name;
        let text = match parameter.is_required {
            true => arguments.required_raw(name, place)?,
            false => match arguments.take(name, place) {
                Some(text) => text,
                None => continue,
            },
        };
        given = match parameter.kind {
            ParameterKind::Number => given.with_numbers(name, [arguments.number(name, &text)?]),
            ParameterKind::Numbers => given.with_numbers(name, arguments.list(name, &text)?),
            ParameterKind::Choice(choices) => given.with_choice(name, chosen(name, &text, choices)?),
        };
    }
    Ok(given)
}

/// The listed name of a choice, given by that name or a synonym.
fn chosen(name: &str, text: &str, choices: &[&'static [&'static str]]) -> Result<&'static str, String> {
    if let Some(choice) = choices.iter().find(|choice| choice.contains(&text)) {
        return Ok(choice[0]);
    }
    let listed: Vec<&str> = choices.iter().filter_map(|choice| choice.first().copied()).collect();
    let (last, others) = listed.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    Err(format!("the {name} is {} or {last}, not \"{}\"", others.join(", "), shown(text)))
}

/// The polygon of a map file, or of those features that have a property with a given value.
fn polygon(arguments: &mut Arguments, _depth: usize) -> Result<Node, String> {
    let file = arguments.required_text("file", 0)?;
    let features = match (arguments.take("property", 1), arguments.take("value", 2)) {
        (None, None) => Vec::new(),
        (Some(property), Some(value)) => vec![(property, value)],
        _ => return Err("property and value choose a feature together; give both or none".into()),
    };
    let layer = arguments.take("layer", 3);
    let map = read_map(Path::new(&file), &MapOptions { features, layer });
    Ok(Node::Polygon(Box::new(map.map_err(|error| error.to_string())?)))
}
