//! What each of many files says. `corpus.txt` has a file as a JSON string, and below it what it says as JSON, or where
//! it is wrong and why; a second line where words such as `yes` are true and false. With `UPDATE_CORPUS` set, what is
//! below is written anew.
#![cfg(test)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use synapse_yaml::{Booleans, parse};

fn said(text: &str, booleans: Booleans) -> String {
    match parse(text, booleans) {
        Ok(node) => node.value().to_string(),
        Err(error) => {
            let place = error.place();
            format!("{}:{}: {error}", place.line, place.column)
        }
    }
}

#[test]
fn every_file_of_the_corpus_says_what_it_said() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus.txt");
    let wanted = fs::read_to_string(&file).unwrap();
    let mut found = String::new();
    for case in wanted.lines().filter(|line| line.starts_with('"')) {
        let text: String = serde_json::from_str(case).unwrap();
        let strict = said(&text, Booleans::Strict);
        let words = said(&text, Booleans::Words);
        let _ = writeln!(found, "{case}\n    {strict}");
        if words != strict {
            let _ = writeln!(found, "    {words}");
        }
    }
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        fs::write(&file, &found).unwrap();
    }
    for (wanted, found) in wanted.lines().zip(found.lines()) {
        assert_eq!(wanted, found);
    }
    assert_eq!(wanted.lines().count(), found.lines().count());
}

#[test]
fn every_yaml_file_and_example_of_the_repository_can_be_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for file in [
        "",
        "docs",
        "crates/synapse-flow/flows",
        "crates/synapse-term/profiles",
    ]
    .iter()
    .flat_map(|folder| files(&root.join(folder)))
    {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let documents: Vec<&str> = match file.extension().and_then(|ending| ending.to_str()) {
            Some("yaml") => vec![&text],
            Some("md") => text
                .split("```yaml\n")
                .skip(1)
                .filter_map(|rest| rest.split("```").next())
                .collect(),
            _ => continue,
        };
        for document in documents {
            count += 1;
            if let Err(error) = parse(document, Booleans::Strict) {
                panic!("{}: {error}\n{document}", file.display());
            }
        }
    }
    assert!(count > 25, "{count}");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
