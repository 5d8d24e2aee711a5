// @ts-check
/**
 * What the plugins have in common: their options, the run of `pagekin build`, and what pages get.
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

/** What the console says where a site is served that was not built yet. */
export const NO_INDEX = "pagekin: no index yet, so there are no related pages and no search. Build the site once; the index of the last build is then used here.";

/**
 * @param {Options | undefined} options
 * @param {boolean} hasSearch the site has a search of its own
 * @returns {Settings}
 */
export function settle(options = {}, hasSearch = false) {
  const { related = true, box = !hasSearch, folder = "pagekin", build = {}, ...others } = options;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new TypeError(`pagekin: expected the options ${KNOWN.join(", ")}, found ${unknown.join(", ")}; those of \`pagekin build\` are in build`);
  return { related: attributes(related, RELATED), box: attributes(box, BOX), folder: folder.replace(/^\/+|\/+$/g, ""), build };
}

/**
 * @param {boolean | Attributes} given
 * @param {Attributes} usual
 */
const attributes = (given, usual) => (given === false ? undefined : { ...usual, ...(given === true ? {} : given) });

/**
 * Runs `pagekin build` on a site that is finished.
 *
 * @param {Settings} settings
 * @param {string} site its folder
 * @param {string} base the path it is published at
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
      else reject(new Error(`pagekin: \`pagekin build ${site}\` failed (${signal ?? `exit code ${code}`}); what it said is above`));
    });
  });
}

/**
 * The options of `pagekin build` as it takes them.
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
 * The scripts that a page needs, by their addresses.
 *
 * @param {Settings} settings
 * @param {string} base
 * @returns {string[]}
 */
export function scripts({ related, box, folder }, base) {
  return [related && "related.js", box && "box.js"].flatMap((script) => (script ? `${base}${folder}/${script}` : []));
}

/**
 * An element as HTML.
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
 * Attributes as frameworks take them, for which a boolean is a property.
 *
 * @param {Attributes} all
 */
export function properties(all) {
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === false ? [] : [[name, value === true ? "" : value]])));
}

/**
 * What a server of a site in the making answers to requests for the index: the files of the last
 * build; in place of elements' scripts that are not there, one that says so.
 *
 * @param {Settings} settings
 * @param {string} site where the site is built
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
