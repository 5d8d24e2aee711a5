//! Thread pools.

use crate::error::OptionError;

/// Runs `work` on `threads` threads, or on one for each processor.
pub fn in_pool<T: Send, E: From<OptionError> + Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let error = |expected, found| OptionError { option: "threads", expected, found };
    let mut pool = rayon::ThreadPoolBuilder::new();
    match threads {
        Some(0) => return Err(error("at least 1", "0".to_owned()).into()),
        Some(threads) => pool = pool.num_threads(threads),
        None => {}
    }
    let pool = pool
        .build()
        .map_err(|cause| error("a number of threads the system can start", cause.to_string()))?;
    pool.install(work)
}
