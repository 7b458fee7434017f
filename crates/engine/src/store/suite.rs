//! What every store must do: cases that [`store_suite!`](crate::store_suite) makes tests of.
//!
//! A crate that implements [`Store`] enables the feature `suite` of `sabir-engine` in its
//! development dependencies, implements [`Stores`] and calls the macro once.

mod actors;
pub mod condition;
pub mod list;
pub mod log;
pub mod message;
pub mod push;
pub mod retention;

use super::{Retention, Store};
use async_trait::async_trait;
use std::sync::Arc;

/// Opens the stores that a case works on.
#[async_trait]
pub trait Stores: Send + Sync {
    /// An empty store, independent of every other.
    async fn open(&self, retention: Retention) -> Arc<dyn Store>;
}

/// Makes a test of each case of the suite. The argument is an expression of a type that implements
/// [`Stores`](crate::store::suite::Stores); it is evaluated once a test.
#[macro_export]
macro_rules! store_suite {
    ($stores:expr) => {
        $crate::store_suite! { @tests $stores;
            condition: [
                a_new_task_starts_its_log_at_one,
                a_new_task_is_submitted_unless_it_says_otherwise,
                a_second_new_task_of_the_same_id_is_refused,
                only_a_new_task_needs_no_task,
                a_worker_appends_in_the_order_of_its_ordinals,
                after_a_gap_every_append_of_the_turn_is_refused,
                an_overlap_of_ordinals_is_refused,
                a_repeat_succeeds_and_changes_nothing,
                an_append_without_entries_is_never_a_repeat,
                a_worker_of_another_epoch_or_turn_is_fenced,
                a_worker_whose_turn_has_closed_is_fenced,
                a_terminal_state_is_final,
                a_command_may_wait_for_the_turn_to_close,
                a_command_leaves_the_ordinals_alone,
                a_new_turn_fences_the_worker_before,
                a_turn_can_be_closed_and_opened_at_once,
                a_visible_task_stays_visible,
                a_refused_append_writes_nothing,
                outcomes_come_in_the_order_of_the_appends,
                of_many_endings_at_once_one_is_taken,
                each_run_has_a_greater_epoch,
                equal_ids_in_other_scopes_are_other_tasks,
                unfinished_are_those_that_run_or_wait_for_a_turn,
            ]
            log: [
                entries_come_back_as_they_were_written,
                entries_have_the_epoch_of_the_turn,
                entries_are_read_in_pieces,
                a_long_log_is_kept_whole,
                what_does_not_exist_reads_as_nothing,
                a_newer_snapshot_replaces_an_older_one,
                a_snapshot_leaves_the_entries,
            ]
            message: [
                a_record_is_found_until_it_expires,
                a_record_refuses_before_the_condition_is_looked_at,
                a_record_refuses_commands_too,
                an_expired_record_gives_way,
                a_refused_append_leaves_no_record,
                records_of_others_and_of_other_contents_do_not_collide,
                of_many_equal_messages_at_once_one_is_taken,
                a_record_outlives_its_task,
                records_beyond_the_limit_go_by_when_they_expire,
                a_swept_record_is_gone,
            ]
            list: [
                the_newest_status_comes_first_and_of_equals_the_greater_id,
                what_is_not_visible_is_not_listed,
                a_context_is_a_filter,
                a_state_is_a_filter,
                a_time_is_a_filter_to_the_nanosecond,
                filters_work_together,
                the_total_counts_all_pages,
                pages_follow_one_another,
                pages_hold_still_while_tasks_change,
                a_task_moves_when_its_status_does,
                an_open_turn_is_listed_by_its_latest_status,
                scopes_do_not_see_one_another,
                a_deleted_task_is_not_listed,
            ]
            retention: [
                finished_tasks_go_by_age,
                waiting_tasks_go_by_their_own_age,
                running_tasks_stay,
                the_oldest_finished_go_when_there_are_too_many,
                a_flood_does_not_push_out_what_has_not_finished,
                the_oldest_finished_go_when_they_are_too_large,
                the_last_to_finish_stays_however_large,
                a_reply_before_anybody_saw_the_task_finishes_it,
                a_deleted_task_is_gone_in_every_way,
                entries_stay_for_the_resume_window,
                entries_are_folded_into_a_snapshot,
                a_snapshot_at_the_head_is_not_folded_again,
                a_folded_task_is_not_folded_again,
                a_long_task_is_folded_and_deleted_whole,
                what_cannot_be_folded_keeps_its_entries,
                many_tasks_are_swept_at_once,
            ]
            push: [
                webhooks_are_listed_by_id,
                a_webhook_of_the_same_id_is_replaced,
                a_webhook_has_the_version_it_was_registered_in,
                a_task_has_so_many_webhooks_and_no_more,
                a_finished_task_takes_webhooks,
                a_task_that_does_not_exist_takes_none,
                a_deleted_webhook_is_gone,
                each_visible_entry_goes_to_each_webhook,
                a_webhook_of_the_append_gets_its_entries,
                a_webhook_gets_only_what_follows_it,
                only_the_first_of_each_queue_is_due,
                a_retry_holds_its_queue_and_no_other,
                the_next_time_is_told,
                a_dead_letter_lets_the_queue_go_on,
                deleting_a_webhook_deletes_its_deliveries,
                a_replaced_webhook_gets_what_was_still_to_be_delivered,
                deliveries_outlive_their_task,
                deliveries_are_of_one_agent,
                due_rows_are_limited,
                settling_what_is_gone_changes_nothing,
            ]
        }
    };
    (@tests $stores:expr; $($file:ident: [$($case:ident,)*])*) => {$(
        mod $file {
            #[allow(unused_imports, reason = "the expression may name what stands beside the call")]
            use super::*;
            $(
                #[tokio::test]
                async fn $case() {
                    $crate::store::suite::$file::$case(&$stores).await;
                }
            )*
        }
    )*};
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::memory::MemoryStore;

    struct InMemory;

    #[async_trait]
    impl Stores for InMemory {
        async fn open(&self, retention: Retention) -> Arc<dyn Store> {
            Arc::new(MemoryStore::new(retention))
        }
    }

    store_suite!(InMemory);

    #[test]
    fn the_macro_names_every_case() {
        let list = include_str!("suite.rs");
        let files = [
            include_str!("suite/condition.rs"),
            include_str!("suite/list.rs"),
            include_str!("suite/log.rs"),
            include_str!("suite/message.rs"),
            include_str!("suite/push.rs"),
            include_str!("suite/retention.rs"),
        ];
        for file in files {
            for case in file.split("\npub async fn ").skip(1) {
                let name = case.split('(').next().unwrap();
                assert!(list.contains(&format!(" {name},")), "{name} is not in the list");
            }
        }
    }
}
