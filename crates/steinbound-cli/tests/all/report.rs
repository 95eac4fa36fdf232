//! Reports and plots of every command that has them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::book::comparable;
use crate::common::{Folder, disc};

const SCORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../steinbound-io/data/student_scores.csv");
const DISC: [&str; 4] = ["--domain", "ball(radius=1.4)", "--known-covariance", "1"];

/// Every command that has a report, and words that its report must show.
fn commands() -> Vec<(Vec<&'static str>, Vec<&'static str>)> {
    let with = |first: &[&'static str], rest: &[&'static str]| [first, &DISC, rest].concat();
    vec![
        (
            with(
                &["fit", "data.csv", "--method", "tksd"],
                &["--derive", "ratio = mean[x1] / mean[x2]", "--hypothesis", "mean[x1] = 0"],
            ),
            vec![
                "mean[x2]",
                "Wald test of",
                "ratio",
                "l2 ball of radius 1.4",
                "Where they disagree",
                "id=\"coverage\"",
                "id=\"sensitivity\"",
                "id=\"section-diagnostics\"",
            ],
        ),
        (
            with(&["test", "data.csv", "--bootstrap", "99"], &[]),
            vec!["p-value", "id=\"test\"", "drawn under the model"],
        ),
        (
            with(&["discrepancy", "data.csv", "--at", "0,0"], &[]),
            vec!["squared discrepancy", "id=\"density\""],
        ),
        (with(&["witness", "data.csv", "--grid", "5"], &[]), vec!["id=\"witness\"", "(fitted)"]),
        (with(&["compare", "data.csv", "--method", "tksd,mle"], &[]), vec!["id=\"comparison\"", "[2]"]),
        (
            vec!["regress", SCORES, "--formula", "achiv ~ langscore + prog", "--lower", "40"],
            vec!["langscore", "responses above 40", "id=\"regression\"", "id=\"sensitivity\""],
        ),
        (vec!["demo"], vec!["truncated-mle", "contiguous United States", "<svg"]),
    ]
}

/// A page loads nothing: no scripts, no links but to itself, no addresses but the name of SVG's language.
fn assert_self_contained(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "<script", "@import", "url(http", "src=", "javascript:"] {
        assert!(!page.contains(word), "{word}");
    }
    let links = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let ids: Vec<&str> = page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "an id is there twice");
    for link in links {
        let target = link.strip_prefix('#');
        assert!(link == "data:," || target.is_some_and(|target| ids.contains(&target)), "{link}");
    }
}

#[test]
fn every_fitting_command_writes_a_report_and_a_plot() {
    let folder = disc(200, 32, 1);
    for (command, words) in commands() {
        let name = command[0];
        let (page, plot) = (format!("{name}.html"), format!("{name}.svg"));
        let plain = folder.run(&command);
        let said = folder.run(&[&command[..], &["--report", &page, "--plot", &plot]].concat());
        assert_eq!(said.code, plain.code, "{name}: {}", said.stderr);
        if name != "demo" {
            assert_eq!(
                comparable(&said.stdout),
                comparable(&plain.stdout),
                "{name}: pictures change no result"
            );
        }
        let text = std::fs::read_to_string(folder.path(&page)).unwrap();
        assert_self_contained(&text);
        for word in words {
            assert!(text.contains(word), "{name}: {word}");
        }
        let typed = format!("steinbound {name} ");
        assert!(text.contains(&typed) && text.contains(&format!("--report {page}")), "{name}: the command");
        assert!(text.contains("williams2023approximate"), "{name}: the citation");
        let drawn = std::fs::read_to_string(folder.path(&plot)).unwrap();
        assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"), "{name}");
    }
    let said = folder.run(&[&["fit", "data.csv"], &DISC[..], &["--plot", "map.PNG"]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(std::fs::read(folder.path("map.PNG")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn densities_of_any_dimension_are_drawn() {
    let folder = Folder::new();
    for (dimension, domain, words) in [
        ("1", "interval(0, 2)", ["fitted density where data are seen", "histogram"]),
        ("2", "halfspace(normal=1:0, offset=-0.5)", ["boundary points", "estimated mean"]),
        ("3", "box(low=-1, high=2)", ["every pair of coordinates", "from draws"]),
        ("7", "box(low=-2, high=2)", ["The first 5 of 7 coordinates", "The first 6 of 7 parameters"]),
    ] {
        let made = folder.run(&[
            "simulate",
            "--dimension",
            dimension,
            "--domain",
            domain,
            "-n",
            "150",
            "--output",
            "p.csv",
        ]);
        assert_eq!(made.code, 0, "{}", made.stderr);
        let said = folder.run(&[
            "fit",
            "p.csv",
            "--method",
            "tksd",
            "--domain",
            domain,
            "--known-covariance",
            "1",
            "--report",
            "r.html",
        ]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
        assert_self_contained(&page);
        for word in words {
            assert!(page.contains(word), "{dimension}: {word}");
        }
    }
}

#[test]
fn hostile_names_do_no_harm() {
    let folder = Folder::new();
    let rows: String =
        (0..40).map(|k| format!("{},{}\n", (f64::from(k) * 0.7).sin(), (f64::from(k) * 1.1).cos())).collect();
    folder
        .write("<img src=x onerror=alert(1)>.csv", &format!("<script>alert(1)</script>,\"a\"\"&b\"\n{rows}"));
    let said = folder.run(&[
        "fit",
        "<img src=x onerror=alert(1)>.csv",
        "--domain",
        "ball(radius=2)",
        "--report",
        "r.html",
        "--plot",
        "p.svg",
    ]);
    assert!([0, 3].contains(&said.code), "{}", said.stderr);
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    assert!(!page.contains("<script") && !page.contains("<img"), "text stays text");
    assert!(!std::fs::read_to_string(folder.path("p.svg")).unwrap().contains("<script"));
}

#[test]
fn a_doubtful_fit_says_so_at_the_top() {
    let folder = Folder::new();
    // Data that pile up at both ends have no Gaussian behind them.
    let rows: String = (0..60)
        .map(|k| {
            format!("{}\n", if k % 2 == 0 { 0.01 * f64::from(k % 7) } else { 1.0 - 0.01 * f64::from(k % 5) })
        })
        .collect();
    folder.write("u.csv", &rows);
    let said = folder.run(&["fit", "u.csv", "--domain", "interval(-0.1, 1.1)", "--report", "r.html"]);
    assert_eq!(said.code, 3, "{}", said.stdout);
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    assert!(
        page.contains("verdict doubtful") && page.contains("must not be trusted") && page.contains("<li>")
    );
}

/// What is said on standard error is also on the page, and the verdict of a test stays at its top.
#[test]
fn remarks_are_on_the_page() {
    let folder = disc(100, 32, 1);
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    let sparse = ["--domain", "ball(radius=1.4)", "--boundary-points", "4", "--known-covariance", "1"];
    let said = folder.run(
        &[&["test", "data.csv", "--method", "tksd", "--at", "0.5,0.5", "--report", "t.html"], &sparse[..]]
            .concat(),
    );
    assert!(said.stderr.contains("too sparse for random signs"), "{}", said.stderr);
    let page = read("t.html");
    assert!(page.contains("At the level 0.05, the model is") && page.contains("too sparse for random signs"));
    let compare =
        ["compare", "data.csv", "--method", "tksd,mle", "--test", "--bootstrap", "99", "--report", "c.html"];
    let said = folder.run(&[&compare, &sparse[..]].concat());
    let page = read("c.html");
    for line in said.stderr.lines().filter(|line| line.starts_with("warning")) {
        let text: String = line.split_once(": ").unwrap().1.chars().skip(1).take(40).collect();
        assert!(page.contains(&text.replace('<', "&lt;")), "not on the page: {text}");
    }
    assert!(page.contains("verdict careful"));
    // Given parameters are not called fitted.
    folder.run(&[&["discrepancy", "data.csv", "--at", "0,0", "--report", "d.html"], &sparse[..]].concat());
    assert!(!read("d.html").contains("fitted density") && !read("d.html").contains("estimated mean"));
}

/// A settings warning reaches every reader: standard error, JSON and page.
#[test]
fn settings_that_matter_are_warned_of_everywhere() {
    let berlin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/berlin/");
    let (data, map) = (format!("{berlin}listings.csv"), format!("{berlin}prenzlauer_berg.geojson"));
    let folder = Folder::new();
    let fit =
        ["fit", &data, "--columns", "lon,lat", "--project", "--boundary", &map, "--boundary-points", "200"];
    let fit = [&fit[..], &["--method", "tksd"]].concat();
    let said = folder.run(&[&fit[..], &["--report", "r.html", "--format", "json"]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    let words = "the answer depends on settings: 8 of 17";
    assert!(said.stderr.contains(words), "{}", said.stderr);
    assert!(said.json()["warnings"][0].as_str().unwrap().starts_with(words));
    assert!(
        std::fs::read_to_string(folder.path("r.html"))
            .unwrap()
            .contains("The answer depends on settings: 8 of 17")
    );
    // Nobody asked for the numbers, so the JSON does not have them.
    assert!(said.json().get("sensitivity").is_none());
}

#[test]
fn files_that_cannot_be_written_are_refused_before_anything_is_computed() {
    let folder = disc(100, 32, 1);
    let fit = ["fit", "data.csv", "--domain", "ball(radius=1.4)"];
    let refuse = |more: &[&str], parts: &[&str]| folder.run(&[&fit[..], more].concat()).expect_refusal(parts);
    refuse(&["--report", "r.pdf"], &["--report", ".html"]);
    refuse(&["--report", "nowhere/r.html"], &["nowhere", "check the folder"]);
    refuse(&["--plot", "p.jpg"], &[".svg and .png"]);
    refuse(&["--plot", "nowhere/p.png"], &["nowhere", "check the folder"]);
    std::fs::create_dir(folder.path("r.html")).unwrap();
    refuse(&["--report", "r.html"], &["it is a folder"]);
    assert_eq!(folder.names(), ["data.csv", "edge.csv", "r.html"]);
    // A full device fails late, and is not the user's fault.
    #[cfg(unix)]
    if Path::new("/dev/full").exists() {
        std::os::unix::fs::symlink("/dev/full", folder.path("full.html")).unwrap();
        let said = folder.run(&[&fit[..], &["--report", "full.html"]].concat());
        assert_eq!(said.code, 1, "{}", said.stderr);
        assert!(said.stderr.contains("cannot write"), "{}", said.stderr);
        assert!(said.stdout.contains("mean[x1]"), "the answer is not lost: {}", said.stdout);
    }
}

#[test]
fn the_demo_leaves_a_report_and_goes_on_without_room_for_it() {
    let folder = Folder::new();
    let said = folder.run(&["demo"]);
    assert!(said.stdout.contains("The report is in steinbound-demo.html"), "{}", said.stdout);
    assert_self_contained(&std::fs::read_to_string(folder.path("steinbound-demo.html")).unwrap());
    assert_eq!(folder.json(&["demo"])["report"], "steinbound-demo.html");
    let crowded = Folder::new();
    std::fs::create_dir(crowded.path("steinbound-demo.html")).unwrap();
    let said = crowded.run(&["demo"]);
    assert_eq!(said.code, 0);
    assert!(
        said.stderr.contains("no report was left") && !said.stdout.contains("The report is in"),
        "{}",
        said.stderr
    );
}

/// A browser on this machine.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// Opens every report in a real browser, light and dark: nothing on the console, nothing asked of any
/// network. Screenshots go into `target/reports`.
#[test]
#[ignore = "needs Chromium; run by `make browser`"]
fn reports_open_in_a_browser() {
    let browser = browser().expect("Chromium on the path");
    let folder = disc(200, 32, 1);
    let shots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/reports");
    std::fs::create_dir_all(&shots).unwrap();
    for (command, _) in commands() {
        let name = command[0];
        let page = format!("{name}.html");
        folder.run(&[&command[..], &["--report", &page]].concat());
        for scheme in ["light", "dark"] {
            let shot = shots.join(format!("{name}-{scheme}.png"));
            let log = folder.path("net.json");
            let profile = tempfile::tempdir().unwrap();
            let output = Command::new(&browser)
                .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
                .args([
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-extensions",
                ])
                .args(["--enable-logging=stderr", "--window-size=1000,4000"])
                .arg(format!(
                    "--blink-settings=preferredColorScheme={}",
                    if scheme == "dark" { 0 } else { 1 }
                ))
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg(format!("--log-net-log={}", log.display()))
                .arg(format!("--screenshot={}", shot.display()))
                .arg(format!("file://{}", folder.path(&page).display()))
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("CONSOLE"), "{name}: {said}");
            let size = std::fs::metadata(&shot).unwrap().len();
            assert!(size > 20_000, "{name}: a blank page of {size} bytes");
            let net = std::fs::read_to_string(&log).unwrap();
            let asked: Vec<&str> = net
                .split("\"url\":\"")
                .skip(1)
                .map(|rest| rest.split('"').next().unwrap())
                // The browser's own errands, not the page's.
                .filter(|url| !url.contains("google") && !url.contains("gvt1"))
                .filter(|url| url.starts_with("http") || url.starts_with("ws"))
                .collect();
            assert!(asked.is_empty(), "{name}: {asked:?}");
        }
    }
}
