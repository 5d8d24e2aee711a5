//! The working folder of a crawl, which stores the result of each stage so that an interrupted run
//! resumes after the last finished stage.
//!
//! While the output `OUT` is being built, the folder `OUT.unfinished` exists next to it. A stage
//! writes its files into its own subfolder and, at the end, atomically, its result as `STAGE.json`.
//! A stage with this file is finished. The file also contains the stage's *key*, everything that
//! its result depends on: inputs and options. A stage with another key runs again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pagekin_pages::output::temporary::{LOCK, remove_lock_last};
use pagekin_pages::{Observer, Stage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::costs::{Meter, StageCost};
use crate::cluster::error::{At, CrawlError};

/// Names of the stages whose results are stored. They are part of the format on disk, unlike the
/// names that users see, which may change between versions.
const STORED: [(Stage, &str); 12] = [
    (Stage::Reading, "fragments"),
    (Stage::Linking, "links"),
    (Stage::Bagging, "url-terms"),
    (Stage::Weighing, "bags"),
    (Stage::Sketching, "signatures"),
    (Stage::Classifying, "classes"),
    (Stage::Pairing, "candidates"),
    (Stage::Verifying, "pairs"),
    (Stage::Sorting, "lists"),
    (Stage::Centering, "clusters"),
    (Stage::Measuring, "recall"),
    (Stage::Inverting, "values"),
];

/// Suffix of the folder's name, after the name of the output.
const SUFFIX: &str = ".unfinished";

/// The working folder of a crawl.
#[derive(Debug)]
pub(crate) struct Workplace {
    folder: PathBuf,
    lock: File,
    /// Everything that the results so far depend on.
    key: String,
    /// Whether earlier runs finished all stages so far.
    is_old: bool,
    costs: Vec<StageCost>,
}

/// The stored result of a finished stage.
#[derive(Debug, Serialize, Deserialize)]
struct Finished<T> {
    key: String,
    cost: StageCost,
    result: T,
}

impl Workplace {
    /// Opens the working folder of an output. `inputs` identifies the inputs; `None` if they cannot
    /// be read again, so that results of an earlier run are useless.
    ///
    /// # Errors
    ///
    /// If the folder contains something else or another run is using it.
    pub(crate) fn open(output: &Path, inputs: Option<String>) -> Result<Self, CrawlError> {
        let output = std::path::absolute(output).at(output)?;
        let mut name = output.file_name().unwrap_or_default().to_owned();
        name.push(SUFFIX);
        let folder = output.with_file_name(name);
        let path = folder.join(LOCK);
        // A folder without a lock is not ours, unless a run was killed before it created the lock.
        let is_empty = || fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none());
        if folder.exists() && !path.is_file() && !is_empty() {
            return Err(CrawlError::WorkplaceTaken { path: folder });
        }
        fs::create_dir_all(&folder).at(&folder)?;
        // Windows cannot lock a file that is only open for appending.
        let lock = File::options().create(true).read(true).append(true).open(&path).at(&folder)?;
        if matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)) {
            return Err(CrawlError::Busy { path: folder });
        }
        let (is_old, key) = (inputs.is_some(), inputs.unwrap_or_default());
        Ok(Self { folder, lock, key, is_old, costs: Vec::new() })
    }

    /// Returns the folder of all stages.
    pub(crate) fn root(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of a stage's files.
    pub(crate) fn folder(&self, stage: Stage) -> PathBuf {
        folder(&self.folder, stage)
    }

    fn result_path(&self, stage: Stage) -> PathBuf {
        self.folder(stage).with_extension("json")
    }

    /// Returns the result of a stage: that of an earlier run, or that of `work`, which writes its
    /// files to the stage's folder. The result depends on `depends_on` and on the results of all
    /// earlier stages.
    ///
    /// # Errors
    ///
    /// The errors of `work`, or if the result cannot be stored.
    pub(crate) fn stage<T: Serialize + DeserializeOwned>(
        &mut self,
        stage: Stage,
        depends_on: &impl Serialize,
        observer: &dyn Observer,
        work: impl FnOnce(&Path) -> Result<T, CrawlError>,
    ) -> Result<T, CrawlError> {
        let folder = self.folder(stage);
        let path = self.result_path(stage);
        self.key += &serde_json::to_string(depends_on).map_err(io::Error::from).at(&path)?;
        if self.is_old
            && let Ok(json) = fs::read(&path)
            && let Ok(finished) = serde_json::from_slice::<Finished<T>>(&json)
            && finished.key == self.key
        {
            observer.resumed(stage);
            self.costs.push(finished.cost);
            return Ok(finished.result);
        }
        self.is_old = false;
        remove(&path)?;
        remove(&folder)?;
        fs::create_dir(&folder).at(&folder)?;
        let meter = Meter::start();
        let result = work(&folder)?;
        let cost = meter.stop(stage);
        let finished = Finished { key: self.key.clone(), cost, result };
        let json = serde_json::to_vec(&finished).map_err(io::Error::from).at(&path)?;
        let written = tempfile::NamedTempFile::new_in(&self.folder).and_then(|mut file| {
            file.write_all(&json)?;
            file.persist(&path).map_err(|error| error.error)
        });
        written.at(&path)?;
        self.costs.push(cost);
        Ok(finished.result)
    }

    /// Removes files that no later stage needs, if they still exist.
    pub(crate) fn remove(&self, stage: Stage, files: &str) -> Result<(), CrawlError> {
        let folder = self.folder(stage);
        let Ok(entries) = fs::read_dir(&folder) else { return Ok(()) };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(files) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Returns the cost of each stage, in order. The costs of resumed stages are those of the
    /// earlier run.
    pub(crate) fn costs(&self) -> &[StageCost] {
        &self.costs
    }

    /// Removes the folder when the crawl is done.
    pub(crate) fn clear(self) -> Result<(), CrawlError> {
        self.forget_results()?;
        let removed = remove_lock_last(&self.folder, Some(self.lock));
        removed.at(&self.folder)
    }

    /// Removes the results of stages before their files. Otherwise, if a run is killed here, the
    /// next run would resume a stage whose files are gone.
    fn forget_results(&self) -> Result<(), CrawlError> {
        for entry in fs::read_dir(&self.folder).at(&self.folder)? {
            let path = entry.at(&self.folder)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes everything if no stage is finished; returns the folder otherwise.
    pub(crate) fn leave(self) -> Option<PathBuf> {
        if self.costs.is_empty() {
            let _ = self.clear();
            return None;
        }
        Some(self.folder)
    }
}

/// Returns the folder of a stage's files in the `root` folder of all stages.
pub(crate) fn folder(root: &Path, stage: Stage) -> PathBuf {
    let stored = STORED.iter().find(|(stored, _)| *stored == stage);
    root.join(stored.expect("a stage that stores its result has a name").1)
}

/// Removes a file or folder, if it exists.
fn remove(path: &Path) -> Result<(), CrawlError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.at(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin_pages::{Interrupted, Silent};

    /// Runs two stages; returns the final result and the number of stages that ran.
    fn run(output: &Path, inputs: Option<&str>, option: u32, fails: bool) -> (Option<u32>, u32) {
        let mut worked = 0;
        let mut place = Workplace::open(output, inputs.map(str::to_owned)).unwrap();
        let first = place
            .stage(Stage::Reading, &"reads", &Silent, |folder| {
                worked += 1;
                fs::write(folder.join("x"), "1").unwrap();
                Ok(20)
            })
            .unwrap();
        let file = place.folder(Stage::Reading).join("x");
        let second = place.stage(Stage::Bagging, &option, &Silent, |_| {
            worked += 1;
            assert!(file.exists());
            if fails { Err(Interrupted.into()) } else { Ok(first + option) }
        });
        match second {
            Ok(second) => {
                assert_eq!(place.costs().len(), 2);
                place.leave().unwrap();
                (Some(second), worked)
            }
            Err(_) => {
                assert!(place.leave().is_some());
                (None, worked)
            }
        }
    }

    #[test]
    fn a_run_that_was_killed_while_removing_files_starts_over() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        assert_eq!(run(&out, Some("site"), 1, false), (Some(21), 2));
        assert_eq!(run(&out, Some("site"), 1, false), (Some(21), 0));
        let place = Workplace::open(&out, None).unwrap();
        place.forget_results().unwrap();
        // The run ends here, without the files of some stages.
        fs::remove_dir_all(place.folder(Stage::Reading)).unwrap();
        drop(place);
        assert_eq!(run(&out, Some("site"), 1, false), (Some(21), 2));
    }

    #[test]
    fn a_run_resumes_after_the_last_unchanged_stage() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        assert_eq!(run(&out, Some("a"), 1, true), (None, 2));
        assert_eq!(run(&out, Some("a"), 1, false), (Some(21), 1));
        assert_eq!(run(&out, Some("a"), 1, false), (Some(21), 0));
        assert_eq!(run(&out, Some("a"), 2, false), (Some(22), 1), "another option");
        assert_eq!(run(&out, Some("b"), 2, false), (Some(22), 2), "another input");
        assert_eq!(run(&out, None, 2, false), (Some(22), 2), "what cannot be read again");
        fs::write(folder.path().join("out.unfinished/fragments.json"), "{}").unwrap();
        assert_eq!(run(&out, Some("b"), 2, false), (Some(22), 2), "a damaged result");
        let place = Workplace::open(&out, None).unwrap();
        assert!(matches!(Workplace::open(&out, None), Err(CrawlError::Busy { .. })));
        place.clear().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_with_other_content_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("out.unfinished");
        fs::create_dir(&taken).unwrap();
        fs::write(taken.join("diary"), "mine").unwrap();
        let error = Workplace::open(&folder.path().join("out"), None).unwrap_err().to_string();
        assert!(error.contains("out.unfinished"), "{error}");
        assert!(taken.join("diary").exists());
    }

    #[test]
    fn a_run_without_finished_stages_leaves_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let place = Workplace::open(&folder.path().join("out"), None).unwrap();
        assert_eq!(place.leave(), None);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
