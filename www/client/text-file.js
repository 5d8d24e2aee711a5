// @ts-check
/** Reads a dropped or chosen file as text. */

/**
 * Maximum size of a file in bytes. This is enough for any page; a larger file is probably a
 * mistake.
 */
const MAX_FILE_SIZE = 16e6;

/** Names that mark a file as HTML. */
const HTML_NAME = /\.x?html?$/i;

/** HTML begins with a tag, a comment or a doctype. */
const HTML_START = /^\s*<(?:!doctype\s|!--|\?xml\s|[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>)/i;

/**
 * The first bytes of files that are not text, whatever their name, and what they are.
 *
 * @type {[bytes: string, kind: string][]}
 */
const KINDS = [
  ["%PDF-", "a PDF file"],
  ["PK\x03\x04", "a Word, OpenDocument, EPUB or ZIP file"],
  ["PK\x05\x06", "an empty ZIP file"],
  ["\xd0\xcf\x11\xe0", "an old Word, Excel or PowerPoint file"],
  ["{\\rtf", "an RTF file"],
  ["%!PS", "a PostScript file"],
  ["\x1f\x8b", "a compressed file"],
  ["BZh", "a compressed file"],
  ["7z\xbc\xaf", "a compressed file"],
  ["\xfd7zXZ", "a compressed file"],
  ["Rar!", "a compressed file"],
  ["\x89PNG", "a picture"],
  ["\xff\xd8\xff", "a picture"],
  ["GIF8", "a picture"],
  ["RIFF", "a picture, sound or video"],
  ["\x7fELF", "a program"],
];

/** Number of bytes in which a PDF header may start, because other bytes may precede it. */
const PDF_HEADER_RANGE = 1024;

/**
 * Returns what a file is if it is known not to be text.
 *
 * @param {Uint8Array} bytes
 */
function kindOf(bytes) {
  const start = Array.from(bytes.subarray(0, PDF_HEADER_RANGE), (byte) => String.fromCharCode(byte)).join("");
  const [, kind] = KINDS.find(([begin]) => start.startsWith(begin)) ?? [];
  return kind ?? (start.includes("%PDF-1.") && start.includes("\0") ? KINDS[0][1] : undefined);
}

/** @param {string} text */
export const looksLikeHtml = (text) => HTML_START.test(text);

/**
 * @param {File} file
 * @returns {Promise<{text: string, html: boolean}>} rejects with an `Error` that names the problem and the remedy
 */
export async function readTextFile(file) {
  const expected = `${file.name}: expected a text, Markdown or HTML file`;
  if (file.size > MAX_FILE_SIZE) throw new Error(`${expected} of at most 16 MB, found ${Math.ceil(file.size / 1e6)} MB; paste the relevant part`);
  const bytes = await file.arrayBuffer().then((buffer) => new Uint8Array(buffer), (error) => {
    throw new Error(`${file.name} cannot be read (${error.message}); choose a single file, not a folder`);
  });
  const kind = kindOf(bytes);
  if (kind) throw new Error(`${expected}, found ${kind}, which cannot be read here. Open it, copy the text and paste it`);
  const named = HTML_NAME.test(file.name);
  const text = decode(bytes, named);
  if (text.includes("\0")) throw new Error(`${expected}, found binary data, which cannot be read here. Open it, copy the text and paste it`);
  return { text, html: named || looksLikeHtml(text) };
}

/**
 * Decodes text in the encoding that its first bytes or, in HTML, a `<meta charset>` specify.
 * Otherwise uses UTF-8, or windows-1252 if it is not valid UTF-8.
 *
 * @param {Uint8Array} bytes
 * @param {boolean} html
 */
export function decode(bytes, html) {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const start = html ? new TextDecoder("windows-1252").decode(bytes.subarray(0, 1024)) : "";
  const declared = start.match(/<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i)?.[1];
  for (const label of [declared, "utf-8"]) {
    if (!label) continue;
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      // Unknown or wrong encoding.
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}
