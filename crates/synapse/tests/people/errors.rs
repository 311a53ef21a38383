//! An error that has its cause in its own message must not give it as its source as well: whoever prints
//! the whole chain would say it twice.
use std::fs;
use std::path::{Path, PathBuf};

/// The lines on which an error of this source tells its cause twice.
fn breaches(source: &str) -> Vec<usize> {
    let lines: Vec<&str> = source.lines().collect();
    let begins = |line: &&str| line.trim_start().starts_with("#[error(");
    let mut found = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| begins(line)) {
        let rest = lines.iter().skip(at);
        let head = 1 + rest
            .clone()
            .take_while(|line| !line.trim_end().ends_with(")]"))
            .count();
        let says = |what: &str| rest.clone().take(head).any(|line| line.contains(what));
        // The variant, up to where it closes or the next one begins.
        let body = rest
            .clone()
            .skip(head)
            .take_while(|line| !begins(line) && !matches!(line.trim(), "}" | "},"));
        let is_source = |line: &&str| line.contains("#[from]") || line.contains("#[source]");
        if says("{source") || says("{0") && body.clone().any(is_source) {
            found.push(at + 1);
        }
    }
    found
}

#[test]
fn no_error_tells_its_cause_twice() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> = ["synapse", "synapse-term", "synapse-a2a"]
        .map(|name| crates.join(name).join("src"))
        .into();
    let mut complaints = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let lines = breaches(&fs::read_to_string(&path).unwrap());
                complaints.extend(
                    lines
                        .iter()
                        .map(|line| format!("{}:{line}", path.display())),
                );
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn a_breach_is_found_however_it_is_written() {
    let twice = "#[error(\"a {}: {source}\", b.c())]\nRead {\n    source: io::Error,\n},\n";
    assert_eq!(breaches(twice), [1]);
    let twice = "\n#[error(\n    \"a: {0}\"\n)]\nIo(#[from] io::Error),\n";
    assert_eq!(breaches(twice), [2]);
    let once = "#[error(\"a: {0}\")]\nA(String),\n#[error(transparent)]\nB(#[from] C),\n";
    assert!(breaches(once).is_empty());
}
