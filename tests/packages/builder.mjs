// Indexes pages of a program, and hands over one that is not valid.
import { IndexBuilder } from "pagekin/build";
import { access, mkdir, writeFile } from "node:fs/promises";

const builder = new IndexBuilder("records", ["--quiet"]);
await builder.addRecord({ url: "/rye/", title: "Rye", lang: "en", text: "Rye rises slowly.", filters: { kind: ["bread"] } });
await builder.addFile("/peas/", "<html lang=en><title>Peas</title><p>Sow peas early.");
const { pages } = await builder.write();
if (pages !== 2) throw new Error(`expected 2 pages, found ${pages}`);
await access("records/pagekin.manifest");

await mkdir("folder", { recursive: true });
await writeFile("folder/beans.html", "<html lang=en><title>Beans</title><p>Beans climb.");
const both = new IndexBuilder("both", ["--quiet"], "folder");
await both.addFile("/peas/", "<html lang=en><title>Peas</title><p>Sow peas early.");
const summary = await both.write();
if (summary.pages !== 2) throw new Error(`expected 2 pages, found ${summary.pages}`);

const wrong = new IndexBuilder("wrong");
for (let at = 0; at < 10_000; at += 1) await wrong.addRecord({ url: at === 5 ? "mailto:a" : `/${at}`, text: "Rye ".repeat(100) });
const message = await wrong.write().catch((error) => error.message);
if (!String(message).includes("line 6")) throw new Error(`expected an error about line 6, found ${message}`);
