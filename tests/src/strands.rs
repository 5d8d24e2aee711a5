//! Reads of DNA whose strands are known: made up, as a store of data in DNA would be read.
//!
//! Strands are random. Of each there are copies, by a negative binomial distribution: some strands
//! are copied much better than others, and some not at all. Each letter of a copy is right, or,
//! with the error rate, another letter, missing, or preceded by a random one, each of these in a
//! third of the errors (as in Rashtchian et al. 2017). Reads come in random order.

use std::io::{self, Write};

use pagekin_core::hash::SplitMix64;

/// How reads are made up.
#[derive(Debug, Clone, Copy)]
pub struct Strands {
    /// How many strands.
    pub strands: u32,
    /// The mean number of copies.
    pub coverage: f64,
    /// The part of the letters that are wrong.
    pub error_rate: f64,
    /// The part of the strands that are another with [`NEAR_DIFFERENCE`] of its letters changed.
    pub near: f64,
    /// A primer at both ends of all strands.
    pub primers: bool,
    /// Whether half of the reads are of the other strand.
    pub both_strands: bool,
    /// What all is drawn by.
    pub seed: u64,
}

/// The shape of the gamma distribution that the copies of strands follow: the least skewed is
/// infinite, and means Poisson's.
const SHAPE: u32 = 5;
/// The letters of a strand.
const LENGTH: [u32; 2] = [110, 150];
/// The part of the letters in which near strands differ.
pub const NEAR_DIFFERENCE: f64 = 0.2;
/// The letters of a primer.
const PRIMER: usize = 20;

/// A read: its strand and its letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The number of its strand.
    pub strand: u32,
    /// The letters.
    pub letters: String,
}

impl Strands {
    /// A number of random strands.
    #[must_use]
    pub fn new(strands: u32, coverage: f64, error_rate: f64) -> Self {
        let (near, primers, both_strands, seed) = (0.0, false, false, 1);
        Self { strands, coverage, error_rate, near, primers, both_strands, seed }
    }

    /// All reads.
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

/// Writes reads as FASTA: `>s7r12` is the read 12 of all, of strand 7.
///
/// # Errors
///
/// If they cannot be written.
pub fn write_fasta(reads: &[Read], mut into: impl Write) -> io::Result<()> {
    for (number, Read { strand, letters }) in reads.iter().enumerate() {
        writeln!(into, ">s{strand}r{number}\n{letters}")?;
    }
    into.flush()
}

/// The strand of a read by its name.
///
/// # Panics
///
/// If it is no name that [`write_fasta`] wrote.
#[must_use]
pub fn strand_of(name: &str) -> u32 {
    let strand = name.strip_prefix('s').and_then(|rest| rest.split_once('r'));
    strand.and_then(|(strand, _)| strand.parse().ok()).expect("the name of a made-up read")
}

/// How well clusters agree with strands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grade {
    /// Reads.
    pub reads: u64,
    /// Clusters, those of one read too.
    pub clusters: u64,
    /// The part of the reads in their own strand's cluster: that which has most reads of the
    /// strand, and more of it than of any other.
    pub own: f64,
    /// The part of the strands with reads of which a cluster has at least nine tenths of the reads,
    /// and no others: the accuracy of Rashtchian et al. (2017) at gamma = 0.9.
    pub accuracy: f64,
    /// The same with all reads: gamma = 1.
    pub exact: f64,
}

impl Grade {
    /// Of reads, each with its strand and its cluster.
    #[must_use]
    pub fn new(reads: &[(u32, u32)]) -> Self {
        // By strand and cluster, how many reads.
        let mut both: Vec<(u32, u32)> = reads.to_vec();
        both.sort_unstable();
        let parts: Vec<(u32, u32, u64)> = both
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0].0, run[0].1, run.len() as u64))
            .collect();
        let mut by_cluster: Vec<(u32, u64, u32)> =
            parts.iter().map(|&(strand, cluster, n)| (cluster, n, strand)).collect();
        by_cluster.sort_unstable();
        // Of each cluster its reads, and its strand if that has more than any other.
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

/// Another letter than this one.
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

/// The other strand.
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
    fn reads_are_as_many_and_as_wrong_as_asked_for() {
        let reads = Strands::new(2_000, 8.0, 0.06).reads();
        let mean = reads.len() as f64 / 2_000.0;
        assert!((7.5..8.5).contains(&mean), "{mean}");
        // Insertions and deletions are as many: the mean length stays.
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
        // Strand 1 is whole; 2 is in two parts; 3 is with the smaller one.
        let found = [(1, 7), (1, 7), (2, 8), (2, 8), (2, 9), (3, 9)];
        let grade = Grade::new(&found);
        assert_eq!((grade.reads, grade.clusters), (6, 3));
        // 3 and one read of 2 are as many in cluster 9.
        assert_eq!(grade.own, 4.0 / 6.0);
        assert_eq!((grade.accuracy, grade.exact), (1.0 / 3.0, 1.0 / 3.0));
        let nine = Grade::new(&[[(1, 1); 9].as_slice(), &[(1, 2)]].concat());
        assert_eq!((nine.own, nine.accuracy, nine.exact), (0.9, 1.0, 0.0));
    }
}
