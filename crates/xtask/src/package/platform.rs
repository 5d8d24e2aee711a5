//! The platforms that are released, and what each registry calls them.

use std::env::consts::{ARCH, OS};

use anyhow::{Context, Result};

/// A platform. Each has packages of its own, made on a machine of its kind.
pub(super) struct Platform {
    /// Of Rust. On Linux that of musl, whose programs are linked statically, so that one serves all
    /// distributions.
    pub(super) target: &'static str,
    pub(super) os: &'static str,
    arch: &'static str,
    /// `process.platform` and `process.arch` of Node.js.
    pub(super) npm: (&'static str, &'static str),
    /// What a wheel with the program in it is compatible with, as a part of its name.
    pub(super) tag: &'static str,
    /// `TARGETARCH` of an image.
    pub(super) image: Option<&'static str>,
    /// Whether Spark runs there in earnest, so that pagekin-spark is made for it.
    pub(super) has_spark: bool,
}

/// The first one makes what is the same for all, too: the crates, and npm's `pagekin`.
pub(super) const PLATFORMS: [Platform; 5] = [
    Platform {
        target: "x86_64-unknown-linux-musl",
        os: "linux",
        arch: "x86_64",
        npm: ("linux", "x64"),
        tag: "manylinux2014_x86_64.musllinux_1_1_x86_64",
        image: Some("amd64"),
        has_spark: true,
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        os: "linux",
        arch: "aarch64",
        npm: ("linux", "arm64"),
        tag: "manylinux2014_aarch64.musllinux_1_1_aarch64",
        image: Some("arm64"),
        has_spark: true,
    },
    Platform {
        target: "x86_64-apple-darwin",
        os: "macos",
        arch: "x86_64",
        npm: ("darwin", "x64"),
        tag: "macosx_10_12_x86_64",
        image: None,
        has_spark: true,
    },
    Platform {
        target: "aarch64-apple-darwin",
        os: "macos",
        arch: "aarch64",
        npm: ("darwin", "arm64"),
        tag: "macosx_11_0_arm64",
        image: None,
        has_spark: true,
    },
    Platform {
        target: "x86_64-pc-windows-msvc",
        os: "windows",
        arch: "x86_64",
        npm: ("win32", "x64"),
        tag: "win_amd64",
        image: None,
        has_spark: false,
    },
];

impl Platform {
    /// Whether what is the same for all is made there.
    pub(super) fn is_first(&self) -> bool {
        self.target == PLATFORMS[0].target
    }

    /// What the program is called.
    pub(super) fn program(&self) -> &'static str {
        if self.os == "windows" { "pagekin.exe" } else { "pagekin" }
    }

    /// What an archive's name ends with: what people can unpack there without installing a program.
    pub(super) fn archive_suffix(&self) -> &'static str {
        if self.os == "windows" { "zip" } else { "tar.gz" }
    }

    /// The npm package that has the program for it.
    pub(super) fn npm_name(&self) -> String {
        let (os, cpu) = self.npm;
        format!("@pagekin/{os}-{cpu}")
    }
}

/// The platform of this machine.
pub(super) fn here() -> Result<&'static Platform> {
    let found = PLATFORMS.iter().find(|platform| platform.os == OS && platform.arch == ARCH);
    found.with_context(|| {
        let built: Vec<_> = PLATFORMS.iter().map(|platform| platform.target).collect();
        format!(
            "expected a platform that packages are made for ({}), found {OS} on {ARCH}",
            built.join(", ")
        )
    })
}
