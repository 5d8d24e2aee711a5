"""Computes PageRank with igraph or networkx, for the links that `cargo xtask bench rank --peers` generated.

    python pagerank.py igraph|networkx EDGES URLS

reads lines of two numbers, a page and a link target, and prints a table row: the library, the seconds from its graph in memory
to the ranks, the peak memory of the process, and the highest rank relative to the mean. As in pagekin, repeated links count once,
and links of a page to itself do not count.
"""

import resource
import sys
import time
from importlib.metadata import version

import numpy as np

DAMPING = 0.875


def read(path):
    edges = np.fromfile(path, np.int64, sep=" ").reshape(-1, 2)
    edges = np.unique(edges, axis=0)
    return edges[edges[:, 0] != edges[:, 1]]


def by_igraph(edges, urls):
    """PRPACK, which solves the equations to 1e-10."""
    import igraph

    graph = igraph.Graph(n=urls, edges=edges, directed=True)
    start = time.perf_counter()
    ranks = graph.pagerank(damping=DAMPING)
    return ranks, time.perf_counter() - start


def by_networkx(edges, urls):
    """Power iteration with sparse matrices of scipy. The tolerance is per URL."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(range(urls))
    graph.add_edges_from(edges.tolist())
    start = time.perf_counter()
    ranks = networkx.pagerank(graph, alpha=DAMPING, max_iter=250, tol=1e-10 / urls)
    return list(ranks.values()), time.perf_counter() - start


def main():
    name, path, urls = sys.argv[1], sys.argv[2], int(sys.argv[3])
    ranks, seconds = {"igraph": by_igraph, "networkx": by_networkx}[name](read(path), urls)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"| {name} {version(name)} | {seconds:.1f} | {peak // 1_000_000:,} | {max(ranks) * urls:.3f} |")


if __name__ == "__main__":
    main()
