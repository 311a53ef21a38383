//! The command line of `synapse`.

pub(crate) mod complete;
pub(crate) mod help;
mod profile;

use clap::{Args, Parser, Subcommand};
use synapse_machine::handle::Handle;
use synapse_machine::launch_record::is_conversation_name;

use crate::verbs::adopt::Adopt;
use crate::verbs::answer::Answer;
use crate::verbs::attach::Attach;
use crate::verbs::doctor::Doctor;
use crate::verbs::external::External;
use crate::verbs::flow::Flow;
use crate::verbs::list::List;
use crate::verbs::logs::Logs;
use crate::verbs::send::Send;
use crate::verbs::shell::Shell;
use crate::verbs::shell_hook::ShellHook;
use crate::verbs::shell_line::ShellLine;
use crate::verbs::start::Launch;
use crate::verbs::stop::Stop;
use crate::verbs::texts;

pub(crate) use profile::{Learn, Profile, ProfileCommand, Replay};

/// Wraps a command-line coding agent and makes it a networked agent.
#[derive(Parser)]
#[command(
    version = env!("SYNAPSE_VERSION"),
    about,
    arg_required_else_help = true,
    add = complete::wrappable()
)]
pub(crate) struct Cli {
    /// Print text from others byte for byte, even escape sequences that this terminal would obey
    #[arg(long, global = true)]
    pub(crate) raw_output: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start an agent in the background; prints its handle, PID and URL once it can be reached
    #[command(
        after_help = "Examples:\n  synapse start claude\n  synapse start codex --name reviewer --cwd ~/project -- --model best\n  synapse start claude --foreground\n\nAny other program:\n  synapse start -- python3 -i"
    )]
    Start(Launch),
    /// Make an agent of a program that already runs in a pane of tmux; it stays there, as it is
    #[command(
        after_help = "Examples:\n  synapse adopt --list\n  synapse adopt %3\n  synapse adopt main:0.1 --name reviewer\n\n`synapse stop` leaves the program running; it is an agent no more."
    )]
    Adopt(Adopt),
    /// Stop agents; returns when they and everything they started are gone
    #[command(
        alias = "kill",
        after_help = "Examples:\n  synapse stop reviewer codex\n  synapse stop --all\n\nOne that does not run, but that `synapse up` would bring back, is brought back no more."
    )]
    Stop(Stop),
    /// Start an agent again with its arguments, folder and conversation, once it rests
    #[command(after_help = "Examples:\n  synapse restart codex\n  synapse restart codex --fresh")]
    Restart(crate::verbs::again::Restart),
    /// List the older conversations of a folder, which `start --resume` continues
    #[command(
        after_help = "Examples:\n  synapse conversations claude\n  synapse start claude --resume ID"
    )]
    Conversations(crate::verbs::conversations::Conversations),
    /// Start again whatever ran when the machine went down, or was ended by `stop --all`
    #[command(after_help = "Examples:\n  synapse up\n  synapse up --dry-run")]
    Up(crate::verbs::again::Up),
    /// Show an agent's terminal here; Ctrl-] d detaches and leaves it running
    #[command(
        after_help = "Examples:\n  synapse attach codex\n  synapse attach codex --detach-keys ctrl-p,ctrl-q"
    )]
    Attach(Attach),
    /// List the running agents
    #[command(
        aliases = ["ls", "ps"],
        after_help = "Examples:\n  synapse list --watch\n  synapse list --mesh\n  synapse list --json"
    )]
    List(List),
    /// Show what an agent is doing, and the evidence; without a name, of all agents
    #[command(
        alias = "stat",
        after_help = "Examples:\n  synapse status\n  synapse status codex\n  synapse status codex --why"
    )]
    Status {
        /// The agent: its handle, profile or id
        #[arg(add = complete::agents())]
        agent: Option<String>,
        /// Also say what each witness says: the screen, the program's hooks, its transcript
        #[arg(long, requires = "agent")]
        why: bool,
        /// Print JSON: the body of GET /status
        #[arg(long)]
        json: bool,
    },
    /// Send a message to an agent
    #[command(after_help = "\
Examples:
  synapse send codex \"review this\" --return
  git diff | synapse send claude - --return --timeout 600
  synapse send codex --template review src/cart.py
  synapse send gemini \"what is on it?\" --file shot.png --stream
  synapse send all \"what are you working on?\" --return")]
    Send(Send),
    /// Discover A2A agents on other machines, and talk to them
    External(External),
    /// Show an agent's screen
    #[command(after_help = "Example:\n  synapse screen claude")]
    Screen {
        /// The agent: its handle, profile or id
        #[arg(add = complete::agents())]
        agent: String,
        /// With colours, as ANSI
        #[arg(long)]
        ansi: bool,
    },
    /// Press keys in an agent's terminal, by the names tmux gives them
    #[command(after_help = "Example:\n  synapse keys claude Escape C-u")]
    Keys {
        /// The agent: its handle, profile or id
        #[arg(add = complete::agents())]
        agent: String,
        /// The keys
        #[arg(required = true, add = complete::keys())]
        keys: Vec<String>,
    },
    /// Interrupt what an agent is doing; reports whether it stopped
    #[command(after_help = "Example:\n  synapse interrupt codex --json")]
    Interrupt {
        /// The agent: its handle, profile or id
        #[arg(add = complete::agents())]
        agent: String,
        /// Another key than the one the profile names
        #[arg(long, add = complete::keys())]
        key: Option<String>,
        /// Print JSON: {sent, was, now}
        #[arg(long)]
        json: bool,
    },
    /// Answer the question an agent is asking
    #[command(
        after_help = "Examples:\n  synapse answer claude yes --return\n  synapse answer claude 2 --fingerprint 13fc5f0f2668a8ba\n  synapse answer 9f4b91f7 no"
    )]
    Answer(Answer),
    /// List tasks, newest first
    #[command(after_help = "Examples:\n  synapse tasks\n  synapse tasks codex --json")]
    Tasks(crate::verbs::tasks::Tasks),
    /// Show a task: its message, state and reply
    #[command(after_help = "Example:\n  synapse task 9f4b91f7 --follow")]
    Task {
        /// Its id, or the beginning or end of it
        #[arg(add = complete::tasks())]
        task: String,
        /// Show it as it goes on, to its end; with --json its events, a line each
        #[arg(long)]
        follow: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what turns took: tokens, cost and context left, summed by day and agent
    #[command(
        after_help = "Examples:\n  synapse usage\n  synapse usage claude --days 30\n  synapse usage --json\n\nPrices are in a table: `synapse help prices`."
    )]
    Usage(crate::verbs::usage::UsageArgs),
    /// Show the answers to messages typed as @agent in wrapped terminals
    #[command(after_help = "Examples:\n  synapse replies\n  synapse replies claude --all --json")]
    Replies(crate::verbs::replies::Replies),
    /// Inside an agent: submit the reply to its current task
    #[command(after_help = "Example:\n  synapse reply \"all tests pass\"")]
    Reply(crate::verbs::reply::Reply),
    /// Cancel a task: a waiting one is removed, a running one interrupted
    #[command(after_help = "Example:\n  synapse cancel 9f4b91f7")]
    Cancel {
        /// Its id, or the beginning or end of it
        #[arg(add = complete::open_tasks())]
        task: String,
        /// Print JSON: the task
        #[arg(long)]
        json: bool,
    },
    /// Show what an agent's host has logged
    #[command(alias = "log", after_help = "Example:\n  synapse logs codex -f")]
    Logs(Logs),
    /// Run a program in this terminal and record it, for `profile replay`
    #[command(after_help = "Example:\n  synapse record claude -o session.cast")]
    Record {
        /// A built-in profile, or a YAML file
        #[arg(add = complete::profiles())]
        profile: String,
        /// The file to write, an asciicast
        #[arg(short, long)]
        output: String,
        /// Arguments for the program itself
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Show every setting, its value, and where it comes from
    #[command(after_help = "Examples:\n  synapse config\n  synapse config --json")]
    Config {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Check this machine, and an agent: what is wrong, and what to do
    #[command(after_help = "Examples:\n  synapse doctor\n  synapse doctor codex --json")]
    Doctor(Doctor),
    /// Bring agents back at login: installs a systemd user unit that runs `synapse up`
    #[command(
        after_help = "Examples:\n  synapse install-service\n  synapse install-service --remove"
    )]
    InstallService(crate::verbs::service::InstallService),
    /// Print completions for a shell; they offer agents, tasks, profiles and answers, too
    #[command(
        after_help = "Put one of these into your shell's start-up file:\n  source <(synapse completions bash)\n  source <(synapse completions zsh)\n  synapse completions fish | source"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder
    #[command(
        after_help = "Examples:\n  synapse man | man -l -\n  synapse man --dir ~/.local/share/man/man1"
    )]
    Man {
        /// Write synapse.1 and a page for every command here
        #[arg(long)]
        dir: Option<std::path::PathBuf>,
    },
    /// Explain a command, or a topic: `synapse help topics`
    #[command(
        after_help = "Examples:\n  synapse help send\n  synapse help topics\n  synapse help exit-codes"
    )]
    Help {
        /// A command, or a topic
        #[arg(add = complete::explained())]
        words: Vec<String>,
    },
    /// Run the dummy agent, a program for demos and tests that does what its input says
    #[command(after_help = synapse_dummy::HELP)]
    DummyAgent,
    /// A shell in which `@handle message` goes to agents and everything else to your own shell
    #[command(
        after_help = "Examples:\n  synapse shell\n  synapse-shell\n  synapse-shell -c \"git diff | @codex --return any bug?\"\n\nIn it:\n  @codex --return what is this?\n  cat log | @codex --return what failed?\n  cd src && ls"
    )]
    Shell(Shell),
    /// Print a hook for your shell: `@handle message` typed at its prompt goes to an agent
    #[command(
        after_help = "Put it at the end of your shell's start-up file:\n  eval \"$(synapse shell-hook)\"       # ~/.bashrc, ~/.zshrc\n  synapse shell-hook | source        # ~/.config/fish/config.fish"
    )]
    ShellHook(ShellHook),
    /// What the hook calls with a line as it was typed
    #[command(hide = true)]
    ShellLine(ShellLine),
    /// What a wrapped program runs as its hook
    #[command(hide = true)]
    HookEvent(crate::verbs::hook_event::HookEvent),
    /// Serve the other agents as tools (MCP) over standard input and output, for an agent's own use
    #[command(
        after_help = "Examples:\n  synapse claude --mcp                      # gives the tools to the agent that is wrapped\n  claude mcp add synapse -- synapse mcp     # to any other CLI"
    )]
    Mcp,
    /// Make one mesh of several machines: every agent seen, sent to, watched and answered from each
    Mesh(crate::verbs::mesh::Mesh),
    /// Be an agent of an editor that speaks ACP (Zed, Neovim, Emacs …), over standard input and output
    #[command(
        after_help = "The editor runs it; in Zed's settings.json:\n  \"agent_servers\": { \"Codex\": { \"command\": \"synapse\", \"args\": [\"acp\", \"codex\"] } }\n\nExamples:\n  synapse acp codex      # the agent codex of the project, started if need be\n  synapse acp            # every agent, as modes or by @name"
    )]
    Acp {
        /// The agent: its handle or profile, or the alias of one elsewhere; without one, all of them
        #[arg(add = complete::recipients())]
        agent: Option<String>,
    },
    /// The process behind an agent in the background
    #[command(hide = true)]
    Host(Start),
    /// Serve the web page: every agent, its questions, and a Stop that confirms
    #[command(after_help = "Examples:\n  synapse web --open\n  synapse web login --read-only")]
    Web(crate::verbs::web::Web),
    /// Put the extension into VS Code and editors made of it
    #[command(after_help = "Example:\n  synapse vscode install")]
    Vscode(crate::verbs::vscode::Vscode),
    /// Several agents, one goal: run, list, show, answer, stop, resume and check flows
    Flow(Flow),
    /// Open the page at an agent, in a browser
    #[command(after_help = "Examples:\n  synapse open codex\n  synapse open codex --print")]
    Open(crate::verbs::open::Open),
    /// List, show, check, learn and replay profiles
    Profile(Profile),
    /// `synapse <profile>`: wrap an agent here, in this terminal
    #[command(external_subcommand)]
    Wrap(Vec<String>),
    /// Show what Synapse does, with no account and no agent installed
    #[command(after_help = "Example:\n  synapse demo")]
    Demo,
}

/// A word that can be a handle.
fn handle(word: &str) -> Result<String, String> {
    let handle = Handle::parse(word).map_err(|error| texts::errors::handle(&error))?;
    Ok(handle.to_string())
}

/// The name of a conversation; none is named where one is to be chosen.
fn conversation(word: &str) -> Result<String, String> {
    if word.is_empty() || is_conversation_name(word) {
        return Ok(word.to_owned());
    }
    Err(texts::no_conversation_name(word))
}

/// `synapse <profile> …`
#[derive(Parser)]
#[command(name = "synapse")]
pub(crate) struct Wrap {
    #[command(flatten)]
    pub(crate) start: Start,
}

/// `synapse start …`
#[derive(Args, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(crate) struct Start {
    /// A profile, a YAML file, or the name of a program; a command after -- needs no profile
    #[arg(required_unless_present = "args", add = complete::profiles())]
    pub(crate) profile: Option<String>,
    /// Its handle; by default the name of the profile or of the program
    #[arg(long, value_parser = handle)]
    pub(crate) name: Option<String>,
    /// Its port; 0 lets the system choose
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Its working directory; by default this one
    #[arg(long, value_hint = clap::ValueHint::DirPath)]
    pub(crate) cwd: Option<String>,
    /// The address it listens on, such as 0.0.0.0; callers from other machines need its token
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<std::net::IpAddr>,
    /// The address others know it by, behind a proxy or a tunnel
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<synapse_machine::config::PublicUrl>,
    /// Always serve the A2A 1.0 card alone, with nothing for older clients
    #[arg(long)]
    pub(crate) pure_card: bool,
    /// Also speak A2A over gRPC, on this port or one that the system chooses
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) grpc: Option<u16>,
    /// Let processes that the agent has started answer its questions and press its keys
    #[arg(long)]
    pub(crate) may_answer_itself: bool,
    /// Give the agent the tools of `synapse mcp`, so that it can talk to other agents by itself
    #[arg(long)]
    pub(crate) mcp: bool,
    /// Also type answers to messages sent from its terminal into the program
    #[arg(long)]
    pub(crate) return_to_agent: bool,
    /// The size of its terminal, such as 120x40
    #[arg(long)]
    pub(crate) size: Option<synapse_machine::config::Size>,
    /// Reach the program by the Agent Client Protocol, without a terminal (the profile's `acp`)
    #[arg(long)]
    pub(crate) acp: bool,
    /// Continue an older conversation of this folder: its name (synapse conversations lists them); without one you
    /// choose at a terminal, and elsewhere it is the last
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", value_parser = conversation)]
    pub(crate) resume: Option<String>,
    /// In a new window of tmux, to be attached to with tmux: `--in tmux`, or `--in tmux SESSION`
    #[arg(long = "in", value_names = ["tmux", "SESSION"], num_args = 1..=2)]
    pub(crate) inside: Vec<String>,
    /// A pane that is adopted: its program, its id and the socket of its tmux
    #[arg(long, hide = true)]
    pub(crate) adopted: Option<String>,
    /// Arguments for the program itself; without a profile, the program and its arguments
    #[arg(last = true)]
    pub(crate) args: Vec<String>,
}

impl Start {
    /// The words of a command line that mean the same.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.profile.iter().cloned().collect();
        let values = [
            ("--name", self.name.clone()),
            ("--port", self.port.map(|port| port.to_string())),
            ("--cwd", self.cwd.clone()),
            ("--listen", self.listen.map(|address| address.to_string())),
            (
                "--public-url",
                self.public_url.as_ref().map(|url| url.as_str().to_owned()),
            ),
            ("--size", self.size.map(|size| size.to_string())),
        ];
        for (flag, value) in values {
            words.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        }
        let flags = [
            ("--pure-card", self.pure_card),
            ("--may-answer-itself", self.may_answer_itself),
            ("--mcp", self.mcp),
            ("--acp", self.acp),
            ("--return-to-agent", self.return_to_agent),
        ];
        words.extend(
            flags
                .iter()
                .filter(|(_, is_set)| *is_set)
                .map(|(flag, _)| (*flag).to_owned()),
        );
        words.extend(self.grpc.iter().map(|port| format!("--grpc={port}")));
        if !self.inside.is_empty() {
            words.push("--in".to_owned());
            words.extend(self.inside.iter().cloned());
        }
        words.extend(self.adopted.iter().map(|pane| format!("--adopted={pane}")));
        words.extend(self.resume.iter().map(|id| format!("--resume={id}")));
        words.push("--".to_owned());
        words.extend(self.args.iter().cloned());
        words
    }

    /// The words by which this agent is started again; its name, folder and conversation are added then.
    pub(crate) fn words_for_record(&self) -> std::io::Result<Vec<String>> {
        let profile = match &self.profile {
            Some(file) if crate::verbs::profile::is_file(file) => {
                let path = std::path::absolute(file)?;
                Some(path.to_string_lossy().into_owned())
            }
            profile => profile.clone(),
        };
        let start = Self {
            profile,
            name: None,
            cwd: None,
            resume: None,
            ..self.clone()
        };
        Ok(start.words())
    }
}
