//! One matrix of exit codes for all commands: what one of them cannot trust, no other calls sound.

use crate::common::{Folder, disc};

const KNOWN: [&str; 2] = ["--known-covariance", "1"];

/// The commands, each with what it needs besides data, region and model, and whether it estimates.
const COMMANDS: [(&str, &[&str], bool); 6] = [
    ("fit", &[], true),
    ("test", &["--bootstrap", "50"], true),
    ("witness", &[], true),
    ("compare", &[], true),
    ("discrepancy", &["--at", "0.5,0.5"], false),
    ("witness", &["--at", "0.5,0.5"], false),
];

fn code(folder: &Folder, command: &str, own: &[&str], region: &[&str], format: &str) -> i32 {
    let arguments = [&[command, "data.csv"], own, region, &KNOWN, &["--format", format]].concat();
    let said = folder.run(&arguments);
    // Whoever reads the exit code alone knows as much as whoever reads the warnings; of several fits one may be sound.
    let is_warned = said.stderr.contains("do not use");
    assert!(is_warned || said.code == 0, "{arguments:?}: {}", said.stderr);
    assert!(said.code == 3 || !is_warned || command == "compare", "{arguments:?}: {}", said.stderr);
    said.code
}

/// The same data with the region that truncated them, one twice as wide, points on one twice as wide, and a ridge
/// with which the boundary does not count.
#[test]
fn every_command_has_the_verdict_of_a_fit() {
    let folder = disc(400, 200, 1);
    let circle = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / 200.0;
        format!("{},{}\n", 3.0 * angle.cos(), 3.0 * angle.sin())
    };
    folder.write("wide.csv", &(0..200).map(circle).collect::<String>());
    let regions: [(&[&str], bool); 5] = [
        (&["--boundary", "edge.csv"], true),
        (&["--boundary", "edge.csv", "--method", "tksd"], true),
        (&["--domain", "ball(radius=3)"], false),
        (&["--boundary", "wide.csv"], false),
        (&["--boundary", "edge.csv", "--method", "tksd", "--ridge", "1e4"], false),
    ];
    for (region, is_sound) in regions {
        for (command, own, estimates) in COMMANDS {
            // The statistic of a comparison is that of its methods.
            let own: Vec<&str> = match (command, region.contains(&"--method")) {
                ("compare", true) => ["--method", "tksd"].to_vec(),
                _ => own.to_vec(),
            };
            let region: Vec<&str> = match command {
                "compare" => {
                    region.iter().filter(|word| !["--method", "tksd"].contains(word)).copied().collect()
                }
                _ => region.to_vec(),
            };
            let expected = if is_sound || !estimates { 0 } else { 3 };
            for format in ["table", "json"] {
                assert_eq!(
                    code(&folder, command, &own, &region, format),
                    expected,
                    "{command} {own:?} {region:?}"
                );
            }
        }
    }
}

/// Outputs that cannot be made are errors of the command, wherever they are asked for.
#[test]
fn an_output_that_cannot_be_made_is_refused_by_every_command() {
    let folder = disc(100, 40, 1);
    let region = ["--boundary", "edge.csv"];
    for (command, own, _) in COMMANDS {
        for output in ["--report", "--plot"] {
            if [command, output] == ["compare", "--plot"] {
                continue;
            }
            let file = if output == "--plot" { "missing/plot.svg" } else { "missing/report.html" };
            let arguments = [&[command, "data.csv"], own, &region, &KNOWN, &[output, file]].concat();
            let said = folder.run(&arguments);
            assert!([1, 2].contains(&said.code), "{arguments:?}: {} {}", said.code, said.stderr);
            assert_eq!(said.stderr.matches("error: ").count(), 1, "{arguments:?}: {}", said.stderr);
        }
    }
    for command in ["fit", "test", "witness", "compare", "discrepancy"] {
        folder.run(&[command, "nothing.csv", "--at", "0,0"]).expect_refusal(&["error"]);
    }
}
