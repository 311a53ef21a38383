//! What one machine may do to the agents of another. Pure: it looks at a method and a path of the native dialect.

use hyper::Method;
pub use synapse_machine::config::MeshRole as Role;

/// The least role that may ask an agent for this; nothing where no machine may. Whatever is not listed here is not
/// reached from elsewhere.
pub fn needed(method: &Method, target: &str) -> Option<Role> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    // What the agent would read as another path than we do is none.
    if !path.starts_with('/') || path.contains("..") || path.contains("//") || path.contains('%') {
        return None;
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match (method.as_str(), parts.as_slice()) {
        (
            "GET",
            ["status" | "screen" | "explain" | "tasks" | "ws" | "healthz"]
            | ["tasks" | "response", _]
            | ["tasks", _, "subscribe"]
            | [".well-known", "agent.json" | "agent-card.json"],
        ) => Some(Role::View),
        // The most urgent message interrupts what runs.
        ("POST", ["tasks", "send-priority" | "sendSubscribe"]) if is_urgent(query) => {
            Some(Role::Answer)
        }
        ("POST", ["tasks", "send" | "send-priority" | "sendSubscribe"]) => Some(Role::Send),
        ("POST", ["answer" | "interrupt" | "" | "a2a"] | ["tasks", _, "input" | "cancel"]) => {
            Some(Role::Answer)
        }
        ("POST" | "GET" | "DELETE", ["a2a", "rest", ..]) => Some(Role::Answer),
        ("POST", ["keys"]) | ("GET", ["terminal"]) => Some(Role::Control),
        _ => None,
    }
}

fn is_urgent(query: &str) -> bool {
    query.split('&').any(|pair| {
        pair.strip_prefix("priority=")
            .is_some_and(|value| !matches!(value, "1" | "2" | "3" | "4"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_is_not_reached() {
        for (method, path, role) in [
            (Method::GET, "/status", Some(Role::View)),
            (Method::GET, "/tasks/abc/subscribe", Some(Role::View)),
            (Method::POST, "/tasks/send", Some(Role::Send)),
            (
                Method::POST,
                "/tasks/send-priority?priority=4",
                Some(Role::Send),
            ),
            (
                Method::POST,
                "/tasks/send-priority?priority=5",
                Some(Role::Answer),
            ),
            (
                Method::POST,
                "/tasks/send-priority?priority=05",
                Some(Role::Answer),
            ),
            (
                Method::POST,
                "/tasks/send-priority?x&priority=+5",
                Some(Role::Answer),
            ),
            (Method::POST, "/answer", Some(Role::Answer)),
            (Method::POST, "/tasks/abc/cancel", Some(Role::Answer)),
            (Method::POST, "/keys", Some(Role::Control)),
            (
                Method::GET,
                "/terminal?keep_scrollback=true",
                Some(Role::Control),
            ),
            (Method::POST, "/", Some(Role::Answer)),
            (
                Method::POST,
                "/a2a/rest/v1/message:send",
                Some(Role::Answer),
            ),
            (
                Method::DELETE,
                "/a2a/rest/tasks/abc/pushNotificationConfigs/mine",
                Some(Role::Answer),
            ),
            (Method::POST, "/reply", None),
            (Method::POST, "/external/discover", None),
            (Method::GET, "/metrics", None),
            (Method::GET, "/tasks/../keys", None),
            (Method::GET, "/%6beys", None),
            (Method::GET, "//status", None),
            (Method::GET, "status", None),
            (Method::DELETE, "/external/agents/x", None),
        ] {
            assert_eq!(needed(&method, path), role, "{method} {path}");
        }
    }
}
