//! `sample`: serves one sample agent on a port of its own.

use crate::args::SampleArgs;
use crate::config::server::Flags;
use crate::config::suggest;
use crate::failure::Failure;
use crate::serve;
use sabir::Server;
use sabir_examples::contract_review::{self, ContractReview};
use sabir_examples::hello::{self, Hello};
use sabir_examples::lamp_shop::{self, LampShop, ShopConfig};
use std::path::{Path, PathBuf};

const NAMES: [&str; 3] = ["hello", "contract-review", "lamp-shop"];

/// Serves it.
pub(super) async fn run(args: SampleArgs, files: Vec<PathBuf>) -> Result<(), Failure> {
    let setup = serve::settings(Flags::default(), &args.storage, &args.engine, files)?;
    let shop = shop(&args.name, setup.files.last().map(PathBuf::as_path))?;
    let (server, port) = match args.name.as_str() {
        "hello" => (Server::new(hello::card(), Hello), hello::PORT),
        "contract-review" => {
            (Server::new(contract_review::card(), ContractReview), contract_review::PORT)
        }
        "lamp-shop" => {
            let port = shop.port;
            (Server::new(lamp_shop::card(&shop), LampShop::new(shop)), port)
        }
        other => return Err(unknown(other)),
    };
    let server =
        serve::apply(server.name(args.name), &setup.settings, setup.settings.preset(None)?);
    let listen = setup.settings.place(args.place.host.as_deref(), args.place.port, port);
    serve::serve(server, &listen, &setup.settings, |_| Ok(())).await
}

fn unknown(name: &str) -> Failure {
    let failure = Failure::usage(format!("there is no sample `{name}`"));
    match suggest(name, NAMES) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint(format!("there are {}", NAMES.join(", "))),
    }
}

/// The configuration of the shop: only the shop has one.
fn shop(name: &str, file: Option<&Path>) -> Result<ShopConfig, Failure> {
    let Some(file) = file else { return Ok(ShopConfig::default()) };
    let place = file.display();
    if name != "lamp-shop" {
        return Err(Failure::usage(format!("the sample `{name}` takes no configuration: {place}")));
    }
    let json = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{place} cannot be read: {error}")))?;
    ShopConfig::from_json(&json).map_err(|error| Failure::usage(format!("{place}: {error}")))
}
