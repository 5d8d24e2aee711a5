//! A JUnit report, for CI systems that show test results: a suite for each kind and a test for each
//! pair. A test fails unless its pair is known or of an allowed kind.

use pagekin_duplicates::{Duplicates, PairKind};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::gate::{Gate, KINDS, Verdict, sentence};
use crate::failure::Failure;
use crate::output::one_line;

pub(super) fn report(found: &Duplicates, gate: &Gate) -> Result<String, Failure> {
    let mut report = Report::new("pagekin duplicates");
    for kind in KINDS {
        let mut suite = TestSuite::new(title(kind));
        for (pair, verdict) in gate.verdicts(found).filter(|(pair, _)| pair.kind == kind) {
            let [a, b] = [pair.a, pair.b].map(|page| &found.pages[page as usize]);
            let sentence = sentence(pair, &a.url, found.estimated);
            let mut status = match verdict {
                Verdict::Failing => TestCaseStatus::non_success(NonSuccessKind::Failure),
                Verdict::Known | Verdict::Allowed => TestCaseStatus::skipped(),
            };
            match verdict {
                Verdict::Failing => status.set_message(sentence.as_str()),
                Verdict::Known => status.set_message(format!("In the baseline. {sentence}")),
                Verdict::Allowed => status.set_message(format!("Not in --fail-on. {sentence}")),
            };
            status.set_type(kind.name());
            let mut test = TestCase::new(&*one_line(&format!("{} and {}", b.url, a.url)), status);
            test.set_classname(format!("pagekin.{}", kind.name()));
            let file = b.file.to_string_lossy();
            if !file.is_empty() {
                test.extra.insert("file".into(), one_line(&file).into_owned().into());
            }
            suite.add_test_case(test);
        }
        if suite.test_cases.is_empty() {
            // Some readers treat a report without tests as a failure.
            let mut test = TestCase::new("none", TestCaseStatus::success());
            test.set_classname(format!("pagekin.{}", kind.name()));
            suite.add_test_case(test);
        }
        report.add_test_suite(suite);
    }
    Ok(report.to_string()?)
}

/// Returns the name of a suite.
fn title(kind: PairKind) -> &'static str {
    match kind {
        PairKind::Copy => "copies",
        PairKind::SameButNumbers => "same but for numbers",
        PairKind::NearDuplicate => "near-duplicates",
        PairKind::Passages => "shared passages",
    }
}
