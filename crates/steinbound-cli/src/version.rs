//! What `--version` prints: enough to know which program a result came from.

use std::sync::LazyLock;

/// The kinds of JSON that the command prints; `docs/schemas` has a schema for each.
pub const SCHEMAS: [&str; 10] = [
    "boundary/1",
    "compare/1",
    "demo/1",
    "discrepancy/1",
    "figures/1",
    "fit/1",
    "reproduce/1",
    "simulate/1",
    "test/1",
    "witness/1",
];

static FACTS: LazyLock<String> = LazyLock::new(|| {
    let facts = [
        ("commit", env!("STEINBOUND_COMMIT")),
        ("target", env!("STEINBOUND_TARGET")),
        ("compiler", env!("STEINBOUND_COMPILER")),
        ("profile", env!("STEINBOUND_PROFILE")),
        ("vector unit", steinbound::simd_level()),
        ("JSON", &SCHEMAS.join(" ")),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let lines = known.map(|(name, value)| format!("\n{name:<13}{value}"));
    env!("CARGO_PKG_VERSION").to_string() + &lines.collect::<String>()
});

/// The version, and below it the facts of the build and of this machine.
pub fn facts() -> &'static str {
    &FACTS
}
