// @ts-check
/**
 * Code that all plugins share: options, running `pagekin build`, and the HTML for pages.
 *
 * @import {Attributes, Options} from "./options.js"
 * @typedef {{related?: Attributes, box?: Attributes, folder: string, build: NonNullable<Options["build"]>}} Settings
 */
import { spawn } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import path from "node:path";
import { findProgram } from "./program.js";

const RELATED = { limit: 5 };
const BOX = { form: "compact", shortcut: "mod+k" };
const ELEMENTS = new Set(["related.js", "box.js", "duplicates.js"]);
const KNOWN = ["related", "box", "folder", "build"];

/** The console message on a development server before the first build. */
export const NO_INDEX = "pagekin: no index yet, so there are no related pages and no search. Build the site once; this server then uses the index of the last build.";

/**
 * @param {Options | undefined} options
 * @param {boolean} hasSearch whether the site has its own search
 * @returns {Settings}
 */
export function settle(options = {}, hasSearch = false) {
  const { related = true, box = !hasSearch, folder = "pagekin", build = {}, ...others } = options;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new TypeError(`pagekin: unknown options ${unknown.join(", ")}. The options are ${KNOWN.join(", ")}; put options of \`pagekin build\` into build`);
  return { related: attributes(related, RELATED), box: attributes(box, BOX), folder: folder.replace(/^\/+|\/+$/g, ""), build };
}

/**
 * @param {boolean | Attributes} given
 * @param {Attributes} usual
 */
const attributes = (given, usual) => (given === false ? undefined : { ...usual, ...(given === true ? {} : given) });

/**
 * Runs `pagekin build` on a finished site.
 *
 * @param {Settings} settings
 * @param {string} site folder of the site
 * @param {string} base path at which the site is published
 * @returns {Promise<void>}
 */
export function index(settings, site, base) {
  const given = ["build", site, "--output", path.join(site, settings.folder), "--base-url", base, ...flags(settings)];
  const program = findProgram();
  return new Promise((resolve, reject) => {
    const child = spawn(program, given, { stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", (error) => reject(new Error(`pagekin: cannot start ${program}: ${error.message}`)));
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`pagekin: \`pagekin build ${site}\` failed (${signal ?? `exit code ${code}`}); see its output above`));
    });
  });
}

/**
 * Returns the command-line options of `pagekin build`.
 *
 * @param {Settings} settings
 * @returns {string[]}
 */
export function flags({ related, box, build: { components, ...build } }) {
  const scripts = new Set(components === undefined ? [] : [components].flat().map(String));
  if (related) scripts.add("related");
  if (box) scripts.add("box");
  const all = Object.entries({ components: [...scripts].join(",") || "none", ...build });
  return all.flatMap(([name, value]) => {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (typeof value === "boolean") return value ? `--${flag}` : `--no-${flag}`;
    return [value].flat().map((one) => `--${flag}=${one}`);
  });
}

/**
 * Returns the URLs of the scripts that a page needs.
 *
 * @param {Settings} settings
 * @param {string} base
 * @returns {string[]}
 */
export function scripts({ related, box, folder }, base) {
  return [related && "related.js", box && "box.js"].flatMap((script) => (script ? `${base}${folder}/${script}` : []));
}

/**
 * Returns the HTML of an element.
 *
 * @param {string} name
 * @param {Attributes} all
 */
export function element(name, all) {
  const text = Object.entries(all).map(([name, value]) => {
    if (typeof value === "boolean") return value ? ` ${name}` : "";
    return ` ${name}="${String(value).replace(/&/g, "&amp;").replace(/"/g, "&quot;")}"`;
  });
  return `<${name}${text.join("")}></${name}>`;
}

/**
 * Converts attributes for frameworks that set booleans as properties.
 *
 * @param {Attributes} all
 */
export function properties(all) {
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === false ? [] : [[name, value === true ? "" : value]])));
}

/**
 * Returns middleware that serves the index of the last build on a development server. Before the
 * first build, a script with a message replaces the scripts of elements.
 *
 * @param {Settings} settings
 * @param {string} site output folder of the site
 * @param {string} base
 * @returns {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse, next: () => void) => void}
 */
export function serve({ folder }, site, base) {
  const root = path.join(site, folder);
  const prefix = `${base}${folder}/`;
  return (request, response, next) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith(prefix)) return next();
    const file = path.join(root, path.normalize(`/${decodeURIComponent(pathname.slice(prefix.length))}`));
    const script = file.endsWith(".js");
    response.setHeader("Content-Type", script ? "text/javascript" : "application/octet-stream");
    response.setHeader("Cache-Control", "no-cache");
    if (existsSync(file) && statSync(file).isFile()) {
      createReadStream(file).pipe(response);
    } else if (ELEMENTS.has(path.basename(file)) && !existsSync(root)) {
      response.end(`globalThis.pagekinSaid ??= !console.info(${JSON.stringify(NO_INDEX)});\n`);
    } else {
      response.statusCode = 404;
      response.end();
    }
  };
}
