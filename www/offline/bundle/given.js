// @ts-check
/**
 * Takes the files that the page gives its worker. Before all else, so that nothing else hears of
 * it.
 */
const FOLDER = new URL("carried:/");

addEventListener("message", (event) => {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const files = event.data.carried;
  event.stopImmediatePropagation();
  globalThis.pagekinCarried = {
    folder: FOLDER,
    bytes: (url) => (url.href.startsWith(FOLDER.href) ? files.get(decodeURI(url.href.slice(FOLDER.href.length))) : undefined),
  };
}, { once: true });
export {};
