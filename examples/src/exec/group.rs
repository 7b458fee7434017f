//! A process group: a command and whatever it starts.

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use std::time::Duration;
use tokio::process::Child;

/// The group that a child leads.
///
/// Signals go to a number, and a number may be given to somebody else once nobody has it any more.
/// So the leader is reaped last: until then the number is the group's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// The group of a child that was started as a leader and has not been reaped.
    pub(super) fn of(child: &Child) -> Option<Self> {
        child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw).map(Self)
    }

    /// Asks the group to end.
    pub(super) fn terminate(self) {
        // It fails when nobody is left to be asked, which is as well.
        let _ = kill_process_group(self.0, Signal::TERM);
    }

    /// Ends the group.
    pub(super) fn kill(self) {
        let _ = kill_process_group(self.0, Signal::KILL);
    }

    /// Waits until the leader has ended, and leaves it to be reaped.
    pub(super) async fn leader_ended(self) {
        let wait = move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            // Any other error says that there is nobody to wait for.
            while let Err(Errno::INTR) = waitid(WaitId::Pid(self.0), options) {}
        };
        // It fails when the runtime is shutting down, which drops the caller as well.
        let _ = tokio::task::spawn_blocking(wait).await;
    }

    /// Waits until nobody of a killed group lives any more. Its leader has been reaped.
    pub(super) async fn gone(self) {
        // Killing takes effect at once, but for who waits for a device.
        while test_kill_process_group(self.0) != Err(Errno::SRCH) && self.lives().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Whether anybody in the group is more than a zombie that nobody has reaped.
    #[cfg(target_os = "linux")]
    async fn lives(self) -> bool {
        let group = self.0.as_raw_nonzero().get();
        let look = move || members::any_alive(group).unwrap_or(false);
        tokio::task::spawn_blocking(look).await.unwrap_or(false)
    }

    /// Zombies look alive here, so nobody is waited for.
    #[cfg(not(target_os = "linux"))]
    async fn lives(self) -> bool {
        false
    }
}

/// Who is in a process group, as Linux tells it.
#[cfg(target_os = "linux")]
mod members {
    use std::{fs, io};

    /// Whether a process of the group is alive.
    pub(super) fn any_alive(group: i32) -> io::Result<bool> {
        for process in fs::read_dir("/proc")? {
            // Other entries have no such file, and a process may end meanwhile.
            let stat = fs::read_to_string(process?.path().join("stat"));
            if stat.is_ok_and(|stat| is_alive_in(&stat, group)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a line such as `7 (sh) S 1 6 ...` (number, name, state, parent, group) says so.
    fn is_alive_in(stat: &str, group: i32) -> bool {
        // The name may contain anything, also parentheses.
        let Some((_, rest)) = stat.rsplit_once(") ") else { return false };
        let mut fields = rest.split(' ');
        let state = fields.next();
        let its_group = fields.nth(1).and_then(|group| group.parse().ok());
        its_group == Some(group) && !matches!(state, Some("Z" | "X"))
    }

    #[cfg(test)]
    mod tests {
        use super::{any_alive, is_alive_in};

        #[test]
        fn who_is_dead_or_elsewhere_is_not_alive_in_the_group() {
            assert!(is_alive_in("7 (sh) S 1 6 6 0", 6));
            assert!(is_alive_in("7 (a) Z 1 5 (b)) R 1 6 6 0", 6));
            assert!(!is_alive_in("7 (sh) Z 1 6 6 0", 6));
            assert!(!is_alive_in("7 (sh) S 1 5 6 0", 6));
            assert!(!is_alive_in("", 6));
        }

        #[test]
        fn this_process_is_alive_in_its_group() {
            let group = rustix::process::getpgrp().as_raw_nonzero().get();
            assert!(any_alive(group).unwrap());
        }
    }
}
