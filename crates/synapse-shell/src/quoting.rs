//! How a shell reads a line, as far as it matters here: what is quoted, and what is still open at its
//! end. Pure, and total: any text has a reading.

use super::blocks::has_open_block;

/// Whose rules hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// bash, zsh and all that is called sh.
    Posix,
    /// fish, where a backslash means something in single quotes.
    Fish,
}

/// What is not finished at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Quote,
    Backslash,
    Parenthesis,
    /// The word that ends a here-document has not come.
    HereDocument,
    /// A loop, a condition or braces: something must end it.
    Block,
    /// Something must follow a pipe, `&&` or `||`.
    Operator,
}

/// A line with its quotes known.
#[derive(Debug, Default)]
pub(super) struct Quoting {
    /// The characters that stand for themselves, with their places: not quoted, not escaped, in no
    /// comment, no parentheses and no here-document.
    pub(super) plain: Vec<(usize, char)>,
    /// What is open at the end.
    pub(super) open: Option<Open>,
}

impl Quoting {
    /// Reads a line.
    pub(super) fn of(line: &str, dialect: Dialect) -> Self {
        let mut reader = Reader {
            line,
            dialect,
            at: 0,
            quote: None,
            parentheses: Vec::new(),
            here: Vec::new(),
            plain: Vec::new(),
        };
        let open = reader.read();
        Self {
            plain: reader.plain,
            open,
        }
    }

    /// Where single pipes stand.
    pub(super) fn pipes(&self) -> impl Iterator<Item = usize> {
        let next_to = |index: usize, step: isize| {
            let (at, _) = self.plain.get(index)?;
            let (other, c) = self.plain.get(index.checked_add_signed(step)?)?;
            (at.abs_diff(*other) == 1).then_some(*c)
        };
        (0..self.plain.len()).filter_map(move |index| {
            let (at, c) = *self.plain.get(index)?;
            let is_alone = !matches!(next_to(index, -1), Some('|' | '>'))
                && !matches!(next_to(index, 1), Some('|' | '&'));
            (c == '|' && is_alone).then_some(at)
        })
    }

    /// Where the operators between the commands of a list end: `;`, `&`, `&&`, `||` and line breaks.
    pub(super) fn list_operators(&self) -> Vec<usize> {
        let mut ends = Vec::new();
        let mut plain = self.plain.iter().copied().peekable();
        let mut before = None;
        while let Some((at, c)) = plain.next() {
            let end = at + c.len_utf8();
            let doubled = plain.next_if(|next| *next == (end, c) && "&|".contains(c));
            let next = plain
                .peek()
                .filter(|(next, _)| *next == end)
                .map(|(_, c)| *c);
            // `>&`, `<&`, `|&` and `&>` are about where output goes.
            let is_redirection = matches!(before, Some('>' | '<' | '|')) || next == Some('>');
            match (c, doubled) {
                ('&' | '|', Some(_)) => ends.push(end + 1),
                (';' | '\n', None) => ends.push(end),
                ('&', None) if !is_redirection => ends.push(end),
                _ => {}
            }
            before = next.is_some().then_some(c);
        }
        ends
    }

    /// Whether it ends with an operator that something must follow.
    pub(super) fn wants_more(&self) -> bool {
        let mut last = self.plain.iter().rev().skip_while(|(_, c)| *c == ' ');
        match (last.next(), last.next()) {
            (Some((_, '|')), _) => true,
            (Some((at, '&')), Some((before, '&'))) => at - before == 1,
            _ => false,
        }
    }
}

/// What keeps a shell from running this line as it stands.
pub(super) fn unfinished(line: &str, dialect: Dialect) -> Option<Open> {
    let quoting = Quoting::of(line, dialect);
    let operator = || quoting.wants_more().then_some(Open::Operator);
    let block = || has_open_block(line, &quoting.plain, dialect).then_some(Open::Block);
    quoting.open.or_else(operator).or_else(block)
}

/// Where a quote was opened, and how it is closed.
#[derive(Clone, Copy)]
struct Quote {
    mark: char,
    escapes: bool,
}

/// A here-document that was announced.
struct Here {
    end: String,
    strips_tabs: bool,
}

/// Reads a line from left to right.
struct Reader<'a> {
    line: &'a str,
    dialect: Dialect,
    at: usize,
    quote: Option<Quote>,
    /// Those that are open; whether arithmetic stands in them, where `<<` is a shift.
    parentheses: Vec<bool>,
    here: Vec<Here>,
    plain: Vec<(usize, char)>,
}

impl Reader<'_> {
    fn read(&mut self) -> Option<Open> {
        let mut previous = None;
        while let Some(c) = self.next() {
            let begins_word = previous.is_none_or(char::is_whitespace);
            let escapes = c == '\\' && self.quote.is_none_or(|quote| quote.escapes);
            if escapes && self.next().is_none() {
                return Some(self.quote.map_or(Open::Backslash, |_| Open::Quote));
            }
            let is_arithmetic = self.parentheses.contains(&true);
            let quote = self.quote;
            match quote {
                _ if escapes => {}
                Some(quote) if c == quote.mark => self.quote = None,
                None if self.opens_quote(c) => self.quote = Some(self.quote_of(c, previous)),
                None if c == '#' && begins_word => {
                    let rest = self.rest();
                    self.at += rest.find('\n').unwrap_or(rest.len());
                    previous = None;
                    continue;
                }
                None if c == '(' => self.parentheses.push(previous == Some('(')),
                None if c == ')' => drop(self.parentheses.pop()),
                None if c == '<' && !is_arithmetic && self.announces_here() => {}
                None if c == '\n' && !self.here.is_empty() => {
                    if !self.skip_here() {
                        return Some(Open::HereDocument);
                    }
                    self.plain.push((self.at, '\n'));
                }
                None if self.parentheses.is_empty() => {
                    self.plain.push((self.at - c.len_utf8(), c));
                }
                Some(_) | None => {}
            }
            previous = Some(c);
        }
        if self.quote.is_some() {
            return Some(Open::Quote);
        }
        if !self.here.is_empty() {
            return Some(Open::HereDocument);
        }
        (!self.parentheses.is_empty()).then_some(Open::Parenthesis)
    }

    fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or("")
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn opens_quote(&self, c: char) -> bool {
        matches!(c, '\'' | '"') || c == '`' && self.dialect == Dialect::Posix
    }

    /// In single quotes a backslash is itself, but not in those of fish, and not in `$'…'`.
    fn quote_of(&self, mark: char, previous: Option<char>) -> Quote {
        let is_literal = mark == '\'' && self.dialect == Dialect::Posix && previous != Some('$');
        Quote {
            mark,
            escapes: !is_literal,
        }
    }

    /// Takes what follows a `<` if that makes it the beginning of a here-document, or the whole of a
    /// here-string's mark, which is none.
    fn announces_here(&mut self) -> bool {
        let rest = self.rest();
        if self.dialect == Dialect::Fish || !rest.starts_with('<') {
            return false;
        }
        if rest.starts_with("<<") {
            self.at += 2;
            return true;
        }
        let after = rest.trim_start_matches('<');
        let (after, strips_tabs) = match after.strip_prefix('-') {
            Some(after) => (after, true),
            None => (after, false),
        };
        let after = after.trim_start_matches([' ', '\t']);
        let (end, len) = here_word(after);
        if end.is_empty() {
            return false;
        }
        self.at = self.line.len() - (after.len() - len);
        self.here.push(Here { end, strips_tabs });
        true
    }

    /// Goes behind the here-documents that were announced; whether all of them end.
    fn skip_here(&mut self) -> bool {
        for here in std::mem::take(&mut self.here) {
            loop {
                let rest = self.rest();
                if rest.is_empty() {
                    return false;
                }
                let line = rest.split('\n').next().unwrap_or("");
                let (len, is_last) = (line.len(), line.len() == rest.len());
                let bare = if here.strips_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                let is_end = bare == here.end;
                self.at += len + usize::from(!is_last);
                if is_end {
                    break;
                }
            }
        }
        true
    }
}

/// The word that ends a here-document, without its quotes, and how long it is with them.
fn here_word(text: &str) -> (String, usize) {
    let (mut word, mut quote) = (String::new(), None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == '\\' => {}
            None if c.is_whitespace() || "|&;<>()".contains(c) => return (word, at),
            _ => word.push(c),
        }
    }
    (word, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(line: &str) -> bool {
        unfinished(line, Dialect::Posix).is_some()
    }

    #[test]
    fn what_is_open_wants_another_line() {
        for line in [
            "echo 'a",
            "echo \"a",
            "echo `date",
            "echo \"it's",
            "echo a \\",
            "echo \"a\\",
            "echo $(date",
            "ls |",
            "ls && ",
            "ls ||",
            "echo 'a\nb",
        ] {
            assert!(is_open(line), "{line}");
        }
    }

    #[test]
    fn what_is_closed_does_not() {
        for line in [
            "",
            "echo 'a' \"b\" `c` $(d)",
            "echo \\' \\\" \\\\",
            "echo \"'\" '\"'",
            "echo it # isn't it",
            "sleep 1 &",
            "echo 'a\nb'",
            "echo '\\'",
            "echo )",
            "echo \\|",
            "echo a#b'c'",
            r"echo $'it\'s'",
            "echo # isn't it\necho 'x'",
        ] {
            assert!(!is_open(line), "{line}");
        }
    }

    #[test]
    fn fish_has_rules_of_its_own() {
        assert_eq!(unfinished(r"echo 'it\'s'", Dialect::Fish), None);
        assert_eq!(
            unfinished(r"echo 'it\'s'", Dialect::Posix),
            Some(Open::Quote)
        );
        assert_eq!(unfinished("echo `", Dialect::Fish), None);
        assert_eq!(unfinished("cat <<EOF", Dialect::Fish), None);
    }

    #[test]
    fn only_single_pipes_count() {
        let pipes = |line| {
            Quoting::of(line, Dialect::Posix)
                .pipes()
                .collect::<Vec<_>>()
        };
        assert_eq!(pipes("a | b|c"), [2, 5]);
        assert!(pipes("a || b >| c |& d '|' \\| $(e | f) # |").is_empty());
    }

    #[test]
    fn here_documents_go_to_the_line_that_ends_them() {
        let open = |line| unfinished(line, Dialect::Posix);
        for line in [
            "cat <<EOF",
            "cat <<EOF\nit's",
            "cat <<-'END' >x\n  END",
            "x=$(cat <<A",
            "cat <<A <<B\na\nA\nb",
        ] {
            assert_eq!(open(line), Some(Open::HereDocument), "{line}");
        }
        for line in [
            "cat <<EOF\nit's (\nEOF",
            "cat <<-END\nx\n\t\tEND\necho 'x'",
            "cat <<A <<B\na\nA\nb\nB",
            "cat <<'a b'\nx\na b",
            "cat <<<EOF",
            "echo $((1<<n))",
            "x=$(cat <<A\n)\nA\n)",
        ] {
            assert_eq!(open(line), None, "{line}");
        }
    }
}
