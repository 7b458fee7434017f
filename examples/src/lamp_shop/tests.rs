use super::{Answer, Haggle, ShopConfig, answer};
use serde_json::json;

/// Plays a conversation with the default shop; the last answer is what counts.
fn talk(messages: &[&str]) -> Vec<Answer> {
    let config = ShopConfig::default();
    let mut haggle = None;
    let mut answers = Vec::new();
    for message in messages {
        let said = answer(&config, haggle.clone(), message);
        if let Answer::Ask(next, _) = &said {
            haggle = Some(next.clone());
        }
        answers.push(said);
    }
    answers
}

fn said(answer: &Answer) -> &str {
    match answer {
        Answer::Ask(_, say) | Answer::Refuse(say) | Answer::Sell(_, say) => say,
    }
}

#[test]
fn a_lamp_is_sold_at_the_second_offer() {
    let answers = talk(&["I want to buy a lamp", "80", "105"]);
    assert_eq!(said(&answers[0]), "lamp: asking 130. Send your offer as a number.");
    assert_eq!(said(&answers[1]), "80 is too low. Counteroffer: 105.");
    let receipt = json!({"seller": "Lamp Shop", "item": "lamp", "price": 105});
    assert_eq!(answers[2], Answer::Sell(receipt, "Deal: lamp at 105.".to_owned()));
}

#[test]
fn a_sofa_is_not_sold() {
    let answers = talk(&["I want to buy a sofa"]);
    assert_eq!(answers[0], Answer::Refuse("We only sell: lamp, chair, bookshelf.".to_owned()));
}

#[test]
fn after_three_low_offers_there_is_no_deal() {
    let answers = talk(&["I want to buy a chair", "100", "100", "100"]);
    assert_eq!(said(&answers[1]), "100 is too low. Counteroffer: 180.");
    assert_eq!(said(&answers[2]), "100 is too low. Counteroffer: 180.");
    assert_eq!(answers[3], Answer::Refuse("No deal at 100.".to_owned()));
}

#[test]
fn what_is_no_offer_costs_no_round() {
    let answers = talk(&["a Bookshelf!", "how about less?", "0", "99999999999999999999", "260"]);
    assert_eq!(said(&answers[0]), "bookshelf: asking 338. Send your offer as a number.");
    assert_eq!(said(&answers[1]), "Send your offer as a number.");
    assert!(matches!(&answers[1], Answer::Ask(Haggle { round: 0, ask: 338, .. }, _)));
    assert_eq!(said(&answers[2]), "0 is too low. Counteroffer: 260.");
    assert_eq!(said(&answers[3]), "Send your offer as a number.");
    assert_eq!(said(&answers[4]), "Deal: bookshelf at 260.");
}

#[test]
fn the_offer_is_the_first_run_of_digits() {
    assert_eq!(said(&talk(&["lamp", "I pay 105, or 200"])[1]), "Deal: lamp at 105.");
    assert_eq!(said(&talk(&["lamp", "80.50 €"])[1]), "80 is too low. Counteroffer: 105.");
}

#[test]
fn the_first_item_of_the_shop_is_meant_not_the_first_of_the_message() {
    let answers = talk(&["a chair under a lamp"]);
    assert_eq!(said(&answers[0]), "lamp: asking 130. Send your offer as a number.");
}

#[test]
fn the_asking_price_is_rounded_up() {
    let config = ShopConfig { reserve: vec![("pin".to_owned(), 1)], ..ShopConfig::default() };
    assert_eq!(said(&answer(&config, None, "pin")), "pin: asking 2. Send your offer as a number.");
}

#[test]
fn an_item_that_is_no_longer_sold_is_refused() {
    let config = ShopConfig { reserve: vec![("pin".to_owned(), 1)], ..ShopConfig::default() };
    let haggle = Haggle { item: "lamp".to_owned(), ask: 130, round: 1 };
    let refused = answer(&config, Some(haggle), "200");
    assert_eq!(refused, Answer::Refuse("We only sell: pin.".to_owned()));
}
