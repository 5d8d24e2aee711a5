// Finds the pagekin program, which is in a separate package for each platform.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** @returns {string} */
export function findProgram() {
  if (process.env.PAGEKIN_BINARY) return process.env.PAGEKIN_BINARY;
  const name = `@pagekin/${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? "pagekin.exe" : "pagekin";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    throw new Error(`${reason(name)} Or run \`pip install pagekin\` or \`cargo install pagekin\` and set PAGEKIN_BINARY to the path of the program.`);
  }
}

/** @param {string} name */
function reason(name) {
  const { optionalDependencies } = require("../package.json");
  if (!(name in optionalDependencies)) {
    const platforms = Object.keys(optionalDependencies).map((built) => built.replace("@pagekin/", ""));
    return `pagekin is not built for ${process.platform}-${process.arch}, only for ${platforms.join(", ")}.`;
  }
  return `the package ${name}, which contains the program for this platform, is not installed. Install without \`--omit=optional\` (\`--no-optional\`). If the lock file or node_modules comes from another system, delete node_modules and install again.`;
}
