//! The cost of a stage: time, memory, and bytes read and written.

use std::time::Instant;

use pagekin_pages::Stage;
use serde::{Deserialize, Serialize};

/// The cost of a stage. Values that the system does not report are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StageCost {
    /// The measured stage.
    pub stage: Stage,
    /// Wall time.
    pub seconds: f64,
    /// Time of all processors together.
    pub cpu_seconds: Option<f64>,
    /// Bytes read, from disk or from the cache of the operating system.
    pub read: Option<u64>,
    /// Bytes written.
    pub written: Option<u64>,
    /// Maximum memory in use, in bytes.
    pub peak_memory: Option<u64>,
}

/// Measures a stage from its creation.
#[derive(Debug)]
pub(crate) struct Meter {
    start: Instant,
    cpu_seconds: Option<f64>,
    moved: Option<(u64, u64)>,
}

impl Meter {
    pub(crate) fn start() -> Self {
        system::forget_peak();
        Self { start: Instant::now(), cpu_seconds: system::cpu_seconds(), moved: system::moved() }
    }

    pub(crate) fn stop(&self, stage: Stage) -> StageCost {
        let moved = self.moved.zip(system::moved());
        StageCost {
            stage,
            seconds: self.start.elapsed().as_secs_f64(),
            cpu_seconds: self.cpu_seconds.zip(system::cpu_seconds()).map(|(a, b)| b - a),
            read: moved.map(|(before, now)| now.0 - before.0),
            written: moved.map(|(before, now)| now.1 - before.1),
            peak_memory: system::peak_memory(),
        }
    }
}

/// The counters of this process on Linux, from files in `/proc`.
#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use rustix::time::{ClockId, clock_gettime};

    pub(crate) fn cpu_seconds() -> Option<f64> {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }

    /// Returns the bytes of all reads and all writes.
    pub(crate) fn moved() -> Option<(u64, u64)> {
        let io = fs::read_to_string("/proc/self/io").ok()?;
        Some((number(&io, "rchar:")?, number(&io, "wchar:")?))
    }

    pub(crate) fn peak_memory() -> Option<u64> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        Some(number(&status, "VmHWM:")? << 10)
    }

    /// Resets the peak memory. If that is not permitted, the peak is that of the process so far.
    pub(crate) fn forget_peak() {
        let _ = fs::write("/proc/self/clear_refs", "5");
    }

    fn number(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(crate) fn cpu_seconds() -> Option<f64> {
        None
    }

    pub(crate) fn moved() -> Option<(u64, u64)> {
        None
    }

    pub(crate) fn peak_memory() -> Option<u64> {
        None
    }

    pub(crate) fn forget_peak() {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn work_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let meter = Meter::start();
        let bytes = vec![7u8; 3 << 20];
        fs::write(folder.path().join("x"), &bytes).unwrap();
        assert_eq!(fs::read(folder.path().join("x")).unwrap(), bytes);
        let cost = meter.stop(Stage::Reading);
        // Other tests run in this process at the same time and are counted too.
        assert!(cost.written.unwrap() >= 3 << 20 && cost.read.unwrap() >= 3 << 20, "{cost:?}");
        assert!(cost.peak_memory.unwrap() >= 3 << 20, "{cost:?}");
        assert!(cost.cpu_seconds.unwrap() > 0.0, "{cost:?}");
    }
}
