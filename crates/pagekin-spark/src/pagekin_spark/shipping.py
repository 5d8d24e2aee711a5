"""The pagekin program: where it is, what it says of itself, and how it comes to the executors."""

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
    """Lets Spark bring the program to all executors; returns what it is called there."""
    program = find_program()
    name = f"pagekin-{sha256(program.read_bytes()).hexdigest()[:16]}"
    if name not in SHIPPED:
        SHIPPED[name] = tempfile.TemporaryDirectory(prefix="pagekin-spark-")
        shutil.copy(program, Path(SHIPPED[name].name, name))
    spark.addArtifact(os.path.join(SHIPPED[name].name, name), file=True)
    return name


def find_program() -> Path:
    """The program that PAGEKIN names, or that of this package, or one on the PATH."""
    packaged = Path(__file__).parent / "bin/pagekin"
    told = os.environ.get("PAGEKIN")
    found = told or (packaged if packaged.is_file() else shutil.which("pagekin"))
    if not found or not Path(found).is_file():
        raise JobFailed(
            f"expected the pagekin program at {told or packaged}, found none: "
            "set PAGEKIN to its path"
        )
    return Path(found)


def default(option: str) -> str | int | float:
    """What an option of the stages is unless something else is said: the program knows it."""
    return defaults_of(find_program())[option]


@cache
def defaults_of(program: Path) -> dict[str, str | int | float]:
    """The defaults of the options of all stages, by their names in Python."""
    command = [os.fspath(program), "stage", "defaults", "--no-config"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise JobFailed(f"expected the stages of this version in {program}, found: {done.stderr}")
    options = [pair for stage in json.loads(done.stdout).values() for pair in stage.items()]
    return {name.replace("-", "_"): value for name, value in options}
