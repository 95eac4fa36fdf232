//! Commands that suit a problem.

use crate::case::Case;
use crate::catalogue::{Catalogue, Command};
use crate::dice::Dice;
use crate::map;
use crate::problem::{Model, Problem};
use crate::shape::Shape;
use crate::table::{Table, Values, Written};
use crate::value;

/// How often commands are tried; others, which this does not know, a little.
const OFTEN: [(&str, usize); 12] = [
    ("fit", 300),
    ("regress", 190),
    ("test", 80),
    ("compare", 70),
    ("witness", 80),
    ("discrepancy", 80),
    ("simulate", 90),
    ("boundary", 90),
    ("reproduce", 4),
    ("demo", 4),
    ("completions", 3),
    ("man", 2),
];

/// Options that take long, which are tried less often than others.
const SLOW: [&str; 8] =
    ["--report", "--plot", "--tune", "--sensitivity", "--bootstrap", "--test", "--help", "--version"];

/// Options that belong to the problem, and are not added to one that does not ask for them.
const OF_PROBLEM: [&str; 24] = [
    "--columns",
    "--weights",
    "--cluster",
    "--separator",
    "--decimal-comma",
    "--header",
    "--boundary",
    "--boundary-normals",
    "--feature",
    "--layer",
    "--domain",
    "--model",
    "--components",
    "--known-covariance",
    "--covariance",
    "--estimate-weights",
    "--known",
    "--log-density",
    "--start",
    "--at",
    "--dimension",
    "--no-project",
    "--project",
    "--points",
];

/// A command for a problem, which the program should accept.
pub fn case(dice: &mut Dice, catalogue: &Catalogue, problem: &Problem) -> Case {
    let weight = |command: &Command| {
        let known = OFTEN.iter().find(|(name, _)| *name == command.name);
        known.map_or(20, |(_, weight)| *weight)
    };
    let list: Vec<(usize, &Command)> =
        catalogue.commands.iter().map(|command| (weight(command), command)).collect();
    let command = *dice.weighted(&list);
    let mut case = Case::new(&command.name);
    match command.name.as_str() {
        "fit" | "discrepancy" | "witness" | "compare" | "test" => of_data(dice, &mut case, problem),
        "regress" => regression(dice, &mut case),
        "simulate" => simulation(dice, &mut case, problem),
        "boundary" => boundary(dice, &mut case, problem),
        "reproduce" => {
            case.positional(dice.pick(&["list", "list", "fig10", "weights"]));
            case.option("--trials", "2");
        }
        _ => {}
    }
    require(dice, &mut case, problem, command);
    further(dice, &mut case, problem, command);
    if !case.has("--format") && command.find("--format").is_some() && dice.chance(60) {
        case.option("--format", "json");
    }
    // The campaign itself uses all processors.
    if !case.has("--threads") && command.find("--threads").is_some() && dice.chance(70) {
        case.option("--threads", "1");
    }
    case
}

/// Gives what the command cannot do without.
fn require(dice: &mut Dice, case: &mut Case, problem: &Problem, command: &Command) {
    for parameter in command.parameters.iter().filter(|parameter| parameter.is_required) {
        let is_there = match parameter.is_positional() {
            true => case.arguments.iter().any(|argument| argument.name.is_empty()),
            false => case.has(&parameter.name),
        };
        if !is_there {
            let value = value::suitable(dice, case, problem, parameter);
            let name = if parameter.is_positional() { "" } else { &parameter.name };
            case.give(name, value);
        }
    }
}

/// Adds a few options.
fn further(dice: &mut Dice, case: &mut Case, problem: &Problem, command: &Command) {
    let is_free = |name: &str| !OF_PROBLEM.contains(&name);
    let options: Vec<_> = command.options().filter(|option| is_free(&option.name)).collect();
    for _ in 0..*dice.weighted(&[(3, 0), (3, 1), (3, 2), (2, 4), (1, 8)]) {
        let Some(option) = options.get(dice.below(options.len())) else { break };
        let is_slow = SLOW.contains(&option.name.as_str());
        if case.has(&option.name) || (is_slow && !dice.chance(25)) {
            continue;
        }
        let value = value::suitable(dice, case, problem, option);
        case.give(&option.name, value);
        // Five hundred fits under the hypothesis take what was asked for.
        if option.name == "--test" && command.find("--bootstrap").is_some() && !case.has("--bootstrap") {
            case.option("--bootstrap", "20");
        }
    }
}

/// Data, what is known of their region, and a model.
fn of_data(dice: &mut Dice, case: &mut Case, problem: &Problem) {
    data(dice, case, problem);
    let is_plain = !case.has("--decimal-comma") && !case.has("--header");
    region(dice, case, problem);
    value::model(dice, case, problem);
    if dice.chance(35) && case.command != "compare" && !case.has("--method") {
        let list = ["tksd", "bdksd", "truncsm", "ksd", "mle", "truncated-mle", "efficient"];
        case.option("--method", dice.pick(&list));
    }
    if case.command == "discrepancy"
        || (matches!(case.command.as_str(), "test" | "witness") && dice.chance(50))
    {
        case.option("--at", value::at(dice, problem));
    }
    if case.command == "test" || (case.command == "compare" && dice.chance(10)) {
        let draws = *dice.weighted(&[(6, 20), (2, 10), (1, 50)]);
        case.option("--bootstrap", draws.to_string());
    }
    if case.command == "witness" && dice.chance(20) {
        let name = value::edge_file(dice, case, problem);
        case.option("--points", name);
    } else if case.command == "witness" {
        case.option("--grid", dice.pick(&["2", "3", "4", "5"]));
    }
    let names_differ = (1..problem.names.len()).all(|j| !problem.names[..j].contains(&problem.names[j]));
    if is_plain && names_differ && !problem.is_geographic {
        case.ranges = problem.names.iter().cloned().zip(problem.ranges()).collect();
    }
}

/// The data, with further columns if they are asked for.
fn data(dice: &mut Dice, case: &mut Case, problem: &Problem) {
    if problem.dimension() == 2 && dice.chance(5) {
        let name = case.add(map::of_points(dice, &problem.rows, "data"));
        case.positional(name);
        return;
    }
    let mut table = Table::of_points(&problem.names, &problem.rows);
    let n = problem.rows.len();
    let more = dice.below(8);
    if more == 0 {
        table.add(
            "w",
            Values::Numbers((0..n).map(|_| *dice.weighted(&[(3, 1.0), (2, 2.5), (1, 0.0)])).collect()),
        );
    }
    if more <= 1 {
        table.add(
            "g",
            Values::Texts((0..n).map(|_| dice.pick(&["a", "b", "c", "<d>"]).to_string()).collect()),
        );
    }
    let mut file = table.write(dice, "data", true);
    if dice.chance(4) && !file.name.ends_with("parquet") && !file.name.ends_with("gz") {
        with_missing(dice, &mut file);
        case.flag("--drop-missing");
    }
    let name = case.add(vec![file]);
    if dice.chance(4) && name.ends_with("csv") {
        case.stdin = Some(name);
        case.positional("-");
    } else {
        case.positional(name);
    }
    // The header is left out where there are only numbers.
    let has_names = case.files.last().is_some_and(|file| file.bytes.starts_with(problem.names[0].as_bytes()));
    if more == 0 {
        case.option(
            "--columns",
            (1..=problem.dimension()).map(|j| j.to_string()).collect::<Vec<_>>().join(","),
        );
        case.option("--weights", "w");
    } else if has_names && dice.chance(10) && problem.names.iter().all(|name| !name.contains([',', '"'])) {
        case.option("--columns", problem.names.join(","));
    }
    if more <= 1 {
        case.option("--cluster", "g");
    }
}

/// Puts missing values into cells of a table.
fn with_missing(dice: &mut Dice, file: &mut Written) {
    let text = String::from_utf8_lossy(&file.bytes).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for line in lines.iter_mut().skip(2) {
        if dice.chance(10) {
            let end = line.find([',', ';', '\t', '|']).unwrap_or(line.len());
            line.replace_range(..end, dice.pick(&["NA", "", "null", "."]));
        }
    }
    file.bytes = (lines.join("\n") + "\n").into_bytes();
}

/// What is known of the region: points on its boundary, its specification or a map.
fn region(dice: &mut Dice, case: &mut Case, problem: &Problem) {
    let normals = |dice: &mut Dice, case: &mut Case| {
        let (points, directions): (Vec<_>, Vec<_>) = problem.edge.iter().cloned().unzip();
        let mut table = Table::of_points(&problem.names, &points);
        let names: Vec<String> = (1..=problem.dimension()).map(|j| format!("n{j}")).collect();
        table.columns.extend(Table::of_points(&names, &directions).columns);
        let file = table.write(dice, "border", false);
        let name = case.add(vec![file]);
        case.option("--boundary", name);
        case.option("--boundary-normals", names.join(","));
    };
    match (&problem.region.shape, dice.below(20)) {
        (_, 0) => {
            case.option("--method", dice.pick(&["ksd", "mle"]));
        }
        (_, 1) => normals(dice, case),
        (_, 2..=5) if problem.edge.len() > 2 => {
            let name = value::edge_file(dice, case, problem);
            case.option("--boundary", name);
        }
        (Shape::Polygon(_), k) => {
            let name = outline(dice, case, problem);
            match k {
                6 | 7 => case.option("--domain", format!("polygon({name})")),
                _ => case.option("--boundary", name),
            }
            if dice.chance(10) {
                case.flag(dice.pick(&["--no-project", "--project"]));
            }
        }
        _ => case.option("--domain", problem.region.specification("map.geojson")),
    }
    if dice.chance(6) {
        case.flag(dice.pick(&["--allow-outside", "--drop-outside"]));
    }
    if dice.chance(25) {
        let count = *dice.weighted(&[(3, 16), (3, 50), (1, 200), (1, 3)]);
        case.option("--boundary-points", count.to_string());
    }
}

/// A file with the outline of a polygon.
fn outline(dice: &mut Dice, case: &mut Case, problem: &Problem) -> String {
    let ring: Vec<Vec<f64>> = match &problem.region.shape {
        Shape::Polygon(ring) => ring.iter().map(|at| problem.region.place(at)).collect(),
        _ => problem.edge.iter().map(|(point, _)| point.clone()).collect(),
    };
    let files = map::of_ring(dice, &ring, "map");
    case.add(files)
}

/// A table with a response between limits, and a formula.
fn regression(dice: &mut Dice, case: &mut Case) {
    let n = match dice.below(20) {
        0 => dice.between(0, 6),
        1 | 2 => dice.between(150, 300),
        _ => dice.between(15, 100),
    };
    let scale = if dice.chance(80) { 1.0 } else { 10f64.powi(dice.between(0, 20) as i32 - 10) };
    let offset = *dice.weighted(&[(80, 0.0), (10, 1990.0), (5, 1e6), (5, -1e4)]);
    let (lower, upper) = (-scale, 2.0 * scale);
    let is_grid = dice.chance(20);
    let labels = ["red", "green", "blue"];
    let (mut y, mut x1, mut x2, mut g, mut low) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for k in 0..n {
        let label = dice.below(3);
        let x = if is_grid { (k % 7) as f64 } else { 3.0 * dice.centred() };
        let z = if dice.chance(97) { dice.normal() } else { x };
        // Beyond the limits nothing is seen.
        let mut response = 0.0;
        for _ in 0..50 {
            response = scale * (0.5 + 0.3 * x - 0.2 * z + 0.3 * label as f64 + dice.normal());
            if lower < response && response < upper {
                break;
            }
        }
        y.push(response.clamp(0.99 * lower, 0.99 * upper));
        x1.push(offset + x);
        x2.push(z);
        g.push(labels[label].to_string());
        low.push(lower - scale * (k % 3) as f64);
    }
    let first = *dice.weighted(&[(30, "x1"), (1, "wage"), (1, "x 1"), (1, "<b>"), (1, "\u{202e}x")]);
    let mut table = Table::default();
    table.add("y", Values::Numbers(y));
    table.add(first, Values::Numbers(x1));
    table.add("x2", Values::Numbers(x2));
    table.add("g", Values::Texts(g));
    table.add("low", Values::Numbers(low));
    table.add("w", Values::Numbers((0..n).map(|k| (k % 4) as f64 + 0.5).collect()));
    let file = table.write(dice, "data", true);
    let name = case.add(vec![file]);
    case.positional(name);
    let is_word = first.chars().all(|letter| letter.is_ascii_alphanumeric());
    let typed = if is_word { first.to_string() } else { format!("`{first}`") };
    case.option("--formula", value::regression(dice, &typed, "x2"));
    match dice.below(6) {
        0 => case.option("--lower", "low"),
        1 => case.option("--upper", format!("{upper:?}")),
        2 => {
            case.option("--lower", format!("{lower:?}"));
            case.option("--upper", format!("{upper:?}"));
        }
        _ => case.option("--lower", format!("{lower:?}")),
    }
    if dice.chance(30) {
        case.option("--method", dice.pick(&["tksd", "bdksd", "truncsm", "ksd", "mle", "truncated-mle"]));
    }
    if dice.chance(8) {
        case.option("--weights", "w");
    }
    if dice.chance(8) {
        case.option("--cluster", "g");
    }
    if dice.chance(6) {
        case.give("--censored", None);
    }
}

fn simulation(dice: &mut Dice, case: &mut Case, problem: &Problem) {
    if matches!(problem.region.shape, Shape::Polygon(_)) {
        let name = outline(dice, case, problem);
        case.option("--domain", format!("polygon({name})"));
    } else {
        case.option("--domain", problem.region.specification("map.geojson"));
    }
    value::model(dice, case, problem);
    if dice.chance(60) || matches!(problem.model, Model::Mixture(_) | Model::Named(..) | Model::Formula) {
        let mut values = value::at(dice, problem);
        // A simulation takes all covariances or none.
        if problem.model == Model::Gaussian && dice.chance(40) {
            values = values.split(',').take(problem.dimension()).collect::<Vec<_>>().join(",");
        }
        case.option("--at", values);
    }
    if dice.chance(30) {
        case.option("--boundary-output", "edge.csv");
        case.option("--boundary-points", dice.pick(&["10", "100"]));
    }
}

fn boundary(dice: &mut Dice, case: &mut Case, problem: &Problem) {
    match &problem.region.shape {
        Shape::Polygon(_) => {
            let name = outline(dice, case, problem);
            case.positional(name);
        }
        _ if problem.dimension() == 2 && dice.chance(20) => {
            let name = outline(dice, case, problem);
            case.positional(name);
        }
        _ => case.option("--domain", problem.region.specification("map.geojson")),
    }
    if dice.chance(70) {
        case.option("--boundary-points", dice.between(1, 100).to_string());
    }
    let is_unbounded = problem.edge.len() < 3 || problem.region.specification("").contains("inf");
    if dice.chance(if is_unbounded || problem.region.shape == Shape::Halfspace { 90 } else { 25 }) {
        let points = Table::of_points(&problem.names, &problem.rows).write(dice, "near", false);
        let name = case.add(vec![points]);
        case.option("--near", name);
    }
    if dice.chance(40) {
        case.option("--output", "out.csv");
    }
}
