//! Runs one workload of the benchmarks, for tools that count instructions.
//!
//! ```text
//! hot list                              the names
//! hot NAME whole|chunks BYTES           reads that many bytes
//! ```

#[path = "../benches/inputs/mod.rs"]
mod inputs;

use std::process::ExitCode;

use inputs::{CHUNK, workloads};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["list"] => {
            for workload in workloads() {
                println!("{}", workload.name);
            }
            ExitCode::SUCCESS
        }
        [name, feeding, size] => run(name, feeding, size),
        _ => ExitCode::FAILURE,
    }
}

fn run(name: &str, feeding: &str, size: &str) -> ExitCode {
    let size = size.parse().unwrap_or_default();
    let piece = (feeding == "chunks").then_some(CHUNK);
    match workloads().iter().find(|workload| workload.name == name) {
        Some(workload) => {
            workload.run(&workload.text(size), piece);
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}
