// @ts-check
/**
 * Another web site in the same browser cannot read anything that `pagekin serve` serves, except
 * through a link that the visitor follows.
 *
 * @import {AddressInfo} from "node:net"
 * @import {Served} from "./harness.mjs"
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { launch, serve, teachingFolder, TEACHING_SITE } from "./harness.mjs";

/** @type {Awaited<ReturnType<typeof launch>>} */
let browser;
/** @type {Served} */
let served;

before(async () => {
  served = await serve(await teachingFolder(), { site: TEACHING_SITE });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await served?.stop();
});

/** Elements that load from another origin without its permission. */
const LOADERS = { script: "pagekin/related.js", img: "pagekin/icon.svg", link: "pagekin/demo.css", iframe: "garden/", object: "garden/", embed: "garden/" };

for (const host of ["127.0.0.1", "localhost"]) {
  test(`a page on another port of ${host} loads nothing, and a link works`, async () => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<title>Other</title><a href="${served.origin}/garden/">Garden</a>`);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = /** @type {AddressInfo} */ (server.address());
    const page = await browser.newPage();
    /** @type {Record<string, number | string>} status of each response, or why the browser kept it back */
    const outcomes = {};
    /** @param {string} url @param {number | string} outcome */
    const note = (url, outcome) => {
      if (url.startsWith(served.origin)) outcomes[url.split("?for=")[1] ?? "followed"] ??= outcome;
    };
    page.on("response", (response) => note(response.url(), response.status()));
    page.on("requestfailed", (request) => note(request.url(), request.failure()?.errorText ?? "failed"));
    try {
      await page.goto(`http://${host}:${port}/`);
      for (const [name, path] of Object.entries(LOADERS)) {
        await page.evaluate(([name, url]) => new Promise((resolve) => {
          const element = document.createElement(name);
          const key = name === "link" ? "href" : name === "object" ? "data" : "src";
          if (name === "link") element.setAttribute("rel", "stylesheet");
          element.setAttribute(key, url);
          element.onload = element.onerror = resolve;
          document.body.append(element);
        }), [name, `${served.origin}/${path}?for=${name}`]);
        assert.match(String(outcomes[name]), /^403$|^net::ERR_BLOCKED_BY_RESPONSE/, name);
      }
      await page.getByRole("link", { name: "Garden" }).click();
      await page.waitForURL(`${served.origin}/garden/`);
      assert.equal(outcomes.followed, 200);
    } finally {
      await page.close();
      server.closeAllConnections();
      server.close();
    }
  });
}
