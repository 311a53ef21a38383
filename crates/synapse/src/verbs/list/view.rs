//! What the list looks like on a whole screen.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row as TableRow, Table, TableState};

use super::row::{Row, State};

/// Rows of the screen that the question of the chosen agent may take.
const QUESTION: u16 = 8;

pub(super) struct View<'a> {
    pub(super) rows: &'a [Row],
    /// The place of the chosen one.
    pub(super) chosen: usize,
    pub(super) is_coloured: bool,
    /// What went wrong with the last look.
    pub(super) trouble: Option<&'a str>,
}

impl View<'_> {
    /// Draws all of it.
    pub(super) fn draw(&self, frame: &mut Frame<'_>) {
        let asked = self.asked();
        let height = (asked.len() as u16).min(QUESTION);
        let [head, table, question, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(height),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        frame.render_widget(self.head(), head);
        self.table(frame, table);
        frame.render_widget(Paragraph::new(asked), question);
        frame.render_widget(self.foot(), foot);
    }

    fn head(&self) -> Line<'_> {
        let waiting = self.rows.iter().filter(|row| row.state == State::Waiting);
        let count = match self.rows.len() {
            1 => "1 agent".to_owned(),
            count => format!("{count} agents"),
        };
        let mut line = vec![
            Span::styled("Synapse", Style::new().add_modifier(Modifier::BOLD)),
            Span::raw(format!("  {count}")),
        ];
        match waiting.count() {
            0 => {}
            1 => line.push(self.span("  1 waits for an answer", State::Waiting)),
            many => line.push(self.span(&format!("  {many} wait for an answer"), State::Waiting)),
        }
        Line::from(line)
    }

    fn table(&self, frame: &mut Frame<'_>, area: Rect) {
        if self.rows.is_empty() {
            let hint = "no agent is running; start one with: synapse start <profile>";
            return frame.render_widget(Paragraph::new(hint), area);
        }
        let widest = |column: fn(&Row) -> usize, least: usize| {
            let widest = self.rows.iter().map(column).max().unwrap_or(0).max(least);
            Constraint::Length(u16::try_from(widest).unwrap_or(u16::MAX).min(24))
        };
        let widths = [
            widest(|row| row.entry.handle.as_str().chars().count(), 6),
            widest(|row| row.entry.profile.chars().count(), 7),
            Constraint::Length(11),
            Constraint::Length(5),
            Constraint::Length(5),
            Constraint::Fill(3),
            Constraint::Fill(2),
        ];
        let header = [
            "HANDLE",
            "PROFILE",
            "STATE",
            "QUEUE",
            "PORT",
            "ASKS",
            "DIRECTORY",
        ];
        let header = TableRow::new(header).style(Style::new().add_modifier(Modifier::DIM));
        let table = Table::new(self.rows.iter().map(|row| self.row(row)), widths)
            .header(header)
            .column_spacing(2)
            .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        let mut state = TableState::new().with_selected(Some(self.chosen));
        frame.render_stateful_widget(table, area, &mut state);
    }

    fn row<'a>(&self, row: &'a Row) -> TableRow<'a> {
        let state = format!("{} {}", row.state.shape(), row.state.word());
        TableRow::new([
            Cell::from(row.entry.handle.as_str()),
            Cell::from(row.entry.profile.as_str()),
            Cell::from(self.span(&state, row.state)),
            Cell::from(row.queue.map(|queue| queue.to_string()).unwrap_or_default()),
            Cell::from(row.entry.port.to_string()),
            Cell::from(
                row.question()
                    .or_else(|| row.held.clone())
                    .unwrap_or_default(),
            ),
            Cell::from(row.entry.working_dir.to_string_lossy().into_owned()),
        ])
    }

    /// The question of the chosen one with its options, under a rule.
    fn asked(&self) -> Vec<Line<'static>> {
        let Some(prompt) = self
            .rows
            .get(self.chosen)
            .and_then(|row| row.prompt.as_ref())
        else {
            return Vec::new();
        };
        let text = super::super::status::readable(prompt);
        let lines = text.lines().map(|line| Line::from(line.to_owned()));
        std::iter::once(Line::default()).chain(lines).collect()
    }

    fn foot(&self) -> Line<'_> {
        match self.trouble {
            Some(trouble) => self.span(trouble, State::Silent).into(),
            None => Line::styled(
                "j/k choose   Enter attach (Ctrl-] d comes back)   q leave",
                Style::new().add_modifier(Modifier::DIM),
            ),
        }
    }

    fn span(&self, text: &str, state: State) -> Span<'static> {
        let colour = match state {
            State::Waiting => Color::Yellow,
            State::Silent => Color::Red,
            State::Working => Color::Green,
            State::Starting => Color::Cyan,
            State::Idle | State::Leaving => Color::Reset,
        };
        let style = if self.is_coloured {
            Style::new().fg(colour)
        } else {
            Style::new()
        };
        Span::styled(text.to_owned(), style)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use serde_json::json;

    use super::super::row::tests::row;
    use super::*;

    fn painted(rows: &[Row], size: (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let view = View {
            rows,
            chosen: 0,
            is_coloured: false,
            trouble: None,
        };
        terminal.draw(|frame| view.draw(frame)).unwrap();
        terminal.backend().to_string()
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
