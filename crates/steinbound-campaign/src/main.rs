//! Runs a campaign, or one of its runs again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use steinbound_campaign::campaign::{Campaign, Settings};
use steinbound_campaign::generate::Lineage;
use steinbound_campaign::run::Limits;

/// Try the steinbound command with random commands on random files.
#[derive(Debug, Parser)]
#[command(name = "steinbound-campaign")]
struct Arguments {
    /// How many runs.
    #[arg(long, default_value_t = 2000)]
    runs: u64,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The program.
    #[arg(long, default_value = "target/release/steinbound")]
    program: PathBuf,
    /// The folder for the journal, the findings and the summary.
    #[arg(long, default_value = "target/campaign")]
    folder: PathBuf,
    /// Go on with the campaign in the folder.
    #[arg(long)]
    resume: bool,
    /// Make the first run of each finding as small as it goes.
    #[arg(long)]
    minimise: bool,
    /// Show one run again, such as 12 or 12.407, and keep its files.
    #[arg(long, value_name = "RUN")]
    replay: Option<Lineage>,
    /// How many runs at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(count) => {
            eprintln!("{count} findings");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The number of findings.
fn run(arguments: &Arguments) -> Result<usize, String> {
    let program = std::fs::canonicalize(&arguments.program)
        .map_err(|error| format!("{}: {error}; build it first", arguments.program.display()))?;
    let limits = Limits::default();
    let settings =
        Settings { program, seed: arguments.seed, runs: arguments.runs, jobs: arguments.jobs, limits };
    let mut campaign = Campaign::new(settings)?;
    // In memory, where the system has such a folder: the program waits for the disk after every file it writes.
    let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    let scratch = scratch.map_err(|error| error.to_string())?;
    if let Some(lineage) = &arguments.replay {
        return replay(&campaign, lineage, &arguments.folder, scratch.path());
    }
    campaign.go_in(&arguments.folder, arguments.resume, scratch.path())?;
    if arguments.minimise {
        campaign.minimise(&arguments.folder, scratch.path())?;
    }
    println!("{}", arguments.folder.join("summary.md").display());
    Ok(campaign.findings.len())
}

fn replay(campaign: &Campaign, lineage: &Lineage, folder: &Path, scratch: &Path) -> Result<usize, String> {
    let case = campaign.case(lineage);
    let place = folder.join(format!("replay-{lineage}"));
    campaign.keep(&case, &place).map_err(|error| error.to_string())?;
    println!("cd {}", place.display());
    println!("{}", case.shell("steinbound"));
    let (outcome, faults) =
        campaign.run(&case, &scratch.join("replay")).map_err(|error| error.to_string())?;
    println!("exit code {:?}, {:.2} s, {} MB", outcome.code, outcome.seconds, outcome.peak >> 20);
    for stream in [&outcome.stdout, &outcome.stderr] {
        println!(
            "{}",
            stream.escape_ascii().to_string().replace("\\n", "\n").chars().take(3000).collect::<String>()
        );
    }
    for fault in &faults {
        println!("{}\n{}", fault.signature(), fault.detail.escape_debug());
    }
    Ok(faults.len())
}
