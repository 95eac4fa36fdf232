//! How messages name options: each face has its own way to write them.

/// The face that a message is written for.
///
/// ```
/// use steinbound_request::Wording;
/// assert_eq!(Wording::CommandLine.option("allow-outside"), "--allow-outside");
/// assert_eq!(Wording::Python.option("allow-outside"), "allow_outside");
/// assert_eq!(Wording::CommandLine.with_value("method", "mle"), "--method mle");
/// assert_eq!(Wording::Python.with_value("method", "mle"), "method='mle'");
/// assert_eq!(Wording::R.flag("allow-outside"), "allow_outside = TRUE");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wording {
    /// The command `steinbound`.
    #[default]
    CommandLine,
    /// The Python package.
    Python,
    /// The R package.
    R,
}

impl Wording {
    /// The option by its name.
    pub fn option(self, name: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name}"),
            Wording::Python | Wording::R => argument(name),
        }
    }

    /// The option with a value that is a name.
    pub fn with_value(self, name: &str, value: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name} {value}"),
            Wording::Python => format!("{}='{value}'", argument(name)),
            Wording::R => format!("{} = \"{value}\"", argument(name)),
        }
    }

    /// The option with a value that stands for what the user would give, such as `--lower V`.
    pub fn with_placeholder(self, name: &str, placeholder: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name} {placeholder}"),
            Wording::Python => format!("{}={placeholder}", argument(name)),
            Wording::R => format!("{} = {placeholder}", argument(name)),
        }
    }

    /// The option switched on.
    pub fn flag(self, name: &str) -> String {
        match self {
            Wording::CommandLine => format!("--{name}"),
            Wording::Python => format!("{}=True", argument(name)),
            Wording::R => format!("{} = TRUE", argument(name)),
        }
    }

    /// Whether the face is the command line.
    pub(crate) fn is_command_line(self) -> bool {
        self == Wording::CommandLine
    }
}

/// The name of an argument of a function.
fn argument(name: &str) -> String {
    name.replace('-', "_")
}
