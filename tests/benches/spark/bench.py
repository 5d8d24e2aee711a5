"""Clusters generated crawls by `pagekin crawl cluster` and by pagekin-spark, for `cargo xtask bench spark`.

    bench.py FOLDER --urls N... [--texts] [--kill STAGE...]

PAGEKIN and CRAWL are set as for tests/spark. A cluster has two workers with one core each; one machine
uses two threads. The cluster's time is from Parquet to tables, including the start of the driver. Memory is the
maximum of all processes of a kind together, as proportional set sizes, sampled every second; shuffled
bytes are from Spark's event log. For each stage of --kill, another job loses a worker that runs it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).parents[2] / "spark"))
from standalone import CONFS, Standalone, environment, kill, name_of, tree  # noqa: E402

PAGEKIN, CRAWL = os.environ["PAGEKIN"], os.environ["CRAWL"]
LINKS = pa.list_(pa.struct([("url", pa.string()), ("text", pa.string())]))
FIELDS = {
    "links": pa.schema([("url", pa.string()), ("text", pa.string()), ("links", LINKS)]),
    "texts": pa.schema([("url", pa.string()), ("title", pa.string()), ("text", pa.string())]),
}
BAGS = {"links": "anchor", "texts": "content"}
# Rows per file, so that there are several tasks; and rows held in memory.
FILE_ROWS, BATCH_ROWS = 100_000, 10_000


class Memory(threading.Thread):
    """Samples the memory of processes while it runs."""

    def __init__(self, roots):
        super().__init__(daemon=True)
        self.roots, self.most, self.largest, self.ended = roots, {}, {}, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()

    def run(self):
        while not self.ended.wait(1):
            now = {}
            for pid in {pid for root in self.roots() for pid in tree(root)}:
                try:
                    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                except OSError:
                    continue
                found = re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
                size, name = int(found[1]) << 10 if found else 0, name_of(pid)
                now[name] = now.get(name, 0) + size
                self.largest[name] = max(self.largest.get(name, 0), size)
            for name, size in now.items():
                self.most[name] = max(self.most.get(name, 0), size)
            self.most["all"] = max(self.most.get("all", 0), sum(now.values()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--urls", type=int, nargs="+", required=True)
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--kill", nargs="*", default=[])
    arguments = parser.parse_args()
    of = "texts" if arguments.texts else "links"
    sizes = {}
    for urls in arguments.urls:
        folder = arguments.folder / str(urls)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            sizes[urls] = measure(folder, urls, of, arguments.kill)
        finally:
            shutil.rmtree(folder)
    if len(sizes) > 1:
        report_growth(sizes)


def measure(folder, urls, of, kill_in):
    log(f"{urls:,} URLs: generating")
    make(folder, urls, of)
    log("on one machine")
    one = one_machine(folder, of)
    log("on two workers")
    runs = {"two workers": spark(folder, of, "spark", None)}
    for stage in kill_in:
        log(f"on two workers, one of them killed in the stage {stage}")
        runs[f"one killed in {stage}"] = spark(folder, of, f"killed-{stage}", stage)
    log("comparing")
    for name, run in {"one machine": one, **runs}.items():
        run["digests"] = digests(run["output"])
        if run["digests"] != one["digests"]:
            raise SystemExit(f"{name} found {run['digests']}, one machine {one['digests']}")
    report(urls, of, one, runs)
    return one, runs["two workers"]


def make(folder, urls, of):
    """Writes the same pages as JSONL and as Parquet."""
    with open(folder / "pages.jsonl", "wb") as lines:
        subprocess.run([CRAWL, of, str(urls)], stdout=lines, check=True)
    (folder / "pages").mkdir()
    with open(folder / "pages.jsonl", encoding="utf-8") as lines:
        for first in range(0, urls, FILE_ROWS):
            path = folder / f"pages/{first:09}.parquet"
            with pa.parquet.ParquetWriter(path, FIELDS[of], compression="zstd") as file:
                for batch in range(first, min(first + FILE_ROWS, urls), BATCH_ROWS):
                    rows = min(BATCH_ROWS, first + FILE_ROWS - batch, urls - batch)
                    pages = [json.loads(next(lines)) for _ in range(rows)]
                    file.write_table(pa.Table.from_pylist(pages, FIELDS[of]))


def one_machine(folder, of):
    output = folder / "one"
    command = [PAGEKIN, "crawl", "cluster", folder / "pages.jsonl", "-o", output, "--bags", BAGS[of]]
    command += ["--threads", "2", "--json", "--quiet", "--no-config"]
    start = time.monotonic()
    with open(folder / "one.json", "wb") as summary:
        process = subprocess.Popen(command, stdout=summary)
        with Memory(lambda: [process.pid]) as memory:
            if process.wait():
                raise SystemExit("pagekin crawl cluster failed")
    seconds = time.monotonic() - start
    summary = json.loads((folder / "one.json").read_text())
    return {"seconds": seconds, "summary": summary, "most": memory.most, "output": output}


def spark(folder, of, name, killed_in):
    output, events = folder / name, folder / f"{name}-events"
    events.mkdir()
    killed, killed_at = None, 0
    with Standalone(folder / f"{name}-cluster", memory="3g") as workers:
        words = [sys.executable, "-m", "pagekin_spark", "cluster", folder / "pages", output]
        words += ["--bags", BAGS[of], "--master", workers.url]
        log = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file://{events}",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
            "spark.executor.memory": "2g",
        }
        for conf, value in {**CONFS, **log}.items():
            words += ["--conf", f"{conf}={value}"]
        start, log_path = time.monotonic(), folder / f"{name}.txt"
        with open(log_path, "wb") as errors:
            job = subprocess.Popen(words, env=environment(workers.folder), stderr=errors)

        def roots():
            return [job.pid, workers.master.pid, *(worker.pid for worker in workers.workers)]

        try:
            with Memory(roots) as memory:
                if killed_in:
                    killed = workers.kill_worker(killed_in, job)
                    killed_at = time.monotonic() - start
                if job.wait():
                    raise SystemExit(log_path.read_text()[-3000:])
        finally:
            kill(tree(job.pid))
            job.wait()
        seconds = time.monotonic() - start
    manifest = json.loads((output / "pagekin.json").read_text())
    return {
        "seconds": seconds,
        "steps": manifest["steps"],
        "counts": manifest["counts"],
        "shuffled": shuffled(events),
        "most": memory.most,
        "largest": memory.largest,
        "killed": killed,
        "killed_at": killed_at,
        "output": output,
    }


def shuffled(events):
    """Returns the bytes written for shuffles, by step."""
    steps, bytes_of = {}, {}
    for path in events.iterdir():
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                event = json.loads(line)
                if event["Event"] == "SparkListenerJobStart":
                    tags = event.get("Properties", {}).get("spark.job.tags", "")
                    step = re.search("pagekin ([^,]+)", tags)
                    for stage in event["Stage IDs"]:
                        steps[stage] = step[1] if step else "other"
                elif event["Event"] == "SparkListenerTaskEnd":
                    metrics = event.get("Task Metrics") or {}
                    written = metrics.get("Shuffle Write Metrics", {})
                    step = steps.get(event["Stage ID"], "other")
                    size = written.get("Shuffle Bytes Written", 0)
                    bytes_of[step] = bytes_of.get(step, 0) + size
    return bytes_of


def digests(output):
    words = [sys.executable, "-m", "pagekin_spark", "digest", output]
    return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout


def report(urls, of, one, runs):
    mb = lambda size: f"{size / 1e6:,.1f}"  # noqa: E731
    counts = runs["two workers"]["counts"]
    print(f"\n## {urls:,} URLs, {of}\n")
    print(
        f"{counts['urls']:,} URLs with a bag, {counts['pairs']:,} pairs without twins, "
        f"{counts['clusters']:,} clusters of {counts['clustered']:,} URLs; pairs and clusters have "
        f"the same sha256 in all runs:\n\n```text\n{one['digests']}```\n"
    )
    table(["", "seconds", "times one machine", "MB shuffled"])
    print(f"| one machine, two threads | {one['seconds']:.1f} | 1 | |")
    for name, run in runs.items():
        size = mb(sum(run["shuffled"].values()))
        print(f"| {name} | {run['seconds']:.1f} | {run['seconds'] / one['seconds']:.1f} | {size} |")
    for name, run in runs.items():
        if run["killed"]:
            names = ", ".join(f"{n} {what}" for what, n in run["killed"].items())
            print(f"\nAfter {run['killed_at']:.1f} s of *{name}* these processes were killed: {names}.")
    print("\nPeak memory of all processes of a kind together, MB:\n")
    table(["", "java", "python", "pagekin", "all", "largest pagekin"])
    print(f"| one machine | | | {mb(one['most'].get('pagekin', 0))} | {mb(one['most']['all'])} | |")
    for name, run in runs.items():
        most = [mb(run["most"].get(kind, 0)) for kind in ("java", "python", "pagekin", "all")]
        print(f"| {name} | {' | '.join(most)} | {mb(run['largest'].get('pagekin', 0))} |")
    print("\nSteps on two workers:\n")
    table(["step", "seconds", "MB shuffled", "records", "MB in Parquet"])
    run = runs["two workers"]
    for step in run["steps"]:
        kinds = [kind for kind in step["records"] if kind != "report"]
        records = ", ".join(f"{step['records'][kind]:,} {kind}" for kind in kinds)
        size = mb(run["shuffled"].get(step["name"], 0))
        stored = mb(sum(step["bytes"].values()))
        print(f"| {step['name']} | {step['seconds']:.1f} | {size} | {records} | {stored} |")
    print("\nStages on one machine:\n")
    table(["stage", "seconds"])
    for stage in one["summary"]["stages"]:
        print(f"| {stage['stage']} | {stage['seconds']:.1f} |")
    sys.stdout.flush()


def report_growth(sizes):
    """Prints how the measurements grow with the number of URLs."""
    print("\n## Growth\n")
    table(["URLs", *(f"{urls:,}" for urls in sizes)])

    def row(name, of_size):
        print(f"| {name} | {' | '.join(f'{of_size(*runs):,.1f}' for runs in sizes.values())} |")

    row("one machine, s", lambda one, run: one["seconds"])
    row("two workers, s", lambda one, run: run["seconds"])
    row("times one machine", lambda one, run: run["seconds"] / one["seconds"])
    row("MB shuffled", lambda one, run: sum(run["shuffled"].values()) / 1e6)
    row("MB of one machine", lambda one, run: one["most"]["all"] / 1e6)
    for kind in ("java", "python", "pagekin"):
        row(f"MB of {kind}", lambda one, run: run["most"].get(kind, 0) / 1e6)
    row("MB, largest pagekin", lambda one, run: run["largest"].get("pagekin", 0) / 1e6)
    names = dict.fromkeys(step["name"] for _, run in sizes.values() for step in run["steps"])
    for name in names:
        seconds = lambda _, run: sum(step["seconds"] for step in run["steps"] if step["name"] == name)  # noqa: E731
        row(f"{name}, s", seconds)


def table(columns):
    print(f"| {' | '.join(columns)} |\n| --- |{' ---: |' * (len(columns) - 1)}")


def log(what):
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
