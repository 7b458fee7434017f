//! Serves the conformance agent until it is told to end.

use clap::{ArgAction, Parser};
use sabir::types::ErrorTable;
use sabir_conformance::{ExtendedCard, Profile, start};
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// The agent for the official A2A test kits: a2a-tck, ACTS and ITK
///
/// ACTS asks for other profiles by ITK_ACTS_REDUCED_CAPABILITIES=1 and ITK_ACTS_AUTH=1.
#[derive(Parser)]
#[command(name = "conformance", version)]
struct Args {
    /// The address to listen on
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port of all bindings; 0 takes a free one
    #[arg(long, visible_alias = "httpPort", default_value_t = 9999)]
    port: u16,
    /// A second port, for kits that give gRPC one of its own; both serve everything
    #[arg(long, visible_alias = "grpcPort")]
    grpc_port: Option<u16>,
    /// Declare that the agent does not stream
    #[arg(long = "no-streaming", action = ArgAction::SetFalse)]
    streaming: bool,
    /// Declare that the agent calls no webhooks
    #[arg(long = "no-push", action = ArgAction::SetFalse)]
    push: bool,
    /// Who gets the extended card; the flag alone means everybody
    #[arg(long, value_name = "WHO", num_args = 0..=1, require_equals = true,
          default_value = "guarded", default_missing_value = "open")]
    extended_card: ExtendedCard,
    /// Require the extension urn:a2a:tck:required-extension
    #[arg(long)]
    require_ext: bool,
    /// Require a bearer token with every call
    #[arg(long)]
    auth: bool,
    /// Take parts of media types that the card does not list
    #[arg(long)]
    any_input: bool,
    /// Whose HTTP and gRPC codes errors get: 1.0.0 or 1.0.1
    #[arg(long, value_name = "EDITION", default_value = "1.0.1", value_parser = error_table)]
    error_table: ErrorTable,
    /// Serve A2A 0.3 besides 1.0, on the same ports
    #[arg(long)]
    v0_3: bool,
}

fn error_table(text: &str) -> Result<ErrorTable, String> {
    match text {
        "1.0.0" => Ok(ErrorTable::V1_0_0),
        "1.0.1" => Ok(ErrorTable::V1_0_1),
        _ => Err("1.0.0 or 1.0.1".to_owned()),
    }
}

impl Args {
    fn profile(&self) -> Profile {
        Profile {
            streaming: self.streaming,
            push: self.push,
            extended_card: self.extended_card,
            required_extension: self.require_ext,
            auth: self.auth,
            any_input: self.any_input,
            error_table: self.error_table,
            v0_3: self.v0_3,
        }
        .for_acts(|name| std::env::var(name).ok())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(filter()).init();
    let args = Args::parse();
    let ports = std::iter::once(args.port).chain(args.grpc_port);
    let addresses: Vec<_> = ports.map(|port| SocketAddr::new(args.host, port)).collect();
    let serving = start(&args.profile(), &addresses).await?;
    // Kits read the card once and do not ask again: whoever starts this waits for the line.
    for address in serving.addresses() {
        println!("Listening on http://{address}");
    }
    println!("ready");
    told_to_end().await?;
    serving.stop().await;
    Ok(())
}

fn filter() -> tracing_subscriber::EnvFilter {
    tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into())
}

/// Waits for Ctrl-C or SIGTERM.
async fn told_to_end() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}
