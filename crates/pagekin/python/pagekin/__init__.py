"""Finds the pagekin program, which runs as `pagekin` or `python -m pagekin`."""

import os
import sys
import sysconfig
from pathlib import Path

__all__ = ["find_program"]


def find_program() -> Path:
    """Returns the path of the pagekin program that belongs to this package."""
    name = "pagekin" + (sysconfig.get_config_var("EXE") or "")
    folders = list(dict.fromkeys(_folders()))
    for folder in folders:
        program = folder / name
        if program.is_file():
            return program
    found = ", ".join(str(folder) for folder in folders)
    raise FileNotFoundError(
        f"{name} is in none of {found}. Run `pip install --force-reinstall pagekin`"
    )


def _folders():
    yield Path(sysconfig.get_path("scripts"))
    # The environment that this one is layered on.
    yield Path(sysconfig.get_path("scripts", vars={"base": sys.base_prefix}))
    # After `pip install --target` or `--prefix`.
    package = Path(__file__).resolve().parent
    yield package.parent / "bin"
    yield package.parents[min(3, len(package.parents) - 1)] / "bin"
    user = {"nt": "nt_user", "posix": "posix_user"}.get(os.name)
    if sys.platform == "darwin" and sys._framework:
        user = "osx_framework_user"
    if user:
        yield Path(sysconfig.get_path("scripts", scheme=user))
