// @ts-check
/**
 * Receives the files that the page passes to its worker. It is imported first, so that no other
 * script receives the message.
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
