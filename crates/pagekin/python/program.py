"""Adds the pagekin program to the wheel, as built by `cargo xtask package`: the file PAGEKIN for the
platform PAGEKIN_PLATFORM as a script, and the man pages in the folder PAGEKIN_MANUAL.
"""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        program = os.environ["PAGEKIN"]
        build_data["shared_scripts"][program] = Path(program).name
        for page in Path(os.environ["PAGEKIN_MANUAL"]).iterdir():
            build_data["shared_data"][os.fspath(page)] = f"share/man/man1/{page.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['PAGEKIN_PLATFORM']}"
