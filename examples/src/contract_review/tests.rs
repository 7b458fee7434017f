use super::{Level, Request, findings, last_contract};
use sabir::prelude::*;

fn review(contract: &str, level: Option<Level>) -> Task {
    Task {
        artifacts: vec![Artifact::new("findings").text(findings(contract, level))],
        ..Task::default()
    }
}

#[test]
fn a_contract_is_found_wherever_it_stands() {
    let contract = |id: &str| Request::Contract(id.to_owned());
    assert_eq!(Request::read("HD-2026-014"), contract("HD-2026-014"));
    assert_eq!(Request::read("Rà soát hợp đồng HD-2026-021!"), contract("HD-2026-021"));
    assert_eq!(Request::read("HD-1-HD-2026-0145"), contract("HD-2026-014"));
    assert_eq!(Request::read("HIGH ones of HD-2026-014"), contract("HD-2026-014"));
}

#[test]
fn without_a_contract_it_asks() {
    for text in ["", "Review my contract", "HD-2026-01", "hd-2026-014", "HD-２０２６-014"] {
        assert_eq!(Request::read(text), Request::Unclear, "{text}");
    }
}

#[test]
fn one_level_is_a_request_and_two_are_not() {
    assert_eq!(Request::read("only the HIGH ones"), Request::Level(Level::High));
    assert_eq!(Request::read("the medium, please"), Request::Level(Level::Medium));
    assert_eq!(Request::read("what is OK?"), Request::Level(Level::Ok));
    assert_eq!(Request::read("HIGH and MEDIUM"), Request::Unclear);
    assert_eq!(Request::read("highly unclear"), Request::Unclear);
}

#[test]
fn a_review_has_the_id_and_a_line_for_each_clause() {
    assert_eq!(
        findings("HD-2026-014", None),
        "HD-2026-014\n\
         - Art. 7.2: payment 60 days after acceptance and no interest on late payment (HIGH)\n\
         - Art. 11.1: penalty capped at 8% of the contract value as the law has it (OK)\n\
         - Art. 14.3: the owner may end the contract for convenience with 15 days notice (MEDIUM)"
    );
}

#[test]
fn a_review_of_one_level_has_only_its_lines() {
    assert_eq!(
        findings("HD-2026-014", Some(Level::High)),
        "HD-2026-014\n\
         - Art. 7.2: payment 60 days after acceptance and no interest on late payment (HIGH)"
    );
}

#[test]
fn the_last_contract_is_that_of_the_newest_review() {
    let other =
        Task { artifacts: vec![Artifact::new("notes").text("HD-2026-001")], ..Task::default() };
    let earlier =
        [Task::default(), other, review("HD-2026-021", None), review("HD-2026-014", None)];
    assert_eq!(last_contract(&earlier).as_deref(), Some("HD-2026-021"));
    assert_eq!(
        last_contract(&[review("HD-2026-014", Some(Level::High))]).as_deref(),
        Some("HD-2026-014")
    );
    assert_eq!(last_contract(&[Task::default()]), None);
}
