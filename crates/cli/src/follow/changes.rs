//! Makes events of the difference between two looks at a task, for agents that do not stream.

use sabir_types::{StreamResponse, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};

/// What a stream would have told between the two looks: artifacts that are new or have changed,
/// then the status.
pub(super) fn between(old: &Task, new: &Task) -> Vec<StreamResponse> {
    let mut events = Vec::new();
    for artifact in &new.artifacts {
        if old.artifact(artifact.artifact_id.as_str()) != Some(artifact) {
            events.push(StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id: new.id.clone(),
                context_id: new.context_id.clone(),
                artifact: artifact.clone(),
                last_chunk: new.state().is_terminal(),
                ..TaskArtifactUpdateEvent::default()
            }));
        }
    }
    if old.status != new.status {
        events.push(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: new.id.clone(),
            context_id: new.context_id.clone(),
            status: new.status.clone(),
            ..TaskStatusUpdateEvent::default()
        }));
    }
    events
}

#[cfg(test)]
mod tests {
    use super::between;
    use sabir_types::{Artifact, StreamResponse, Task, TaskState, TaskStatus};

    #[test]
    fn only_what_changed_becomes_an_event() {
        let old = Task::new("t", "c", TaskStatus::new(TaskState::Working));
        assert!(between(&old, &old).is_empty());
        let mut new = old.clone();
        new.status.state = TaskState::Completed;
        new.artifacts.push(Artifact { artifact_id: "a".into(), ..Artifact::default() });
        let events = between(&old, &new);
        assert!(matches!(&events[0], StreamResponse::ArtifactUpdate(update) if update.last_chunk));
        assert!(matches!(&events[1], StreamResponse::StatusUpdate(_)));
        assert_eq!(events.len(), 2);
    }
}
