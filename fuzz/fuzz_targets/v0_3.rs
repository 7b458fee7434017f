//! Any bytes as the dialects of 0.3: nothing panics, and what is read is written so that it reads
//! the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sabir_compat::proto::{Request, Response};
use sabir_compat::{FileBytes, card, error, kind, proto};
use sabir_types::wire::{self, prost::Message as _};
use sabir_types::{
    ProtoMessage, SendMessageRequest, SendMessageResponse, StreamResponse, Task,
    TaskPushNotificationConfig,
};

fuzz_target!(|bytes: &[u8]| {
    in_kind_json::<StreamResponse>(bytes);
    in_kind_json::<SendMessageRequest>(bytes);
    in_kind_json::<TaskPushNotificationConfig>(bytes);
    in_proto::<Response, SendMessageResponse>(bytes);
    in_proto::<Response, Task>(bytes);
    in_proto::<Request, SendMessageRequest>(bytes);
    in_proto::<Request, TaskPushNotificationConfig>(bytes);
    if let Ok(card) = card::from_json(bytes) {
        let _ = card::hybrid(card);
    }
    let _ = kind::is_spoken(bytes);
    error::read_http_json(404, bytes, true);
});

fn in_kind_json<T: kind::Translate + ProtoMessage + Clone + PartialEq>(bytes: &[u8]) {
    let Ok(read) = T::read(bytes) else { return };
    let mut json = Vec::new();
    // An event of no kind cannot be written.
    if read.write(&mut json).is_ok() {
        let again = T::read(&json).expect("what we write is read");
        let _ = again.missing();
        let mut same = Vec::new();
        again.write(&mut same).expect("as before");
        assert_eq!(same, json);
    }
}

fn in_proto<D, T: proto::Translate<D> + ProtoMessage + Clone>(bytes: &[u8]) {
    for how in [FileBytes::Text, FileBytes::Plain] {
        if let Ok(read) = T::read(bytes, how) {
            let _ = read.missing();
            let mut json = Vec::new();
            read.clone().write(how, &mut json).expect("JSON holds what came from JSON");
            T::read(&json, how).expect("what we write is read");
        }
        if let Ok(form) = wire::from_protobuf::<T::Form>(bytes) {
            let form = T::from_form(form, how).into_form(how).expect("it has a form");
            assert_eq!(form.encode_to_vec().len(), form.encoded_len());
        }
    }
}
