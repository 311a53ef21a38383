//! What puts a terminal back that a program has left in the middle of something.

/// Ends what was begun, then turns off what may be on. Each is harmless to a terminal that does not
/// know it or has it off.
pub(super) const MODES: &str = concat!(
    // An escape sequence cut off halfway would swallow what follows.
    "\x1b\\",
    // Synchronized output.
    "\x1b[?2026l",
    // The keyboard: one level of the kitty protocol, modifyOtherKeys, cursor keys, keypad.
    "\x1b[<u\x1b[>4m\x1b[?1l\x1b>",
    // Mouse, focus, paste, notice of the colour scheme.
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l",
    "\x1b[?1004l\x1b[?2004l\x1b[?2031l",
);

/// Leaves the alternate screen, which has a kitty keyboard of its own. Only where it may be on: some
/// terminals move the cursor even if they are not in it.
pub(super) const ALTERNATE: &str = "\x1b7\x1b[?1049l\x1b[<u";

/// Turns off what is left.
pub(super) const REST: &str = concat!(
    // The scroll region, whose reset moves the cursor too.
    "\x1b7\x1b[r\x1b8",
    // Line wrap, character set, colours, cursor.
    "\x1b[?7h\x0f\x1b(B\x1b[0m\x1b[0 q\x1b[?25h",
);
