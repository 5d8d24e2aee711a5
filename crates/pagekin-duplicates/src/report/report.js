// @ts-check
/**
 * Draws the report of `pagekin duplicates --format html`. All data is embedded in the page: the
 * groups as JSON, and the texts of pairs in deflated chunks, which are unpacked when a pair is
 * opened. The page makes no requests. The state of the view is in the fragment of the URL.
 *
 * A page of a group: its URL, title, number of words, number of files that name it as canonical,
 * number of pages that link to it, and the number of its text, if included. For a copy, the index
 * in the group of the page with the same words follows. For any other page except the original,
 * these follow: the shared shingles, its own shingles, its B- and C-similarity to the original
 * (null if estimated), the original's shingles, and the name of the kind.
 * @typedef {[string, string, number, number, number, number | null, number?, number?, (number | null)?, (number | null)?, number?, string?]} Row
 *
 * A group: why its first page is the probable original, and its pages.
 * @typedef {["canonical" | "links" | "address" | "alphabet", Row[]]} Stored
 *
 * `texts`: the number of the first text of each chunk, followed by the total number of texts.
 * `folder`: the site's folder, relative to this file. `estimated`: whether pairs are estimated from
 * samples, since the pages are not available. `known`: for each group, the positions of the pages
 * whose pairs are in the baseline, if there is one.
 * @typedef {{base: string, folder: string | null, min: number, estimated: boolean, pages: number, copies: number, numbers: number, pairs: number,
 *   passages: number, texts: number[], groups: Stored[], known?: number[][]}} Report
 *
 * A text, the passages of the original that it contains, and its own passages that the original
 * contains.
 * @typedef {[string, number[]?, number[]?]} Text
 */

/** Number of groups or members drawn at a time. */
const PAGE_SIZE = 50;
/** Maximum number of chunks of texts that stay unpacked. */
const MAX_CHUNKS = 6;

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = /** @type {(id: string) => HTMLInputElement} */ (element);
const button = /** @type {(id: string) => HTMLButtonElement} */ (element);
const dialog = /** @type {HTMLDialogElement} */ (element("pair"));

/** @type {Report} */
const report = JSON.parse(element("data").textContent ?? "");

/**
 * A page of a group, for display.
 *
 * @typedef {{url: string, title: string, words: number, canonicalOf: number, inLinks: number,
 *   text: number | null, copyOf: number | null, resemblance: number, inOriginal: number,
 *   ofOriginal: number, b: number | null, c: number | null, kind: string, known: boolean}} Member
 *
 * `quotes`: the pages have less than the minimum resemblance to the original, but quote it or are
 * quoted by it.
 * @typedef {{number: number, why: Stored[0], quotes: boolean, original: Member, members: Member[], key: string}} Group
 */

/**
 * @param {Row} row
 * @param {Member[]} before the members before it in the group
 * @returns {Member}
 */
function member([url, title, words, canonicalOf, inLinks, text, ...rest], before) {
  const page = { url, title, words, canonicalOf, inLinks, text, known: false };
  const [first = 0, own, b = 6, c = 384, original = 1, kind = "copy"] = rest;
  if (own !== undefined) {
    const resemblance = first / (original + own - first);
    return { ...page, copyOf: null, resemblance, inOriginal: first / own, ofOriginal: first / original, b, c, kind };
  }
  const of = before[first];
  if (!of) return { ...page, copyOf: null, resemblance: 1, inOriginal: 1, ofOriginal: 1, b, c, kind };
  return { ...of, ...page, copyOf: first };
}

/** @type {Group[]} */
const groups = report.groups.map(([why, rows], number) => {
  /** @type {Member[]} */
  const pages = [];
  for (const row of rows) pages.push(member(row, pages));
  for (const place of report.known?.[number] ?? []) pages[place].known = true;
  const key = pages.map(({ url, title }) => `${url}\n${title}`).join("\n").toLowerCase();
  const members = pages.slice(1);
  const quotes = members.some(({ kind }) => kind === "passages");
  return { number, why, quotes, original: pages[0], members, key };
});

// State of the view

/** @typedef {{q: string, kind: string, min: string, sort: string, reversed: boolean, page: number, group: number, member: number}} Chosen */

/** @type {Chosen} */
const NOTHING = { q: "", kind: "", min: "", sort: "", reversed: false, page: 0, group: -1, member: -1 };

/** @returns {Chosen} */
function chosenInUrl() {
  const given = new URLSearchParams(location.hash.slice(1));
  const text = /** @type {(name: string) => string} */ ((name) => given.get(name) ?? "");
  const number = /** @type {(name: string, none: number) => number} */ (
    (name, none) => (/^\d{1,9}$/.test(text(name)) ? Number(text(name)) - 1 : none)
  );
  /** @type {(name: string, among: string[]) => string} */
  const one = (name, among) => (among.includes(text(name)) ? text(name) : "");
  return {
    q: text("q"),
    kind: one("kind", ["copies", "numbers", "near", "passages", "new"]),
    min: text("min"),
    sort: one("sort", ["resemblance", "address", "words"]),
    reversed: text("order") === "reversed",
    page: Math.max(0, number("page", 0)),
    group: number("group", -1),
    member: number("member", -1),
  };
}

let chosen = NOTHING;

/**
 * Changes the state, draws it, and stores it in the URL.
 *
 * @param {Partial<Chosen>} change
 * @param {boolean} [step] whether the browser's Back button undoes it
 */
function choose(change, step = false) {
  const next = { ...chosen, ...change };
  const address = new URLSearchParams();
  for (const name of /** @type {const} */ (["q", "kind", "min", "sort"])) if (next[name]) address.set(name, next[name]);
  if (next.reversed) address.set("order", "reversed");
  if (next.page > 0) address.set("page", `${next.page + 1}`);
  if (next.group >= 0) address.set("group", `${next.group + 1}`);
  if (next.member >= 0) address.set("member", `${next.member + 1}`);
  // An empty fragment would scroll to the top.
  const fragment = "#" + (address.toString() || "all");
  if (step) location.hash = fragment;
  else location.replace(fragment);
  draw(next);
}

// Elements

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

const numbers = new Intl.NumberFormat("en");

/**
 * @param {number} n
 * @param {string} one
 * @param {string} many
 */
const count = (n, one, many = `${one}s`) => `${numbers.format(n)} ${n === 1 ? one : many}`;

/** Formats a share. Rounds down, so that only 1 becomes 100%. @param {number} part */
const percent = (part) => `${(Math.floor(part * 1000 + 1e-9) / 10).toFixed(1).replace(/\.0$/, "")}%`;

/**
 * Returns the URL at which a page can be opened: on the published site if its host is known,
 * otherwise in the site's folder relative to this file.
 *
 * @param {string} url
 */
function target(url) {
  if (/^https?:\/\//.test(url)) return url;
  if (location.protocol !== "file:") return url.startsWith("/") ? url : undefined;
  if (report.folder === null || !url.startsWith(report.base)) return undefined;
  const file = url.slice(report.base.length);
  return new URL(`${report.folder}${file}${file === "" || file.endsWith("/") ? "index.html" : ""}`, location.href).href;
}

/** @param {string} url */
function link(url) {
  const href = target(url);
  return href === undefined ? make("span", {}, url) : make("a", { href, rel: "noreferrer", target: "_blank" }, url);
}

/**
 * Formats the length of a page. An index only stores the number of distinct runs of ten words.
 *
 * @param {Member} page
 */
const words = (page) => count(page.words, report.estimated ? "run of words" : "word", report.estimated ? "runs of words" : "words");

/** @param {Member} page */
const name = (page) => page.title || page.url;

// The list

/** Returns the members of a group that match the filters. @param {Group} group */
function matching({ quotes, members }) {
  const min = Number(chosen.min) / 100 || 0;
  const { kind } = chosen;
  return members.filter((member) => {
    const own = quotes ? "passages" : member.copyOf === 0 ? "copies" : member.kind === "same-but-numbers" ? "numbers" : "near";
    return member.resemblance >= min && (kind === "new" ? !member.known : kind === "" || kind === own);
  });
}

/** Returns the larger of the two containments of a page and the original. @param {Member} member */
const contained = ({ inOriginal, ofOriginal }) => Math.max(inOriginal, ofOriginal);

/** @typedef {{group: Group, members: Member[], min: number}} Shown */

/** @returns {Shown[]} the groups that match the filters, in order */
function listed() {
  const parts = chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
  /** @type {Shown[]} */
  const shown = [];
  for (const group of groups) {
    if (!parts.every((part) => group.key.includes(part))) continue;
    const members = matching(group);
    if (members.length === 0) continue;
    shown.push({ group, members, min: Math.min(...members.map(({ resemblance }) => resemblance)) });
  }
  /** @type {Record<string, (a: Shown, b: Shown) => number>} */
  const orders = {
    "": (a, b) => b.members.length - a.members.length,
    resemblance: (a, b) => b.min - a.min,
    address: (a, b) => (a.group.original.url < b.group.original.url ? -1 : 1),
    words: (a, b) => b.group.original.words - a.group.original.words,
  };
  const order = orders[chosen.sort];
  return shown.sort((a, b) => (chosen.reversed ? -1 : 1) * order(a, b) || a.group.number - b.group.number);
}

/** @type {Shown[]} */
let shown = [];
/** The filters that `shown` belongs to. */
let shownFor = "";

function drawList() {
  const { q, kind, min, sort, reversed } = chosen;
  const filters = JSON.stringify([q, kind, min, sort, reversed]);
  if (filters !== shownFor) shown = listed();
  shownFor = filters;
  const pages = Math.max(1, Math.ceil(shown.length / PAGE_SIZE));
  chosen.page = Math.min(chosen.page, pages - 1);
  const from = chosen.page * PAGE_SIZE;
  const here = shown.slice(from, from + PAGE_SIZE);
  const duplicates = shown.reduce((sum, { members }) => sum + members.length, 0);
  element("status").textContent =
    groups.length === 0
      ? "No near-duplicates found."
      : shown.length === 0
        ? "No group matches. Relax the filters above."
        : `${count(shown.length, "group")} with ${count(duplicates, "page")} besides the originals` +
          (pages > 1 ? `; showing groups ${numbers.format(from + 1)} to ${numbers.format(from + here.length)}` : "");
  element("list").replaceChildren(...here.map(drawGroup));
  element("pager").hidden = pages === 1;
  element("where").textContent = `Page ${numbers.format(chosen.page + 1)} of ${numbers.format(pages)}`;
  button("before").disabled = chosen.page === 0;
  button("after").disabled = chosen.page === pages - 1;
}

/** A prefix for estimates. */
const about = report.estimated ? "about " : "";
/** @param {number} n */
const countCopies = (n) => (report.estimated ? count(n, "copy", "copies") : count(n, "exact copy", "exact copies"));
const exactCopy = report.estimated ? "probable copy" : "exact copy";

/** @param {Shown} shown */
function drawGroup({ group, members, min }) {
  const { number, original } = group;
  const open = chosen.group === number;
  const toggle = make("button", { type: "button", class: "toggle", id: `group-${number + 1}`, "aria-expanded": `${open}` }, name(original));
  if (open) toggle.setAttribute("aria-controls", `members-${number + 1}`);
  toggle.addEventListener("click", () => {
    choose({ group: open ? -1 : number, member: -1 }, true);
    const again = document.getElementById(toggle.id);
    again?.focus({ preventScroll: true });
    again?.scrollIntoView({ block: "nearest" });
  });
  const copies = members.filter((member) => member.copyOf === 0).length;
  const others = members.filter((member) => member.kind === "same-but-numbers").length;
  const facts = [
    make("span", {}, count(members.length + 1, "page")),
    ...(copies > 0 ? [make("span", {}, countCopies(copies))] : []),
    ...(others > 0 ? [make("span", {}, `${numbers.format(others)} the same but for numbers`)] : []),
    ...(group.quotes
      ? [make("span", { class: "badge" }, "shared passages"), make("span", {}, `up to ${percent(Math.max(...members.map(contained)))} of a page`)]
      : copies < members.length
        ? [make("span", {}, `minimum resemblance ${about}${percent(min)}`)]
        : []),
    ...(report.known ? [make("span", {}, `${numbers.format(members.filter(({ known }) => !known).length)} not in the baseline`)] : []),
    make("span", {}, words(original)),
  ];
  const head = make("div", { class: "group" }, make("h2", {}, toggle), make("p", { class: "address" }, link(original.url)), make("p", { class: "numbers quiet" }, ...facts));
  const item = make("li", {}, head);
  if (open) item.append(drawMembers(group, members));
  return item;
}

/** Explains why the first page of a group is the probable original. @param {Group} group */
function reason({ why, original, members }) {
  const next = /** @type {(of: (member: Member) => number) => string} */ ((of) => numbers.format(Math.max(...members.map(of))));
  const looks = "Probably the original: ";
  if (why === "canonical")
    return `${looks}${count(original.canonicalOf, "other file names", "other files name")} it as canonical; at most ${next((m) => m.canonicalOf)} for the others.`;
  if (why === "links") return `${looks}${count(original.inLinks, "other page links", "other pages link")} to it; at most ${next((m) => m.inLinks)} to the others.`;
  const address = `its URL is ${why === "address" ? "the shortest" : "the alphabetically first of the shortest"}`;
  if (report.estimated) return `${looks}${address}. An index does not record links.`;
  const equal = original.canonicalOf + original.inLinks > 0 ? "another page has as many canonical references and links" : "none is named canonical or linked to";
  return `${looks}${equal}, and ${address}.`;
}

/**
 * @param {Group} group
 * @param {Member[]} members
 */
function drawMembers(group, members) {
  const list = make("ul", { class: "members", role: "list" });
  const more = make("button", { type: "button" });
  const rest = make("p", { class: "more" }, more);
  const add = () => {
    const from = list.childElementCount;
    // Show exponentially more, so that thousands need few clicks.
    list.append(...members.slice(from, from * 4 || PAGE_SIZE).map((member) => drawMember(group, member)));
    const left = members.length - list.childElementCount;
    rest.hidden = left === 0;
    more.textContent = `Show more (${count(left, "page")} left)`;
    return from;
  };
  more.addEventListener("click", () => list.children[add()]?.querySelector("button")?.focus());
  add();
  return make("div", { id: `members-${group.number + 1}` }, make("p", { class: "why" }, reason(group)), list, rest);
}

/**
 * @param {Group} group
 * @param {Member} member
 */
function drawMember(group, member) {
  const at = group.members.indexOf(member);
  const { copyOf, resemblance, inOriginal, ofOriginal, b, c } = member;
  const facts =
    copyOf === 0
      ? [make("span", { class: "badge" }, exactCopy)]
      : [
          make("strong", {}, `${about}${percent(resemblance)}`),
          make("span", {}, `${about}${percent(inOriginal)} of it is in the original`),
          make("span", {}, `${about}${percent(ofOriginal)} of the original is in it`),
          ...(b === null ? [] : [make("span", {}, `B ${b} of 6`), make("span", {}, `C ${c} of 384`)]),
        ];
  if (copyOf) facts.push(make("span", { class: "badge" }, `${exactCopy} of ${group.members[copyOf - 1].url}`));
  if (member.known) facts.push(make("span", { class: "badge" }, "in the baseline"));
  facts.push(make("span", { class: "quiet" }, words(member)));
  const compare = make("button", { type: "button", id: `member-${group.number + 1}-${at + 1}`, "aria-label": `Compare ${member.url} with the original` }, "Compare");
  compare.addEventListener("click", () => choose({ member: at }, true));
  return make(
    "li",
    {},
    make("div", {}, make("h3", {}, name(member)), make("p", { class: "address" }, link(member.url)), make("p", { class: "numbers" }, ...facts)),
    compare,
  );
}

// A pair

/** @type {Map<number, Promise<Text[]>>} the most recently used chunks */
const chunks = new Map();

/** @param {number} number the number of a text @returns {Promise<Text>} */
async function text(number) {
  // The last chunk that starts at this text or earlier.
  const chunk = report.texts.findIndex((first) => first > number) - 1;
  const unpacked = chunks.get(chunk) ?? unpack(element(`texts-${chunk}`).textContent ?? "");
  chunks.delete(chunk);
  chunks.set(chunk, unpacked);
  for (const oldest of chunks.keys()) if (chunks.size > MAX_CHUNKS) chunks.delete(oldest);
  return (await unpacked)[number - report.texts[chunk]];
}

/** @param {string} base64 @returns {Promise<Text[]>} */
async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** The marks of the open pair, and the index of the current one of the original. */
let marks = { first: /** @type {HTMLElement[]} */ ([]), second: /** @type {HTMLElement[]} */ ([]), twin: /** @type {number[]} */ ([]), at: -1 };

/**
 * Marks the passages of a text.
 *
 * @param {string} text
 * @param {number[]} passages three numbers each: the characters since the previous passage, its length, and the number of the passage of the other text
 * @param {(twin: number, at: number) => void} choose
 */
function marked(text, passages, choose) {
  const drawn = document.createDocumentFragment();
  const found = [];
  let from = 0;
  for (let at = 0; at < passages.length; at += 3) {
    const start = from + passages[at];
    const end = start + passages[at + 1];
    const mark = make("mark", {}, text.slice(start, end));
    mark.addEventListener("click", () => choose(passages[at + 2], at / 3));
    drawn.append(text.slice(from, start), mark);
    found.push(mark);
    from = end;
  }
  drawn.append(text.slice(from));
  return { drawn, found };
}

/**
 * Draws one page of a pair.
 *
 * @param {string} label
 * @param {Member[]} pages the pages with the text
 * @param {string} fact
 * @param {Node} content
 */
function side(label, pages, fact, content) {
  const links = pages.flatMap(({ url }, at) => (at > 0 ? [" and ", link(url)] : [link(url)]));
  const head = make("header", {}, make("h3", {}, label), make("p", {}, ...links), make("p", { class: "quiet" }, fact));
  const body = make("div", { class: "text", tabindex: "0", role: "region", "aria-label": `Text: ${label}` }, content);
  return make("section", { class: "side", "aria-label": label }, head, body);
}

/** The pair that is drawn or about to be drawn. */
let drawnPair = "";

async function drawPair() {
  const group = groups[chosen.group];
  const member = group?.members[chosen.member];
  const pair = member ? `${chosen.group} ${chosen.member}` : "";
  if (pair === drawnPair) return;
  drawnPair = pair;
  if (!member) return dialog.close();
  const { original } = group;
  const copy = member.copyOf === 0;
  element("pair-title").textContent = copy
    ? exactCopy[0].toUpperCase() + exactCopy.slice(1)
    : group.quotes
      ? `Shared passages: ${percent(contained(member))} of a page`
      : member.kind === "same-but-numbers"
        ? "The same but for numbers"
        : `Resemblance ${about}${percent(member.resemblance)}`;
  element("pair-numbers").textContent = report.estimated
    ? "Estimated from the sketches of an index, with errors of a sixteenth or more."
    : copy
      ? "Both pages have the same words and numbers in the same order."
      : `${group.quotes || member.kind === "same-but-numbers" ? `Resemblance ${percent(member.resemblance)}. ` : ""}B-similarity ${member.b} of 6, C-similarity ${member.c} of 384. Marked: runs of ten or more words that are on both pages.`;
  element("jump").hidden = true;
  marks = { first: [], second: [], twin: [], at: -1 };
  const sides = element("sides");
  sides.replaceChildren(make("p", { role: "status" }, "Unpacking the texts…"));
  if (!dialog.open) dialog.showModal();
  element("pair-title").focus();
  /** @type {(content: [Node, Node]) => void} */
  const put = ([first, second]) => {
    if (copy) return sides.replaceChildren(side("The original and its copy", [original, member], words(original), first));
    const facts = [
      `${words(original)}; ${about}${percent(member.ofOriginal)} of it is in the other`,
      `${words(member)}; ${about}${percent(member.inOriginal)} of it is in the original`,
    ];
    sides.replaceChildren(side("The original", [original], facts[0], first), side("The other page", [member], facts[1], second));
  };
  /** @param {string} why */
  const without = (why) => put([make("p", {}, why), make("p", {}, why)]);
  if (original.text === null || member.text === null) {
    const more = report.estimated ? "An index has no texts: pass the folder of its pages with --site to include them." : "A report contains at most 64 MiB of texts: follow the links to both pages.";
    return without(`The texts of this pair are not in this file: open the pages themselves. ${more}`);
  }
  try {
    const [first, second] = await Promise.all([text(original.text), text(member.text)]);
    if (drawnPair !== pair) return;
    if (copy) return put([document.createTextNode(first[0]), document.createTextNode("")]);
    const [ofOriginal = [], own = []] = second.slice(1).map((passages) => /** @type {number[]} */ (passages));
    const [left, right] = [marked(first[0], ofOriginal, (_, at) => jump(at)), marked(second[0], own, (twin, at) => jump(twin, at))];
    put([left.drawn, right.drawn]);
    marks = { first: left.found, second: right.found, twin: left.found.map((_, at) => ofOriginal[3 * at + 2]), at: -1 };
    element("jump").hidden = left.found.length === 0;
    showPosition();
  } catch (error) {
    if (drawnPair === pair) without(`The texts cannot be unpacked: ${error}. Use a browser from 2023 or later, and check that this file is complete.`);
  }
}

function showPosition() {
  const { first, at } = marks;
  element("passage").textContent = at < 0 ? count(first.length, "passage") : `Passage ${numbers.format(at + 1)} of ${numbers.format(first.length)}`;
  button("back").disabled = at <= 0;
  button("on").disabled = at === first.length - 1;
}

/**
 * Scrolls to a passage of the original, and to the same passage of the other page.
 *
 * @param {number} at
 * @param {number} [there] the passage of the other page, if it was selected
 */
function jump(at, there = marks.twin[at]) {
  for (const mark of dialog.querySelectorAll("mark.now")) mark.classList.remove("now");
  marks.at = at;
  for (const mark of [marks.first[at], marks.second[there]]) {
    if (!mark) continue;
    mark.classList.add("now");
    const pane = /** @type {HTMLElement} */ (mark.closest(".text"));
    // Scroll so that some text before the passage is visible.
    const top = mark.getClientRects()[0].top - pane.getBoundingClientRect().top;
    pane.scrollTo({ top: pane.scrollTop + top - pane.clientHeight / 4 });
  }
  showPosition();
}

// Start

/** @param {Chosen} next */
function draw(next) {
  const before = chosen;
  chosen = next;
  for (const name of /** @type {const} */ (["q", "kind", "min", "sort"])) {
    const { value } = field(name);
    if (value !== next[name]) field(name).value = next[name];
  }
  const directions = next.sort === "address" ? ["A to Z", "Z to A"] : ["Largest first", "Smallest first"];
  button("order").textContent = directions[Number(next.reversed)];
  const { member: _, ...list } = chosen;
  const { member: __, ...listBefore } = before;
  if (shownFor === "" || JSON.stringify(list) !== JSON.stringify(listBefore)) drawList();
  void drawPair();
}

if (report.known) element("kind").append(make("option", { value: "new" }, "not in the baseline"));

const parts = [
  countCopies(report.copies),
  ...(report.numbers > 0 ? [count(report.numbers, "pair that is the same but for numbers", "pairs that are the same but for numbers")] : []),
  `${count(report.pairs, "near-duplicate pair")} at ${percent(report.min)} or more`,
  ...(report.passages > 0 ? [count(report.passages, "pair that shares passages", "pairs that share passages")] : []),
];
element("summary").textContent =
  `${count(report.pages, "page")}: ${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}, in ${count(groups.length, "group")}.` +
  (report.known ? ` ${count(groups.flatMap(({ members }) => members.filter(({ known }) => known)).length, "page")} known from the baseline.` : "") +
  (report.estimated ? " All numbers are estimated from the sketches of an index." : "");

for (const [id, event] of [["q", "input"], ["min", "input"], ["kind", "change"], ["sort", "change"]]) {
  field(id).addEventListener(event, () => choose({ [id]: field(id).value, page: 0, ...(id === "sort" ? { reversed: false } : {}) }));
}
element("filters").addEventListener("submit", (event) => event.preventDefault());
button("order").addEventListener("click", () => choose({ reversed: !chosen.reversed, page: 0 }));
for (const [id, step] of /** @type {const} */ ([["before", -1], ["after", 1]])) {
  button(id).addEventListener("click", () => {
    choose({ page: chosen.page + step, group: -1 }, true);
    element("list").focus({ preventScroll: true });
    element("filters").scrollIntoView();
  });
}
button("close").addEventListener("click", () => dialog.close());
button("back").addEventListener("click", () => jump(marks.at - 1));
button("on").addEventListener("click", () => jump(marks.at + 1));
dialog.addEventListener("close", () => {
  const { group, member } = chosen;
  drawnPair = "";
  element("sides").replaceChildren();
  if (member < 0) return;
  choose({ member: -1 }, true);
  document.getElementById(`member-${group + 1}-${member + 1}`)?.focus();
});
element("skip").addEventListener("click", (event) => {
  // Its fragment is not a state of the view.
  event.preventDefault();
  element("list").focus();
});
addEventListener("hashchange", () => {
  const next = chosenInUrl();
  if (JSON.stringify(next) !== JSON.stringify(chosen)) draw(next);
});

draw(chosenInUrl());
