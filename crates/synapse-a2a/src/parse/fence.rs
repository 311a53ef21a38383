//! Code fences as `CommonMark` has them, also inside list items. One thing is laxer: a fence ends at its
//! closing fence and nowhere else, since models often indent the code in a list less than the list.

use std::borrow::Cow;

/// A line indented this much beyond its list item is indented code, not Markdown.
const INDENTED_CODE: usize = 4;

/// The shortest run of marks that is a fence.
const SHORTEST_FENCE: usize = 3;

/// The list items that are open, as the columns where their content begins.
#[derive(Debug, Default)]
pub(super) struct Lists {
    columns: Vec<usize>,
}

impl Lists {
    /// Follows the items that a line ends and begins, and returns what stands behind their markers.
    pub(super) fn enter<'a>(&mut self, line: &'a str) -> LineContent<'a> {
        let (mut column, mut text) = skip_blanks(0, line);
        if !text.is_empty() {
            self.columns.retain(|&item| item <= column);
        }
        while column < self.column() + INDENTED_CODE {
            let Some((after_marker, behind)) = skip_marker(column, text) else {
                break;
            };
            (column, text) = skip_blanks(after_marker, behind);
            let is_far = text.is_empty() || column > after_marker + INDENTED_CODE;
            self.columns
                .push(if is_far { after_marker + 1 } else { column });
        }
        LineContent {
            text,
            column,
            item_column: self.column(),
        }
    }

    fn column(&self) -> usize {
        self.columns.last().copied().unwrap_or(0)
    }
}

/// The lines of a text that stand outside fenced code; the fences themselves are left out.
pub fn unfenced_lines(text: &str) -> impl Iterator<Item = &str> {
    let (mut lists, mut open) = (Lists::default(), None::<Fence>);
    text.lines().filter(move |line| {
        if let Some(fence) = &open {
            if fence.is_closed_by(line) {
                open = None;
            }
            return false;
        }
        open = Fence::open(&lists.enter(line));
        open.is_none()
    })
}

/// What a line says behind its indentation and list markers.
#[derive(Debug)]
pub(super) struct LineContent<'a> {
    pub(super) text: &'a str,
    column: usize,
    item_column: usize,
}

/// The opening fence of a code block.
#[derive(Debug)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    info: String,
    column: usize,
    item_column: usize,
}

impl Fence {
    /// Reads a line as an opening fence.
    pub(super) fn open(content: &LineContent<'_>) -> Option<Self> {
        if content.column >= content.item_column + INDENTED_CODE {
            return None;
        }
        let mark = content
            .text
            .chars()
            .next()
            .filter(|c| matches!(c, '`' | '~'))?;
        let behind = content.text.trim_start_matches(mark);
        let length = content.text.len() - behind.len();
        let info = behind.trim();
        // ```` ```code``` ```` on one line is inline code.
        if length < SHORTEST_FENCE || (mark == '`' && info.contains(mark)) {
            return None;
        }
        let LineContent {
            column,
            item_column,
            ..
        } = *content;
        Some(Self {
            mark,
            length,
            info: info.to_owned(),
            column,
            item_column,
        })
    }

    pub(super) fn info(&self) -> &str {
        &self.info
    }

    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let (column, text) = skip_blanks(0, line);
        let text = text.trim_end();
        column < self.item_column + INDENTED_CODE
            && text.len() >= self.length
            && text.chars().all(|c| c == self.mark)
    }

    /// A line of the code, without the indentation that it shares with the fence.
    pub(super) fn without_indent<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let (indent, text) = skip_blanks(0, line);
        if !text.is_empty() && indent < self.item_column {
            // This code does not share the indentation of its list.
            self.column = self.column.min(indent);
        }
        let mut column = 0;
        let mut rest = line;
        while column < self.column {
            let Some((wider, behind)) = skip_blank(column, rest) else {
                break;
            };
            (column, rest) = (wider, behind);
        }
        match column.saturating_sub(self.column) {
            0 => Cow::Borrowed(rest),
            // A tab reached across the fence's column; what is left of it belongs to the code.
            left => Cow::Owned(" ".repeat(left) + rest),
        }
    }
}

fn skip_blanks(mut column: usize, mut text: &str) -> (usize, &str) {
    while let Some((wider, behind)) = skip_blank(column, text) {
        (column, text) = (wider, behind);
    }
    (column, text)
}

fn skip_blank(column: usize, text: &str) -> Option<(usize, &str)> {
    if let Some(behind) = text.strip_prefix(' ') {
        return Some((column + 1, behind));
    }
    let behind = text.strip_prefix('\t')?;
    Some(((column / 4 + 1) * 4, behind))
}

fn skip_marker(column: usize, text: &str) -> Option<(usize, &str)> {
    let behind = if let Some(behind) = text.strip_prefix(['-', '*', '+']) {
        behind
    } else {
        let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
        if !(1..=9).contains(&(text.len() - behind.len())) {
            return None;
        }
        behind.strip_prefix(['.', ')'])?
    };
    let is_marker = behind.is_empty() || behind.starts_with([' ', '\t']);
    is_marker.then(|| (column + text.len() - behind.len(), behind))
}
