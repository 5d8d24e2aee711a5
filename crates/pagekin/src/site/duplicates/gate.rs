//! Which pairs are known, and whether there are more others than are allowed.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

use pagekin_duplicates::{Baseline, Duplicates, KnownPairs, PagePair, PairKind};
use serde_json::{Value, json};

use crate::args::site::GateArgs;
use crate::failure::Failure;
use crate::output::{count, one_line};

/// All kinds of pairs.
pub(super) const KINDS: [PairKind; 4] = PairKind::ALL;

/// The pairs of a report, judged.
pub(super) struct Gate {
    kinds: Vec<PairKind>,
    /// The minimum resemblance of near-duplicates.
    min: f64,
    /// How many failing pairs are allowed; `None` if the command does not fail by them.
    over: Option<u64>,
    known: KnownPairs,
    has_baseline: bool,
    /// How many pairs fail, of each of [`KINDS`].
    failing: [u64; 4],
}

/// What is to be said of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is of a kind that fails, and new.
    Failing,
    /// It is in the baseline.
    Known,
    /// It is of a kind that does not fail.
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

    /// Whether pairs may fail the command.
    pub(super) fn is_gate(&self) -> bool {
        self.over.is_some()
    }

    /// Whether each pair is in the baseline.
    pub(super) fn known(&self) -> &[bool] {
        &self.known.pairs
    }

    /// What is to be said of each pair.
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

    /// Whether a pair is of a kind that fails. Pages that are the same but for numbers are
    /// near-duplicates too, if they have their resemblance.
    fn fails(&self, pair: &PagePair) -> bool {
        let is_near = pair.kind == PairKind::SameButNumbers
            && self.kinds.contains(&PairKind::NearDuplicate)
            && pair.shared.resemblance() >= self.min;
        is_near || self.kinds.contains(&pair.kind)
    }

    /// The pairs that are not in the baseline, for people.
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
            writeln!(out, "{:>15}  {b}  of {a}", says(pair, found.estimated))?;
        }
        if let Some(rest @ 1..) = new.len().checked_sub(limit) {
            writeln!(out, "{:>15}  and {} more", "", count(rest as u64))?;
        }
        if self.known.gone > 0 {
            writeln!(
                out,
                "{} groups of the baseline were not found any more: --write-baseline leaves them out",
                count(self.known.gone)
            )?;
        }
        Ok(())
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "fail_on": self.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
            "fail_over": self.over,
            "failing": self.failing.iter().sum::<u64>(),
            "failed": self.check().is_err(),
            "gone": self.known.gone,
        })
    }

    /// Whether there are no more failing pairs than are allowed.
    pub(super) fn check(&self) -> Result<(), TooMany> {
        let Some(over) = self.over else { return Ok(()) };
        if self.failing.iter().sum::<u64>() <= over {
            return Ok(());
        }
        Err(TooMany { failing: self.failing, over, has_baseline: self.has_baseline })
    }
}

/// There are more near-duplicates than are allowed.
#[derive(Debug)]
pub(crate) struct TooMany {
    /// Of each of [`KINDS`].
    failing: [u64; 4],
    over: u64,
    has_baseline: bool,
}

impl TooMany {
    /// The exit code.
    pub(crate) const CODE: u8 = 3;
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            "copies",
            "pairs that are the same but for numbers",
            "near-duplicate pairs",
            "pairs that share passages",
        ];
        let kinds = kinds.iter().zip(self.failing).filter(|(_, n)| *n > 0);
        let found: Vec<_> = kinds.map(|(kind, n)| format!("{} {kind}", count(n))).collect();
        let new = if self.has_baseline { " that are not in the baseline" } else { "" };
        write!(
            f,
            "too many near-duplicates: expected at most {}{new}, found {}. Merge or remove pages, or accept the pairs by \
             --write-baseline FILE and --baseline FILE",
            count(self.over),
            found.join(", ")
        )
    }
}

impl std::error::Error for TooMany {}

/// Reads the baseline at a path.
pub(super) fn read_baseline(path: &Path) -> Result<Baseline, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        format!("cannot read the baseline {}: {error}. --write-baseline writes one", path.display())
    })?;
    Baseline::decode(&text)
        .map_err(|error| format!("cannot read the baseline {}: {error}", path.display()).into())
}

/// What the second page of a pair is to the first, for people.
pub(super) fn says(pair: &PagePair, estimated: bool) -> String {
    let about = if estimated { "about " } else { "" };
    match pair.kind {
        PairKind::Copy => format!("{about}a copy"),
        PairKind::SameButNumbers => format!("{about}other numbers"),
        PairKind::NearDuplicate => format!("{about}{:.1} %", 100.0 * pair.shared.resemblance()),
        PairKind::Passages => {
            let part = pair.shared.a_in_b().max(pair.shared.b_in_a());
            format!("shares {:.1} %", 100.0 * part)
        }
    }
}

/// The same as a sentence about the second page, which names the first as `a`.
pub(super) fn sentence(pair: &PagePair, a: &str, estimated: bool) -> String {
    let a = one_line(a);
    let about = if estimated { "about " } else { "" };
    let percent = |part: f64| format!("{about}{:.1} %", 100.0 * part);
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
            "Shares passages with {a}: {} of its text is on that page, {} of that page's text is on this one",
            percent(pair.shared.b_in_a()),
            percent(pair.shared.a_in_b()),
        ),
    }
}
