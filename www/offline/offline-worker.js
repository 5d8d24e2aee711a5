// @ts-check
/**
 * The service worker of `pagekin build --pages offline`: answers from what offline.js keeps when
 * the network does not. It is registered for the folder of the index alone, and only when a visitor
 * asks for it.
 *
 * - Files of the index, whose names change with what they hold, are taken from what is kept.
 * - The manifest, the page and its scripts are asked for anew, so that what is published counts;
 *   what is kept, all of one generation, answers when the network does not.
 * - Pages of the site that were shown are kept as they were last seen.
 */
const worker = /** @type {any} */ (globalThis);
const SCOPE = worker.registration.scope;
/** Caches belong to the host: those of this folder begin so. */
const PREFIX = `pagekin ${SCOPE} `;
/** Of pages of the site. */
const SHOWN = `${PREFIX}shown`;
/** So many of them are kept. */
const MAX_SHOWN = 200;
/** Is kept last: what has it is whole. */
const LIST = new URL("offline.json", SCOPE).href;

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, href, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || href.startsWith(LIST)) return;
  if (href.startsWith(`${SCOPE}index/`)) event.respondWith(indexFile(request));
  else if (href.startsWith(SCOPE)) event.respondWith(fetch(request).catch(async (error) => (await kept(request)) ?? Promise.reject(error)));
  else if (request.destination === "" && !pathname.startsWith("/.")) event.respondWith(shownPage(request));
});

/**
 * Caches are asked by name, never opened: opening one that offline.js has just removed would make
 * it anew.
 *
 * @returns {Promise<string[]>} what is kept of the index: the caches of whole generations first
 */
async function generations() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== SHOWN);
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
 * What a host that knows ranges would answer.
 *
 * @param {Response} whole
 * @param {string | null} range
 */
async function rangeOf(whole, range) {
  const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? "");
  if (!asked) return whole;
  const blob = await whole.blob();
  const [first, last] = [Number(asked[1]), Math.min(Number(asked[2]), blob.size - 1)];
  return new Response(blob.slice(first, last + 1), { status: 206, headers: { "Content-Range": `bytes ${first}-${last}/${blob.size}` } });
}

/**
 * From a whole generation.
 *
 * @param {Request} request
 */
async function kept(request) {
  for (const name of await generations()) {
    if (await caches.match(LIST, { cacheName: name })) return caches.match(request, { cacheName: name, ignoreSearch: true });
  }
  return undefined;
}

/** @param {Request} request */
async function shownPage(request) {
  const cache = await caches.open(SHOWN);
  try {
    const response = await fetch(request);
    if (response.ok && (await generations()).length > 0) {
      await cache.put(request, response.clone()).catch(() => {}); // no room: then it is not kept
      const all = await cache.keys();
      for (const old of all.slice(0, Math.max(0, all.length - MAX_SHOWN))) await cache.delete(old);
    }
    return response;
  } catch (error) {
    const found = await cache.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}
