use crate::support::{assert_state, engine, says, script, send, stream, to, user};
use sabir::engine::Engine;
use sabir::types::TaskState;
use sabir_examples::contract_review::{ContractReview, card};

const REVIEW: &str = "HD-2026-014\n\
    - Art. 7.2: payment 60 days after acceptance and no interest on late payment (HIGH)\n\
    - Art. 11.1: penalty capped at 8% of the contract value as the law has it (OK)\n\
    - Art. 14.3: the owner may end the contract for convenience with 15 days notice (MEDIUM)";

async fn reviewer() -> Engine {
    engine(card(), ContractReview).await
}

#[tokio::test]
async fn a_vague_request_is_asked_about_and_goes_on_in_the_same_task() {
    let engine = reviewer().await;
    let asked = send(&engine, user("Review my contract")).await;
    assert_state(&asked, TaskState::InputRequired);
    assert_eq!(says(&asked), "Which contract? Send an id like HD-2026-014.");

    let done = send(&engine, to(&asked, "HD-2026-014")).await;
    assert_eq!(done.id, asked.id);
    assert_state(&done, TaskState::Completed);
    assert_eq!(says(&done), "Review done.");
    assert_eq!(done.artifacts.len(), 1);
    assert_eq!(done.artifacts[0].name.as_deref(), Some("findings"));
    assert_eq!(done.artifacts[0].to_text(), REVIEW);
}

#[tokio::test]
async fn a_stream_shows_task_work_findings_and_end() {
    let engine = reviewer().await;
    let events = stream(&engine, user("Review HD-2026-014")).await;
    assert_eq!(
        script(&events)[1..],
        [
            "working Reading clauses...".to_owned(),
            format!("artifact. {REVIEW}"),
            "completed Review done.".to_owned()
        ]
    );
    assert!(script(&events)[0].starts_with("task "));
}

#[tokio::test]
async fn one_level_alone_is_about_the_last_contract_of_the_context() {
    let engine = reviewer().await;
    let first = send(&engine, user("Review HD-2026-014")).await;
    let context = &first.context_id;
    send(&engine, user("and HD-2026-021").with_context(context)).await;
    let again = send(&engine, user("only the HIGH ones").with_context(context)).await;
    assert_ne!(again.id, first.id);
    assert_state(&again, TaskState::Completed);
    assert_eq!(
        again.artifacts[0].to_text(),
        "HD-2026-021\n\
         - Art. 7.2: payment 60 days after acceptance and no interest on late payment (HIGH)"
    );
    // That review is an earlier task itself now.
    let medium = send(&engine, user("now the MEDIUM").with_context(context)).await;
    assert!(medium.artifacts[0].to_text().starts_with("HD-2026-021\n- Art. 14.3"));
}

#[tokio::test]
async fn one_level_alone_in_a_new_context_is_asked_about() {
    let engine = reviewer().await;
    send(&engine, user("Review HD-2026-014")).await;
    let asked = send(&engine, user("only the HIGH ones")).await;
    assert_state(&asked, TaskState::InputRequired);
}
