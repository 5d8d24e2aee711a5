"""Do bits that are learnt find the pages like a page better than bits that are drawn?

    python learned_bits.py SITE

The terms of each page, weighed by tf-idf, become 128 dimensions by a truncated decomposition. A hash of b bits is the signs of b
projections of these:

  random    drawn (SimHash)
  learnt    by gradients, so that the Hamming distance of two pages tells most about whether they are alike: the mutual information
            of both, by histograms with soft bins (Cakir, He, Bargal and Sclaroff, Hashing with Mutual Information, 2018)
  minhash   the lowest 8 bits of b / 8 minimal hashes of the page's terms

Alike are pages among the ten of highest cosine of all terms, or, of which the learnt bits are told, pages that link to each other or
are linked to from the same page. Bits are learnt from one half of the pages. For each page of the other half, all of that half are
ordered by their Hamming distance, or by equal values; printed is how many of the pages alike are among the first twenty.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from pages import read as pages_of
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

DIMENSIONS, FIRST, STEPS, BATCH = 128, 20, 600, 256


def read(root):
    texts, links = {}, {}
    for path, text, to in pages_of(root):
        texts[path], links[path] = text, {target for target, _ in to}
    return texts, links


def linked(pages, links):
    at = {page: number for number, page in enumerate(pages)}
    alike = np.zeros((len(pages), len(pages)), bool)
    for page in pages:
        to = [at[other] for other in links[page] if other in at and other != page]
        if len(to) <= 30:  # Longer ones are menus and lists of everything.
            alike[at[page], to] = alike[to, at[page]] = True
            alike[np.ix_(to, to)] = True
    np.fill_diagonal(alike, False)
    return alike


def mutual_information(weights, x, alike):
    """The mean over pages of I(distance; alike), with bins two bits wide for the distances."""
    codes = jnp.tanh(x @ weights)
    bits = weights.shape[1]
    distance = (bits - codes @ codes.T) / 2
    bins = jnp.linspace(0, bits, bits // 2 + 1)
    soft = jnp.maximum(0, 1 - jnp.abs(distance[:, :, None] - bins) / (bins[1] - bins[0]))
    other = 1 - jnp.eye(len(x))
    positive, negative = alike * other, (1 - alike) * other
    n_positive, n = positive.sum(1), other.sum(1)
    with_ = (soft * positive[:, :, None]).sum(1)
    without = (soft * negative[:, :, None]).sum(1)
    entropy = lambda p: -(p * jnp.log(jnp.maximum(p, 1e-9))).sum(1)
    share = n_positive / n
    p_with = with_ / jnp.maximum(n_positive, 1)[:, None]
    p_without = without / jnp.maximum(n - n_positive, 1)[:, None]
    whole = entropy((with_ + without) / n[:, None])
    information = whole - share * entropy(p_with) - (1 - share) * entropy(p_without)
    return (information * (n_positive > 0)).sum() / jnp.maximum((n_positive > 0).sum(), 1)


def learn(x, alike, bits, seed):
    random = np.random.default_rng(seed)
    weights = jnp.asarray(random.normal(size=(x.shape[1], bits)))
    gradient = jax.jit(jax.grad(mutual_information))
    mean, square = jnp.zeros_like(weights), jnp.zeros_like(weights)
    for step in range(1, STEPS + 1):
        batch = random.choice(len(x), min(BATCH, len(x)), replace=False)
        g = gradient(weights, x[batch], alike[np.ix_(batch, batch)].astype(float))
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        weights = weights + 0.02 * (mean / (1 - 0.9**step)) / (jnp.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return np.asarray(weights)


def found(scores, alike):
    np.fill_diagonal(scores, -np.inf)
    asked = alike.sum(1) > 0
    first = np.argsort(-scores, axis=1, kind="stable")[:, :FIRST]
    right = np.take_along_axis(alike, first, 1).sum(1)
    return 100 * (right[asked] / np.minimum(FIRST, alike[asked].sum(1))).mean()


def minimal(terms, values, seed):
    random = np.random.default_rng(seed)
    hashes = random.integers(0, 2**32, (terms.shape[1], values), dtype=np.int64)
    return np.array([hashes[row.indices].min(0) if row.nnz else np.zeros(values, np.int64) for row in terms]) & 255


def main():
    texts, links = read(sys.argv[1])
    pages = sorted(texts)
    terms = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2, max_df=0.5).fit_transform([texts[p] for p in pages])
    x = normalize(TruncatedSVD(DIMENSIONS, random_state=1).fit_transform(terms))
    order = np.random.default_rng(3).permutation(len(pages))[:3000]
    half = len(order) // 2
    train, test = order[:half], order[half:]

    def nearest(rows):
        cosine = (terms[rows] @ terms[rows].T).toarray()
        np.fill_diagonal(cosine, -1)
        alike = np.zeros(cosine.shape, bool)
        np.put_along_axis(alike, np.argsort(-cosine, 1)[:, :10], True, 1)
        return alike

    by_links = linked(pages, links)
    truths = {"cosine": (nearest(train), nearest(test)), "links": tuple(by_links[np.ix_(rows, rows)] for rows in (train, test))}
    print(f"{len(train)} pages to learn from, {len(test)} to measure by")
    for name, (known, alike) in truths.items():
        exact = (terms[test] @ terms[test].T).toarray().astype(float)
        print(f"{name}: by the exact cosine {found(exact, alike):.1f} %")
        for bits in (64, 128):
            codes = lambda weights: np.sign(x[test] @ weights)
            draws = [np.random.default_rng(seed).normal(size=(DIMENSIONS, bits)) for seed in range(5)]
            drawn = np.mean([found((c := codes(w)) @ c.T, alike) for w in draws])
            learnt = [found((c := codes(learn(x[train], known, bits, seed))) @ c.T, alike) for seed in range(2)]
            hashed = []
            for seed in range(3):
                values = minimal(terms[test], bits // 8, seed)
                hashed.append(found(sum((v[:, None] == v).astype(float) for v in values.T), alike))
            print(f"  {bits} bits: random {drawn:.1f} %, learnt {np.mean(learnt):.1f} %, minhash {np.mean(hashed):.1f} %", flush=True)


if __name__ == "__main__":
    main()
