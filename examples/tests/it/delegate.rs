//! The delegate against a reviewer that is served on a port.

use sabir::Server;
use sabir_examples::contract_review::{ContractReview, card};

#[path = "../../examples/delegate.rs"]
#[expect(dead_code, reason = "its main reads the command line")]
mod example;

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_the_reviewers_question_and_brings_back_the_findings() {
    let reviewer = Server::new(card(), ContractReview).start("127.0.0.1:0").await.unwrap();
    let findings = example::delegate(&reviewer.url()).await.unwrap();
    assert!(findings.starts_with("HD-2026-014\n- Art. 7.2: "), "{findings}");
    assert_eq!(findings.lines().count(), 4);
    reviewer.stop().await;
}
