"""The pagekin program: where it is, and how it comes to the executors."""

import os
import shutil
import tempfile
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
