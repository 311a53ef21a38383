//! Which characters turn the direction of text, so that it can be shown as something else than it is.

/// Whether a character is one of the bidirectional controls of Unicode (its property `Bidi_Control`).
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
