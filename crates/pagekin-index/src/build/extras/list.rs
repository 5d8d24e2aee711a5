//! The list of extras, in the order in which they nest.

use crate::build::error::BuildError;
use crate::build::extras::browse::TreePage;
use crate::build::extras::bundle::OfflineBundle;
use crate::build::extras::extra::Extra;
use crate::build::extras::mirrored::MirroredIndex;
use crate::build::extras::offline::OfflineOutput;
use crate::build::extras::related_json::RelatedJson;
use crate::build::options::{Assets, BuildOptions};

/// Returns the requested extras. Each encloses those after it: the offline list is written after
/// the index is spread over mirrors, which happens after the bundle has copied it.
pub(crate) fn requested<'a>(
    options: &'a BuildOptions,
    assets: &Assets<'a>,
) -> Vec<Box<dyn Extra<'a> + 'a>> {
    let mut extras: Vec<Box<dyn Extra<'a> + 'a>> = Vec::new();
    if options.related_json {
        extras.push(Box::new(RelatedJson));
    }
    if options.offline {
        extras.push(Box::new(OfflineOutput { client: assets.offline }));
    }
    if let Some(mirrors) = &options.mirrors {
        extras.push(Box::new(MirroredIndex::on(mirrors, assets.mirrored)));
    }
    if options.tree {
        extras.push(Box::new(TreePage { client: assets.tree }));
    }
    if let Some(path) = &options.offline_bundle {
        extras.push(Box::new(OfflineBundle::at(path, assets.bundle, assets.bundled_lab)));
    }
    extras
}

/// Refuses options that conflict with the requested extras.
pub(crate) fn check(options: &BuildOptions) -> Result<(), BuildError> {
    requested(options, &Assets::default()).iter().try_for_each(|extra| extra.check(options))
}
