//! Resource names, by which the protobuf dialect refers to tasks and push configs.

use sabir_types::TaskId;

const TASKS: &str = "tasks/";
const CONFIGS: &str = "/pushNotificationConfigs";

/// `tasks/{id}`.
pub(crate) fn of_task(id: &TaskId) -> String {
    format!("{TASKS}{id}")
}

/// `tasks/{id}/pushNotificationConfigs/{config}`.
pub(crate) fn of_config(task: &TaskId, config: &str) -> String {
    format!("{TASKS}{task}{CONFIGS}/{config}")
}

/// The task of a name, and the config where the name is that of one. A bare id is a task.
pub(crate) fn parse(name: &str) -> (TaskId, Option<String>) {
    let rest = name.strip_prefix(TASKS).unwrap_or(name);
    match rest.rsplit_once(CONFIGS) {
        Some((task, "")) => (task.into(), None),
        Some((task, config)) => match config.strip_prefix('/') {
            Some(config) => (task.into(), Some(config.to_owned())),
            None => (rest.into(), None),
        },
        None => (rest.into(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_config, of_task, parse};

    #[test]
    fn a_name_is_taken_apart_as_it_was_put_together() {
        for id in ["t1", "a/b", "tasks", ""] {
            let id = id.into();
            assert_eq!(parse(&of_task(&id)), (id.clone(), None));
            assert_eq!(parse(&of_config(&id, "p")), (id, Some("p".to_owned())));
        }
        assert_eq!(parse("t1"), ("t1".into(), None));
        assert_eq!(parse("tasks/t1/pushNotificationConfigs"), ("t1".into(), None));
        assert_eq!(
            parse("tasks/a/pushNotificationConfigsX"),
            ("a/pushNotificationConfigsX".into(), None)
        );
    }
}
