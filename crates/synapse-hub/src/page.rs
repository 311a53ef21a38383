//! The page itself, which is built into this program. Names with a hash in them never change; the
//! document does, and stands for every address of the page.

use axum::body::Body;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use super::problem::Problem;
use synapse_client::message::media_type;

/// Texts are carried compressed alone: nearly every client takes them so, and for the others they are unpacked.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[include = "*.gz"]
#[include = "*.png"]
struct Assets;

/// The document behind every address of the page.
const DOCUMENT: &str = "index.html";
/// What is behind the name of a compressed file.
const PACKED: &str = ".gz";
/// The folder of files whose names have a hash of their contents.
const HASHED: &str = "assets/";

/// Serves a file of the page, or the document.
pub(super) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        return Problem::missing("not_found", "there is no such resource").into_response();
    }
    if !matches!(method, Method::GET | Method::HEAD) {
        let error = "the page can only be looked at";
        let status = StatusCode::METHOD_NOT_ALLOWED;
        return Problem::new(status, "not_found", error).into_response();
    }
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok()).unwrap_or("");
    let file = find(path, accepted);
    match file.or_else(|| is_route(path).then(|| find(DOCUMENT, accepted))?) {
        Some(file) => file,
        None => Problem::missing("not_found", "there is no such file").into_response(),
    }
}

/// Whether it is an address of the page rather than of a file: files have an ending.
fn is_route(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    !path.starts_with(HASHED) && !last.contains('.')
}

/// A file in the form the browser takes.
fn find(path: &str, accepted: &str) -> Option<Response> {
    // The compressed forms are not files of their own.
    if path.ends_with(PACKED) {
        return None;
    }
    let Some(packed) = Assets::get(&format!("{path}{PACKED}")) else {
        return Some(answer(path, Assets::get(path)?.data.into_owned(), None));
    };
    let packed = packed.data.into_owned();
    if accepts(accepted, "gzip") {
        return Some(answer(path, packed, Some("gzip")));
    }
    Some(answer(path, unpack(&packed)?, None))
}

/// What is in a gzip file that `web/scripts/build.mjs` wrote: ten bytes of head without a name, and eight bytes behind.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let deflated = packed.get(10..packed.len().checked_sub(8)?)?;
    miniz_oxide::inflate::decompress_to_vec(deflated).ok()
}

fn answer(path: &str, data: Vec<u8>, encoding: Option<&'static str>) -> Response {
    let caching = if path.starts_with(HASHED) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let kind = match media_type(path, &data) {
        text if text.starts_with("text/") => format!("{text}; charset=utf-8"),
        other => other.to_owned(),
    };
    let mut response = Response::new(Body::from(data));
    let headers = response.headers_mut();
    let mut set = |name, value: &'static str| {
        headers.insert(name, header::HeaderValue::from_static(value));
    };
    set(header::CACHE_CONTROL, caching);
    set(header::VARY, "Accept-Encoding");
    if let Some(encoding) = encoding {
        set(header::CONTENT_ENCODING, encoding);
    }
    if let Ok(kind) = kind.parse() {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    response
}

/// Whether a browser takes an encoding: named, and not with a weight of zero.
fn accepts(accepted: &str, encoding: &str) -> bool {
    accepted.split(',').any(|item| {
        let mut words = item.split(';').map(str::trim);
        let is_named = words
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let weight = words.find_map(|word| word.strip_prefix("q=")?.parse::<f32>().ok());
        is_named && weight.is_none_or(|weight| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_of_the_page_is_the_document() {
        for path in [
            "", "a/1234", "inbox", "mesh", "t/abc", "w", "search", "settings", "login",
        ] {
            assert!(is_route(path), "{path}");
        }
        for path in ["favicon.ico", "assets/app-1234", "a/b.js", "../x.y"] {
            assert!(!is_route(path), "{path}");
        }
    }

    #[test]
    fn an_encoding_must_be_wanted() {
        assert!(accepts("gzip, deflate, br;q=0.9", "br"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("", "gzip"));
    }

    #[test]
    fn there_is_a_document_and_it_can_be_had_plain() {
        let packed = Assets::get(&format!("{DOCUMENT}{PACKED}")).unwrap();
        let plain = unpack(&packed.data).unwrap();
        let document = std::fs::read("../../web/dist/index.html").unwrap();
        assert!(plain == document, "what is carried is what was built");
    }
}
