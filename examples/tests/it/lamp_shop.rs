use crate::support::{assert_state, cancel, engine, says, send, to, user};
use sabir::engine::{Agent, Call, Engine, MemoryStore, Retention};
use sabir::types::{ErrorKind, Role, SendMessageRequest, TaskState};
use sabir_examples::lamp_shop::{LampShop, ShopConfig, card};
use serde_json::json;
use std::sync::Arc;

async fn shop() -> Engine {
    engine(card(&ShopConfig::default()), LampShop::default()).await
}

#[tokio::test]
async fn a_lamp_is_haggled_for_and_sold() {
    let engine = shop().await;
    let task = send(&engine, user("I want to buy a lamp")).await;
    assert_state(&task, TaskState::InputRequired);
    assert_eq!(says(&task), "lamp: asking 130. Send your offer as a number.");

    let task = send(&engine, to(&task, "80")).await;
    assert_state(&task, TaskState::InputRequired);
    assert_eq!(says(&task), "80 is too low. Counteroffer: 105.");

    let task = send(&engine, to(&task, "105")).await;
    assert_state(&task, TaskState::Completed);
    assert_eq!(says(&task), "Deal: lamp at 105.");
    let receipt = &task.artifacts[0];
    assert_eq!(receipt.name.as_deref(), Some("receipt"));
    assert_eq!(
        receipt.parts[0].as_data(),
        Some(&json!({"item": "lamp", "price": 105, "seller": "Lamp Shop"}))
    );
    let said: Vec<_> = task.history.iter().map(|m| (m.role, m.text())).collect();
    let user = |text: &str| (Role::User, text.to_owned());
    let agent = |text: &str| (Role::Agent, text.to_owned());
    assert_eq!(
        said,
        [
            user("I want to buy a lamp"),
            agent("lamp: asking 130. Send your offer as a number."),
            user("80"),
            agent("80 is too low. Counteroffer: 105."),
            user("105"),
        ]
    );

    let request = SendMessageRequest { message: to(&task, "110"), ..SendMessageRequest::default() };
    let refused = engine.send_message(&Call::default(), request).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::UnsupportedOperation);
}

#[tokio::test]
async fn a_sofa_is_rejected_and_a_chair_after_three_low_offers() {
    let engine = shop().await;
    let sofa = send(&engine, user("I want to buy a sofa")).await;
    assert_state(&sofa, TaskState::Rejected);
    assert_eq!(says(&sofa), "We only sell: lamp, chair, bookshelf.");

    let mut chair = send(&engine, user("I want to buy a chair")).await;
    for _ in 0..2 {
        chair = send(&engine, to(&chair, "100")).await;
        assert_eq!(says(&chair), "100 is too low. Counteroffer: 180.");
    }
    chair = send(&engine, to(&chair, "100")).await;
    assert_state(&chair, TaskState::Rejected);
    assert_eq!(says(&chair), "No deal at 100.");
}

#[tokio::test]
async fn a_haggle_can_be_canceled() {
    let engine = shop().await;
    let task = send(&engine, user("I want to buy a bookshelf")).await;
    let canceled = cancel(&engine, &task.id).await.unwrap();
    assert_state(&canceled, TaskState::Canceled);
}

#[tokio::test]
async fn a_haggle_survives_a_restart_between_any_two_messages() {
    let store = Arc::new(MemoryStore::new(Retention::memory()));
    let shop = || {
        let builder = Engine::builder(card(&ShopConfig::default()), LampShop::default());
        builder.store(store.clone()).start()
    };
    let mut task = send(&shop().await.unwrap(), user("a lamp, please")).await;
    for (offer, said) in
        [("80", "80 is too low. Counteroffer: 105."), ("105", "Deal: lamp at 105.")]
    {
        task = send(&shop().await.unwrap(), to(&task, offer)).await;
        assert_eq!(says(&task), said);
    }
    assert_state(&task, TaskState::Completed);
}
