//! What goes to a registry holds all that it needs, and nothing from beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::pages;

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(pages::root()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The packages that are published, each with its folder.
fn published() -> Vec<(String, PathBuf)> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().filter(|p| p["publish"].is_null());
    let described = packages.map(|package| {
        let name = package["name"].as_str().unwrap().to_string();
        for field in ["description", "license", "readme"] {
            assert!(package[field].is_string(), "{name} has no {field}");
        }
        for field in ["keywords", "categories"] {
            assert!(!package[field].as_array().unwrap().is_empty(), "{name} has no {field}");
        }
        (name, Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_path_buf())
    });
    described.collect()
}

#[test]
fn packages_have_what_they_need() {
    let published = published();
    assert_eq!(published.len(), 6, "{published:?}");
    for (name, folder) in &published {
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "--package", name]);
        let listed = |path: &str| list.lines().any(|line| line == path);
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(listed(file), "{name} lacks {file}:\n{list}");
        }
        let sources = list.lines().filter(|path| path.ends_with(".rs"));
        for source in sources {
            for included in included(&folder.join(source)) {
                let path = included.strip_prefix(folder.canonicalize().unwrap());
                let path =
                    path.unwrap_or_else(|_| panic!("{name}, {source} includes {}", included.display()));
                assert!(listed(path.to_str().unwrap()), "{name}, {source}: {} is left out", path.display());
            }
        }
    }
}

/// The files that a source takes in when it is compiled.
fn included(source: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(source).unwrap();
    let starts = ["include_str!(\"", "include_bytes!(\"", "include!(\"", "#[path = \""];
    let names =
        starts.iter().flat_map(|start| text.split(start).skip(1)).filter_map(|rest| rest.split('"').next());
    names.map(|name| source.parent().unwrap().join(name).canonicalize().unwrap()).collect()
}
