//! A checker of JSON against the part of JSON Schema that `docs/schemas` uses. It is strict where that keeps
//! a schema from rotting: unknown keywords, and fields that the schema does not describe, are mistakes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// The schemas of results, by file.
#[derive(Debug, Clone)]
pub struct Schemas {
    documents: BTreeMap<String, Value>,
}

impl Schemas {
    /// Reads all of `docs/schemas`.
    pub fn load() -> Result<Schemas, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
        let mut documents = BTreeMap::new();
        for entry in std::fs::read_dir(&folder).map_err(|error| told(&error))? {
            let path = entry.map_err(|error| told(&error))?.path();
            let text = std::fs::read_to_string(&path).map_err(|error| told(&error))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            documents.insert(name, serde_json::from_str(&text).map_err(|error| told(&error))?);
        }
        Ok(Schemas { documents })
    }

    /// A schema by the name of its file.
    pub fn get(&self, file: &str) -> Option<&Value> {
        self.documents.get(file)
    }

    /// The names of results, without the schema of what they share.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        let names = self.documents.keys().filter_map(|name| name.strip_suffix(".json"));
        names.filter(|name| *name != "common")
    }

    /// What a result has against the schema that it names: one line for each mistake.
    pub fn mistakes_of_result(&self, value: &Value) -> Vec<String> {
        let name = value["schema"].as_str().unwrap_or_default();
        match name.strip_prefix("steinbound.").and_then(|name| name.strip_suffix("/1")) {
            Some(name) => self.mistakes(value, &format!("{name}.json")),
            None => vec![format!("$.schema: \"{name}\" is not steinbound.NAME/1")],
        }
    }

    /// What a value has against a schema: one line for each mistake.
    pub fn mistakes(&self, value: &Value, file: &str) -> Vec<String> {
        let mut found = Vec::new();
        match self.get(file) {
            Some(schema) => self.check(value, schema, file, "$", &mut found),
            None => found.push(format!("$: there is no schema {file}")),
        }
        found
    }

    fn check(&self, value: &Value, schema: &Value, file: &str, place: &str, found: &mut Vec<String>) {
        for (keyword, rule) in schema.as_object().into_iter().flatten() {
            self.check_rule(value, (keyword, rule), file, place, found);
        }
    }

    fn check_rule(
        &self,
        value: &Value,
        (keyword, rule): (&str, &Value),
        file: &str,
        place: &str,
        found: &mut Vec<String>,
    ) {
        let tell = |message: String| format!("{place}: {message}");
        let list = || rule.as_array().into_iter().flatten();
        match keyword {
            "$schema" | "$id" | "title" | "description" | "$defs" => {}
            "type" => {
                let names: Vec<&str> = match rule.as_str() {
                    Some(one) => vec![one],
                    None => list().filter_map(Value::as_str).collect(),
                };
                if !names.iter().any(|name| is_of_type(value, name)) {
                    found.push(tell(format!("{value} is not {}", names.join(" or "))));
                }
            }
            "const" if value != rule => found.push(tell(format!("{value} is not {rule}"))),
            "enum" if !list().any(|allowed| allowed == value) => {
                found.push(tell(format!("{value} is none of {rule}")));
            }
            "const" | "enum" => {}
            "required" if value.is_object() => {
                let missing = list().filter_map(Value::as_str).filter(|name| value.get(name).is_none());
                found.extend(missing.map(|name| tell(format!("{name} is missing"))));
            }
            "properties" => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    match rule.get(name) {
                        Some(schema) => self.check(field, schema, file, &format!("{place}.{name}"), found),
                        None => found.push(tell(format!("{name} is not in the schema"))),
                    }
                }
            }
            "items" => {
                for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                    self.check(item, rule, file, &format!("{place}[{k}]"), found);
                }
            }
            "required" => {}
            "anyOf" => {
                let attempts = list().map(|choice| {
                    let mut inner = Vec::new();
                    self.check(value, choice, file, place, &mut inner);
                    inner
                });
                found.extend(attempts.min_by_key(Vec::len).unwrap_or_default());
            }
            "$ref" => {
                let (target, pointer) = {
                    let rule = rule.as_str().unwrap_or_default();
                    rule.split_once('#').unwrap_or((rule, ""))
                };
                let target = if target.is_empty() { file } else { target };
                match self.get(target).and_then(|document| document.pointer(pointer)) {
                    Some(schema) => self.check(value, schema, target, place, found),
                    None => found.push(tell(format!("{rule} leads nowhere"))),
                }
            }
            other => found.push(format!("{file}: the checker does not know \"{other}\"")),
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checker_finds_what_is_wrong() {
        let schemas = Schemas::load().unwrap();
        let good = serde_json::json!({"schema": "steinbound.figures/1", "figures": [{"name": "a", "trials": 1, "title": "b"}]});
        assert_eq!(schemas.mistakes_of_result(&good), Vec::<String>::new());
        let wrong = |change: &dyn Fn(&mut Value)| {
            let mut value = good.clone();
            change(&mut value);
            schemas.mistakes(&value, "figures.json").join("\n")
        };
        assert_eq!(wrong(&|v| v["schema"] = "x".into()), "$.schema: \"x\" is not \"steinbound.figures/1\"");
        assert_eq!(wrong(&|v| v["more"] = 1.into()), "$: more is not in the schema");
        assert_eq!(
            wrong(&|v| v["figures"][0]["trials"] = 1.5.into()),
            "$.figures[0].trials: 1.5 is not integer"
        );
        assert_eq!(wrong(&|v| v["figures"] = Value::Null), "$.figures: null is not array");
        assert_eq!(wrong(&|v| drop(v.as_object_mut().unwrap().remove("figures"))), "$: figures is missing");
        let fit = serde_json::json!({"schema": "steinbound.fit/1", "method": "tksd", "statistic": "magic", "kernel": 3});
        let found = schemas.mistakes_of_result(&fit).join("\n");
        assert!(
            found.contains("$.statistic: \"magic\" is none of") && found.contains("$.kernel: 3 is not"),
            "{found}"
        );
        assert_eq!(schemas.mistakes_of_result(&serde_json::json!({"schema": "x"})).len(), 1);
    }
}
