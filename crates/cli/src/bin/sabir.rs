//! The program `sabir`.

fn main() -> std::process::ExitCode {
    sabir_cli::main()
}
