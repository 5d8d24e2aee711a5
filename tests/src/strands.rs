//! Generated DNA reads whose strands are known, as from a DNA data store.
//!
//! Strands are random. The number of copies of each has a negative binomial distribution: some
//! strands are copied much more often than others, and some not at all. With the error rate, a
//! letter of a copy is wrong: it is another letter, missing, or preceded by a random one, each in a
//! third of the errors (as in Rashtchian et al. 2017). Reads are in random order.

use std::io::{self, Write};

use pagekin_core::hash::SplitMix64;

/// The parameters of generated reads.
#[derive(Debug, Clone, Copy)]
pub struct Strands {
    /// The number of strands.
    pub strands: u32,
    /// The mean number of copies of a strand.
    pub coverage: f64,
    /// The share of wrong letters.
    pub error_rate: f64,
    /// The share of strands that are another one with [`NEAR_DIFFERENCE`] of its letters changed.
    pub near: f64,
    /// Whether all strands have a primer at both ends.
    pub primers: bool,
    /// Whether half of the reads are of the complementary strand.
    pub both_strands: bool,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// The shape of the gamma distribution of the number of copies. Higher values are less skewed, with
/// a Poisson distribution as the limit.
const SHAPE: u32 = 5;
/// The lengths of strands.
const LENGTH: [u32; 2] = [110, 150];
/// The share of letters in which near strands differ.
pub const NEAR_DIFFERENCE: f64 = 0.2;
/// The length of a primer.
const PRIMER: usize = 20;

/// A read with its strand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The number of its strand.
    pub strand: u32,
    /// The letters.
    pub letters: String,
}

impl Strands {
    /// Generates the strands.
    #[must_use]
    pub fn new(strands: u32, coverage: f64, error_rate: f64) -> Self {
        let (near, primers, both_strands, seed) = (0.0, false, false, 1);
        Self { strands, coverage, error_rate, near, primers, both_strands, seed }
    }

    /// Returns all reads.
    #[must_use]
    pub fn reads(&self) -> Vec<Read> {
        let mut stream = SplitMix64::new(self.seed);
        let primers: [Vec<u8>; 2] = std::array::from_fn(|_| random(PRIMER as u32, &mut stream));
        let mut reads = Vec::new();
        let mut before: Vec<u8> = Vec::new();
        for strand in 0..self.strands {
            let is_near = !before.is_empty() && unit(&mut stream) < self.near;
            let payload = if is_near {
                changed(&before, &mut stream)
            } else {
                random(LENGTH[0] + stream.below(LENGTH[1] - LENGTH[0] + 1), &mut stream)
            };
            let whole = if self.primers {
                [&primers[0], &payload, &primers[1]].map(Vec::as_slice).concat()
            } else {
                payload.clone()
            };
            before = payload;
            for _ in 0..self.copies(&mut stream) {
                let mut copy = self.copy(&whole, &mut stream);
                if self.both_strands && stream.below(2) == 1 {
                    copy = reverse_complement(&copy);
                }
                let letters = copy.into_iter().map(char::from).collect();
                reads.push(Read { strand, letters });
            }
        }
        stream.shuffle(&mut reads);
        reads
    }

    fn copies(&self, stream: &mut SplitMix64) -> u32 {
        let exponential = |stream: &mut SplitMix64| -libm::log(1.0 - unit(stream));
        let gamma: f64 = (0..SHAPE).map(|_| exponential(stream)).sum();
        let mean = self.coverage * gamma / f64::from(SHAPE);
        // Poisson: the number of exponential times that fit into the mean.
        let (mut time, mut copies) = (exponential(stream), 0);
        while time < mean {
            time += exponential(stream);
            copies += 1;
        }
        copies
    }

    fn copy(&self, strand: &[u8], stream: &mut SplitMix64) -> Vec<u8> {
        let mut copy = Vec::with_capacity(strand.len() + 8);
        for &letter in strand {
            if unit(stream) >= self.error_rate {
                copy.push(letter);
                continue;
            }
            match stream.below(3) {
                0 => copy.push(another(letter, stream)),
                1 => copy.extend([base(stream), letter]),
                _ => {}
            }
        }
        copy
    }
}

/// Writes reads as FASTA: `>s7r12` is read 12 overall, of strand 7.
///
/// # Errors
///
/// Returns an error if they cannot be written.
pub fn write_fasta(reads: &[Read], mut into: impl Write) -> io::Result<()> {
    for (number, Read { strand, letters }) in reads.iter().enumerate() {
        writeln!(into, ">s{strand}r{number}\n{letters}")?;
    }
    into.flush()
}

/// Returns the strand of a read by its name.
///
/// # Panics
///
/// Panics if [`write_fasta`] does not write such a name.
#[must_use]
pub fn strand_of(name: &str) -> u32 {
    let strand = name.strip_prefix('s').and_then(|rest| rest.split_once('r'));
    strand.and_then(|(strand, _)| strand.parse().ok()).expect("the name of a made-up read")
}

/// The agreement of clusters with strands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grade {
    /// The number of reads.
    pub reads: u64,
    /// The number of clusters, including those of one read.
    pub clusters: u64,
    /// The share of the reads in their own strand's cluster: the one with most reads of the strand,
    /// and with more of this strand than of any other.
    pub own: f64,
    /// The share of the strands with reads for which a cluster contains at least nine tenths of the
    /// reads and no others: the accuracy of Rashtchian et al. (2017) at gamma = 0.9.
    pub accuracy: f64,
    /// The same with all reads: gamma = 1.
    pub exact: f64,
}

impl Grade {
    /// Grades reads, each given with its strand and its cluster.
    #[must_use]
    pub fn new(reads: &[(u32, u32)]) -> Self {
        // The number of reads by strand and cluster.
        let mut both: Vec<(u32, u32)> = reads.to_vec();
        both.sort_unstable();
        let parts: Vec<(u32, u32, u64)> = both
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0].0, run[0].1, run.len() as u64))
            .collect();
        let mut by_cluster: Vec<(u32, u64, u32)> =
            parts.iter().map(|&(strand, cluster, n)| (cluster, n, strand)).collect();
        by_cluster.sort_unstable();
        // The reads of each cluster, and its strand if that has more of them than any other.
        let clusters: Vec<(u32, u64, Option<u32>)> = by_cluster
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| {
                let last = run[run.len() - 1];
                let is_alone = run.len() < 2 || run[run.len() - 2].1 < last.1;
                (last.0, run.iter().map(|part| part.1).sum(), is_alone.then_some(last.2))
            })
            .collect();
        let of_cluster = |cluster: u32| {
            let at = clusters.partition_point(|&(other, ..)| other < cluster);
            (clusters[at].1, clusters[at].2)
        };
        let (mut own, mut accurate, mut exact, mut strands) = (0, 0u64, 0u64, 0u64);
        for run in parts.chunk_by(|a, b| a.0 == b.0) {
            strands += 1;
            let all: u64 = run.iter().map(|part| part.2).sum();
            let &(strand, cluster, n) =
                run.iter().max_by_key(|part| part.2).expect("runs are not empty");
            let (size, majority) = of_cluster(cluster);
            if majority == Some(strand) {
                own += n;
            }
            if size == n {
                accurate += u64::from(10 * n >= 9 * all);
                exact += u64::from(n == all);
            }
        }
        let part = |of: u64, all: u64| of as f64 / all.max(1) as f64;
        Self {
            reads: reads.len() as u64,
            clusters: clusters.len() as u64,
            own: part(own, reads.len() as u64),
            accuracy: part(accurate, strands),
            exact: part(exact, strands),
        }
    }
}

fn unit(stream: &mut SplitMix64) -> f64 {
    (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn base(stream: &mut SplitMix64) -> u8 {
    b"ACGT"[stream.below(4) as usize]
}

fn random(length: u32, stream: &mut SplitMix64) -> Vec<u8> {
    (0..length).map(|_| base(stream)).collect()
}

/// Draws a letter that differs from this one.
fn another(letter: u8, stream: &mut SplitMix64) -> u8 {
    loop {
        let other = base(stream);
        if other != letter {
            return other;
        }
    }
}

fn changed(strand: &[u8], stream: &mut SplitMix64) -> Vec<u8> {
    let change = |&letter: &u8| {
        if unit(stream) < NEAR_DIFFERENCE { another(letter, stream) } else { letter }
    };
    strand.iter().map(change).collect()
}

/// Returns the complementary strand.
#[must_use]
pub fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let complement = |letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    };
    letters.iter().rev().map(complement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_have_the_given_coverage_and_error_rate() {
        let reads = Strands::new(2_000, 8.0, 0.06).reads();
        let mean = reads.len() as f64 / 2_000.0;
        assert!((7.5..8.5).contains(&mean), "{mean}");
        // Insertions and deletions are equally frequent, so the mean length is unchanged.
        let letters: usize = reads.iter().map(|read| read.letters.len()).sum();
        let length = letters as f64 / reads.len() as f64;
        assert!((128.0..132.0).contains(&length), "{length}");
        assert_eq!(reads, Strands::new(2_000, 8.0, 0.06).reads());
        let copies = Strands::new(50, 8.0, 0.0).reads();
        for read in &copies {
            let of_strand = copies.iter().filter(|other| other.strand == read.strand);
            assert!(of_strand.into_iter().all(|other| other.letters == read.letters));
        }
    }

    #[test]
    fn grades_by_hand() {
        // Strand 1 is complete; 2 is in two parts; 3 is with the smaller one.
        let found = [(1, 7), (1, 7), (2, 8), (2, 8), (2, 9), (3, 9)];
        let grade = Grade::new(&found);
        assert_eq!((grade.reads, grade.clusters), (6, 3));
        // Cluster 9 contains as many reads of 3 as of 2.
        assert_eq!(grade.own, 4.0 / 6.0);
        assert_eq!((grade.accuracy, grade.exact), (1.0 / 3.0, 1.0 / 3.0));
        let nine = Grade::new(&[[(1, 1); 9].as_slice(), &[(1, 2)]].concat());
        assert_eq!((nine.own, nine.accuracy, nine.exact), (0.9, 1.0, 0.0));
    }
}
