//! `config show`: every setting with its value and where it came from.

use super::Call;
use crate::config::Shown;
use crate::config::client::is_server_file;
use crate::config::server::{self, Flags};
use crate::failure::Failure;
use crate::text;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    env_var: String,
    value: String,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
}

impl From<Shown> for Row {
    fn from(shown: Shown) -> Self {
        Self {
            name: shown.name,
            env_var: shown.variable,
            value: shown.value,
            source: shown.source.name(),
            path: shown.source.path().cloned(),
        }
    }
}

/// Prints them: those of servers, then those of calls.
pub(super) async fn run(files: Vec<PathBuf>, call: Call) -> Result<(), Failure> {
    let file = files.iter().rev().find(|path| is_server_file(path));
    let server = server::load(file.map(PathBuf::as_path), Flags::default())?;
    let rows: Vec<Row> =
        server.shown().into_iter().chain(call.config.shown()).map(Row::from).collect();
    call.out.result(&rows, |rows| {
        let cells = |row: &Row| [row.name.clone(), row.value.clone(), source(row)].into();
        text::table(&["SETTING", "VALUE", "SOURCE"], &rows.iter().map(cells).collect::<Vec<_>>())
    })
}

/// The source, with the file if it was one.
fn source(row: &Row) -> String {
    match &row.path {
        Some(path) => format!("{} ({})", row.source, path.display()),
        None => row.source.to_owned(),
    }
}
