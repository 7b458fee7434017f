//! The SQLite store against the suite of all stores, and against what only it promises.

mod suite;
