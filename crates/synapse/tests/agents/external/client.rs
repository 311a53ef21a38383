//! The client itself, against an agent of ours in every dialect it serves.

use std::future::Future;

use serde_json::json;
use synapse_a2a::task::TaskState;
use synapse_client::client::a2a::{A2AClient, A2AError, Dialect, Interface, Outgoing};
use synapse_client::client::{Callable, Web};
use synapse_machine::token::Token;

use crate::world::World;

fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(work)
}

fn say(text: &str) -> Outgoing {
    Outgoing::read(&json!(text)).unwrap()
}

/// A client for every dialect that the agent serves.
fn clients(world: &World) -> Vec<(Dialect, A2AClient)> {
    let base = world.entry()["endpoint"].as_str().unwrap().to_owned();
    let (_, card) = world.call("GET", "/.well-known/agent.json", &json!(null));
    let mut served = vec![(Dialect::Native, base.clone())];
    if card.get("supportedInterfaces").is_some() {
        served.push((Dialect::RpcV1, format!("{base}/a2a")));
        served.push((Dialect::RestV1, format!("{base}/a2a/rest")));
        served.push((Dialect::RpcV03, format!("{base}/a2a")));
    } else {
        eprintln!("SKIPPED: the agent serves no A2A 1.0 and 0.3");
    }
    let client = |(dialect, url)| {
        let interface = Interface {
            url,
            dialect,
            tenant: None,
            streams: true,
        };
        let web = Web::new(Callable::Any, None);
        let token = Token::parse(&world.token()).unwrap();
        (dialect, A2AClient::new(web, interface, Some(token)))
    };
    served.into_iter().map(client).collect()
}

#[test]
fn a_task_is_sent_followed_and_looked_at() {
    let world = World::with_dummy();
    for (dialect, client) in clients(&world) {
        let (hello, mut states) = (say("say:hello  there"), Vec::new());
        let done = client.send_and_follow(&hello, |task| states.push(task.state));
        let done = wait(done).unwrap();
        assert_eq!(
            (done.state, done.reply().as_str()),
            (TaskState::Completed, "hello  there"),
            "{dialect:?}"
        );
        assert_eq!(states.last(), Some(&TaskState::Completed));
        let seen = wait(client.get(&done.id)).unwrap();
        assert_eq!(
            (seen.state, seen.reply()),
            (done.state, done.reply()),
            "{dialect:?}"
        );
        let over = wait(client.subscribe(&done.id, |_| {})).unwrap();
        assert_eq!(
            over.reply(),
            done.reply(),
            "what is over can still be asked for"
        );
    }
}

#[test]
fn a_task_that_runs_is_subscribed_to_and_canceled() {
    let world = World::with_dummy();
    world.ok(&["send", "dummy", "say:ready", "--return"]);
    for (dialect, client) in clients(&world) {
        let sent = wait(client.send(&say("slow:60"))).unwrap();
        assert!(!sent.state.is_final(), "{dialect:?}");
        let canceled = wait(async {
            let (begun, running) = tokio::sync::oneshot::channel();
            let mut begun = Some(begun);
            let follow = client.subscribe(&sent.id, |task| {
                if task.state == TaskState::Working
                    && let Some(begun) = begun.take()
                {
                    begun.send(()).unwrap();
                }
            });
            let cancel = async {
                running.await.unwrap();
                client.cancel(&sent.id).await.unwrap()
            };
            let (followed, canceled) = tokio::join!(follow, cancel);
            assert_eq!(followed.unwrap().state, TaskState::Canceled, "{dialect:?}");
            canceled
        });
        assert_eq!(canceled.state, TaskState::Canceled, "{dialect:?}");
    }
}

#[test]
fn a_question_is_answered_and_the_task_goes_on() {
    let world = World::with_dummy();
    for (dialect, client) in clients(&world) {
        let asked = wait(client.send_and_follow(&say("ask:yn Really?"), |_| {})).unwrap();
        assert_eq!(asked.state, TaskState::InputRequired, "{dialect:?}");
        assert!(
            asked.said.as_deref().unwrap().contains("Really?"),
            "{asked:?}"
        );
        let answer = Outgoing {
            task: Some(asked.id.clone()),
            context: asked.context.clone(),
            ..say("yes")
        };
        wait(client.send(&answer)).unwrap();
        world.wait_until("the task is over", |_| {
            wait(client.get(&asked.id)).unwrap().state == TaskState::Completed
        });
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let world = World::with_dummy();
    for (dialect, client) in clients(&world) {
        for refused in [
            wait(client.get("no-such-task")),
            wait(client.cancel("no-such-task")),
        ] {
            assert!(
                matches!(refused, Err(A2AError::Refused { .. })),
                "{dialect:?}: {refused:?}"
            );
        }
    }
}
