//! The table of operations, held to the service of `a2a.proto`.

use crate::oracle;
use sabir_types::{Capability, Operation, Verb};
use std::collections::BTreeSet;

#[test]
fn every_method_of_the_service_is_an_operation_and_the_other_way_round() {
    let methods = oracle::methods();
    assert_eq!(methods.len(), Operation::ALL.len());
    for method in methods {
        let operation = Operation::from_name(&method.name).expect(&method.name);
        assert_eq!(operation.request(), method.request, "{operation}");
        assert_eq!(operation.response(), method.response, "{operation}");
        assert_eq!(operation.streams(), method.streams, "{operation}");
        // `/tasks/{task_id=*}` in the definition is `/tasks/{taskId}` here.
        let path = method.path.replace("=*", "").replace("task_id", "taskId");
        assert_eq!(operation.path(), path, "{operation}");
        assert!(operation.verbs().iter().any(|v| v.as_str() == method.verb), "{operation}");
        assert_eq!(operation.has_body(), method.body, "{operation}");
        assert_eq!(operation.grpc_path(), format!("/lf.a2a.v1.A2AService/{}", method.name));
    }
}

#[test]
fn rows_stand_in_the_order_of_the_enum() {
    for (index, operation) in Operation::ALL.into_iter().enumerate() {
        assert_eq!(operation as usize, index);
        assert_eq!(format!("{operation:?}"), operation.name());
        assert_eq!(Operation::from_name(operation.name()), Some(operation));
        assert_eq!(operation.to_string(), operation.name());
    }
    assert_eq!(Operation::from_name("message/send"), None);
}

#[test]
fn subscribing_is_taken_with_both_verbs_and_sent_as_post() {
    assert_eq!(Operation::SubscribeToTask.verbs(), [Verb::Post, Verb::Get]);
    assert_eq!(Operation::SubscribeToTask.verb(), Verb::Post);
    for operation in Operation::ALL.into_iter().filter(|o| *o != Operation::SubscribeToTask) {
        assert_eq!(operation.verbs().len(), 1, "{operation}");
    }
}

#[test]
fn capabilities_are_those_of_section_3_3_4() {
    let of = |capability: Capability| -> Vec<_> {
        Operation::ALL.into_iter().filter(|o| o.capability() == capability).collect()
    };
    assert_eq!(
        of(Capability::Streaming),
        [Operation::SendStreamingMessage, Operation::SubscribeToTask],
    );
    assert_eq!(of(Capability::PushNotifications).len(), 4);
    assert_eq!(of(Capability::ExtendedAgentCard), [Operation::GetExtendedAgentCard]);
}

#[test]
fn methods_of_0_3_lead_to_their_operation() {
    let methods: BTreeSet<_> = Operation::ALL.iter().filter_map(|o| o.v0_3_method()).collect();
    assert_eq!(methods.len(), 10, "all but ListTasks, each its own");
    for operation in Operation::ALL {
        let back = operation.v0_3_method().and_then(Operation::from_v0_3_method);
        assert_eq!(back.is_some(), operation != Operation::ListTasks);
        assert_eq!(back.unwrap_or(Operation::ListTasks), operation);
    }
}

#[test]
fn rpcs_and_paths_of_0_3_are_those_of_its_service() {
    let different: Vec<_> = Operation::ALL
        .into_iter()
        .filter(|operation| operation.v0_3_rpc() != Some(operation.name()))
        .map(|operation| operation.v0_3_rpc())
        .collect();
    let renamed = [None, Some("TaskSubscription"), Some("ListTaskPushNotificationConfig")];
    assert_eq!(different, [&renamed[..], &[Some("GetAgentCard")]].concat());
    for operation in Operation::ALL {
        let back = operation.v0_3_rpc().and_then(Operation::from_v0_3_rpc);
        assert_eq!(back.unwrap_or(Operation::ListTasks), operation);
        let expected = match operation {
            Operation::GetExtendedAgentCard => "/v1/card".to_owned(),
            operation => format!("/v1{}", operation.path()),
        };
        assert_eq!(operation.v0_3_path(), expected);
    }
}

#[test]
fn what_starts_or_makes_something_is_not_sent_twice() {
    let once: Vec<_> = Operation::ALL.into_iter().filter(|o| !o.is_idempotent()).collect();
    assert_eq!(
        once,
        [
            Operation::SendMessage,
            Operation::SendStreamingMessage,
            Operation::CreateTaskPushNotificationConfig,
        ],
    );
}
