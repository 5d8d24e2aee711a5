"""pagekin's way from bags to similar pairs and those of other libraries, measured on the same sets of tokens.

    python bench.py --ours PROGRAM --crates PROGRAM --folder FOLDER --site SITE_DIR --name NAME --runs N SET...

`cargo xtask bench peers` runs it. Each of the sets synth20k, synth100k, synth1m and site is written once, as a flat file in
FOLDER, by the bench `peers` of tests/benches, which also runs pagekin and grades all pairs that were found; peers.py and
the program of this folder run the other libraries. All run alternately, each in a process of its own and with another seed
in each round. A program measures itself from the tokens in memory to the pairs in memory. Memory is the maximum of the
process, less that of a process that only reads the sets.

Pairs have a similarity of 0.5 or more. All libraries use 20 tables of 4 values and compare candidates by 80 values, or the
nearest that they offer. pagekin runs in the same way, then with the pairs verified on the sets, and last as for a crawl:
with tables that it chooses itself, too.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
# The minimum similarity of a pair, in thousandths.
THRESHOLD = "500"
THREADS = "2"
# Values of a key and tables of pagekin: it draws tables at random, so that it needs a few more of
# them to find as much as 20 bands, of which no two share a value.
K, L = "4", "26"
# Maximum number of documents for the slowest library, and for finding all true pairs; number in a
# sample of more.
SLOW = 20_000
EXACT = 100_000
SAMPLE = "2000"
GENERATED = {"synth20k": 20_000, "synth100k": 100_000, "synth1m": 1_000_000}


def libraries():
    """Name with version, program, arguments, maximum number of documents, note on what it does differently."""
    lock = tomllib.loads((HERE / "Cargo.lock").read_text())["package"]
    rust = {package["name"]: f"{package['name']} {package['version']}" for package in lock}
    lines = [line.split("==") for line in (HERE / "requirements.txt").read_text().splitlines() if "==" in line]
    python = {name: f"{name} {version}" for name, version in lines}
    estimate = "no filter (its estimate is used for each candidate)"
    tables = ["--k", K, "--l", L]
    return [
        (f"pagekin, {L} tables of {K}, filtered", "ours", ["filtered", *tables], None, ""),
        (f"pagekin, {L} tables of {K}, verified", "ours", ["verified", *tables], None, ""),
        ("pagekin, its own tables, verified", "ours", ["verified"], None, ""),
        (python["rensa"], "python", ["rensa"], None, f"tables on one thread, {estimate}"),
        (python["FastSketchLSH"], "python", ["fastsketchlsh"], None, "64 values, 16 bands; no filter (ours in numpy, two threads)"),
        (rust["gaoya"], "crates", ["gaoya"], None, ""),
        (rust["minhash-rs"], "crates", ["minhash-rs"], None, estimate),
        (python["datasketch"], "python", ["datasketch"], SLOW, "one thread"),
    ]


def output(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def measured(command):
    """What a command prints, and the maximum of its memory in bytes."""
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"`{' '.join(command)}` failed ({process.returncode})")
        printed.seek(0)
        return printed.read(), used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def command(options, library, arguments, sets, pairs, seed):
    if library == "ours":
        way = ["--way", *arguments, "--threshold", THRESHOLD, "--seed", seed, "--threads", THREADS]
        return [options.ours, "pair", sets, pairs, *way]
    program = [options.crates] if library == "crates" else [sys.executable, str(HERE / "peers.py")]
    return [*program, *arguments, sets, pairs, seed, THREADS]


def make(options, name):
    """Writes the sets; returns a title, their file and their size."""
    path = str(options.folder / f"{name}.sets")
    print(f"Making the sets of {name}", file=sys.stderr)
    if name in GENERATED:
        made = output([options.ours, "generate", str(GENERATED[name]), path])
        return f"{GENERATED[name]} generated documents", path, made
    made = output([options.ours, "site", options.site, path, "--most", str(SLOW)])
    return options.name, path, made


def measure(options, name):
    title, sets, size = make(options, name)
    documents = size["documents"]
    runs = 1 if name == "synth1m" else options.runs
    taking_part = [library for library in libraries() if documents <= (library[3] or documents)]
    took = [[] for _ in taking_part]
    pairs = lambda library, seed: str(options.folder / f"{name}-{library}-{seed}.pairs")
    for seed in range(1, runs + 1):
        for turn in range(len(taking_part)):
            # The first one changes, in case one leaves the machine in another state.
            which = (turn + seed - 1) % len(taking_part)
            label, program, arguments, *_ = taking_part[which]
            print(f"{title}, {label}, run {seed} of {runs}", file=sys.stderr)
            _, least = measured(command(options, program, ["load"], sets, "-", str(seed)))
            printed, most = measured(command(options, program, arguments, sets, pairs(which, seed), str(seed)))
            took[which].append({**json.loads(printed), "bytes": max(most - least, 0)})
    files = [pairs(which, seed) for which in range(len(taking_part)) for seed in range(1, runs + 1)]
    print(f"{title}: finding the true pairs", file=sys.stderr)
    sample = ["--sample", SAMPLE] if documents > EXACT else []
    graded = output([options.ours, "grade", sets, "--threshold", THRESHOLD, *sample, *files])
    grades = iter(graded["grades"])
    for run in (run for library in took for run in library):
        run.update(next(grades))
    for file in files:
        os.remove(file)
    return table(title, size, runs, graded["true_pairs"], taking_part, took)


def table(title, size, runs, true_pairs, taking_part, took):
    """Times and memory are medians, recall and precision means: they differ from seed to seed."""
    documents = size["documents"]
    pairs = f"recall of the {true_pairs} pairs of {SAMPLE} of them" if documents > EXACT else f"{true_pairs} pairs"
    lines = [
        f"{title}: {documents} sets, {size['tokens'] / documents:.0f} tokens each, {pairs}; runs: {runs}\n",
        "| library | signatures s | pairs s | total s | of the fastest peer's | memory MB | recall | precision | |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    total = lambda library: statistics.median(run["signing"] + run["pairing"] for run in library)
    fastest = min(total(library) for (_, program, *_), library in zip(taking_part, took) if program != "ours")
    ratio = lambda value: f"{value:.1f} ×" if value < 10 else f"{value:.0f} ×"
    for (label, program, _, _, note), library in zip(taking_part, took):
        median = lambda key: statistics.median(run[key] for run in library)
        mean = lambda key: statistics.mean(run[key] for run in library)
        own = total(library)
        times = f"{ratio(fastest / own)} faster" if program == "ours" else ratio(own / fastest)
        lines.append(
            f"| {label} | {median('signing'):.3f} | {median('pairing'):.3f} | {own:.3f} | {times} | {median('bytes') / 1e6:.0f} "
            f"| {mean('recall'):.3f} | {mean('precision'):.3f} | {note} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    for option in ["--ours", "--crates", "--site", "--name"]:
        parser.add_argument(option, required=True)
    parser.add_argument("--folder", required=True, type=Path)
    parser.add_argument("--runs", required=True, type=int)
    parser.add_argument("sets", nargs="+")
    options = parser.parse_args()
    print("\n\n".join([measure(options, name) for name in options.sets]))


if __name__ == "__main__":
    main()
