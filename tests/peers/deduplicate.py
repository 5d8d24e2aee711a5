"""Compares text-dedup and datatrove with `pagekin crawl cluster` on the same texts: time, memory, and quality of clusters.

    python deduplicate.py make TEXTS FOLDER                      # texts.jsonl and families.npy
    python deduplicate.py run NAME FOLDER THRESHOLD COMMAND…     # NAME: text-dedup, datatrove or pagekin; COMMAND starts it
    python deduplicate.py judge NAME FOLDER THRESHOLD COMMAND…   # 10 GB of memory for a million texts

Texts have 60 to 120 words each, drawn by Zipf's law. Two fifths of the texts are in families of 2 to 8: a text and copies of it with
up to two fifths of the words replaced. A pair of a family is *similar* if the sets of words have a Jaccard similarity of at least
the threshold. text-dedup and datatrove measure that, with single words as their n-grams. pagekin compares bags, in which rare words
weigh more. One text of each cluster is kept. *Recall* is the share of the texts with an earlier similar one in their family that are
removed; *removed wrongly* is the share of the removed texts that are not similar to the kept one. *Recall of pairs* is the share of
similar pairs with both texts in a cluster; *apart* is the share of all pairs within clusters that are not similar, in a sample of
200,000.

COMMAND is a Python with text-dedup 0.4.0 or datatrove, or the program pagekin. The script needs numpy and psutil.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

WORDS = 1_000_000
SEED = 1
# Number of pairs within clusters that are compared.
SAMPLE = 200_000


def word(rank):
    """Returns a distinct word of letters for each rank."""
    letters = []
    rank += 27
    while rank:
        rank, letter = divmod(int(rank), 26)
        letters.append(chr(97 + letter))
    return "".join(letters)


def make(texts, folder):
    random = np.random.default_rng(SEED)
    words = np.array([word(rank) for rank in range(WORDS)])

    def draw(count):
        # Zipf's law with exponent 1, by inversion.
        return (np.exp(random.random(count) * np.log(WORDS)) - 1).astype(np.int64)

    family, families = 0, np.zeros(texts, np.int64)
    with open(folder / "texts.jsonl", "w") as lines:
        at = 0
        while at < texts:
            base = draw(random.integers(60, 121))
            # With families of 5 texts on average, two fifths of the texts are then in families.
            size = min(int(random.integers(2, 9)) if random.random() < 0.118 else 1, texts - at)
            family += 1
            for copy in range(size):
                own = base.copy()
                if copy:
                    replaced = random.random(len(own)) < 0.4 * random.random()
                    own[replaced] = draw(int(replaced.sum()))
                families[at] = family
                text = " ".join(words[own])
                lines.write(json.dumps({"url": f"https://texts.example/{at}", "number": at, "id": str(at), "text": text}) + "\n")
                at += 1
    np.save(folder / "families.npy", families)


DATATROVE = """
import sys
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashConfig, MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.hashing import HashConfig

folder, work = sys.argv[1], sys.argv[2]

def main():
    config = MinhashConfig(hash_config=HashConfig(precision=64), n_grams=1, num_buckets=14, hashes_per_bucket=8)
    def run(steps, tasks):
        LocalPipelineExecutor(pipeline=steps, tasks=tasks, workers=2, logging_dir=f"{work}/logs/{type(steps[-1]).__name__}").run()
    run([JsonlReader(folder, glob_pattern="part-*.jsonl"), MinhashDedupSignature(f"{work}/signatures", config=config)], 2)
    run([MinhashDedupBuckets(f"{work}/signatures", f"{work}/buckets", config=config)], 14)
    run([MinhashDedupCluster(f"{work}/buckets", f"{work}/clusters", config=config, save_cluster_id=True, save_cluster_size=True, ignore_index_matches=True)], 1)

if __name__ == "__main__":
    main()
"""


def run(name, folder, threshold, command):
    """Runs a program and prints the seconds, CPU seconds and peak memory of all its processes."""
    work = folder / name
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    if name == "pagekin":
        arguments = ["crawl", "cluster", folder / "texts.jsonl", "-o", work / "crawl", "--bags", "content", "--threshold", threshold, "--quiet"]
    elif name == "text-dedup":
        arguments = ["-m", "text_dedup.minhash", "--path", "json", "--data_files", folder / "texts.jsonl", "--split", "train"]
        arguments += ["--cache_dir", work / "cache", "--output", work / "kept", "--debug", "--column", "text", "--num_proc", 2]
        arguments += ["--ngram", 1, "--min_length", 1, "--threshold", threshold, "--idx_column", "number"]
    elif name == "datatrove":
        script = work / "pipeline.py"
        script.write_text(DATATROVE)
        with open(folder / "texts.jsonl") as lines:
            parts = [open(folder / f"part-{part}.jsonl", "w") for part in range(2)]
            for at, line in enumerate(lines):
                parts[at % 2].write(line)
            [part.close() for part in parts]
        arguments = [script, folder, work]
    else:
        sys.exit(f"expected text-dedup, datatrove or pagekin, found {name}")
    import psutil

    # Sums processor time by process: the child does not wait for all of its own children.
    start, peak, used = time.monotonic(), 0, {}
    with open(work / "log", "w") as log:
        child = psutil.Popen([*command, *map(str, arguments)], stdout=log, stderr=log, env={**os.environ, "TOKENIZERS_PARALLELISM": "false"})
        while child.poll() is None:
            try:
                processes = [child, *child.children(recursive=True)]
                used |= {process.pid: sum(process.cpu_times()[:2]) for process in processes}
                peak = max(peak, sum(process.memory_full_info().pss for process in processes))
            except psutil.Error:
                pass
            time.sleep(0.5)
    if child.returncode:
        sys.exit((work / "log").read_text()[-2_000:])
    seconds = time.monotonic() - start
    print(json.dumps({"name": name, "seconds": round(seconds, 1), "cpu_seconds": round(sum(used.values()), 1), "peak_mb": peak // 1_000_000}))


def clusters(name, folder, texts, command):
    """Returns the number of each text's cluster."""
    of = np.arange(texts)
    work = folder / name
    if name == "pagekin":
        out = subprocess.run([*command, "crawl", "clusters", work / "crawl", "--format", "csv"], check=True, capture_output=True, text=True).stdout
        import csv

        rows = csv.DictReader(out.splitlines())
        number = lambda url: int(url.rsplit("/", 1)[1])
        for row in rows:
            of[number(row["url"])] = number(row["center"])
    elif name == "text-dedup":
        # The pickle contains a class of text-dedup, so that Python must load it.
        script = "import json, pickle, sys; print(json.dumps([[int(a), int(of.find(a))] for of in [pickle.load(open(sys.argv[1], 'rb'))] for a in list(of.parent)]))"
        out = subprocess.run([*command, "-c", script, work / "kept/uf.pkl"], check=True, capture_output=True, text=True).stdout
        for text, center in json.loads(out):
            of[text] = center
        while (of != of[of]).any():
            of = of[of]
    else:
        import struct

        # Each file lists the texts of one input file with the numbers of their clusters.
        for part, path in enumerate(sorted((work / "clusters").glob("*.clusters"))):
            data = path.read_bytes()
            for place, cluster in struct.iter_unpack("<II", data):
                of[2 * place + part] = texts + cluster
    return of


def judge(name, folder, threshold, command):
    families = np.load(folder / "families.npy")
    of = clusters(name, folder, len(families), command)
    with open(folder / "texts.jsonl") as lines:
        sets = [set(json.loads(line)["text"].split()) for line in lines]

    def jaccard(a, b):
        shared = len(sets[a] & sets[b])
        return shared / (len(sets[a]) + len(sets[b]) - shared)

    found = true = 0
    copies = removed_copies = 0
    # The kept text of each cluster: its center, or the first.
    kept = {}
    for text, cluster in enumerate(of):
        kept.setdefault(cluster, cluster if name == "pagekin" else text)
    removed = [text for text in range(len(of)) if kept[of[text]] != text]
    wrong = sum(jaccard(text, kept[of[text]]) < threshold for text in removed)
    begin = 0
    for end in range(1, len(families) + 1):
        if end == len(families) or families[end] != families[begin]:
            for b in range(begin, end):
                similar = [a for a in range(begin, b) if jaccard(a, b) >= threshold]
                true += len(similar)
                found += sum(of[a] == of[b] for a in similar)
                copies += bool(similar)
                # One of the two must be removed; either may be kept.
                removed_copies += bool(similar) and (kept[of[b]] != b or any(kept[of[a]] != a for a in similar))
            begin = end
    order = np.argsort(of, kind="stable")
    ends = np.flatnonzero(np.diff(of[order])) + 1
    groups = [group for group in np.split(order, ends) if len(group) > 1]
    pairs = np.array([len(group) * (len(group) - 1) / 2 for group in groups])
    random = np.random.default_rng(SEED)
    drawn = random.choice(len(groups), SAMPLE, p=pairs / pairs.sum())
    apart = sum(jaccard(*random.choice(groups[at], 2, replace=False)) < threshold for at in drawn)
    print(json.dumps({
        "name": name, "similar_pairs": true, "recall_of_pairs": round(found / true, 4),
        "copies": copies, "recall": round(removed_copies / copies, 4), "removed": len(removed), "removed_wrongly": round(wrong / max(len(removed), 1), 4), "clusters": len(groups),
        "largest": int(max(map(len, groups))), "pairs_in_clusters": int(pairs.sum()), "apart": round(apart / SAMPLE, 4),
    }))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", texts, folder]:
            Path(folder).mkdir(parents=True, exist_ok=True)
            make(int(texts), Path(folder))
        case ["run", name, folder, threshold, *command]:
            run(name, Path(folder), threshold, command)
        case ["judge", name, folder, threshold, *command]:
            judge(name, Path(folder), float(threshold), command)
        case _:
            sys.exit(__doc__)
