use proptest::prelude::*;
use serde_json::json;

use super::*;

fn bodies(reply: &str) -> Vec<Body> {
    parse(reply, Switches::default())
}

fn data(value: serde_json::Value) -> Body {
    Body::Data { data: value }
}

#[test]
fn finds_code_after_text() {
    assert_eq!(
        bodies("結果:\n```python\nprint('hello')\n```"),
        [Body::text("結果:"), Body::code("python", "print('hello')")]
    );
}

#[test]
fn finds_code_before_text() {
    assert_eq!(
        bodies("```python\nprint('hello')\n```\n結果: hello"),
        [
            Body::code("python", "print('hello')"),
            Body::text("結果: hello")
        ]
    );
}

#[test]
fn keeps_the_order_of_several_blocks() {
    assert_eq!(
        bodies("```js\nfoo()\n```\n中間テキスト\n```python\nbar()\n```"),
        [
            Body::code("js", "foo()"),
            Body::text("中間テキスト"),
            Body::code("python", "bar()")
        ]
    );
}

#[test]
fn code_is_exact() {
    assert_eq!(
        bodies("```\n\n    indented  \n\ttab\n\n```\n"),
        [Body::code("", "\n    indented  \n\ttab\n")]
    );
    assert_eq!(bodies("```sh\n```\n"), [Body::code("sh", "")]);
}

#[test]
fn a_longer_fence_holds_a_shorter_one() {
    assert_eq!(
        bodies("````md\n```sh\nls\n```\n````\nend"),
        [Body::code("md", "```sh\nls\n```"), Body::text("end")]
    );
}

#[test]
fn tildes_are_fences_and_hold_backticks() {
    assert_eq!(
        bodies("~~~ruby title=`a`\nputs 1\n```\n~~~~\nend"),
        [
            Body::code("ruby title=`a`", "puts 1\n```"),
            Body::text("end")
        ]
    );
}

#[test]
fn a_fence_closes_only_with_its_own_mark_alone_on_the_line() {
    assert_eq!(
        bodies("```\n~~~\n``` not yet\n``\n    ```\n```  \nend"),
        [
            Body::code("", "~~~\n``` not yet\n``\n    ```"),
            Body::text("end")
        ]
    );
}

#[test]
fn inline_code_is_text() {
    for line in ["```not a fence```", "use ``` for fences", "`x`", "    ```"] {
        assert_eq!(bodies(line), [Body::text(line)]);
    }
}

#[test]
fn fences_in_lists_lose_the_indentation_of_the_list() {
    assert_eq!(
        bodies("1. first\n\n   ```sh\n   ls\n     deeper\n   ```\n2. second"),
        [
            Body::text("1. first"),
            Body::code("sh", "ls\n  deeper"),
            Body::text("2. second")
        ]
    );
    assert_eq!(
        bodies("- a\n  - b\n    ```\n    x\n    ```"),
        [Body::text("- a\n  - b"), Body::code("", "x")]
    );
    assert_eq!(
        bodies("- ```rust\n  fn f() {}\n  ```"),
        [Body::code("rust", "fn f() {}")]
    );
    assert_eq!(
        bodies("10) x\n\n\t```\n\tx\n\t\ty\n\t```"),
        [Body::text("10) x"), Body::code("", "x\n\ty")]
    );
}

#[test]
fn code_in_a_list_may_be_indented_less_than_the_list() {
    assert_eq!(
        bodies("- a\n\n  ```py\ndef f():\n    pass\n```\nend"),
        [
            Body::text("- a"),
            Body::code("py", "def f():\n    pass"),
            Body::text("end")
        ]
    );
}

#[test]
fn an_item_is_over_when_the_indentation_is() {
    assert_eq!(
        bodies("- a\n\nb\n\n    ```\n    x"),
        [Body::text("- a\n\nb\n\n    ```\n    x")]
    );
}

#[test]
fn a_fence_that_never_closes_ends_with_the_reply() {
    assert_eq!(bodies("```c\nint x;\n\n"), [Body::code("c", "int x;\n")]);
    assert_eq!(bodies("```c"), [Body::code("c", "")]);
}

#[test]
fn text_loses_the_blank_lines_around_it_and_nothing_else() {
    assert_eq!(bodies("\n \n  a \n\n b\n\n\n"), [Body::text("  a \n\n b")]);
    assert_eq!(bodies(" \n\t\n"), []);
    assert_eq!(bodies("a\r\nb\r\n"), [Body::text("a\nb")]);
}

#[test]
fn finds_json_on_one_line_and_on_several() {
    assert_eq!(
        bodies(r#"{"key": "value"}"#),
        [data(json!({"key": "value"}))]
    );
    assert_eq!(
        bodies("before\n{\n  \"a\": [1, {\"b\": \"}\\\"\"}],\n\n  \"c\": null\n}\nafter"),
        [
            Body::text("before"),
            data(json!({"a": [1, {"b": "}\""}], "c": null})),
            Body::text("after")
        ]
    );
    assert_eq!(
        bodies("[\n{\"a\": 1},\n{\"b\": 2}\n]"),
        [data(json!([{"a": 1}, {"b": 2}]))]
    );
}

#[test]
fn what_only_looks_like_json_is_text() {
    for text in [
        "{not json}",
        "{\"a\": 1} and more",
        "{\"a\": }",
        "{\n\"open\": 1",
        "{\"line\n break\": 1}",
        "[1]",
        "[1]: https://example.org",
        "[x] done",
        "[]",
        "see {\"a\": 1}",
        "}{",
    ] {
        assert_eq!(bodies(text), [Body::text(text)]);
    }
}

#[test]
fn lines_behind_broken_json_are_looked_at_afresh() {
    assert_eq!(
        bodies("{\n```sh\nls\n```\n[\n{\n{\"a\": 1}"),
        [
            Body::text("{"),
            Body::code("sh", "ls"),
            Body::text("[\n{"),
            data(json!({"a": 1}))
        ]
    );
}

#[test]
fn json_in_a_fence_is_code() {
    assert_eq!(
        bodies("```json\n{\"a\": 1}\n```"),
        [Body::code("json", "{\"a\": 1}")]
    );
}

#[test]
fn a_line_that_names_a_file_is_a_file() {
    assert_eq!(
        bodies("Done.\nCreated: /tmp/test.py\n- [File: a.rs]\nWrote: b.txt\nBye."),
        [
            Body::text("Done."),
            Body::file("/tmp/test.py"),
            Body::file("a.rs"),
            Body::file("b.txt"),
            Body::text("Bye.")
        ]
    );
}

#[test]
fn a_file_named_in_a_sentence_follows_the_text() {
    assert_eq!(
        bodies("See [File: a.rs] first.\nThen go on.\n```\nx\n```"),
        [
            Body::text("See [File: a.rs] first.\nThen go on."),
            Body::file("a.rs"),
            Body::code("", "x")
        ]
    );
}

#[test]
fn files_named_in_code_are_code() {
    assert_eq!(
        bodies("```\nCreated: a\n[File: b]\n```"),
        [Body::code("", "Created: a\n[File: b]")]
    );
}

#[test]
fn the_word_error_is_just_a_word() {
    let reply = "Error: this explains error handling.\nerror[E0308]: mismatched types";
    assert_eq!(bodies(reply), [Body::text(reply)]);
}

#[test]
fn what_is_switched_off_stays_text() {
    let off = Switches {
        parse_code_blocks: false,
        parse_file_refs: false,
        parse_json: false,
    };
    let reply = "a\n```json\n{\"a\": 1}\n```\n{\"b\": 2}\nCreated: x.rs [File: y.rs]\n[File: z]";
    assert_eq!(parse(reply, off), [Body::text(reply)]);
    // Nothing is looked for inside code, whether it is cut out or not.
    let code_off = Switches {
        parse_code_blocks: false,
        ..Switches::default()
    };
    let fenced = "```\n{\"a\": 1}\nCreated: x\n```";
    assert_eq!(parse(fenced, code_off), [Body::text(fenced)]);
}

#[test]
fn finished_lines_are_told_at_once() {
    let mut parser = Parser::new(Switches::default());
    assert_eq!(
        parser.feed("結果:\n```py"),
        [Change::Open(Body::text("結果:"))]
    );
    assert_eq!(
        parser.feed("thon\nprint('hello')\n"),
        [
            Change::Close,
            Change::Open(Body::code("python", "")),
            Change::Append("print('hello')".into())
        ]
    );
    assert_eq!(parser.feed("```\n続き"), [Change::Close]);
    assert_eq!(
        parser.finish(),
        [Change::Open(Body::text("続き")), Change::Close]
    );
}

#[test]
fn deep_nesting_is_neither_slow_nor_fatal() {
    let reply = "[\n".repeat(20_000);
    assert_eq!(bodies(&reply), [Body::text(reply.trim_end())]);
}

/// Strings made of everything the parser reacts to.
fn any_reply() -> impl Strategy<Value = String> {
    let token = proptest::sample::select(vec![
        "```",
        "````",
        "~~~",
        "`",
        "\n",
        "\n",
        "\n",
        "\r\n",
        " ",
        "  ",
        "    ",
        "\t",
        "- ",
        "1. ",
        "* ",
        "{",
        "}",
        "[",
        "]",
        "{\"a\":",
        "\"",
        "\\",
        ":",
        ",",
        "1",
        "null",
        "[File: a.rs]",
        "Created: ",
        "Wrote: b.txt",
        "word",
        "日本",
        "rust",
        "error: ",
    ]);
    proptest::collection::vec(token, 0..60).prop_map(|tokens| tokens.concat())
}

fn any_switches() -> impl Strategy<Value = Switches> {
    any::<(bool, bool, bool)>().prop_map(|(parse_code_blocks, parse_file_refs, parse_json)| {
        Switches {
            parse_code_blocks,
            parse_file_refs,
            parse_json,
        }
    })
}

fn changes_of<'a>(pieces: impl IntoIterator<Item = &'a str>, switches: Switches) -> Vec<Change> {
    let mut parser = Parser::new(switches);
    let mut changes: Vec<_> = pieces
        .into_iter()
        .flat_map(|piece| parser.feed(piece))
        .collect();
    changes.extend(parser.finish());
    changes
}

/// Cuts a string before the characters at these positions.
fn split(text: &str, mut cuts: Vec<usize>) -> Vec<&str> {
    cuts.sort_unstable();
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (position, (at, _)) in text.char_indices().enumerate() {
        if cuts.contains(&position) {
            pieces.push(&text[begin..at]);
            begin = at;
        }
    }
    pieces.push(&text[begin..]);
    pieces
}

/// A block, and how it is written in Markdown.
fn any_block() -> impl Strategy<Value = (Body, String)> {
    let lines = proptest::collection::vec("[a-z ]{0,6}[a-z;]", 1..5).prop_map(|l| l.join("\n"));
    let code = proptest::collection::vec("[ a-z{}`\\[\\]]{0,8}", 0..5).prop_map(|l| l.join("\n"));
    prop_oneof![
        lines.prop_map(|text| (Body::text(text.clone()), text)),
        (code, "[a-z]{0,5}").prop_map(|(text, info)| {
            let line = if text.is_empty() { "" } else { "\n" };
            let written = format!("``````````{info}\n{text}{line}``````````");
            (Body::code(info, text), written)
        }),
        ("[a-z]{1,4}", any::<i32>()).prop_map(|(key, number)| {
            let value = json!({ key: [number, { "k": "}" }] });
            let written = serde_json::to_string_pretty(&value).unwrap();
            (data(value), written)
        }),
        "[a-z]{1,5}\\.rs".prop_map(|path| (Body::file(path.clone()), format!("Created: {path}"))),
    ]
}

proptest! {
    #[test]
    fn any_split_gives_the_same_changes(
        reply in any_reply(),
        cuts in proptest::collection::vec(0_usize..200, 0..12),
        switches in any_switches(),
    ) {
        prop_assert_eq!(
            changes_of(split(&reply, cuts), switches),
            changes_of([reply.as_str()], switches)
        );
    }

    #[test]
    fn artifacts_open_grow_and_close_in_turn(reply in any_reply(), switches in any_switches()) {
        let mut is_open = false;
        for change in changes_of([reply.as_str()], switches) {
            prop_assert_eq!(is_open, !matches!(change, Change::Open(_)));
            is_open = !matches!(change, Change::Close);
        }
        prop_assert!(!is_open);
    }

    #[test]
    fn any_text_at_all_is_taken(reply in any::<String>()) {
        for body in bodies(&reply) {
            if let Body::Text { text } = body {
                prop_assert!(!text.trim().is_empty());
                prop_assert_eq!(text.trim_end(), &text);
            }
        }
    }

    #[test]
    fn words_are_never_lost(reply in any_reply()) {
        let found = |text: &str| text.matches("日本").count();
        let kept: usize = bodies(&reply).iter().map(|body| match body {
            Body::Text { text } => found(text),
            Body::Code { info, text } => found(info) + found(text),
            Body::File { path } => found(path),
            Body::Data { data } => found(&data.to_string()),
            Body::Error { .. } | Body::Parts { .. } => 0,
        }).sum();
        prop_assert!(kept >= found(&reply), "{kept} of {}", found(&reply));
    }

    #[test]
    fn written_blocks_are_read_back(blocks in proptest::collection::vec(any_block(), 0..6)) {
        let mut expected: Vec<Body> = Vec::new();
        let mut reply = String::new();
        for (body, written) in blocks {
            // Two texts in a row are one.
            let merged = match (expected.last_mut(), &body) {
                (Some(Body::Text { text: before }), Body::Text { text }) => {
                    before.push('\n');
                    before.push_str(text);
                    true
                }
                _ => false,
            };
            if !merged {
                expected.push(body);
            }
            reply.push_str(&written);
            reply.push('\n');
        }
        prop_assert_eq!(bodies(&reply), expected);
    }
}
