//! An agent card as text.

use super::clean;
use sabir_types::AgentCard;
use std::fmt::Write;

/// The card's name, where it is reached, and what it can do.
pub(crate) fn card(card: &AgentCard) -> String {
    let mut out = format!("Name:         {}\n", clean(&card.name, 14));
    if !card.description.is_empty() {
        let _ = writeln!(out, "Description:  {}", clean(&card.description, 14));
    }
    let _ = writeln!(out, "Version:      {}", clean(&card.version, 14));
    if !card.supported_interfaces.is_empty() {
        out.push_str("Interfaces:\n");
        for interface in &card.supported_interfaces {
            let binding = clean(&interface.protocol_binding, 2);
            let _ = writeln!(out, "  {binding:<12} {}", clean(&interface.url, 15));
        }
    }
    let _ = writeln!(out, "Streaming:    {}", card.capabilities.streaming.unwrap_or_default());
    if !card.skills.is_empty() {
        out.push_str("Skills:\n");
        for skill in &card.skills {
            let _ = writeln!(out, "  {:<20} {}", clean(&skill.id, 2), clean(&skill.name, 23));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use sabir_types::AgentCard;

    #[test]
    fn a_card_shows_its_interfaces_and_skills() {
        let card: AgentCard = serde_json::from_str(
            r#"{"name":"Hello Agent","description":"Says hello.","version":"1.0.0",
            "supportedInterfaces":[{"url":"http://127.0.0.1:9000/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
            "capabilities":{"streaming":false},
            "skills":[{"id":"hello","name":"Say hello","description":"","tags":["demo"]}]}"#,
        )
        .unwrap();
        assert_eq!(
            super::card(&card),
            "Name:         Hello Agent\nDescription:  Says hello.\nVersion:      1.0.0\n\
             Interfaces:\n  JSONRPC      http://127.0.0.1:9000/\nStreaming:    false\n\
             Skills:\n  hello                Say hello\n"
        );
    }
}
