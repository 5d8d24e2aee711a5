/**
 * Imports a script from the folder that `pagekin build` wrote, so that the script and the index
 * always have the same version. Bundlers ignore this import.
 *
 * @param {string | URL} base
 * @param {string} name
 * @returns {Promise<{folder: URL, script: any}>}
 */
export async function load(base, name) {
  const folder = new URL(base, document.baseURI);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  const { href } = new URL(name, folder);
  try {
    return { folder, script: await import(/* @vite-ignore */ /* webpackIgnore: true */ href) };
  } catch (cause) {
    const message = `cannot load the script ${href} (${cause}). Check the URL of the index, and that the folder is published as \`pagekin build\` wrote it`;
    throw Object.assign(new Error(message, { cause }), { name: "KinError", code: "Missing" });
  }
}
