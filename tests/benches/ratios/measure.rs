use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::Failure;

/// How long `work` takes. What it gives is dropped after the clock has stopped.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let given = black_box(work()?);
    let took = begun.elapsed();
    drop(given);
    Ok(took)
}

/// How long `work` takes on the average of so many times.
pub(crate) fn timed_each<T>(
    times: u32,
    work: impl Fn() -> Result<T, Failure>,
) -> Result<Duration, Failure> {
    let took = timed(|| (0..times).try_for_each(|_| work().map(|given| drop(black_box(given)))))?;
    Ok(took / times)
}

/// The medians of what some measurements give, taken in turns so that a slow moment of the machine
/// meets them all. The first turn only warms up.
pub(crate) fn in_turns<const N: usize>(
    rounds: usize,
    measurements: [&dyn Fn() -> Result<Duration, Failure>; N],
) -> Result<[Duration; N], Failure> {
    let mut taken = measurements.map(|_| Vec::new());
    for round in 0..=rounds {
        for (measure, taken) in measurements.iter().zip(&mut taken) {
            let took = measure()?;
            if round > 0 {
                taken.push(took);
            }
        }
    }
    Ok(taken.map(median))
}

/// The one in the middle.
pub(crate) fn median(samples: Vec<Duration>) -> Duration {
    percentile(samples, 50)
}

/// The one below which `percent` of a hundred lie.
pub(crate) fn percentile(mut samples: Vec<Duration>, percent: usize) -> Duration {
    samples.sort_unstable();
    let position = samples.len() * percent / 100;
    samples.get(position).copied().unwrap_or_default()
}

/// How often in a second something happens that happened `count` times in `took`.
pub(crate) fn per_second(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}
