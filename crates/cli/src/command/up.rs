//! `up`: serves the sample agents, durably, and says how to call them.

use crate::args::UpArgs;
use crate::config::server::Flags;
use crate::failure::Failure;
use crate::output::Output;
use crate::{serve, text};
use sabir::{Running, Server};
use sabir_examples::contract_review::{self, ContractReview};
use sabir_examples::hello::{self, Hello};
use sabir_examples::lamp_shop::{self, LampShop, ShopConfig};
use std::path::{Path, PathBuf};

/// Where the database is unless told otherwise.
const DATA: &str = ".sabir";
/// The port unless told otherwise.
const PORT: u16 = 7420;

/// The agents by their paths, each with something to say to it.
const AGENTS: [(&str, &str); 3] = [
    ("hello", "send {agent} \"Good morning\""),
    ("contract-review", "send --stream {agent} \"Please review HD-2026-014\""),
    ("lamp-shop", "send {agent} \"I want to buy a lamp\""),
];

/// Serves them.
pub(super) async fn run(args: UpArgs, files: Vec<PathBuf>) -> Result<(), Failure> {
    let mut flags = Flags::default();
    flags.set("listen", args.listen.as_deref());
    let setup = serve::settings(flags, &args.storage, &args.engine, files)?;
    setup.no_files()?;
    let preset = setup.settings.preset(Some(DATA))?;
    let kept = preset.data.clone();
    let shop = ShopConfig::default();
    let server = Server::default()
        .agent("/agents/hello", hello::card(), Hello)
        .agent("/agents/contract-review", contract_review::card(), ContractReview)
        .agent("/agents/lamp-shop", lamp_shop::card(&shop), LampShop::new(shop))
        .origin_card("/agents/hello");
    let server = serve::apply(server, &setup.settings, preset);
    let listen = setup.settings.place(None, None, PORT);
    serve::serve(server, &listen, &setup.settings, |running| {
        Output::default().text(&welcome(running, kept.as_deref(), &me()))
    })
    .await
}

/// Where everything is, and what to type next.
fn welcome(running: &Running, kept: Option<&Path>, me: &str) -> String {
    let url = |name: &str| format!("{}/agents/{name}", running.url());
    let rows: Vec<Vec<String>> =
        AGENTS.iter().map(|(name, _)| vec![(*name).to_owned(), url(name)]).collect();
    let kept = match kept {
        Some(folder) => format!("Tasks are kept in {}.", folder.display()),
        None => "Tasks are kept in memory.".to_owned(),
    };
    let tries: String = AGENTS
        .iter()
        .map(|(name, say)| {
            let say = say.replace("{agent}", &format!("-a {}", url(name)));
            format!("  {me} {say}\n")
        })
        .collect();
    let agents = text::table(&["AGENT", "URL"], &rows);
    format!("{agents}\n{kept} Ctrl-C stops.\n\nTo try, in another terminal:\n{tries}")
}

/// How this program is called from where it was started: by its name if it is on the PATH.
fn me() -> String {
    let called = std::env::args().next().unwrap_or_else(|| "sabir".to_owned());
    let exe = std::env::current_exe().ok();
    let name = exe.as_deref().and_then(Path::file_stem).and_then(|name| name.to_str());
    let on_path = |folder: PathBuf| exe.as_deref().is_some_and(|exe| exe.parent() == Some(&folder));
    let path = std::env::var_os("PATH").unwrap_or_default();
    match name {
        Some(name) if std::env::split_paths(&path).any(on_path) => name.to_owned(),
        _ => called,
    }
}
