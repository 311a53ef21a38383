//! What an agent of this machine can be asked, typed: its state, its tasks, and what becomes of one.

use anyhow::{Context as _, Result};
use hyper::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use synapse_a2a::task::TaskState;

use super::{Answer, Client, Events, segment};
use crate::native::{
    ReceiptShape, StandingShape, StatusAnswer, TaskAnswer, TaskEvent, TaskShape, TasksAnswer,
};

impl Client {
    /// # Errors
    /// When the agent cannot be reached or refuses.
    pub async fn status(&self) -> Result<StandingShape> {
        Ok(self.explained_status().await?.standing)
    }

    /// How the agent stands, and who says so.
    pub async fn explained_status(&self) -> Result<StatusAnswer> {
        read(self.call(Method::GET, "/status", None).await?)
    }

    /// The tasks at hand, the newest first.
    pub async fn tasks(&self) -> Result<Vec<TaskShape>> {
        let answer: TasksAnswer = read(self.call(Method::GET, "/tasks", None).await?)?;
        Ok(answer.tasks)
    }

    /// # Errors
    /// When there is no such task, or the agent cannot be reached.
    pub async fn task(&self, id: &str) -> Result<TaskShape> {
        let path = format!("/tasks/{}", segment(id));
        let answer: TaskAnswer = read(self.call(Method::GET, &path, None).await?)?;
        Ok(answer.task)
    }

    /// Sends a message, and gives the task that was made of it.
    pub async fn send(&self, priority: u8, body: &Value) -> Result<TaskShape> {
        let path = format!("/tasks/send-priority?priority={priority}");
        let answer: TaskAnswer = read(self.call(Method::POST, &path, Some(body)).await?)?;
        Ok(answer.task)
    }

    /// What happens to a task, from its beginning on.
    ///
    /// # Errors
    /// When there is no such task, or the agent cannot be reached.
    pub async fn follow(&self, id: &str) -> Result<TaskEvents> {
        self.follow_after(id, None).await
    }

    /// What happens to a task from the event after `last` on.
    ///
    /// # Errors
    /// When there is no such task, or the agent cannot be reached.
    pub async fn follow_after(&self, id: &str, last: Option<&str>) -> Result<TaskEvents> {
        let path = format!("/tasks/{}/subscribe", segment(id));
        let events = self.events(&path, last).await?;
        Ok(TaskEvents { events })
    }

    /// Follows a task until it is over, or until `goes_on` says no; the task as it stands then.
    ///
    /// # Errors
    /// When there is no such task, or the agent is lost on the way.
    pub async fn settle(
        &self,
        id: &str,
        mut goes_on: impl FnMut(&TaskEvent) -> bool,
    ) -> Result<TaskShape> {
        let mut events = self.follow(id).await?;
        while let Some(event) = events.next().await? {
            let is_over = event.state().is_some_and(TaskState::is_final);
            if !goes_on(&event) || is_over {
                break;
            }
        }
        self.task(id).await
    }

    /// Stops what runs, with the key that the program reacts to or another; whether it stopped is in the receipt.
    ///
    /// # Errors
    /// When no key is known, or the agent cannot be reached.
    pub async fn interrupt(&self, key: Option<&str>) -> Result<ReceiptShape> {
        let body = json!({ "key": key });
        read(self.call(Method::POST, "/interrupt", Some(&body)).await?)
    }

    /// Cancels a task: a waiting one is removed, a running one interrupted. It is over when this returns.
    ///
    /// # Errors
    /// When there is no such task, the agent does not react to the key, or it cannot be reached.
    pub async fn cancel(&self, id: &str) -> Result<TaskShape> {
        let path = format!("/tasks/{}/cancel", segment(id));
        let answer: TaskAnswer = read(self.call(Method::POST, &path, None).await?)?;
        Ok(answer.task)
    }

    /// Answers the question of a task, in somebody's name.
    ///
    /// # Errors
    /// When the agent cannot be reached; what it refused is in the answer.
    pub async fn input(&self, id: &str, given: &GivenAnswer<'_>) -> Result<Answer> {
        let path = format!("/tasks/{}/input", segment(id));
        self.ask(Method::POST, &path, Some(&json!(given))).await
    }

    /// Answers the question that the agent asks.
    ///
    /// # Errors
    /// When it asks nothing, or something else, or cannot be reached.
    pub async fn answer(&self, value: &str, fingerprint: Option<&str>) -> Result<()> {
        let body = json!({ "value": value, "fingerprint": fingerprint });
        self.call(Method::POST, "/answer", Some(&body)).await?;
        Ok(())
    }
}

/// The answer to the question of a task.
#[derive(Serialize)]
pub struct GivenAnswer<'a> {
    pub input: &'a str,
    /// Of the question that it answers.
    pub fingerprint: Option<&'a str>,
    /// Who answers, for those who read of it later.
    pub by: Option<&'a str>,
}

/// The events of one task, as they come.
pub struct TaskEvents {
    events: Events,
}

impl TaskEvents {
    /// The next event; nothing when the stream is over.
    pub async fn next(&mut self) -> Result<Option<TaskEvent>> {
        while let Some(event) = self.events.next().await? {
            let name = event.name.as_deref().unwrap_or("message");
            let read = TaskEvent::read(name, &event.data);
            if let Some(event) = read.with_context(|| format!("the agent sent a bad {name}"))? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The number to go on from after a break.
    pub fn last_id(&self) -> Option<&str> {
        self.events.last_id()
    }
}

fn read<T: DeserializeOwned>(body: Value) -> Result<T> {
    serde_json::from_value(body)
        .context("the agent's answer has another shape than this version knows")
}
