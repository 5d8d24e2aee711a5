"""Tests that pagekin-spark gives the results of `pagekin crawl cluster`: pairs and clusters have the same sha256.

`cargo xtask test --only spark` runs this, with the variables PAGEKIN (the program), CRAWL (the generator of
crawls) and FOLDER (the working folder). `--all` sets PAGEKIN_ALL=1: more pages, and a cluster in which a
worker is killed.
"""

import argparse
import contextlib
import gzip
import json
import logging
import os
import shutil
import subprocess
import sys
import unittest
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet
from pagekin_spark import Clustering, JobFailed, Options, cluster, cluster_files
from pagekin_spark import digests, glue, places
from pagekin_spark.command import main, session
from pagekin_spark.shipping import defaults_of
from standalone import CONFS, HOME, Standalone, environment, kill, tree

PAGEKIN, CRAWL = os.environ["PAGEKIN"], os.environ["CRAWL"]
FOLDER = Path(os.environ["FOLDER"])
SITE = Path(__file__).parents[1] / "site"
ALL = os.environ.get("PAGEKIN_ALL") == "1"
LONG = "long: run by `cargo xtask test --all`, which sets PAGEKIN_ALL=1"
URLS = 20_000 if ALL else 1_000
# Time limit of a job, far above the time of any job here.
SECONDS = 600
# Jobs take seconds, so Java's optimizing compiler would cost more than it saves.
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def setUpModule():
    global SPARK, SITE_PAGES, ONE_OF_SITE, ONE_OF_TEXTS
    conf = ["spark.driver.memory=2g", "spark.sql.shuffle.partitions=2", "spark.log.level=WARN"]
    with errors_to(FOLDER / "spark.log"):
        SPARK = session(argparse.Namespace(master="local[2]", conf=conf))
    paths = sorted(SITE.rglob("*.html"))
    SITE_PAGES = [
        {
            "url": f"https://site.example/{path.relative_to(SITE)}",
            "html": path.read_bytes().decode(errors="replace"),
        }
        for path in paths
    ]
    # A page larger than most. By default it must not be skipped.
    large = SITE_PAGES[0]["html"] + f"<!-- {'large ' * (2 << 20)} -->"
    SITE_PAGES.append({"url": "https://site.example/large.html", "html": large})
    write_lines("site.jsonl", SITE_PAGES)
    with open(FOLDER / "texts.jsonl", "wb") as lines:
        subprocess.run([CRAWL, "texts", str(URLS)], stdout=lines, check=True)
    with open(FOLDER / "texts.jsonl", encoding="utf-8") as lines:
        texts = [json.loads(line) for line in lines]
    # Ensure that at least three pages have the same text.
    texts += [{**texts[0], "url": f"https://{n}.example/"} for n in range(2)]
    write_lines("texts.jsonl", texts)
    write_parquet("texts.parquet", texts)
    ONE_OF_SITE = one_machine("site", "both")
    ONE_OF_TEXTS = one_machine("texts", "content")


def tearDownModule():
    SPARK.stop()


@contextlib.contextmanager
def errors_to(path):
    """Redirects standard error to a file for processes that are started meanwhile: Java, with Spark's warnings."""
    before, log = os.dup(2), os.open(path, os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(log)


def one_machine(name, bags):
    """Returns the digests of `pagekin crawl cluster`."""
    crawl = str(FOLDER / f"{name}-one")
    lines = str(FOLDER / f"{name}.jsonl")
    command = [PAGEKIN, "crawl", "cluster", lines, "-o", crawl, "--bags", bags, "--quiet", "--no-config"]
    subprocess.run(command, check=True)
    return digests.of_crawl(PAGEKIN, crawl)


def write_lines(name, rows, opener=open):
    with opener(FOLDER / name, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def write_parquet(name, rows):
    table = pa.Table.from_pylist(list(rows))
    pa.parquet.write_table(table, FOLDER / name, compression="zstd", row_group_size=5_000)


def write_warc(name, pages):
    with gzip.open(FOLDER / name, "wb") as records:
        for page in pages:
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            http += page["html"].encode()
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\n"
            head += "Content-Type: application/http; msgtype=response\r\n"
            records.write(
                f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n"
            )


class TeachingSite(unittest.TestCase):
    """Clusters 72 pages in each form of input. Options differ from the defaults, and paths are relative to
    the folder of the driver, while tasks run in another folder."""

    def test_several_files_of_lines_in_a_folder_and_rounds_to_the_end(self):
        folder = FOLDER / "lines"
        folder.mkdir()
        write_lines("lines/1.jsonl.gz", SITE_PAGES[::2], gzip.open)
        write_lines("lines/2.jsonl", SITE_PAGES[1::2])
        made = self.cluster("lines", tail=0, buckets=7, partitions=3)
        rounds = [step["name"] for step in made.manifest["steps"]]
        self.assertIn("round 1", rounds)
        self.assertNotIn("rest", rounds)

    def test_warc_and_one_task_for_all_rounds(self):
        write_warc("site.warc.gz", SITE_PAGES)
        made = self.cluster("site.warc.gz", rounds=0)
        steps = [step["name"] for step in made.manifest["steps"]]
        self.assertIn("rest", steps)
        self.assertNotIn("round 1", steps)

    def cluster(self, name, **options):
        with contextlib.chdir(FOLDER):
            made = cluster_files(SPARK, name, f"{name}-out", bags="both", **options)
        self.assertEqual(made.digests(), ONE_OF_SITE)
        self.assertEqual(made.urls.count(), len(SITE_PAGES))
        return made


class FewPages(unittest.TestCase):
    def test_pages_of_one_signature_are_compared(self):
        words = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}ing" for n in range(60)]
        # Enough words are repeated for bags to differ, but not for signatures to differ.
        texts = [words * 9, words * 9 + words[:35]]
        pages = [
            {"url": f"https://{n}.example/", "text": " ".join(text)} for n, text in enumerate(texts)
        ]
        made = self.same("similar", pages, "content")
        signed = next(step for step in made.manifest["steps"] if step["name"] == "signatures")
        self.assertEqual((signed["records"]["rows"], made.counts["twins"]), (1, 0))
        self.assertEqual((made.counts["pairs"], made.counts["clusters"]), (1, 1))

    def test_pages_can_be_known_by_links_alone(self):
        def links(words):
            return [{"url": f"https://{n}.example/", "text": words} for n in range(9)]

        pages = [
            {"url": f"https://from.example/{n}", "links": links(words)}
            for n, words in enumerate(("bread and butter", "the baker of bread"))
        ]
        made = self.same("links", pages, "anchor")
        self.assertEqual(made.counts["clustered"], 9)
        table = SPARK.createDataFrame(
            [(page["url"], [(link["url"], link["text"]) for link in page["links"]]) for page in pages],
            "url string, links array<struct<url: string, text: string>>",
        )
        again = cluster(SPARK, table, str(FOLDER / "links-table"), partitions=1)
        self.assertEqual(again.digests(), made.digests())

    def same(self, name, pages, bags):
        write_lines(f"{name}.jsonl", pages)
        files = str(FOLDER / f"{name}.jsonl")
        made = cluster_files(SPARK, files, str(FOLDER / f"{name}-out"), bags=bags, partitions=1)
        self.assertEqual(made.digests(), one_machine(name, bags))
        return made


class ManyTexts(unittest.TestCase):
    """Clusters many pages, some of which have equal bags."""

    def test_parquet_on_two_cores_and_rounds_to_the_end(self):
        output = str(FOLDER / "texts-local")
        made = cluster_files(SPARK, str(FOLDER / "texts.parquet"), output, bags="content", tail=0)
        self.assertEqual(made.digests(), ONE_OF_TEXTS)
        self.assertGreater(made.counts["twins"], 0)
        self.assertEqual(made.counts["clustered"], made.clusters.count())
        firsts = made.urls.where("number <> first").groupBy("first").count()
        self.assertGreater(firsts.where("count > 1").count(), 0, "three have the same bag")
        self.assertFalse(list(FOLDER.glob("texts-local.making*")), "the work folder is gone")
        warnings = (FOLDER / "spark.log").read_text()
        self.assertNotIn("No Partition Defined", warnings)
        self.check_digests(made)

    def check_digests(self, made):
        """Checks that the digests, which do not need Java, are those of the pairs that Spark lists."""
        all_pairs = made.all_pairs().collect()
        lines = [(*sorted(pair[:2]), str(pair["thousandths"])) for pair in all_pairs]
        lines = sorted("\t".join(pair).encode() + b"\n" for pair in lines)
        self.assertEqual(made.digests()["pairs"], sha256(b"".join(lines)).hexdigest())
        command = [sys.executable, "-m", "pagekin_spark", "digest", made.path]
        alone = {**os.environ, "PATH": str(FOLDER), "JAVA_HOME": str(FOLDER)}
        printed = subprocess.run(command, env=alone, stdout=subprocess.PIPE, check=True, text=True)
        expected = [f"{digest}  {name}" for name, digest in ONE_OF_TEXTS.items()]
        self.assertEqual(printed.stdout.splitlines(), expected)

    @unittest.skipUnless(ALL, LONG)
    def test_executors_in_other_folders_use_the_paths_of_the_driver(self):
        command = [sys.executable, "-m", "pagekin_spark", "cluster", "texts.parquet", "texts-cluster"]
        command += ["--bags", "content", "--partitions", "4", "--master", "local-cluster[2,1,1024]"]
        self.addCleanup(shutil.rmtree, HOME / "work")
        subprocess.run(command, cwd=FOLDER, env=environment(FOLDER), check=True, timeout=SECONDS)
        made = Clustering(SPARK, str(FOLDER / "texts-cluster"))
        self.assertEqual(made.digests(), ONE_OF_TEXTS)

    @unittest.skipUnless(ALL, LONG)
    def test_a_cluster_of_two_workers_survives_the_loss_of_one(self):
        output = FOLDER / "texts-killed"
        with Standalone(FOLDER / "cluster") as workers:
            words = [
                sys.executable,
                "-m",
                "pagekin_spark",
                "cluster",
                FOLDER / "texts.parquet",
                output,
            ]
            words += ["--bags", "content", "--partitions", "4", "--master", workers.url]
            for name, value in CONFS.items():
                words += ["--conf", f"{name}={value}"]
            log = FOLDER / "texts-killed.txt"
            with open(log, "wb") as errors:
                job = subprocess.Popen(words, env=environment(workers.folder), stderr=errors)
            try:
                # The input of this stage, the output of `keys`, is partly on this worker.
                killed = workers.kill_worker("pairs", job)
                self.assertEqual(job.wait(SECONDS), 0, log.read_text())
            finally:
                kill(tree(job.pid))
                job.wait()
        self.assertGreaterEqual(killed["java"], 2, "the worker and its executor")
        self.assertGreaterEqual(min(killed["python"], killed["pagekin"]), 1, killed)
        self.assertEqual(Clustering(SPARK, str(output)).digests(), ONE_OF_TEXTS)


class ObjectStore(unittest.TestCase):
    """Uses an object store like S3. Spark can access it only with jars that PySpark does not contain, but
    pagekin-spark uses Arrow, which needs none of them."""

    @unittest.skipUnless(ALL, LONG)
    def test_lines_from_a_store_and_tables_into_it(self):
        from moto.server import ThreadedMotoServer

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        server.start()
        self.addCleanup(server.stop)
        host, port = server.get_host_and_port()
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "a", "AWS_REGION": "us-east-1"}
        variables = {**os.environ, **keys, "AWS_ENDPOINT_URL": f"http://{host}:{port}"}
        store = pyarrow.fs.S3FileSystem(
            access_key="a",
            secret_key="a",
            region="us-east-1",
            scheme="http",
            endpoint_override=f"{host}:{port}",
            allow_bucket_creation=True,
        )
        store.create_dir("crawls")
        lines = str(FOLDER / "site.jsonl")
        pyarrow.fs.copy_files(lines, "crawls/site.jsonl", destination_filesystem=store)

        def run(*words):
            command = [sys.executable, "-m", "pagekin_spark", *words]
            return subprocess.run(
                command,
                env=variables,
                stdout=subprocess.PIPE,
                check=True,
                text=True,
                timeout=SECONDS,
            )

        words = ["cluster", "s3://crawls/site.jsonl", "s3://crawls/out", "--bags", "both"]
        words += ["--work", str(FOLDER / "work"), "--partitions", "2"]
        # Once to a new path, and once to replace the earlier output.
        for _ in range(2):
            run(*words)
            printed = run("digest", "s3://crawls/out").stdout
            expected = [f"{digest}  {name}" for name, digest in ONE_OF_SITE.items()]
            self.assertEqual(printed.splitlines(), expected)
        left = store.get_file_info(pyarrow.fs.FileSelector("crawls"))
        self.assertEqual({info.base_name for info in left}, {"site.jsonl", "out"})
        self.assertEqual(list((FOLDER / "work").iterdir()), [], "the work folder is empty")


class Failures(unittest.TestCase):
    def test_no_such_columns(self):
        pages = SPARK.createDataFrame([("https://a.example/", "a")], "address string, text string")
        with self.assertRaisesRegex(JobFailed, "expected a column url, .* found address, text"):
            cluster(SPARK, pages, str(FOLDER / "none"))

    def test_a_stage_reports_unexpected_input_and_the_earlier_output_stays(self):
        output = FOLDER / "stays"
        setting = "spark.sql.execution.arrow.maxBytesPerBatch"
        set_before = SPARK.conf.get(setting)
        text, number = (
            SPARK.createDataFrame([(url, "some words")], f"url {kind}, text string")
            for url, kind in (("https://a.example/", "string"), (1, "bigint"))
        )
        # Local tasks use the Python of this test, whatever the PATH contains.
        context = SPARK.sparkContext
        self.addCleanup(setattr, context, "pythonExec", context.pythonExec)
        context.pythonExec = "no-such-python"
        cluster(SPARK, text, str(output), bags="content", partitions=1)
        before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
        with self.assertRaisesRegex(JobFailed, "pagekin stage fragments: .*url.*Utf8.*Int64"):
            cluster(SPARK, number, str(output), bags="content")
        after = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
        self.assertEqual(before, after)
        self.assertFalse(list(FOLDER.glob("stays.making*")), "the work folder is gone")
        self.assertEqual(SPARK.conf.get(setting), set_before, "settings are restored")
        self.assertEqual(SPARK.sparkContext.pythonExec, "no-such-python")

    def test_an_output_with_foreign_files_is_refused(self):
        folder = FOLDER / "others"
        folder.mkdir()
        (folder / "letter.txt").write_text("Dear")
        with self.assertRaisesRegex(JobFailed, "expected a new folder.* found no such file"):
            cluster_files(SPARK, str(FOLDER / "site.jsonl"), str(folder))
        (folder / "letter.txt").rename(folder / ".letter")
        with self.assertRaisesRegex(JobFailed, "expected a new folder.* found no such file"):
            cluster_files(SPARK, str(FOLDER / "site.jsonl"), str(folder))
        for content in ("{", "[1]", "{}"):
            (folder / "pagekin.json").write_text(content)
            with self.assertRaisesRegex(JobFailed, "found another file of that name"):
                cluster_files(SPARK, str(FOLDER / "site.jsonl"), str(folder))

    def test_unreadable_inputs_are_named(self):
        (FOLDER / "noise.parquet").write_bytes(bytes(range(256)) * 20)
        (FOLDER / "nothing.parquet").write_bytes(b"")
        (FOLDER / "cut.jsonl").write_text('{"url": "https://site.example/", "te')
        for paths, message in (
            (["nowhere.jsonl"], "found nothing at .*nowhere.jsonl"),
            (["site.jsonl", "texts.parquet"], "expected files of one format"),
            (["noise.parquet"], r"(?s)expected Parquet in .*noise.parquet; Spark reports: ((?!\tat ).)*$"),
            (["nothing.parquet"], "expected Parquet in .*nothing.parquet; Spark reports: "),
            (["cut.jsonl"], "expected pages .* found none; skipped: 1 "),
        ):
            with self.assertRaisesRegex(JobFailed, message):
                cluster_files(SPARK, [str(FOLDER / path) for path in paths], str(FOLDER / "none"))

    def test_inputs_without_bags_are_reported(self):
        texts = [(f"https://{n}.example/", f"the same words {n}") for n in range(3)]
        texts = SPARK.createDataFrame(texts, "url string, text string")
        with self.assertRaisesRegex(JobFailed, "found none in titles .* set bags to content"):
            cluster(SPARK, texts, str(FOLDER / "none"), partitions=1)
        wordless = SPARK.createDataFrame([("https://a.example/", "!")], "url string, text string")
        with self.assertRaisesRegex(JobFailed, "at least two URLs share, found none$"):
            cluster(SPARK, wordless, str(FOLDER / "none"), bags="content", partitions=1)

    def test_uris_may_have_spaces_and_others_are_refused(self):
        self.assertEqual(places.place("mock:/out/round 0")[1], "out/round 0")
        with self.assertRaisesRegex(OSError, "expected a path, or a URI .* found https://x.example"):
            places.exists("https://x.example/crawl.warc.gz")

    def test_a_child_whose_output_is_not_read_ends(self):
        loud = FOLDER / "loud"
        loud.write_text("#!/bin/sh\nexec yes\n")
        loud.chmod(0o755)
        with self.assertRaisesRegex(glue.StageFailed, "pagekin stage keys: "):
            list(glue.exchange(str(loud), ["keys"], lambda sink: None))

    def test_an_earlier_spark_is_refused(self):
        class Earlier:
            version = "3.5.1"

        with self.assertRaisesRegex(JobFailed, "expected Spark 4.0 or later, found 3.5.1"):
            cluster_files(Earlier(), str(FOLDER / "site.jsonl"), str(FOLDER / "none"))

    def test_default_options_equal_those_of_the_stages(self):
        options, of_stages = asdict(Options()), defaults_of(Path(PAGEKIN))
        shared = {name: of_stages[name] for name in options.keys() & of_stages.keys()}
        self.assertEqual(shared, {name: options[name] for name in shared})
        names = {"threshold", "bags", "lang", "preset", "seed", "max_page_bytes", "bucket_bytes"}
        self.assertEqual(shared.keys(), names)

    def test_options_are_checked_before_anything_starts(self):
        for option, value in (("--threshold", "1.5"), ("--bags", "words"), ("--buckets", "0"), ("--values", "9"), ("--bucket-bytes", "8X")):
            self.assertEqual(main(["cluster", "in", "out", option, value]), 1)


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    unittest.main(verbosity=2)
