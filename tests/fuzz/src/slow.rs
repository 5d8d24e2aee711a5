//! Pages that cost a build more than ordinary pages of their size: [`Program`]s that generate them,
//! their costs, and a search for worse ones.

pub(crate) mod dictionary;
pub mod program;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fastrand::Rng;
use pagekin_core::hash;
use pagekin_index::{Assets, BuildOptions, build};
use pagekin_pages::{Silent, SiteOptions};
use tempfile::TempDir;

use crate::execution::memory_of;
use crate::fixtures;
use crate::slow::program::{Phase, Piece, Program};

/// Maximum cost of a page above an ordinary page of its size, in seconds.
pub const MAX_SECONDS: f64 = 2.0;
/// Maximum cost of a page above an ordinary page of its size, in bytes of memory.
pub const MAX_MEMORY: f64 = 64e6;
/// Size of the pages of a search.
const PAGE_BYTES: usize = 2 << 20;
/// Number of consecutive changes without a worse program after which a new program is started.
const MAX_MISSES: u32 = 60;
/// Maximum size of a page.
const MAX_BYTES: usize = SiteOptions::MAX_PAGE_BYTES as usize;
/// Number of programs that are reported.
const WORST: usize = 10;

/// The cost of a build of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Processor time in seconds.
    pub seconds: f64,
    /// Memory in bytes.
    pub memory: f64,
}

impl Cost {
    /// Returns the larger share of its limits that the cost takes.
    #[must_use]
    pub fn part(self) -> f64 {
        (self.seconds / MAX_SECONDS).max(self.memory / MAX_MEMORY)
    }
}

/// A program with its page that costs most above an ordinary one.
#[derive(Debug, Clone)]
pub struct Slow {
    /// The program.
    pub program: Program,
    /// The size of the page.
    pub bytes: usize,
    /// The cost above an ordinary page.
    pub above: Cost,
}

/// Measures builds of a site of three pages, one of which changes.
pub struct Meter {
    place: TempDir,
    /// The costs of ordinary pages by size.
    ordinary: BTreeMap<usize, Cost>,
}

fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

impl Meter {
    /// Creates a meter with a folder of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if its folder cannot be written.
    pub fn new() -> io::Result<Self> {
        let place = tempfile::tempdir()?;
        let site = place.path().join("site");
        fs::create_dir(&site)?;
        fs::write(site.join("one.html"), "<p>page one of bread and rye")?;
        fs::write(site.join("two.html"), "<p>page two of bread and rye")?;
        Ok(Self { place, ordinary: BTreeMap::new() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Returns the cost of a single-threaded build with this page.
    ///
    /// # Errors
    ///
    /// Returns an error if the page cannot be written.
    pub fn cost(&self, page: &[u8]) -> io::Result<Cost> {
        fs::write(self.path("site/page.html"), page)?;
        let options = BuildOptions::new(self.path("site"), self.path("index"))
            .with(|options| options.threads = Some(1));
        let start = cpu_seconds();
        let memory = memory_of(|| {
            // The build may fail: a page that marks its body excludes the others, and may itself
            // have no words.
            let _ = build(&options, &Assets::default(), &Silent);
        });
        Ok(Cost { seconds: cpu_seconds() - start, memory: memory as f64 })
    }

    /// Returns the cost of a program's page above an ordinary one of its size.
    ///
    /// # Errors
    ///
    /// Returns an error if a page cannot be written.
    pub fn above(&mut self, program: &Program, bytes: usize) -> io::Result<Cost> {
        let ordinary = match self.ordinary.get(&bytes) {
            Some(cost) => *cost,
            None => {
                let page = Program::ordinary().page(bytes);
                let (one, two) = (self.cost(&page)?, self.cost(&page)?);
                let cost = Cost { seconds: one.seconds.min(two.seconds), memory: one.memory };
                self.ordinary.insert(bytes, cost);
                cost
            }
        };
        let cost = self.cost(&program.page(bytes))?;
        Ok(Cost { seconds: cost.seconds - ordinary.seconds, memory: cost.memory - ordinary.memory })
    }

    /// Returns the page of a program that costs most above an ordinary one, among sizes that double
    /// from `bytes`.
    ///
    /// # Errors
    ///
    /// Returns an error if a page cannot be written.
    pub fn grow(&mut self, program: &Program, mut bytes: usize) -> io::Result<Slow> {
        let above = self.above(program, bytes)?;
        let mut worst = Slow { program: program.clone(), bytes, above };
        let mut last = above.part();
        // A page far above the limit is not grown further, because it might take forever.
        while bytes < MAX_BYTES && last < 4.0 {
            bytes = (2 * bytes).min(MAX_BYTES);
            let above = self.above(program, bytes)?;
            last = above.part();
            if last > worst.above.part() {
                worst = Slow { program: program.clone(), bytes, above };
            }
        }
        Ok(worst)
    }
}

/// Returns the stored programs with their names, in order.
///
/// # Errors
///
/// Returns an error if a program cannot be read.
pub fn kept() -> io::Result<Vec<(String, Program)>> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(fixtures::folder("slow"))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        kept.push((name, serde_json::from_slice(&fs::read(&path)?)?));
    }
    kept.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(kept)
}

/// Stores a program and returns its name: a hash of it.
///
/// # Errors
///
/// Returns an error if the program cannot be written.
pub fn keep(program: &Program) -> io::Result<String> {
    let json = serde_json::to_vec(program)?;
    let name = format!("{:016x}", hash::of_bytes(&json));
    fs::write(fixtures::folder("slow").join(format!("{name}.json")), json)?;
    Ok(name)
}

/// Searches for costly pages until the time is up. `report` is called with each program that could
/// not be made worse, and with the `seeds`, which are measured too.
///
/// # Errors
///
/// Returns an error if a page cannot be written.
pub fn search(
    seeds: Vec<Program>,
    time: Duration,
    seed: u64,
    mut report: impl FnMut(&Slow),
) -> io::Result<Vec<Slow>> {
    let (start, mut rng, mut meter) = (Instant::now(), Rng::with_seed(seed), Meter::new()?);
    let mut found: Vec<Slow> = Vec::new();
    for program in seeds {
        let above = meter.above(&program, PAGE_BYTES)?;
        found.push(Slow { program, bytes: PAGE_BYTES, above });
        report(&found[found.len() - 1]);
    }
    while start.elapsed() < time {
        let slow = climb(&found, &mut meter, &mut rng, start + time)?;
        report(&slow);
        found.push(slow);
    }
    found.sort_by(|a, b| b.above.part().total_cmp(&a.above.part()));
    let mut worst: Vec<Slow> = Vec::new();
    for slow in found {
        if worst.iter().all(|other| !is_like(&slow.program, &other.program)) {
            worst.push(meter.grow(&slow.program, slow.bytes)?);
            report(&worst[worst.len() - 1]);
        }
        if worst.len() == WORST {
            break;
        }
    }
    worst.sort_by(|a, b| b.above.part().total_cmp(&a.above.part()));
    Ok(worst)
}

/// Changes a program at random as long as that makes it worse.
fn climb(others: &[Slow], meter: &mut Meter, rng: &mut Rng, end: Instant) -> io::Result<Slow> {
    let program = Program::random(rng);
    let above = meter.above(&program, PAGE_BYTES)?;
    let mut best = Slow { program, bytes: PAGE_BYTES, above };
    let mut misses = 0;
    while misses < MAX_MISSES && best.above.part() < 1.0 && Instant::now() < end {
        let mut program = best.program.clone();
        // Mostly new pieces, because repetitions of others would only be found again.
        let other = match others.len() {
            n if n > 0 && rng.u8(0..8) == 0 => others[rng.usize(0..n)].program.clone(),
            _ => Program::random(rng),
        };
        program.mutate(&other, rng);
        let above = meter.above(&program, PAGE_BYTES)?;
        misses += 1;
        if above.part() > 1.03 * best.above.part() {
            // The machine may have been busy.
            let again = meter.above(&program, PAGE_BYTES)?;
            let above = if again.part() < above.part() { again } else { above };
            if above.part() > 1.03 * best.above.part() {
                best = Slow { program, bytes: PAGE_BYTES, above };
                misses = 0;
            }
        }
    }
    Ok(best)
}

/// Whether two programs repeat nearly the same pieces.
fn is_like(one: &Program, other: &Program) -> bool {
    let main = |program: &Program| -> Vec<Piece> {
        let phase = program.phases.iter().max_by_key(|phase| phase.share);
        phase.map_or(Vec::new(), |Phase { unit, .. }| unit.clone())
    };
    let (one, other) = (main(one), main(other));
    let shared = one.iter().filter(|piece| other.contains(piece)).count();
    2 * shared >= one.len().min(other.len())
}
