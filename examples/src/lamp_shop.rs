//! Sells lamps after a haggle: a conversation whose state survives a restart.

mod config;

use crate::cards;
use sabir::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use config::{ShopConfig, ShopConfigError};

/// What a shop of this configuration says of itself.
pub fn card(config: &ShopConfig) -> AgentCard {
    let skill = AgentSkill::new("negotiate", "Negotiate a purchase", &config.skill_description)
        .tags(["shopping", "negotiation"])
        .examples(["I want to buy a lamp", "90"]);
    AgentCard {
        default_output_modes: cards::modes(["application/json", "text/plain"]),
        ..AgentCard::new(&config.name, &config.description)
            .with_capabilities(cards::streaming(true))
            .with_skill(skill)
    }
}

/// Asks more than it wants, comes down with each offer, and gives up after some rounds.
#[derive(Clone, Debug, Default)]
pub struct LampShop {
    config: ShopConfig,
}

impl LampShop {
    /// A shop of this configuration.
    pub fn new(config: ShopConfig) -> Self {
        Self { config }
    }
}

#[async_trait]
impl Executor for LampShop {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        let haggle = turn.state::<Haggle>();
        match answer(&self.config, haggle, &turn.text()) {
            Answer::Ask(haggle, say) => {
                // Together with the question: after a restart the shop knows what it asked.
                turn.save(&haggle).await?;
                turn.input_required(say).await?;
            }
            Answer::Refuse(say) => turn.rejected(say).await?,
            Answer::Sell(receipt, say) => {
                turn.artifact(Artifact::new("receipt").data(receipt)).await?;
                turn.completed(say).await?;
            }
        }
        Ok(())
    }
}

/// Where a haggle stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Haggle {
    item: String,
    ask: u64,
    round: u32,
}

/// What the shop does next.
#[derive(Debug, PartialEq)]
enum Answer {
    Ask(Haggle, String),
    Refuse(String),
    Sell(Value, String),
}

/// Decides about one message.
fn answer(config: &ShopConfig, haggle: Option<Haggle>, text: &str) -> Answer {
    match haggle {
        None => open(config, text),
        Some(haggle) => bargain(config, haggle, text),
    }
}

fn open(config: &ShopConfig, text: &str) -> Answer {
    let text = text.to_lowercase();
    let wanted = config.reserve.iter().find(|(item, _)| text.contains(&item.to_lowercase()));
    let Some((item, reserve)) = wanted else {
        return Answer::Refuse(assortment(config));
    };
    let ask = with_margin(*reserve);
    let say = format!("{item}: asking {ask}. Send your offer as a number.");
    Answer::Ask(Haggle { item: item.clone(), ask, round: 0 }, say)
}

fn bargain(config: &ShopConfig, haggle: Haggle, text: &str) -> Answer {
    let Some(reserve) = config.reserve_of(&haggle.item) else {
        // The configuration changed while the customer was thinking.
        return Answer::Refuse(assortment(config));
    };
    let Some(offer) = first_number(text) else {
        return Answer::Ask(haggle, "Send your offer as a number.".to_owned());
    };
    if offer >= reserve {
        let say = format!("Deal: {} at {offer}.", haggle.item);
        let receipt = json!({"seller": config.name, "item": haggle.item, "price": offer});
        return Answer::Sell(receipt, say);
    }
    let round = haggle.round + 1;
    if round >= config.max_rounds {
        return Answer::Refuse(format!("No deal at {offer}."));
    }
    let ask = reserve.max(offer.midpoint(haggle.ask));
    let say = format!("{offer} is too low. Counteroffer: {ask}.");
    Answer::Ask(Haggle { ask, round, ..haggle }, say)
}

fn assortment(config: &ShopConfig) -> String {
    let items: Vec<_> = config.reserve.iter().map(|(item, _)| item.as_str()).collect();
    format!("We only sell: {}.", items.join(", "))
}

/// 30 % on top, rounded up.
fn with_margin(reserve: u64) -> u64 {
    let ask = (u128::from(reserve) * 13).div_ceil(10);
    u64::try_from(ask).unwrap_or(u64::MAX)
}

/// The first run of digits in a text, if it is a price that anybody could pay.
fn first_number(text: &str) -> Option<u64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits = text.get(start..)?.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests;
