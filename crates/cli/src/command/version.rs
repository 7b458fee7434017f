//! `version`: which version this is.

use super::Call;
use crate::failure::Failure;
use serde::Serialize;
use std::env::consts::{ARCH, OS};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    version: &'static str,
    commit: &'static str,
    date: &'static str,
    runtime: &'static str,
    platform: String,
}

/// Prints it.
pub(super) async fn run(name: &str, call: Call) -> Result<(), Failure> {
    let version = Version {
        version: env!("CARGO_PKG_VERSION"),
        commit: option_env!("SABIR_COMMIT").unwrap_or("unknown"),
        date: option_env!("SABIR_DATE").unwrap_or("unknown"),
        runtime: env!("BUILT_BY_RUSTC"),
        platform: format!("{OS}/{ARCH}"),
    };
    call.out.result(&version, |version| {
        let Version { version, commit, date, runtime, platform } = version;
        format!(
            "{name} {version}\ncommit:  {commit}\nbuilt:   {date}\nruntime: {runtime}\n\
             os/arch: {platform}\n"
        )
    })
}
