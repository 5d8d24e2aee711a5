"""Adds the pagekin program at PAGEKIN to the wheel, for the platform PAGEKIN_PLATFORM.

The program must be built with the feature `stage`, which other packages do not include. Without
these variables, the wheel contains no program and uses the one named by PAGEKIN at run time.
"""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        program, platform = os.environ.get("PAGEKIN"), os.environ.get("PAGEKIN_PLATFORM")
        if program and platform:
            build_data["force_include"][program] = "pagekin_spark/bin/pagekin"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
