"""Measures how well the new locations of moved pages are found.

    python moves.py OLD NEW [pagekin]

compares `pagekin redirects` with other methods, on two versions of a manual whose HTML contains ids for sections and entries, such
as that of Sphinx. A new page is a part of an old one if they share at least two ids that are unique in each version, and these are
a tenth of the old page's ids or a quarter of the new one's. Ids are not text, so no method uses them. The other methods compare
five-word shingles, weighted by the inverse of the number of pages that contain them, with the threshold that is best for this data.
"""

import collections
import json
import os
import re
import subprocess
import sys

import numpy as np
import scipy.optimize
import scipy.sparse
from lxml import html

RUN = 5
# Lists of the whole manual.
SKIPPED = re.compile(r"(^|/)(genindex|search|py-modindex|contents)|(^|/)_")
THRESHOLDS = np.arange(0.05, 0.95, 0.05)


def read(root):
    pages = []
    for folder, _, files in os.walk(root):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), root)
            if not file.endswith(".html") or SKIPPED.search(path):
                continue
            tree = html.parse(os.path.join(root, path), html.HTMLParser(encoding="utf-8")).getroot()
            for element in tree.xpath("//script|//style|//nav|//head"):
                element.drop_tree()
            words = re.findall(r"\w+", " ".join(tree.itertext()).lower())
            pages.append(("/" + re.sub(r"(^|/)index\.html$", r"\1", path), words, set(tree.xpath("//@id"))))
    return sorted(pages)


def truth_of(old, new):
    once = [
        {name for name, n in collections.Counter(name for page in pages for name in page[2]).items() if n == 1}
        for pages in (old, new)
    ]
    known = once[0] & once[1]
    at = {name: number for number, page in enumerate(new) for name in page[2] & known}
    in_new = collections.Counter(at.values())
    pairs = set()
    for number, (_, _, ids) in enumerate(old):
        ids = ids & known
        for to, n in collections.Counter(at[name] for name in ids).items():
            if n >= 2 and (n >= 0.1 * len(ids) or n >= 0.25 * in_new[to]):
                pairs.add((number, to))
    return pairs


def runs_of(pages, numbers):
    rows, columns = [], []
    for row, (_, words, _) in enumerate(pages):
        for run in {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}:
            rows.append(row)
            columns.append(numbers.setdefault(run, len(numbers)))
    return rows, columns


def main():
    old, new = read(sys.argv[1]), read(sys.argv[2])
    program = sys.argv[3] if len(sys.argv) > 3 else "pagekin"
    truth = truth_of(old, new)
    asked = {page for page, _ in truth}
    parts = collections.Counter(collections.Counter(page for page, _ in truth).values())
    print(f"{len(old)} pages, {len(new)} pages; {len(truth)} pairs; pages by number of parts: {dict(sorted(parts.items()))}")

    def scores(pairs):
        pairs = {pair for pair in pairs if pair[0] in asked}
        right = len(pairs & truth)
        precision, recall = right / max(1, len(pairs)), right / len(truth)
        return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)

    def show(name, of, note=""):
        precision, recall, f1 = of
        print(f"{name:44} precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  {note}")

    found = json.loads(subprocess.run([program, "redirects", sys.argv[1], sys.argv[2], "--format", "json", "-q"], capture_output=True, check=True).stdout)
    numbers = [{page[0]: number for number, page in enumerate(pages)} for pages in (old, new)]
    pairs = set()
    for page in found["pages"]:
        for part in [page["to"], *page["parts"]]:
            if part and part["share_of_old"] > 0 and page["url"] in numbers[0] and part["url"] in numbers[1]:
                pairs.add((numbers[0][page["url"]], numbers[1][part["url"]]))
    show("pagekin redirects, its default", scores(pairs))

    runs = {}
    (rows, columns), (new_rows, new_columns) = runs_of(old, runs), runs_of(new, runs)
    a = scipy.sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (len(old), len(runs)))
    b = scipy.sparse.csr_matrix((np.ones(len(new_rows)), (new_rows, new_columns)), (len(new), len(runs)))
    weights = 1 / np.maximum(1, np.maximum(a.sum(0), b.sum(0)).A1)
    in_old, in_new = a @ weights, b @ weights
    both = (a.multiply(weights).tocsr() @ b.T).toarray()
    resemblance = both / (in_old[:, None] + in_new - both + 1e-12)
    containment = both / (np.minimum(in_old[:, None], in_new) + 1e-12)

    def best(name, pairs_at):
        of, at = max(((scores(pairs_at(t)), t) for t in THRESHOLDS), key=lambda found: found[0][2])
        show(name, of, f"at {at:.2f}")

    best("the best page for each", lambda t: {(i, int(row.argmax())) for i, row in enumerate(resemblance) if row.max() >= t})
    one_to_one = list(zip(*scipy.optimize.linear_sum_assignment(-resemblance)))
    best("one to one, the best assignment", lambda t: {pair for pair in one_to_one if resemblance[pair] >= t})
    best("all pairs by resemblance", lambda t: set(zip(*np.where(resemblance >= t))))
    best("all pairs by containment", lambda t: set(zip(*np.where(containment >= t))))


if __name__ == "__main__":
    main()
