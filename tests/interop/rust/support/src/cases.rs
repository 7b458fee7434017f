//! Runs the cases of a client program, and prints a line for each.

use std::error::Error;
use std::fmt::Debug;
use std::pin::Pin;
use std::time::Duration;

const CASE_TIME: Duration = Duration::from_secs(30);

/// Why a case fails.
pub type Why = Box<dyn Error + Send + Sync>;

/// A case by its name; it does nothing until it is run.
pub type Case<'a> = (&'static str, Pin<Box<dyn Future<Output = Result<(), Why>> + 'a>>);

/// What a client program is started with.
#[derive(Debug)]
pub struct Args {
    /// JSONRPC, HTTP+JSON or GRPC
    pub binding: String,
    /// The base URL of the contract reviewer
    pub reviewer: String,
    /// That of an agent that knows the puppet's words; may be the same agent
    pub puppet: String,
}

impl Args {
    /// Those of this process, or what is wrong with them.
    pub fn read() -> Result<Self, Why> {
        let args: Vec<_> = std::env::args().skip(1).collect();
        let [binding, reviewer, puppet] =
            <[_; 3]>::try_from(args).map_err(|_| "the arguments are: BINDING REVIEWER PUPPET")?;
        Ok(Self { binding, reviewer, puppet })
    }
}

/// Runs the cases one after the other; each has its line on standard output.
pub async fn run(cases: Vec<Case<'_>>) {
    for (name, case) in cases {
        let late = Err(format!("not done in {CASE_TIME:?}").into());
        match tokio::time::timeout(CASE_TIME, case).await.unwrap_or(late) {
            Ok(()) => println!("ok {name}"),
            Err(why) => println!("FAIL {name}: {}", one_line(&why.to_string())),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Fails where the two differ, and says how and in which line.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "cases read better without references")]
pub fn equal<F, W>(found: F, wanted: W) -> Result<(), Why>
where
    F: Debug + PartialEq<W>,
    W: Debug,
{
    if found == wanted {
        return Ok(());
    }
    let line = std::panic::Location::caller().line();
    Err(format!("{found:?}, wanted {wanted:?} (line {line})").into())
}
