//! The gate that fails the command if there are more new pairs than allowed.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

use pagekin_duplicates::{Baseline, Duplicates, KnownPairs, PagePair, PairKind};
use serde_json::{Value, json};

use crate::args::site::GateArgs;
use crate::failure::Failure;
use crate::output::{count, one_line};

pub(super) const KINDS: [PairKind; 4] = PairKind::ALL;

/// The rules of the gate, applied to the pairs of a report.
pub(super) struct Gate {
    kinds: Vec<PairKind>,
    /// The minimum resemblance of near-duplicates.
    min: f64,
    /// Maximum number of failing pairs; `None` if pairs never fail the command.
    over: Option<u64>,
    known: KnownPairs,
    has_baseline: bool,
    /// The number of failing pairs of each of [`KINDS`].
    failing: [u64; 4],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The pair is new and of a failing kind.
    Failing,
    /// The pair is in the baseline.
    Known,
    /// The pair is of a kind that does not fail.
    Allowed,
}

impl Gate {
    pub(super) fn new(
        args: &GateArgs,
        min: f64,
        baseline: Option<Baseline>,
        found: &Duplicates,
    ) -> Self {
        let kinds = match &args.fail_on {
            Some(kinds) => kinds.iter().map(|&kind| kind.into()).collect(),
            None => KINDS.to_vec(),
        };
        let is_gate = args.fail_on.is_some() || args.fail_over.is_some();
        let has_baseline = baseline.is_some();
        let known = baseline.unwrap_or_default().known(found);
        let mut gate = Self {
            kinds,
            min,
            over: is_gate.then(|| args.fail_over.unwrap_or(0)),
            known,
            has_baseline,
            failing: [0; 4],
        };
        gate.failing = KINDS.map(|kind| {
            let failing = gate
                .verdicts(found)
                .filter(|(pair, verdict)| pair.kind == kind && *verdict == Verdict::Failing);
            failing.count() as u64
        });
        gate
    }

    pub(super) fn has_baseline(&self) -> bool {
        self.has_baseline
    }

    /// Returns whether pairs may fail the command.
    pub(super) fn is_gate(&self) -> bool {
        self.over.is_some()
    }

    /// Returns for each pair whether it is in the baseline.
    pub(super) fn known(&self) -> &[bool] {
        &self.known.pairs
    }

    /// Returns each pair with its verdict.
    pub(super) fn verdicts<'a>(
        &'a self,
        found: &'a Duplicates,
    ) -> impl Iterator<Item = (&'a PagePair, Verdict)> {
        found.pairs.iter().zip(self.known()).map(|(pair, &known)| {
            let verdict = match (known, self.fails(pair)) {
                (true, _) => Verdict::Known,
                (false, true) => Verdict::Failing,
                (false, false) => Verdict::Allowed,
            };
            (pair, verdict)
        })
    }

    /// Returns whether a pair is of a failing kind. Pages that are the same but for numbers are
    /// also near-duplicates if they reach the minimum resemblance.
    fn fails(&self, pair: &PagePair) -> bool {
        let is_near = pair.kind == PairKind::SameButNumbers
            && self.kinds.contains(&PairKind::NearDuplicate)
            && pair.shared.resemblance() >= self.min;
        is_near || self.kinds.contains(&pair.kind)
    }

    /// Writes the pairs that are not in the baseline, for people.
    pub(super) fn new_pairs(
        &self,
        out: &mut String,
        found: &Duplicates,
        limit: usize,
    ) -> fmt::Result {
        let new: Vec<_> =
            self.verdicts(found).filter(|(_, verdict)| *verdict != Verdict::Known).collect();
        let known = (found.pairs.len() - new.len()) as u64;
        writeln!(
            out,
            "{} pairs are new, {} in the baseline",
            count(new.len() as u64),
            count(known)
        )?;
        for (pair, _) in new.iter().take(limit) {
            let [a, b] = [pair.a, pair.b].map(|page| &found.pages[page as usize].url);
            writeln!(out, "{:>15}  {b}  of {a}", relation(pair, found.estimated))?;
        }
        if let Some(rest @ 1..) = new.len().checked_sub(limit) {
            writeln!(out, "{:>15}  and {} more", "", count(rest as u64))?;
        }
        if self.known.gone > 0 {
            writeln!(
                out,
                "{} groups of the baseline no longer exist. To remove them, write it again with --write-baseline",
                count(self.known.gone)
            )?;
        }
        Ok(())
    }

    /// Formats the outcome for programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "fail_on": self.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "fail_over": self.over,
            "failing": self.failing.iter().sum::<u64>(),
            "failed": self.check().is_err(),
            "gone": self.known.gone,
        })
    }

    /// Fails if there are more failing pairs than allowed.
    pub(super) fn check(&self) -> Result<(), TooMany> {
        let Some(over) = self.over else { return Ok(()) };
        if self.failing.iter().sum::<u64>() <= over {
            return Ok(());
        }
        Err(TooMany { failing: self.failing, over, has_baseline: self.has_baseline })
    }
}

/// The error for more near-duplicates than allowed.
#[derive(Debug)]
pub(crate) struct TooMany {
    /// The number of failing pairs of each of [`KINDS`].
    failing: [u64; 4],
    over: u64,
    has_baseline: bool,
}

impl TooMany {
    pub(crate) const CODE: u8 = 3;
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            "copies",
            "pairs the same but for numbers",
            "near-duplicate pairs",
            "pairs with shared passages",
        ];
        let kinds = kinds.iter().zip(self.failing).filter(|(_, n)| *n > 0);
        let found: Vec<_> = kinds.map(|(kind, n)| format!("{} {kind}", count(n))).collect();
        let new = if self.has_baseline { " that are not in the baseline" } else { "" };
        write!(
            f,
            "too many near-duplicates: expected at most {}{new}, found {}. Merge or remove pages, or accept the pairs with \
             --write-baseline FILE and --baseline FILE",
            count(self.over),
            found.join(", ")
        )
    }
}

impl std::error::Error for TooMany {}

pub(super) fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        format!(
            "cannot read the baseline {}: {error}. Write one with --write-baseline",
            path.display()
        )
    })?;
    Baseline::decode(&text)
        .map_err(|error| format!("cannot read the baseline {}: {error}", path.display()).into())
}

/// Describes the relation of the second page of a pair to the first, for people.
pub(super) fn relation(pair: &PagePair, estimated: bool) -> String {
    let about = if estimated { "about " } else { "" };
    match pair.kind {
        PairKind::Copy => format!("{about}a copy"),
        PairKind::SameButNumbers => format!("{about}other numbers"),
        PairKind::NearDuplicate => format!("{about}{:.1}%", 100.0 * pair.shared.resemblance()),
        PairKind::Passages => {
            let part = pair.shared.a_in_b().max(pair.shared.b_in_a());
            format!("shares {:.1}%", 100.0 * part)
        }
    }
}

/// Describes the relation in a sentence about the second page; `a` names the first.
pub(super) fn sentence(pair: &PagePair, a: &str, estimated: bool) -> String {
    let a = one_line(a);
    let about = if estimated { "about " } else { "" };
    let percent = |part: f64| format!("{about}{:.1}%", 100.0 * part);
    match pair.kind {
        PairKind::Copy if estimated => format!("Probably has the same text as {a}"),
        PairKind::Copy => format!("Has the same text as {a}"),
        PairKind::SameButNumbers if estimated => {
            format!("Probably has the same words as {a}, with other numbers")
        }
        PairKind::SameButNumbers => format!(
            "Has the same words as {a}, with other numbers: resemblance {}",
            percent(pair.shared.resemblance())
        ),
        PairKind::NearDuplicate => {
            format!("Nearly copies {a}: resemblance {}", percent(pair.shared.resemblance()))
        }
        PairKind::Passages => format!(
            "Shares passages with {a}: that page contains {} of this text, and this page {} of that text",
            percent(pair.shared.b_in_a()),
            percent(pair.shared.a_in_b()),
        ),
    }
}
