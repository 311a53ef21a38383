//! Typed values, and what is said of those that are none.
#![cfg(test)]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use synapse_yaml::{What, from_str};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Card {
    name: String,
    size: Option<u8>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    suit: Suit,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Suit {
    #[default]
    Hearts,
    Spades,
    Joker(String),
    Pair {
        one: i8,
    },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Either {
    Flag(bool),
    Number(i64),
    Word(String),
    List(Vec<String>),
}

fn wrong<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
    let error = from_str::<T>(text).unwrap_err();
    let place = error.place();
    format!("{}:{}: {error}", place.line, place.column)
}

#[test]
fn text_stays_as_it_is_written() {
    for text in [
        "123",
        "1.10",
        "yes",
        "0x10",
        "1_000",
        "007",
        ".inf",
        "true",
        "1e3",
        "2024-01-01",
    ] {
        assert_eq!(from_str::<String>(text).unwrap(), text);
        let map: BTreeMap<String, String> = from_str(&format!("{text}: {text}\n")).unwrap();
        assert_eq!(map[text], text);
    }
}

#[test]
fn numbers_and_flags_may_be_quoted_and_are_what_they_are_asked_to_be() {
    for text in [
        "16", "0x10", "0o20", "0b10000", "+16", "'16'", "' 16 '", "1_6", "016", "+0016",
    ] {
        assert_eq!(from_str::<u8>(text).unwrap(), 16, "{text}");
        assert_eq!(from_str::<i64>(text).unwrap(), 16, "{text}");
    }
    for text in ["256", "-1", "1.0", "1e2", "1__6", "x", "''", "[1]", "~"] {
        assert!(from_str::<u8>(text).is_err(), "{text}");
    }
    assert_eq!(from_str::<i8>("-128").unwrap(), -128);
    for (text, number) in [
        ("1", 1.0),
        ("-1.5", -1.5),
        (".5", 0.5),
        ("1e3", 1e3),
        ("'2'", 2.0),
    ] {
        assert!(
            (from_str::<f64>(text).unwrap() - number).abs() < 1e-9,
            "{text}"
        );
    }
    assert!(from_str::<f64>(".inf").unwrap().is_infinite());
    for text in ["inf", "nan", "1e999", "x", "~", "[]"] {
        assert!(from_str::<f64>(text).is_err(), "{text}");
    }
    for (text, flag) in [
        ("yes", true),
        ("On", true),
        ("'y'", true),
        ("NO", false),
        ("off", false),
    ] {
        assert_eq!(from_str::<bool>(text).unwrap(), flag, "{text}");
    }
    for text in ["1", "tru", "~", "[]"] {
        assert!(from_str::<bool>(text).is_err(), "{text}");
    }
}

#[test]
fn nothing_is_none_an_empty_list_or_an_empty_map_but_no_text() {
    for text in ["", "~", "null", "# nothing\n"] {
        assert_eq!(from_str::<Option<String>>(text).unwrap(), None);
        assert!(from_str::<Vec<String>>(text).unwrap().is_empty());
        assert!(from_str::<BTreeMap<String, u8>>(text).unwrap().is_empty());
        assert!(from_str::<String>(text).is_err());
    }
    assert_eq!(from_str::<Option<String>>("''").unwrap().unwrap(), "");
}

#[test]
fn a_variant_is_a_name_or_a_map_with_one() {
    let read = |text| from_str::<Suit>(text).unwrap();
    assert_eq!(read("spades"), Suit::Spades);
    assert_eq!(read("{spades: }"), Suit::Spades);
    assert_eq!(read("joker: 1.10"), Suit::Joker("1.10".to_owned()));
    assert_eq!(read("pair: {one: -1}"), Suit::Pair { one: -1 });
    assert_eq!(
        wrong::<Suit>("x: 1"),
        "1:1: unknown variant `x`, expected one of hearts, spades, joker, pair"
    );
    assert_eq!(
        wrong::<Suit>("joker"),
        "1:1: 'joker' stands without what it holds"
    );
    assert_eq!(
        wrong::<Suit>("spades: 1"),
        "1:9: unexpected value for unit enum variant"
    );
    assert_eq!(
        wrong::<Suit>("[spades]"),
        "1:1: externally tagged enum expected scalar or mapping"
    );
}

#[test]
fn what_may_be_of_several_types_is_what_it_looks_like() {
    let read = |text| from_str::<Either>(text).unwrap();
    assert_eq!(read("yes"), Either::Flag(true));
    assert_eq!(read("'yes'"), Either::Word("yes".to_owned()));
    assert_eq!(read("-5"), Either::Number(-5));
    assert_eq!(read("ls -l"), Either::Word("ls -l".to_owned()));
    assert_eq!(read(".inf"), Either::Word(".inf".to_owned()));
    assert_eq!(
        read("[a, 'b']"),
        Either::List(vec!["a".to_owned(), "b".to_owned()])
    );
    assert!(wrong::<Either>("{a: 1}").starts_with("1:1: data did not match"));
}

#[test]
fn an_error_has_the_place_of_the_innermost_value() {
    for (text, wanted) in [
        ("size: 1\n", "1:1: missing field `name`"),
        ("name: x\nsize: 256\n", "2:7: invalid u8"),
        ("name: x\ntags: [a, [b]]\n", "2:11: expected string scalar"),
        (
            "name: x\ntags: [a, ~]\n",
            "2:11: nothing stands where text is expected",
        ),
        ("name: x\ntags: a\n", "2:7: expected sequence start"),
        (
            "name: x\nsuit: clubs\n",
            "2:7: unknown variant `clubs`, expected one of hearts, spades, joker, pair",
        ),
        ("- name: x\n", "1:1: expected mapping start"),
        (
            "a: &a 300\nname: x\nsize: *a\n",
            "1:1: unknown field `a`, expected one of name, size, tags, suit",
        ),
        (
            "name: x\ntags: &t [~]\nsize: *t\n",
            "2:11: nothing stands where text is expected",
        ),
    ] {
        assert_eq!(wrong::<Card>(text), wanted, "{text}");
    }
    let error = from_str::<Card>("nmae: x\n").unwrap_err();
    let known = &["name", "size", "tags", "suit"];
    let key = "nmae".to_owned();
    assert_eq!(error.what(), &What::UnknownKey { key, known });
}
