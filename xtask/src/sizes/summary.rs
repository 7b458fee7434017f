//! One row of the table.

use std::fmt;

pub(super) const HEADER: &str =
    "crate        files   lines   tests  file med/p90/max     fn p95/max";

/// What we aim at.
pub(super) const AIMS: &str = "aims                                     150/400/700          30/80";

/// What is said about one crate.
pub(super) struct Summary {
    name: String,
    files: Vec<usize>,
    functions: Vec<usize>,
    test_lines: usize,
}

impl Summary {
    /// From the lengths of the files and the functions, in any order.
    pub(super) fn new(
        name: &str,
        mut files: Vec<usize>,
        mut functions: Vec<usize>,
        test_lines: usize,
    ) -> Self {
        files.sort_unstable();
        functions.sort_unstable();
        Self { name: name.to_owned(), files, functions, test_lines }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, functions) = (&self.files, &self.functions);
        let lines: usize = files.iter().sum();
        let of_files = [50, 90, 100].map(|p| percentile(files, p).to_string()).join("/");
        let of_functions = [95, 100].map(|p| percentile(functions, p).to_string()).join("/");
        write!(
            f,
            "{:<12} {:>5} {lines:>7} {:>7}  {of_files:>16}   {of_functions:>12}",
            self.name,
            files.len(),
            self.test_lines,
        )
    }
}

/// The smallest value that so many per cent are not above; 0 when there are none.
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100);
    rank.checked_sub(1).and_then(|at| sorted.get(at)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_values_that_occur() {
        let sorted: Vec<usize> = (1..=20).collect();
        assert_eq!([50, 90, 95, 100].map(|p| percentile(&sorted, p)), [10, 18, 19, 20]);
        assert_eq!(percentile(&[7], 50), 7);
        assert_eq!(percentile(&[], 50), 0);
    }
}
