//! Files that cannot be written: one message, and nothing half-written.
#![cfg(target_os = "linux")]

use crate::common::Folder;
use crate::kit::kit;

/// Every option that names a file to write, after a command that would.
fn writers() -> Vec<(Vec<&'static str>, &'static str)> {
    let simulate = ["simulate", "--domain", "ball(radius=1)", "-n", "5"];
    vec![
        ([&simulate[..], &["--output"]].concat(), "s.csv"),
        ([&simulate[..], &["--output", "other.csv", "--boundary-output"]].concat(), "b.csv"),
        (vec!["boundary", "--domain", "ball(radius=1)", "--output"], "b.csv"),
        (vec!["demo", "--plot"], "map.svg"),
    ]
}

fn with_file<'a>(call: &[&'a str], file: &'a str) -> Vec<&'a str> {
    [call, &[file]].concat()
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let folder = Folder::new();
    for (call, name) in writers() {
        for place in ["/proc", "no/such/folder"] {
            let path = format!("{place}/{name}");
            folder.run(&with_file(&call, &path)).expect_refusal(&[&format!("cannot create {path}")]);
        }
    }
    for call in [&["man", "--output", "/proc/man"][..], &["reproduce", "fig10", "--output", "/proc/paper"]] {
        let said = folder.run(call);
        assert!([1, 2].contains(&said.code) && said.stdout.is_empty(), "{call:?}: {}", said.stderr);
        assert!(
            said.stderr.starts_with("error: ") && said.stderr.contains(call[call.len() - 1]),
            "{}",
            said.stderr
        );
    }
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// The user's own folder, which he may not write to; the administrator may.
#[test]
fn a_read_only_folder_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let locked = folder.path("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(locked.join("probe"), "").is_ok() {
        return;
    }
    for (call, name) in writers() {
        folder
            .run(&with_file(&call, &format!("locked/{name}")))
            .expect_refusal(&["cannot create locked/", "ermission denied"]);
    }
    folder.run(&["man", "--output", "locked"]).expect_refusal(&["cannot create locked/"]);
    assert_eq!(folder.names(), ["locked"]);
}

#[test]
fn a_full_disk_is_told() {
    let folder = Folder::new();
    std::os::unix::fs::symlink("/dev/full", folder.path("full.svg")).unwrap();
    for (call, name) in writers() {
        let full = if name.ends_with("svg") { "full.svg" } else { "/dev/full" };
        let said = folder.run(&with_file(&call, full));
        assert_eq!(said.code, 1, "{call:?}: {}", said.stderr);
        assert_eq!(
            said.stderr,
            format!(
                "error: cannot write {full}: No space left on device (os error 28); nothing was changed; free some space\n"
            ),
            "{call:?}"
        );
        assert_eq!(said.stdout, "", "{call:?}");
    }
    assert_eq!(folder.names(), ["full.svg"]);
}

/// What was there before stays, whatever goes wrong later.
#[test]
fn files_are_replaced_whole_or_not_at_all() {
    let folder = Folder::new();
    folder.write("s.csv", "mine\n");
    let call = [
        "simulate",
        "--domain",
        "ball(radius=1)",
        "-n",
        "5",
        "--output",
        "s.csv",
        "--boundary-output",
        "/dev/full",
    ];
    assert_eq!(folder.run(&call).code, 1);
    assert_eq!(std::fs::read_to_string(folder.path("s.csv")).unwrap(), "mine\n");
    assert_eq!(folder.names(), ["s.csv"]);
}

/// No output replaces what the command reads, by whatever path, and no two outputs are one.
#[test]
fn an_output_is_no_input_and_no_other_output() {
    let folder = kit();
    folder
        .write("map.geojson", r#"{"type":"Polygon","coordinates":[[[-2,-2],[2,-2],[2,2],[-2,2],[-2,-2]]]}"#);
    std::os::unix::fs::symlink("points.csv", folder.path("link.csv")).unwrap();
    std::fs::hard_link(folder.path("points.csv"), folder.path("hard.csv")).unwrap();
    std::fs::copy(folder.path("points.csv"), folder.path("page.html")).unwrap();
    let before = folder.names().into_iter().map(|name| (std::fs::read(folder.path(&name)).unwrap(), name));
    let before: Vec<(Vec<u8>, String)> = before.collect();
    let replaced: [(&[&str], &str, &str); 6] = [
        (&["boundary", "map.geojson", "--output", "map.geojson"], "--output", "MAPFILE"),
        (&["boundary", "map.geojson", "--output", "./map.geojson"], "--output", "MAPFILE"),
        (
            &["boundary", "--domain", "ball(radius=1)", "--near", "points.csv", "--output", "link.csv"],
            "--output",
            "--near",
        ),
        (
            &["boundary", "--domain", "ball(radius=1)", "--near", "points.csv", "--output", "hard.csv"],
            "--output",
            "--near",
        ),
        (
            &["simulate", "--domain", "polygon(map.geojson)", "-n", "5", "--output", "map.geojson"],
            "--output",
            "--domain",
        ),
        (&["fit", "page.html", "--boundary", "border.csv", "--report", "page.html"], "--report", "DATA"),
    ];
    for (call, output, input) in replaced {
        let said = folder.run(call);
        said.expect_refusal(&[&format!("{output} would replace"), &format!("which {input} reads")]);
    }
    let two = ["simulate", "--domain", "ball(radius=1)", "-n", "5", "--output", "new.csv"];
    folder
        .run(&[&two[..], &["--boundary-output", "./new.csv"]].concat())
        .expect_refusal(&["name the same file, ./new.csv"]);
    folder
        .run(&["fit", "points.csv", "--method", "mle", "--report", "a.html", "--plot", "a.html"])
        .expect_refusal(&["--report and --plot name the same file"]);
    for (bytes, name) in &before {
        assert_eq!(std::fs::read(folder.path(name)).unwrap(), *bytes, "{name}");
    }
    assert_eq!(folder.names().len(), before.len(), "{:?}", folder.names());
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new();
    let simulate = ["simulate", "--domain", "ball(radius=1)", "-n", "5", "--output"];
    let printed = folder.run(&[&simulate[..], &["-"]].concat());
    assert_eq!(folder.run(&[&simulate[..], &["points.csv"]].concat()).code, 0);
    assert_eq!(printed.stdout, std::fs::read_to_string(folder.path("points.csv")).unwrap());
    assert!(printed.stderr.starts_with("note: 5 points in 2 dimensions"), "{}", printed.stderr);
    let boundary = ["boundary", "--domain", "ball(radius=1)", "--boundary-points", "5"];
    let dashed = folder.run(&[&boundary[..], &["--output", "-"]].concat());
    assert_eq!((dashed.code, &dashed.stdout), (0, &folder.run(&boundary).stdout));
    for call in [&simulate[..], &[&boundary[..], &["--output"]].concat()] {
        let call = [call, &["-", "--format", "json"]].concat();
        folder.run(&call).expect_refusal(&["--output - and --format json both print on standard output"]);
    }
    folder
        .run(&[&simulate[..], &["a.csv", "--boundary-output", "-"]].concat())
        .expect_refusal(&["--boundary-output - is not possible"]);
    assert_eq!(folder.names(), ["points.csv"]);
}
