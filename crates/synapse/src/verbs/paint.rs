//! Whether what is printed has colours: only on a terminal, and never with `NO_COLOR`.

/// Whether colours are wanted where they are going.
pub(super) fn is_coloured(is_terminal: bool) -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    is_terminal && !no_color && !is_dumb()
}

/// Whether the terminal says that it can neither paint nor move.
pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
