#!/usr/bin/env python3
"""A second reader of an index, based on crates/pagekin-core/FORMAT.md instead of the code that writes indexes.

    read.py INDEX --term STEM       the pages in the list of a term: a stem, or an identifier such as pg_dump
    read.py INDEX --page URL        the terms of a page with their frequencies, and its bag
    read.py INDEX --check           reads every file entirely, compares them with each other, and prints counts as JSON

If it needs more information than that page, the page is incomplete. It refuses what a reader MUST refuse, as far as
that finds mistakes in the page, so it is not suitable for untrusted files. It does not stem words or run queries.

Requires Python 3.11 or later, and only its standard library.
"""

import argparse
import gzip
import json
import re
import sys
import unicodedata
import zlib
from dataclasses import dataclass, field
from math import isqrt
from pathlib import Path

VERSION = 1
CHUNK = 65_536  # pages of a chunk of filters
MANIFEST, TABLES, PAGES, ADDRESSES, SAMPLE, SKETCHES, LISTS, WORDS, COMPLETIONS, FILTERS = range(10)
FOLDERS = {
    TABLES: "tables",
    LISTS: "lists",
    PAGES: "pages",
    ADDRESSES: "addresses",
    SAMPLE: "sample",
    SKETCHES: "sketches",
    WORDS: "words",
    COMPLETIONS: "completions",
    FILTERS: "filters",
}
"""The kinds of shards, in the order in which their parts are in the manifest."""

U32, U64 = (1 << 32) - 1, (1 << 64) - 1
WORD_BITS, IDENTIFIER_BITS = 24, 26
IDENTIFIER = 1 << IDENTIFIER_BITS


class Refused(Exception):
    """An index that a reader must refuse."""


def must(holds, problem):
    if not holds:
        raise Refused(problem)


# Hashes.


def xxh64(data):
    """XXH64 with seed 0."""
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5

    def left(value, bits):
        return (value << bits | value >> (64 - bits)) & U64

    def lane(sum_, value):
        return left((sum_ + value * p2) & U64, 31) * p1 & U64

    n, at = len(data), 0
    if n >= 32:
        sums = [(p1 + p2) & U64, p2, 0, -p1 & U64]
        while at + 32 <= n:
            for i in range(4):
                sums[i] = lane(sums[i], int.from_bytes(data[at + 8 * i : at + 8 * i + 8], "little"))
            at += 32
        h = sum(left(s, bits) for s, bits in zip(sums, (1, 7, 12, 18))) & U64
        for s in sums:
            h = ((h ^ lane(0, s)) * p1 + p4) & U64
    else:
        h = p5
    h = (h + n) & U64
    while at + 8 <= n:
        h = (left(h ^ lane(0, int.from_bytes(data[at : at + 8], "little")), 27) * p1 + p4) & U64
        at += 8
    if at + 4 <= n:
        h = (left(h ^ int.from_bytes(data[at : at + 4], "little") * p1 & U64, 23) * p2 + p3) & U64
        at += 4
    for byte in data[at:]:
        h = left(h ^ byte * p5 & U64, 11) * p1 & U64
    h = (h ^ h >> 33) * p2 & U64
    h = (h ^ h >> 29) * p3 & U64
    return h ^ h >> 32


GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def stream(seed):
    s = mix(seed ^ GOLDEN)
    while True:
        s = (s + GOLDEN) & U64
        yield mix(s)


# Numbers and text.


class Reader:
    """Reads fields from a payload."""

    def __init__(self, data, stored=None):
        self.data, self.at = data, 0
        self.stored = stored
        self.text_left = 8 * len(data) + 65_536

    def left(self):
        return len(self.data) - self.at

    def bytes(self, n):
        must(n <= self.left(), "a field beyond the end")
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, n):
        return int.from_bytes(self.bytes(n), "little")

    def u8(self):
        return self.number(1)

    def u16(self):
        return self.number(2)

    def u32(self):
        return self.number(4)

    def u64(self):
        return self.number(8)

    def varint(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                must(value <= U32, "a varint of more than 32 bits")
                return value
        raise Refused("a varint of more than 5 bytes")

    def count(self):
        n = self.varint()
        must(n <= self.left(), "a count beyond the remaining bytes")
        return n

    def text(self):
        return self.bytes(self.count()).decode("utf-8")

    def front_coded(self, before):
        before = before.encode("utf-8")
        same = self.varint()
        must(same <= len(before), "a text that shares more than the previous one contains")
        text = before[:same].decode("utf-8") + self.text()
        self.text_left -= len(text.encode("utf-8"))
        must(self.text_left >= 0, "texts that repeat too much")
        return text

    def front_coded_run(self, n):
        texts, before = [], ""
        for _ in range(n):
            before = self.front_coded(before)
            texts.append(before)
        return texts

    def ascending(self, n, repeats=False):
        numbers = []
        for at in range(n):
            step = self.varint()
            must(at == 0 or repeats or step > 0, "a repeated number")
            numbers.append(step + (numbers[-1] if numbers else 0))
        must(not numbers or numbers[-1] <= U32, "a number of more than 32 bits")
        return numbers

    def end(self):
        must(self.left() == 0, "bytes after the last field")


# Coded bits.


def class_of_first(byte):
    if byte in b"0123456789":
        return 6
    return 7 if 0 < byte < 64 else byte // 4 % 8


def class_of_next(byte):
    groups = [b"0123456789", range(64), range(128, 192), range(192, 256), b"a", b"e", b"i", b"ouy", b"lmnr", b"dkst", b"_"]
    return next((number for number, group in enumerate(groups) if byte in group), 11)


class Coded:
    """Reads bits, each in its context."""

    def __init__(self, model, data):
        self.kept = [256 * byte for byte in model]
        self.data, self.at = data, 0
        self.range, self.code = U32, 0
        for _ in range(4):
            self.shift()

    def shift(self):
        byte = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        self.code = (self.code << 8 | byte) & U32

    def split(self, zero):
        if self.code < zero:
            bit = 0
            self.range = zero
        else:
            bit = 1
            self.code -= zero
            self.range -= zero
        while self.range < 1 << 24:
            self.range = self.range << 8 & U32
            self.shift()
        return bit

    def bit(self, context):
        kept = self.kept[context]
        bit = self.split((self.range >> 12) * max(1, kept >> 4))
        self.kept[context] = kept - (kept >> 5) if bit else kept + ((65_535 - kept) >> 5)
        return bit

    def even_bits(self, n):
        value = 0
        for _ in range(n):
            value = value << 1 | self.split(self.range >> 1)
        return value

    def symbol(self, at, bits):
        node = 1
        for _ in range(bits):
            node = 2 * node + self.bit(at + node)
        return node - (1 << bits)

    def embedding(self, at):
        """Returns the elements of an embedding, or None if there is none."""
        if not self.bit(at):
            return None
        first = [at + 1 + 16 * sum(least <= element for least in (2, 6, 14)) for element in range(32)]
        return [self.symbol(context, 4) - 8 for context in first]

    def number(self, at):
        b = 0
        while b < 31 and self.bit(at + b):
            b += 1
        if b == 0:
            return 0
        high = 2 | self.bit(at + 31 + b)
        return (high << (b - 1) | self.even_bits(b - 1)) - 1

    def end(self, min_bytes):
        rest = self.data[self.at :]
        padded = len(self.data) == min_bytes and not any(rest)
        must(not rest or padded, "bytes after the coded bits")


def min_bytes_of(values):
    """Returns the minimum number of bytes that encode this many postings of a shard, or terms of a block."""
    return -(-max(values - 65_536, 0) // 64)


NUMBER = 63
"""Number of contexts of a number."""


# Files.


def inflate(data, n):
    must(n <= 32 * len(data) + 65_536, "a payload that inflates to too many bytes")
    inflater = zlib.decompressobj(-15)
    inflated = inflater.decompress(data, n + 1)
    must(inflater.eof and not inflater.unused_data and len(inflated) == n, "a payload that inflates to another length")
    return inflated


def unseal(data, kind, generation=None):
    """Returns the generation and the payload of a shard."""
    must(data[:4] == b"PGKN" and len(data) >= 24, "not a pagekin file")
    head = Reader(data[4:24])
    must(head.u16() == VERSION, "another version")
    must(head.u8() == kind, "another kind")
    code, found, stored, checksum = head.u8(), head.u64(), head.u32(), head.u32()
    payload = data[24:]
    must(stored == len(payload), "a file with another length")
    must(24 + stored <= (2 if kind == 0 else 1) << 20, "a file that is too long")
    must(checksum == xxh64(data[:20] + payload) & U32, "a damaged file")
    must(generation is None or generation == found, "another generation than the manifest's")
    reader = Reader(payload)
    if code == 1:
        n = reader.u32()
        payload = inflate(reader.bytes(reader.left()), n)
    elif code == 2:
        n, deflated = reader.u32(), reader.u32()
        payload = inflate(reader.bytes(deflated), n) + reader.bytes(reader.left())
    else:
        must(code == 0, "an unknown code")
    return found, payload


@dataclass
class Part:
    shards: int
    slot: int
    places: list  # of consecutive shards: their files, offsets and lengths
    revised: dict

    @staticmethod
    def read(reader, generations):
        shards, slot = reader.u32(), reader.u32()
        must(slot <= 16 << 20, "slots beyond 16 MiB")
        lie, file, offset = [], 0, 0
        for _ in range(shards if slot == 1 else 0):
            length = 32 * reader.varint()
            if offset > 0 and offset + length > 16 << 20:
                file, offset = file + 1, 0
            lie.append((file, offset, length))
            offset += length
        files = reader.ascending(reader.count())
        places = [reader.varint() for _ in files]
        must(all(place < len(generations) for place in places), "an unknown generation")
        return Part(shards, 0 if lie else slot, lie, {file: generations[place] for file, place in zip(files, places)})


# Weights and frequencies.


def idf_of(df, pages):
    ratio = (max(pages, df) << 16) // max(df, 1)
    if ratio <= 65_536:
        return 1
    whole = ratio.bit_length() - 1 - 16
    part, log = (ratio << 15) >> whole, whole
    for _ in range(12):
        part, log = part * part >> 31, 2 * log
        if part >= 1 << 32:
            part, log = part >> 1, log + 1
    return min(max((12 * log + 2_048) >> 12, 1), 255)


def is_identifier(term):
    return term >= IDENTIFIER


def term_id(stem):
    h = xxh64(stem.encode("utf-8"))
    if len(stem) < 2 or any(c in "0123456789_:.#&+-/" for c in stem):
        return h & (IDENTIFIER - 1) | IDENTIFIER
    return h & ((1 << WORD_BITS) - 1)


FREQUENCIES = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50, 60, 72, 86, 103, 124, 149, 179, 215]
FREQUENCIES += [258, 310, 372, 446, 535, 642]
ROOTS = [65_536, 68_438, 71_468, 74_632, 77_936, 81_386, 84_990, 88_752, 92_682, 96_785, 101_070, 105_545, 110_218]
ROOTS += [115_098, 120_194, 125_515]
MIN_COPIES = [0, 1, 3, 5, 8, 12, 18, 31]
EMPHASES = [0, 130, 330, 560, 850, 1_200, 1_900, 2_300, 560]
OF_NAME, DEFINED = 7, 8
LEVEL_MINIMA = [450, 850, 1_400, 2_100, 3_000, 4_100]
OF_TITLE = 3


def level(term, length_class, mean):
    r = FREQUENCIES[term.frequency]
    n = (ROOTS[length_class % 16] << length_class // 16) >> 16
    saturation = 4_096 * r * 1_024 // (r * 1_024 + 768 + 2_304 * n // mean)
    fit = (0 if term.outside else saturation) + EMPHASES[term.emphasis]
    return OF_NAME if term.emphasis >= OF_NAME else sum(least <= fit for least in LEVEL_MINIMA)


@dataclass
class Term:
    """A term in a record: the classes of its frequency and emphasis, and whether it is outside the text."""

    frequency: int = 0
    emphasis: int = 0
    outside: bool = False


@dataclass
class Record:
    url: str
    title: str = ""
    metadata: dict = field(default_factory=dict)
    length: int = 0
    copies: int = 0
    values: dict = field(default_factory=dict)
    """What it has of each term; if texts is 0, its copies."""
    bag: dict = field(default_factory=dict)
    embedding: list | None = None

    def term(self, term, texts):
        return self.values[term] if texts else Term()

    def text(self):
        """Returns data that is equal for pages with the same title and text."""
        return self.title, {term: value.frequency for term, value in self.values.items() if not value.outside}


class Index:
    """An index in a folder."""

    def __init__(self, path):
        self.path = Path(path)
        generation, payload = unseal((self.path / "pagekin.manifest").read_bytes(), MANIFEST)
        whole = Reader(payload)
        reader = Reader(whole.bytes(whole.u32()))
        self.stems, self.word_embeddings = None, {}
        self.sum, self.rounding, self.frequency = reader.u16(), reader.u8(), reader.u8()
        self.most_terms, self.m, self.bits, self.seed = reader.u16(), reader.u16(), reader.u8(), reader.u64()
        self.table_rule, self.first, self.second = reader.u8(), reader.u8(), reader.u16()
        reserved, self.pages, self.block_pages = reader.u8(), reader.u32(), reader.u32()
        must(self.sum and self.most_terms and 1 <= self.m <= 1_024 and self.bits in (8, 16, 24), "unknown parameters")
        must(max(self.rounding, self.frequency, self.table_rule) <= 1 and not reserved, "unknown parameters")
        self.generations = [reader.u64() for _ in range(reader.count())]
        must(self.generations[-1:] == [generation], "a manifest of another generation")
        self.parts = {kind: Part.read(reader, self.generations) for kind in FOLDERS if kind != FILTERS}
        self.starts = reader.front_coded_run(max(self.parts[COMPLETIONS].shards - 1, 0))
        self.sketch_pages, self.sketch_values = reader.u32(), reader.u16()
        texts = reader.u8()
        must(texts <= 7, "neither texts nor bags")
        self.texts, self.embeddings, without_postings = bool(texts & 1), bool(texts & 2), bool(texts & 4)
        self.mean_length, self.background = reader.u32(), reader.u16()
        self.list_model, self.page_model, self.word_model = (reader.bytes(reader.count()) for _ in range(3))
        must((len(self.list_model), len(self.page_model), len(self.word_model)) == (1_615, 1_039, 5_392), "other contexts")
        must(0 not in self.list_model + self.page_model + self.word_model, "a probability of 0")
        self.base = reader.text()
        self.languages = [(reader.text(), reader.varint()) for _ in range(reader.count())]
        self.rare_weight, self.least_weight, self.key_weight = reader.u8(), reader.u8(), reader.u8()
        counts = reader.varint(), reader.varint()
        self.ids, self.idfs = self.terms(whole.bytes(whole.left()), counts)
        self.ranks = {term: rank for rank, term in enumerate(self.ids)}
        self.stop = {}
        for _ in range(reader.count()):
            language = reader.text()
            self.stop[language] = reader.front_coded_run(reader.count())
        self.folder = reader.text() if reader.left() else ""
        must(re.fullmatch(r"(?!(.*/)?(\.|%2[eE]){1,2}/)([^/\x00-\x1f#?\\]+/)*", self.folder), "a place outside of the site")
        self.parts[FILTERS] = Part.read(reader, self.generations) if reader.left() else Part(0, 0, [], {})
        reader.end()
        self.slots = self.parts[PAGES].shards * self.block_pages
        must(self.pages <= self.slots <= U32, "no slot for each page")
        self.whole = not self.parts[TABLES].shards and (without_postings or not self.parts[LISTS].shards)
        must(not self.whole or self.parts[PAGES].shards <= 16, "neither tables nor lists for more than 16 blocks")
        must(self.parts[WORDS].shards >= 1, "no words")
        sketches = self.parts[SKETCHES].shards
        must(sketches in (0, -(-self.slots // self.sketch_pages)), "no slot for each sketch")

    def is_below_base(self, address):
        """Whether this is a URL below the base URL, as a link may lead to it."""
        host = re.match(r"https?://", address)
        if self.base:
            if not address.startswith(self.base.rstrip("/") + "/") or not host and address.startswith("//"):
                return False
        elif not host:
            return False
        rest = re.sub(r"^https?://[^\x00-\x20@\\?#/]+(?=/)", "", address)
        path, mark, query = rest.partition("?")
        if not path.startswith("/") or re.search(r"[\x00-\x1f#\\]", path) or re.search(r"[\x00-\x1f#]", query):
            return False
        dots = any(re.fullmatch(r"(\.|%2[eE]){1,2}", segment) for segment in path.split("/"))
        return not dots and not (mark and self.texts)

    @staticmethod
    def terms(data, counts):
        """Returns the ids and the weights of a vocabulary with these numbers of words and identifiers."""
        must(sum(counts) <= 65_536 + 64 * len(data), "too many terms for the bytes")
        coded = Coded(bytes([128]) * (2 * NUMBER + 2 * 256), data)
        ids, idfs = [], []
        for of, bits in enumerate((WORD_BITS, IDENTIFIER_BITS)):
            term = 0
            for _ in range(counts[of]):
                term += coded.number(of * NUMBER)
                must(term < 1 << bits, "an invalid id of a term")
                ids.append(term + of * IDENTIFIER)
                idfs.append(coded.symbol(2 * NUMBER + of * 256, 8))
                term += 1
        coded.end(min_bytes_of(sum(counts)))
        return ids, idfs

    # Shards.

    def place(self, kind, number):
        """Returns the file of a shard, its offset and length in a pack or None, and its generation."""
        part = self.parts[kind]
        if part.places:
            file, *inside = part.places[number]
        else:
            slots = max((16 << 20) // part.slot, 1) if part.slot else 1
            file, inside = number // slots, (number % slots * part.slot, part.slot)
        generation = part.revised.get(file, self.generations[0])
        folder = f"index/{generation:016x}/{FOLDERS[kind]}"
        if part.slot or part.places:
            return f"{folder}-{file:03}.pack", inside, generation
        return f"{folder}/{file // 500:02}/{file:04}.shard", None, generation

    def payload(self, kind, number):
        file, inside, generation = self.place(kind, number)
        path = self.path / file
        if inside is None:
            data = path.read_bytes()
        else:
            offset, length = inside
            with path.open("rb") as pack:
                pack.seek(offset)
                data = pack.read(length)
            end = 24 + int.from_bytes(data[16:20], "little")
            must(not any(data[end:]), "a place with more data than its shard")
            data = data[:end]
        return Reader(unseal(data, kind, generation)[1], len(data) - 24)

    def slots_of(self, reader, n):
        slots = reader.ascending(reader.count())
        must(not slots or slots[-1] < n, "a slot beyond the last one")
        return slots

    def table(self, number):
        """Returns buckets by key: their pages with their partners, and whether some pages were omitted."""
        reader, buckets = self.payload(TABLES, number), {}
        partners = self.second if self.table_rule == 1 else 0
        key = None
        for _ in range(reader.count()):
            step = reader.varint()
            must(key is None or step > 0, "a repeated key")
            key = step + (key or 0)
            size = reader.varint()
            n, cut = size // 2 + 1, size % 2 == 1
            pages = reader.ascending(n)
            must(pages[-1] < self.slots, "a page without a slot")
            columns = [reader.bytes(n) for _ in range(partners)]
            buckets[key] = {page: bytes(c[at] for c in columns) for at, page in enumerate(pages)}, cut
        reader.end()
        return buckets

    def lists(self, number):
        """Returns the df and the postings of each term: page, level and class of copies."""
        reader = self.payload(LISTS, number)
        counts = reader.count(), reader.count()
        left = reader.varint()
        must(left <= min(1 << 21, sum(counts) * 4_096), "more postings than lists may contain")
        must(reader.stored >= min_bytes_of(left), "too many postings for the bytes")
        postings = left
        coded = Coded(self.list_model, reader.bytes(reader.left()))
        terms = []
        for of, n in enumerate(counts):
            for at in range(n):
                term = terms[-1] + 1 + coded.number(of * NUMBER) if at else coded.even_bits(27)
                must(IDENTIFIER <= term < 2 * IDENTIFIER if of else term < 1 << WORD_BITS, "an invalid id of a term")
                terms.append(term)
        lists = {}
        for term in terms:
            lists[term] = (0, []) if self.whole else self.list(coded, term, left)
            left -= len(lists[term][1])
        must(left == 0, "fewer postings than declared")
        if self.embeddings:
            self.word_embeddings.update((term, coded.embedding(1_550)) for term in terms if not is_identifier(term))
            must(not self.whole or all(map(self.word_embeddings.get, terms)), "a word without an embedding")
        coded.end(max(min_bytes_of(postings), *counts))
        return lists

    def list(self, coded, term, left):
        of = int(is_identifier(term))
        n = coded.number(126 + of * NUMBER) + 1
        must(n <= min(left, 4_096), "more postings than declared")
        df = n + (coded.number(252) if n == 4_096 else 0)
        group = sum(least <= n for least in (2, 3, 5, 9, 33, 129, 1_025))
        half = group // 2
        postings, block, slot, level_before = [], 0, 0, None
        for at in range(n):
            step = coded.number(630 + group * NUMBER)
            block += step
            if step == 0 and at > 0:
                slot += 1 + coded.number(378 + half * NUMBER)
            else:
                slot = coded.number(315)
            must(block < self.parts[PAGES].shards and slot < self.block_pages, "a posting without a page")
            before = 0 if level_before is None else level_before // 2 + 1
            level_before = coded.symbol(1_134 + (half * 5 + before) * 8, 3)
            copies = 0 if of else coded.symbol(1_294 + (half * 8 + level_before) * 8, 3)
            postings.append((block * self.block_pages + slot, level_before, copies))
        return df, postings

    def block(self, number):
        """Returns the records of a block by page."""
        reader = self.payload(PAGES, number)
        head = Reader(reader.bytes(reader.u32()))
        slots = self.slots_of(head, self.block_pages)
        n = len(slots)
        records = [Record(url) for url in head.front_coded_run(n)]
        must(all(self.is_below_base(record.url) for record in records), "URLs outside of the site")
        for record, title in zip(records, head.front_coded_run(n)):
            record.title = title
        for record in records:
            record.length = head.u8()
        for record in records:
            record.copies = head.varint()
        for record in records:
            kind = head.varint()
            must(kind // 2 <= len(self.languages), "a language that the manifest lacks")
        sizes = [head.varint() for _ in records]
        must(all(size <= (4_096 if self.texts else self.most_terms) for size in sizes), "too many terms in a page")
        rare = head.varint(), head.varint()
        if head.left():
            for record in records:
                record.metadata = metadata_of(head.text())
        head.end()
        common = len(self.ids) if len(self.ids) <= 8_192 else 0
        total = sum(sizes)
        must(sum(rare) <= total <= 1 << 20 and (sum(rare) + common) * n <= 1 << 25, "too many terms in a block")
        must(reader.stored >= min_bytes_of(total), "too many terms for the bytes")
        coded = Coded(self.page_model, reader.bytes(reader.left()))
        block_group = sum(least <= n for least in (5, 17, 49))
        groups = [sum(4 * size * n >= least * total for least in (2, 4, 7)) for size in sizes]
        for term, idf in zip(self.ids[:common], self.idfs):
            group = min(idf // 16, 7)
            if coded.bit(block_group * 8 + group):
                self.pages_of(coded, term, group, groups, records)
        for of, bits in enumerate((WORD_BITS, IDENTIFIER_BITS)):
            term = 0
            for _ in range(rare[of]):
                term += coded.number(32 + of * NUMBER)
                must(term < 1 << bits, "an invalid id of a term")
                self.pages_of(coded, term + of * IDENTIFIER, 8 + of, groups, records)
                term += 1
        if self.embeddings:
            for record in records:
                record.embedding = coded.embedding(974)
        coded.end(min_bytes_of(total))
        for record, size in zip(records, sizes):
            must(len(record.values) == size, "another number of terms than declared")
            record.bag = self.bag(record)
        return {number * self.block_pages + slot: record for slot, record in zip(slots, records)}

    def pages_of(self, coded, term, group, groups, records):
        """Reads the pages of a block that contain a term, and their data about it."""
        having, largest = 0, None
        for at, page in enumerate(groups):
            known = having == 0 and at + 1 == len(groups)
            if not known and not coded.bit(158 + (group * 4 + min(having, 3)) * 4 + page):
                continue
            having += 1
            if self.texts:
                before = 0 if largest is None else 1 if largest == 0 else 2 if largest < 3 else 3
                frequency = coded.symbol(318 + (before * 4 + page) * 32, 5)
                largest = max(largest or 0, frequency)
                rarity = 0 if group < 2 else 1 if group < 9 else 2
                emphasis = coded.symbol(893 + (rarity * 3 + min(frequency, 2)) * 8, 3)
                is_defined = emphasis == OF_NAME and coded.bit(973)
                outside = not frequency and emphasis > 0 and coded.bit(965 + emphasis)
                emphasis = DEFINED if is_defined else emphasis
                value = Term(frequency, emphasis, bool(outside))
            else:
                value = coded.number(830) + 1
                must(value <= 65_535, "too many copies")
            must(term not in records[at].values, "a repeated term of a page")
            records[at].values[term] = value

    def addresses(self, number):
        reader, entries, low = self.payload(ADDRESSES, number), [], 0
        for _ in range(reader.count()):
            low += reader.varint()
            page = reader.varint()
            must(low <= U32 and page < self.slots, "a URL without a page")
            entries.append((low, page))
        reader.end()
        return entries

    def words(self, number):
        """Returns the display words of stems."""
        reader = self.payload(WORDS, number)
        stems = reader.front_coded_run(reader.count())
        words = [reader.front_coded(stem) for stem in stems]
        reader.end()
        encoded = [stem.encode("utf-8") for stem in stems]
        must(all(a < b for a, b in zip(encoded, encoded[1:])), "stems out of order")
        return dict(zip(stems, words))

    def completions(self, number):
        """Returns words with their weights."""
        reader = self.payload(COMPLETIONS, number)
        n = reader.count()
        coded = Coded(self.word_model, reader.bytes(reader.left()))
        words, word, shared, text = [], b"", 0, 0
        for _ in range(n):
            shared = coded.symbol(32 * min(shared, 7), 5)
            must(shared <= len(word), "a word that shares more than the previous one has")
            at = 256 + 256 * class_of_first(word[shared] if shared < len(word) else 0)
            word = word[:shared]
            while byte := coded.symbol(at, 8):
                word += bytes([byte])
                must(text + len(word) <= 8 * len(coded.data) + (64 << 10), "too much text for the bytes")
                at = 2_304 + 256 * class_of_next(byte)
            text += len(word)
            words.append((word.decode("utf-8"), coded.symbol(5_376, 4)))
        coded.end(max(n, -((64 << 10) - text) // 8))
        return words

    def filters(self):
        """Returns all pages, the pages of each value by filter, and pages with their ranks by sort key."""
        readers = [self.payload(FILTERS, number) for number in range(self.parts[FILTERS].shards)]
        if not readers:
            return None, {}, {}
        wanted, shard = [(None, None, self.pages, 0, 0)], (self.pages - 1) // CHUNK

        def place(name, value, kind):
            nonlocal shard
            pages, begins = divmod(first.varint(), 2)
            must(pages > 0, "a value without pages")
            shard += begins
            wanted.append((name, value, pages, shard, kind))
            shard += (pages - 1) // CHUNK

        first, names = readers[0], []
        for kind in (0, 1):
            for _ in range(first.count()):
                names.append((kind, first.text()))
                values = [None] if kind else []
                if kind:
                    place(names[-1][1], None, kind)
                    continue
                for _ in range(first.count()):
                    values.append(first.text())
                    place(names[-1][1], values[-1], kind)
                must(values == sorted(set(values), key=str.encode), "values out of order")
        must(names == sorted(set(names), key=lambda name: (name[0], name[1].encode())), "names out of order")
        must(shard + 1 == len(readers), "another number of shards of filters")
        chunks = [self.chunks(reader) for reader in readers]
        filters, sorts, everything = {}, {}, None
        for name, value, pages, at, kind in wanted:
            found = []
            for number in range(-(-pages // CHUNK)):
                is_ranks, more = next(chunks[at + number])
                must(is_ranks == kind, "another kind of chunk")
                found += more
            must(len(found) == pages, "another number of pages than in the directory")
            if name is None:
                everything = found
            elif kind:
                sorts[name] = dict(found)
            else:
                filters.setdefault(name, {})[value] = found
        must(all(next(rest, None) is None for rest in chunks), "chunks without a value")
        return everything, filters, sorts

    def chunk(self, coded, left):
        """Returns the kind of a chunk, its pages, and how many runs and ranks it has."""
        kind, n = coded.bit(0), coded.number(1) + 1
        must(n <= left, "more runs and ranks than announced")
        gaps = 127 + 2 * NUMBER * min(7, max(0, (self.slots // n).bit_length() - 1))
        pages, at = [], 0
        for _ in range(n):
            page = at + coded.number(gaps)
            last = page if kind else page + coded.number(gaps + NUMBER)
            must(last < self.slots, "a page beyond the slots")
            pages += [(page, coded.number(64))] if kind else range(page, last + 1)
            at = last + (1 if kind else 2)
        return kind, pages, n

    def chunks(self, reader):
        """Returns the chunks of a shard of filters."""
        n, left = reader.varint(), reader.varint()
        must(left <= 65_536, "too many runs and ranks")
        coded, chunks = Coded([128] * 1_135, reader.bytes(reader.left())), []
        for _ in range(n):
            kind, pages, values = self.chunk(coded, left)
            left -= values
            chunks.append((kind, pages))
        must(left == 0, "fewer runs and ranks than announced")
        coded.end(0)
        return iter(chunks)

    def sample(self, number):
        reader, url, title, pages = self.payload(SAMPLE, number), "", "", []
        for _ in range(reader.count()):
            url, title = reader.front_coded(url), reader.front_coded(title)
            must(self.is_below_base(url), "URLs outside of the site")
            pages.append((url, title))
        reader.end()
        return pages

    def sketches(self, number):
        """Returns the number of shingles, the identity, the zeros and the values by page."""
        reader = self.payload(SKETCHES, number)
        slots = self.slots_of(reader, self.sketch_pages)
        shingles = [reader.varint() for _ in slots]
        identities = [(reader.u16(), reader.u32()) for _ in slots]
        zeros = [reader.u8() for _ in slots]
        must(all(z <= 40 for z in zeros), "more than 40 zeros")
        values = []
        for n in shingles:
            high, own = 0, []
            for step in reader.bytes(min(n, self.sketch_values)):
                high += step
                must(high <= 255, "a value of more than 24 bits")
                own.append(high << 16)
            values.append(own)
        for own in values:
            for at in range(len(own)):
                own[at] |= reader.u16()
            must(own == sorted(own), "values out of order")
        reader.end()
        first = number * self.sketch_pages
        return {first + slot: sketch for slot, *sketch in zip(slots, shingles, identities, zeros, values)}

    # Data derived from records.

    def weight(self, term):
        if is_identifier(term):
            return 0
        rank = self.ranks.get(term)
        if rank is None:
            return self.rare_weight
        return self.idfs[rank] if self.idfs[rank] >= self.least_weight else 0

    def weight_where_none_counts(self, term):
        if is_identifier(term):
            return 0
        rank = self.ranks.get(term)
        return max(self.least_weight if rank is None else self.idfs[rank], 1)

    def bag(self, record):
        if not self.texts:
            must(sum(record.values.values()) <= self.sum + len(record.values), "too many copies")
            return dict(record.values)
        weights = []
        in_text = [(term, of_page) for term, of_page in sorted(record.values.items()) if not of_page.outside]
        counts = any(self.weight(term) for term, _ in in_text)
        for term, of_page in in_text:
            tf = FREQUENCIES[of_page.frequency]
            weight = self.weight(term) if counts else self.weight_where_none_counts(term)
            x = (isqrt(65_536 * tf) if self.frequency else 256 * tf) * weight
            if x > 0:
                weights.append((x, term))
        weights = sorted(weights, key=lambda weight: (-weight[0], weight[1]))[: self.most_terms]
        total = sum(x for x, _ in weights)
        if self.rounding == 0:
            copies = {term: self.sum * x // total for x, term in weights}
            by_remainder = sorted(weights, key=lambda weight: (-(self.sum * weight[0] % total), weight[1]))
            for _, term in by_remainder[: self.sum - sum(copies.values())]:
                copies[term] += 1
        else:
            dither = {term: mix(term ^ 0xD17E0000BA905EED) >> 48 for _, term in weights}
            copies = {term: (65_536 * self.sum * x + dither[term] * total) // (65_536 * total) for x, term in weights}
        return {term: n for term, n in sorted(copies.items()) if n}

    def signature(self, bag):
        elements = [mix((term + c * GOLDEN) & U64) >> 32 for term, n in bag.items() for c in range(n)]
        values = []
        for _, drawn in zip(range(self.m), stream(self.seed)):
            a, b = drawn >> 32 | 1, drawn & U32
            values.append(mix(min(a * x + b & U32 for x in elements)) >> (64 - self.bits))
        return values

    def key_signature(self, bag):
        least = self.key_weight
        while True:
            part = {term: n for term, n in bag.items() if self.weight(term) >= least}
            if least == 0 or 8 * sum(part.values()) >= sum(bag.values()):
                return self.signature(part)
            least = max(least - 12, 0)

    def tables(self):
        """Returns the indexes and the partners of each table."""
        if self.table_rule == 1:
            first = self.first
            return [([t], range(first + t * self.second, first + (t + 1) * self.second)) for t in range(first)]
        tables, numbers = [], stream(mix(self.seed) ^ 0x7AB1E5)
        for _ in range(self.second):
            indices = []
            while len(indices) < self.first:
                index = next(numbers) * self.m >> 64
                if index not in indices:
                    indices.append(index)
            tables.append((indices, range(0)))
        return tables

    def list_shard(self, term):
        shards = self.parts[LISTS].shards
        if is_identifier(term):
            return (term - IDENTIFIER) * shards >> IDENTIFIER_BITS
        return term * shards >> WORD_BITS

    def name(self, term):
        """Returns a readable form of a term."""
        if self.stems is None:
            self.stems = {term_id(stem): stem for stem in self.words(0)}
        return self.stems.get(term, f"({term:07x})")

    def record(self, page):
        return self.block(page // self.block_pages).get(page)

    def page_of(self, address):
        """Returns the page with a URL, in the form of its record."""
        h = xxh64(address.encode("utf-8"))
        for low, page in self.addresses((h >> 32) % self.parts[ADDRESSES].shards):
            record = self.record(page) if low == h & U32 else None
            if record and record.url == address:
                return page, record
        return None


def check(index):
    """Reads all files, checks that each page is where its record and the format require, and returns counts."""
    def shards(kind):
        return range(index.parts[kind].shards)

    files = {"pagekin.manifest"} | {index.place(kind, n)[0] for kind in FOLDERS for n in shards(kind)}
    lists = [index.lists(n) for n in shards(LISTS)]
    tables = [index.table(n) for n in shards(TABLES)]
    addresses = [set(index.addresses(n)) for n in shards(ADDRESSES)]
    sketches = [page for n in shards(SKETCHES) for page in index.sketches(n)]
    must(all(term_id(stem) in index.ranks for n in shards(WORDS) for stem in index.words(n)), "a word without a term")
    check_completions(index, [index.completions(n) for n in shards(COMPLETIONS)])
    records = {page: record for n in shards(PAGES) for page, record in index.block(n).items()}
    urls = {record.url for record in records.values()}
    must(len(urls) == len(records) == index.pages, "another number of pages")
    must(not index.parts[SKETCHES].shards or set(sketches) == set(records), "a page without a sketch")
    must(all(url in urls for n in shards(SAMPLE) for url, _ in index.sample(n)), "a sample without a page")
    for page, record in records.items():
        h = xxh64(record.url.encode("utf-8"))
        must((h & U32, page) in addresses[(h >> 32) % len(addresses)], "a page without its URL")
    postings = check_lists(index, lists, records) if lists else 0
    buckets = sum(map(len, tables))
    if tables:
        check_tables(index, tables, records)
    everything, filters, sorts = index.filters()
    must(everything in (None, sorted(records)), "other pages than those with records")
    of_values = [set(pages) for values in filters.values() for pages in values.values()]
    of_keys = [set(ranks) for ranks in sorts.values()]
    must(all(pages <= set(records) for pages in of_values + of_keys), "a value of no page")
    files |= related_files(index, urls)
    return {
        "pages": len(records),
        "terms": len(index.ids),
        "files": len(files),
        "bytes": sum((index.path / file).stat().st_size for file in files),
        "buckets": buckets,
        "lists": sum(map(len, lists)),
        "fewest_lists": min(map(len, lists), default=0),
        "postings": postings,
        "pages_with_metadata": sum(bool(record.metadata) for record in records.values()),
        "filter_values": {name: {value: len(pages) for value, pages in values.items()} for name, values in filters.items()},
        "sort_keys": sorted(sorts),
        "record_terms": sum(len(record.values) for record in records.values()),
        "sketches": len(sketches),
    }


# Letters without a canonical decomposition, and what is typed for them.
TYPED = dict(zip("ðøđħıĸłŋŧſƒəςґєіةىکی", "dodhiklntsfeσгеиهيكي"))
TYPED |= {"ß": "ss", "æ": "ae", "þ": "th", "ĳ": "ij", "œ": "oe"}
TYPED |= dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]))


def fold(c):
    """Returns what is typed for a character, as far as its letters are in the tables of the format."""
    if "\u0300" <= c <= "\u036f":
        return ""
    parts = unicodedata.decomposition(c).split()
    if len(parts) == 2 and not parts[0].startswith("<") and not "\uac00" <= c <= "\ud7a3":
        return fold(chr(int(parts[0], 16)))
    return TYPED.get(c, c)


def folded(word):
    return "".join(fold(c) for c in word)


def check_completions(index, shards):
    words = [(folded(word).encode("utf-8"), word.encode("utf-8")) for shard in shards for word, _ in shard]
    must(all(a < b for a, b in zip(words, words[1:])), "completions out of order")
    must(all(weight <= 15 for shard in shards for _, weight in shard), "a weight beyond 15")
    for start, before, shard in zip(index.starts, shards, shards[1:]):
        start = start.encode("utf-8")
        keys = [[folded(word).encode("utf-8") for word, _ in part] for part in (before, shard)]
        must(all(key < start for key in keys[0]), "a completion after its shard")
        must(all(key >= start for key in keys[1]), "a completion before its shard")


def check_lists(index, lists, records):
    listed, n, complete = {}, 0, set()
    for number, shard in enumerate(lists):
        for term, (df, postings) in shard.items():
            must(index.list_shard(term) == number, "a list in another shard")
            n += len(postings)
            if df == len(postings) and not index.whole:
                complete.add(term)
            for page, level_, copies in postings:
                listed[page, term] = level_, copies
    for (page, term), (level_, copies) in listed.items():
        record = records[page]
        must(term in record.values or level_ == OF_TITLE and not index.texts, "a posting of a page without the term")
        if term in record.values:
            expected = level(record.term(term, index.texts), record.length, index.mean_length)
            must(level_ == expected, "another level than in the record")
        expected = sum(least <= record.bag.get(term, 0) for least in MIN_COPIES) - 1
        must(copies == expected, "other copies than in the bag")
    missing = [
        page
        for page, record in records.items()
        if any((page, term) not in listed and term in complete for term in record.values)
    ]
    # One page of a group with the same title and text may represent all.
    of_groups = {}
    for page, record in records.items():
        if record.copies:
            of_groups.setdefault(record.copies >> 1, []).append(page)
    for page in missing:
        record, others = records[page], of_groups.get(records[page].copies >> 1, [])
        stands_for = [
            records[other].text() == record.text() and other not in missing for other in others if other != page
        ]
        must(any(stands_for), "a page that is not in the list of its term")
        must(not record.copies & 1, "an original that another page represents in lists")
        must(not any((page, term) in listed for term in record.values), "a page that is only in some lists of its terms")
    return n


def metadata_of(text):
    """Returns the metadata of a page by key."""
    must(len(text.encode("utf-8")) <= 4_096, "metadata of more than 4,096 bytes")
    lines = text.split("\n") if text else []
    must(len(lines) % 2 == 0, "a key without a value")
    return dict(zip(lines[::2], lines[1::2]))


def check_tables(index, tables, records):
    for page, record in records.items():
        values = index.key_signature(record.bag)
        places = {}
        for t, (indices, partners) in enumerate(index.tables()):
            bucket = mix(t)
            for at in indices:
                bucket = mix(bucket ^ values[at])
            place = (bucket >> 32) % len(tables), t << 16 | bucket & 0xFFFF
            must(place not in places, "two tables that share a bucket")
            places[place] = bytes(values[at] & 0xFF for at in partners)
        for (shard, key), partners in places.items():
            pages, cut = tables[shard].get(key, ({}, False))
            must(page in pages or cut, "a page that is not in its bucket")
            must(page not in pages or pages[page] == partners, "other partners than those of the page")


def address_key(address):
    """Returns a key that is equal for all URLs at which hosts serve the same file."""
    path, mark, query = address.partition("?")
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,:;=@"

    def written(match):
        byte = bytes([int(match[1], 16)]) if match[1] else match[0]
        return byte if byte in plain or match[0] == b"/" else b"%%%02X" % byte[0]

    path = re.sub(rb"(?s)%([0-9A-Fa-f]{2})|.", written, path.encode("utf-8")).decode("ascii")
    return re.sub(r"(/index\.html?|\.html|/)+$", "", path) + mark + query


def related_files(index, urls):
    """Checks the files of related pages, and that each page is in its shard. Returns the names of the files."""
    entry_path = index.path / "pagekin.kin"
    if not entry_path.exists():
        return set()
    entry = json.loads(entry_path.read_bytes())
    must(entry["format"] == 1, "another format of related pages")
    later = {number: generation for generation, numbers in entry["revised"].items() for number in numbers}
    files, kin, found = {"pagekin.kin"}, [], set()
    for number in range(entry["shards"]):
        generation = later.get(number, entry["generation"])
        must(int(generation, 16) in index.generations, "related pages of another generation")
        file = f"index/{generation}/related/{number // 500:02}/{number:04}.kin"
        files.add(file)
        shard = json.loads(gzip.decompress((index.path / file).read_bytes()))
        copies = shard.pop("#copies", {})
        for address, (whole, others, pages) in copies.items():
            must(address in shard and whole in (0, 1) and 1 <= len(pages) <= min(5, others + 1), "copies of pages")
            kin += [entry["base"] + page[0] for page in pages]
        for address, pages in shard.items():
            url, h = entry["base"] + address, 0x811C9DC5
            for byte in address_key(url).encode("utf-8"):
                h = (h ^ byte) * 0x01000193 & U32
            must(h % entry["shards"] == number, "related pages in another shard")
            found.add(url)
            kin += [entry["base"] + page[0] for page in pages]
    must(found == urls and set(kin) <= urls, "related pages of other pages")
    return files


def show_term(index, stem):
    term = term_id(stem)
    if not index.parts[LISTS].shards:
        raise Refused("an index without lists")
    number = index.list_shard(term)
    shard = index.lists(number)
    if term not in shard:
        raise Refused(f"no page contains {stem}")
    df, postings = shard[term]
    if index.whole:
        print(f"{stem}: id {term}, in shard {number} with {len(shard)} terms; its embedding is {index.word_embeddings[term]}")
        return
    print(f"{stem}: id {term}, in shard {number} with {len(shard)} terms; on {df} pages, idf {idf_of(df, index.pages)}")
    for page, level_, copies in postings:
        print(f"{index.record(page).url}\tlevel {level_}\tcopies {MIN_COPIES[copies]} or more")


def show_page(index, address):
    found = index.page_of(address)
    if not found:
        raise Refused(f"no page has the URL {address}")
    page, record = found
    print(f"page {page}: {record.title}; {len(record.values)} terms")
    for key, value in record.metadata.items():
        print(f"{key}\t{value}")
    terms = [
        (FREQUENCIES[value.frequency] * (not value.outside) if index.texts else 1, record.bag.get(term, 0), index.name(term))
        for term, value in record.values.items()
    ]
    for frequency, copies, name in sorted(terms, key=lambda term: (-term[0], -term[1], term[2])):
        print(f"{frequency}\t{copies}\t{name}")


def similarities(index):
    """Returns the similarities of each page to the pages that share terms with its bag, by URL."""
    records = [record for n in range(index.parts[PAGES].shards) for record in index.block(n).values()]
    bags = {record.url: index.bag(record) for record in records}

    def jaccard(a, b):
        smaller = sum(min(n, b.get(term, 0)) for term, n in a.items())
        return smaller / (sum(a.values()) + sum(b.values()) - smaller)

    found = {}
    for url, bag in bags.items():
        of = {other: jaccard(bag, others) for other, others in bags.items() if other != url}
        found[url] = {other: similarity for other, similarity in of.items() if similarity}
    return found


def main():
    parser = argparse.ArgumentParser(description="A second reader of an index.")
    parser.add_argument("index", help="the folder of the index")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--term", help="a stem, or an identifier: print its list")
    what.add_argument("--page", help="the address of a page: print its terms, with frequencies and copies")
    what.add_argument("--similarities", action="store_true", help="print the similarities of all pairs of pages")
    what.add_argument("--check", action="store_true", help="read every file and print counts")
    arguments = parser.parse_args()
    try:
        index = Index(arguments.index)
        if arguments.check:
            print(json.dumps(check(index)))
        elif arguments.similarities:
            print(json.dumps(similarities(index)))
        elif arguments.term is not None:
            show_term(index, arguments.term)
        else:
            show_page(index, arguments.page)
    except (Refused, OSError) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
