//! The pages that people read, at the root and in the book, as blocks, marks, links and headings.

use std::path::{Path, PathBuf};

/// A page, by its path from the root of the repository.
pub struct Page {
    pub path: String,
    pub text: String,
}

/// A fenced block, and the HTML comments right before it.
pub struct Block {
    pub language: String,
    pub text: String,
    pub marks: Vec<String>,
    /// Where it starts, counted from one.
    pub line: usize,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The pages at the root and every page of the book, in the order of their names.
pub fn all() -> Vec<Page> {
    let root = root();
    let mut paths: Vec<PathBuf> = ["CHANGELOG.md", "CONTRIBUTING.md", "README.md"].map(PathBuf::from).into();
    let mut folders = vec![PathBuf::from("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let read = |path: PathBuf| Page {
        text: std::fs::read_to_string(root.join(&path)).unwrap(),
        path: path.to_str().unwrap().replace('\\', "/"),
    };
    paths.into_iter().map(read).collect()
}

impl Page {
    /// The fenced blocks, in order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut marks = Vec::new();
        let mut lines = self.text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let inside: Vec<&str> =
                    lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
                blocks.push(Block {
                    language: language.to_string(),
                    text: inside.join("\n"),
                    marks: std::mem::take(&mut marks),
                    line: number + 1,
                });
            } else if let Some(mark) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
                marks.push(mark.to_string());
            } else if !line.trim().is_empty() {
                marks.clear();
            }
        }
        blocks
    }

    /// The text without fenced blocks and without what is in backticks.
    pub fn prose(&self) -> String {
        let mut is_inside = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            if line.starts_with("```") {
                is_inside = !is_inside;
            } else if !is_inside {
                prose.extend(line.split('`').step_by(2));
                prose.push('\n');
            }
        }
        prose
    }

    /// The targets of links and images, as they are written.
    pub fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let starts = prose.match_indices("](").map(|(at, _)| at + 2);
        starts.filter_map(|at| prose[at..].split_once(')')).map(|(target, _)| target.to_string()).collect()
    }

    /// The anchors of the headings: letters, digits, `-` and `_` in small letters, spaces as `-`.
    pub fn anchors(&self) -> Vec<String> {
        let mut is_inside = false;
        let mut anchors = Vec::new();
        for line in self.text.lines() {
            is_inside ^= line.starts_with("```");
            let title = line.trim_start_matches('#');
            if !is_inside && line.starts_with('#') && title.starts_with(' ') {
                let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                anchors.push(kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase());
            }
        }
        anchors
    }
}

impl Block {
    /// What stands after a mark of that name, as in `exit: 3`; empty where nothing does.
    pub fn mark(&self, name: &str) -> Option<&str> {
        self.marks.iter().find_map(|mark| match mark.strip_prefix(name) {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix(':').map(str::trim),
            None => None,
        })
    }

    /// The commands: lines joined where a backslash goes on, without those that are only a comment.
    pub fn commands(&self) -> Vec<String> {
        let joined = self.text.replace("\\\n", " ");
        let lines = joined.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(String::from).collect()
    }
}
