// @ts-check
/**
 * "Keep this site offline": the control in the footer of the demo that `pagekin build --pages
 * offline` adds. It shows the size, downloads the site, updates the copy, and removes it.
 * offline-worker.js answers from the copy.
 *
 * Each generation of the index has a cache of its own. The list of files is stored last, so a cache
 * that contains it is complete. Only then is an earlier cache removed. An interrupted download
 * resumes where it left off.
 *
 * @typedef {{generation: string, pages: number, bytes: number, files: [name: string, bytes: number][]}} List
 */
import { button, counted, element, size } from "../demo/demo-draw.js";

const FOLDER = new URL("./", import.meta.url).href;
const PREFIX = `pagekin ${FOLDER} `;
const PREVIEWED = `${PREFIX}shown`;
const LIST = new URL("offline.json", FOLDER).href;
const MANIFEST = "pagekin.manifest";
/** Number of parallel fetches. */
const PARALLEL = 6;

const note = element("p", { class: "note", role: "status" });
const bar = element("progress", { max: "1", value: "0", "aria-label": "Progress" });
const place = element("div", { class: "offline" });

/** @type {AbortController | undefined} */
let running;

/** @param {string} generation */
const cacheName = (generation) => `${PREFIX}${generation}`;

/** Fetches the list as currently published. @param {RequestInit} init @returns {Promise<List>} */
async function published(init) {
  const response = await fetch(LIST, { cache: "no-store", ...init });
  if (!response.ok) throw new Error(`expected the list of files at ${LIST}, found HTTP status ${response.status}; check that the whole output is published`);
  return response.json();
}

/** Returns the list of the complete copy, if there is one. @returns {Promise<List | undefined>} */
async function storedList() {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX) || name === PREVIEWED) continue;
    const list = await caches.match(LIST, { cacheName: name });
    if (list) return list.json();
  }
  return undefined;
}

/** Removes all caches but that of a generation. @param {string} [generation] */
async function forget(generation) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX)) continue;
    if (generation === undefined || (name !== PREVIEWED && name !== cacheName(generation))) await caches.delete(name);
  }
}

/**
 * Returns a file from an earlier copy if its name shows that it is unchanged, otherwise as
 * published.
 *
 * @param {string} name
 * @param {number} bytes
 * @param {AbortSignal} signal
 */
async function fetchFile(name, bytes, signal) {
  const url = new URL(name, FOLDER).href;
  const isIndex = name.startsWith("index/");
  if (isIndex) {
    for (const cache of (await caches.keys()).filter((one) => one.startsWith(PREFIX))) {
      const found = await caches.match(url, { cacheName: cache });
      if (found) return found;
    }
  }
  // Hosts with timestamps in seconds report a manifest as unchanged if it was rebuilt within the
  // same second. So it is not revalidated but fetched again.
  const cache = isIndex ? "default" : name === MANIFEST ? "reload" : "no-cache";
  const response = await fetch(url, { cache, signal });
  if (!response.ok) throw new Error(`expected the file ${name}, found HTTP status ${response.status}; the site may have been updated: try again`);
  const body = await response.blob();
  if ((isIndex || name === MANIFEST) && body.size !== bytes) {
    throw new Error(`expected ${bytes} bytes of ${name}, found ${body.size}; the site may have been updated: try again`);
  }
  return new Response(body, { headers: { "Content-Type": response.headers.get("content-type") ?? "" } });
}

/**
 * Stores the published files.
 *
 * @param {List} list
 * @param {AbortSignal} signal
 * @param {(done: number) => void} advance is called with the number of bytes stored
 */
async function keep(list, signal, advance) {
  const { quota, usage } = await navigator.storage.estimate();
  const free = (quota ?? Infinity) - (usage ?? 0);
  if (free < list.bytes) throw new DOMException(`${size(Math.max(0, free))} available`, "QuotaExceededError");
  const cache = await caches.open(cacheName(list.generation));
  const waiting = [...list.files];
  let done = 0;
  const one = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      signal.throwIfAborted();
      const [name, bytes] = file;
      const url = new URL(name, FOLDER).href;
      // Index files of an earlier attempt are kept. Other files may have changed and are fetched
      // again.
      if (!name.startsWith("index/") || !(await cache.match(url))) await cache.put(url, await fetchFile(name, bytes, signal));
      if (name === "index.html") await cache.put(FOLDER, (await cache.match(url)) ?? Response.error());
      if (name === "lab/index.html") await cache.put(new URL("lab/", FOLDER).href, (await cache.match(url)) ?? Response.error());
      done += bytes;
      advance(done);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, one));
  const now = await published({ signal });
  if (now.generation !== list.generation) throw new Error("the site was updated during the download; try again");
  await cache.put(LIST, Response.json(list));
  await forget(list.generation);
}

/** @param {string} text */
function setNote(text) {
  note.textContent = text;
}

/** @param {(Node | string)[]} parts */
function show(...parts) {
  const focused = place.contains(document.activeElement);
  place.replaceChildren(note, ...parts);
  if (focused) place.querySelector("button")?.focus();
}

/**
 * Stores the published files and shows the progress.
 *
 * @param {List} list
 * @param {string} doing
 */
async function run(list, doing) {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  bar.value = 0;
  show(bar, button("Stop", () => controller.abort()));
  setNote(`${doing}…`);
  try {
    await navigator.serviceWorker.register(new URL("offline-worker.js", FOLDER), { scope: FOLDER });
    await navigator.storage.persist?.();
    await navigator.locks.request(PREFIX, { signal: controller.signal }, () => keep(list, controller.signal, (done) => {
      bar.value = list.bytes > 0 ? done / list.bytes : 1;
    }));
    await showStored(list);
  } catch (error) {
    await failed(error, controller, list);
  } finally {
    if (running === controller) running = undefined;
  }
}

/**
 * @param {any} error
 * @param {AbortController} controller
 * @param {List} list
 */
async function failed(error, controller, list) {
  controller.abort(); // stops the other fetches
  const before = await storedList().catch(() => undefined);
  let message = controller.signal.reason === error || error?.name === "AbortError"
    ? "Stopped. The download resumes where it left off."
    : `Something went wrong: ${error?.message ?? error}.`;
  if (error?.name === "QuotaExceededError") {
    await caches.delete(cacheName(list.generation));
    message = `There is not enough space: ${size(list.bytes)} needed, but the browser allows this site no more (${error.message}). Free some space, or remove the data of other sites, and try again.`;
  } else if (error instanceof TypeError) {
    message = "The connection was lost. The download resumes where it left off.";
  }
  if (before) await showStored(before);
  else showOffer(list);
  setNote(before ? `${message} The earlier copy is still available.` : message);
}

/** @param {List} list */
function showOffer(list) {
  show(button(`Keep this site offline (${size(list.bytes)})`, () => run(list, "Downloading the index and this page")));
  setNote("");
}

/** @param {List} list */
async function showStored(list) {
  show(button("Remove offline copy", async () => {
    running?.abort();
    const registration = await navigator.serviceWorker.getRegistration(FOLDER);
    await registration?.unregister();
    await forget();
    showOffer(await published({}).catch(() => list));
    setNote("Removed. Nothing is stored anymore.");
  }));
  setNote(`Available offline: an index of ${counted(list.pages, "page")} and this page, ${size(list.bytes)}. Pages you have previewed here are stored too.`);
}

async function start() {
  document.querySelector("footer")?.append(place);
  if (!("serviceWorker" in navigator) || !("caches" in globalThis)) {
    show();
    setNote("To keep this site offline, open it over HTTPS.");
    return;
  }
  const before = await storedList();
  if (before) await showStored(before);
  const now = await published({}).catch(() => undefined);
  if (!now) return;
  if (!before) showOffer(now);
  else if (now.generation !== before.generation) await run(now, "The site has changed: updating the offline copy");
}

start().catch((error) => setNote(`This site cannot be kept offline here: ${error?.message ?? error}.`));
