//! The token of an agent. It is kept in a file that only its owner can read, and never appears in a log, an
//! error or a URL.

use std::fmt;
use std::fs;
use std::hint::black_box;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::paths::create_folder;
use crate::private_file::{read_string, remove, replace};

/// Fewer characters could be guessed by somebody who has the time.
const SHORTEST: usize = 32;

#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token kept in a file. It stays the same when the agent is started again, so that those who were
    /// given it need no other; without one, or one that others could have read, there is a fresh one.
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
        Self::renew(path)
    }

    /// Puts a fresh token into a file.
    fn renew(path: &Path) -> io::Result<Self> {
        let dice = || uuid::Uuid::new_v4().simple();
        let token = Self(format!("{}{}", dice(), dice()));
        token.write(path)?;
        Ok(token)
    }

    /// Reads a token from a file of ours.
    ///
    /// # Errors
    /// When the file cannot be read or holds no token.
    pub fn read(path: &Path) -> io::Result<Self> {
        Self::parse(&read_string(path)?)
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

/// What opens one agent while it runs. The lasting token is for those it was given to; programs of its user on this
/// machine show the launch token, which is worth nothing once the agent has ended. Dropping this removes the file of
/// the launch token, so a start that finds one knows that the previous run did not end cleanly.
#[derive(Debug)]
pub struct Tokens {
    /// The same from start to start.
    pub lasting: Token,
    /// Of this run alone; it counts on this machine only.
    pub launch: Token,
    /// Whether the lasting token was replaced because the previous run did not end cleanly: whoever took its port
    /// may have been shown it.
    pub is_replaced: bool,
    launch_path: PathBuf,
}

impl Tokens {
    /// The tokens of a run that begins. The caller holds the agent's place in the registry.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn issue(lasting_path: &Path, launch_path: &Path) -> io::Result<Self> {
        let is_replaced = fs::symlink_metadata(launch_path).is_ok() && lasting_path.exists();
        let lasting = if is_replaced {
            Token::renew(lasting_path)?
        } else {
            Token::kept_at(lasting_path)?
        };
        Ok(Self {
            lasting,
            launch: Token::renew(launch_path)?,
            is_replaced,
            launch_path: launch_path.to_owned(),
        })
    }
}

impl Drop for Tokens {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.launch_path) {
            tracing::warn!(%error, "the token of this run stays behind");
        }
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
    fn the_lasting_token_stays_until_a_run_ends_without_a_word() {
        let place = tempfile::tempdir().unwrap();
        let (lasting, launch) = (place.path().join("a"), place.path().join("a.launch"));
        let first = Tokens::issue(&lasting, &launch).unwrap();
        let [kept, of_this_run] = [&first.lasting, &first.launch].map(|token| token.0.clone());
        assert_ne!(kept, of_this_run);
        assert!(!first.is_replaced);
        drop(first);
        assert!(!launch.exists());

        let second = Tokens::issue(&lasting, &launch).unwrap();
        assert!(second.lasting.is(&kept) && !second.launch.is(&of_this_run));
        assert!(!second.is_replaced);
        // As after `kill -9`.
        std::mem::forget(second);
        let third = Tokens::issue(&lasting, &launch).unwrap();
        assert!(third.is_replaced && !third.lasting.is(&kept));
        let kept = third.lasting.0.clone();
        drop(third);
        let fourth = Tokens::issue(&lasting, &launch).unwrap();
        assert!(fourth.lasting.is(&kept) && !fourth.is_replaced);
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
