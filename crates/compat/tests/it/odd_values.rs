//! Values that are easily lost, through both dialects and both encodings.

use sabir_compat::proto::Response;
use sabir_compat::{FileBytes, kind, proto};
use sabir_types::wire::{self, prost::Message as _};
use sabir_types::{Artifact, Part, Task, TaskState};
use serde_json::{Value, json};

fn task(part: Part) -> Task {
    let mut task = Task::new("t1", "c1", TaskState::Completed.into());
    task.artifacts.push(Artifact::default().with_id("a").part(part));
    task
}

fn part_of(mut task: Task) -> Part {
    task.artifacts.remove(0).parts.remove(0)
}

fn through_kind(part: &Part) -> Part {
    let mut json = Vec::new();
    kind::Translate::write(task(part.clone()), &mut json).unwrap();
    part_of(<Task as kind::Translate>::read(&json).unwrap())
}

fn through_json(part: &Part) -> Part {
    let mut json = Vec::new();
    proto::Translate::write(task(part.clone()), FileBytes::Text, &mut json).unwrap();
    part_of(<Task as proto::Translate<Response>>::read(&json, FileBytes::Text).unwrap())
}

fn through_protobuf(part: &Part) -> Part {
    let form = proto::Translate::into_form(task(part.clone()), FileBytes::Text).unwrap();
    let form = wire::from_protobuf(&form.encode_to_vec()[..]).unwrap();
    part_of(<Task as proto::Translate<Response>>::from_form(form, FileBytes::Text))
}

#[test]
fn odd_values_come_back_as_they_were() {
    let metadata = json!({"timestamp": "not a time", "nested": {"timestamp": 1}});
    let Value::Object(metadata) = metadata else { unreachable!() };
    for part in [
        Part::data(Value::Null),
        Part::data(json!(0)),
        Part::data(json!([1, null])),
        Part::data(json!("text")),
        Part::data(json!({})),
        Part::data(json!({"value": [1]})),
        Part::data(json!(9_007_199_254_740_991_i64)),
        Part::raw(&b"\xfb\xff\xfe"[..]),
        Part::raw(&b""[..]),
        Part::text(""),
        Part::text("x").with_metadata(metadata.clone()),
        Part::data(json!([1])).with_metadata(metadata),
    ] {
        assert_eq!(through_kind(&part), part);
        assert_eq!(through_json(&part), part);
        assert_eq!(through_protobuf(&part), part);
    }
}

#[test]
fn an_integer_above_2_to_the_53_is_exact_in_json_and_rounded_in_protobuf() {
    let part = Part::data(json!({"n": 9_007_199_254_740_993_i64}));
    assert_eq!(through_kind(&part), part);
    assert_eq!(through_json(&part), part);
    let rounded = through_protobuf(&part);
    assert_eq!(rounded.as_data().unwrap()["n"].as_f64(), Some(9_007_199_254_740_992.0));
}
