//! The book has no page that nobody finds, and no link that leads nowhere.

use std::collections::BTreeSet;

use crate::pages::{self, Page};

#[test]
fn the_summary_lists_every_page() {
    let pages = pages::all();
    let summary = pages.iter().find(|page| page.path == "docs/src/SUMMARY.md").unwrap();
    let listed: Vec<String> = summary.links().iter().map(|link| format!("docs/src/{link}")).collect();
    let distinct: BTreeSet<&String> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len(), "a page is listed twice");
    let found = pages.iter().map(|page| &page.path).filter(|path| path.starts_with("docs/src/"));
    let found: BTreeSet<&String> = found.filter(|path| !path.ends_with("SUMMARY.md")).collect();
    assert_eq!(distinct, found, "SUMMARY.md and the files in docs/src differ");
}

/// The page at a path such as `docs/src/guide/../method.md`.
fn resolved<'a>(pages: &'a [Page], path: &str) -> Option<&'a Page> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    pages.iter().find(|page| page.path == parts.join("/"))
}

#[test]
fn relative_links_and_anchors_lead_somewhere() {
    let pages = pages::all();
    let root = pages::root();
    let mut broken = Vec::new();
    let mut checked = 0;
    for page in &pages {
        let folder = page.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        for link in page.links().iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.path.clone() } else { format!("{folder}/{file}") };
            let is_there = root.join(&target).exists();
            let has_anchor = anchor.is_empty()
                || resolved(&pages, &target).is_some_and(|page| page.anchors().iter().any(|a| a == anchor));
            if !is_there || !has_anchor {
                broken.push(format!("{}: {link}", page.path));
            }
            checked += 1;
        }
        // Files that mdBook puts into a page.
        for (at, start) in page.text.match_indices("{{#include ") {
            let path = page.text[at + start.len()..].split(['}', ':']).next().unwrap();
            if !root.join(folder).join(path).exists() {
                broken.push(format!("{}: {path}", page.path));
            }
        }
    }
    assert!(broken.is_empty(), "these lead nowhere: {broken:#?}");
    assert!(checked > 30, "only {checked} links were found");
}

/// The examples in Rust are compiled by the crate in docs, which has to know the page.
#[test]
fn pages_with_rust_are_compiled() {
    let list = std::fs::read_to_string(pages::root().join("docs/examples.rs")).unwrap();
    for page in pages::all() {
        let name = page.path.strip_prefix("docs/").map_or(format!("../{}", page.path), String::from);
        if page.blocks().iter().any(|block| block.language == "rust") {
            assert!(list.contains(&format!("\"{name}\"")), "docs/examples.rs does not name {name}");
        }
    }
}

/// A message that the book explains, between curly quotes, is one of the code's; `…` stands for what it fills
/// in.
#[test]
fn messages_are_those_of_the_code() {
    let sources = ["steinbound", "steinbound-io", "steinbound-request", "steinbound-cli"];
    let mut folders: Vec<_> = sources.map(|name| pages::root().join(format!("crates/{name}/src"))).into();
    let mut code = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                code += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    // A backslash at the end of a line joins it with the next.
    let plain = |text: &str| text.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ");
    let code = plain(&code);
    let page = std::fs::read_to_string(pages::root().join("docs/src/messages.md")).unwrap();
    let quoted: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| “")?.split('”').next()).collect();
    assert!(quoted.len() > 15, "{quoted:?}");
    for part in quoted.iter().flat_map(|message| message.split('…')).map(plain) {
        assert!(code.contains(part.trim_start_matches(", ")), "no message has \"{part}\"");
    }
}
