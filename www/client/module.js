// @ts-check
/**
 * Compiles the WebAssembly module.
 *
 * @typedef {{url: string, bytes: Uint8Array<ArrayBuffer>}} ModuleFile the WebAssembly module as received, and its URL
 */
import { KinError } from "./request.js";

/**
 * @param {ModuleFile} file
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile({ url, bytes }) {
  if (typeof WebAssembly !== "object") {
    throw new KinError("Unsupported", "this browser does not support WebAssembly; use a current browser, or enable WebAssembly");
  }
  /** @param {any} error */
  const damaged = (error) => new KinError("Damaged", `expected a WebAssembly module at ${url}, found something else (${error.message}); publish the folder again`);
  // If the host declared the compression, the browser has already undone it. The first bytes show
  // whether it has.
  const deflated = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = deflated ? await inflate(bytes).catch((error) => { throw error instanceof KinError ? error : damaged(error); }) : bytes;
  try {
    return await WebAssembly.compile(plain);
  } catch (error) {
    try {
      // the smallest valid module
      new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
    } catch {
      throw new KinError("Unsupported", "the content security policy does not allow WebAssembly; add 'wasm-unsafe-eval' to script-src");
    }
    throw damaged(error);
  }
}

/** @param {Uint8Array<ArrayBuffer>} gzip */
export async function inflate(gzip) {
  if (typeof DecompressionStream !== "function") {
    throw new KinError("Unsupported", "this browser does not support DecompressionStream; use a current browser");
  }
  return new Response(new Blob([gzip]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
