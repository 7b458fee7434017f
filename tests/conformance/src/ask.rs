//! Calls an operation by its name, with a request and an answer in the protocol's JSON.

use sabir::Client;
use sabir::engine::{Agent, Call};
use sabir::types::{Error, Operation};
use serde_json::{Value, json};

/// Asks an agent by our client.
///
/// # Errors
/// What the agent answers, a failure of the way, or `InvalidParams` where the request is not one of
/// the operation or the operation streams.
pub async fn ask(client: &Client, operation: Operation, request: Value) -> Result<Value, Error> {
    let call = Call::default();
    macro_rules! ask {
        ($method:ident) => {{
            let request = serde_json::from_value(request)
                .map_err(|error| Error::invalid_params("request", error.to_string()))?;
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
            return Err(Error::invalid_params("operation", "streams"));
        }
    };
    Ok(answer.expect("what was read can be written"))
}
