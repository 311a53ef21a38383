//! `@handle [flags] message`, and the lines that only look like it.
#![cfg(test)]

use synapse_term::router::{
    Command, CommandError, DEFAULT_PATTERN, Pattern, PatternError, Problem, ResponseMode,
    parse_line,
};

fn command(line: &str) -> Command {
    parse_line(line)
        .expect("addressed to somebody")
        .expect("fit to be sent")
}

fn problem(line: &str) -> Problem {
    parse_line(line)
        .expect("addressed to somebody")
        .expect_err("not fit to be sent")
        .problem
}

#[test]
fn a_handle_and_a_message() {
    let sent = command("@codex-2 設計をレビューして");
    assert_eq!(sent.handle, "codex-2");
    assert_eq!(sent.message, "設計をレビューして");
    assert_eq!(sent.response, None);
    assert_eq!(sent.priority, None);
    assert!(sent.files.is_empty());
    assert_eq!(command("@my.agent  two  blanks  ").message, "two  blanks  ");
    assert_eq!(command("@codex\thello").message, "hello");
}

#[test]
fn lines_for_nobody_are_nothing() {
    for line in [
        "",
        "hello",
        "@codex",
        "@codex ",
        "@codex    ",
        "email@example.com",
        "mail email@example.com please",
        " @codex hello",
        "@app.route(\"/\") def index()",
        "@property",
        "@ codex hello",
        "@@codex hello",
        "@codex: hello",
        "@codex hello\nthere",
    ] {
        assert_eq!(parse_line(line), None, "{line:?}");
    }
}

#[test]
fn examples_read_as_written() {
    let sent = command("@claude --response \"コードをチェックして\"");
    assert_eq!(sent.response, Some(ResponseMode::Return));
    assert_eq!(sent.message, "コードをチェックして");
    let sent = command("@gemini --non-response 'ログを記録して'");
    assert_eq!(sent.response, Some(ResponseMode::Display));
    assert_eq!(sent.message, "ログを記録して");
    let sent = command("@Gemini --here hello");
    assert_eq!(sent.handle, "Gemini");
    assert_eq!(sent.response, Some(ResponseMode::Return));
}

#[test]
fn every_flag_has_its_names() {
    for flag in ["--return", "--response", "--here"] {
        assert_eq!(
            command(&format!("@a {flag} x")).response,
            Some(ResponseMode::Return)
        );
    }
    for flag in ["--no-return", "--non-response", "--display"] {
        assert_eq!(
            command(&format!("@a {flag} x")).response,
            Some(ResponseMode::Display)
        );
    }
    let sent =
        command("@a --priority 5 --file a.txt --file=\"b c.txt\" --file 'd e' --return go on");
    assert_eq!(sent.priority, Some(5));
    assert_eq!(sent.files, ["a.txt", "b c.txt", "d e"]);
    assert_eq!(sent.response, Some(ResponseMode::Return));
    assert_eq!(sent.message, "go on");
    assert_eq!(command("@a --priority=1 x").priority, Some(1));
    assert_eq!(
        command("@a --return --display x").response,
        Some(ResponseMode::Display),
        "the last word counts"
    );
}

#[test]
fn files_need_no_message() {
    let sent = command("@a --file notes.md");
    assert_eq!(sent.files, ["notes.md"]);
    assert_eq!(sent.message, "");
}

#[test]
fn flags_end_where_the_message_begins() {
    assert_eq!(command("@a say --return").message, "say --return");
    assert_eq!(command("@a -- --return").message, "--return");
    assert_eq!(command("@a --return -- -- x").message, "-- x");
    assert_eq!(command("@a --- rule").message, "--- rule");
    assert_eq!(command("@a -p x").message, "-p x");
    assert_eq!(command("@a --=x").message, "--=x");
}

#[test]
fn only_quotes_around_the_whole_message_go() {
    assert_eq!(command("@a \"x\" ").message, "x");
    assert_eq!(command("@a 'it is \"so\"'").message, "it is \"so\"");
    for kept in [
        "\"a\" and \"b\"",
        "it's",
        "\"open",
        "\"mixed'",
        "\"",
        "say \"x\"",
        "「引用」",
        "\"say \\\"hi\\\"\"",
    ] {
        assert_eq!(command(&format!("@a {kept}")).message, kept);
    }
}

#[test]
fn slips_are_named() {
    let unknown = problem("@a --respone x");
    assert_eq!(
        unknown.to_string(),
        "there is no flag --respone; the nearest is --response, and -- ends the flags"
    );
    assert!(
        problem("@a --bogus x")
            .to_string()
            .starts_with("there is no flag --bogus; there are --return, --response,"),
        "none is near"
    );
    assert!(matches!(
        problem("@a --return=yes x"),
        Problem::UnknownFlag { .. }
    ));
    assert_eq!(
        problem("@a --priority 9 x"),
        Problem::Priority { given: "9".into() }
    );
    assert_eq!(
        problem("@a --priority high x"),
        Problem::Priority {
            given: "high".into()
        }
    );
    assert_eq!(
        problem("@a --priority"),
        Problem::MissingValue { flag: "--priority" }
    );
    assert_eq!(
        problem("@a --file --return x"),
        Problem::MissingValue { flag: "--file" }
    );
    assert_eq!(
        problem("@a --file \"\" x"),
        Problem::MissingValue { flag: "--file" }
    );
    assert_eq!(
        problem("@a --file \"b c"),
        Problem::OpenQuote { flag: "--file" }
    );
    assert_eq!(problem("@a --return"), Problem::NoMessage);
    assert_eq!(problem("@a \"\""), Problem::NoMessage);
    let error = CommandError {
        handle: "a".into(),
        problem: Problem::Priority { given: "9".into() },
    };
    assert_eq!(
        error.to_string(),
        "@a: --priority is a number from 1 to 5, not \"9\""
    );
}

#[test]
fn a_configured_pattern_is_checked() {
    let narrow = Pattern::new(r"^@(\w+)\s+(.+)$").unwrap();
    assert!(narrow.read("@codex-2 x").is_none());
    assert!(narrow.read("@codex x").is_some());
    let other = Pattern::new(r"^(\w+)! (.*)$").unwrap();
    assert_eq!(other.read("codex! hi").unwrap().unwrap().handle, "codex");
    assert!(other.read("codex! ").is_none());
    let error = Pattern::new("^@(").unwrap_err();
    assert!(matches!(error, PatternError::Syntax(_)));
    assert!(
        error
            .to_string()
            .starts_with("the routing pattern does not compile: ")
    );
    assert_eq!(
        Pattern::new("^@(.+)$").unwrap_err(),
        PatternError::Groups { found: 1 }
    );
    assert!(Pattern::new(DEFAULT_PATTERN).is_ok());
}
