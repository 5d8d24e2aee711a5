"""Puts the pagekin program into the wheel: that of PAGEKIN, for the platform of PAGEKIN_PLATFORM.

It is built with the feature `stage`, which the program of other packages has not. Without these
variables a wheel has no program, and finds it by PAGEKIN where it is used.
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
