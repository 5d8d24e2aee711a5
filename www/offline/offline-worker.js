// @ts-check
/**
 * The service worker of `pagekin build --pages offline`. It answers from the files that offline.js
 * stored if the network fails. It is registered only for the folder of the index, and only when a
 * visitor chooses to keep the site offline.
 *
 * - Files of the index, whose names change with their content, are read from the cache.
 * - The manifest, the page and its scripts are fetched, so that updates take effect. If the network
 *   fails, they are read from the cache, all from one generation.
 * - Pages of the site that were previewed are stored in their last version.
 */
const worker = /** @type {any} */ (globalThis);
const SCOPE = worker.registration.scope;
/** Prefix of this folder's caches, because caches belong to the whole host. */
const PREFIX = `pagekin ${SCOPE} `;
/** The cache of previewed pages. */
const PREVIEWED = `${PREFIX}shown`;
/** Maximum number of previewed pages to store. */
const MAX_PREVIEWED = 200;
/** The list of files. It is stored last, so a cache that contains it is complete. */
const LIST = new URL("offline.json", SCOPE).href;

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, href, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || href.startsWith(LIST)) return;
  if (href.startsWith(`${SCOPE}index/`)) event.respondWith(indexFile(request));
  else if (href.startsWith(SCOPE)) event.respondWith(fetch(request).catch(async (error) => (await cached(request)) ?? Promise.reject(error)));
  else if (request.destination === "" && !pathname.startsWith("/.")) event.respondWith(previewedPage(request));
});

/**
 * Lists the caches of the index by name. They are never opened, because opening one that offline.js
 * has just removed would create it again.
 *
 * @returns {Promise<string[]>} complete generations first
 */
async function generations() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREVIEWED);
  const whole = await Promise.all(names.map(async (name) => Boolean(await caches.match(LIST, { cacheName: name }))));
  return [...names.filter((_, at) => whole[at]), ...names.filter((_, at) => !whole[at])];
}

/** @param {Request} request */
async function indexFile(request) {
  const { url } = request;
  for (const name of await generations()) {
    const found = await caches.match(url, { cacheName: name });
    if (found) return rangeOf(found, request.headers.get("range"));
  }
  return fetch(request);
}

/**
 * Answers as a host that supports ranges.
 *
 * @param {Response} whole
 * @param {string | null} range
 */
async function rangeOf(whole, range) {
  const parts = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
  if (!parts) return whole;
  const blob = await whole.blob();
  const [first, last] = [Number(parts[1]), Math.min(Number(parts[2]), blob.size - 1)];
  return new Response(blob.slice(first, last + 1), { status: 206, headers: { "Content-Range": `bytes ${first}-${last}/${blob.size}` } });
}

/**
 * Reads a file from a complete generation.
 *
 * @param {Request} request
 */
async function cached(request) {
  for (const name of await generations()) {
    if (await caches.match(LIST, { cacheName: name })) return caches.match(request, { cacheName: name, ignoreSearch: true });
  }
  return undefined;
}

/** @param {Request} request */
async function previewedPage(request) {
  const cache = await caches.open(PREVIEWED);
  try {
    const response = await fetch(request);
    if (response.ok && (await generations()).length > 0) {
      await cache.put(request, response.clone()).catch(() => {}); // not stored if there is no space
      const all = await cache.keys();
      for (const old of all.slice(0, Math.max(0, all.length - MAX_PREVIEWED))) await cache.delete(old);
    }
    return response;
  } catch (error) {
    const found = await cache.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}
