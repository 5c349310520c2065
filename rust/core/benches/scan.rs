//! The rate of the core alone, without Python: in chunks of a token's size, and whole.

mod inputs;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use inputs::{CHUNK, workloads};

fn scan(criterion: &mut Criterion) {
    for (group, size, piece) in [("chunks of 4", 40_000, Some(CHUNK)), ("whole", 1_000_000, None)] {
        let mut group = criterion.benchmark_group(group);
        group.sample_size(20).throughput(Throughput::Bytes(size as u64));
        for workload in workloads() {
            let text = workload.text(size);
            group.bench_function(workload.name.as_str(), |bencher| {
                bencher.iter(|| workload.run(&text, piece));
            });
        }
    }
}

criterion_group!(benches, scan);
criterion_main!(benches);
