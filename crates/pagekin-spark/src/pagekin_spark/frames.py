"""Packed rows, with many records of one bucket each, and the steps that process them.

A step is one query: it reads Parquet, runs stages on the rows one after another, and writes
Parquet by kind. A lost executor therefore costs at most a part of a step, and rows that two steps
need are computed once. Each stage reports the records it read and wrote. A step adds up these
reports and fails unless each stage read what the previous one wrote.
"""

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pyarrow.fs as fs
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as f
from pyspark.sql.utils import is_remote

from . import glue
from .places import for_spark, place

try:
    from py4j.protocol import Py4JError
except ImportError:
    # A client of Spark Connect runs without Java.
    SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException,)
else:
    SPARK_ERRORS = (PySparkException, Py4JError)

PACKED = "bucket int, kind string, part int, records bigint, bytes binary"
CONFS = {
    # Limits batches by bytes: a packed row has about 64 kB, a page up to several MB.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
    # A task writes one file per kind without sorting by kind first.
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    # Smaller than Snappy, whose library Spark cannot load if both musl and glibc are installed.
    "spark.sql.parquet.compression.codec": "zstd",
}


class JobFailed(Exception):
    """The reason why a job has no result."""


@dataclass(frozen=True)
class Stage:
    """A stage with its options: by bucket in `by_bucket` partitions, or on rows in any order."""

    name: str
    options: Sequence[str] = ()
    by_bucket: int | None = None

    def of(self, frame: DataFrame, program: str) -> DataFrame:
        if self.by_bucket:
            frame = by_bucket(frame, self.by_bucket)
        return staged(frame, program, [*self.name.split(), *self.options])


@dataclass(frozen=True)
class Rows:
    """Packed rows, and the number of records of each kind."""

    frame: DataFrame
    records: Mapping[str, int]
    folder: str = ""

    def only(self, *kinds: str) -> "Rows":
        records = {kind: self.records.get(kind, 0) for kind in kinds}
        return Rows(self.frame.where(f.col("kind").isin(*kinds)), records, self.folder)

    def __add__(self, other: "Rows") -> "Rows":
        records = Counter(self.records)
        records.update(other.records)
        return Rows(self.frame.unionByName(other.frame), records)

    def of(self, kind: str) -> int:
        return self.records.get(kind, 0)


@dataclass
class Step:
    """The time of a step, and its output: records and bytes in Parquet by kind."""

    name: str
    seconds: float = 0
    records: dict[str, int] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    # Other numbers reported by stages, such as skipped pages by reason.
    others: dict[str, int] = field(default_factory=dict)


@dataclass
class Steps:
    """The steps of a job, with their results below a folder."""

    spark: SparkSession
    folder: str
    program: str
    progress: Callable[[Step], None]
    done: list[Step] = field(default_factory=list)

    def place(self, name: str) -> str:
        """Returns the folder of a step, without spaces, for URIs."""
        return f"{self.folder}/{name.replace(' ', '-')}"

    def run(self, name: str, rows: Rows, *stages: Stage) -> Rows:
        """Runs stages on rows; returns the output of the last one."""
        frame = rows.frame
        for stage in stages:
            frame = stage.of(frame, self.program)
        return self.store(name, frame, [stage.name for stage in stages], rows.records)

    def store(
        self, name: str, frame: DataFrame, stages: Sequence[str], taken: Mapping[str, int] | None
    ) -> Rows:
        """Writes the output of stages, and checks the numbers of records that they report."""
        folder = self.place(name)
        write = frame.write.partitionBy("kind").mode("error")
        # Packed bytes never repeat, so a dictionary is useless. Small row groups limit memory.
        write = write.option("parquet.enable.dictionary", "false")
        write = write.option("parquet.block.size", str(16 << 20))
        with self.step(name) as step:
            perform(lambda: write.parquet(for_spark(folder)))
            stored = self.spark.read.schema(PACKED).parquet(for_spark(folder))
            reports = added_up(stored.where("kind = 'report'"))
            for stage in stages:
                report = reports.pop(stage, {"in": {}, "out": {}})
                step.others.update(report.get("others", {}))
                if taken is not None and report["in"] != {
                    kind: n for kind, n in taken.items() if n
                }:
                    raise JobFailed(
                        f"step {name}: the stage {stage} read other records than there are: "
                        f"expected {dict(taken)}, found {report['in']}"
                    )
                taken = report["out"]
            if reports:
                raise JobFailed(f"expected no reports of {', '.join(reports)} in the step {name}")
            step.records.update(taken or {})
            step.bytes.update(sizes(folder))
        return Rows(stored.where("kind <> 'report'"), step.records, folder)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        start, step = time.monotonic(), Step(name)
        # Shown in the web interface and the log of Spark.
        self.spark.addTag(tag := f"pagekin {name}".replace(",", ""))
        try:
            yield step
        finally:
            self.spark.removeTag(tag)
        step.seconds = round(time.monotonic() - start, 2)
        self.done.append(step)
        self.progress(step)


def staged(
    frame: DataFrame, program: str, words: Sequence[str], columns: str = PACKED
) -> DataFrame:
    """Runs a stage on rows. Spark identifies the resulting columns by position, not by name."""
    names = [column.split()[0] for column in columns.split(", ")]
    return frame.mapInArrow(glue.of_rows(program, words, names), columns)


def numbered(rows: Rows) -> Rows:
    """Adds the number of the first record to each row, in the order of buckets and parts. One task
    adds up one number per row, because all rows have the same kind. Spark would warn about a window
    that is partitioned by a constant."""
    before = Window.partitionBy("kind").orderBy("bucket", "part")
    before = before.rowsBetween(Window.unboundedPreceding, -1)
    first = f.coalesce(f.sum("records").over(before), f.lit(0)).alias("first")
    firsts = f.broadcast(rows.frame.select("bucket", "part", first))
    columns = ("bucket", "kind", "part", "records", "bytes", "first")
    return replace(rows, frame=rows.frame.join(firsts, ["bucket", "part"]).select(*columns))


def by_bucket(frame: DataFrame, partitions: int) -> DataFrame:
    """Brings whole buckets together, sorted by kind and part.

    The number of partitions is explicit, so that adaptive execution keeps them: buckets have about
    the same size, and a stage needs memory for one at a time. Partitioning by id distributes
    buckets evenly. By hash, as before Spark 4.1, some tasks get several buckets and others none.
    """
    if hasattr(frame, "repartitionById"):
        frame = frame.repartitionById(partitions, "bucket")
    else:
        frame = frame.repartition(partitions, "bucket")
    return frame.sortWithinPartitions("bucket", "kind", "part")


def added_up(reports: DataFrame) -> dict[str, dict[str, dict[str, int]]]:
    """Adds up the reports of each stage: records read and written by kind, and other numbers."""
    entries = reports.select(
        f.from_json(f.col("bytes").cast("string"), "map<string, string>").alias("report")
    )
    entries = entries.selectExpr("report['stage'] AS stage", "explode(report) AS (way, text)")
    ways = "way IN ('in', 'out')"
    entries = entries.where("way <> 'stage'").selectExpr(
        "stage",
        f"if({ways}, way, 'others') AS way",
        f"explode(if({ways}, from_json(text, 'map<string, bigint>'),"
        " map(way, cast(text AS bigint)))) AS (of, n)",
    )
    stages: dict[str, dict[str, dict[str, int]]] = {}
    for stage, way, of, n in entries.groupBy("stage", "way", "of").agg(f.sum("n")).collect():
        ways_of = stages.setdefault(stage, {"in": {}, "out": {}, "others": {}})
        if n:
            ways_of[way][of] = n
    return stages


def perform(action: Callable[[], object]) -> object:
    """Runs a query. If a stage fails, raises only its message."""
    try:
        return action()
    except SPARK_ERRORS as error:
        messages = re.findall(r"^.*StageFailed: ((?:.|\n(?!\s+at |\n))*)", str(error), re.MULTILINE)
        missing = re.search(r"No module named '(pyarrow|pandas|pyspark)", str(error))
        if missing:
            raise JobFailed(
                f"the Python of the workers has no {missing[1]}: install pyspark, "
                "pyarrow and pandas there, or set PYSPARK_PYTHON to a Python that has them"
            ) from error
        if not messages:
            raise
        raise JobFailed(messages[-1].strip()) from error


def brief(error: Exception) -> str:
    """Returns the message of an error of Spark without the stack trace."""
    of_java = getattr(error, "java_exception", None)
    message = str(error) if of_java is None else of_java.toString()
    return re.split(r"\n\s*(?:at |JVM stacktrace|Driver stacktrace)", message)[0].strip()


def sizes(folder: str) -> dict[str, int]:
    """Returns the bytes of a folder by kind."""
    files, path = place(folder)
    size: Counter[str] = Counter()
    for info in files.get_file_info(fs.FileSelector(path, recursive=True)):
        if info.type == fs.FileType.File and "/kind=" in info.path:
            size[info.path.split("/kind=")[1].split("/")[0]] += info.size
    return dict(size)


@contextmanager
def configured(spark: SparkSession) -> Iterator[None]:
    """Changes settings for the steps, and restores them afterwards."""
    before = {name: spark.conf.get(name, None) for name in CONFS}
    try:
        for name, value in CONFS.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, earlier in before.items():
            if earlier is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, earlier)


@contextmanager
def of_this_python(spark: SparkSession) -> Iterator[None]:
    """Runs local tasks with this Python. Unless PYSPARK_PYTHON is set, Spark uses the `python3` of
    the PATH, which lacks the packages of a virtual environment."""
    is_configured = is_remote() or "PYSPARK_PYTHON" in os.environ
    if is_configured or not spark.sparkContext.master.startswith("local"):
        yield
        return
    context = spark.sparkContext
    before, context.pythonExec = context.pythonExec, sys.executable
    try:
        yield
    finally:
        context.pythonExec = before
