//! A whole screen, as tmux captured it, in the bytes that paint it. Pure.

use synapse_pty::Size;

/// What tmux is asked for beside the rows.
pub(crate) const ABOUT: &str = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{alternate_on} #{cursor_flag} #{keypad_cursor_flag} #{bracket_paste_flag} #{pane_title}";

/// How a pane stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) size: Size,
    cursor: (u16, u16),
    is_alternate: bool,
    shows_cursor: bool,
    has_cursor_keys: bool,
    /// Whether the program wants pastes marked; older versions of tmux do not tell.
    marks_pastes: Option<bool>,
    title: String,
}

impl About {
    /// Reads the answer to [`ABOUT`].
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(9, ' ');
        let mut number = || fields.next()?.parse::<u16>().ok();
        let (cols, rows) = (number()?, number()?);
        let cursor = (number()?, number()?);
        let mut flag = || fields.next().map(|field| field == "1");
        let (is_alternate, shows_cursor, has_cursor_keys) = (flag()?, flag()?, flag()?);
        let marks_pastes = match fields.next()? {
            "" => None,
            said => Some(said == "1"),
        };
        Some(Self {
            size: Size::new(cols, rows),
            cursor,
            is_alternate,
            shows_cursor,
            has_cursor_keys,
            marks_pastes,
            title: fields.next().unwrap_or_default().to_owned(),
        })
    }

    /// The bytes that bring a screen to this one. What is above the screen, if rows are given for it, becomes
    /// scrollback. `marks_pastes` is what is assumed where tmux does not tell.
    pub(crate) fn paint(&self, rows: &[Vec<u8>], marks_pastes: bool) -> Vec<u8> {
        // Whatever was begun is ended, and the whole screen is in use.
        let mut bytes = b"\x18\x1b[m\x1b[r\x1b[?6l\x1b[?7h".to_vec();
        let set = |on: bool| if on { 'h' } else { 'l' };
        let marks_pastes = self.marks_pastes.unwrap_or(marks_pastes);
        for (mode, on) in [
            ("1049", self.is_alternate),
            ("1", self.has_cursor_keys),
            ("2004", marks_pastes),
        ] {
            bytes.extend(format!("\x1b[?{mode}{}", set(on)).bytes());
        }
        let title: String = self.title.chars().filter(|c| !c.is_control()).collect();
        bytes.extend(format!("\x1b]2;{title}\x07\x1b[2J\x1b[H").bytes());
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                bytes.extend(b"\r\n");
            }
            bytes.extend(row);
            bytes.extend(b"\x1b[m");
        }
        let (x, y) = self.cursor;
        bytes.extend(format!("\x1b[{};{}H", u32::from(y) + 1, u32::from(x) + 1).bytes());
        bytes.extend(format!("\x1b[?25{}", set(self.shows_cursor)).bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tmux_tells_is_painted() {
        let about = About::parse("80 24 3 1 1 0 1  ✳ at work").unwrap();
        assert_eq!(about.size, Size::new(80, 24));
        let painted = about.paint(&[b"one".to_vec(), b"two".to_vec()], true);
        let painted = String::from_utf8(painted).unwrap();
        for part in [
            "\x1b[?1049h",
            "\x1b[?1h",
            "\x1b[?2004h",
            "\x1b]2;✳ at work\x07",
            "one\x1b[m\r\ntwo",
            "\x1b[2;4H",
            "\x1b[?25l",
        ] {
            assert!(painted.contains(part), "{part:?} in {painted:?}");
        }
        let told = About::parse("80 24 0 0 0 1 0 0 ").unwrap();
        let painted = String::from_utf8(told.paint(&[], true)).unwrap();
        assert!(painted.contains("\x1b[?2004l"), "what tmux tells counts");
        assert_eq!(About::parse("80 24"), None);
    }
}
