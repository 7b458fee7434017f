//! The program `a2a`: the same commands under the name of the official command line.

fn main() -> std::process::ExitCode {
    sabir_cli::main()
}
