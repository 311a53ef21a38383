//! `synapse web --tls self`: a certificate that this machine makes for itself. It keeps others from listening in once the
//! person has compared its fingerprint; no browser believes it by itself.

use std::fmt::Write as _;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, date_time_ymd};
use sha2::{Digest as _, Sha256};
use synapse_machine::paths::{Paths, create_folder};
use synapse_machine::private_file::{check, read_string, replace};

/// One that is older is made anew; browsers want them young.
const AGE: Duration = Duration::from_hours(24 * 180);

/// A certificate, its key, and by what a person knows it.
pub(super) struct OwnCertificate {
    pub(super) cert: PathBuf,
    pub(super) key: PathBuf,
    /// SHA-256, as browsers show it.
    pub(super) fingerprint: String,
}

/// The certificate of this machine for these names; made if there is none, it is for others, or too old.
pub(super) fn own(paths: &Paths, names: &[String]) -> Result<OwnCertificate> {
    let (cert, key) = paths.own_certificate();
    let list = cert.with_extension("names");
    let wanted = names.join("\n");
    let is_young = |path: &Path| {
        let made = fs::metadata(path).and_then(|it| it.modified()).ok();
        made.and_then(|made| SystemTime::now().duration_since(made).ok())
            .is_some_and(|age| age < AGE)
    };
    let is_fit = is_young(&cert)
        && check(&key).is_ok()
        && read_string(&list).is_ok_and(|known| known == wanted);
    if !is_fit {
        let folder = cert.parent().context("no folder for the certificate")?;
        create_folder(folder)?;
        let (made, secret) = make(names)?;
        replace(&key, secret.as_bytes())?;
        replace(&cert, made.as_bytes())?;
        replace(&list, wanted.as_bytes())?;
    }
    let text = read_string(&cert).with_context(|| format!("{} cannot be read", cert.display()))?;
    let fingerprint = fingerprint(&text)
        .with_context(|| format!("{} is no certificate; remove it", cert.display()))?;
    Ok(OwnCertificate {
        cert,
        key,
        fingerprint,
    })
}

fn make(names: &[String]) -> Result<(String, String)> {
    let mut params = CertificateParams::new(names.to_vec())?;
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, "Synapse on this machine");
    params.distinguished_name = name;
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let day = |offset: Span| -> Result<_> {
        let day = today.checked_add(offset)?;
        let (month, of_month) = (day.month().unsigned_abs(), day.day().unsigned_abs());
        Ok(date_time_ymd(i32::from(day.year()), month, of_month))
    };
    params.not_before = day((-1).days())?;
    params.not_after = day(365.days())?;
    let key = KeyPair::generate()?;
    let made = params.self_signed(&key)?;
    Ok((made.pem(), key.serialize_pem()))
}

fn fingerprint(pem: &str) -> Option<String> {
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let bytes = STANDARD.decode(body.trim()).ok()?;
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{}{byte:02X}", if text.is_empty() { "" } else { ":" });
    }
    Some(text)
}

/// The names a browser may know this machine by.
pub(super) fn names(host_names: &[String], addresses: &[IpAddr]) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    names.extend(host_names.iter().cloned());
    names.extend(addresses.iter().map(ToString::to_string));
    let machine = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    names.push(machine);
    names.retain(|name| !name.is_empty() && name.is_ascii());
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_certificate_is_kept_until_it_is_for_other_names_and_its_key_is_private() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(home.path().join("a2a"), home.path().join("synapse"));
        let named = |more: &str| vec!["localhost".to_owned(), more.to_owned()];
        let first = own(&paths, &named("192.168.0.7")).unwrap();
        assert_eq!(first.fingerprint.len(), 95);
        let mode = fs::metadata(&first.key).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = own(&paths, &named("192.168.0.7")).unwrap();
        assert_eq!(again.fingerprint, first.fingerprint);
        let other = own(&paths, &named("192.168.0.8")).unwrap();
        assert_ne!(other.fingerprint, first.fingerprint);
        synapse_serve::acceptor(&other.cert, &other.key).unwrap();
    }
}
