//! What the samples say of themselves.

use sabir::types::AgentCard;
use sabir_examples::{contract_review, echo, hello, lamp_shop, puppet};

/// Name, version, streaming, input modes, output modes, and the one skill with its tags.
fn facts(card: &AgentCard) -> String {
    let [skill] = &card.skills[..] else { panic!("not one skill: {:?}", card.skills) };
    format!(
        "{} {} | {} | {} -> {} | {}, {}: {}",
        card.name,
        card.version,
        card.capabilities.streams(),
        card.default_input_modes.join(", "),
        card.default_output_modes.join(", "),
        skill.id,
        skill.name,
        skill.tags.join(", ")
    )
}

#[test]
fn the_cards_of_the_course_are_as_it_shows_them() {
    assert_eq!(
        facts(&hello::card()),
        "Hello Agent 1.0.0 | false | text/plain -> text/plain | hello, Say hello: demo"
    );
    assert_eq!(
        facts(&contract_review::card()),
        "Contract Review Agent 1.0.0 | true | text/plain -> text/plain | \
         risk-review, Contract risk review: legal, contracts, construction"
    );
    assert_eq!(
        facts(&lamp_shop::card(&lamp_shop::ShopConfig::default())),
        "Lamp Shop 1.0.0 | true | text/plain -> application/json, text/plain | \
         negotiate, Negotiate a purchase: shopping, negotiation"
    );
    assert_eq!((hello::PORT, contract_review::PORT), (9000, 9999));
    assert_eq!(lamp_shop::ShopConfig::default().port, 9999);
}

#[test]
fn the_examples_are_what_one_might_ask() {
    let examples = |card: AgentCard| card.skills.into_iter().flat_map(|s| s.examples);
    assert_eq!(examples(hello::card()).count(), 0);
    let [english, vietnamese] = &examples(contract_review::card()).collect::<Vec<_>>()[..] else {
        panic!("not two examples")
    };
    assert!(english.contains("HD-2026-014") && english.is_ascii());
    assert!(vietnamese.contains("HD-2026-021") && !vietnamese.is_ascii());
    let shop = lamp_shop::card(&lamp_shop::ShopConfig::default());
    assert_eq!(examples(shop).collect::<Vec<_>>(), ["I want to buy a lamp", "90"]);
}

#[test]
fn a_shop_of_another_name_says_so() {
    let json = r#"{"name": "Sofa Shop", "description": "D", "skill_description": "S"}"#;
    let card = lamp_shop::card(&lamp_shop::ShopConfig::from_json(json).unwrap());
    assert_eq!((&*card.name, &*card.description), ("Sofa Shop", "D"));
    assert_eq!(card.skills[0].description, "S");
}

#[test]
fn the_puppet_streams_and_pushes_and_takes_a_closed_list_of_types() {
    let card = puppet::card();
    assert!(card.capabilities.streams() && card.capabilities.pushes());
    assert_eq!(
        card.default_input_modes,
        ["text/plain", "application/json", "application/octet-stream"]
    );
}

#[test]
fn echo_is_described_as_others_do() {
    let card = echo::card();
    assert_eq!(card.name, "Echo Agent");
    assert_eq!(card.description, "Echoes the user's message back as a response");
}

#[cfg(unix)]
#[test]
fn an_exec_agent_streams_only_what_it_gets_in_chunks() {
    use sabir_examples::exec::{ExecConfig, card};
    let whole = ExecConfig::new("wc -l");
    assert_eq!(card(&whole).name, "Exec Agent");
    assert_eq!(card(&whole).description, "Wraps command: wc -l");
    assert!(!card(&whole).capabilities.streams());
    assert!(card(&ExecConfig { chunk: Some("\n".to_owned()), ..whole }).capabilities.streams());
}
