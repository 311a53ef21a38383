//! The words that open and close blocks: a loop begun on one line is not finished before its end. Pure.
//!
//! Only words where a command may stand count. What does not fit is left to the shell to complain about.

use super::quoting::Dialect;

/// Whether a block is open at the end of a line, of which these characters stand for themselves.
pub(super) fn has_open_block(line: &str, plain: &[(usize, char)], dialect: Dialect) -> bool {
    let mut blocks = Blocks::default();
    for word in words(line, plain) {
        let fits = match dialect {
            Dialect::Posix => blocks.take_posix(&word),
            Dialect::Fish => blocks.take_fish(&word),
        };
        if !fits {
            return false;
        }
    }
    !blocks.open.is_empty()
}

/// A word with nothing quoted in it.
struct Word<'a> {
    text: &'a str,
    /// It stands behind a line break, an operator or a parenthesis.
    is_first: bool,
}

/// The words that consist of plain characters alone.
fn words<'a>(line: &'a str, plain: &[(usize, char)]) -> Vec<Word<'a>> {
    let divides = |c: char| c.is_whitespace() || ";&|()<>".contains(c);
    let mut words = Vec::new();
    let mut plain = plain.iter().filter(|(_, c)| !divides(*c)).peekable();
    while let Some((start, c)) = plain.next() {
        let mut end = start + c.len_utf8();
        while let Some((_, c)) = plain.next_if(|(at, _)| *at == end) {
            end += c.len_utf8();
        }
        let (Some(before), Some(text), Some(after)) =
            (line.get(..*start), line.get(*start..end), line.get(end..))
        else {
            continue;
        };
        let is_alone = before.chars().next_back().is_none_or(divides)
            && after.chars().next().is_none_or(divides);
        let front = before.trim_end_matches([' ', '\t']).chars().next_back();
        if is_alone {
            words.push(Word {
                text,
                is_first: front.is_none_or(|c| "\n;&|()".contains(c)),
            });
        }
    }
    words
}

/// The blocks that are open, each by the word that closes it.
#[derive(Default)]
struct Blocks {
    open: Vec<&'static str>,
    /// A command may follow the last word.
    expects_command: bool,
    /// Braces open the body of what was named.
    is_function: bool,
    is_else: bool,
}

impl Blocks {
    /// Whether the word fits what came before it.
    fn take_posix(&mut self, word: &Word<'_>) -> bool {
        let is_command = word.is_first || self.expects_command;
        let opens_body = word.text == "{" && self.is_function;
        self.expects_command = false;
        if !is_command && !opens_body {
            return true;
        }
        self.is_function &= !opens_body && !word.is_first;
        match word.text {
            "if" => return self.open("fi", true),
            "while" | "until" => return self.open("done", true),
            "for" | "select" => return self.open("done", false),
            "case" => return self.open("esac", false),
            "{" => return self.open("}", true),
            "fi" | "done" | "esac" | "}" => return self.close(word.text),
            "then" | "do" | "else" | "elif" | "!" | "time" => self.expects_command = true,
            "function" => self.is_function = true,
            _ => {}
        }
        true
    }

    fn take_fish(&mut self, word: &Word<'_>) -> bool {
        let is_command = word.is_first || self.expects_command;
        let is_else = std::mem::take(&mut self.is_else);
        self.expects_command = false;
        if !is_command {
            return true;
        }
        match word.text {
            // The block of `else if` is the one that is open already.
            "if" if is_else => self.expects_command = true,
            "if" | "while" | "begin" => return self.open("end", true),
            "for" | "switch" | "function" => return self.open("end", false),
            "end" => return self.close("end"),
            "else" => (self.is_else, self.expects_command) = (true, true),
            "and" | "or" | "not" | "!" | "time" => self.expects_command = true,
            _ => {}
        }
        true
    }

    fn open(&mut self, end: &'static str, expects_command: bool) -> bool {
        self.open.push(end);
        self.expects_command = expects_command;
        true
    }

    fn close(&mut self, end: &str) -> bool {
        self.open.pop().is_some_and(|open| open == end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::quoting::{Open, unfinished};
    use super::*;

    fn is_open(line: &str, dialect: Dialect) -> bool {
        match unfinished(line, dialect) {
            None => false,
            Some(Open::Block) => true,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn blocks_of_posix_go_to_the_word_that_ends_them() {
        for line in [
            "for i in 1 2 3",
            "for i in 1 2 3; do",
            "for i in 1 2 3\ndo\necho $i; done; while read x",
            "if true; then echo yes",
            "if true; then echo yes; else",
            "until false; do if true; then break; fi",
            "case $x in",
            "case $x in\na) echo a;;",
            "f() {",
            "function f {",
            "f() {\n  echo 1",
            "{ echo a;",
            "true && if false",
            "! { a",
        ] {
            assert!(is_open(line, Dialect::Posix), "{line}");
        }
        for line in [
            "for i in 1 2 3; do echo $i; done",
            "for i in 1 2\ndo # it's\n  echo $i\n\ndone | sort",
            "if a; then b; elif c; then d; else e; fi",
            "case $x in a) echo a;; b) echo b;; esac",
            "f() { echo 1; }; f",
            "function f { echo 1; }",
            "echo if; echo for; echo {",
            "echo do 'for' \"if\"",
            "git if | cat while",
            "done",
            "fi; for x in",
            "if a; then b; done",
            "ls --if; ifconfig",
            "echo {a,b}",
        ] {
            assert!(!is_open(line, Dialect::Posix), "{line}");
        }
    }

    #[test]
    fn blocks_of_fish_end_with_end() {
        for line in [
            "for i in 1 2 3",
            "if true\necho yes\nelse if false",
            "function f; echo 1",
            "begin; begin; end",
            "while not if true; end",
        ] {
            assert!(is_open(line, Dialect::Fish), "{line}");
        }
        for line in [
            "for i in 1 2; echo $i; end",
            "if a; b; else if c; d; else; e; end",
            "echo for; echo begin",
            "switch $x; case a; echo a; end",
            "end",
        ] {
            assert!(!is_open(line, Dialect::Fish), "{line}");
        }
    }
}
