use rand::RngExt;
use steinbound::Points;
use steinbound::domain::conformance;
use steinbound::simulate::stream;

use super::*;

fn describe(text: &str) -> String {
    DomainSpec::parse(text).unwrap().build(2).unwrap().describe()
}

fn message(text: &str) -> String {
    DomainSpec::parse(text).unwrap_err().to_string()
}

#[test]
fn every_form_of_the_contract_is_read() {
    assert_eq!(describe("ball(radius=2)"), "l2 ball of radius 2");
    assert_eq!(describe("ball(radius=2, norm=1, center=0:0)"), "l1 ball of radius 2");
    assert_eq!(describe(" ball ( 2 , inf ) "), "l-infinity ball of radius 2");
    assert_eq!(describe("box(low=-3, high=3)"), "box [-3, 3]^2");
    assert_eq!(describe("box(low=-3:-1, high=3:inf)"), "box [-3, 3] x [-1, inf]");
    assert_eq!(describe("box(low=0, high=1:2:3)"), "box [0, 1] x [0, 2] x [0, 3]");
    assert_eq!(describe("interval(-1, 1)"), "interval [-1, 1]");
    assert_eq!(describe("halfspace(normal=1:0, offset=5)"), "half-space (1, 0) . x >= 5");
    assert_eq!(DomainSpec::parse("interval(-1, 1)").unwrap().dimension(), Some(1));
    assert_eq!(DomainSpec::parse("ball(radius=1)").unwrap().dimension(), None);
    assert_eq!(describe("level(\"x1^2 + x2^2 - 1\")"), "level set x1^2 + x2^2 - 1 <= 0");
    assert_eq!(describe("level('max(x1, x2) - 1')"), "level set max(x1, x2) - 1 <= 0");
    assert_eq!(describe("level(max(x1, x2) - 1)"), "level set max(x1, x2) - 1 <= 0");
    assert_eq!(describe("outside( ball(radius=1, norm=1) )"), "outside of the l1 ball of radius 1");
    assert_eq!(
        describe("ellipse(radii=2:1, center=0:0, angle=30)"),
        "ellipse of radii 2 and 1, turned by 30 degrees"
    );
    assert_eq!(describe("annulus(inner=0.5, outer=2)"), "annulus of radii 0.5 and 2");
    assert_eq!(describe("cylinder(radius=1, low=-2, high=inf)"), "cylinder of radius 1 from -2 to inf");
    assert_eq!(
        describe("union(ball(1), union(outside(ball(3)), box(low=1, high=2)))"),
        "union of the l2 ball of radius 1, the outside of the l2 ball of radius 3 and the box [1, 2]^2"
    );
    assert_eq!(
        describe("intersection(box(low=0, high=2:3), outside(ball(1)), level('x1 - 1'))"),
        "intersection of the box [0, 2] x [0, 3], the outside of the l2 ball of radius 1 and the level set x1 - 1 <= 0"
    );
}

/// Parts without a dimension take that of the others; formulas may have more coordinates than they mention.
#[test]
fn dimensions_are_agreed_upon() {
    let dimensions = |text: &str, asked: usize| {
        let spec = DomainSpec::parse(text).unwrap();
        (spec.dimension(), spec.build(asked).unwrap().dimension())
    };
    assert_eq!(dimensions("level('x1 + x3')", 2), (Some(3), 3));
    assert_eq!(dimensions("level('x1 + x3')", 5), (Some(3), 5));
    assert_eq!(dimensions("outside(ball(1))", 4), (None, 4));
    assert_eq!(dimensions("intersection(ball(1), level('x2'))", 1), (Some(2), 2));
    assert_eq!(dimensions("intersection(ball(1), box(0:0:0, 1))", 9), (Some(3), 3));
    assert_eq!(dimensions("outside(interval(0, 1))", 9), (Some(1), 1));
    assert!(message("intersection(interval(0, 1), level('x2'))").contains("coordinates"));
}

/// The help text of `--domain`, line by line.
#[test]
fn help_lists_every_way_to_write_a_domain() {
    let listed: Vec<&str> = DomainSpec::shapes().map(|(signature, _)| signature).collect();
    for form in forms() {
        let is_own = |signature: &&str| signature.starts_with(&format!("{}(", form.name));
        assert!(listed.iter().any(is_own), "{} is not listed", form.name);
    }
    // The order of the help: shapes of the library, then those that need a file or another domain.
    let ball = listed.iter().position(|signature| *signature == "ball(radius=2)");
    let outside = listed.iter().position(|signature| *signature == "outside(SPEC)");
    assert!(ball == Some(0) && outside > ball, "{listed:?}");
}

/// Every example in a message or in the help is parsed and built; FILE and SPEC stand for a map and a
/// specification.
#[test]
fn every_listed_example_builds() {
    let file = std::env::temp_dir().join(format!("steinbound-spec-{}.wkt", std::process::id()));
    std::fs::write(&file, "POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0))").unwrap();
    let map = file.display().to_string();
    for form in forms() {
        for text in form.usage.iter().map(|(text, _)| *text).chain([form.example]) {
            let text =
                text.replace("FILE", &map).replace("border.geojson", &map).replace("SPEC", "ball(radius=2)");
            let spec = DomainSpec::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let spec = spec.with_columns(&["lon", "lat"].map(String::from)).unwrap();
            let dimension = spec.dimension().unwrap_or(3);
            assert_eq!(spec.build(dimension).unwrap().dimension(), dimension, "{text}");
        }
    }
    std::fs::remove_file(&file).unwrap();
}

/// The shapes of the library, as in their examples and in other dimensions, pass the suite for domains.
#[test]
fn every_shape_of_the_library_conforms() {
    for shape in steinbound::domain::SHAPES {
        for (text, _) in shape.usage {
            let spec = DomainSpec::parse(text).unwrap();
            for dimension in (1..=3).filter(|d| spec.fits(*d)) {
                let mut rng = stream(5, dimension as u64);
                let values: Vec<f64> =
                    (0..60 * dimension).map(|_| 12.0 * rng.random::<f64>() - 6.0).collect();
                let near = Points::new(values, dimension).unwrap();
                let domain = spec.build(dimension).unwrap();
                assert_eq!(conformance::check(domain.as_ref(), &near), Ok(()), "{text}");
            }
        }
    }
}

#[test]
fn mistakes_are_explained() {
    assert!(message("bal(radius=2)").contains("did you mean \"ball\""));
    assert!(message("ball(radios=2)").contains("radius is missing"));
    assert!(message("ball(radius=2, nrm=1)").contains("did you mean \"norm\""));
    assert!(message("ball(radius=2").contains("write it as ball("));
    assert!(message("ball(radius=-2)").contains("positive"));
    assert!(message("ball(radius=two)").contains("\"two\" is not a number"));
    assert!(message("ball(radius=2, norm=3)").contains("1, 2 or inf"));
    assert!(message("box(low=3, high=-3)").contains("larger than the lower limit"));
    assert!(message("box(low=1:2, high=3:4:5)").contains("coordinates"));
    assert!(message("interval(1, 2, 3)").contains("one value too many"));
    assert!(message("halfspace(normal=0:0, offset=1)").contains("not all zero"));
    assert!(message("ball(2, radius=3)").contains("radius is given twice"));
    assert!(message("").contains("unknown domain"));
    assert!(message("data/Border.WKT").contains("a map is written as polygon(data/Border.WKT)"));
    assert!(message("outside(bal(1))").contains("did you mean \"ball\""));
    assert!(message("outside()").contains("domain is missing; write it as outside("));
    assert!(message("outside(ball(1), ball(2))").contains("one value too many"));
    assert!(message("union()").contains("a union has no parts"));
    assert!(message("union(ball(1), interval(0, 1), box(low=0:0, high=1))").contains("coordinates"));
    assert!(message("ellipse(radii=2:1:1, angle=30)").contains("turned"));
    assert!(message("annulus(inner=2, outer=1)").contains("larger than the inner radius"));
    assert!(message("cylinder(radius=1, low=2, high=1)").contains("larger than the lower end"));
    assert!(message("intersection()").contains("at least one"));
    assert!(message("intersection(a=ball(1))").contains("\"a\" has no place here"));
    assert!(message("intersection(interval(0, 1), interval(2, 3))").contains("do not overlap"));
    assert!(message("level('x1").contains("write it as level("));
    assert!(message("level('x1)").contains("the quote ' is never closed"));
    assert!(message("outside(ball(1)").contains("a ( is never closed"));
    assert!(message("level('1')").contains("names no coordinate"));
    assert!(message("level('x99999999999 - 1')").contains("unknown name"));
    let nested = "outside(".repeat(30) + "ball(1)" + &")".repeat(30);
    assert!(message(&nested).contains("nested more than 20 deep"));
    // The caret of a formula is on a line of its own.
    assert_eq!(
        message("level('x1^2 + 2x2 - 1')"),
        "cannot read the domain \"level(\\'x1^2 + 2x2 - 1\\')\": an operator is missing; write 2*x2 to multiply\n  \
         x1^2 + 2x2 - 1\n          ^"
    );
}

proptest::proptest! {
    /// Any text is either parsed or rejected with an error.
    #[test]
    fn any_text_is_read_or_refused(
        text in "(ball|box|interval|ellipse|annulus|cylinder|halfspace|level|outside|intersection|union|.{0,3})?[(]?[a-z0-9=:,. inf()'\"-]{0,40}[)]?",
    ) {
        if let Ok(spec) = DomainSpec::parse(&text) {
            // A set that is not empty in the plane may be empty in space.
            if let Ok(domain) = spec.build(3) {
                proptest::prop_assert!(domain.dimension() >= 1);
            }
        }
    }

    /// Nested domains are parsed as written.
    #[test]
    fn nested_domains_are_read(depth in 0usize..20, radius in 0.5..2.0f64, quote in "['\"]") {
        let text = "outside(".repeat(depth)
            + &format!("intersection(ball({radius}), level({quote}max(x1, x2) - 1{quote}))")
            + &")".repeat(depth);
        let domain = DomainSpec::parse(&text).unwrap().build(2).unwrap();
        let described = domain.describe();
        proptest::prop_assert_eq!(described.matches("outside of the").count(), depth);
        proptest::prop_assert!(described.ends_with("the level set max(x1, x2) - 1 <= 0"));
    }
}
