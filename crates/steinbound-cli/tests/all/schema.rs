//! A checker of JSON against the part of JSON Schema that `docs/schemas` uses. It is strict where that keeps
//! a schema from rotting: unknown keywords, and fields that the schema does not describe, are mistakes.

use serde_json::Value;

/// What a value has against its schema: one line for each mistake.
pub fn mistakes(value: &Value, file: &str) -> Vec<String> {
    let mut found = Vec::new();
    let schema = read(file);
    check(value, &schema, file, "$", &mut found);
    found
}

pub fn read(file: &str) -> Value {
    let path = format!("{}/../../docs/schemas/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn check(value: &Value, schema: &Value, file: &str, place: &str, found: &mut Vec<String>) {
    let tell = |message: String| format!("{place}: {message}");
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$schema" | "$id" | "title" | "description" | "$defs" => {}
            "type" => {
                let names: Vec<&str> = match rule {
                    Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
                    one => one.as_str().into_iter().collect(),
                };
                if !names.iter().any(|name| is_of_type(value, name)) {
                    found.push(tell(format!("{value} is not {}", names.join(" or "))));
                }
            }
            "const" if value != rule => found.push(tell(format!("{value} is not {rule}"))),
            "enum" if !rule.as_array().expect("a list").contains(value) => {
                found.push(tell(format!("{value} is none of {rule}")))
            }
            "const" | "enum" => {}
            "required" if value.is_object() => {
                for name in rule.as_array().expect("a list").iter().filter_map(Value::as_str) {
                    if value.get(name).is_none() {
                        found.push(tell(format!("{name} is missing")));
                    }
                }
            }
            "properties" if value.is_object() => {
                for (name, field) in value.as_object().expect("an object") {
                    match rule.get(name) {
                        Some(schema) => check(field, schema, file, &format!("{place}.{name}"), found),
                        None => found.push(format!("{place}: {name} is not in the schema")),
                    }
                }
            }
            "items" => {
                for (k, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(item, rule, file, &format!("{place}[{k}]"), found);
                }
            }
            "required" | "properties" => {}
            "anyOf" => {
                let mut best: Option<Vec<String>> = None;
                for choice in rule.as_array().expect("a list") {
                    let mut inner = Vec::new();
                    check(value, choice, file, place, &mut inner);
                    if best.as_ref().is_none_or(|best| inner.len() < best.len()) {
                        best = Some(inner);
                    }
                }
                found.extend(best.unwrap_or_default());
            }
            "$ref" => {
                let (target, pointer) =
                    rule.as_str().expect("text").split_once('#').unwrap_or((rule.as_str().unwrap(), ""));
                let target = if target.is_empty() { file } else { target };
                let document = read(target);
                let schema = document.pointer(pointer).unwrap_or_else(|| panic!("{rule} leads nowhere"));
                check(value, schema, target, place, found);
            }
            other => panic!("{file}: the checker does not know \"{other}\""),
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
        other => panic!("no type \"{other}\""),
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let good = serde_json::json!({"schema": "steinbound.figures/1", "figures": [{"name": "a", "trials": 1, "title": "b"}]});
    assert_eq!(mistakes(&good, "figures.json"), Vec::<String>::new());
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        mistakes(&value, "figures.json").join("\n")
    };
    assert_eq!(wrong(&|v| v["schema"] = "x".into()), "$.schema: \"x\" is not \"steinbound.figures/1\"");
    assert_eq!(wrong(&|v| v["more"] = 1.into()), "$: more is not in the schema");
    assert_eq!(wrong(&|v| v["figures"][0]["trials"] = 1.5.into()), "$.figures[0].trials: 1.5 is not integer");
    assert_eq!(wrong(&|v| v["figures"] = Value::Null), "$.figures: null is not array");
    assert_eq!(wrong(&|v| drop(v.as_object_mut().unwrap().remove("figures"))), "$: figures is missing");
    let fit = serde_json::json!({"schema": "steinbound.fit/1", "method": "tksd", "statistic": "magic", "kernel": 3});
    let found = mistakes(&fit, "fit.json").join("\n");
    assert!(
        found.contains("$.statistic: \"magic\" is none of") && found.contains("$.kernel: 3 is not"),
        "{found}"
    );
}
