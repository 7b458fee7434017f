//! Measures `sabir` beside other people's SDKs and a bare route. `README.md` beside this package
//! says what the table means and how to read it.

mod args;
mod build;
mod contender;
mod grpc;
mod http;
mod load;
mod measure;
mod memory;
mod outcome;
mod process;
mod request;
mod results;
mod rounds;
mod table;
mod targets;

use args::Args;
use build::Programs;
use clap::Parser;
use outcome::Outcome;
use std::process::ExitCode;

// One thread: the load is to leave the machine to the server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(&Args::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Outcome {
    if let Some(address) = args.at {
        return rounds::at(address, args).await;
    }
    let contenders = contender::chosen(args)?;
    let programs = Programs::build(&contenders, args.sabir.as_deref())?;
    if args.memory {
        return memory::run(&programs, args).await;
    }
    let results = rounds::run(&programs, &contenders, args).await?;
    if args.json {
        println!("{}", results.to_json());
    } else {
        print!("{}", table::of(&results));
    }
    Ok(())
}
