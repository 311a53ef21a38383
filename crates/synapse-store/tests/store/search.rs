//! Finding tasks by their words: in any language, and by any characters.

use proptest::prelude::*;
use synapse_a2a::id::TaskId;
use synapse_store::{Field, SearchHit};

use crate::shelf::{Shelf, Tale};

fn find(shelf: &Shelf, query: &str) -> Vec<String> {
    let found = shelf.reader().search(query, 100, None).unwrap();
    found.iter().map(|found| found.task.to_string()).collect()
}

async fn shelf_of(tales: impl IntoIterator<Item = Tale>) -> Shelf {
    let shelf = Shelf::new();
    shelf.fill("ada", tales).await;
    shelf
}

#[tokio::test]
async fn words_are_found_in_messages_and_replies_in_any_case() {
    let shelf = shelf_of([
        Tale::new("t1", "Fix the Parser").replies("The tests pass."),
        Tale::new("t2", "write a poem").replies("Roses are red, PARSERS are blue"),
        Tale::new("t3", "something else").replies("Straße und Äpfel"),
    ])
    .await;
    assert_eq!(find(&shelf, "parser"), ["t2", "t1"], "the latest first");
    assert_eq!(
        find(&shelf, "pars tests"),
        ["t1"],
        "all words, wherever they stand"
    );
    assert_eq!(find(&shelf, "äpfel"), ["t3"]);
    assert_eq!(find(&shelf, "nothing of that"), [""; 0]);
    let found = shelf.reader().search("roses", 10, None).unwrap();
    let [
        SearchHit {
            handle,
            field,
            snippet,
            ..
        },
    ] = found.as_slice()
    else {
        panic!("{found:?}");
    };
    assert_eq!((handle.as_str(), *field), ("ada", Field::Reply));
    assert_eq!(snippet, "Roses are red, PARSERS are blue");
}

#[tokio::test]
async fn japanese_is_found_without_spaces_between_words() {
    let shelf = shelf_of([
        Tale::new("t1", "構文解析器を直してください").replies("テストはすべて通りました。"),
        Tale::new("t2", "東京の天気は？").replies("晴れです"),
    ])
    .await;
    assert_eq!(find(&shelf, "解析器"), ["t1"]);
    assert_eq!(find(&shelf, "すべて通り"), ["t1"]);
    assert_eq!(find(&shelf, "東京"), ["t2"], "two characters are enough");
    assert_eq!(find(&shelf, "は"), ["t2", "t1"], "even one is");
    assert_eq!(find(&shelf, "天気 晴れ"), ["t2"]);
    assert_eq!(find(&shelf, "東京 構文解析"), [""; 0]);
}

#[tokio::test]
async fn no_character_of_a_query_is_special() {
    let hostile = [
        "\"",
        "\"\"",
        "\"abc",
        "abc*",
        "*",
        "^abc",
        "abc AND",
        "AND OR NOT",
        "NEAR(abc def)",
        "message:abc",
        "{message reply}: abc",
        "- abc",
        "abc + def",
        "(",
        "((abc",
        ")",
        "'",
        "'; DROP TABLE tasks; --",
        "%",
        "_",
        "\\",
        "%%%",
        "___",
        "\\%",
        "a%b",
        "💥",
        "💥💥💥",
        "é́",
        "abc\0def",
        "\0",
        "\u{1b}[31m",
        "\u{feff}",
        "\u{202e}abc",
    ];
    let shelf = shelf_of([Tale::new("plain", "nothing to see").replies("here")]).await;
    for query in hostile {
        assert_eq!(find(&shelf, query), [""; 0], "{query:?}");
    }
    let tales = hostile.iter().enumerate().map(|(number, text)| {
        Tale::new(&format!("t{number}"), &format!("before {text} behind")).replies("x")
    });
    let shelf = shelf_of(tales).await;
    for (number, query) in hostile.iter().enumerate() {
        if query.chars().all(char::is_control) {
            continue;
        }
        let name = format!("t{number}");
        assert!(
            find(&shelf, query).contains(&name),
            "{query:?} does not find itself"
        );
    }
}

#[tokio::test]
async fn a_query_of_any_length_is_answered() {
    let shelf = shelf_of([Tale::new("t1", "word").replies("x")]).await;
    assert_eq!(find(&shelf, &"y".repeat(200_000)), [""; 0]);
    assert_eq!(find(&shelf, &"word ".repeat(10_000)), ["t1"]);
    assert_eq!(find(&shelf, ""), [""; 0]);
    assert_eq!(find(&shelf, " \n\t "), [""; 0]);
}

#[tokio::test]
async fn tasks_that_are_not_over_are_found_too() {
    let shelf = Shelf::new();
    let store = shelf.store("ada");
    let open = Tale::new("t1", "an open question")
        .works()
        .opens()
        .grows("half an answer");
    store.commit(open.entries).await.unwrap();
    for query in ["open question", "half", "an"] {
        assert_eq!(find(&shelf, query), ["t1"], "{query}");
    }
    assert_eq!(find(&shelf, "whole"), [""; 0]);
    store.close().await;
}

#[tokio::test]
async fn results_come_page_by_page() {
    let tales = (0..25).map(|number| {
        let tale = Tale::new(&format!("t{number:02}"), "the same words");
        if number % 5 == 0 {
            tale
        } else {
            tale.replies("as ever")
        }
    });
    let shelf = shelf_of(tales).await;
    for query in ["same", "me"] {
        let mut names = Vec::new();
        let mut before: Option<TaskId> = None;
        loop {
            let found = shelf.reader().search(query, 4, before.as_ref()).unwrap();
            let Some(last) = found.last() else {
                break;
            };
            before = Some(last.task.clone());
            names.extend(found.into_iter().map(|found| found.task.to_string()));
        }
        let all: Vec<String> = (0..25)
            .rev()
            .map(|number| format!("t{number:02}"))
            .collect();
        assert_eq!(names, all, "{query}");
    }
}

#[tokio::test]
async fn a_long_text_is_shown_where_the_word_stands() {
    let text = format!("{} 針 {}", "干し草 ".repeat(500), "干し草 ".repeat(500));
    let shelf = shelf_of([Tale::new("t1", &text).replies("x")]).await;
    let found = shelf.reader().search("針", 1, None).unwrap();
    let snippet = &found[0].snippet;
    assert!(
        snippet.contains('針') && snippet.chars().count() < 130,
        "{snippet}"
    );
    assert!(
        snippet.starts_with('…') && snippet.ends_with('…'),
        "{snippet}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_piece_of_a_text_finds_it(text in "\\PC{1,40}", begin in 0_usize..40, length in 1_usize..20) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let shelf = runtime.block_on(shelf_of([Tale::new("t1", &text).replies("x")]));
        let piece: String = text.chars().skip(begin).take(length).collect();
        let found = find(&shelf, &piece);
        prop_assert_eq!(found.is_empty(), piece.trim().is_empty(), "{:?} in {:?}", piece, text);
    }
}
