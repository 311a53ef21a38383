//! The secret that opens an agent's door. It lies in a file that only its owner can read, and never goes into
//! a log, an error or an address.

use std::fmt;
use std::fs;
use std::hint::black_box;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::paths::create_folder;
use crate::private_file::replace;

/// Fewer characters could be guessed by somebody who has the time.
const SHORTEST: usize = 32;

/// A token.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token kept in a file. It stays the same when the agent is started again, so that those who were
    /// given it need no other; without one, or one that others could have read, there is a fresh one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn kept_at(path: &Path) -> io::Result<Self> {
        let others = 0o077;
        let is_private = fs::symlink_metadata(path)
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & others == 0);
        if is_private
            && let Ok(token) = Self::read(path)
            && token.0.len() >= SHORTEST
        {
            return Ok(token);
        }
        let dice = || uuid::Uuid::new_v4().simple();
        let token = Self(format!("{}{}", dice(), dice()));
        token.write(path)?;
        Ok(token)
    }

    /// Reads a token from a file.
    ///
    /// # Errors
    /// When the file cannot be read or holds no token.
    pub fn read(path: &Path) -> io::Result<Self> {
        Self::parse(&fs::read_to_string(path)?)
    }

    /// Takes a word as a token.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> io::Result<Self> {
        let token = text.trim();
        // It goes into a header, where a line break would begin another one.
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let odd = "a token is one word of printable ASCII characters";
            return Err(io::Error::new(io::ErrorKind::InvalidData, odd));
        }
        Ok(Self(token.to_owned()))
    }

    /// Writes it for its owner alone.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        replace(path, self.0.as_bytes())
    }

    /// Whether this is what somebody showed. Takes as long for a near miss as for a wild one.
    pub fn is(&self, shown: &str) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.as_bytes());
        let differing = own
            .iter()
            .zip(shown)
            .fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        own.len() == shown.len() && differing == 0
    }

    /// The value of an `Authorization` header.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_for_its_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("tokens/one");
        let token = Token::kept_at(&path).unwrap();
        assert!(token.0.len() >= SHORTEST);
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert!(token.is(&Token::kept_at(&path).unwrap().0), "started again");
        // Others may have seen it.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!token.is(&Token::kept_at(&path).unwrap().0));
        fs::write(&path, "").unwrap();
        assert!(Token::kept_at(&path).unwrap().0.len() >= SHORTEST);
    }

    #[test]
    fn only_the_whole_token_is_it() {
        let token = Token("abcdef".to_owned());
        assert!(token.is("abcdef"));
        for wrong in ["", "abcde", "abcdefg", "abcdeF", "Abcdef"] {
            assert!(!token.is(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_token_is_not_taken_for_one() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("t");
        for odd in ["", " \n", "two words", "a\nb", "é"] {
            fs::write(&path, odd).unwrap();
            assert!(Token::read(&path).is_err(), "{odd:?}");
        }
        fs::write(&path, "secret\n").unwrap();
        assert!(Token::read(&path).unwrap().is("secret"));
        assert!(!format!("{:?}", Token::read(&path).unwrap()).contains("secret"));
    }
}
