//! Columns with two spaces between them.

/// Lays rows out in columns as wide as their widest cell; the last column is not padded.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .chain([header[column].len()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let mut out = String::new();
    for row in std::iter::once(&header).chain(rows) {
        let line: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        out.push_str(line.join("  ").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["1".to_owned(), "completed".to_owned(), "c".to_owned()]];
        assert_eq!(
            table(&["ID", "STATUS", "CONTEXT"], &rows),
            "ID  STATUS     CONTEXT\n1   completed  c\n"
        );
        assert_eq!(table(&["ID", "STATUS"], &[]), "ID  STATUS\n");
    }
}
