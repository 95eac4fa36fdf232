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

/// A package that is published, with its folder and the roots of what it compiles.
#[derive(Debug)]
struct Published {
    name: String,
    folder: PathBuf,
    targets: Vec<PathBuf>,
}

fn published() -> Vec<Published> {
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
        // Examples and tests may be left out; what is compiled for a user may not.
        let targets = package["targets"].as_array().unwrap().iter().filter(|target| {
            let kind = target["kind"][0].as_str().unwrap();
            ["lib", "bin", "custom-build"].contains(&kind)
        });
        let targets = targets.map(|target| PathBuf::from(target["src_path"].as_str().unwrap())).collect();
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        Published { name, folder: folder.to_path_buf(), targets }
    });
    described.collect()
}

#[test]
fn packages_have_what_they_need() {
    let published = published();
    assert_eq!(published.len(), 7, "{published:?}");
    for Published { name, folder, targets } in &published {
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "--package", name]);
        let listed = |path: &str| list.lines().any(|line| line == path);
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
            assert!(listed(file), "{name} lacks {file}:\n{list}");
        }
        for target in targets {
            let path = target.strip_prefix(folder).unwrap().to_str().unwrap();
            assert!(listed(path), "{name} lacks {path}, which it compiles");
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
