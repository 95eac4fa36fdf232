//! The commands of the program and their options, read from its own help, so that a new option is tried
//! without a change here.

use std::path::Path;
use std::process::Command as Process;

/// An option or a positional argument of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parameter {
    /// As it is typed, with its dashes; of a positional argument the name in the help.
    pub name: String,
    /// What the help calls its value; none for a flag.
    pub placeholder: Option<String>,
    /// Whether the value may be left out.
    pub is_optional_value: bool,
    /// The heading above it.
    pub heading: String,
    /// The values that the help lists.
    pub possible: Vec<String>,
    /// Whether the command cannot do without it.
    pub is_required: bool,
}

impl Parameter {
    /// Whether it is written without a name.
    pub fn is_positional(&self) -> bool {
        !self.name.starts_with('-')
    }

    /// Whether its value is the name of a file or folder that the program writes.
    pub fn is_output(&self) -> bool {
        let names_file =
            self.placeholder.as_deref().is_some_and(|text| text.starts_with("FILE") || text == "DIR");
        self.heading == "Output" && names_file
    }
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// Its options and positional arguments, in the order of the help.
    pub parameters: Vec<Parameter>,
}

impl Command {
    /// The option or positional argument of a name.
    pub fn find(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Its options.
    pub fn options(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|parameter| !parameter.is_positional())
    }
}

/// All commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    /// In the order of the help.
    pub commands: Vec<Command>,
}

impl Catalogue {
    /// Reads the help of a program and of its commands.
    pub fn read(program: &Path) -> Result<Catalogue, String> {
        let overview = said(program, &["-h"])?;
        let names = command_names(&overview);
        if names.is_empty() {
            return Err(format!("{} lists no commands in its help", program.display()));
        }
        let commands: Result<Vec<Command>, String> = names
            .into_iter()
            .map(|name| {
                let text = said(program, &[&name, "-h"])?;
                Ok(Command { parameters: parameters(&text), name })
            })
            .collect();
        Ok(Catalogue { commands: commands? })
    }

    /// The command of a name.
    pub fn find(&self, name: &str) -> Option<&Command> {
        self.commands.iter().find(|command| command.name == name)
    }
}

fn said(program: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Process::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{} {} fails", program.display(), arguments.join(" ")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The names below the heading of commands; `help` repeats what others do.
fn command_names(overview: &str) -> Vec<String> {
    let below = overview.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = below.take_while(|line| !line.trim().is_empty());
    // Further lines of a description are indented more.
    let first = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = first.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

/// The options and positional arguments that a help text describes.
fn parameters(help: &str) -> Vec<Parameter> {
    let usage = help.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or_default();
    let mut heading = String::new();
    let mut entries: Vec<(String, String)> = Vec::new();
    for line in help.lines().skip_while(|line| !line.starts_with("Usage: ")).skip(1) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if indent == 0 {
            if let Some(title) = line.strip_suffix(':') {
                heading = title.to_string();
            }
        } else if indent <= 6 && text.starts_with(['-', '<', '[']) {
            entries.push((heading.clone(), text.to_string()));
        } else if let Some((_, entry)) = entries.last_mut() {
            entry.push(' ');
            entry.push_str(text);
        }
    }
    entries.iter().map(|(heading, entry)| parameter(heading, entry, usage)).collect()
}

/// One entry of a help text.
fn parameter(heading: &str, entry: &str, usage: &str) -> Parameter {
    let mut left = entry;
    let mut found = Parameter { heading: heading.into(), ..Parameter::default() };
    while left.starts_with('-') {
        let end = left.find([' ', ',', '[', '=']).unwrap_or(left.len());
        // The long name is the last.
        found.name = left[..end].to_string();
        left = left[end..].strip_prefix(", ").unwrap_or(&left[end..]);
    }
    if left.starts_with("[=") {
        found.is_optional_value = true;
        left = &left[2..];
    }
    let value = left.strip_prefix(' ').unwrap_or(left);
    if value.starts_with(['<', '[']) && !value.starts_with("[default") {
        let end = value.find(['>', ']']).unwrap_or(value.len() - 1);
        found.placeholder = Some(value[1..end].to_string());
    }
    if found.name.is_empty() {
        found.name = found.placeholder.clone().unwrap_or_default();
        found.is_required = value.starts_with('<');
    } else {
        let typed = format!("{} <", found.name);
        found.is_required = usage.contains(&typed);
    }
    if let Some((_, list)) = entry.split_once("[possible values: ") {
        let list = list.split(']').next().unwrap_or_default();
        found.possible = list.split(", ").map(str::to_string).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "Fit\n\nUsage: steinbound fit [OPTIONS] --at <P1,P2,..> <DATA>\n\nData:\n  <DATA>                The data: separated values,\n                        or points\n      --at <P1,P2,..>   The parameters\n      --drop-missing    Leave out rows\n\nModel:\n  -n <N>                How many\n      --censored[=<SIDE>]  Which\n      --kernel <KERNEL>  The kernel [default: a] [possible values: a,\n                        b]\n  -h, --help            Print help\n";

    #[test]
    fn help_tells_all_of_a_parameter() {
        let found = parameters(HELP);
        let names: Vec<&str> = found.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["DATA", "--at", "--drop-missing", "-n", "--censored", "--kernel", "--help"]);
        let required: Vec<bool> = found.iter().map(|parameter| parameter.is_required).collect();
        assert_eq!(required, [true, true, false, false, false, false, false]);
        assert_eq!((found[2].placeholder.clone(), found[3].placeholder.as_deref()), (None, Some("N")));
        assert!(found[4].is_optional_value && found[4].placeholder.as_deref() == Some("SIDE"));
        assert_eq!((found[5].possible.join(" "), found[5].heading.as_str()), ("a b".into(), "Model"));
    }
}
