//! Reviews contracts by their id, asks when there is none, and builds on its earlier reviews.

use crate::cards;
use sabir::prelude::*;

/// The port it customarily listens on when it is served alone.
pub const PORT: u16 = 9999;

/// What it says of itself.
pub fn card() -> AgentCard {
    let skill = AgentSkill::new(
        "risk-review",
        "Contract risk review",
        "Reads the clauses of a contract and lists what they risk, each with a level.",
    )
    .tags(["legal", "contracts", "construction"])
    .examples([
        "Review contract HD-2026-014 for risks",
        "Rà soát rủi ro trong hợp đồng HD-2026-021",
    ]);
    AgentCard::new("Contract Review Agent", "Reviews construction contracts for risky clauses.")
        .with_capabilities(cards::streaming(true))
        .with_skill(skill)
}

/// Reviews the contract that a message names, or the one reviewed last in the same context.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContractReview;

#[async_trait]
impl Executor for ContractReview {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        let (contract, level) = match Request::read(&turn.text()) {
            Request::Contract(id) => (Some(id), None),
            Request::Level(level) => (last_contract(&turn.earlier_tasks().await?), Some(level)),
            Request::Unclear => (None, None),
        };
        let Some(contract) = contract else {
            turn.input_required(QUESTION).await?;
            return Ok(());
        };
        turn.working("Reading clauses...").await?;
        let findings = Artifact::new(FINDINGS).text(findings(&contract, level));
        turn.artifact(findings).await?;
        turn.completed("Review done.").await?;
        Ok(())
    }
}

const QUESTION: &str = "Which contract? Send an id like HD-2026-014.";
const FINDINGS: &str = "findings";

/// What a message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Request {
    /// A review of this contract.
    Contract(String),
    /// Of the last contract, only what has this level.
    Level(Level),
    /// Nobody can tell.
    Unclear,
}

impl Request {
    fn read(text: &str) -> Self {
        if let Some(id) = contract_id(text) {
            return Self::Contract(id.to_owned());
        }
        only_level(text).map_or(Self::Unclear, Self::Level)
    }
}

/// How much a clause risks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    High,
    Medium,
    Ok,
}

impl Level {
    const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Ok];

    fn name(self) -> &'static str {
        match self {
            Self::High => "HIGH",
            Self::Medium => "MEDIUM",
            Self::Ok => "OK",
        }
    }
}

const CLAUSES: [(&str, &str, Level); 3] = [
    ("7.2", "payment 60 days after acceptance and no interest on late payment", Level::High),
    ("11.1", "penalty capped at 8% of the contract value as the law has it", Level::Ok),
    ("14.3", "the owner may end the contract for convenience with 15 days notice", Level::Medium),
];

/// The review: the contract's id, then a line for each clause, of one level if one is given.
fn findings(contract: &str, level: Option<Level>) -> String {
    let mut review = contract.to_owned();
    for (article, finding, its) in CLAUSES {
        if level.is_none_or(|level| level == its) {
            review += &format!("\n- Art. {article}: {finding} ({})", its.name());
        }
    }
    review
}

/// The first id of the form `HD-2026-014` in a text.
fn contract_id(text: &str) -> Option<&str> {
    const FORM: &[u8] = b"HD-dddd-ddd";
    let fits = |window: &[u8]| {
        window.iter().zip(FORM).all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            form => byte == form,
        })
    };
    let start = text.as_bytes().windows(FORM.len()).position(fits)?;
    text.get(start..start + FORM.len())
}

/// The level that a text names, if it names exactly one.
fn only_level(text: &str) -> Option<Level> {
    let words: Vec<_> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let is_named = |level: &Level| words.iter().any(|word| word.eq_ignore_ascii_case(level.name()));
    let mut named = Level::ALL.into_iter().filter(is_named);
    named.next().filter(|_| named.next().is_none())
}

/// The contract of the newest review among the earlier tasks, which come newest first.
fn last_contract(earlier: &[Task]) -> Option<String> {
    let reviews = earlier.iter().flat_map(|task| task.artifacts.iter().rev());
    reviews
        .filter(|artifact| artifact.name.as_deref() == Some(FINDINGS))
        .find_map(|review| contract_id(review.to_text().lines().next()?).map(str::to_owned))
}

#[cfg(test)]
mod tests;
