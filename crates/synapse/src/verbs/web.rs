//! `synapse web`: the hub behind the page, and links that let a browser in.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::task::Poll;

use crate::verbs::{print, texts};
use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use synapse_hub::login::{LoginFile, Right};
use synapse_hub::{self, Presence, Running, Settings};
use synapse_machine::child;
use synapse_machine::config::Config;
use synapse_machine::paths::{Paths, expand_home};
use synapse_machine::token::Token;
use synapse_serve::acceptor;
use tokio::signal::unix::{SignalKind, signal};

/// The port of the page.
const PORT: u16 = 8180;

/// `synapse web …`
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Web {
    #[command(subcommand)]
    command: Option<WebCommand>,
    /// Its port; 0 lets the system choose
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// The address to listen on; anything but loopback opens the page to the network
    #[arg(long, default_value = "127.0.0.1")]
    listen: IpAddr,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
}

/// The commands below `web`.
#[derive(Subcommand)]
enum WebCommand {
    /// Print a login link for one more browser; it works once, within five minutes
    #[command(after_help = "Example:\n  synapse web login --read-only")]
    Login {
        /// That browser may look at everything and change nothing
        #[arg(long)]
        read_only: bool,
    },
}

pub(crate) fn run(args: &Web) -> Result<u8> {
    let paths = Paths::from_env()?;
    match &args.command {
        Some(WebCommand::Login { read_only }) => login(&paths, *read_only),
        None => serve(args, "", &paths),
    }
}

fn login(paths: &Paths, read_only: bool) -> Result<u8> {
    let Some(running) = synapse_hub::running(paths)? else {
        bail!("{}", texts::no_hub());
    };
    let right = if read_only {
        Right::ReadOnly
    } else {
        Right::Act
    };
    writeln!(print::out(), "{}", link(paths, &running.url, "", right)?)?;
    Ok(0)
}

/// Opens the page at a path in a browser, or prints the link; serves it first where nobody does.
pub(super) fn open_at(path: &str, is_printed: bool) -> Result<u8> {
    let paths = Paths::from_env()?;
    let Some(running) = synapse_hub::running(&paths)? else {
        let args = Web {
            command: None,
            port: PORT,
            listen: Ipv4Addr::LOCALHOST.into(),
            open: !is_printed,
        };
        return serve(&args, path, &paths);
    };
    let link = link(&paths, &running.url, path, Right::Act)?;
    if is_printed {
        writeln!(print::out(), "{link}")?;
    } else {
        open(&paths, &link).with_context(|| texts::no_browser_link(&link))?;
        note!("{}", texts::page_is_open(&running.url));
    }
    Ok(0)
}

fn serve(args: &Web, path: &str, paths: &Paths) -> Result<u8> {
    if let Some(running) = synapse_hub::running(paths)? {
        bail!("{}", already(&running));
    }
    let loaded = Config::load(&paths.config())?;
    for warning in &loaded.warnings {
        note!("synapse: {warning}");
    }
    let config = loaded.config;
    let tls = config.tls.as_ref();
    let tls = tls.map(|tls| acceptor(&tls.cert, &tls.key)).transpose()?;
    let address = SocketAddr::new(args.listen, args.port);
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot listen on {address}; --port chooses another port"))?;
    let address = listener.local_addr()?;
    let url = synapse_hub::url_of(address, tls.is_some());
    let presence = match Presence::announce(paths, &url)? {
        Ok(presence) => presence,
        Err(running) => bail!("{}", already(&running)),
    };
    if !address.ip().is_loopback() && tls.is_none() {
        note!(
            "synapse: warning: the page is open to the network on {address}, without TLS: whoever can listen in can act as you"
        );
    }
    let settings = Settings {
        roots: config.web.roots.iter().map(expand_home).collect(),
        dir: std::env::current_dir().context("there is no working directory")?,
        names: config.host_names,
        token: token()?,
        tls,
        limits: config.limits,
        paths: paths.clone(),
    };
    let link = link(paths, &url, path, Right::Act)?;
    log();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let served = runtime.context("no runtime")?.block_on(async {
        let ready = || {
            writeln!(print::out(), "{link}")?;
            note!("{}", texts::link_once());
            if args.open
                && let Err(error) = open(paths, &link)
            {
                note!("{}", texts::no_browser(format!("{error:#}")));
            }
            Ok(())
        };
        synapse_hub::serve(settings, listener, ready, end()?).await
    });
    drop(presence);
    served.map(|()| 0)
}

fn already(running: &Running) -> String {
    format!(
        "the page is served already, at {} (pid {}); `synapse web login` prints a link to it",
        running.url, running.pid
    )
}

/// Over when somebody ends this process.
fn end() -> Result<impl Future<Output = ()>> {
    let mut ends = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ]
    .map(signal)
    .into_iter()
    .collect::<std::io::Result<Vec<_>>>()
    .context("cannot listen for signals")?;
    Ok(std::future::poll_fn(move |context| {
        let is_over = ends.iter_mut().any(|end| end.poll_recv(context).is_ready());
        if is_over {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }))
}

/// What goes wrong is told where the person sees it.
fn log() {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .with_target(false)
        .without_time()
        .init();
}

/// The token of the environment. One that no request could carry is an error, because nobody could ever use it.
fn token() -> Result<Option<Token>> {
    let set = |name| {
        Some((
            name,
            std::env::var_os(name).filter(|text| !text.is_empty())?,
        ))
    };
    let Some((name, text)) = child::HUB_TOKENS.into_iter().find_map(set) else {
        return Ok(None);
    };
    let token = text.to_str().and_then(|text| Token::parse(text).ok());
    let token = token
        .with_context(|| format!("{name} is not a token: use one word of ASCII characters"))?;
    Ok(Some(token))
}

fn link(paths: &Paths, url: &str, path: &str, right: Right) -> Result<String> {
    let code = LoginFile::new(paths.web()).mint(right)?;
    Ok(format!("{url}/{path}#code={code}"))
}

/// Opens a link in a browser. Arguments of a process are seen by everybody on the machine, so the
/// link goes through a file that only this user can read.
fn open(paths: &Paths, link: &str) -> Result<()> {
    let file = synapse_hub::detour(paths, link)?;
    let program = std::env::var_os("BROWSER").unwrap_or_else(|| "xdg-open".into());
    let started = child::command(&program)
        .arg::<&Path>(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.with_context(|| format!("{} cannot be run", Path::new(&program).display()))?;
    Ok(())
}
