//! The fields of a request that may stand in its path.

use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, SendMessageRequest, SubscribeToTaskRequest, TaskId,
    TaskPushNotificationConfig,
};

/// A request whose fields may stand in its path, under their JSON names.
pub(crate) trait InPath {
    /// The field of that name.
    fn field(&mut self, name: &str) -> Option<&mut dyn Slot>;
}

/// A field that holds a text.
pub(crate) trait Slot {
    /// The text; empty when unset.
    fn text(&self) -> &str;
    /// Sets it.
    fn set(&mut self, text: &str);
}

/// Puts a value from the path into its field; one from elsewhere must be the same.
pub(super) fn place(request: &mut impl InPath, name: &str, value: &str) -> Result<(), Error> {
    let Some(slot) = request.field(name) else {
        return Err(Error::internal(format!("no field of the request is called {name}")));
    };
    match slot.text() {
        "" => {
            slot.set(value);
            Ok(())
        }
        same if same == value => Ok(()),
        other => Err(Error::invalid_params(
            name,
            format!("is {value:?} in the URL and {other:?} elsewhere in the request"),
        )),
    }
}

impl Slot for String {
    fn text(&self) -> &str {
        self
    }

    fn set(&mut self, text: &str) {
        text.clone_into(self);
    }
}

impl Slot for TaskId {
    fn text(&self) -> &str {
        self.as_str()
    }

    fn set(&mut self, text: &str) {
        *self = Self::new(text);
    }
}

impl<T: Slot + Default> Slot for Option<T> {
    fn text(&self) -> &str {
        self.as_ref().map_or("", Slot::text)
    }

    fn set(&mut self, text: &str) {
        self.get_or_insert_default().set(text);
    }
}

macro_rules! in_path {
    ($($request:ident { $($name:literal => $field:ident),* })*) => {$(
        impl InPath for $request {
            fn field(&mut self, name: &str) -> Option<&mut dyn Slot> {
                match name {
                    "tenant" => Some(&mut self.tenant),
                    $($name => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    )*};
}

in_path! {
    SendMessageRequest {}
    GetTaskRequest { "id" => id }
    ListTasksRequest {}
    CancelTaskRequest { "id" => id }
    SubscribeToTaskRequest { "id" => id }
    TaskPushNotificationConfig { "taskId" => task_id }
    GetTaskPushNotificationConfigRequest { "taskId" => task_id, "id" => id }
    ListTaskPushNotificationConfigsRequest { "taskId" => task_id }
    DeleteTaskPushNotificationConfigRequest { "taskId" => task_id, "id" => id }
    GetExtendedAgentCardRequest {}
}
