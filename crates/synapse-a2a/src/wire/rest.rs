//! The addresses of HTTP+JSON: which path is which operation, in 1.0 and under `/v1` in 0.3. A colon
//! separates a task from what is to be done with it.

use serde_json::{Map, Value};

use super::operation::Version;
use super::protocol_error::ProtocolError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A message, answered once.
    Send,
    /// A message, answered with a stream.
    Stream,
    /// A task as it stands.
    Get(String),
    /// A page of tasks.
    List,
    /// The end of a task.
    Cancel(String),
    /// What happens to a task from here on.
    Subscribe(String),
    /// Notifications for a task.
    PushSet(String),
    /// Everywhere they go.
    PushList(String),
    /// One place of them: the task and its name.
    PushGet(String, String),
    /// No longer there.
    PushDelete(String, String),
    /// What the agent tells of itself to those it knows.
    ExtendedCard,
}

/// Finds what a request is for. The path is what stands behind the address of the interface.
///
/// # Errors
/// If there is nothing there, or it is asked for with another method.
pub fn route(method: &str, path: &str, version: Version) -> Result<Target, ProtocolError> {
    let nothing = || ProtocolError::NoMethod(format!("there is nothing at {path}"));
    let segments: Option<Vec<String>> = path.split('/').skip(1).map(unescape).collect();
    let segments = segments.ok_or_else(nothing)?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let below = match version {
        Version::V03 => segments.strip_prefix(&["v1"]),
        // One more segment in front is the tenant; there is only one here, whatever it is called.
        Version::V1 => match segments.as_slice() {
            [tenant, rest @ ..] if !tenant.is_empty() && !is_first(tenant) => Some(rest),
            all => Some(all),
        },
    };
    let found = below.and_then(|below| resource(below, version));
    let (first, others) = found.ok_or_else(nothing)?;
    let mut all = std::iter::once(first).chain(others);
    let allowed: Vec<&str> = all.clone().map(|(method, _)| method).collect();
    let wanted = all.find(|(known, _)| *known == method);
    wanted
        .map(|(_, target)| target)
        .ok_or_else(|| ProtocolError::NotAllowed {
            method: method.to_owned(),
            allowed: allowed.join(", "),
        })
}

/// Reads a query.
pub fn query(text: Option<&str>) -> Map<String, Value> {
    let pairs = text.unwrap_or_default().split('&');
    let pairs = pairs.filter_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let plain = |text: &str| unescape(&text.replace('+', " "));
        Some((plain(name)?, Value::String(plain(value)?)))
    });
    pairs.filter(|(name, _)| !name.is_empty()).collect()
}

type Choice = (&'static str, Target);

/// What can be asked of a path: a method and what it is for, and others.
fn resource(path: &[&str], version: Version) -> Option<(Choice, Vec<Choice>)> {
    let only = |method, target| Some(((method, target), Vec::new()));
    match path {
        ["message:send"] => only("POST", Target::Send),
        ["message:stream"] => only("POST", Target::Stream),
        ["extendedAgentCard"] if version == Version::V1 => only("GET", Target::ExtendedCard),
        ["card"] if version == Version::V03 => only("GET", Target::ExtendedCard),
        ["tasks"] if version == Version::V1 => only("GET", Target::List),
        ["tasks", task] => match task.rsplit_once(':') {
            Some(("", _)) => None,
            Some((task, "cancel")) => only("POST", Target::Cancel(task.to_owned())),
            // The proto says GET, the prose says POST.
            Some((task, "subscribe")) => {
                let target = Target::Subscribe(task.to_owned());
                Some((("GET", target.clone()), vec![("POST", target)]))
            }
            _ if task.is_empty() => None,
            _ => only("GET", Target::Get((*task).to_owned())),
        },
        ["tasks", task, "pushNotificationConfigs"] if !task.is_empty() => {
            let task = (*task).to_owned();
            Some((
                ("POST", Target::PushSet(task.clone())),
                vec![("GET", Target::PushList(task))],
            ))
        }
        ["tasks", task, "pushNotificationConfigs", id] if !task.is_empty() && !id.is_empty() => {
            let (task, id) = ((*task).to_owned(), (*id).to_owned());
            Some((
                ("GET", Target::PushGet(task.clone(), id.clone())),
                vec![("DELETE", Target::PushDelete(task, id))],
            ))
        }
        _ => None,
    }
}

/// Whether a path begins with this, and not with a tenant.
fn is_first(segment: &str) -> bool {
    matches!(segment, "tasks" | "extendedAgentCard") || segment.starts_with("message:")
}

/// Text without its percent signs; nothing if it is not text then.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v1(method: &str, path: &str) -> Result<Target, i32> {
        route(method, path, Version::V1).map_err(|error| i32::from(error.http_status()))
    }

    fn v03(method: &str, path: &str) -> Result<Target, i32> {
        route(method, path, Version::V03).map_err(|error| i32::from(error.http_status()))
    }

    #[test]
    fn every_operation_has_its_path() {
        assert_eq!(v1("POST", "/message:send"), Ok(Target::Send));
        assert_eq!(v1("POST", "/message:stream"), Ok(Target::Stream));
        assert_eq!(v1("GET", "/tasks"), Ok(Target::List));
        assert_eq!(v1("GET", "/tasks/t"), Ok(Target::Get("t".into())));
        assert_eq!(v1("GET", "/tasks/a:b"), Ok(Target::Get("a:b".into())));
        assert_eq!(
            v1("POST", "/tasks/a:b:cancel"),
            Ok(Target::Cancel("a:b".into()))
        );
        for method in ["GET", "POST"] {
            let subscribed = v1(method, "/tasks/t:subscribe");
            assert_eq!(subscribed, Ok(Target::Subscribe("t".into())));
        }
        let configs = "/tasks/t/pushNotificationConfigs";
        assert_eq!(v1("POST", configs), Ok(Target::PushSet("t".into())));
        assert_eq!(v1("GET", configs), Ok(Target::PushList("t".into())));
        let one = "/tasks/t/pushNotificationConfigs/a%2Fb";
        assert_eq!(
            v1("GET", one),
            Ok(Target::PushGet("t".into(), "a/b".into()))
        );
        assert_eq!(
            v1("DELETE", one),
            Ok(Target::PushDelete("t".into(), "a/b".into()))
        );
        assert_eq!(v1("GET", "/extendedAgentCard"), Ok(Target::ExtendedCard));
    }

    #[test]
    fn a_tenant_may_stand_in_front_in_10_and_v1_in_03() {
        assert_eq!(v1("GET", "/acme/tasks/t"), Ok(Target::Get("t".into())));
        assert_eq!(v1("POST", "/v1/message:send"), Ok(Target::Send));
        assert_eq!(v03("POST", "/v1/message:send"), Ok(Target::Send));
        assert_eq!(v03("GET", "/v1/card"), Ok(Target::ExtendedCard));
        assert_eq!(v03("POST", "/message:send"), Err(404));
        assert_eq!(v03("GET", "/v1/tasks"), Err(404));
        assert_eq!(v1("GET", "/card"), Err(404));
    }

    #[test]
    fn what_is_not_there_is_told_from_what_is_asked_for_wrongly() {
        for path in [
            "",
            "/",
            "/tasks/",
            "/tasks/:cancel",
            "/a/b/c",
            "/tasks/t/x",
            "/tasks/%zz",
        ] {
            assert_eq!(v1("GET", path), Err(404), "{path}");
        }
        for (method, path) in [
            ("GET", "/message:send"),
            ("POST", "/tasks/t"),
            ("GET", "/tasks/t:cancel"),
            ("DELETE", "/tasks"),
        ] {
            assert_eq!(v1(method, path), Err(405), "{method} {path}");
        }
    }

    #[test]
    fn a_query_is_read_with_its_escapes() {
        let read = query(Some("a=1&b=x+y&c=%E6%97%A5&d&=e&&f=%zz"));
        let read = Value::Object(read);
        assert_eq!(
            read,
            serde_json::json!({ "a": "1", "b": "x y", "c": "日", "d": "" })
        );
        assert!(query(None).is_empty());
    }
}
