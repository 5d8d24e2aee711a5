"""Finds pairs of sets of tokens with rensa, FastSketchLSH and datasketch, for `cargo xtask bench peers`.

    python peers.py rensa|fastsketchlsh|datasketch|load SETS PAIRS SEED THREADS

reads the sets, prints the time of pairing as JSON, and writes the pairs. tests/src/tokens.rs documents the files. The time to
convert tokens to the Python objects that a library requires is not counted.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

M = 80
BANDS = 20
THRESHOLD = 0.5
# Number of documents whose tokens are converted to Python objects at a time.
CHUNK = 10_000


def read(path):
    """Returns the offsets and the tokens."""
    with open(path, "rb") as file:
        (documents,) = np.fromfile(file, np.uint64, 1)
        offsets = np.fromfile(file, np.uint64, int(documents) + 1)
        tokens = np.fromfile(file, np.uint32, int(offsets[-1]))
    return offsets, tokens


class Clock:
    """Adds up the seconds of its `with` blocks."""

    def __init__(self):
        self.seconds = 0.0

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self.start


def rensa(offsets, tokens, seed, threads):
    """RMinHash from sets of strings, and RMinHashLSH. Tables can be filled from its compact matrix of signatures, but queried
    only with RMinHash objects, which take tokens as strings or bytes. There is no filter, so candidates are compared by its
    estimate. Its tables are single-threaded."""
    import rensa

    signing, pairing = Clock(), Clock()
    signatures = []
    documents = len(offsets) - 1
    for first in range(0, documents, CHUNK):
        ends = offsets[first : min(first + CHUNK, documents) + 1].astype(np.int64)
        names = [f"{token:x}" for token in tokens[ends[0] : ends[-1]].tolist()]
        ends -= ends[0]
        sets = [names[a:b] for a, b in zip(ends[:-1], ends[1:])]
        with signing:
            signatures.extend(rensa.RMinHash.from_token_sets(sets, M, seed))
        del names, sets
    pairs = []
    with pairing:
        lsh = rensa.RMinHashLSH(THRESHOLD, M, BANDS)
        lsh.insert_many(signatures)
        for first in range(0, documents, CHUNK):
            found = lsh.query_all(signatures[first : first + CHUNK])
            for v, candidates in enumerate(found, first):
                if len(candidates) > 1:
                    jaccard = signatures[v].jaccard
                    pairs.extend(
                        (u, v) for u in candidates if u < v and jaccard(signatures[u]) >= THRESHOLD
                    )
    return signing, pairing, pairs


def fastsketchlsh(offsets, tokens, seed, threads):
    """64 values in 16 bands, because both numbers must be powers of two. It returns candidates, which are compared here by
    16 bits of each value, on all threads."""
    import FastSketchLSH

    m, bands = 64, 16
    signing, pairing = Clock(), Clock()
    with signing:
        sketcher = FastSketchLSH.FastSimilaritySketch(m, seed)
        sketches = sketcher.batch_csr(tokens, offsets, num_threads=threads)
    with pairing:
        lsh = FastSketchLSH.LSH(m, bands, num_threads=threads)
        lsh.reserve(len(sketches))
        lsh.insert(sketches)
        flat, begins = lsh.query(sketches, format="csr")
        del lsh
        sketches = sketches.astype(np.uint16)
        v = np.repeat(np.arange(len(sketches), dtype=np.uint32), np.diff(begins.astype(np.int64)))
        u = flat.astype(np.uint32)
        lower = u < v
        u, v = u[lower], v[lower]

        def similar(first):
            a, b = u[first : first + 16_384], v[first : first + 16_384]
            keep = (sketches[a] == sketches[b]).sum(axis=1) >= THRESHOLD * m
            return np.stack([a[keep], b[keep]], axis=1)

        with ThreadPoolExecutor(threads) as pool:
            pairs = np.concatenate(list(pool.map(similar, range(0, max(len(u), 1), 16_384))))
    return signing, pairing, pairs


def datasketch(offsets, tokens, seed, threads):
    """MinHash with its default scheme, applied to hashes, and MinHashLSH. It is single-threaded."""
    from datasketch import MinHash, MinHashLSH

    signing, pairing = Clock(), Clock()
    values = tokens.tolist()
    ends = offsets.tolist()
    sets = [values[a:b] for a, b in zip(ends[:-1], ends[1:])]
    with signing:
        signatures = MinHash.bulk(sets, num_perm=M, seed=seed, hashfunc=lambda token: token)
    pairs = []
    with pairing:
        lsh = MinHashLSH(num_perm=M, params=(BANDS, M // BANDS))
        with lsh.insertion_session() as session:
            for v, signature in enumerate(signatures):
                session.insert(v, signature, check_duplication=False)
        for v, signature in enumerate(signatures):
            pairs.extend(
                (u, v)
                for u in lsh.query(signature)
                if u < v and signature.jaccard(signatures[u]) >= THRESHOLD
            )
    return signing, pairing, pairs


def main():
    peer, path, to, seed, threads = sys.argv[1:]
    offsets, tokens = read(path)
    if peer == "load":
        return
    if peer == "rensa":
        # Otherwise it uses as many threads as there are processors.
        os.environ["RAYON_NUM_THREADS"] = threads
    pairer = {"rensa": rensa, "fastsketchlsh": fastsketchlsh, "datasketch": datasketch}[peer]
    signing, pairing, pairs = pairer(offsets, tokens, int(seed), int(threads))
    print(json.dumps({"signing": signing.seconds, "pairing": pairing.seconds}))
    with open(to, "wb") as file:
        for first in range(0, len(pairs), 1 << 16):
            np.array(pairs[first : first + (1 << 16)], np.uint32).tofile(file)


main()
