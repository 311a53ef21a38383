//! What is kept beside the tasks: where to tell of them, and replies on their way back.

use std::time::Duration;

use synapse_a2a::event::Timestamp;
use synapse_a2a::id::TaskId;
use synapse_a2a::wire::Dialect;
use synapse_a2a::wire::request::{Authentication, PushConfig, PushTarget};
use synapse_store::push;
use synapse_store::replies::{self, Reply, ReplyFilter};
use synapse_store::retain;

use crate::shelf::{Shelf, Tale};

fn place(id: &str) -> PushTarget {
    PushTarget {
        config: PushConfig {
            id: Some(id.to_owned()),
            url: "https://example.com/hook".to_owned(),
            token: Some("secret-token".to_owned()),
            authentication: Some(Authentication {
                scheme: "Bearer".to_owned(),
                credentials: Some("secret-credentials".to_owned()),
            }),
        },
        dialect: Dialect::V03,
        is_local: true,
    }
}

#[tokio::test]
async fn a_place_to_tell_is_set_read_replaced_and_deleted() {
    let shelf = Shelf::new();
    let (path, task) = (shelf.path(), TaskId::new("t1"));
    assert_eq!(push::list(&path, &task).unwrap(), []);
    push::set(&path, &task, &place("b")).unwrap();
    push::set(&path, &task, &place("a")).unwrap();
    let mut bare = place("b");
    (bare.config.token, bare.config.authentication) = (None, None);
    push::set(&path, &task, &bare).unwrap();
    assert_eq!(
        push::list(&path, &task).unwrap(),
        [place("a"), bare.clone()]
    );
    assert_eq!(push::get(&path, &task, "b").unwrap(), Some(bare));
    assert_eq!(push::get(&path, &TaskId::new("t2"), "b").unwrap(), None);
    assert!(push::delete(&path, &task, "b").unwrap());
    assert!(!push::delete(&path, &task, "b").unwrap());
    assert_eq!(push::get(&path, &task, "b").unwrap(), None);
}

#[tokio::test]
async fn places_to_tell_go_with_their_task() {
    let shelf = Shelf::new();
    shelf.fill("ada", [Tale::new("t1", "q").replies("r")]).await;
    push::set(&shelf.path(), &TaskId::new("t1"), &place("a")).unwrap();
    push::set(&shelf.path(), &TaskId::new("t2"), &place("a")).unwrap();
    retain(&shelf.path(), Duration::ZERO, u64::MAX).unwrap();
    assert_eq!(push::list(&shelf.path(), &TaskId::new("t1")).unwrap(), []);
    assert_eq!(
        push::list(&shelf.path(), &TaskId::new("t2")).unwrap().len(),
        1
    );
}

#[tokio::test]
async fn the_end_of_a_task_is_owed_until_it_is_settled_and_only_once_its_host_is_dead() {
    let shelf = Shelf::new();
    let path = shelf.path();
    shelf.fill("ada", [Tale::new("t1", "q").replies("r")]).await;
    let store = shelf.store("bob");
    store.commit(Tale::new("t2", "q").entries).await.unwrap();
    let (over, open) = (TaskId::new("t1"), TaskId::new("t2"));
    for (task, id) in [(&over, "a"), (&over, "b"), (&open, "a")] {
        push::set(&path, task, &place(id)).unwrap();
    }
    push::settle(&path, &over, &place("b"));
    let claim = |is_alive: bool| push::claim_ends(&path, |_| is_alive).unwrap();
    assert!(claim(true).is_empty(), "its own host tells it");
    let claimed = claim(false);
    let [(task, target)] = claimed.as_slice() else {
        panic!("{claimed:?}");
    };
    assert_eq!((task.id(), target), (&over, &place("a")));
    assert!(claim(false).is_empty(), "somebody tells it already");
    push::settle(&path, &over, &place("a"));
    store.close().await;
    let store = rusqlite::Connection::open(&path).unwrap();
    let owed = "SELECT count(*) FROM pushes WHERE due IS NOT NULL AND task = 't1'";
    let owed: u32 = store.query_row(owed, [], |row| row.get(0)).unwrap();
    assert_eq!(owed, 0);
}

#[test]
fn secrets_do_not_get_into_a_log() {
    let text = format!("{:?} {:?}", place("a"), place("a").config.authentication);
    assert!(
        !text.contains("secret") && !text.contains("example.com"),
        "{text}"
    );
}

#[tokio::test]
async fn replies_wait_until_they_are_seen() {
    let shelf = Shelf::new();
    let path = shelf.path();
    let reply = |to: &str, task: &str, at: u64| Reply {
        to: to.to_owned(),
        from: "codex".to_owned(),
        task: TaskId::new(task),
        text: format!("the reply of {task}"),
        at: Timestamp(at),
        is_seen: false,
    };
    assert_eq!(
        replies::list(&path, Some("ada"), ReplyFilter::All, 10).unwrap(),
        []
    );
    for some in [
        reply("ada", "t1", 1),
        reply("bob", "t2", 2),
        reply("ada", "t3", 3),
    ] {
        replies::add(&path, &some).unwrap();
    }
    let list = |wanted| replies::list(&path, Some("ada"), wanted, 10).unwrap();
    assert_eq!(
        list(ReplyFilter::Unseen),
        [reply("ada", "t3", 3), reply("ada", "t1", 1)]
    );
    let seen = [TaskId::new("t1"), TaskId::new("t2")];
    assert_eq!(replies::mark_seen(&path, "ada", &seen).unwrap(), 1);
    assert_eq!(list(ReplyFilter::Unseen), [reply("ada", "t3", 3)]);
    assert_eq!(list(ReplyFilter::All).len(), 2);
    assert_eq!(
        replies::list(&path, Some("bob"), ReplyFilter::Unseen, 10)
            .unwrap()
            .len(),
        1
    );
    retain(&path, Duration::from_hours(1), u64::MAX).unwrap();
    assert_eq!(list(ReplyFilter::All), []);
}
