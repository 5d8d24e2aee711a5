//! The released platforms, and their names in each registry.

use std::env::consts::{ARCH, OS};

use anyhow::{Context, Result};

/// Each platform has packages of its own, built on a machine of its kind.
pub(super) struct Platform {
    /// The target of Rust. On Linux it uses musl, whose statically linked programs run on all
    /// distributions.
    pub(super) target: &'static str,
    /// `process.platform` and `process.arch` of Node.js.
    pub(super) npm: (&'static str, &'static str),
    /// The compatibility tag in the name of a wheel.
    pub(super) tag: &'static str,
    /// `TARGETARCH` of an image.
    pub(super) image: Option<&'static str>,
}

/// The first one also builds the packages for all platforms: the crates, and npm's `pagekin`.
pub(super) const PLATFORMS: [Platform; 5] = [
    Platform::new(
        "x86_64-unknown-linux-musl",
        ("linux", "x64"),
        "manylinux2014_x86_64.musllinux_1_1_x86_64",
        Some("amd64"),
    ),
    Platform::new(
        "aarch64-unknown-linux-musl",
        ("linux", "arm64"),
        "manylinux2014_aarch64.musllinux_1_1_aarch64",
        Some("arm64"),
    ),
    Platform::new("x86_64-apple-darwin", ("darwin", "x64"), "macosx_10_12_x86_64", None),
    Platform::new("aarch64-apple-darwin", ("darwin", "arm64"), "macosx_11_0_arm64", None),
    Platform::new("x86_64-pc-windows-msvc", ("win32", "x64"), "win_amd64", None),
];

impl Platform {
    const fn new(
        target: &'static str,
        npm: (&'static str, &'static str),
        tag: &'static str,
        image: Option<&'static str>,
    ) -> Self {
        Self { target, npm, tag, image }
    }

    pub(super) fn is_windows(&self) -> bool {
        self.npm.0 == "win32"
    }

    /// Whether Spark runs there in production, so that pagekin-spark is made for it.
    pub(super) fn has_spark(&self) -> bool {
        !self.is_windows()
    }

    fn is_here(&self) -> bool {
        let os = if OS == "macos" { "apple" } else { OS };
        self.target.starts_with(ARCH) && self.target.contains(os)
    }

    /// Whether it builds the packages for all platforms.
    pub(super) fn is_first(&self) -> bool {
        self.target == PLATFORMS[0].target
    }

    pub(super) fn program(&self) -> &'static str {
        if self.is_windows() { "pagekin.exe" } else { "pagekin" }
    }

    /// The extension of an archive: a format that the system can unpack.
    pub(super) fn archive_suffix(&self) -> &'static str {
        if self.is_windows() { "zip" } else { "tar.gz" }
    }

    /// The npm package with its program.
    pub(super) fn npm_name(&self) -> String {
        let (os, cpu) = self.npm;
        format!("@pagekin/{os}-{cpu}")
    }
}

pub(super) fn here() -> Result<&'static Platform> {
    let found = PLATFORMS.iter().find(|platform| platform.is_here());
    found.with_context(|| {
        let built: Vec<_> = PLATFORMS.iter().map(|platform| platform.target).collect();
        format!("expected a platform with packages ({}), found {OS} on {ARCH}", built.join(", "))
    })
}
