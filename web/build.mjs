// node web/build.mjs WASM OUT: the page as one file (index.html, and view.html for `pliant view`), and the npm package.
import { build } from "esbuild";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [wasm, out] = process.argv.slice(2), here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const have = (name) => {
  try {
    return !!require.resolve(name);
  } catch {
    return false;
  }
};
const compares = have("three") && have("three-mesh-bvh");
if (!compares) console.error("web: without the comparison, as three or three-mesh-bvh is not installed");

// Without the packages, another file stands in for compare.mjs.
const stand = {
  name: "stand-in",
  setup(b) {
    if (!compares) b.onResolve({ filter: /\/compare\.mjs$/ }, () => ({ path: join(here, "viewer/compare_none.mjs") }));
  },
};
const bundle = (entry, more = {}) =>
  build({
    entryPoints: [join(here, entry)], bundle: true, format: "esm", minify: true, write: false, target: "es2022", legalComments: "inline",
    logLevel: "error", plugins: [stand], ...more,
  }).then((result) => result.outputFiles[0].text);

// A text inside of <script> must not end it.
const script = (text) => text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
const module = await readFile(wasm), fullFile = wasm.replace(/\.wasm$/, "-full.wasm");
const pack = (bytes) => gzipSync(bytes, { level: 9 }).toString("base64");
// full: also the module with all methods, for scenes that need it.
async function page(entry, template, style, full) {
  const parts = { style, wasm: pack(module), full: full ? pack(await readFile(fullFile)) : "", script: script(await bundle(entry)) };
  return template.replace(/\/\*(style|wasm|full|script)\*\//g, (_, name) => parts[name]);
}

await mkdir(join(out, "package"), { recursive: true });
const style = await readFile(join(here, "viewer/style.css"), "utf8");
const template = await readFile(join(here, "viewer/index.html"), "utf8"), html = await page("viewer/main.mjs", template, style, true);
await writeFile(join(out, "index.html"), html);
await writeFile(join(out, "view.html"), await page("viewer/main.mjs", template, style, false));
if (compares) await writeFile(join(out, "bench.html"), await page("bench/bench.mjs", await readFile(join(here, "bench/bench.html"), "utf8"), style));
for (const name of await readdir(join(here, "package"))) await cp(join(here, "package", name), join(out, "package", name));
const inline = await readFile(join(here, "package/inline.mjs"), "utf8");
await writeFile(join(out, "package/inline.mjs"), inline.replace("/*wasm*/", pack(module)));
await cp(join(here, "../LICENSE"), join(out, "package/LICENSE"));
await writeFile(join(out, "package/pliant.wasm"), module);
await cp(fullFile, join(out, "package/pliant-full.wasm"));
console.error(`web: pliant.wasm ${(module.length / 1000).toFixed(0)} kB, ${(gzipSync(module, { level: 9 }).length / 1000).toFixed(0)} kB gzipped; page ${(html.length / 1000).toFixed(0)} kB`);
