//! The linear regressions of the Statistical Reference Datasets of the National Institute of Standards and Technology.
//!
//! `tests/certified` holds the data. Certified values are those for exact decimals, so that what is lost includes the
//! rounding of the data and of their powers. Longley's data are among the tests of the library.

use crate::common::{Folder, field};

struct Certified {
    name: &'static str,
    /// The highest power of x.
    degree: usize,
    has_intercept: bool,
    estimates: &'static [f64],
    errors: &'static [f64],
    /// The digits that estimates and standard errors must have.
    digits: [f64; 2],
}

const ONES: &[f64] = &[1.0; 6];

const SETS: &[Certified] = &[
    Certified {
        name: "norris",
        degree: 1,
        has_intercept: true,
        estimates: &[-0.262323073774029, 1.00211681802045],
        errors: &[0.232818234301152, 0.429796848199937e-3],
        digits: [12.0, 13.0],
    },
    Certified {
        name: "pontius",
        degree: 2,
        has_intercept: true,
        estimates: &[0.673565789473684e-3, 0.732059160401003e-6, -0.316081871345029e-14],
        errors: &[0.107938612033077e-3, 0.157817399981659e-9, 0.486652849992036e-16],
        digits: [12.0, 13.0],
    },
    Certified {
        name: "no_intercept_1",
        degree: 1,
        has_intercept: false,
        estimates: &[2.07438016528926],
        errors: &[0.165289256198347e-1],
        digits: [14.0, 14.0],
    },
    Certified {
        name: "no_intercept_2",
        degree: 1,
        has_intercept: false,
        estimates: &[0.727272727272727],
        errors: &[0.420827318078432e-1],
        digits: [14.0, 14.0],
    },
    // Its powers have a condition number of 2e15.
    Certified {
        name: "filip",
        degree: 10,
        has_intercept: true,
        estimates: &[
            -1467.48961422980,
            -2772.17959193342,
            -2316.37108160893,
            -1127.97394098372,
            -354.478233703349,
            -75.1242017393757,
            -10.8753180355343,
            -1.06221498588947,
            -0.670191154593408e-1,
            -0.246781078275479e-2,
            -0.402962525080404e-4,
        ],
        errors: &[
            298.084530995537,
            559.779865474950,
            466.477572127796,
            227.204274477751,
            71.6478660875927,
            15.2897178747400,
            2.23691159816033,
            0.221624321934227,
            0.142363763154724e-1,
            0.535617408889821e-3,
            0.896632837373868e-5,
        ],
        digits: [7.0, 7.0],
    },
    Certified {
        name: "wampler_3",
        degree: 5,
        has_intercept: true,
        estimates: ONES,
        errors: &[
            2152.32624678170,
            2363.55173469681,
            779.343524331583,
            101.475507550350,
            5.64566512170752,
            0.112324854679312,
        ],
        digits: [9.0, 13.0],
    },
    Certified {
        name: "wampler_4",
        degree: 5,
        has_intercept: true,
        estimates: ONES,
        errors: &[
            215232.624678170,
            236355.173469681,
            77934.3524331583,
            10147.5507550350,
            564.566512170752,
            11.2324854679312,
        ],
        digits: [8.0, 13.0],
    },
    // The estimates are 1 with a standard error of 2e7: six digits are 2e-14 standard errors.
    Certified {
        name: "wampler_5",
        degree: 5,
        has_intercept: true,
        estimates: ONES,
        errors: &[
            21523262.4678170,
            23635517.3469681,
            7793435.24331583,
            1014755.07550350,
            56456.6512170752,
            1123.24854679312,
        ],
        digits: [6.0, 13.0],
    },
];

/// Polynomials without noise.
const EXACT: &[(&str, &[f64], f64)] =
    &[("wampler_1", ONES, 9.0), ("wampler_2", &[1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001], 12.0)];

fn data(name: &str) -> String {
    format!("{}/tests/certified/{name}.csv", env!("CARGO_MANIFEST_DIR"))
}

fn polynomial(degree: usize, has_intercept: bool) -> String {
    let powers: String = (2..=degree).map(|k| format!(" + I(x^{k})")).collect();
    format!("y ~ x{powers}{}", if has_intercept { "" } else { " - 1" })
}

/// The digits of the worst of some numbers.
fn digits(found: &[f64], certified: &[f64]) -> f64 {
    let error = |(a, b): (&f64, &f64)| ((a - b) / b).abs().max(1e-16);
    -found.iter().zip(certified).map(error).fold(0.0, f64::max).log10()
}

#[test]
fn certified_regressions_have_the_digits_of_double_precision() {
    for set in SETS {
        let formula = polynomial(set.degree, set.has_intercept);
        let file = data(set.name);
        let fit = Folder::new().json(&[
            "regress",
            &file,
            "--formula",
            &formula,
            "--method",
            "mle",
            "--cov",
            "information",
        ]);
        let (n, p) = (fit["n"].as_f64().unwrap(), set.estimates.len());
        // The certified standard errors divide by the residual degrees of freedom, the likelihood by n.
        let factor = ((n - p as f64) / n).sqrt();
        let errors: Vec<f64> = set.errors.iter().map(|error| factor * error).collect();
        let found = |name: &str| field(&fit["parameters"], name)[..p].to_vec();
        let reached = [digits(&found("estimate"), set.estimates), digits(&found("std_error"), &errors)];
        assert!(reached[0] >= set.digits[0] && reached[1] >= set.digits[1], "{}: {reached:?}", set.name);
    }
}

/// Residuals that are rounding have no standard errors, and nothing is to be tested with them.
#[test]
fn a_response_without_noise_is_said_to_have_none() {
    for (name, certified, least) in EXACT {
        for more in [
            &["--method", "mle"][..],
            &["--method", "mle", "--cov", "information"],
            &["--method", "truncated-mle"],
        ] {
            let (file, formula) = (data(name), polynomial(5, true));
            let command = ["regress", &file, "--formula", &formula, "--lower", "0", "--format", "json"];
            let said = Folder::new().run(&[&command[..], more].concat());
            assert_eq!(said.code, 3, "{name}: {}", said.stderr);
            assert!(
                said.stderr.contains("the covariates determine the response up to rounding"),
                "{}",
                said.stderr
            );
            let fit = said.json();
            let parameters = fit["parameters"].as_array().unwrap();
            let estimates: Vec<f64> =
                parameters[..6].iter().map(|p| p["estimate"].as_f64().unwrap()).collect();
            let reached = digits(&estimates, certified);
            assert!(reached >= *least, "{name}: {reached}");
            assert!(
                parameters.iter().all(|p| p["std_error"].is_null()) && fit["log_likelihood"].is_null(),
                "{fit}"
            );
        }
    }
}
