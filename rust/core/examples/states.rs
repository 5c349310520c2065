//! Prints the states of a stream as a diagram; see `make diagram`.

fn main() {
    print!("{}", toolspeak::state_diagram());
}
