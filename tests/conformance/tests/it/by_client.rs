//! Asks by our client.

use crate::fault::Fault;
use crate::world::{Events, Terms};
use sabir::Client;
use sabir::client::Transport;
use sabir::engine::{Agent, Call};
use sabir::types::{Error, Operation, Version};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A transport, and the version that is spoken on it.
type Way = (Transport, Version);

async fn connect(addr: SocketAddr, (transport, version): Way, terms: &Terms) -> Client {
    let url = format!("http://{addr}");
    let mut builder = if terms.by_card {
        Client::builder().card(url).transport(transport)
    } else {
        Client::builder().endpoint(url, transport)
    };
    builder = builder.version(version);
    if let Some(token) = terms.token {
        builder = builder.bearer(token);
    }
    if let Some(extension) = terms.extension {
        builder = builder.extension(extension);
    }
    let client = builder.connect().await.expect("the agent has a card");
    assert_eq!(client.transport(), transport);
    client
}

pub(crate) async fn ask(
    addr: SocketAddr,
    way: Way,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Value, Fault> {
    let client = connect(addr, way, terms).await;
    Ok(answer(&client, operation, request).await?)
}

async fn answer(client: &Client, operation: Operation, request: &Value) -> Result<Value, Error> {
    let call = Call::default();
    macro_rules! ask {
        ($method:ident) => {{
            let request = serde_json::from_value(request.clone()).expect("a request");
            client.$method(&call, request).await?
        }};
    }
    let answer = match operation {
        Operation::SendMessage => serde_json::to_value(ask!(send_message).value),
        Operation::GetTask => serde_json::to_value(ask!(get_task)),
        Operation::ListTasks => serde_json::to_value(ask!(list_tasks)),
        Operation::CancelTask => serde_json::to_value(ask!(cancel_task)),
        Operation::CreateTaskPushNotificationConfig => {
            serde_json::to_value(ask!(create_task_push_notification_config))
        }
        Operation::GetTaskPushNotificationConfig => {
            serde_json::to_value(ask!(get_task_push_notification_config))
        }
        Operation::ListTaskPushNotificationConfigs => {
            serde_json::to_value(ask!(list_task_push_notification_configs))
        }
        Operation::DeleteTaskPushNotificationConfig => {
            ask!(delete_task_push_notification_config);
            Ok(json!({}))
        }
        Operation::GetExtendedAgentCard => serde_json::to_value(ask!(get_extended_agent_card)),
        Operation::SendStreamingMessage | Operation::SubscribeToTask => {
            unreachable!("{operation} is followed")
        }
    };
    Ok(answer.expect("what was read can be written"))
}

pub(crate) async fn follow(
    addr: SocketAddr,
    way: Way,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Events, Fault> {
    let client = connect(addr, way, terms).await;
    let (call, request) = (Call::default(), request.clone());
    let events = if operation == Operation::SubscribeToTask {
        let request = serde_json::from_value(request).expect("a request");
        client.subscribe_to_task(&call, request).await?
    } else {
        let request = serde_json::from_value(request).expect("a request");
        client.send_streaming_message(&call, request).await?.value
    };
    Ok(Events::Client(events))
}
