//! Facts of the build that `steinbound --version` prints. There is no date among them: the same source gives
//! the same bits.

use std::env::var;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let compiler = var("RUSTC").ok().and_then(|rustc| said(&rustc, &["--version"]));
    for (name, value) in [
        ("STEINBOUND_TARGET", var("TARGET").ok()),
        ("STEINBOUND_PROFILE", var("PROFILE").ok()),
        ("STEINBOUND_COMPILER", compiler),
        ("STEINBOUND_COMMIT", commit()),
    ] {
        println!("cargo::rustc-env={name}={}", value.unwrap_or_default());
    }
}

/// The commit, where this package is part of a repository. A package that was unpacked below somebody else's
/// repository is not.
fn commit() -> Option<String> {
    said("git", &["ls-files", "--error-unmatch", "Cargo.toml"])?;
    // What changes with the commit: the branch that is checked out, where it stands, and the list of both.
    let branch = said("git", &["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) = said("git", &["rev-parse", "--git-path", name])
            && std::path::Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    said("git", &["rev-parse", "--short=12", "HEAD"])
}

/// The first line that a program prints, where it succeeds.
fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim().to_string();
    (output.status.success() && !line.is_empty()).then_some(line)
}
