// @ts-check
/** Saves a figure: its drawings as SVG or PNG, its table as CSV. It is fetched when it is used. */
import { svg } from "./draw.js";

/** What a drawing takes from the style sheet, in its own file. */
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
/** Pixels of a PNG for each unit of a drawing. */
const SCALE = 2;
const GAP = 16;

/**
 * @param {HTMLElement} figure
 * @param {"svg" | "png" | "csv"} kind
 */
export async function save(figure, kind) {
  const name = `${figure.dataset.figure}.${kind}`;
  if (kind === "csv") return download(name, new Blob([csvOf(figure)], { type: "text/csv" }));
  const { text, width, height } = drawingOf(figure);
  if (kind === "svg") return download(name, new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(name, blob));
}

/** All drawings of a figure below each other. @param {HTMLElement} figure */
function drawingOf(figure) {
  const drawings = [...figure.querySelectorAll("svg")].filter((one) => one.id && one.getClientRects().length > 0);
  const sizes = drawings.map((one) => (one.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number));
  const width = Math.max(...sizes.map(([, , wide]) => wide)) + 2 * GAP;
  let height = GAP;
  const parts = drawings.map((one, at) => {
    const part = styled(one);
    const [, , wide, high] = sizes[at];
    for (const [key, value] of Object.entries({ x: GAP, y: height, width: wide, height: high, overflow: "visible" })) part.setAttribute(key, String(value));
    height += high + GAP;
    return part;
  });
  const ground = svg("rect", { width: "100%", height: "100%", fill: getComputedStyle(figure).backgroundColor });
  const whole = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height }, ground, ...parts);
  return { text: new XMLSerializer().serializeToString(whole), width, height };
}

/** A copy of a drawing that needs no style sheet. @param {Element} drawing */
function styled(drawing) {
  const copy = /** @type {Element} */ (drawing.cloneNode(true));
  const [from, to] = [drawing, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[at].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "id", "tabindex", "aria-labelledby"]) to[at].removeAttribute(name);
  });
  return copy;
}

/** @param {HTMLElement} figure */
function csvOf(figure) {
  const table = document.getElementById(figure.dataset.csv ?? "")?.closest("table");
  const cell = (/** @type {Element} */ { textContent }) => {
    const text = (textContent ?? "").trim();
    // A spreadsheet would take the first of these as a formula.
    const safe = /^[=+\-@\t]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
    return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [...(table?.querySelectorAll("tr") ?? [])].map((row) => `${[...row.children].map(cell).join(",")}\r\n`).join("");
}

/**
 * @param {string} name
 * @param {Blob} blob
 */
function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
