//! `card get`: an agent's card.

use super::Call;
use crate::connect;
use crate::failure::Failure;
use crate::text;

/// Prints it: in JSON as it was received, with members that this version does not know.
pub(super) async fn run(call: Call) -> Result<(), Failure> {
    let card = connect::find_card(&call).await?;
    if !call.out.is_json() {
        return call.out.text(&text::card(card.card()));
    }
    let json: serde_json::Value = serde_json::from_slice(card.json())
        .map_err(|error| Failure::internal(format!("the card cannot be printed: {error}")))?;
    call.out.result(&json, |_| String::new())
}
