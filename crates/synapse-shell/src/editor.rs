//! The line editor of `synapse shell`: history, hints, completion, several lines.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use reedline::{
    Color, ColumnarMenu, Completer, CompletionResult, DefaultHinter, EditCommand, Emacs,
    ExternalPrinter, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder as _, Prompt,
    PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent, ReedlineMenu, Signal, Span,
    Suggestion, ValidationResult, Validator, default_emacs_keybindings,
};

use super::complete::complete;
use super::line::{Request, insists};
use super::look::Machine;
use super::quoting::Dialect;
use synapse_client::address::AddressBook;
use synapse_machine::private_file;

/// Lines the history keeps.
const HISTORY: usize = 10_000;

/// Lines that may wait to be shown above the one being edited.
const ASIDES: usize = 64;

/// How soon a line from elsewhere is shown, and a wish to end is heard.
const PACE: Duration = Duration::from_millis(200);

const MENU: &str = "completion";

/// What a person has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Line(String),
    Interrupt,
    /// Ctrl-D on an empty line.
    End,
    /// Nothing: somebody else wants us to end.
    Over,
}

/// What the editor knows beside the line.
pub struct Known<'a> {
    /// Who can be addressed.
    pub book: AddressBook,
    /// Where the lines before are kept.
    pub history: &'a Path,
}

pub struct Editor {
    reedline: Reedline,
    prompt: Plain,
    aside: SyncSender<String>,
}

impl Editor {
    /// An editor that ends when `is_over` says so.
    pub fn new(
        prompt: String,
        dialect: Dialect,
        known: Known<'_>,
        is_over: Arc<AtomicBool>,
    ) -> Self {
        let completer = Words {
            dialect,
            machine: Machine::new(known.book),
        };
        let printer = ExternalPrinter::new(ASIDES);
        let aside = printer.sender();
        let mut keys = default_emacs_keybindings();
        let tab = vec![
            ReedlineEvent::Menu(MENU.to_owned()),
            ReedlineEvent::MenuNext,
        ];
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(tab),
        );
        let more = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
        keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, more);
        let menu = ColumnarMenu::default().with_name(MENU);
        let mut reedline = Reedline::create()
            .with_completer(Box::new(completer))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_hinter(Box::new(DefaultHinter::default()))
            .with_validator(Box::new(Lines(dialect)))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_history_exclusion_prefix(Some(" ".to_owned()))
            .with_ansi_colors(std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()))
            .with_external_printer(printer)
            .with_break_signal(is_over)
            .with_poll_interval(PACE)
            .use_bracketed_paste(true);
        if let Some(history) = history(known.history) {
            reedline = reedline.with_history(Box::new(history));
        }
        Self {
            reedline,
            prompt: Plain(prompt),
            aside,
        }
    }

    /// The next line.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub fn read(&mut self) -> std::io::Result<Typed> {
        let signal = self.reedline.read_line(&self.prompt);
        let signal = signal.map_err(std::io::Error::other)?;
        Ok(match signal {
            Signal::Success(line) => Typed::Line(line),
            Signal::CtrlC => Typed::Interrupt,
            Signal::ExternalBreak(_) => Typed::Over,
            _ => Typed::End,
        })
    }

    /// Where lines from elsewhere go, to be shown above the one being edited.
    pub fn aside(&self) -> SyncSender<String> {
        self.aside.clone()
    }
}

/// The history, if it can be kept; without one a shell is still a shell.
fn history(file: &Path) -> Option<FileBackedHistory> {
    let checked = private_file::check(file);
    if checked.is_err_and(|error| error.kind() != io::ErrorKind::NotFound) {
        return None;
    }
    FileBackedHistory::with_file(HISTORY, file.to_owned()).ok()
}

struct Words {
    dialect: Dialect,
    machine: Machine,
}

impl Completer for Words {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let before = line.get(..pos).unwrap_or(line);
        let (start, words) = complete(before, self.dialect, &self.machine);
        let suggestion = |word: super::complete::Word| Suggestion {
            value: word.text,
            span: Span { start, end: pos },
            append_whitespace: word.is_whole,
            ..Suggestion::default()
        };
        let suggestions: Vec<Suggestion> = words.into_iter().map(suggestion).collect();
        CompletionResult::fresh(suggestions)
    }
}

struct Lines(Dialect);

impl Validator for Lines {
    fn validate(&self, line: &str) -> ValidationResult {
        if Request::is_unfinished(line, self.0) && !insists(line, self.0) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Complete
        }
    }
}

/// The prompt of the settings, as it stands there.
struct Plain(String);

impl Prompt for Plain {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }

    fn get_prompt_color(&self) -> Color {
        Color::Default
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }
}
