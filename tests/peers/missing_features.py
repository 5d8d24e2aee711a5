"""Would pages cluster better if features that were never seen were treated as missing, not as absent?

    python missing_features.py SITE

A page has two kinds of features, its content and the texts of links to it. Content is seen if the page was read, links if a page
was read that links to it. In the rows, links are hidden for a part of the pages, and content for a tenth of these. Compared, by
how well they agree with the folders of the site:

  absent    what was not seen is 0, as in `pagekin cluster --bags both`
  mean      it is the mean of those that were seen
  penalty   distances by what both have seen, and a penalty for what they have not (FWPD; Datta, Bhattacharjee and Das, 2018),
            with the weight alpha that is best here

by k-means (normalised mutual information with the folders, mean of 5 starts) and by the five nearest pages (how many are in the
same folder). Then, for up to 1,000 pages, by generalised Jaccard of bags of 64 terms, as `pagekin cluster` compares them, with links
or content hidden:

  one       both kinds in one bag, as in `--bags both`
  kinds     a bag of each kind, and the mean of the similarities of those that both pages have
"""

import collections
import sys

import numpy as np
from pages import read as pages_of
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import normalize

DIMENSIONS = 64
STARTS = 5
BAG = 64
ALPHAS = [0.1, 0.25, 0.5, 0.75]


def read(root):
    texts, anchors = {}, collections.defaultdict(list)
    for path, text, links in pages_of(root):
        texts[path] = text
        for to, anchor in links:
            if to != path:
                anchors[to].append(anchor)
    return texts, anchors


def vectors(texts):
    terms = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, max_df=0.5).fit_transform(texts)
    return normalize(TruncatedSVD(min(DIMENSIONS, terms.shape[1] - 1), random_state=1).fit_transform(terms))


def distances(kind, x, seen, y, seen_y, alpha=0.0):
    """From rows of x to rows of y: a list of the kinds of features each, and which are seen."""
    square = [((a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T).clip(0) for a, b in zip(x, y)]
    if kind != "penalty":
        return np.sqrt(sum(square))
    weights = seen.sum(0)
    both = [seen[:, at][:, None] * seen_y[:, at] for at in range(2)]
    observed = np.sqrt(sum(s * b for s, b in zip(square, both)))
    penalty = sum(w * (1 - b) for w, b in zip(weights, both)) / weights.sum()
    return (1 - alpha) * observed / np.sqrt(8) + alpha * penalty


def k_means(kind, x, seen, k, alpha, seed):
    start = np.random.default_rng(seed).choice(len(seen), k, replace=False)
    y, seen_y = [a[start] for a in x], np.ones((k, 2)) if kind != "penalty" else seen[start]
    labels = None
    for _ in range(50):
        to = distances(kind, x, seen, y, seen_y, alpha).argmin(1)
        if labels is not None and (to == labels).all():
            break
        labels = to
        member = np.eye(k)[labels].T
        for at in range(2):
            counts = member @ (seen[:, at] if kind == "penalty" else np.ones(len(seen)))
            sums = member @ (x[at] * (seen[:, at : at + 1] if kind == "penalty" else 1))
            y[at] = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], y[at] if kind != "penalty" else 0)
            if kind == "penalty":
                seen_y[:, at] = counts > 0
    return labels


def bags(texts):
    terms = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, max_df=0.5).fit(texts)
    rows = terms.transform(texts).toarray()
    least = np.sort(rows, 1)[:, [-BAG]] if rows.shape[1] > BAG else 0
    rows = np.where(rows >= least, rows, 0)
    return terms.get_feature_names_out(), rows


def jaccard(rows):
    """Of all pairs of bags; 0 of two that are empty."""
    found = np.zeros((len(rows), len(rows)))
    sums = rows.sum(1)
    for at, row in enumerate(rows):
        terms = row > 0
        both = np.minimum(rows[:, terms], row[terms]).sum(1)
        found[at] = both / np.maximum(sums + sums[at] - both, 1e-12)
    return found


def by_bags(content, anchors, classes):
    (content_terms, a), (link_terms, b) = bags(content), bags(anchors)
    at = {term: number for number, term in enumerate(content_terms)}
    more = [term for term in link_terms if term not in at]
    at.update({term: len(content_terms) + number for number, term in enumerate(more)})
    random = np.random.default_rng(9)
    for kind in ("links", "content"):
        for part in (0.0, 0.25, 0.5):
            seen = np.ones((len(classes), 2))
            seen[random.permutation(len(classes))[: int(part * len(classes))], 0 if kind == "content" else 1] = 0
            kinds = [a * seen[:, :1], b * seen[:, 1:]]
            one = np.zeros((len(classes), len(at)))
            one[:, : a.shape[1]] = kinds[0]
            one[:, [at[term] for term in link_terms]] += kinds[1]
            least = np.sort(one, 1)[:, [-BAG]]
            one = jaccard(np.where(one >= least, one, 0))
            both = [np.outer(seen[:, k], seen[:, k]) for k in range(2)]
            mean = sum(jaccard(rows) * b for rows, b in zip(kinds, both)) / np.maximum(sum(both), 1)
            cells = []
            for name, similar in (("one", one), ("kinds", mean)):
                np.fill_diagonal(similar, -1)
                right = (classes[(-similar).argsort(1)[:, :5]] == classes[:, None]).mean()
                cells.append(f"{name} {100 * right:.1f} %")
            print(f"bags, {part:.0%} without {kind}: " + "; ".join(cells))


def main():
    texts, anchors = read(sys.argv[1])
    folder = lambda path: path.rsplit("/", 1)[0]
    sizes = collections.Counter(folder(path) for path in texts)
    pages = sorted(path for path in texts if sizes[folder(path)] >= 5 and anchors[path])
    names, classes = np.unique([folder(path) for path in pages], return_inverse=True)
    print(f"{len(pages)} pages in {len(names)} folders of at least five, all linked to")
    content, links = vectors([texts[path] for path in pages]), vectors([" ".join(anchors[path]) for path in pages])
    some = np.sort(np.random.default_rng(5).permutation(len(pages))[:1000])
    by_bags([texts[pages[at]] for at in some], [" ".join(anchors[pages[at]]) for at in some], classes[some])
    random = np.random.default_rng(7)
    order = random.permutation(len(pages))
    for part in [0.0, 0.25, 0.5, 0.75]:
        seen = np.ones((len(pages), 2))
        hidden = order[: int(part * len(pages))]
        seen[hidden, 1] = 0
        seen[hidden[::10], :] = [0, 1]
        raw = [content, links]
        absent = [a * seen[:, at : at + 1] for at, a in enumerate(raw)]
        mean = [np.where(seen[:, at : at + 1] > 0, a, a[seen[:, at] > 0].mean(0)) for at, a in enumerate(raw)]
        ways = [("absent", absent, 0), ("mean", mean, 0)] + [("penalty", absent, alpha) for alpha in ALPHAS]
        found = collections.defaultdict(list)
        for kind, x, alpha in ways:
            clusters = [k_means(kind, x, seen, len(names), alpha, seed) for seed in range(STARTS)]
            nmi = np.mean([normalized_mutual_info_score(classes, labels) for labels in clusters])
            near = distances(kind, x, seen, x, seen, alpha)
            np.fill_diagonal(near, np.inf)
            right = (classes[near.argsort(1)[:, :5]] == classes[:, None]).mean()
            found[kind].append((nmi, right, alpha))
        cells = [f"{kind} {max(found[kind])[0]:.3f}, {100 * max(r for _, r, _ in found[kind]):.1f} %" for kind in found]
        print(f"hidden {part:.0%}: " + "; ".join(cells), f"(alphas {max(found['penalty'])[2]}, {max(found['penalty'], key=lambda f: f[1])[2]})")


if __name__ == "__main__":
    main()
