//! What is told of an agent that needs somebody, and in which words. Pure. A message names the agent and the kind;
//! what it asks is told only where somebody has switched that on.

use serde::Serialize;
use serde_json::{Value, json};

use super::book::{Shape, Wishes};
use crate::shapes::Prompt;

/// How much of a question is told.
const MOST_CHARS: usize = 500;

/// Why somebody is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Waiting,
    Failed,
    Finished,
    Died,
    /// Somebody tries whether it arrives.
    Test,
}

/// One call for somebody.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// The id of the agent.
    pub(crate) agent: String,
    pub(crate) handle: String,
    pub(crate) kind: Kind,
    pub(crate) at: String,
    /// The open question.
    pub(crate) prompt: Option<Prompt>,
    /// How it died, why it failed, how long it took.
    pub(crate) detail: Option<String>,
}

/// Where links of a message lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NoticeLinks {
    /// The page of the agent; nothing where nobody elsewhere could open it.
    pub(crate) page: Option<String>,
    pub(crate) refuse: Option<String>,
    pub(crate) allow: Option<String>,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Failed => "failed",
            Self::Finished => "finished",
            Self::Died => "died",
            Self::Test => "test",
        }
    }

    pub(crate) fn is_wanted(self, wishes: &Wishes) -> bool {
        match self {
            Self::Waiting => wishes.waiting,
            Self::Failed => wishes.failed,
            // Whether it took long enough is known to who noticed it.
            Self::Finished => wishes.finished_after.is_some(),
            Self::Died => wishes.died,
            Self::Test => true,
        }
    }
}

impl Notice {
    pub(crate) fn title(&self) -> String {
        let handle = &self.handle;
        match self.kind {
            Kind::Waiting => format!("@{handle} waits for you"),
            Kind::Failed => format!("@{handle} failed"),
            Kind::Finished => format!("@{handle} is done"),
            Kind::Died => format!("@{handle} died"),
            Kind::Test => "Synapse: a test".to_owned(),
        }
    }

    /// What more may be told: the question and what it is about, or how it ended.
    pub(crate) fn words(&self, wishes: &Wishes) -> String {
        if !wishes.with_question {
            return self.title();
        }
        let asked = self.prompt.as_ref().map(|prompt| {
            let parts = [&*prompt.asked.question, &*prompt.asked.detail];
            let said = parts.into_iter().filter(|part| !part.trim().is_empty());
            said.collect::<Vec<_>>().join("\n")
        });
        let words = asked.or_else(|| self.detail.clone());
        let words: String = words.unwrap_or_default().chars().take(MOST_CHARS).collect();
        if words.is_empty() {
            self.title()
        } else {
            words
        }
    }

    /// The body for a place, and for an ntfy server its topic.
    pub(crate) fn body(
        &self,
        shape: Shape,
        topic: &str,
        links: &NoticeLinks,
        wishes: &Wishes,
    ) -> Value {
        match shape {
            Shape::Json => self.plain(links, wishes),
            Shape::Ntfy => self.ntfy(topic, links, wishes),
        }
    }

    fn plain(&self, links: &NoticeLinks, wishes: &Wishes) -> Value {
        let mut body = json!({ "agent": self.handle, "kind": self.kind, "at": self.at });
        let Some(fields) = body.as_object_mut() else {
            return body;
        };
        if let Some(page) = &links.page {
            fields.insert("url".to_owned(), json!(page));
        }
        if wishes.with_question {
            if let Some(prompt) = &self.prompt {
                let labels = prompt.asked.options.iter().map(|option| &option.label);
                let labels: Vec<&String> = labels.collect();
                let question = json!({
                    "kind": prompt.asked.kind, "text": prompt.asked.question,
                    "detail": prompt.asked.detail, "options": labels,
                });
                fields.insert("question".to_owned(), question);
            }
            if let Some(detail) = &self.detail {
                fields.insert("detail".to_owned(), json!(detail));
            }
        }
        let link = |url: &String| json!({ "method": "POST", "url": url });
        if let Some(url) = &links.refuse {
            fields.insert("refuse".to_owned(), link(url));
        }
        if let Some(url) = &links.allow {
            fields.insert("allow".to_owned(), link(url));
        }
        body
    }

    fn ntfy(&self, topic: &str, links: &NoticeLinks, wishes: &Wishes) -> Value {
        let press = |label: &str, url: &String| json!({ "action": "http", "label": label, "url": url, "method": "POST", "clear": true });
        let mut actions: Vec<Value> = Vec::new();
        actions.extend(links.allow.as_ref().map(|url| press("Yes", url)));
        actions.extend(links.refuse.as_ref().map(|url| press("No", url)));
        actions.extend(
            links
                .page
                .as_ref()
                .map(|url| json!({ "action": "view", "label": "Open", "url": url })),
        );
        let (tag, priority) = match self.kind {
            Kind::Waiting => ("raising_hand", 4),
            Kind::Failed => ("x", 3),
            Kind::Died => ("skull", 4),
            Kind::Finished => ("white_check_mark", 3),
            Kind::Test => ("bell", 3),
        };
        let mut body = json!({
            "topic": topic, "title": self.title(), "message": self.words(wishes),
            "tags": [tag], "priority": priority, "actions": actions,
        });
        if let (Some(page), Some(fields)) = (&links.page, body.as_object_mut()) {
            fields.insert("click".to_owned(), json!(page));
        }
        body
    }

    /// What the service worker of the page shows.
    pub(crate) fn push(&self, path: &str, links: &NoticeLinks, wishes: &Wishes) -> Value {
        let link = |action: &str, title: &str, url: &Option<String>| {
            url.as_ref()
                .map(|url| json!({ "action": action, "title": title, "url": url }))
        };
        let actions: Vec<Value> = [
            link("yes", "Yes", &links.allow),
            link("no", "No", &links.refuse),
        ]
        .into_iter()
        .flatten()
        .collect();
        let words = self.words(wishes);
        json!({
            "title": self.title(),
            "body": if words == self.title() { "" } else { words.as_str() },
            "tag": format!("{}-{}", self.kind.name(), self.agent),
            "url": path, "actions": actions,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Asked, Choice};

    fn notice() -> Notice {
        let option = |label: &str| Choice {
            label: label.to_owned(),
            key: String::new(),
        };
        Notice {
            agent: "id".to_owned(),
            handle: "claude".to_owned(),
            kind: Kind::Waiting,
            at: "2026-01-01T00:00:00Z".to_owned(),
            prompt: Some(Prompt {
                id: "p".to_owned(),
                asked: Asked {
                    fingerprint: "SECRET-FINGERPRINT".to_owned(),
                    kind: "permission".to_owned(),
                    question: "Run SECRET?".to_owned(),
                    detail: "rm -r SECRET".to_owned(),
                    call: None,
                    options: vec![option("Yes SECRET"), option("No")],
                    selected: None,
                    default: Value::Null,
                },
                since: String::new(),
            }),
            detail: None,
        }
    }

    #[test]
    fn nothing_of_the_question_is_told_unless_somebody_wants_that() {
        let links = NoticeLinks {
            page: Some("https://x.example/a/id".to_owned()),
            refuse: Some("https://x.example/answer/1".to_owned()),
            allow: None,
        };
        let mut wishes = Wishes::default();
        let told = |wishes: &Wishes| {
            let notice = notice();
            [
                notice.body(Shape::Json, "", &links, wishes),
                notice.body(Shape::Ntfy, "topic", &links, wishes),
                notice.push("/a/id", &links, wishes),
            ]
        };
        for body in told(&wishes) {
            let text = body.to_string();
            assert!(
                text.contains("claude") && !text.contains("SECRET"),
                "{text}"
            );
        }
        wishes.with_question = true;
        for body in told(&wishes) {
            let text = body.to_string();
            assert!(text.contains("rm -r SECRET"), "{text}");
            assert!(!text.contains("FINGERPRINT"), "{text}");
        }
    }
}
