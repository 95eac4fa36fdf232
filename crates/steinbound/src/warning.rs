//! Warnings of results: a text for people, and a kind for programs.

use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

use serde::{Deserialize, Serialize};

/// What a [`Warning`] is about.
///
/// ```
/// use steinbound::WarningKind;
/// assert_eq!(WarningKind::Boundary.name(), "boundary");
/// assert_eq!(serde_json::to_string(&WarningKind::Boundary).unwrap(), "\"boundary\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WarningKind {
    /// Boundary points, their normals, the ridge or penalty, and data outside the domain.
    Boundary,
    /// The search: no minimum, a flat one, or perhaps not the lowest.
    Convergence,
    /// Rows and columns: single rows that decide the result, units, too few observations.
    Data,
    /// The model: what it cannot describe, and what cannot be reported of it.
    Model,
    /// Numerical approximations: integrals, landmarks.
    Accuracy,
    /// Standard errors and intervals.
    Uncertainty,
    /// Coordinate systems and projections.
    Coordinates,
    /// Censored observations, and limits that look like them.
    Censoring,
    /// Anything else.
    #[default]
    Other,
}

impl WarningKind {
    /// All kinds.
    pub const ALL: [WarningKind; 9] = [
        WarningKind::Boundary,
        WarningKind::Convergence,
        WarningKind::Data,
        WarningKind::Model,
        WarningKind::Accuracy,
        WarningKind::Uncertainty,
        WarningKind::Coordinates,
        WarningKind::Censoring,
        WarningKind::Other,
    ];

    /// The name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            WarningKind::Boundary => "boundary",
            WarningKind::Convergence => "convergence",
            WarningKind::Data => "data",
            WarningKind::Model => "model",
            WarningKind::Accuracy => "accuracy",
            WarningKind::Uncertainty => "uncertainty",
            WarningKind::Coordinates => "coordinates",
            WarningKind::Censoring => "censoring",
            WarningKind::Other => "other",
        }
    }

    /// A warning of this kind.
    pub fn warning(self, text: impl Into<String>) -> Warning {
        Warning { kind: self, text: text.into() }
    }
}

/// Something to know before a result is trusted. It can be read like a text.
///
/// ```
/// use steinbound::{Warning, WarningKind};
/// let warning = WarningKind::Data.warning("row 3 decides alone");
/// assert!(warning.starts_with("row 3") && warning == "row 3 decides alone");
/// assert_eq!(warning.kind(), WarningKind::Data);
/// assert_eq!(Warning::from("anything else").kind(), WarningKind::Other);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Warning {
    kind: WarningKind,
    text: String,
}

impl Warning {
    /// What it is about.
    pub fn kind(&self) -> WarningKind {
        self.kind
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Deref for Warning {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl AsRef<str> for Warning {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl Display for Warning {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl From<String> for Warning {
    fn from(text: String) -> Warning {
        WarningKind::Other.warning(text)
    }
}

impl From<&str> for Warning {
    fn from(text: &str) -> Warning {
        WarningKind::Other.warning(text)
    }
}

impl From<Warning> for String {
    fn from(warning: Warning) -> String {
        warning.text
    }
}

impl From<&Warning> for String {
    fn from(warning: &Warning) -> String {
        warning.text.clone()
    }
}

impl PartialEq<str> for Warning {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Warning {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

impl PartialEq<String> for Warning {
    fn eq(&self, other: &String) -> bool {
        self.text == *other
    }
}

/// Warnings in JSON: the texts in the field `warnings`, which has always been there, and beside it as many kinds
/// in `warning_kinds`. For `#[serde(flatten, with = "..")]`.
pub mod side_by_side {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Warning, WarningKind};

    #[derive(Serialize, Deserialize)]
    struct Both<T> {
        warnings: Vec<T>,
        #[serde(default)]
        warning_kinds: Vec<WarningKind>,
    }

    /// Writes both fields.
    pub fn serialize<S: Serializer>(warnings: &[Warning], serializer: S) -> Result<S::Ok, S::Error> {
        Both {
            warnings: warnings.iter().map(Warning::text).collect(),
            warning_kinds: warnings.iter().map(Warning::kind).collect(),
        }
        .serialize(serializer)
    }

    /// Reads both fields; texts without a kind are of the kind [`WarningKind::Other`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Warning>, D::Error> {
        let Both::<String> { warnings, warning_kinds } = Both::deserialize(deserializer)?;
        let kinds = warning_kinds.into_iter().chain(std::iter::repeat(WarningKind::Other));
        Ok(warnings.into_iter().zip(kinds).map(|(text, kind)| kind.warning(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Held {
        #[serde(flatten, with = "side_by_side")]
        warnings: Vec<Warning>,
    }

    #[test]
    fn kinds_stand_beside_the_texts_in_json() {
        let held = Held { warnings: vec![WarningKind::Data.warning("few"), "other".into()] };
        let json = serde_json::to_string(&held).unwrap();
        assert_eq!(json, r#"{"warnings":["few","other"],"warning_kinds":["data","other"]}"#);
        assert_eq!(serde_json::from_str::<Held>(&json).unwrap(), held);
        let old: Held = serde_json::from_str(r#"{"warnings":["few"]}"#).unwrap();
        assert_eq!(old.warnings[0].kind(), WarningKind::Other);
    }

    #[test]
    fn kinds_are_serialised_by_their_names() {
        for kind in WarningKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
