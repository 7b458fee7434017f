"""The matrix of what met what: rows are pairs, columns are bindings in versions of the protocol."""

from collections import Counter
from typing import NamedTuple

COLUMNS = [
    (binding, version)
    for version in ("1.0", "0.3")
    for binding in ("JSONRPC", "HTTP+JSON", "GRPC")
]


class Pair(NamedTuple):
    """A client that calls a server, on one binding in one version."""

    client: str
    server: str
    binding: str
    version: str

    def __str__(self):
        return f"{self.client} → {self.server}, {self.binding} {self.version}"


class Matrix:
    """Checks that passed, of how many, by pair."""

    def __init__(self):
        self.passed = Counter()
        self.total = Counter()

    def count(self, pair, passed):
        self.passed[pair] += passed
        self.total[pair] += 1

    def table(self, releases):
        """As a table of Markdown; `releases` says which release of a kit its name stands for."""
        rows = sorted({(pair.client, pair.server) for pair in self.total}, key=without_ours)
        heads = [f"{binding} {version}" for binding, version in COLUMNS]
        lines = [["client → server", *heads], ["--"] * (len(heads) + 1)]
        for client, server in rows:
            cells = [self.cell(Pair(client, server, *column)) for column in COLUMNS]
            lines.append([f"{releases.get(client, client)} → {releases.get(server, server)}", *cells])
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def cell(self, pair):
        return f"{self.passed[pair]}/{self.total[pair]}" if pair in self.total else "-"


def without_ours(row):
    """Both directions of a kit stand together."""
    return [name for name in row if name != "sabir"], row[0] == "sabir"


def document(table, notes):
    """The page that keeps the table."""
    listed = "\n".join(f"- {note}" for note in notes)
    return f"""# Interoperability

Written by `cargo xtask interop --all`, which runs everything that `tests/interop` holds. A cell is
how many checks passed, of how many; `-` is what the suite does not run, and below stands why.

{table}

{listed}
"""
