//! What comes back from 0.3: the documented losses, and nothing else.

use sabir_compat::is_v0_3;
use sabir_types::{
    AgentCard, AuthenticationInfo, Content, ContextId, Message, Part, Role, SendMessageRequest,
    StreamResponse, Task, TaskPushNotificationConfig, TaskState, TaskStatus,
};

/// Which dialect it went through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Through {
    Kind,
    Proto,
}

use Through::{Kind, Proto};

impl Through {
    fn part(self, mut part: Part) -> Part {
        if matches!(part.content, Content::Text(_) | Content::Data(_)) {
            part.media_type = None;
            part.filename = None;
        }
        if matches!(&part.content, Content::Data(data) if !data.is_object()) {
            part.metadata = part.metadata.filter(|metadata| !metadata.is_empty());
        }
        // Without content nothing is known to be a file.
        if part.content == Content::Unset {
            part = Part { metadata: part.metadata, ..Part::default() };
        }
        part
    }

    pub(crate) fn message(self, mut message: Message) -> Message {
        message.parts = message.parts.into_iter().map(|part| self.part(part)).collect();
        match self {
            Kind if message.role == Role::Unspecified => message.role = Role::Agent,
            Kind => {}
            Proto => message.reference_task_ids.clear(),
        }
        message
    }

    fn status(self, mut status: TaskStatus) -> TaskStatus {
        status.message = status.message.map(|message| self.message(message));
        if status.state == TaskState::Unrecognized {
            status.state = TaskState::Unspecified;
        }
        status
    }

    fn context(context: ContextId, task: &str) -> ContextId {
        if context.is_empty() { task.into() } else { context }
    }

    pub(crate) fn task(self, mut task: Task) -> Task {
        task.context_id = Self::context(task.context_id, task.id.as_str());
        task.status = self.status(task.status);
        task.history = task.history.into_iter().map(|message| self.message(message)).collect();
        for artifact in &mut task.artifacts {
            let parts = std::mem::take(&mut artifact.parts);
            artifact.parts = parts.into_iter().map(|part| self.part(part)).collect();
        }
        task
    }

    pub(crate) fn event(self, event: StreamResponse) -> StreamResponse {
        match event {
            StreamResponse::Task(task) => self.task(task).into(),
            StreamResponse::Message(message) => self.message(message).into(),
            StreamResponse::StatusUpdate(mut event) => {
                event.context_id = Self::context(event.context_id, event.task_id.as_str());
                event.status = self.status(event.status);
                event.into()
            }
            StreamResponse::ArtifactUpdate(mut event) => {
                event.context_id = Self::context(event.context_id, event.task_id.as_str());
                let parts = std::mem::take(&mut event.artifact.parts);
                event.artifact.parts = parts.into_iter().map(|part| self.part(part)).collect();
                event.into()
            }
            other => other,
        }
    }

    pub(crate) fn push(self, mut config: TaskPushNotificationConfig) -> TaskPushNotificationConfig {
        config.authentication = config.authentication.and_then(|one| {
            let AuthenticationInfo { scheme, credentials } = one;
            match (scheme.as_str(), &credentials) {
                ("", None) => None,
                ("", Some(_)) => {
                    Some(AuthenticationInfo { scheme: "Bearer".to_owned(), credentials })
                }
                _ => Some(AuthenticationInfo { scheme, credentials }),
            }
        });
        config
    }

    pub(crate) fn request(self, mut request: SendMessageRequest) -> SendMessageRequest {
        request.message = self.message(request.message);
        if self == Proto {
            request.tenant = None;
            request.configuration = Some(request.configuration.unwrap_or_default());
        }
        if let Some(asked) = &mut request.configuration {
            asked.history_length = asked.history_length.filter(|length| *length != 0);
            let push = asked.task_push_notification_config.take();
            asked.task_push_notification_config = push.map(|push| {
                let push = self.push(push);
                TaskPushNotificationConfig { tenant: None, task_id: None, ..push }
            });
        }
        request
    }

    /// For a card that has an interface of 0.3.
    pub(crate) fn card(self, mut card: AgentCard) -> AgentCard {
        card.supported_interfaces.retain(|one| is_v0_3(&one.protocol_version));
        let version = match card.supported_interfaces[0].protocol_version.as_str() {
            "" | "0.3" => "0.3.0".to_owned(),
            version => version.to_owned(),
        };
        for one in &mut card.supported_interfaces {
            if one.protocol_binding.is_empty() {
                one.protocol_binding = "JSONRPC".to_owned();
            }
            one.tenant = None;
            one.protocol_version.clone_from(&version);
        }
        let main = card.supported_interfaces[0].clone();
        let mut place = 0;
        card.supported_interfaces.retain(|one| {
            place += 1;
            place == 1 || *one != main
        });
        let extended = &mut card.capabilities.extended_agent_card;
        *extended = extended.filter(|yes| *yes);
        let set = |text: Option<String>| text.filter(|text| !text.is_empty());
        card.documentation_url = set(card.documentation_url.take());
        card.icon_url = set(card.icon_url.take());
        card
    }
}
