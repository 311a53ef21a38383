//! Where the values of a file stand, and how much a file may hold.
#![cfg(test)]

use std::fmt::Write as _;

use synapse_yaml::{Booleans, Error, Kind, Node, parse};

fn refused(text: &str) -> Error {
    parse(text, Booleans::Strict).unwrap_err()
}

/// What stands where: keys with a colon, lists and maps as brackets.
fn places(node: &Node, found: &mut Vec<(String, u64, u64)>) {
    let text = match &node.kind {
        Kind::Scalar(scalar) => &scalar.text,
        Kind::List(_) => "[]",
        Kind::Map(_) => "{}",
    };
    found.push((text.to_owned(), node.place.line, node.place.column));
    if let Kind::List(list) = &node.kind {
        for item in list {
            places(item, found);
        }
    }
    for (name, value) in node.entries() {
        found.push((
            format!("{}:", name.text),
            name.place.line,
            name.place.column,
        ));
        places(value, found);
    }
}

#[test]
fn every_key_and_value_has_its_place_and_what_an_alias_means_has_that_of_the_alias() {
    let mut found = Vec::new();
    let text = "a: &x [1, 'y']\nb: {c: *x}\nd:\n  語: e\n  <<:\n    f: g\n";
    places(&parse(text, Booleans::Strict).unwrap(), &mut found);
    let found: Vec<(&str, u64, u64)> = found.iter().map(|(s, l, c)| (s.as_str(), *l, *c)).collect();
    assert_eq!(
        found,
        [
            ("{}", 1, 1),
            ("a:", 1, 1),
            ("[]", 1, 7),
            ("1", 1, 8),
            ("y", 1, 11),
            ("b:", 2, 1),
            ("{}", 2, 4),
            ("c:", 2, 5),
            ("[]", 2, 8),
            ("1", 2, 8),
            ("y", 2, 8),
            ("d:", 3, 1),
            ("{}", 4, 3),
            ("語:", 4, 3),
            ("e", 4, 6),
            ("f:", 6, 5),
            ("g", 6, 8),
        ]
    );
}

#[test]
fn a_list_stands_at_its_first_hyphen_however_far_it_is_indented() {
    for (text, line, column) in [
        ("a:\n- x\n", 2, 1),
        ("a:\n  - x\n", 2, 3),
        ("a:\n-   # c\n  x\n", 2, 1),
        ("a:\n\n-\n- x\n", 3, 1),
        ("a: &y\n- x\n", 2, 1),
        ("? a\n: - x\n", 2, 3),
        ("a: # ü\n- - x\n", 2, 1),
        ("a: [x]\n", 1, 4),
    ] {
        let node = parse(text, Booleans::Strict).unwrap();
        let place = node.entries()[0].1.place;
        assert_eq!((place.line, place.column), (line, column), "{text}");
    }
    let mut found = Vec::new();
    let text = "- - a:\n    - ü:\n      - x\n";
    places(&parse(text, Booleans::Strict).unwrap(), &mut found);
    let lists = found.iter().filter(|(text, ..)| text == "[]");
    let lists: Vec<(u64, u64)> = lists.map(|(_, line, column)| (*line, *column)).collect();
    assert_eq!(lists, [(1, 1), (1, 3), (2, 5), (3, 7)]);
}

#[test]
fn aliases_of_aliases_end() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let below = format!("*a{}", level - 1);
        let ten = [below.as_str(); 10].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{ten}]");
    }
    assert_eq!(
        refused(&bomb).to_string(),
        "it says too much, with its aliases filled in"
    );
    let long = format!(
        "a: &a '{}'\nb: [{}]\n",
        "x".repeat(1 << 20),
        "*a, ".repeat(100)
    );
    assert!(refused(&long).to_string().contains("too much"));
    let merged = format!(
        "a: &a {{k: '{}'}}\nb: [{}]\n",
        "x".repeat(1 << 20),
        "{<<: *a}, ".repeat(100)
    );
    assert!(refused(&merged).to_string().contains("too much"));
}

#[test]
fn what_lies_too_deep_is_refused() {
    for (open, close, fits) in [("[", "]", 127), ("{a: ", "}", 127)] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert!(parse(&nested(fits), Booleans::Strict).is_ok(), "{open}");
        let error = refused(&nested(fits + 1));
        assert_eq!(error.to_string(), "more than 128 values lie in each other");
        assert!(parse(&nested(100_000), Booleans::Strict).is_err(), "{open}");
    }
    let steps = (1..100).map(|level| format!("a{level}: &a{level} [[*a{}]]\n", level - 1));
    let text = format!("a0: &a0 x\n{}", steps.collect::<String>());
    assert!(refused(&text).to_string().contains("128"));
}

#[test]
fn a_file_cannot_move_the_cursor_of_whoever_reads_its_errors() {
    let error = refused("\"a\\eb\": 1\n\"a\\eb\": 2\n").to_string();
    assert_eq!(error, r"the key 'a\u{1b}b' appears a second time");
}
