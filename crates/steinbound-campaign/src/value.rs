//! Values of options: those that suit the problem, those at the ends of what is allowed, and any.

use crate::case::Case;
use crate::catalogue::Parameter;
use crate::dice::Dice;
use crate::problem::{Model, Problem};
use crate::table::Table;

/// Values at and beyond limits, and what is no value at all.
const LIMITS: [&str; 44] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1.5",
    "100",
    "1000000",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775808",
    "-9223372036854775809",
    "4294967296",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e999",
    "1e-999",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "",
    " ",
    "abc",
    "1,2",
    "1,,2",
    ",",
    "1..5",
    "5..1",
    "0..0",
    "1:2",
    "0x10",
    "1_000",
    "+1",
    "٣",
    "a=1",
    "a=",
    "=1",
    "--help",
    "-",
];

/// Texts that a program may not be ready for.
const TEXTS: [&str; 16] = [
    "<script>alert(1)</script>",
    "\u{202e}txet",
    "\u{1b}[31m",
    "bell\u{7}",
    "\u{9b}2J",
    "%s%n{}{0}",
    "../../etc/passwd",
    "/dev/null",
    "missing.csv",
    ".",
    "no/such/folder/file.csv",
    "名前 ∑",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
    "x1 ^ x1 ^ x1 ^ x1",
    "\"'`\\",
    "a\nb",
];

/// A value at or beyond the limits of an option, whatever it is for.
pub fn beyond(dice: &mut Dice, case: &Case, parameter: &Parameter) -> String {
    match dice.below(12) {
        0 => dice.pick(&TEXTS).to_string(),
        1 if !case.files.is_empty() => case.files[dice.below(case.files.len())].name.clone(),
        2 => "9".repeat(dice.between(1, 400)),
        3 if !parameter.possible.is_empty() => {
            let possible = &parameter.possible[dice.below(parameter.possible.len())];
            possible[..possible.len() / 2].to_string()
        }
        4 => format!("{:?}", 10f64.powi(dice.between(0, 40) as i32 - 20) * dice.centred()),
        5 => "a".repeat(dice.between(1, 5000)),
        _ => dice.pick(&LIMITS).to_string(),
    }
}

/// A value that suits the problem; files that it names are added to the case. None for a flag, or where the option
/// does well without a value.
pub fn suitable(
    dice: &mut Dice,
    case: &mut Case,
    problem: &Problem,
    parameter: &Parameter,
) -> Option<String> {
    parameter.placeholder.as_ref()?;
    if parameter.is_optional_value && dice.chance(50) {
        return None;
    }
    let s = problem.region.scale;
    let d = problem.dimension();
    let number = |value: f64| Some(format!("{value:?}"));
    let text = |value: &str| Some(value.to_string());
    let count = |value: usize| Some(value.to_string());
    match parameter.name.as_str() {
        "--columns" => Some(columns(dice, problem)),
        "--weights" => text("w"),
        "--cluster" => text(if dice.chance(80) { "g" } else { "w" }),
        "--separator" => text(dice.pick(&["auto", "comma", ",", "space", "tab"])),
        "--feature" => text(dice.pick(&["NAME=Northam", "all", "n=0", "name=Northam", "NAME=tow00"])),
        "--layer" => text(dice.pick(&["towns", "Northam"])),
        "--domain" => Some(problem.region.specification("map.geojson")),
        "--boundary" | "--near" | "--points" => Some(edge_file(dice, case, problem)),
        "--boundary-normals" => text("n1,n2"),
        "--boundary-points" => count(*dice.weighted(&[(4, 20), (3, 60), (2, 200), (1, 1), (1, 2)])),
        "--components" => text(dice.pick(&["1", "2", "3", "1..2", "2..3"])),
        "--known-covariance" => Some(covariance(dice, case, problem)),
        "--known" => text(dice.pick(&["degrees=4", "shape=2", "rate=1", "scale=1", "concentration=1"])),
        "--log-density" => Some(formula(dice, problem)),
        "--start" => Some(start(dice, problem)),
        "--at" => Some(at(dice, problem)),
        "--distance-power" => number(*dice.weighted(&[(3, 1.0), (1, 2.0), (1, 0.5), (1, 10.0)])),
        "--bandwidth" => match dice.chance(20) {
            true => text("median"),
            false => number(s * 10f64.powf(2.0 * dice.centred())),
        },
        "--ridge" => number(10f64.powi(dice.between(0, 8) as i32 - 6)),
        "--tolerance" | "--search-tolerance" => number(10f64.powi(-(dice.between(1, 12) as i32))),
        "--max-iterations" => count(*dice.weighted(&[(2, 1), (2, 10), (1, 0), (1, 1000)])),
        "--seed" => count(dice.below(1000)),
        "--threads" => count(dice.between(1, 4)),
        "--time-limit" => text(dice.pick(&["10", "1", "0.01", "1e-9", "1000000"])),
        "--confidence" => text(dice.pick(&["0.9", "0.5", "0.999", "0.999999999"])),
        "--level" => text(dice.pick(&["0.1", "0.01", "0.5"])),
        "--bootstrap" => count(*dice.weighted(&[(4, 20), (3, 10), (1, 40), (1, 2)])),
        "--hypothesis" => Some(hypothesis(dice, problem)),
        "--derive" => Some(format!("r = {}", derived(dice, problem))),
        "--digits" => count(dice.between(1, 17)),
        "--grid" => count(*dice.weighted(&[(3, 3), (2, 5), (1, 1), (1, 2)])),
        "--dimension" => count(d),
        "-n" => count(*dice.weighted(&[(5, 20), (3, 100), (1, 1), (1, 500)])),
        "--lower" | "--upper" => text(dice.pick(&["low", "0", "-1", "1"])),
        "--known-sigma" => number(*dice.weighted(&[(3, 1.0), (1, 0.1), (1, 10.0)])),
        "--formula" => Some(regression(dice, "x1", "x2")),
        "--predict" => {
            let name = case.value("").unwrap_or("data.csv").to_string();
            Some(name)
        }
        "--trials" => text("2"),
        "--plot" => text(dice.pick(&["plot.svg", "plot.svg", "plot.png"])),
        "--report" => text("report.html"),
        "--output" if parameter.placeholder.as_deref() == Some("DIR") => text("out"),
        "--output" if case.value("--format") == Some("json") => text("out.csv"),
        "--output" => text(dice.pick(&["out.csv", "out.csv", "-"])),
        _ if parameter.is_output() => text("more.csv"),
        _ if !parameter.possible.is_empty() => {
            text(&parameter.possible[dice.below(parameter.possible.len())])
        }
        _ => match parameter.placeholder.as_deref() {
            Some(placeholder) if placeholder.contains("FILE") => Some(edge_file(dice, case, problem)),
            Some("V" | "N" | "M" | "B" | "D" | "T" | "LEVEL") => number(dice.uniform()),
            _ => text(dice.pick(&["x1", "auto", "1", "all"])),
        },
    }
}

/// Names of columns as they are typed: a comma in a name cannot be.
fn columns(dice: &mut Dice, problem: &Problem) -> String {
    let by_name = dice.chance(70) && problem.names.iter().all(|name| !name.contains(',') && !name.is_empty());
    let typed = |(j, name): (usize, &String)| if by_name { name.clone() } else { (j + 1).to_string() };
    let mut list: Vec<String> = problem.names.iter().enumerate().map(typed).collect();
    if dice.chance(10) {
        list.reverse();
    }
    list.join(",")
}

/// A file with points of the boundary.
pub fn edge_file(dice: &mut Dice, case: &mut Case, problem: &Problem) -> String {
    if let Some(file) = case.files.iter().find(|file| file.name.starts_with("border")) {
        return file.name.clone();
    }
    let points: Vec<Vec<f64>> = problem.edge.iter().map(|(point, _)| point.clone()).collect();
    let file = Table::of_points(&problem.names, &points).write(dice, "border", false);
    case.add(vec![file])
}

fn covariance(dice: &mut Dice, case: &mut Case, problem: &Problem) -> String {
    let d = problem.dimension();
    let variance = (0.5 * problem.region.scale).powi(2);
    let variance = if problem.is_geographic { 1e4 * variance } else { variance };
    match dice.below(5) {
        0 => vec![format!("{variance:?}"); d].join(","),
        1 => {
            let row = |j: usize| {
                let value = |k: usize| if j == k { variance } else { 0.3 * variance };
                (0..d).map(|k| format!("{:?}", value(k))).collect::<Vec<_>>().join(",") + "\n"
            };
            let text: String = (0..d).map(row).collect();
            case.add(vec![crate::table::Written {
                name: "matrix.csv".into(),
                bytes: text.into(),
                options: Vec::new(),
            }])
        }
        _ => format!("{variance:?}"),
    }
}

/// The options that state the model.
pub fn model(dice: &mut Dice, case: &mut Case, problem: &Problem) {
    match &problem.model {
        Model::Gaussian => {
            if dice.chance(20) {
                case.option("--covariance", dice.pick(&["full", "diagonal"]));
            }
        }
        Model::KnownCovariance => {
            let value = covariance(dice, case, problem);
            case.option("--known-covariance", value);
        }
        Model::Mixture(count) => {
            case.option("--model", "gaussian-mixture");
            case.option("--components", count.to_string());
            match dice.below(4) {
                0 => case.option("--covariance", dice.pick(&["full", "spherical", "shared"])),
                _ => {
                    let value = covariance(dice, case, problem);
                    case.option("--known-covariance", value);
                }
            }
            if dice.chance(20) {
                case.flag("--estimate-weights");
            }
            if dice.chance(50) {
                case.option("--start", start(dice, problem));
            }
        }
        Model::Named(name, _) => {
            case.option("--model", *name);
            if *name == "student-t" && dice.chance(60) {
                case.option("--known", "degrees=4");
            }
        }
        Model::Formula => {
            case.option("--log-density", formula(dice, problem));
            case.option("--start", start(dice, problem));
        }
    }
}

fn formula(dice: &mut Dice, problem: &Problem) -> String {
    let s = problem.region.scale;
    let others = |from: usize| -> String {
        (from..problem.dimension()).map(|j| format!(" - ((x{}-a)/{s:?})^2/2", j + 1)).collect()
    };
    match dice.below(5) {
        0 => format!("-log(1 + ((x1-a)/{s:?})^2){}", others(1)),
        1 => format!("-abs(x1-a)/{s:?}{}", others(1)),
        2 => format!("cos((x1-a)/{s:?}){}", others(1)),
        _ => format!("0{}", others(0)),
    }
}

fn means(dice: &mut Dice, problem: &Problem, count: usize) -> Vec<String> {
    let mut values = Vec::new();
    for _ in 0..count {
        let at: Vec<f64> = (0..problem.dimension()).map(|_| 0.5 * dice.centred()).collect();
        values.extend(problem.region.place(&at).iter().map(|value| format!("{value:?}")));
    }
    values
}

fn start(dice: &mut Dice, problem: &Problem) -> String {
    match &problem.model {
        Model::Formula => format!("a={:?}", problem.region.centre[0]),
        Model::Mixture(count) => means(dice, problem, *count).join(","),
        _ => at(dice, problem),
    }
}

/// Values of all parameters in the order in which they are reported.
pub fn at(dice: &mut Dice, problem: &Problem) -> String {
    let d = problem.dimension();
    let variance = (0.5 * problem.region.scale).powi(2);
    match &problem.model {
        Model::Gaussian => {
            let mut values = means(dice, problem, 1);
            for j in 0..d {
                values.extend((j..d).map(|k| format!("{:?}", if j == k { variance } else { 0.0 })));
            }
            values.join(",")
        }
        Model::KnownCovariance => means(dice, problem, 1).join(","),
        Model::Mixture(count) => means(dice, problem, *count).join(","),
        Model::Named(_, count) => {
            let value = |dice: &mut Dice| format!("{:?}", 0.3 + 3.0 * dice.uniform());
            (0..d * count).map(|_| value(dice)).collect::<Vec<_>>().join(",")
        }
        Model::Formula => format!("a={:?}", problem.region.centre[0]),
    }
}

fn hypothesis(dice: &mut Dice, problem: &Problem) -> String {
    let first = &problem.names[0];
    match (problem.names.get(1), dice.below(3)) {
        (Some(second), 0) => format!("mean[{first}] = mean[{second}]"),
        (Some(second), 1) => format!("mean[{first}] = 0, mean[{second}] = 1"),
        _ => format!("mean[{first}] = {:?}", problem.region.centre[0]),
    }
}

fn derived(dice: &mut Dice, problem: &Problem) -> String {
    let first = &problem.names[0];
    match dice.below(3) {
        0 => format!("2*mean[{first}]"),
        1 => format!("1/mean[{first}]"),
        _ => format!("exp(mean[{first}])"),
    }
}

/// A formula of a regression in two columns and one of labels.
pub fn regression(dice: &mut Dice, first: &str, second: &str) -> String {
    let terms = [
        first.to_string(),
        format!("{first} + {second}"),
        format!("{first} + g"),
        format!("{first}*g"),
        format!("{first} + I({first}^2)"),
        format!("poly({first}, 2)"),
        format!("poly({first}, 3, raw=TRUE) + {second}"),
        format!("bs({first}, df=4)"),
        format!("ns({first}, df=3) + g"),
        format!("scale({first}) + {second}"),
        format!("{first} + {second} - 1"),
        format!("C(g) + {first}:{second}"),
        format!("C(g, Sum) + {first}"),
        format!("({first} + {second} + g)^2"),
        format!("exp({first}/10) + log({second}^2 + 1)"),
        "1".into(),
        "g".into(),
    ];
    let response = *dice.weighted(&[(20, "y"), (1, "log(y + 100)"), (1, "I(2*y)")]);
    format!("{response} ~ {}", terms[dice.below(terms.len())])
}
