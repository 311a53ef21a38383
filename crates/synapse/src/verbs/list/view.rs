//! What the list looks like on a whole screen.

use synapse_term::frame::width;

use super::super::texts;
use super::row::{InMesh, Row, State};

/// Rows of the screen that the question of the chosen agent may take.
const QUESTION: usize = 8;

const BOLD: &str = "1";
const DIM: &str = "2";
const REVERSED: &str = "7";

/// Blanks between two columns.
const GAP: usize = 2;

/// Agents of other machines have no port here.
fn header(is_mesh: bool) -> [String; 7] {
    let (fourth, fifth) = if is_mesh {
        (texts::column_age(), texts::column_branch())
    } else {
        (texts::column_queue(), texts::column_port())
    };
    [
        texts::column_agent(),
        texts::column_profile(),
        texts::column_state(),
        fourth,
        fifth,
        texts::column_asks(),
        texts::column_folder(),
    ]
}

pub(super) struct View<'a> {
    pub(super) rows: &'a [Row],
    /// The place of the chosen one.
    pub(super) chosen: usize,
    pub(super) is_coloured: bool,
    /// What went wrong with the last look.
    pub(super) trouble: Option<&'a str>,
}

impl View<'_> {
    /// All rows of a screen, each without a line break and no wider than the screen.
    pub(super) fn lines(&self, cols: usize, rows: usize) -> Vec<String> {
        let mut asked = self.asked();
        asked.truncate(QUESTION.min(rows.saturating_sub(3)));
        let room = rows.saturating_sub(2 + asked.len()).max(1);
        let mut lines = vec![self.head(cols)];
        lines.extend(self.table(cols, room));
        lines.resize(1 + room, String::new());
        lines.extend(asked.iter().map(|line| fit(line, cols)));
        lines.push(self.foot(cols));
        // A window that has no room for all keeps the top.
        lines.truncate(rows);
        lines
    }

    fn head(&self, cols: usize) -> String {
        let waiting = self.rows.iter().filter(|row| row.state == State::Waiting);
        let count = match self.rows.len() {
            1 => texts::one_agent(),
            count => texts::agents(count),
        };
        let news = match waiting.count() {
            0 => String::new(),
            1 => format!("  {}", texts::one_waits()),
            many => format!("  {}", texts::several_wait(many)),
        };
        let mut line = Cut::new(cols);
        line.push("Synapse", Some(BOLD));
        line.push(&format!("  {count}"), None);
        line.push(&news, self.colour(State::Waiting).as_deref());
        line.text
    }

    fn table(&self, cols: usize, room: usize) -> Vec<String> {
        if self.rows.is_empty() {
            return vec![fit(&texts::no_agent_runs(), cols)];
        }
        let cells: Vec<[String; 7]> = self.rows.iter().map(cells).collect();
        let is_mesh = self.rows.iter().any(|row| row.in_mesh.is_some());
        let names = header(is_mesh);
        let widths = widths(&names, &cells, cols);
        let mut header = Cut::new(cols);
        header.push_row(&names, &widths, |_| Some(DIM.to_owned()));
        let mut lines = vec![header.text];
        let shown = room.saturating_sub(1).max(1);
        let first = (self.chosen + 1).saturating_sub(shown);
        let all = self.rows.iter().zip(&cells).enumerate();
        for (place, (row, cells)) in all.skip(first).take(shown) {
            let mut line = Cut::new(cols);
            line.push_row(cells, &widths, |column| {
                if place == self.chosen {
                    return Some(REVERSED.to_owned());
                }
                self.colour(row.state).filter(|_| column == 2)
            });
            lines.push(line.text);
        }
        lines
    }

    /// The question of the chosen one with its options, below an empty row.
    fn asked(&self) -> Vec<String> {
        let chosen = self.rows.get(self.chosen);
        let Some(prompt) = chosen.and_then(|row| row.prompt.as_ref()) else {
            return Vec::new();
        };
        let text = super::super::status::readable(prompt);
        let lines = text.lines().map(str::to_owned);
        std::iter::once(String::new()).chain(lines).collect()
    }

    fn foot(&self, cols: usize) -> String {
        let mut line = Cut::new(cols);
        match self.trouble {
            Some(trouble) => line.push(trouble, self.colour(State::Silent).as_deref()),
            None => line.push(&texts::keys_of_list(), Some(DIM)),
        }
        line.text
    }

    fn colour(&self, state: State) -> Option<String> {
        let number = state.ansi().filter(|_| self.is_coloured);
        number.map(|number| number.to_string())
    }
}

fn cells(row: &Row) -> [String; 7] {
    let (handle, fourth, fifth) = match &row.in_mesh {
        Some(InMesh {
            address,
            branch,
            age,
        }) => (address.clone(), age.clone(), branch.clone()),
        None => (
            row.entry.handle.to_string(),
            row.queue.map(|queue| queue.to_string()).unwrap_or_default(),
            row.entry.port.to_string(),
        ),
    };
    [
        handle,
        row.entry.profile.clone(),
        row.state.shown(),
        fourth,
        fifth,
        row.question()
            .or_else(|| row.held.clone())
            .unwrap_or_default(),
        row.entry.place().to_string_lossy().into_owned(),
    ]
}

/// The first columns take what they need; the question and the directory share the rest, three to two.
fn widths(names: &[String; 7], cells: &[[String; 7]], cols: usize) -> [usize; 7] {
    let widest = |column: usize, least: usize| {
        let texts = cells.iter().filter_map(|row| row.get(column));
        texts
            .map(|text| width(text))
            .max()
            .unwrap_or(0)
            .clamp(least, 24)
    };
    let fixed = [
        widest(0, 6),
        widest(1, 7),
        11,
        5,
        widest(4, names[4].len().max(5)),
    ];
    let taken: usize = fixed.iter().sum::<usize>() + GAP * 6;
    let rest = cols.saturating_sub(taken);
    let [handle, profile, state, queue, port] = fixed;
    let asks = rest * 3 / 5;
    [handle, profile, state, queue, port, asks, rest - asks]
}

/// A row that is written from the left and ends at the edge of the screen.
struct Cut {
    text: String,
    left: usize,
}

impl Cut {
    fn new(cols: usize) -> Self {
        Self {
            text: String::new(),
            left: cols,
        }
    }

    fn push(&mut self, text: &str, style: Option<&str>) {
        let shown = fit(text, self.left);
        self.left -= width(&shown).min(self.left);
        if shown.is_empty() {
            return;
        }
        match style {
            Some(style) => self.text.extend(["\x1b[", style, "m", &shown, "\x1b[0m"]),
            None => self.text.push_str(&shown),
        }
    }

    fn push_row(
        &mut self,
        cells: &[String; 7],
        widths: &[usize; 7],
        style: impl Fn(usize) -> Option<String>,
    ) {
        for (column, (cell, room)) in cells.iter().zip(widths).enumerate() {
            let shown = fit(cell, *room);
            let blanks = room - width(&shown).min(*room) + if column == 6 { 0 } else { GAP };
            self.push(&format!("{shown}{:blanks$}", ""), style(column).as_deref());
        }
    }
}

/// As much of a text as there is room for, without anything a terminal would obey.
fn fit(text: &str, cols: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().filter(|c| !c.is_control()) {
        shown.push(c);
        if width(&shown) > cols {
            shown.pop();
            break;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::row::tests::row;
    use super::*;

    fn painted(rows: &[Row], (cols, height): (usize, usize)) -> String {
        let view = View {
            rows,
            chosen: 0,
            is_coloured: false,
            trouble: None,
        };
        let lines = view.lines(cols, height);
        assert!(lines.len() <= height);
        let plain = lines.join("\n");
        let mut plain = plain.split('\x1b');
        let mut text = plain.next().unwrap().to_owned();
        text.extend(
            plain
                .filter_map(|rest| rest.split_once('m'))
                .map(|(_, rest)| rest),
        );
        assert!(text.lines().all(|line| width(line) <= cols), "{text}");
        text
    }

    #[test]
    fn shows_who_waits_and_for_what() {
        let asks = json!({ "status": "INPUT_REQUIRED", "queue": 1, "prompt": {
            "question": "Delete it?", "options": [{ "label": "Yes", "key": "y" }, { "label": "No", "key": "n" }],
        } });
        let rows = [row("reviewer", Some(&asks)), row("codex", None)];
        let shown = painted(&rows, (100, 14));
        for part in [
            "2 agents  1 waits for an answer",
            "reviewer  dummy    ◆ waiting    1      8103   Delete it?",
            "codex     dummy    ? no answer         8103",
            "y  Yes",
            "Enter attach",
        ] {
            assert!(shown.contains(part), "{part:?} is not in\n{shown}");
        }
    }

    #[test]
    fn no_window_is_too_small() {
        let rows = [row("reviewer", None)];
        for size in [(1, 1), (10, 2), (3, 40), (500, 1)] {
            painted(&rows, size);
        }
        painted(&[], (1, 1));
    }
}
