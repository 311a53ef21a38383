//! How a machine comes in: a secret that is good once, shown to the machine that invites. The line that a person pastes
//! holds the secret, the key of the machine that invites, and the fingerprint of the server's authority, so that neither
//! the server nor anybody in between can pass for either.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::folder::{Folder, Invitation, Membership};
use crate::key::{MachineKey, PublicNkey, SealingKey};
use crate::name::MachineName;
use crate::nats::{Auth, Nats, NatsError, Options, Server, Trust};
use crate::roster::{Member, PURPOSE, Roster};
use crate::signed::Signed;

const ASKED: &str = "join";
const ANSWERED: &str = "welcome";
/// How long an invitation is good.
pub const LIFETIME: Duration = Duration::from_hours(1);
/// How long the server may take to let us in.
const CONNECTION: Duration = Duration::from_secs(6);
/// How long the machine that invites may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);
/// What every secret begins with. As text this is a letter: a dash would pass for an option of the command line.
const FORM: u8 = 1;

/// What a person pastes, after the address.
pub struct Secret {
    pub key: MachineKey,
    pub admin: PublicNkey,
    /// Nothing where the server is somebody else's.
    pub authority: Option<[u8; 32]>,
}

/// What a machine that wants to come in says, signed with the secret of its invitation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Petition {
    pub name: MachineName,
    pub key: PublicNkey,
    pub seal: SealingKey,
    /// Signed with the key of the machine itself, so that nobody can bring in another's.
    pub proof: Signed,
}

/// What it is told, signed by the machine that invites.
#[derive(Debug, Serialize, Deserialize)]
pub struct Welcome {
    pub mesh: String,
    pub name: MachineName,
    pub roster: Signed,
    /// The authority of the server, where we set it up.
    pub authority: Option<String>,
    /// Why it may not come in.
    pub refusal: Option<String>,
}

impl Secret {
    /// As it is pasted.
    pub fn text(&self) -> String {
        let mut bytes = vec![FORM];
        bytes.extend(self.key.raw());
        bytes.extend(self.admin.0);
        bytes.extend(self.authority.unwrap_or_default());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// # Errors
    /// When it was cut off or mistyped.
    pub fn parse(text: &str) -> Result<Self> {
        let odd = || {
            anyhow::anyhow!(
                "this is not an invitation: it is mistyped or cut off; paste the whole line"
            )
        };
        let bytes = URL_SAFE_NO_PAD.decode(text.trim()).map_err(|_| odd())?;
        let (form, rest) = bytes.split_first().ok_or_else(odd)?;
        if *form != FORM {
            return Err(odd());
        }
        let (key, rest) = rest.split_first_chunk::<32>().ok_or_else(odd)?;
        let (admin, rest) = rest.split_first_chunk::<32>().ok_or_else(odd)?;
        let authority: [u8; 32] = rest.try_into().map_err(|_| odd())?;
        Ok(Self {
            key: MachineKey::from_raw(*key)?,
            admin: PublicNkey(*admin),
            authority: (authority != [0; 32]).then_some(authority),
        })
    }
}

/// Whether a petition is to be granted: the next roster, or why not.
///
/// # Errors
/// Why not, for the person at the other machine.
pub fn judge(
    signed: &Signed,
    invitation: &Invitation,
    roster: &Roster,
    now: jiff::Timestamp,
) -> Result<Member, String> {
    if invitation.expires <= now {
        return Err(format!(
            "the invitation expired at {}; ask for another: synapse mesh invite NAME",
            invitation.expires
        ));
    }
    let petition: Petition = signed
        .open(invitation.key, ASKED)
        .map_err(|error| error.to_string())?;
    let proven: MachineName = petition
        .proof
        .open(petition.key, ASKED)
        .map_err(|error| error.to_string())?;
    if proven != petition.name {
        return Err("the machine has signed another name".to_owned());
    }
    let name = invitation.name.clone().unwrap_or(petition.name);
    if let Some(known) = roster.member(name.as_str())
        && known.key != petition.key
    {
        return Err(format!(
            "the mesh has another machine called {name}; choose another name with --name, or first: synapse mesh revoke {name}"
        ));
    }
    Ok(Member {
        name,
        key: petition.key,
        seal: petition.seal,
        role: invitation.role,
        since: now,
    })
}

/// The answer to a petition.
///
/// # Errors
/// When it cannot be signed.
pub fn answer(key: &MachineKey, welcome: &Welcome) -> Result<Signed> {
    Ok(Signed::sign(key, ANSWERED, welcome)?)
}

/// How this machine wants to come in.
pub struct Joining {
    pub servers: Vec<String>,
    pub creds: Option<std::path::PathBuf>,
    pub secret: Secret,
    pub name: MachineName,
    /// More authorities that are believed, PEM, where the server is somebody else's.
    pub authorities: Option<Arc<str>>,
}

impl Joining {
    /// Asks to be let in, and writes down that it was.
    ///
    /// # Errors
    /// When the server cannot be reached, or the machine that invites says no.
    pub async fn run(self, folder: &Folder) -> Result<Membership> {
        let key = folder.key()?;
        let secret_key = self.secret.key.public();
        let servers = self.servers.iter().map(|server| server.parse());
        let servers: Vec<Server> = servers.collect::<Result<_, NatsError>>()?;
        let auth = match (&self.creds, self.secret.authority) {
            (Some(file), _) => Auth::from_creds(file).map_err(anyhow::Error::msg)?,
            (None, Some(_)) => Auth::Nkey(Arc::new(MachineKey::from_raw(self.secret.key.raw())?)),
            (None, None) => Auth::FromAddress,
        };
        let trust = match self.secret.authority {
            Some(fingerprint) => Trust::Fingerprint(fingerprint),
            None => Trust::System(self.authorities.clone()),
        };
        let options = Options {
            servers,
            auth,
            trust,
            inbox: format!("join.{secret_key}"),
            name: format!("{} (joining)", self.name),
        };
        let nats = Nats::connect(options, CONNECTION).await.map_err(|error| match error {
            // The server knows only users of open invitations.
            NatsError::Refused { server, .. } if self.secret.authority.is_some() => {
                anyhow::anyhow!("{server} does not know this invitation: it was used, or has expired; ask for another: synapse mesh invite NAME")
            }
            error => error.with_hint().into(),
        })?;
        let petition = Petition {
            name: self.name.clone(),
            key: key.public(),
            seal: key.sealing_key(),
            proof: Signed::sign(&key, ASKED, &self.name)?,
        };
        let signed = Signed::sign(&self.secret.key, ASKED, &petition)?;
        // The subject names the mesh, which an invitation does not: there is one for each invitation's key.
        let subject = format!("synapse.join.{secret_key}");
        let answer = nats
            .request_within(&subject, serde_json::to_vec(&signed)?, PATIENCE)
            .await
            .context(
                "the machine that invites does not answer; is `synapse mesh status` fine there?",
            )?;
        let answer: Signed = serde_json::from_slice(&answer.payload)?;
        let welcome: Welcome = answer.open(self.secret.admin, ANSWERED)?;
        if let Some(why) = welcome.refusal {
            bail!("{why}");
        }
        let roster: Roster = welcome.roster.open(self.secret.admin, PURPOSE)?;
        if roster
            .member(welcome.name.as_str())
            .is_none_or(|own| own.key != key.public())
        {
            bail!("the machine that invites has not noted this one; try again");
        }
        if let Some(authority) = &welcome.authority {
            synapse_machine::private_file::replace(&folder.authority(), authority.as_bytes())?;
        }
        let membership = Membership {
            mesh: welcome.mesh,
            name: welcome.name,
            servers: self.servers,
            admin: self.secret.admin,
            creds: self.creds,
            engine: None,
        };
        folder.write_roster(&welcome.roster)?;
        folder.write_membership(&membership)?;
        Ok(membership)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;

    fn petition(invited: &MachineKey, key: &MachineKey, name: &str) -> Signed {
        let name = MachineName::parse(name).unwrap();
        let petition = Petition {
            key: key.public(),
            seal: key.sealing_key(),
            proof: Signed::sign(key, ASKED, &name).unwrap(),
            name,
        };
        Signed::sign(invited, ASKED, &petition).unwrap()
    }

    #[test]
    fn an_invitation_lets_in_one_machine_in_time() {
        let [secret, key, other] = [(); 3].map(|()| MachineKey::generate().unwrap());
        let now = jiff::Timestamp::now();
        let invitation = Invitation {
            key: secret.public(),
            name: None,
            role: Role::Answer,
            expires: now + LIFETIME,
        };
        let roster = Roster {
            mesh: "synapse".to_owned(),
            version: 1,
            machines: Vec::new(),
        };
        let signed = petition(&secret, &key, "laptop");
        let member = judge(&signed, &invitation, &roster, now).unwrap();
        assert_eq!(
            (member.name.as_str(), member.role),
            ("laptop", Role::Answer)
        );
        let late = judge(&signed, &invitation, &roster, now + LIFETIME).unwrap_err();
        assert!(late.contains("expired"), "{late}");
        // Signed with another secret.
        let forged = petition(&other, &key, "laptop");
        assert!(judge(&forged, &invitation, &roster, now).is_err());
        // The name is another machine's.
        let roster = roster.with(member);
        let taken = petition(&secret, &other, "laptop");
        let error = judge(&taken, &invitation, &roster, now).unwrap_err();
        assert!(error.contains("another machine called laptop"), "{error}");
        assert!(
            judge(&signed, &invitation, &roster, now).is_ok(),
            "it comes back"
        );
    }

    #[test]
    fn a_secret_is_pasted_whole() {
        let secret = Secret {
            key: MachineKey::generate().unwrap(),
            admin: MachineKey::generate().unwrap().public(),
            authority: Some([9; 32]),
        };
        let text = secret.text();
        let read = Secret::parse(&text).unwrap();
        assert_eq!(read.key.seed(), secret.key.seed());
        assert_eq!((read.admin, read.authority), (secret.admin, Some([9; 32])));
        assert!(text.starts_with('A'), "no option begins so: {text}");
        assert!(Secret::parse(&text[..100]).is_err());
        assert!(Secret::parse("hello").is_err());
    }
}
