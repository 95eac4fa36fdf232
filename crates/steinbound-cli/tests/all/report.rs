//! Reports and plots of every command that has them.

use std::collections::HashSet;
use std::path::Path;

use crate::book::comparable;
use crate::browser::Browser;
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
    assert!(page.contains("Content-Security-Policy\" content=\"default-src 'none';"));
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
            "--sensitivity",
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
    folder.write(
        "<img src=x onerror=alert(1)>.csv",
        &format!("<script>alert(1)</script>,\"a\"\"&b\u{202e}\u{2066}\u{200b}\"\n{rows}"),
    );
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
    let plot = std::fs::read_to_string(folder.path("p.svg")).unwrap();
    assert!(!plot.contains("<script"));
    // What would turn or hide text is spelt out on the page, in the picture and on the terminal.
    let hidden = ['\u{202e}', '\u{2066}', '\u{200b}'];
    for text in [&page, &plot, &said.stdout, &said.stderr] {
        assert!(!text.contains(hidden), "{text}");
    }
    for text in [&page, &plot, &said.stdout] {
        assert!(text.contains(r"b\u202e\u2066\u200b"), "{text}");
    }
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

/// A page says what was asked and tried: censoring, given parameters, numbers of components.
#[test]
fn what_was_asked_is_on_the_page() {
    let folder = disc(100, 32, 1);
    let page = |command: &[&str]| {
        let said = folder.run(&[command, &["--report", "r.html", "--quiet"]].concat());
        assert!([0, 3].contains(&said.code), "{}", said.stderr);
        std::fs::read_to_string(folder.path("r.html")).unwrap()
    };
    let rows: String = (0..80)
        .map(|k| (f64::from(k), 0.1 * f64::from(k) + (f64::from(k) * 0.7).sin()))
        .map(|(x, y)| format!("{},{x},v{}\n", y.max(2.0), x as usize / 8))
        .collect();
    folder.write("pay.csv", &format!("pay,years,village\n{rows}"));
    let censored = rows.lines().filter(|line| line.starts_with("2,")).count();
    let regress = ["regress", "pay.csv", "--formula", "pay ~ years", "--lower", "2", "--censored"];
    let text = page(&[&regress[..], &["--cluster", "village", "--cov", "cluster"]].concat());
    assert!(text.contains("<td>responses below 2: only that is known of them</td>"), "{text}");
    assert!(text.contains(&format!("<td>{censored} of 80</td>")), "{text}");
    assert!(text.contains("% (cluster v"), "a cluster has its label: {text}");
    let text = page(&[&["test", "data.csv", "--at", "0.25,0.5", "--bootstrap", "99"], &DISC[..]].concat());
    let given = text.split("Given parameters</h2>").nth(1).unwrap();
    assert!(given.contains("<th scope=\"row\">mean[x1]</th><td class=\"number\">0.25</td>"), "{given}");
    let mixture = ["--model", "gaussian-mixture", "--components", "1..2"];
    let text = page(&[&["fit", "data.csv"], &DISC[..], &mixture].concat());
    let tried = text.split("Models tried</h2>").nth(1).unwrap();
    assert!(tried.contains("gaussian-mixture 1") && tried.contains("gaussian-mixture 2"), "{tried}");
}

/// Fits that no check warns of may still ignore the truncation.
#[test]
fn a_comparison_names_fits_that_ignore_the_truncation() {
    let folder = disc(200, 32, 1);
    let compare = ["compare", "data.csv", "--method", "tksd,mle", "--report", "r.html", "--plot", "p.svg"];
    let said = folder.run(&[&compare[..], &DISC].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    let words = "verdict careful\">No check of 2 fits raised a warning. [2] ignores the truncation.";
    assert!(page.contains(words), "{page}");
    let plot = std::fs::read_to_string(folder.path("p.svg")).unwrap();
    assert!(plot.contains("[2] mle, gaussian"), "a picture of its own has a key");
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

/// What the pages of every command, and of the other kinds of models and data, are made from.
fn pages(folder: &Folder) -> Vec<(&'static str, Vec<&'static str>)> {
    let simulate = |rest: &[&str]| {
        let said = folder.run(&[&["simulate", "-n", "200"], rest].concat());
        assert_eq!(said.code, 0, "{}", said.stderr);
    };
    simulate(&["--dimension", "1", "--domain", "interval(0, 2)", "--output", "line.csv"]);
    simulate(&["--dimension", "3", "--domain", "box(low=-1, high=2)", "--output", "box.csv"]);
    let modes = ["--model", "gaussian-mixture", "--components", "2", "--at", "-1.5,-1.5,1.5,1.5"];
    simulate(&[&["--domain", "box(low=-3, high=3)", "--output", "modes.csv"], &modes[..]].concat());
    let long = "\u{202e}a name that is much longer than any name of a column should be\u{200b} <b>";
    let rows = std::fs::read_to_string(folder.path("data.csv")).unwrap();
    folder.write("names.csv", &rows.replacen("x1,x2", &format!("{long} one,{long} two"), 1));
    const LISTINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/berlin/listings.csv");
    const DISTRICT: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/berlin/prenzlauer_berg.geojson");
    let map = |command: &'static str, rest: &[&'static str]| {
        [&[command, LISTINGS, "--columns", "lon,lat", "--boundary", DISTRICT, "--method", "truncsm"], rest]
            .concat()
    };
    let modes = ["modes.csv", "--domain", "box(low=-3, high=3)", "--known-covariance", "1"];
    let mixture = ["--model", "gaussian-mixture", "--components", "2"];
    let formula = ["--log-density", "-(x1-a)^2/2 - (x2-b)^2/2 - (x3-c)^2/2", "--start", "a=0,b=0,c=0"];
    let others = vec![
        ("line", vec!["fit", "line.csv", "--domain", "interval(0, 2)"]),
        ("box", vec!["fit", "box.csv", "--domain", "box(low=-1, high=2)", "--known-covariance", "1"]),
        ("formula", [&["fit", "box.csv", "--domain", "box(low=-1, high=2)"], &formula[..]].concat()),
        ("mixture", [&["fit"], &modes[..], &mixture].concat()),
        ("map", map("fit", &[])),
        ("plane", map("fit", &["--project"])),
        ("maps", map("compare", &["--project", "--known-covariance", "1"])),
        ("names", [&["fit", "names.csv"], &DISC[..]].concat()),
        ("curves", vec!["compare", "line.csv", "--domain", "interval(0, 2)", "--method", "tksd,mle"]),
    ];
    commands().into_iter().map(|(command, _)| (command[0], command)).chain(others).collect()
}

/// Opens every report in a real browser, wide and narrow, light and dark: nothing on the console, nothing
/// asked of any network, nothing cut off, too small, too pale or over something else. Screenshots go into
/// `target/reports`.
#[test]
#[ignore = "needs Chromium; run by `make browser`"]
fn reports_open_in_a_browser() {
    const CHECKS: &str = include_str!("page_checks.js");
    let folder = disc(200, 32, 1);
    let shots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/reports");
    std::fs::create_dir_all(&shots).unwrap();
    let mut browser = Browser::start();
    let mut wrong = Vec::new();
    for (name, command) in pages(&folder) {
        let page = format!("{name}.html");
        let said = folder.run(&[&command[..], &["--report", &page]].concat());
        assert!([0, 3].contains(&said.code), "{name}: {}", said.stderr);
        for width in [1280, 390] {
            for scheme in ["light", "dark"] {
                let what = format!("{name} at {width}, {scheme}");
                browser.open(&folder.path(&page), width, scheme);
                let found = browser.evaluate(CHECKS);
                let found = found.as_array().expect("a list").iter().map(ToString::to_string);
                let all = found.chain(browser.complaints()).chain(browser.requests());
                wrong.extend(all.map(|text| format!("{what}: {text}")));
                let shot = browser.screenshot();
                assert!(shot.len() > 20_000, "{what}: a blank page of {} bytes", shot.len());
                std::fs::write(shots.join(format!("{name}-{width}-{scheme}.png")), shot).unwrap();
            }
        }
        let sheets = browser.sheets();
        assert!((1..=15).contains(&sheets), "{name}: {sheets} sheets of paper");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The policy of a page lets nothing run or load, even where its text were markup.
#[test]
#[ignore = "needs Chromium; run by `make browser`"]
fn nothing_runs_on_a_report() {
    let folder = disc(100, 32, 1);
    folder.run(&[&["fit", "data.csv", "--report", "r.html"], &DISC[..]].concat());
    let page = std::fs::read_to_string(folder.path("r.html")).unwrap();
    let attacks = "<script>document.title = 'run'</script><img src='x' onerror=\"document.title = 'run'\">\
                   <iframe src='data:text/html,x'></iframe><link rel='stylesheet' href='file:///x.css'>";
    folder.write("attacked.html", &page.replacen("<h1>", &format!("{attacks}<h1>"), 1));
    let mut browser = Browser::start();
    browser.open(&folder.path("attacked.html"), 800, "light");
    assert_ne!(browser.evaluate("document.title"), "run");
    let refused = browser.complaints().iter().filter(|text| text.contains("Content Security Policy")).count();
    assert!(refused >= 4, "{:?}", browser.complaints());
}
