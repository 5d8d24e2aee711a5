"""Finds the pagekin program, reads its defaults, and sends it to the executors."""

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path

from pyspark.sql import SparkSession

from .frames import JobFailed

SHIPPED: dict[str, tempfile.TemporaryDirectory] = {}


def ship(spark: SparkSession) -> str:
    """Sends the program to all executors; returns its name there."""
    program = find_program()
    name = f"pagekin-{sha256(program.read_bytes()).hexdigest()[:16]}"
    if name not in SHIPPED:
        SHIPPED[name] = tempfile.TemporaryDirectory(prefix="pagekin-spark-")
        shutil.copy(program, Path(SHIPPED[name].name, name))
    spark.addArtifact(os.path.join(SHIPPED[name].name, name), file=True)
    return name


def find_program() -> Path:
    """Returns the program named by PAGEKIN, the one of this package, or the one on the PATH."""
    packaged = Path(__file__).parent / "bin/pagekin"
    given = os.environ.get("PAGEKIN")
    found = given or (packaged if packaged.is_file() else shutil.which("pagekin"))
    if not found or not Path(found).is_file():
        raise JobFailed(
            f"no pagekin program at {given or packaged}: set PAGEKIN to its path"
        )
    return Path(found)


def default(option: str) -> str | int | float:
    """Returns the default of an option of the stages, as defined by the program."""
    return defaults_of(find_program())[option]


@cache
def defaults_of(program: Path) -> dict[str, str | int | float]:
    """Returns the defaults of the options of all stages, by their Python names."""
    command = [os.fspath(program), "stage", "defaults", "--no-config"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise JobFailed(f"expected the stages of this version in {program}, found: {done.stderr}")
    options = [pair for stage in json.loads(done.stdout).values() for pair in stage.items()]
    return {name.replace("-", "_"): value for name, value in options}
