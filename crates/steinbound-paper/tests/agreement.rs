//! All figures with few trials: every picture is drawn, and means agree with those of the public code. `make
//! results` runs all trials.

use serde_json::Value;
use steinbound_paper::{FEWEST, Reproduction};

/// The mean error of a method in figure 6, and its standard error.
fn mixture(summary: &Value, modes: &str, count: &str, method: &str) -> (f64, f64) {
    let study = summary["studies"].as_array().unwrap().iter().find(|study| study["study"] == "fig6").unwrap();
    let is_it = |row: &&Value| {
        row["setting"]["modes"] == modes && row["setting"]["n"] == count && row["method"] == method
    };
    let row = study["means"].as_array().unwrap().iter().find(is_it).unwrap();
    (row["mean"].as_f64().unwrap(), row["std_error"].as_f64().unwrap())
}

/// How many combined standard errors one mean is above another.
fn above(one: (f64, f64), other: (f64, f64)) -> f64 {
    (one.0 - other.0) / one.1.hypot(other.1)
}

#[test]
fn means_agree_with_those_of_the_public_code() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let reproduction = Reproduction::new(&["all"]).unwrap().trials(FEWEST).unwrap();
    let report = reproduction.run(&out, false, &|_, _| true).unwrap();
    println!("{:?}, failed {:?}", report.agreement, report.failed);
    assert_eq!(report.failed.0, 0);
    assert_eq!((report.compared.len(), report.agreement.judged), (98, 88));
    // Two per cent of all.
    assert!(report.agreement.beyond <= 1, "{:?}", report.agreement);
    let is_there = |name: &String| out.join(name).metadata().is_ok_and(|data| data.len() > 100);
    assert!(report.files.iter().all(is_there));
    assert_eq!(report.files.iter().filter(|name| name.ends_with(".png")).count(), 14);

    // It is shown beside TKSD, and there is nothing published to judge it by.
    assert!(report.compared.iter().all(|row| !row.method.starts_with("efficient")));

    let summary = std::fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    for (modes, count) in [("2", "900"), ("3", "200"), ("4", "300")] {
        let error = |method: &str| mixture(&summary, modes, count, method);
        // Sums over rows are the published error; with the true derivative TruncSM is near TKSD.
        assert!(above(error("truncsm-rows"), error("truncsm")) > 4.0, "{modes} {count}");
        assert!(above(error("truncsm"), error("tksd")).abs() < 3.0, "{modes} {count}");
        assert!(above(error("truncsm"), error("truncated-mle")) > 1.0, "{modes} {count}");
        // Efficient estimation is near the likelihood, and rarely ends in the wrong minima of TKSD, which are
        // many with more than two modes.
        assert!(above(error("efficient"), error("truncated-mle")) < 3.0, "{modes} {count}");
        assert!(modes == "2" || above(error("tksd"), error("efficient")) > 1.0, "{modes} {count}");
    }
    let several = mixture(&summary, "3", "200", "tksd-starts");
    assert!(above(several, mixture(&summary, "3", "200", "truncsm")) < 3.0, "{several:?}");
}
