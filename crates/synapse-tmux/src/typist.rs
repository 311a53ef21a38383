//! From bytes that are typed to commands of tmux. Pure.
//!
//! Everything goes through a buffer of our own (`paste-buffer`): `send-keys` would reach copy mode instead of the
//! program while the person scrolls. The few keys that stop a program go by name where nobody scrolls, since tmux knows
//! in which mode the program reads keys. A text goes as a paste, and tmux marks it as one if the program asked for that:
//! tmux knows, we do not.

use crate::control::quoted;

/// Where a text begins and ends, in the bytes of a terminal.
const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// The most that goes into one buffer; tmux reads a command as a whole.
const MOST: usize = 64 << 10;

/// The most of a paste that is waited for.
const LONGEST_PASTE: usize = 4 << 20;

/// Types into one pane.
#[derive(Debug)]
pub(crate) struct Typist {
    pane: String,
    buffer: String,
    /// A text whose end has not come yet.
    open: Option<Vec<u8>>,
}

impl Typist {
    /// Types into a pane, through a buffer of this name.
    pub(crate) fn new(pane: &str, buffer: &str) -> Self {
        Self {
            pane: pane.to_owned(),
            buffer: buffer.to_owned(),
            open: None,
        }
    }

    /// The commands that type these bytes.
    pub(crate) fn commands(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut commands = Vec::new();
        let mut rest = bytes.to_vec();
        loop {
            if let Some(mut open) = self.open.take() {
                open.append(&mut rest);
                match find(&open, PASTE_ENDS) {
                    Some(at) => {
                        rest = open.split_off(at);
                        rest.drain(..PASTE_ENDS.len());
                        self.paste(&open, &mut commands);
                    }
                    None if open.len() < LONGEST_PASTE => {
                        self.open = Some(open);
                        return commands;
                    }
                    None => self.paste(&open, &mut commands),
                }
            }
            let Some(at) = find(&rest, PASTE_BEGINS) else {
                self.keys(&rest, &mut commands);
                return commands;
            };
            let mut text = rest.split_off(at);
            text.drain(..PASTE_BEGINS.len());
            self.keys(&rest, &mut commands);
            rest.clear();
            self.open = Some(text);
        }
    }

    /// A text. Pieces of it are one paste each: tmux would join them in no other way.
    fn paste(&self, text: &[u8], commands: &mut Vec<String>) {
        let (pane, buffer) = (&self.pane, &self.buffer);
        for (index, piece) in pieces(text).enumerate() {
            let append = if index == 0 { "" } else { " -a" };
            let words = quoted(piece);
            commands.push(format!("set-buffer{append} -b {buffer} {words}"));
        }
        if !text.is_empty() {
            commands.push(format!("paste-buffer -p -r -d -b {buffer} -t {pane}"));
        }
    }

    fn keys(&self, bytes: &[u8], commands: &mut Vec<String>) {
        let (pane, buffer) = (&self.pane, &self.buffer);
        let name = match bytes {
            b"" => return,
            b"\x1b" => Some("Escape"),
            b"\x03" => Some("C-c"),
            b"\x04" => Some("C-d"),
            _ => None,
        };
        for piece in pieces(bytes) {
            let words = quoted(piece);
            commands.push(format!("set-buffer -b {buffer} {words}"));
            let typed = format!("paste-buffer -r -d -b {buffer} -t {pane}");
            commands.push(match name {
                Some(name) => format!(
                    "if-shell -F -t {pane} '#{{pane_in_mode}}' '{typed}' 'delete-buffer -b {buffer} ; send-keys -t {pane} {name}'"
                ),
                None => typed,
            });
        }
    }
}

fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(MOST)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(typed: &[&[u8]]) -> Vec<String> {
        let mut typist = Typist::new("%3", "b");
        typed
            .iter()
            .flat_map(|bytes| typist.commands(bytes))
            .collect()
    }

    #[test]
    fn a_text_is_a_paste_and_the_key_behind_it_is_not() {
        let expected = [
            "set-buffer -b b \"a\\012b\"",
            "paste-buffer -p -r -d -b b -t %3",
            "set-buffer -b b \"\\015\"",
            "paste-buffer -r -d -b b -t %3",
        ];
        assert_eq!(commands(&[b"\x1b[200~a\nb\x1b[201~\r"]), expected);
        assert_eq!(
            commands(&[b"\x1b[200~a", b"\nb\x1b[20", b"1~", b"\r"]),
            expected,
            "in any split"
        );
    }

    #[test]
    fn keys_that_stop_a_program_go_by_name_unless_somebody_scrolls() {
        let [_, key] = &commands(&[b"\x1b"])[..] else {
            panic!("two commands")
        };
        assert!(key.contains("pane_in_mode") && key.ends_with("send-keys -t %3 Escape'"));
        let typed = commands(&[b"\x1b[A"]);
        assert_eq!(typed[1], "paste-buffer -r -d -b b -t %3");
        assert!(commands(&[b""]).is_empty());
        assert!(commands(&[b"\x1b[200~\x1b[201~"]).is_empty());
    }

    #[test]
    fn a_long_text_is_one_paste() {
        let text = vec![b'x'; MOST + 1];
        let long = [PASTE_BEGINS, text.as_slice(), PASTE_ENDS].concat();
        let typed = commands(&[&long]);
        assert!(typed[0].starts_with("set-buffer -b b ") && typed[1] == "set-buffer -a -b b \"x\"");
        assert_eq!(typed[2], "paste-buffer -p -r -d -b b -t %3");
    }
}
