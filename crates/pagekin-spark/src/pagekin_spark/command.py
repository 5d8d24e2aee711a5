"""The command-line interface of `pagekin-spark`."""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, fields

from . import JobFailed, Options, __version__, cluster_files, digests
from .frames import SPARK_ERRORS, Step, brief
from .outputs import MANIFEST
from .places import exists
from .shipping import find_program


def main(words: Sequence[str] | None = None) -> int:
    try:
        arguments = parser().parse_args(words)
        return arguments.run(arguments)
    except (JobFailed, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
    except SPARK_ERRORS as error:
        print(f"error: Spark reports: {brief(error)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("error: interrupted; any earlier output is unchanged", file=sys.stderr)
    return 1


def parser() -> argparse.ArgumentParser:
    defaults = asdict(Options())
    top = argparse.ArgumentParser("pagekin-spark", description=__import__(__package__).__doc__)
    top.add_argument("--version", action="version", version=f"pagekin-spark {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    cluster = commands.add_parser("cluster", help="find all pairs of similar URLs and group them")
    cluster.set_defaults(run=run_cluster)
    cluster.add_argument(
        "--master",
        metavar="URL",
        help="URL of the Spark cluster, such as spark://host:7077 or yarn [default: that of "
        "spark-submit, else local[*], all cores of this machine]",
    )
    cluster.add_argument(
        "--conf",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark; repeatable",
    )
    cluster.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="files or folders of Parquet, JSONL, WARC or WET, which all workers can read",
    )
    cluster.add_argument(
        "output",
        metavar="OUTPUT",
        help="output folder: new, empty, or from an earlier job, which is replaced when done",
    )
    cluster.add_argument(
        "--format",
        choices=("auto", "parquet", "jsonl", "warc"),
        default="auto",
        help="format of the inputs [default: by their names]",
    )

    def option(name: str, kind: type, metavar: str, text: str, **more) -> None:
        default = defaults[name.replace("-", "_")]
        suffix = "" if default is None else f" [default: {default}]"
        cluster.add_argument(
            f"--{name}", type=kind, default=default, metavar=metavar, help=text + suffix, **more
        )

    option("threshold", float, "S", "minimum similarity of a pair, above 0 and up to 1")
    option(
        "bags",
        str,
        "BAGS",
        "what the bag of a URL is made from: content, the text of its page; anchor, its title and "
        "the text around links to it; or both",
    )
    option("lang", str, "TAG", "language of pages that declare none")
    option("max-page-bytes", str, "SIZE", "skip pages larger than this")
    option("values", int, "K", "values per key, 1 to 8 [default: chosen from a sample]")
    option("tables", int, "L", "number of tables, 1 to 1024 [default: chosen from a sample]")
    option("preset", str, "NAME", "parameters of bags, signatures and pairs: web or paper")
    option("seed", int, "N", "seed of the hash functions")
    option("rounds", int, "R", "maximum number of rounds of CENTER before one task does the rest")
    option(
        "tail",
        int,
        "T",
        "undecided pairs, counted from both ends, below which one task does the rest",
    )
    option(
        "partitions",
        int,
        "N",
        "tasks of a step [default: spark.sql.shuffle.partitions if it is not 200, otherwise four "
        "per core]",
    )
    option(
        "buckets", int, "B", "parts that URLs are divided into: one per 100,000 URLs or more"
    )

    option(
        "work",
        str,
        "FOLDER",
        "folder for temporary rows, accessible to all workers [default: next to OUTPUT]",
    )
    option("bucket-bytes", str, "SIZE", "approximate size of a bucket of signatures")

    digest = commands.add_parser(
        "digest",
        help="print the sha256 of all pairs and of all clusters in OUTPUT or an output of "
        "`pagekin crawl cluster`, to compare results",
    )
    digest.set_defaults(run=run_digest)
    digest.add_argument("folder", metavar="OUTPUT")
    return top


def run_cluster(arguments: argparse.Namespace) -> int:
    options = {field.name: getattr(arguments, field.name) for field in fields(Options)}
    Options(**options)
    start = time.monotonic()

    def progress(step: Step) -> None:
        records = ", ".join(f"{n:,} {kind}" for kind, n in step.records.items()) or "nothing"
        print(f"{time.monotonic() - start:>8.1f} s  {step.name}: {records}", file=sys.stderr)

    spark = session(arguments)
    try:
        made = cluster_files(
            spark,
            arguments.inputs,
            arguments.output,
            arguments.format,
            progress=progress,
            **options,
        )
        counts = made.counts
        print(
            f"{counts['urls']:,} URLs with a bag; {counts['twins']:,} have the bag of another URL"
        )
        print(f"{counts['pairs']:,} pairs; URLs with equal bags count as one")
        print(f"{counts['clusters']:,} clusters of {counts['clustered']:,} URLs")
        print(f"in {arguments.output}: urls, pairs and clusters, as Parquet")
    finally:
        spark.stop()
    return 0


def run_digest(arguments: argparse.Namespace) -> int:
    if exists(f"{arguments.folder.rstrip('/')}/{MANIFEST}"):
        found = digests.of_output(arguments.folder)
    else:
        found = digests.of_crawl(find_program(), arguments.folder)
    for name, digest in found.items():
        print(f"{digest}  {name}")
    return 0


def session(arguments: argparse.Namespace):
    """Creates a Spark session. A local one only listens on the loopback interface."""
    from pyspark.sql import SparkSession

    confs = {"spark.log.level": "FATAL", "spark.ui.showConsoleProgress": "false"}
    master = arguments.master or os.environ.get("MASTER")
    if not (master or "SPARK_ENV_LOADED" in os.environ):
        master = "local[*]"
    if master and master.startswith("local"):
        if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
            raise JobFailed(
                "Spark needs Java 17 or newer, but there is no java on the PATH and no JAVA_HOME: "
                "on Debian, run `apt-get install openjdk-17-jre-headless`"
            )
        local = "127.0.0.1"
        os.environ.setdefault("SPARK_LOCAL_IP", local)
        confs |= {
            "spark.ui.enabled": "false",
            "spark.driver.host": local,
            "spark.driver.bindAddress": local,
        }
    for conf in arguments.conf:
        name, equals, value = conf.partition("=")
        if not equals:
            raise JobFailed(f"expected NAME=VALUE for --conf, found {conf}")
        confs[name] = value
    builder = SparkSession.builder.appName("pagekin").config(map=dict(confs))
    return (builder.master(master) if master else builder).getOrCreate()
