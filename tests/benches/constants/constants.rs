//! What pages are ranked by, and which values of it are tried.

use pagekin_core::fit;
use pagekin_index::measured::{ADDRESS, FIRST_PARAGRAPH, HEADINGS, K, LINKS, NAMES, TITLE};

/// How many fields pages stand out by, in the order of [`Constants::gains`].
pub(crate) const FIELDS: usize = 6;

/// The constants of a score: see [`pagekin_core::fit`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Constants {
    pub(crate) k1: f64,
    pub(crate) b: f64,
    /// The power of the inverse document frequency in what a term weighs.
    pub(crate) idf_power: f64,
    /// What a page has for having most of a text, and the power of the part that it has.
    pub(crate) most: f64,
    pub(crate) most_power: f64,
    /// How soon a field is saturated.
    pub(crate) field_k: f64,
    /// Of titles, headings, names, links, first paragraphs and addresses.
    pub(crate) gains: [f64; FIELDS],
}

impl Constants {
    /// Those that are compiled in.
    pub(crate) fn present() -> Self {
        let fields = [TITLE, HEADINGS, NAMES, LINKS, FIRST_PARAGRAPH, ADDRESS];
        let gains = fields.map(|field| field.gain);
        let (idf_power, most, most_power) = (0.75, 0.294, 3.0);
        let present = Self { k1: 3.0, b: 0.75, idf_power, most, most_power, field_k: K, gains };
        // As far as the core can be asked.
        for idf in [12, 80, 160] {
            let core = fit::weight(idf) as f64 / 1_024.0;
            assert!((present.weight(idf) / core - 1.0).abs() < 0.01, "the core has another power");
        }
        for (class, length) in [(0, 100), (3, 400), (7, 900)] {
            let tf = f64::from(pagekin_core::bag::FREQUENCIES[class]);
            let core = fit::saturation(class as u8, fit::length_class(length), 300);
            let here = present.saturation(tf, f64::from(length), 300.0);
            let off = here - f64::from(core) / f64::from(fit::ONE);
            assert!(off.abs() < 0.05, "the core has another k1 or b");
        }
        present
    }

    /// What a term weighs. Whatever the power, a term of one page in a hundred weighs the same, so
    /// that the power alone is varied.
    pub(crate) fn weight(&self, idf: u8) -> f64 {
        const USUAL: f64 = 80.0;
        libm::pow(USUAL, 0.75) * libm::pow(f64::from(idf) / USUAL, self.idf_power)
    }

    pub(crate) fn saturation(&self, tf: f64, length: f64, mean: f64) -> f64 {
        let norm = self.k1 * (1.0 - self.b + self.b * length / mean);
        tf * (self.k1 + 1.0) / (tf + norm)
    }

    /// The emphasis of a term that the fields count so often, as an index has it: in classes.
    pub(crate) fn emphasis(&self, counted: &[f32; FIELDS]) -> f64 {
        let one = |(gain, &z): (&f64, &f32)| gain * f64::from(z) / (f64::from(z) + self.field_k);
        let sum: f64 = self.gains.iter().zip(counted).map(one).sum();
        let class = fit::emphasis_class((sum * f64::from(fit::ONE)) as u32);
        f64::from(fit::EMPHASES[usize::from(class)]) / f64::from(fit::ONE)
    }
}

/// A constant that is varied.
pub(crate) struct Axis {
    pub(crate) name: &'static str,
    pub(crate) values: [f64; 5],
    pub(crate) of: fn(&mut Constants) -> &mut f64,
}

impl Axis {
    /// The constants with another value of this one.
    pub(crate) fn with(&self, constants: &Constants, value: f64) -> Constants {
        let mut changed = *constants;
        *(self.of)(&mut changed) = value;
        changed
    }

    pub(crate) fn value(&self, constants: &Constants) -> f64 {
        *(self.of)(&mut constants.clone())
    }

    /// What is tried: the values, and that of some constants among them.
    pub(crate) fn tried(&self, constants: &Constants) -> Vec<f64> {
        let mut tried = self.values.to_vec();
        tried.push(self.value(constants));
        tried.sort_by(f64::total_cmp);
        tried.dedup();
        tried
    }
}

/// All constants that are varied.
pub(crate) const AXES: [Axis; 12] = [
    Axis { name: "k1", values: [1.2, 2.0, 3.0, 4.0, 6.0], of: |it| &mut it.k1 },
    Axis { name: "b", values: [0.5, 0.65, 0.75, 0.85, 0.95], of: |it| &mut it.b },
    Axis { name: "power of idf", values: [0.5, 0.65, 0.75, 0.85, 1.0], of: |it| &mut it.idf_power },
    Axis { name: "having most", values: [0.1, 0.2, 0.294, 0.4, 0.6], of: |it| &mut it.most },
    Axis { name: "its power", values: [1.5, 2.0, 3.0, 4.0, 6.0], of: |it| &mut it.most_power },
    Axis { name: "k of fields", values: [1.5, 2.5, 4.0, 6.0, 9.0], of: |it| &mut it.field_k },
    Axis { name: "title", values: [1.0, 1.5, 2.0, 2.5, 3.5], of: |it| &mut it.gains[0] },
    Axis { name: "headings", values: [0.4, 0.8, 1.2, 1.6, 2.4], of: |it| &mut it.gains[1] },
    Axis { name: "names", values: [0.0, 0.5, 1.0, 1.5, 2.0], of: |it| &mut it.gains[2] },
    Axis { name: "links", values: [1.0, 1.5, 2.0, 2.5, 3.5], of: |it| &mut it.gains[3] },
    Axis { name: "first paragraph", values: [0.0, 0.25, 0.5, 0.8, 1.2], of: |it| &mut it.gains[4] },
    Axis { name: "address", values: [0.0, 0.25, 0.5, 0.8, 1.2], of: |it| &mut it.gains[5] },
];
