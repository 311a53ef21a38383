//! What the machine does that invites: it keeps the roster, lets others in, and shuts them out.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use synapse_machine::private_file::read_string;
use tokio::time::{Instant, sleep};

use super::{Shared, roster_bucket, take_roster};
use crate::certificate;
use crate::engine::Engine;
use crate::folder::Invitation;
use crate::invitation::{self, LIFETIME, Secret, Welcome};
use crate::key::{MachineKey, PublicNkey};
use crate::name::MachineName;
use crate::nats::{Kv, Link, Message, Nats, NatsError};
use crate::presence;
use crate::role::Role;
use crate::roster::{PURPOSE, Roster};
use crate::signed::Signed;

/// The key of the roster in its bucket.
pub const ROSTER_KEY: &str = "roster";
/// A cluster that has just been started takes ten seconds before it makes a bucket.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long to wait before a roster is put back that somebody has overwritten.
const PAUSE: Duration = Duration::from_millis(50);
/// The largest roster that is taken.
const LARGEST: usize = 4 << 20;
/// How long a server may take to read its configuration again.
const RELOAD: Duration = Duration::from_secs(10);

pub(super) fn is_admin(shared: &Shared) -> bool {
    shared.key.public() == shared.membership.admin
}

/// Makes the buckets, and puts the roster there.
pub(super) async fn prepare(shared: &Shared, replicas: u8) -> Result<(), NatsError> {
    let mesh = &shared.membership.mesh;
    presence::prepare(&shared.nats, &presence::bucket(mesh, replicas), PATIENCE).await?;
    let rosters = presence::prepare(&shared.nats, &roster_bucket(mesh, replicas), PATIENCE).await?;
    match shared.folder.signed_roster() {
        Ok(signed) => put(&rosters, &signed).await,
        Err(_) => Ok(()),
    }
}

/// Puts a roster. It may have been put before and be lost since, so every time is another one for the server.
async fn put(rosters: &Kv, signed: &Signed) -> Result<(), NatsError> {
    let id = uuid::Uuid::new_v4().simple().to_string();
    let text = serde_json::to_vec(signed).map_err(|error| NatsError::Said(error.to_string()))?;
    rosters.put(ROSTER_KEY, &id, text).await
}

/// Follows the roster; where this machine invites, sees to it that the server has it.
pub(super) async fn keep_roster(shared: Arc<Shared>, replicas: u8) {
    let kv = Kv::of(
        &shared.nats,
        &roster_bucket(&shared.membership.mesh, 1).name,
    );
    let mut news = kv.watch(LARGEST).await;
    let mut link = shared.nats.link();
    loop {
        if shared.nats.is_up() {
            if is_admin(&shared) {
                // A server that was restarted has forgotten what was only in its memory.
                if let Err(error) = prepare(&shared, replicas).await {
                    tracing::warn!(%error, "the server does not take the roster");
                }
            } else if let Ok(Some(text)) = kv.get(ROSTER_KEY).await {
                take(&shared, &text);
            }
        }
        let is_news = loop {
            tokio::select! {
                message = news.next() => {
                    let Some(message) = message else { return };
                    take(&shared, &message.payload);
                    restore(&shared, &kv, &message).await;
                }
                changed = link.changed() => {
                    break changed.map(|()| matches!(*link.borrow_and_update(), Link::Up(_)));
                }
            }
        };
        match is_news {
            Ok(true) => {}
            Ok(false) => {
                if link
                    .wait_for(|link| matches!(link, Link::Up(_)))
                    .await
                    .is_err()
                {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// Puts the roster back where somebody else has put something in its place: newcomers must find it.
async fn restore(shared: &Shared, rosters: &Kv, message: &Message) {
    if !is_admin(shared) || rosters.key_of(message) != Some(ROSTER_KEY) {
        return;
    }
    let Ok(own) = shared.folder.signed_roster() else {
        return;
    };
    let said: Option<Signed> = serde_json::from_slice(&message.payload).ok();
    let said = said.and_then(|said| said.open::<Roster>(shared.membership.admin, PURPOSE).ok());
    // An old one would hide from those who were away who was revoked since.
    if said.is_some_and(|said| said.version == shared.roster.borrow().version) {
        return;
    }
    tracing::warn!("another roster than the last stands there; it is put back");
    // Whoever goes on with it gets so many answers and no more.
    sleep(PAUSE).await;
    if let Err(error) = put(rosters, &own).await {
        tracing::warn!(%error, "the server does not take the roster");
    }
}

fn take(shared: &Shared, text: &[u8]) {
    if let Ok(signed) = serde_json::from_slice::<Signed>(text) {
        take_roster(shared, &signed);
    }
}

/// Answers machines that want to come in.
pub(super) async fn let_in(shared: Arc<Shared>) {
    if !is_admin(&shared) {
        return;
    }
    let mut asked = shared.nats.subscribe("synapse.join.*").await;
    while let Some(message) = asked.next().await {
        if let Err(error) = answer(&shared, &message).await {
            tracing::warn!(%error, "a machine that wants to come in cannot be answered");
        }
    }
}

async fn answer(shared: &Shared, message: &Message) -> Result<()> {
    let reply = message.reply.as_deref().context("it wants no answer")?;
    let key = message
        .subject
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_owned();
    let key = PublicNkey::try_from(key)?;
    // Our answer must not be led to where only we may write.
    if !reply.starts_with(&format!("_INBOX.join.{key}.")) {
        bail!("it wants the answer at {reply}");
    }
    let signed: Signed = serde_json::from_slice(&message.payload)?;
    let roster = Arc::clone(&shared.roster.borrow());
    let mut open = shared.folder.invitations()?;
    let invitation = open
        .iter()
        .find(|invitation| invitation.key == key)
        .cloned();
    let judged = match &invitation {
        Some(invitation) => invitation::judge(&signed, invitation, &roster, jiff::Timestamp::now()),
        None => Err(
            "the invitation was used, or has expired; ask for another: synapse mesh invite NAME"
                .to_owned(),
        ),
    };
    let mut welcome = Welcome {
        mesh: shared.membership.mesh.clone(),
        name: shared.membership.name.clone(),
        roster: shared.folder.signed_roster()?,
        authority: read_string(&shared.folder.authority()).ok(),
        refusal: None,
    };
    match judged {
        Ok(member) => {
            welcome.name = member.name.clone();
            // It is used up before anybody hears of it.
            open.retain(|invitation| invitation.key != key);
            shared.folder.write_invitations(&open)?;
            tracing::info!(machine = %member.name, role = %member.role, "let in");
            welcome.roster = publish(shared, roster.with(member)).await?;
        }
        Err(why) => welcome.refusal = Some(why),
    }
    let is_in = welcome.refusal.is_none();
    let answer = invitation::answer(&shared.key, &welcome)?;
    shared
        .nats
        .publish(reply, serde_json::to_vec(&answer)?)
        .await;
    if is_in {
        // The connection of the invitation ends with the reload, so the answer must be through.
        let _ = shared.nats.request("$JS.API.INFO", "").await;
        reconfigure(shared)?;
    }
    Ok(())
}

/// Signs a roster, keeps it, and tells everybody.
async fn publish(shared: &Shared, roster: Roster) -> Result<Signed> {
    let signed = Signed::sign(&shared.key, PURPOSE, &roster)?;
    take_roster(shared, &signed);
    let kv = Kv::of(
        &shared.nats,
        &roster_bucket(&shared.membership.mesh, 1).name,
    );
    put(&kv, &signed).await?;
    Ok(signed)
}

/// Has the server, if it is ours, let in exactly those of the roster and of open invitations.
fn reconfigure(shared: &Shared) -> Result<()> {
    let Some(settings) = &shared.membership.engine else {
        return Ok(());
    };
    let engine = Engine::new(&shared.folder, settings);
    let roster = Arc::clone(&shared.roster.borrow());
    engine.configure(
        &roster,
        shared.membership.admin,
        &shared.folder.invitations()?,
    )?;
    engine.reload();
    Ok(())
}

fn check_admin(shared: &Shared) -> Result<()> {
    if !is_admin(shared) {
        let roster = Arc::clone(&shared.roster.borrow());
        let admin = shared.membership.admin;
        let name = roster.machines.iter().find(|member| member.key == admin);
        let name = name.map_or("the machine that began the mesh", |member| {
            member.name.as_str()
        });
        bail!("only {name} invites, revokes and gives roles; run this there");
    }
    Ok(())
}

/// Makes an invitation; what a person pastes.
pub(super) async fn invite(
    shared: &Shared,
    name: Option<MachineName>,
    role: Role,
) -> Result<Secret> {
    check_admin(shared)?;
    if let Some(name) = &name
        && shared.roster.borrow().member(name.as_str()).is_some()
    {
        bail!(
            "the mesh has a machine called {name} already; choose another name, or first: synapse mesh revoke {name}"
        );
    }
    let key = MachineKey::generate()?;
    let mut open = shared.folder.invitations()?;
    open.push(Invitation {
        key: key.public(),
        name,
        role,
        expires: jiff::Timestamp::now() + LIFETIME,
    });
    shared.folder.write_invitations(&open)?;
    reconfigure(shared)?;
    if shared.membership.engine.is_some() {
        is_taken_up(shared, &key).await?;
    }
    let authority = match &shared.membership.engine {
        Some(_) => {
            let pem = read_string(&shared.folder.authority())?;
            Some(certificate::fingerprint(&pem)?)
        }
        None => None,
    };
    Ok(Secret {
        key,
        admin: shared.membership.admin,
        authority,
    })
}

/// Waits until the server lets the invitation in: it reads its configuration in its own time.
async fn is_taken_up(shared: &Shared, key: &MachineKey) -> Result<()> {
    let key = Arc::new(MachineKey::from_raw(key.raw())?);
    let deadline = Instant::now() + RELOAD;
    loop {
        let mut options = super::options(&shared.folder, &shared.membership, &key, None)?;
        options.inbox = format!("join.{}", key.public());
        match Nats::connect(options, RELOAD).await {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() > deadline => return Err(error.into()),
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
}

/// Shuts a machine out, at once.
pub(super) async fn revoke(shared: &Shared, name: &MachineName) -> Result<()> {
    check_admin(shared)?;
    if *name == shared.membership.name {
        bail!(
            "this machine began the mesh and cannot be revoked; `synapse mesh leave` ends the mesh"
        );
    }
    let roster = Arc::clone(&shared.roster.borrow());
    if roster.member(name.as_str()).is_none() {
        bail!("there is no machine '{name}' in the mesh");
    }
    publish(shared, roster.without(name)).await?;
    reconfigure(shared)
}

/// Gives a machine another role.
pub(super) async fn give_role(shared: &Shared, name: &MachineName, role: Role) -> Result<()> {
    check_admin(shared)?;
    let roster = Arc::clone(&shared.roster.borrow());
    let Some(member) = roster.member(name.as_str()) else {
        bail!("there is no machine '{name}' in the mesh");
    };
    let mut member = member.clone();
    member.role = role;
    publish(shared, roster.with(member)).await?;
    Ok(())
}

/// Forgets the mesh on a server that somebody else runs, so that another can be begun there.
pub(super) async fn end(shared: &Shared) -> Result<()> {
    check_admin(shared)?;
    if shared.membership.engine.is_some() || !shared.nats.is_up() {
        return Ok(());
    }
    let mesh = &shared.membership.mesh;
    for bucket in [presence::bucket(mesh, 1), roster_bucket(mesh, 1)] {
        Kv::of(&shared.nats, &bucket.name).delete().await?;
    }
    Ok(())
}
