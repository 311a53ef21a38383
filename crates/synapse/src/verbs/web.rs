//! `synapse web`: the hub behind the page, and links that let a browser in.

mod certificate;
mod qr;

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::task::Poll;

use crate::verbs::log_fields::LogFields;
use crate::verbs::{print, texts};
use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;
use synapse_hub::login::{LoginFile, Right};
use synapse_hub::{self, Presence, Running, Settings};
use synapse_machine::child;
use synapse_machine::config::{Config, PublicUrl, PublicUrlError};
use synapse_machine::paths::{Paths, expand_home};
use synapse_machine::token::Token;
use synapse_serve::acceptor;
use tokio::signal::unix::{SignalKind, signal};
use tokio_rustls::TlsAcceptor;

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
    /// The address others know the page by, behind a proxy or a tunnel; https, for Web Push and links in notifications
    #[arg(long, value_name = "URL", value_parser = public_url)]
    public_url: Option<PublicUrl>,
    /// `self` makes a certificate for this machine and prints its fingerprint; without it, `tls` of the settings counts
    #[arg(long, value_name = "self")]
    tls: Option<OwnTls>,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
}

impl Web {
    /// Whether nothing is asked for that a hub which already runs may not have.
    fn is_as_by_default(&self) -> bool {
        self.port == PORT
            && self.listen == IpAddr::from(Ipv4Addr::LOCALHOST)
            && self.public_url.is_none()
            && self.tls.is_none()
    }
}

/// What `--tls` takes.
#[derive(Clone, Copy, clap::ValueEnum)]
enum OwnTls {
    /// A certificate that this machine makes for itself
    #[value(name = "self")]
    SelfMade,
}

fn public_url(text: &str) -> Result<PublicUrl, String> {
    let url: PublicUrl = text
        .parse()
        .map_err(|error: PublicUrlError| error.to_string())?;
    let (_, rest) = url.as_str().split_once("://").unwrap_or_default();
    let has_path = rest.trim_end_matches('/').contains('/');
    if !url.as_str().starts_with("https://") || has_path {
        return Err(format!(
            "'{text}' must begin with https:// and have no path, such as https://agents.example"
        ));
    }
    Ok(url)
}

/// The commands below `web`.
#[derive(Subcommand)]
enum WebCommand {
    /// Print a login link for one more browser; it works once, within five minutes
    #[command(
        after_help = "Examples:\n  synapse web login --read-only\n  synapse web login --json   # for programs: the address, and the code to exchange"
    )]
    Login {
        /// That browser may look at everything and change nothing
        #[arg(long)]
        read_only: bool,
        /// As JSON, for programs of this machine: address, code, and certificate where the hub speaks TLS
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Web) -> Result<u8> {
    let paths = Paths::from_env()?;
    match &args.command {
        Some(WebCommand::Login { read_only, json }) => login(&paths, *read_only, *json),
        None => match synapse_hub::running(&paths)? {
            Some(running) if args.open && args.is_as_by_default() => {
                show(&paths, &link(&paths, &running.url, "", Right::Act)?, true)?;
                Ok(0)
            }
            _ => serve(args, "", &paths),
        },
    }
}

fn login(paths: &Paths, read_only: bool, is_json: bool) -> Result<u8> {
    let Some(running) = synapse_hub::running(paths)? else {
        bail!("{}", texts::no_hub());
    };
    let right = if read_only {
        Right::ReadOnly
    } else {
        Right::Act
    };
    if is_json {
        let code = LoginFile::new(paths.web()).mint(right)?;
        let certificate = certificate_of(&running, paths)?;
        let login = json!({
            "url": running.url, "code": code, "read_only": read_only, "certificate": certificate,
        });
        writeln!(print::out(), "{login}")?;
        return Ok(0);
    }
    let reached = running.reached_at.as_deref();
    let link = link(paths, reached.unwrap_or(&running.url), "", right)?;
    writeln!(print::out(), "{link}")?;
    if reached.is_none() {
        note!("{}", texts::is_on_this_machine_only());
        return Ok(0);
    }
    qr::show(&link)?;
    Ok(0)
}

/// The file of the certificate that a hub of this machine shows, if it speaks TLS.
fn certificate_of(running: &Running, paths: &Paths) -> Result<Option<PathBuf>> {
    if !running.url.starts_with("https:") {
        return Ok(None);
    }
    let tls = Config::load(&paths.config())?.config.tls;
    Ok(Some(
        tls.map_or_else(|| paths.own_certificate().0, |tls| tls.cert),
    ))
}

/// The address of this machine on its network: the one that packets to others leave from. None is sent.
fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// Where others reach a hub that listens here: by the first name it has, else by its address. Nowhere on loopback.
fn network_url(address: SocketAddr, host_names: &[String], has_tls: bool) -> Option<String> {
    if address.ip().is_loopback() {
        return None;
    }
    let scheme = if has_tls { "https" } else { "http" };
    let port = address.port();
    if let Some(name) = host_names.first() {
        return Some(format!("{scheme}://{name}:{port}"));
    }
    let ip = match address.ip() {
        ip if ip.is_unspecified() => network_address()?,
        ip => ip,
    };
    Some(format!("{scheme}://{}", SocketAddr::new(ip, port)))
}

/// Opens the page at a path in a browser, and serves it first where nobody does; or prints the link, for programs, which
/// wait for the end of what they start.
pub(super) fn open_at(path: &str, is_printed: bool) -> Result<u8> {
    let paths = Paths::from_env()?;
    let Some(running) = synapse_hub::running(&paths)? else {
        if is_printed {
            bail!("{}", texts::no_hub());
        }
        let args = Web {
            command: None,
            port: PORT,
            listen: Ipv4Addr::LOCALHOST.into(),
            public_url: None,
            tls: None,
            open: true,
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
    let tls = tls(args, paths, &config)?;
    let address = SocketAddr::new(args.listen, args.port);
    let listener =
        TcpListener::bind(address).with_context(|| texts::page_cannot_be_served(address))?;
    let address = listener.local_addr()?;
    let url = synapse_hub::url_of(address, tls.is_some());
    let network_url = network_url(address, &config.host_names, tls.is_some());
    let public = args.public_url.as_ref();
    let reached = public.map(|url| url.as_str().trim_end_matches('/').to_owned());
    let reached = reached.or_else(|| network_url.clone());
    let presence = match Presence::announce(paths, &url, reached.as_deref())? {
        Ok(presence) => presence,
        Err(running) => bail!("{}", already(&running)),
    };
    if !address.ip().is_loopback() && tls.is_none() {
        note!(
            "synapse: warning: the page is open to the network on {address}, without TLS: whoever can listen in can act as you; --tls self makes a certificate"
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
        public_url: args.public_url.clone(),
        network_url,
        ca_file: config.ca_file,
    };
    let link = link(paths, &url, path, Right::Act)?;
    log();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let served = runtime.context("no runtime")?.block_on(async {
        let ready = || show(paths, &link, args.open);
        synapse_hub::serve(settings, listener, ready, end()?).await
    });
    drop(presence);
    served.map(|()| 0)
}

/// Prints a link, and opens it where that is wanted. A machine without a browser is no error: the link is there.
fn show(paths: &Paths, link: &str, is_opened: bool) -> Result<()> {
    writeln!(print::out(), "{link}")?;
    note!("{}", texts::link_once());
    if is_opened && let Err(error) = open(paths, link) {
        note!("{}", texts::no_browser(format!("{error:#}")));
    }
    Ok(())
}

/// What speaks TLS: a certificate of this machine's own where that is asked for, else that of the settings.
fn tls(args: &Web, paths: &Paths, config: &Config) -> Result<Option<TlsAcceptor>> {
    let Some(OwnTls::SelfMade) = args.tls else {
        let tls = config.tls.as_ref();
        return Ok(tls.map(|tls| acceptor(&tls.cert, &tls.key)).transpose()?);
    };
    let addresses: Vec<IpAddr> = match args.listen {
        ip if ip.is_unspecified() => network_address().into_iter().collect(),
        ip => vec![ip],
    };
    let names = certificate::names(&config.host_names, &addresses);
    let made = certificate::own(paths, &names)?;
    note!(
        "synapse: the certificate of this machine has the SHA-256 fingerprint\n  {}\nBrowsers warn of it: compare the fingerprint, then go on. Web Push and service workers need a certificate that the phone trusts.",
        made.fingerprint
    );
    Ok(Some(acceptor(&made.cert, &made.key)?))
}

fn already(running: &Running) -> String {
    texts::page_is_served_already(&running.url, running.pid)
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
        .fmt_fields(LogFields)
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
