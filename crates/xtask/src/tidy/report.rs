//! What a rule found, and how it is told.

/// What one rule has to say.
pub(super) struct Report {
    /// What is expected.
    pub(super) rule: String,
    /// How to mend what was found.
    pub(super) mend: &'static str,
    /// What was found, and where.
    pub(super) findings: Vec<String>,
    /// What is worth knowing, but does not fail.
    pub(super) notes: Vec<String>,
}

impl Report {
    pub(super) fn new(rule: impl Into<String>, mend: &'static str, findings: Vec<String>) -> Self {
        Self { rule: rule.into(), mend, findings, notes: Vec::new() }
    }

    pub(super) fn print(&self) {
        match self.findings.len() {
            0 => println!("ok: {}", self.rule),
            found => {
                println!("\nexpected: {}\nfound: {found}", self.rule);
                for finding in &self.findings {
                    println!("  {finding}");
                }
                println!("to mend: {}\n", self.mend);
            }
        }
        for note in &self.notes {
            println!("  {note}");
        }
    }
}
