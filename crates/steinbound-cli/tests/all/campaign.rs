//! Three hundred runs of the campaign, which `make campaign` makes in full.

use std::collections::BTreeSet;
use std::path::Path;

use steinbound_campaign::campaign::{Campaign, Settings};
use steinbound_campaign::generate::Lineage;
use steinbound_campaign::run::Limits;

fn campaign(runs: u64) -> Campaign {
    let program = Path::new(env!("CARGO_BIN_EXE_steinbound")).to_path_buf();
    Campaign::new(Settings { program, seed: 1, runs, jobs: 2, limits: Limits::default() }).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn random_commands_are_answered_or_refused() {
    let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let mut campaign = campaign(300);
    campaign.go(scratch.path(), |_, _| Ok(())).unwrap();
    let findings: Vec<String> = campaign
        .findings
        .iter()
        .map(|(signature, (lineage, fault))| {
            let command = campaign.case(lineage).shell("steinbound");
            format!("{signature}\nrun {lineage}: {command}\n{}", fault.detail)
        })
        .collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
    let ends: BTreeSet<&str> = campaign.entries().iter().map(|entry| entry.end.as_str()).collect();
    assert!(ends.contains("0") && ends.contains("2") && ends.contains("3"), "{ends:?}");
}

#[test]
fn every_option_of_every_command_is_tried() {
    let campaign = campaign(0);
    let mut left: BTreeSet<(String, String)> = BTreeSet::new();
    for command in &campaign.catalogue().commands {
        left.extend(command.options().map(|option| (command.name.clone(), option.name.clone())));
    }
    assert!(left.len() > 300, "{left:?}");
    for number in 0..60_000 {
        let case = campaign.case(&Lineage::of(number));
        for argument in &case.arguments {
            left.remove(&(case.command.clone(), argument.name.clone()));
        }
        if left.is_empty() {
            return;
        }
    }
    panic!("these are never tried: {left:?}");
}
