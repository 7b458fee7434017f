//! A server as a child process: started, watched and ended.

use crate::build::{Programs, bench};
use crate::contender::Contender;
use crate::measure::Measure;
use crate::outcome::Outcome;
use std::fs;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

/// How long a server may take to say where it listens.
const START: Duration = Duration::from_secs(20);

/// A server that runs.
pub(crate) struct Process {
    pub(crate) address: SocketAddr,
    child: Child,
    /// Where it works, and its data are; gone with it.
    _folder: TempDir,
}

impl Process {
    /// Starts a server in an empty folder and waits until it listens.
    pub(crate) async fn start(
        programs: &Programs,
        contender: &Contender,
        measure: Measure,
    ) -> Outcome<Self> {
        // Not in the system's folder for temporary files, which may be in memory.
        let folders = bench().join("target/data");
        fs::create_dir_all(&folders)?;
        let folder = TempDir::new_in(folders)?;
        let mut command = Command::new(programs.path(contender.program));
        command.args(contender.args(measure)).envs(contender.env.iter().copied());
        if contender.durable {
            command.arg("--data").arg(folder.path());
        }
        command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
        let stderr = child.stderr.take().ok_or("a child without stderr")?;
        let mut lines = BufReader::new(stderr).lines();
        let address = tokio::time::timeout(START, listening(&mut lines))
            .await
            .map_err(|_| format!("{} does not say where it listens", contender.name))??;
        // What it says later is read, so that it never waits for a reader.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self { address, child, _folder: folder })
    }

    /// How much time of the processors it has taken.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id()?))?;
        let ticks = ticks(&stat).ok_or("/proc/PID/stat is not as expected")?;
        Ok(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
    }

    /// How much memory it holds, in bytes.
    pub(crate) fn memory(&self) -> Outcome<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()?))?;
        Ok(resident(&status).ok_or("/proc/PID/status is not as expected")?)
    }

    /// Ends it.
    pub(crate) async fn stop(mut self) -> Outcome {
        Ok(self.child.kill().await?)
    }

    fn id(&self) -> Outcome<u32> {
        Ok(self.child.id().ok_or("the server has ended")?)
    }
}

/// Reads until the server names its address.
async fn listening(lines: &mut Lines<BufReader<ChildStderr>>) -> Outcome<SocketAddr> {
    let mut said = String::new();
    while let Some(line) = lines.next_line().await? {
        if let Some((_, address)) = line.split_once("http://") {
            return Ok(address.trim_end_matches('/').parse()?);
        }
        said = said + "\n" + &line;
    }
    Err(format!("the server ended at once:{said}").into())
}

/// User and system time of `/proc/PID/stat`: fields 14 and 15, counted behind the name of the
/// program, which may have spaces in it.
fn ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

/// `VmRSS` of `/proc/PID/status`, in bytes.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

#[cfg(test)]
mod tests {
    use super::{resident, ticks};

    #[test]
    fn a_process_tells_its_time_and_its_memory() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 100 0 0 0 250 31 0 0 20 0 3 0 12345";
        assert_eq!(ticks(stat), Some(281));
        let status = "Name:\tsabir\nVmHWM:\t   9000 kB\nVmRSS:\t    8192 kB\nThreads:\t3\n";
        assert_eq!(resident(status), Some(8 << 20));
    }
}
