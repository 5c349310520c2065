//! Call ids: `call_` and 24 hexadecimal digits, no two alike in a process.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTER: AtomicU64 = AtomicU64::new(0);
static SEED: OnceLock<u64> = OnceLock::new();

/// The ids of one stream.
#[derive(Default)]
pub struct Ids {
    used: HashSet<String>,
}

impl Ids {
    /// The id of the next call: the wire's own, unless this stream has used it before.
    pub fn next(&mut self, wire: Option<&str>) -> String {
        match wire {
            Some(id) if !id.is_empty() && self.used.insert(id.to_owned()) => id.to_owned(),
            _ => fresh(),
        }
    }
}

/// A fresh id. The scrambled counter makes it unique; the process id keeps forked processes, which
/// share seed and counter, apart.
fn fresh() -> String {
    let seed = *SEED.get_or_init(|| RandomState::new().build_hasher().finish());
    let count = seed.wrapping_add(COUNTER.fetch_add(1, Ordering::Relaxed));
    let low = scramble(seed ^ u64::from(std::process::id())) >> 32;
    format!("call_{:016x}{low:08x}", scramble(count))
}

/// A bijection that spreads neighbouring numbers (the finaliser of `SplitMix64`).
fn scramble(mut number: u64) -> u64 {
    number = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
