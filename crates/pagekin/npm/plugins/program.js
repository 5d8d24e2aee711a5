// Where the pagekin program is, which lies in a package of its own for each platform.
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
    throw new Error(`${reason(name)} Other ways to install it are \`pip install pagekin\` and \`cargo install pagekin\`; PAGEKIN_BINARY may name a program that is there.`);
  }
}

/** @param {string} name */
function reason(name) {
  const { optionalDependencies } = require("../package.json");
  if (!(name in optionalDependencies)) {
    const platforms = Object.keys(optionalDependencies).map((built) => built.replace("@pagekin/", ""));
    return `expected one of the platforms that pagekin is built for (${platforms.join(", ")}), found ${process.platform}-${process.arch}.`;
  }
  return `expected the package ${name}, which has the program for this platform, but it is not installed. Install without \`--omit=optional\` (\`--no-optional\`); if the lock file or node_modules comes from another system, delete node_modules and install again.`;
}
