//! Combines the values of filters: `all`, `any`, and `not`.
//!
//! A filter is a list of steps in postfix order, as for a pocket calculator with a stack, so that
//! one from a stranger cannot nest too deeply.

use crate::page_set::PageSet;

/// Which pages to find, by the values of their filters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// The pages that have a value.
    Has { name: String, value: String },
    /// The pages of all of this number of sets.
    All(usize),
    /// The pages of any of them.
    Any(usize),
    /// All other pages.
    Not,
}

impl Filter {
    /// Finds pages that have a value.
    ///
    /// ```
    /// use pagekin_core::Filter;
    ///
    /// let tea = Filter::has("kind", "tea");
    /// let cold = Filter::any([Filter::has("served", "cold"), Filter::has("served", "iced")]);
    /// let filter = Filter::all([tea, cold.negated()]);
    /// # let steps = ["=", "kind", "tea", "=", "served", "cold", "=", "served", "iced"];
    /// # let steps = steps.into_iter().chain(["any", "2", "not", "all", "2"]).map(str::to_owned);
    /// # assert_eq!(Filter::from_steps(steps.collect()), Some(filter));
    /// ```
    #[must_use]
    pub fn has(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { steps: vec![Step::Has { name: name.into(), value: value.into() }] }
    }

    /// Finds pages that all of these filters find: every page, if there are none.
    #[must_use]
    pub fn all(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::combined(filters, Step::All)
    }

    /// Finds pages that any of these filters finds.
    #[must_use]
    pub fn any(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::combined(filters, Step::Any)
    }

    /// Finds the other pages.
    #[must_use]
    pub fn negated(mut self) -> Self {
        self.steps.push(Step::Not);
        self
    }

    fn combined(filters: impl IntoIterator<Item = Self>, step: fn(usize) -> Step) -> Self {
        let (mut steps, mut n) = (Vec::new(), 0);
        for filter in filters {
            steps.extend(filter.steps);
            n += 1;
        }
        steps.push(step(n));
        Self { steps }
    }

    /// Reads a filter from steps in postfix order: `=`, a name, and a value; `all` or `any`, and
    /// the number of filters before it; `not`. Returns `None` if they are not a filter.
    #[must_use]
    pub fn from_steps(words: Vec<String>) -> Option<Self> {
        let (mut steps, mut depth) = (Vec::new(), 0usize);
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let step = match &*word {
                "=" => Step::Has { name: words.next()?, value: words.next()? },
                "all" => Step::All(words.next()?.parse().ok()?),
                "any" => Step::Any(words.next()?.parse().ok()?),
                "not" => Step::Not,
                _ => return None,
            };
            depth = depth.checked_sub(step.takes())?.checked_add(1)?;
            steps.push(step);
        }
        (depth == 1).then_some(Self { steps })
    }

    /// Returns the names and values that it refers to.
    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Has { name, value } => Some((&**name, &**value)),
            Step::All(_) | Step::Any(_) | Step::Not => None,
        })
    }

    /// Whether it needs the set of all pages.
    pub(super) fn needs_all(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Not | Step::All(0)))
    }

    /// Returns the pages that it finds among `all`, by those of each value.
    pub(super) fn pages(&self, all: &PageSet, of: impl Fn(&str, &str) -> PageSet) -> PageSet {
        let mut stack: Vec<PageSet> = Vec::new();
        for step in &self.steps {
            let taken = stack.split_off(stack.len().saturating_sub(step.takes()));
            let sets = taken.iter();
            stack.push(match step {
                Step::Has { name, value } => of(name, value),
                Step::All(_) => {
                    let both = |one: PageSet, set: &PageSet| one.and(set);
                    taken
                        .first()
                        .map_or_else(|| all.clone(), |first| sets.fold(first.clone(), both))
                }
                Step::Any(_) => sets.fold(PageSet::default(), |one, set| one.or(set)),
                Step::Not => sets.fold(all.clone(), |one, set| one.without(set)),
            });
        }
        stack.pop().unwrap_or_default()
    }
}

impl Step {
    /// The number of sets that it combines.
    fn takes(&self) -> usize {
        match *self {
            Self::Has { .. } => 0,
            Self::All(n) | Self::Any(n) => n,
            Self::Not => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A filter as a tree, and whether it finds a page.
    #[derive(Debug, Clone)]
    enum Tree {
        Has(u32),
        All(Vec<Tree>),
        Any(Vec<Tree>),
        Not(Box<Tree>),
    }

    impl Tree {
        fn finds(&self, page: u32) -> bool {
            match self {
                Self::Has(value) => page.is_multiple_of(value + 1),
                Self::All(trees) => trees.iter().all(|tree| tree.finds(page)),
                Self::Any(trees) => trees.iter().any(|tree| tree.finds(page)),
                Self::Not(tree) => !tree.finds(page),
            }
        }

        fn filter(&self) -> Filter {
            match self {
                Self::Has(value) => Filter::has("n", value.to_string()),
                Self::All(trees) => Filter::all(trees.iter().map(Self::filter)),
                Self::Any(trees) => Filter::any(trees.iter().map(Self::filter)),
                Self::Not(tree) => tree.filter().negated(),
            }
        }
    }

    fn tree() -> impl Strategy<Value = Tree> {
        (0u32..6).prop_map(Tree::Has).prop_recursive(4, 24, 4, |tree| {
            let trees = prop::collection::vec(tree.clone(), 0..4);
            prop_oneof![
                trees.clone().prop_map(Tree::All),
                trees.prop_map(Tree::Any),
                tree.prop_map(|tree| Tree::Not(Box::new(tree))),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_filter_finds_the_pages_of_its_tree(tree in tree(), missing in prop::collection::btree_set(0u32..40, 0..9)) {
            let all: BTreeSet<u32> = (0..40).filter(|page| !missing.contains(page)).collect();
            let set = |pages: Vec<u32>| PageSet::from_ascending(pages);
            let of = |_: &str, value: &str| {
                let value = Tree::Has(value.parse().unwrap());
                set(all.iter().copied().filter(|&page| value.finds(page)).collect())
            };
            let found = tree.filter().pages(&set(all.iter().copied().collect()), of);
            let expected: Vec<u32> = all.iter().copied().filter(|&page| tree.finds(page)).collect();
            prop_assert_eq!(found, set(expected));
        }

        #[test]
        fn any_steps_are_a_filter_or_refused(words in prop::collection::vec("=|a|all|any|not|[0-3]", 0..20)) {
            if let Some(filter) = Filter::from_steps(words) {
                let _ = filter.pages(&PageSet::below(9), |_, _| PageSet::below(3));
            }
        }
    }

    #[test]
    fn steps_that_lack_filters_are_refused() {
        for steps in [&["not"][..], &["="], &["=", "a"], &["all"], &["all", "1"], &["x"], &[]] {
            let steps = steps.iter().map(|&step| step.to_owned()).collect();
            assert_eq!(Filter::from_steps(steps), None);
        }
        let two = ["=", "a", "b", "=", "a", "c"].map(str::to_owned).to_vec();
        assert_eq!(Filter::from_steps(two), None);
    }
}
