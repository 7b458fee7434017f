//! All samples, and what they come to.

use crate::measure::{Measure, Sample};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The samples by server and measurement, in the order of the rounds.
#[derive(Default)]
pub(crate) struct Results {
    /// Every server that was measured, in the order of the table.
    pub(crate) servers: Vec<&'static str>,
    samples: BTreeMap<(&'static str, Measure), Vec<Result<Sample, String>>>,
}

impl Results {
    /// Adds a sample, or why there is none.
    pub(crate) fn add(
        &mut self,
        server: &'static str,
        measure: Measure,
        sample: Result<Sample, String>,
    ) {
        if !self.servers.contains(&server) {
            self.servers.push(server);
        }
        self.samples.entry((server, measure)).or_default().push(sample);
    }

    fn of(&self, server: &'static str, measure: Measure) -> &[Result<Sample, String>] {
        self.samples.get(&(server, measure)).map_or(&[], Vec::as_slice)
    }

    /// The median of what was measured; `None` when nothing was, or when it failed.
    pub(crate) fn median(
        &self,
        server: &'static str,
        measure: Measure,
        value: impl Fn(&Sample) -> f64,
    ) -> Option<f64> {
        let samples = self.of(server, measure).iter();
        median(samples.map(|sample| sample.as_ref().ok().map(&value)).collect::<Option<_>>()?)
    }

    /// The median of the ratios of each round.
    pub(crate) fn ratio(
        &self,
        server: &'static str,
        to: &'static str,
        measure: Measure,
        value: impl Fn(&Sample) -> f64,
    ) -> Option<f64> {
        let rounds = self.of(server, measure).iter().zip(self.of(to, measure));
        let ratio = |(ours, theirs): (&Result<Sample, _>, &Result<Sample, _>)| {
            Some(value(ours.as_ref().ok()?) / value(theirs.as_ref().ok()?))
        };
        median(rounds.map(ratio).collect::<Option<_>>()?)
    }

    /// Why a server has no number there.
    pub(crate) fn failure(&self, server: &'static str, measure: Measure) -> Option<&str> {
        self.of(server, measure).iter().find_map(|sample| sample.as_ref().err()).map(String::as_str)
    }

    /// Every sample.
    pub(crate) fn to_json(&self) -> Value {
        let all = self.samples.iter().map(|((server, measure), samples)| {
            let samples = samples.iter().map(|sample| match sample {
                Ok(sample) => json!(sample),
                Err(failure) => json!({ "failure": failure }),
            });
            json!({"server": server, "measure": measure, "samples": samples.collect::<Vec<_>>()})
        });
        all.collect()
    }
}

/// The value in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (middle, upper) = (values.len().checked_sub(1)? / 2, values.len() / 2);
    Some((values[middle] + values[upper]) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::{Results, median};
    use crate::measure::{Measure, Sample};

    fn sample(rate: f64) -> Result<Sample, String> {
        Ok(Sample { rate, cpu_us: 1.0, memory_mib: 1.0, answers: 1 })
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn ratios_are_of_the_same_round() {
        let mut results = Results::default();
        for (ours, theirs) in [(100.0, 200.0), (10.0, 20.0), (50.0, 100.0)] {
            results.add("ours", Measure::Send1, sample(ours));
            results.add("theirs", Measure::Send1, sample(theirs));
        }
        assert_eq!(results.ratio("ours", "theirs", Measure::Send1, |s| s.rate), Some(0.5));
        results.add("ours", Measure::Send1, Err("no".to_owned()));
        assert_eq!(results.median("ours", Measure::Send1, |s| s.rate), None);
        assert_eq!(results.failure("ours", Measure::Send1), Some("no"));
    }
}
