use std::path::PathBuf;

use clap::{Args, CommandFactory, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use steinbound_io::remedy;
use steinbound_io::table::shown_path;
use steinbound_io::write::Pending;

use crate::Cli;
use crate::failure::{Failure, Verdict};
use crate::output::Output;

/// Print the manual, or write it as one page for each command.
///
/// Without --output the main page goes to standard output. With it, steinbound.1, steinbound-fit.1 and so on
/// are written into a folder, which is made where it does not exist; all of them or none.
#[derive(Debug, Args)]
#[command(after_help = "See 'steinbound help man' for more, with examples.")]
#[command(after_long_help = "Examples:
  steinbound man > steinbound.1
  steinbound man --output man1          # then: man man1/steinbound-fit.1
  steinbound man --output share/man/man1
  steinbound man | head -n 20")]
pub struct Manual {
    /// The folder for the pages.
    #[arg(long, value_name = "DIR", help_heading = "Output", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}

/// A page of the manual by the name of its file.
struct Page {
    name: String,
    text: Vec<u8>,
}

impl Page {
    fn new(command: clap::Command) -> Result<Page, Failure> {
        let examples = examples(&command);
        let has_commands = command.get_subcommands().next().is_some();
        let man = Man::new(command).manual("steinbound");
        let mut text = Vec::new();
        man.render_title(&mut text)?;
        // Ragged lines without hyphens: commands are copied from here.
        Roff::new().control("ad", ["l"]).control("nh", []).to_writer(&mut text)?;
        man.render_name_section(&mut text)?;
        man.render_synopsis_section(&mut text)?;
        man.render_description_section(&mut text)?;
        man.render_options_section(&mut text)?;
        if has_commands {
            man.render_subcommands_section(&mut text)?;
        }
        examples.to_writer(&mut text)?;
        man.render_version_section(&mut text)?;
        Ok(Page { name: man.get_filename(), text })
    }
}

/// What follows the options: examples line by line, then notes.
fn examples(command: &clap::Command) -> Roff {
    let mut page = Roff::new();
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let text = text.strip_prefix("Examples:\n").unwrap_or(&text);
    let mut paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.is_empty());
    if let Some(lines) = paragraphs.next() {
        page.control("SH", ["EXAMPLES"]).control("nf", []);
        page.text(lines.lines().map(|line| roman(format!("{line}\n"))).collect::<Vec<_>>()).control("fi", []);
    }
    for (k, paragraph) in paragraphs.enumerate() {
        if k == 0 {
            page.control("SH", ["NOTES"]);
        } else {
            page.control("PP", []);
        }
        page.text([roman(paragraph)]);
    }
    page
}

impl Manual {
    pub fn run(self, output: &mut Output) -> Result<Verdict, Failure> {
        // Facts of this machine have no place in a page that is read elsewhere.
        let mut command = Cli::command().long_version(None::<&'static str>).disable_help_subcommand(true);
        command.build();
        let main = Page::new(command.clone())?;
        let Some(folder) = &self.output else {
            output.result().write_all(&main.text)?;
            return Ok(Verdict::Fine);
        };
        let mut pages = vec![main];
        for subcommand in command.get_subcommands() {
            pages.push(Page::new(subcommand.clone())?);
        }
        std::fs::create_dir_all(folder).map_err(|error| {
            let reason = error.to_string();
            let cannot = format!("cannot make the folder {}: {reason}; ", shown_path(folder));
            match remedy(&reason) {
                Some(remedy) => Failure::Other(cannot + remedy),
                None => Failure::Input(cannot + "choose another with --output"),
            }
        })?;
        let fill = |page: &Page| Pending::fill(&folder.join(&page.name), |out| out.write_all(&page.text));
        let files: Vec<Pending> = pages.iter().map(fill).collect::<Result<_, _>>()?;
        for file in files {
            file.commit()?;
        }
        writeln!(output.result(), "{} pages in {}", pages.len(), shown_path(folder))?;
        Ok(Verdict::Fine)
    }
}
