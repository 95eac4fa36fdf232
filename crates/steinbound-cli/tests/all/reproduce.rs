//! The paper's experiments: what is written, what is resumed, what is refused.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::Folder;

/// Every file of a folder that the same seed must give again: not the times, nor the journal that has them,
/// nor pictures of them. (The page of figures without times is among them.)
fn lasting(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let is_lasting = |name: &str| !(name.contains("_time.") || name == "journal.txt");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    };
    entries.map(read).filter(|(name, _)| is_lasting(name)).collect()
}

#[test]
fn figures_are_listed() {
    let folder = Folder::new();
    let said = folder.run(&["reproduce", "list"]);
    assert_eq!((said.code, said.stdout.lines().count()), (0, 12), "{}", said.stderr);
    assert!(
        said.stdout.contains("fig2        error and runtime as the dimension grows (256 trials)"),
        "{}",
        said.stdout
    );
    let list = folder.json(&["reproduce", "list"]);
    assert_eq!(list["figures"][9]["name"], "fig10");
    assert!(folder.names().is_empty());
}

#[test]
fn one_folder_has_tables_pictures_and_a_page() {
    let folder = Folder::new();
    let asked = ["reproduce", "fig9", "fig8", "fig4", "--trials", "4", "--output", "out"];
    let report = folder.json(&asked);
    assert_eq!(report["failed"], 0);
    let mut files: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    files.push("journal.txt");
    files.sort_unstable();
    let mut found: Vec<String> = std::fs::read_dir(folder.path("out"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(files, found);
    for name in ["fig4", "fig8", "fig9"] {
        let png = std::fs::read(folder.path(&format!("out/{name}.png"))).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5000, "{name}");
    }
    // 4 trials of two methods with three placements, and of three methods that know the circle.
    let table = std::fs::read_to_string(folder.path("out/fig9.csv")).unwrap();
    assert_eq!(table.lines().count(), 1 + 4 * (2 * 3 + 3));
    assert!(table.starts_with("boundary,trial,method,error\ntowards,0,tksd,0."), "{table}");
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("out/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["schema"], "steinbound.reproduction/1");
    assert_eq!(summary["comparison"].as_array().unwrap().len(), 3);
    // Four trials tell nothing about agreement.
    assert_eq!(report["agreement"]["judged"], 0);
    let page = std::fs::read_to_string(folder.path("out/index.html")).unwrap();
    assert_eq!(page.matches("<figure>").count(), 3);
    // Nothing is fetched: the only addresses are the name of the SVG format.
    let addresses = page.matches("://").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    assert!(!page.contains("{{") && !page.contains("NaN"), "the page is filled in");
    let mut ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert!(count >= 6 && ids.len() == count, "{ids:?}");
}

#[test]
fn tables_do_not_depend_on_threads() {
    let folder = Folder::new();
    for threads in ["1", "3"] {
        let asked = [
            "reproduce",
            "fig9",
            "fig10",
            "--trials",
            "3",
            "--seed",
            "5",
            "--threads",
            threads,
            "--output",
            threads,
        ];
        assert_eq!(folder.run(&asked).code, 0);
    }
    let (one, three) = (lasting(&folder.path("1")), lasting(&folder.path("3")));
    assert!(one.len() >= 7, "{:?}", one.keys());
    assert_eq!(one, three);
}

/// Killed three times, at whatever moment, and resumed.
#[test]
fn a_killed_run_goes_on_where_it_was() {
    let folder = Folder::new();
    let begin = |output: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("steinbound"));
        command.args(["reproduce", "fig5", "statistics", "--trials", "3", "--resume", "--output", output]);
        command.current_dir(folder.path("")).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    assert!(begin("whole").wait().unwrap().success());
    let journal = folder.path("killed/journal.txt");
    let read = || std::fs::read_to_string(&journal).unwrap_or_default();
    for further in [1, 37, 100] {
        let before = read();
        let mut child = begin("killed");
        // A kill lands wherever the run is once it has come so much further.
        let is_enough = || read().lines().count() >= before.lines().count() + further;
        while !is_enough() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was over before it was killed");
        // Finished trials stay.
        let whole = before.rfind('\n').map_or(0, |end| end + 1);
        assert!(read().starts_with(&before[..whole]));
        assert!(!folder.path("killed/index.html").exists());
    }
    assert!(begin("killed").wait().unwrap().success());
    assert_eq!(lasting(&folder.path("whole")), lasting(&folder.path("killed")));
    // Once more: all is there, and stays.
    assert!(begin("killed").wait().unwrap().success());
    assert_eq!(lasting(&folder.path("whole")), lasting(&folder.path("killed")));
}

#[test]
fn what_cannot_be_run_is_refused_and_touches_nothing() {
    let folder = Folder::new();
    let refuse = |arguments: &[&str], parts: &[&str]| {
        folder.run(&[&["reproduce"], arguments].concat()).expect_refusal(parts)
    };
    refuse(&["fig11"], &["there is no figure \"fig11\"", "fig10, statistics, weights"]);
    refuse(&["fig1\n\u{1b}[31m"], &["\\n\\u{1b}[31m"]);
    refuse(&["list", "fig1"], &["`list` stands alone"]);
    refuse(&["fig4", "--trials", "1"], &["trials is 1", "from 2 to 10000"]);
    refuse(&["fig4", "--trials", "-3"], &["-3"]);
    refuse(&["fig4", "--trials", "18446744073709551615"], &["trials is 18446744073709551615", "to 10000"]);
    refuse(&[], &["FIGURE"]);
    assert!(folder.names().is_empty());
    folder.write("a-file", "precious");
    refuse(&["fig4", "--output", "a-file"], &["a-file is not a folder"]);
    refuse(&["fig4", "--output", "a-file/below"], &["cannot use a-file/below"]);
    #[cfg(target_os = "linux")]
    refuse(&["fig4", "--output", "/proc/steinbound"], &["cannot use /proc/steinbound", "permissions"]);
    std::fs::create_dir(folder.path("thesis")).unwrap();
    folder.write("thesis/fig4.csv", "precious");
    refuse(&["fig4", "--output", "thesis"], &["thesis is not empty", "--resume"]);
    refuse(&["fig4", "--output", "thesis", "--resume"], &["no journal", "another --output"]);
    folder.write("thesis/journal.txt", "my diary");
    refuse(&["fig4", "--output", "thesis", "--resume"], &["no journal"]);
    assert_eq!(std::fs::read_to_string(folder.path("thesis/journal.txt")).unwrap(), "my diary");
    assert_eq!(std::fs::read_to_string(folder.path("thesis/fig4.csv")).unwrap(), "precious");
    assert_eq!(std::fs::read_to_string(folder.path("a-file")).unwrap(), "precious");
}

#[test]
fn other_settings_are_not_resumed() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| folder.run(&[&["reproduce"], arguments, &["--output", "out"]].concat());
    assert_eq!(run(&["fig9", "--trials", "3"]).code, 0);
    let before = (lasting(&folder.path("out")), std::fs::read(folder.path("out/journal.txt")).unwrap());
    run(&["fig9", "--trials", "3"]).expect_refusal(&["out is not empty"]);
    for other in [
        &["fig9", "--trials", "4"][..],
        &["fig9"],
        &["fig9", "fig4", "--trials", "3"],
        &["fig9", "--trials", "3", "--seed", "1"],
    ] {
        run(&[other, &["--resume"]].concat())
            .expect_refusal(&["was begun with fig9, --trials 3, --seed 0", "repeat these settings"]);
    }
    let journal = String::from_utf8(before.1.clone()).unwrap();
    let damaged = journal.replacen("fig9 1 0", "fig9 9 0", 1);
    assert_ne!(damaged, journal);
    std::fs::write(folder.path("out/journal.txt"), &damaged).unwrap();
    run(&["fig9", "--trials", "3", "--resume"])
        .expect_refusal(&["out/journal.txt, line", "not a trial of these figures"]);
    std::fs::write(folder.path("out/journal.txt"), &journal).unwrap();
    assert_eq!(
        (lasting(&folder.path("out")), std::fs::read(folder.path("out/journal.txt")).unwrap()),
        before
    );
}

/// A file that may not grow stands for a disk that is full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_what_is_done() {
    let folder = Folder::new();
    let asked = "reproduce fig9 --trials 40 --output out --resume";
    let limited = |kilobytes: usize| {
        let binary = assert_cmd::cargo::cargo_bin("steinbound");
        let script = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec {} {asked}", binary.display());
        Command::new("bash").args(["-c", &script]).current_dir(folder.path("")).output().unwrap()
    };
    let output = limited(4);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("journal.txt") && message.contains("go on with --resume"), "{message}");
    assert_eq!(std::fs::metadata(folder.path("out/journal.txt")).unwrap().len(), 4096);
    // The journal fits now; pictures do not.
    let output = limited(20);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("go on with --resume"), "{message}");
    let names: Vec<_> =
        std::fs::read_dir(folder.path("out")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["journal.txt"]);
    assert_eq!(folder.run(&asked.split(' ').collect::<Vec<_>>()).code, 0);
    let whole = folder.run(&["reproduce", "fig9", "--trials", "40", "--output", "whole"]);
    assert_eq!(whole.code, 0);
    assert_eq!(lasting(&folder.path("whole")), lasting(&folder.path("out")));
}
