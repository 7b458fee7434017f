//! Tells the program which compiler built it.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    // Not `SABIR_…`: `cargo run` sets it for the program too, which would take it for a setting.
    println!("cargo::rustc-env=BUILT_BY_RUSTC={}", version.unwrap_or_default().trim());
    println!("cargo::rerun-if-changed=build.rs");
}
