//! Sends push notifications of A2A: the one way to tell a place of a task, while its host lives and after.

use std::path::PathBuf;
use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use hyper::{HeaderMap, Uri};
use serde_json::Value;
use synapse_a2a::task::Task;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::request::{Authentication, History, PushConfig, PushTarget};
use tokio::task::JoinSet;

use super::{Callable, Web, WebError, address, deliver};

/// What the receiver knows us by. The protocol names no header; these are the two that are in use.
const TOKENS: [HeaderName; 2] = [
    HeaderName::from_static("x-a2a-notification-token"),
    HeaderName::from_static("a2a-notification-token"),
];

/// Posts to one place, in the dialect it was set in.
pub struct PushSender {
    web: Web,
    to: Uri,
    headers: HeaderMap,
    dialect: Dialect,
}

impl PushSender {
    /// A sender to a place; `web` says which addresses may be called.
    ///
    /// # Errors
    /// If the place is no address.
    pub fn new(web: Web, target: &PushTarget) -> Result<Self, WebError> {
        Ok(Self {
            web,
            to: address(&target.config.url)?,
            headers: headers(&target.config),
            dialect: target.dialect,
        })
    }

    /// Whether the receiver took it, at once or at a later attempt.
    pub async fn post(&self, body: &Value) -> bool {
        let kind = match self.dialect {
            Dialect::V1 => "application/a2a+json",
            Dialect::V03 | Dialect::V03Rest | Dialect::V01 => "application/json",
        };
        let body = body.to_string().into();
        let posted = deliver(&self.web, &self.to, kind, &self.headers, body).await;
        if let Err(error) = &posted {
            tracing::warn!(%error, "a push notification could not be delivered");
        }
        posted.is_ok()
    }

    /// How the task stands, as the receiver is told it.
    pub fn whole(&self, task: &Task) -> Value {
        match self.dialect {
            Dialect::V1 => self.dialect.sent_task(task, History::All),
            Dialect::V01 => self.dialect.task(task, History::All),
            // Receivers of 0.3 know one shape, whichever way the place was set.
            Dialect::V03 | Dialect::V03Rest => Dialect::V03.task(task, History::All),
        }
    }
}

/// Tells places how tasks of hosts that died have ended, all at the same time. `settle` is called on a
/// thread that may wait, once a place was told or is given up.
pub async fn post_ends(
    ends: Vec<(Task, PushTarget)>,
    ca_file: Option<PathBuf>,
    settle: impl Fn(&Task, &PushTarget) + Send + Sync + 'static,
) {
    let settle = Arc::new(settle);
    let mut posts = JoinSet::new();
    for (task, target) in ends {
        // What the host might not call, nobody calls in its place.
        let web = Web::new(Callable::by_agent(target.is_local), ca_file.clone()).for_others();
        let settle = Arc::clone(&settle);
        posts.spawn(async move {
            if let Ok(sender) = PushSender::new(web, &target) {
                sender.post(&sender.whole(&task)).await;
            }
            let _ = tokio::task::spawn_blocking(move || settle(&task, &target)).await;
        });
    }
    posts.join_all().await;
}

fn headers(config: &PushConfig) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut add = |name: HeaderName, value: String| {
        if let Ok(mut value) = HeaderValue::from_str(&value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    };
    if let Some(token) = &config.token {
        for name in TOKENS {
            add(name, token.clone());
        }
    }
    if let Some(Authentication {
        scheme,
        credentials: Some(credentials),
    }) = &config.authentication
    {
        add(AUTHORIZATION, format!("{scheme} {credentials}"));
    }
    headers
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::Mutex;

    use synapse_a2a::event::{Event, Fact, Origin, Timestamp};
    use synapse_a2a::id::{ContextId, MessageId, TaskId};
    use synapse_a2a::message::{Message, Role};

    use super::*;

    #[tokio::test]
    async fn what_the_host_might_not_call_is_not_called_in_its_place() {
        let place = TcpListener::bind("127.0.0.1:0").unwrap();
        place.set_nonblocking(true).unwrap();
        let message = Message::text(MessageId::new("m"), Role::User, "hi");
        let submitted = Fact::Submitted {
            task: TaskId::new("t"),
            context: ContextId::new("c"),
            message,
            origin: Origin::default(),
        };
        let at = Timestamp(0);
        let task = Task::fold([Event {
            at,
            fact: submitted,
        }])
        .unwrap();
        let target = PushTarget {
            config: PushConfig {
                id: Some("p".to_owned()),
                url: format!("http://{}/", place.local_addr().unwrap()),
                token: None,
                authentication: None,
            },
            dialect: Dialect::V1,
            is_local: false,
        };
        let settled = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&settled);
        let ends = vec![(task, target.clone())];
        post_ends(ends, None, move |_, target| {
            seen.lock().unwrap().push(target.clone());
        })
        .await;
        assert!(place.accept().is_err(), "it was called");
        assert_eq!(*settled.lock().unwrap(), [target], "it is given up");
    }
}
