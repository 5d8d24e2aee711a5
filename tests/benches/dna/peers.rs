//! Other programs that cluster sequences, their arguments and their outputs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use pagekin_tests::measuring::Failure;
use rustc_hash::FxHashMap;
use wait4::Wait4;

use crate::{Arguments, Cost, checked};

/// The cluster of each read, by name.
type Clusters = BTreeMap<String, u32>;

/// A program.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    /// Returns the arguments for reads, a folder, an identity and a number of threads.
    arguments: fn(&Path, &Path, f64, usize) -> Vec<String>,
    /// Reads the clusters from the folder.
    read: fn(&Path) -> io::Result<Clusters>,
    /// Minimum identity that the program accepts.
    least: f64,
}

pub(crate) const ALL: [Peer; 3] = [
    Peer {
        name: "vsearch",
        program: "vsearch",
        arguments: |reads, folder, identity, threads| {
            let words = format!(
                "--cluster_fast {} --id {identity:.2} --threads {threads} --quiet --uc {}",
                reads.display(),
                folder.join("out.uc").display()
            );
            words.split(' ').map(str::to_owned).collect()
        },
        read: |folder| {
            // Hits and centroids: the kind, the cluster, and the name in the ninth column.
            let lines = fs::read_to_string(folder.join("out.uc"))?;
            let of_line = |line: &str| {
                let columns: Vec<&str> = line.split('\t').collect();
                let cluster = columns.get(1)?.parse().ok()?;
                "SH".contains(columns[0]).then(|| (checked(columns[8]), cluster))
            };
            Ok(lines.lines().filter_map(of_line).collect())
        },
        least: 0.5,
    },
    Peer {
        name: "CD-HIT-EST",
        program: "cd-hit-est",
        arguments: |reads, folder, identity, threads| {
            // Word lengths from its guide.
            let word = match identity {
                0.95.. => 10,
                0.9.. => 8,
                0.88.. => 7,
                0.85.. => 6,
                _ => 5,
            };
            let words = format!(
                "-i {} -o {} -c {identity:.2} -n {word} -T {threads} -M 0 -d 0 -r 0",
                reads.display(),
                folder.join("out").display()
            );
            words.split(' ').map(str::to_owned).collect()
        },
        read: |folder| {
            let (mut clusters, mut cluster) = (BTreeMap::new(), 0);
            for line in fs::read_to_string(folder.join("out.clstr"))?.lines() {
                if line.starts_with('>') {
                    cluster += 1;
                } else if let Some((_, rest)) = line.split_once('>')
                    && let Some((name, _)) = rest.split_once("...")
                {
                    clusters.insert(checked(name), cluster);
                }
            }
            Ok(clusters)
        },
        least: 0.8,
    },
    Peer {
        name: "MMseqs2 easy-linclust",
        program: "mmseqs",
        arguments: |reads, folder, identity, threads| {
            let words = format!(
                "easy-linclust {} {} {} --min-seq-id {identity:.2} --threads {threads} -v 1",
                reads.display(),
                folder.join("out").display(),
                folder.join("tmp").display()
            );
            words.split(' ').map(str::to_owned).collect()
        },
        read: |folder| {
            let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
            let mut clusters = BTreeMap::new();
            for line in fs::read_to_string(folder.join("out_cluster.tsv"))?.lines() {
                if let Some((center, name)) = line.split_once('\t') {
                    let next = numbers.len() as u32;
                    let cluster = *numbers.entry(center.to_owned()).or_insert(next);
                    clusters.insert(checked(name), cluster);
                }
            }
            Ok(clusters)
        },
        least: 0.0,
    },
];

impl Peer {
    /// Clusters reads, and measures the cost. Returns `None` if the program is not installed.
    pub(crate) fn cluster(
        &self,
        reads: &Path,
        folder: &Path,
        error_rate: f64,
        arguments: &Arguments,
    ) -> Result<Option<(Clusters, Cost)>, Failure> {
        let differing = 2.0 * error_rate;
        let deviation = (differing * (1.0 - error_rate) / 130.0).sqrt();
        let identity = (1.0 - differing - 2.0 * deviation).max(self.least);
        let mut command = Command::new(self.program);
        command.args((self.arguments)(reads, folder, identity, arguments.threads));
        let start = Instant::now();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = match child {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                eprintln!("{} is not installed", self.program);
                return Ok(None);
            }
            other => other?,
        };
        let used = child.wait4()?;
        let seconds = start.elapsed().as_secs_f64();
        if !used.status.success() {
            return Err(format!("{} failed: {}", self.program, used.status).into());
        }
        let work = (used.rusage.utime + used.rusage.stime).as_secs_f64();
        Ok(Some(((self.read)(folder)?, Cost { seconds, work, memory: None })))
    }
}
