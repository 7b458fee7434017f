//! The order in which everything is measured: in rounds, and in a round one server after the
//! other, so that a machine that gets slower meanwhile is slower for all.

use crate::args::Args;
use crate::build::Programs;
use crate::contender::Contender;
use crate::http::Connection;
use crate::load::{Callers, Load, completed};
use crate::measure::{CHUNKS, Measure, Sample};
use crate::outcome::Outcome;
use crate::process::Process;
use crate::request::{SendRequest, TEXT};
use crate::results::Results;
use clap::ValueEnum;
use memchr::memmem;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How often the long stream is read for one sample.
const STREAMS: u32 = 3;

/// Measures everything that was asked for.
pub(crate) async fn run(
    programs: &Programs,
    contenders: &[&'static Contender],
    args: &Args,
) -> Outcome<Results> {
    let mut results = Results::default();
    for round in 1..=args.rounds {
        for &measure in Measure::value_variants().iter().filter(|measure| args.wants(**measure)) {
            for contender in contenders.iter().filter(|contender| contender.takes(measure)) {
                let sample = sample(programs, contender, measure, args).await;
                report(round, args, contender, measure, &sample);
                results.add(contender.name, measure, sample.map_err(|error| error.to_string()));
            }
        }
    }
    Ok(results)
}

fn report(
    round: usize,
    args: &Args,
    contender: &Contender,
    measure: Measure,
    sample: &Outcome<Sample>,
) {
    let said = match sample {
        Ok(sample) => format!("{:.0}/s, {:.1} µs", sample.rate, sample.cpu_us),
        Err(error) => error.to_string(),
    };
    eprintln!("round {round} of {}: {}, {measure:?}: {said}", args.rounds, contender.name);
}

/// Measures one thing on a server that was started for it: no server pays for what it kept of an
/// earlier measurement.
async fn sample(
    programs: &Programs,
    contender: &Contender,
    measure: Measure,
    args: &Args,
) -> Outcome<Sample> {
    let server = Process::start(programs, contender, measure).await?;
    let sample = match load(measure, contender.grpc) {
        Some(load) => rate(&server, load, args).await,
        None => chunks(&server).await,
    };
    server.stop().await?;
    sample
}

/// What is called; `None` for the long stream.
fn load(measure: Measure, grpc: bool) -> Option<Load> {
    let (method, connections) = match measure {
        Measure::Send1 => ("SendMessage", 1),
        Measure::Send16 => ("SendMessage", 16),
        Measure::Stream1 => ("SendStreamingMessage", 1),
        Measure::Stream16 => ("SendStreamingMessage", 16),
        Measure::Chunks => return None,
    };
    Some(Load { method, text: TEXT, connections, grpc, gets: connections > 1, calls: None })
}

async fn rate(server: &Process, load: Load, args: &Args) -> Outcome<Sample> {
    let mut callers = Callers::start(server.address, load);
    pass(&mut callers, args.warm_up()).await?;
    let (answers, cpu, begun) = (callers.answered(), server.cpu()?, Instant::now());
    pass(&mut callers, args.time()).await?;
    let time = begun.elapsed();
    let (answers, cpu) = (callers.answered() - answers, server.cpu()? - cpu);
    callers.stop().await?;
    of(server, answers, time, cpu)
}

/// Lets time pass, unless a caller fails.
async fn pass(callers: &mut Callers, time: Duration) -> Outcome {
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        ended = callers.ended() => {
            ended?;
            Err("the callers ended early".into())
        }
    }
}

fn of(server: &Process, answers: u64, time: Duration, cpu: Duration) -> Outcome<Sample> {
    if answers == 0 {
        return Err(format!("no answer in {time:?}").into());
    }
    Ok(Sample {
        rate: answers as f64 / time.as_secs_f64(),
        cpu_us: cpu.as_secs_f64() * 1e6 / answers as f64,
        memory_mib: server.memory()? as f64 / f64::from(1 << 20),
        answers,
    })
}

/// Reads the long stream a few times.
async fn chunks(server: &Process) -> Outcome<Sample> {
    let mut connection = Connection::open(server.address).await?;
    let text = format!("blob {CHUNKS}");
    let mut request = SendRequest::new(server.address, "SendStreamingMessage", &text);
    let (cpu, mut time) = (server.cpu()?, Duration::ZERO);
    for number in 0..STREAMS {
        let begun = Instant::now();
        let answer = connection.exchange(request.with_id(number.into())).await?;
        time += begun.elapsed();
        let found = memmem::find_iter(completed(answer)?, "\"artifactUpdate\"").count();
        if found != CHUNKS {
            return Err(format!("a stream with {found} of {CHUNKS} chunks").into());
        }
    }
    of(server, STREAMS.into(), time, server.cpu()? - cpu)
}

/// Drives a server that runs already, and prints what it answers.
pub(crate) async fn at(address: SocketAddr, args: &Args) -> Outcome {
    for &measure in Measure::value_variants().iter().filter(|measure| args.wants(**measure)) {
        let Some(load) = load(measure, args.grpc) else { continue };
        let mut callers = Callers::start(address, load);
        pass(&mut callers, args.warm_up()).await?;
        let (answers, begun) = (callers.answered(), Instant::now());
        pass(&mut callers, args.time()).await?;
        let rate = (callers.answered() - answers) as f64 / begun.elapsed().as_secs_f64();
        callers.stop().await?;
        println!("{measure:?}: {rate:.0}/s");
    }
    Ok(())
}
