//! A link as a QR code in the terminal, two modules in each character.

use std::io::{self, IsTerminal as _, Write as _};

use qrcodegen::{QrCode, QrCodeEcc};

use crate::verbs::{paint, print};

/// Light modules around the code, without which a camera does not find it.
const MARGIN: i32 = 2;

/// Shows the code on standard error, where it fits into one.
pub(super) fn show(link: &str) -> io::Result<()> {
    let mut terminal = print::painted_err();
    let is_coloured = paint::is_coloured(terminal.is_terminal());
    for line in lines(link, is_coloured).unwrap_or_default() {
        writeln!(terminal, "{line}")?;
    }
    Ok(())
}

/// The code as lines of text; nothing if the link is too long for one. With colours it is dark on light in every terminal.
fn lines(text: &str, is_coloured: bool) -> Option<Vec<String>> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    let range = -MARGIN..code.size() + MARGIN;
    let line = |top: i32| -> String {
        let modules = range.clone().map(|x| {
            // Dark modules are ink where there are colours, and else the light ones are.
            let is_ink = |y: i32| code.get_module(x, y) == is_coloured;
            match (is_ink(top), is_ink(top + 1)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            }
        });
        let modules: String = modules.collect();
        if is_coloured {
            format!("\x1b[30;107m{modules}\x1b[0m")
        } else {
            modules
        }
    };
    Some(range.clone().step_by(2).map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_square_of_characters() {
        let plain = lines("http://192.168.0.7:8180/#code=abc", false).unwrap();
        let wide = plain[0].chars().count();
        assert!(plain.iter().all(|line| line.chars().count() == wide));
        assert_eq!(plain.len(), wide.div_ceil(2));
        assert!(plain[0].chars().all(|c| c == '█'), "the margin is light");
        let coloured = lines("x", true).unwrap();
        assert!(coloured[0].starts_with("\x1b[30;107m ") && coloured[0].ends_with("\x1b[0m"));
        assert_eq!(lines(&"x".repeat(10_000), false), None);
    }
}
