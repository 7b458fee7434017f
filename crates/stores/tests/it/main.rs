//! The SQLite store against the suite of all stores, and against what only it promises.

mod actors;
mod failure;
mod file;
mod group;
mod kill;
mod model;
mod suite;
