//! The files that a command line names: none is written over one that is read, and no two outputs are one.

use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::{Arc, atomic::AtomicBool};

use clap::{Arg, ArgMatches, Command, ValueHint};
use steinbound_io::table::shown_path;
use steinbound_io::{DomainSpec, write};

use crate::failure::Failure;

/// The heading of options whose files are written.
const OUTPUT: &str = "Output";

/// What stands for standard input or standard output in place of a file.
const STANDARD: &str = "-";

/// Whether a path stands for standard input or standard output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// The refusal where JSON and a table would both go to standard output.
pub fn two_results(option: &str) -> Failure {
    Failure::input(format!(
        "{option} - and --format json both print on standard output; give {option} a file, or leave --format json out"
    ))
}

/// Makes a limit on the size of files an error of the write that reaches it: by default the system ends the program
/// by a signal and leaves no word.
#[cfg(unix)]
pub fn survive_size_limit() {
    let is_reached = Arc::new(AtomicBool::new(false));
    // Where this fails, the limit ends the program as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, is_reached);
}

#[cfg(not(unix))]
pub fn survive_size_limit() {}

/// A file of the command line, and the option that names it.
struct Named {
    option: String,
    path: PathBuf,
}

/// Refuses a command line on which an output is also an input, or two outputs are one file.
///
/// Inputs and outputs are told from the descriptions of the options, so that new ones need nothing here.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let Some(command) = command.find_subcommand(name) else { return Ok(()) };
    let (mut outputs, mut inputs): (Vec<Named>, Vec<Named>) = (Vec::new(), Vec::new());
    for argument in command.get_arguments() {
        let is_output = argument.get_help_heading() == Some(OUTPUT);
        let list = if is_output { &mut outputs } else { &mut inputs };
        let named = |path: PathBuf| Named { option: shown_option(argument), path };
        list.extend(paths(argument, matches).map(named));
    }
    for (at, output) in outputs.iter().enumerate() {
        if let Some(input) = inputs.iter().find(|input| is_same(&input.path, &output.path)) {
            return Err(Failure::input(format!(
                "{} would replace {}, which {} reads; give the output another name",
                output.option,
                shown_path(&output.path),
                input.option
            )));
        }
        if let Some(other) = outputs[..at].iter().find(|other| is_same(&other.path, &output.path)) {
            return Err(Failure::input(format!(
                "{} and {} name the same file, {}; give each a name of its own",
                other.option,
                output.option,
                shown_path(&output.path)
            )));
        }
    }
    Ok(())
}

/// The files that an argument names: values that are paths, and the maps of a domain.
fn paths<'a>(argument: &'a Arg, matches: &'a ArgMatches) -> impl Iterator<Item = PathBuf> + 'a {
    let id = argument.get_id().as_str();
    let is_path = matches!(argument.get_value_hint(), ValueHint::FilePath | ValueHint::AnyPath);
    let typed = is_path.then(|| matches.get_raw(id)).flatten().into_iter().flatten();
    let typed = typed.map(PathBuf::from).filter(|path| !is_standard(path));
    let domain = matches.try_get_one::<DomainSpec>(id).ok().flatten();
    let maps = domain.into_iter().flat_map(DomainSpec::maps).map(|map| PathBuf::from(&map.path));
    typed.chain(maps)
}

fn shown_option(argument: &Arg) -> String {
    match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().to_string(),
    }
}

/// Whether two paths lead to one file. Devices may be named twice.
fn is_same(one: &Path, other: &Path) -> bool {
    let metadata = [one, other].map(|path| std::fs::metadata(path).ok());
    if metadata.iter().flatten().any(|data| !data.is_file()) {
        return false;
    }
    #[cfg(unix)]
    if let [Some(one), Some(other)] = &metadata {
        use std::os::unix::fs::MetadataExt;
        return (one.dev(), one.ino()) == (other.dev(), other.ino());
    }
    write::destination(one) == write::destination(other)
}
