//! The functions that may be applied to a column within a formula.

/// A function of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Transform {
    Log,
    Log10,
    Exp,
    Sqrt,
    Power(i32),
}

/// The functions with names.
const NAMED: [(&str, Transform); 4] = [
    ("log", Transform::Log),
    ("log10", Transform::Log10),
    ("exp", Transform::Exp),
    ("sqrt", Transform::Sqrt),
];

impl Transform {
    /// The function of that name.
    pub fn named(name: &str) -> Option<Transform> {
        NAMED.iter().find(|(known, _)| *known == name).map(|(_, transform)| *transform)
    }

    /// The names of all functions.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The name of the term that applies the function to a column.
    pub fn label(self, column: &str) -> String {
        if let Transform::Power(exponent) = self {
            return format!("I({column}^{exponent})");
        }
        let name = NAMED.iter().find(|(_, transform)| *transform == self).map_or("", |(name, _)| name);
        format!("{name}({column})")
    }

    /// The values of the function, which may be infinite or NaN.
    pub fn apply(self, values: &[f64]) -> Vec<f64> {
        let function = |value: &f64| match self {
            Transform::Log => value.ln(),
            Transform::Log10 => value.log10(),
            Transform::Exp => value.exp(),
            Transform::Sqrt => value.sqrt(),
            Transform::Power(exponent) => value.powi(exponent),
        };
        values.iter().map(function).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_what_their_names_say() {
        let values = [0.25, 4.0];
        let by_name = |name: &str| Transform::named(name).unwrap().apply(&values);
        assert_eq!(by_name("sqrt"), [0.5, 2.0]);
        assert_eq!(by_name("log"), [-(4.0f64.ln()), 2.0 * 2.0f64.ln()]);
        assert_eq!(by_name("log10"), [-(4.0f64.log10()), 4.0f64.log10()]);
        assert!((by_name("exp")[1] / std::f64::consts::E.powi(4) - 1.0).abs() < 1e-15);
        assert_eq!(Transform::Power(-1).apply(&values), [4.0, 0.25]);
        assert_eq!(Transform::Power(3).label("x"), "I(x^3)");
        assert!(
            Transform::names().all(|name| Transform::named(name).unwrap().label("x") == format!("{name}(x)"))
        );
    }
}
