//! How a shell reads a line, as far as it matters here: what is quoted, and what is still open at its
//! end. Pure, and total: any text has a reading.

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
}

/// A line with its quotes known.
#[derive(Debug, Default)]
pub(super) struct Quoting {
    /// The characters that stand for themselves, with their places: not quoted, not escaped, in no
    /// comment and no parentheses.
    pub(super) plain: Vec<(usize, char)>,
    /// What is open at the end.
    pub(super) open: Option<Open>,
}

impl Quoting {
    /// Reads a line.
    pub(super) fn of(line: &str, dialect: Dialect) -> Self {
        let mut plain = Vec::new();
        let mut quote = None;
        let mut depth = 0_usize;
        let mut is_word = false;
        let mut chars = line.char_indices();
        while let Some((at, c)) = chars.next() {
            let escapes = c == '\\' && (quote != Some('\'') || dialect == Dialect::Fish);
            if escapes && chars.next().is_none() {
                return Self {
                    plain,
                    open: Some(quote.map_or(Open::Backslash, |_| Open::Quote)),
                };
            }
            let began_word = std::mem::replace(&mut is_word, !c.is_whitespace());
            match quote {
                _ if escapes => {}
                Some(mark) => quote = (c != mark).then_some(mark),
                None if matches!(c, '\'' | '"') || c == '`' && dialect == Dialect::Posix => {
                    quote = Some(c);
                }
                None if c == '#' && !began_word => {
                    chars.find(|(_, c)| *c == '\n');
                    is_word = false;
                }
                None if c == '(' => depth += 1,
                None if c == ')' => depth = depth.saturating_sub(1),
                None if depth == 0 => plain.push((at, c)),
                None => {}
            }
        }
        let open = match quote {
            Some(_) => Some(Open::Quote),
            None => (depth > 0).then_some(Open::Parenthesis),
        };
        Self { plain, open }
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

/// Whether a shell would want another line after this one.
pub(super) fn is_unfinished(line: &str, dialect: Dialect) -> bool {
    let quoting = Quoting::of(line, dialect);
    quoting.open.is_some() || quoting.wants_more()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(line: &str) -> bool {
        is_unfinished(line, Dialect::Posix)
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
        ] {
            assert!(!is_open(line), "{line}");
        }
    }

    #[test]
    fn fish_has_rules_of_its_own() {
        assert!(!is_unfinished(r"echo 'it\'s'", Dialect::Fish));
        assert!(is_unfinished(r"echo 'it\'s'", Dialect::Posix));
        assert!(!is_unfinished("echo `", Dialect::Fish));
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
}
