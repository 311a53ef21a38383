//! `synapse adopt`: makes an agent of a program that already runs in a pane of tmux.

use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::{Value, json};
use synapse::launch::{ProgramPlace, marks_pastes};
use synapse_platform::process;
use synapse_pty::{Pid, Tenure};
use synapse_term::profile::Profile;
use synapse_tmux::{Adoption, PaneInfo, Server};

use super::table::Table;
use super::{Failure, lookup, profile, start, texts};
use crate::cli::{Start, complete};
use crate::verbs::print;

/// What runs a script whose name stands behind it.
const INTERPRETERS: [&str; 5] = ["node", "bun", "deno", "python", "python3"];

/// The profile of whatever has none.
const ANY: &str = "generic";

/// `synapse adopt …`
#[derive(Args)]
pub(crate) struct Adopt {
    /// The pane as tmux names it, such as %3 or main:0.1; without one, the pane this runs in
    pane: Option<String>,
    /// List the panes: what runs there, and which profile fits
    #[arg(long, conflicts_with_all = ["pane", "name", "profile"])]
    list: bool,
    /// Its handle; by default the name of the profile
    #[arg(long)]
    name: Option<String>,
    /// A profile or a YAML file, if another one fits better than the one that is found
    #[arg(long, add = complete::profiles())]
    profile: Option<String>,
    /// Its port; 0 lets the system choose
    #[arg(long)]
    port: Option<u16>,
    /// The socket of the tmux server, if it is not the usual one
    #[arg(long, value_name = "PATH")]
    socket: Option<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Adopt) -> Result<u8> {
    let around = Server::around(std::env::var_os("TMUX"), std::env::var_os("TMUX_PANE"));
    let server = match (&args.socket, &around) {
        (Some(socket), _) => Server::at(Some(socket.clone())),
        (None, Some((server, _))) => server.clone(),
        (None, None) => Server::default(),
    };
    if args.list {
        return list(&server, args.json);
    }
    let own = around.map(|(_, pane)| pane);
    let (pane, is_own) = match (&args.pane, own) {
        (Some(word), own) => {
            let pane = server.pane(word)?;
            let is_own = own.as_ref() == Some(&pane.id);
            (pane, is_own)
        }
        (None, Some(own)) => (server.pane(&own)?, true),
        (None, None) => {
            return Err(Failure::new(Failure::USAGE, texts::which_pane()).into());
        }
    };
    if let Some(agent) = agent_of(&pane)? {
        let error = format!("pane {} is the agent @{agent} already", pane.id);
        return Err(Failure::new(1, error).into());
    }
    let program = if is_own { above(&pane) } else { pane.program() };
    let found = fitting(program);
    let name = args
        .profile
        .clone()
        .or(found)
        .unwrap_or_else(|| ANY.to_owned());
    let dir = process::folder(program.as_raw_pid()).unwrap_or_else(|| pane.dir.clone());
    let socket = server
        .socket()
        .map(|path| path.to_string_lossy().into_owned());
    let start = Start {
        profile: Some(name.clone()),
        name: args
            .name
            .clone()
            .or_else(|| (name == ANY).then(|| called(program))),
        port: args.port,
        cwd: Some(dir.to_string_lossy().into_owned()),
        adopted: Some(format!(
            "{},{},{}",
            program.as_raw_pid(),
            pane.id,
            socket.unwrap_or_default()
        )),
        ..Start::default()
    };
    start::start(&start, args.json)
}

/// The place that the hidden flag of the host names.
pub(super) fn place(adopted: &str, args: &Start) -> Result<ProgramPlace> {
    let mut parts = adopted.splitn(3, ',');
    let program = parts.next().and_then(|pid| pid.parse().ok());
    let program = program.filter(|pid| *pid > 0).and_then(Pid::from_raw);
    let program = program.context("--adopted names no process")?;
    let pane = parts.next().context("--adopted names no pane")?;
    let socket = parts.next().filter(|path| !path.is_empty());
    let server = Server::at(socket.map(Into::into));
    let pane = server.pane(pane)?;
    let profile = profile::find(args.profile.as_deref().unwrap_or(ANY))?;
    Ok(ProgramPlace::Pane(Box::new(Adoption {
        server,
        pane,
        program,
        tenure: Tenure::Guest,
        marks_pastes: marks_pastes(&profile),
    })))
}

fn list(server: &Server, is_json: bool) -> Result<u8> {
    let mut rows = Vec::new();
    for pane in server.panes()? {
        let program = pane.program();
        let agent = agent_of(&pane)?;
        rows.push((called(program), fitting(program), agent, pane));
    }
    if is_json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(program, profile, agent, pane)| {
                json!({
                    "pane": pane.id, "place": pane.place, "program": program, "profile": profile,
                    "agent": agent, "dir": pane.dir, "pid": pane.program().as_raw_pid(),
                })
            })
            .collect();
        print::json(&json!({ "panes": rows }))?;
        return Ok(0);
    }
    if rows.is_empty() {
        note!("{}", texts::no_tmux());
    }
    let mut table = Table::new(
        ["PANE", "PLACE", "PROGRAM", "PROFILE", "AGENT", "DIRECTORY"].map(str::to_owned),
    );
    for (program, profile, agent, pane) in rows {
        let cells = [
            pane.id,
            pane.place,
            program,
            profile.unwrap_or_else(|| ANY.to_owned()),
            agent.map(|agent| format!("@{agent}")).unwrap_or_default(),
            pane.dir.display().to_string(),
        ];
        table.push(cells, [None; 6], &[]);
    }
    table.print()?;
    Ok(0)
}

/// The agent that a pane is, if that one still runs: a host that was killed takes no label off.
fn agent_of(pane: &PaneInfo) -> Result<Option<String>> {
    let Some(label) = &pane.agent else {
        return Ok(None);
    };
    let runs = lookup::agents()?.iter().any(|entry| entry.handle.is(label));
    Ok(runs.then(|| label.clone()))
}

/// The program around us: the one that the pane's shell has started and that has started us, or else the shell.
fn above(pane: &PaneInfo) -> Pid {
    let mut below = None;
    let mut at = std::process::id().cast_signed();
    while at > 1 && at != pane.pid.as_raw_pid() {
        let Some(parent) = process::parent(at) else {
            return pane.pid;
        };
        below = Some(at);
        at = parent;
    }
    let is_us = below == Some(std::process::id().cast_signed());
    below
        .filter(|_| !is_us)
        .and_then(Pid::from_raw)
        .unwrap_or(pane.pid)
}

/// What a program is called.
fn called(program: Pid) -> String {
    let arguments = process::arguments(program.as_raw_pid());
    let name = arguments.first().map(|word| base(word).to_owned());
    let name = name.or_else(|| process::name(program.as_raw_pid()));
    // A login shell has a dash before its name.
    let name = name.unwrap_or_default();
    let name = name.trim_start_matches('-');
    if name.is_empty() { "program" } else { name }.to_owned()
}

/// The built-in profile whose program this is.
fn fitting(program: Pid) -> Option<String> {
    let arguments = process::arguments(program.as_raw_pid());
    let name = process::name(program.as_raw_pid());
    let mut profiles = Profile::builtin_names().filter_map(|name| Profile::builtin(name).ok());
    let found = profiles.find(|profile| fits(&profile.command, &arguments, name.as_deref()));
    found.map(|profile| profile.name)
}

/// Whether a process with these arguments, and this name, was started by a command: by itself, or as a script, which may
/// be a file inside a package of that name.
fn fits(command: &[String], arguments: &[String], name: Option<&str>) -> bool {
    let Some((program, words)) = command.split_first() else {
        return false;
    };
    let first = arguments.first().map_or("", |word| base(word));
    let skipped = usize::from(INTERPRETERS.contains(&first));
    let Some((script, rest)) = arguments.get(skipped..).and_then(<[String]>::split_first) else {
        return name == Some(program);
    };
    let is_it = |part: &str| part == program || part.starts_with(&format!("{program}-"));
    let is_script = skipped > 0 && script.split('/').any(is_it);
    let is_called =
        base(script) == program || is_script || words.is_empty() && name == Some(program);
    let needed = words.iter().filter(|word| !word.starts_with('-'));
    is_called
        && needed.zip(rest).all(|(needed, given)| needed == given)
        && rest.len() >= words.iter().filter(|word| !word.starts_with('-')).count()
}

fn base(word: &str) -> &str {
    Path::new(word)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_process_is_known_by_how_it_was_started() {
        let fits = |command: &str, arguments: &str, name: Option<&str>| {
            let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
            super::fits(&words(command), &words(arguments), name)
        };
        assert!(fits("claude", "claude --resume x", None));
        assert!(fits("claude", "/usr/bin/claude", None));
        assert!(fits(
            "claude",
            "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
            None
        ));
        assert!(fits("gemini", "/usr/bin/node /x/bin/gemini --yolo", None));
        assert!(fits("claude", "/opt/2.1.260 --x", Some("claude")));
        assert!(fits(
            "synapse dummy-agent",
            "/x/synapse dummy-agent",
            Some("synapse")
        ));
        assert!(!fits(
            "synapse dummy-agent",
            "/x/synapse list",
            Some("synapse")
        ));
        assert!(!fits("synapse dummy-agent", "/x/synapse", Some("synapse")));
        assert!(!fits("claude", "vim claude.md", Some("vim")));
        assert!(!fits("claude", "node server.js", Some("node")));
        assert!(!fits("pi", "pip install x", Some("pip")));
    }
}
