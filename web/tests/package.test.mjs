// The npm package as its users have it: imported by node, the examples of the documentation as they are written, and bundled without any
// configuration by esbuild, webpack, rollup and vite, for a browser that runs the bundle. Bundlers that are not installed are skipped.
//   node --test web/tests/package.test.mjs     PACKAGE: the folder of the package
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const PACKAGE = process.env.PACKAGE ?? new URL("../../out/web/package", import.meta.url).pathname;
const PAGES = ["../../docs/web.md", "../package/README.md"];
const folder = mkdtempSync(join(tmpdir(), "pliant-package-")), dist = (name) => join(folder, "dist", name);
// Two triangles that cross. Bundles have no top-level await: vite's usual target does not allow it.
const app = (from) => `import { load } from "${from}";
load().then((pliant) => {
  const context = pliant.context(), body = (z) => context.free(new Float32Array([0, 0, z, 1, 0, z, 0, 1, -z]), [0, 1, 2]);
  const text = body(0.1).touching(body(0)).length + " pair";
  if (globalThis.document) document.title = text;
  else console.log(text);
}, (error) => globalThis.document ? (document.title = error.message) : console.log(error.message));
`;
let browser, server, origin;
before(async () => {
  cpSync(PACKAGE, join(folder, "node_modules/pliant"), { recursive: true });
  for (const [name, from] of [["app", "pliant"], ["full", "pliant/full"], ["inline", "pliant/inline"]]) writeFileSync(join(folder, `${name}.mjs`), app(from));
  writeFileSync(join(folder, "index.html"), `<!doctype html><title></title><link rel="icon" href="data:,"><script type="module" src="./app.mjs"></script>`);
  const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
  server = createServer((request, answer) => {
    const path = join(folder, new URL(request.url, "http://x").pathname);
    if (!existsSync(path)) return answer.writeHead(404).end();
    answer.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

async function installed(name) {
  try {
    return await import(name);
  } catch {
    return null;
  }
}
const have = async (...names) => {
  for (const name of names) if (!(await installed(name))) return { skip: `web/node_modules has no ${name}; ./dev web installs it` };
  return {};
};
const copyModule = (to) => cpSync(join(PACKAGE, "pliant.wasm"), join(to, "pliant.wasm"));
const page = (to, script) => writeFileSync(join(to, "index.html"), `<!doctype html><meta charset="utf-8"><title></title><link rel="icon" href="data:,">${script}`);
// What a page of the server, or a file, says in its title.
async function said(url) {
  const context = await browser.newContext(), tab = await context.newPage();
  try {
    await tab.goto(url);
    await tab.waitForFunction(() => document.title, null, { timeout: 20000 });
    return await tab.title();
  } finally {
    await context.close();
  }
}
const runNode = (file) => spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });

test("node imports the package and its variants as they are", () => {
  for (const name of ["app", "full", "inline"]) {
    const { stdout, stderr } = runNode(`${name}.mjs`);
    assert.equal(stdout + stderr, "1 pair\n", name);
  }
});

test("the examples of the documentation run as they are written", () => {
  let count = 0;
  for (const name of PAGES)
    for (const [, text] of readFileSync(new URL(name, import.meta.url), "utf8").matchAll(/^```js\n(.*?)^```$/gms)) {
      writeFileSync(join(folder, "example.mjs"), text);
      const { status, stdout, stderr } = runNode("example.mjs");
      assert.equal(stderr, "");
      assert.equal(status, 0);
      assert.match(stdout, /\d/, text);
      ++count;
    }
  assert.ok(count >= 3);
});

test("a page without a bundler", async () => {
  page(folder, `<script type="importmap">{"imports": {"pliant": "./node_modules/pliant/pliant.mjs"}}</script><script type="module" src="app.mjs"></script>`);
  assert.equal(await said(`${origin}/index.html`), "1 pair");
});

test("esbuild: a module, a script, and one file without a server", await have("esbuild"), async () => {
  const { build } = await import("esbuild"), to = dist("esbuild");
  const bundle = (entry, name, more) =>
    build({ absWorkingDir: folder, entryPoints: [`${entry}.mjs`], bundle: true, outfile: join(to, name), logLevel: "silent", ...more });
  assert.deepEqual((await bundle("app", "app.mjs", { format: "esm" })).warnings, []);
  const { warnings } = await bundle("app", "script/app.js"); // a script has no import.meta, of which esbuild warns
  assert.deepEqual(warnings.filter((w) => w.id !== "empty-import-meta"), []);
  copyModule(to);
  copyModule(join(to, "script"));
  page(to, `<script type="module" src="app.mjs"></script>`);
  assert.equal(await said(`${origin}/dist/esbuild/index.html`), "1 pair");
  page(to, `<script src="script/app.js"></script>`);
  assert.equal(await said(`${origin}/dist/esbuild/index.html`), "1 pair");
  assert.equal(runNode(join(to, "app.mjs")).stdout, "1 pair\n"); // the bundle for browsers also runs in node
  rmSync(join(to, "script/pliant.wasm"));
  assert.match(await said(`${origin}/dist/esbuild/index.html`), /script\/pliant\.wasm cannot be read: status 404; put the package's file there/);
  await bundle("inline", "inline.js", { minify: true });
  page(to, `<script src="inline.js"></script>`);
  assert.equal(await said(pathToFileURL(join(to, "index.html")).href), "1 pair");
});

test("webpack puts the module beside the bundle", await have("webpack"), async () => {
  const { default: webpack } = await import("webpack"), to = dist("webpack");
  const stats = await new Promise((done, failed) =>
    webpack({ mode: "production", context: folder, entry: "./app.mjs", output: { path: to } }, (error, result) => (error ? failed(error) : done(result))));
  const { errors, warnings } = stats.toJson({ errors: true, warnings: true });
  assert.deepEqual([...errors, ...warnings].map((e) => e.message).filter((m) => !/size limit|performance recommendations/.test(m)), []);
  page(to, `<script src="main.js"></script>`);
  assert.equal(await said(`${origin}/dist/webpack/index.html`), "1 pair");
});

test("rollup with its resolution of packages", await have("rollup", "@rollup/plugin-node-resolve"), async () => {
  const { rollup } = await import("rollup"), { default: resolve } = await import("@rollup/plugin-node-resolve"), to = dist("rollup"), warnings = [];
  const bundle = await rollup({ input: join(folder, "app.mjs"), plugins: [resolve()], onwarn: (w) => warnings.push(w.message) });
  await bundle.write({ dir: to });
  assert.deepEqual(warnings, []);
  copyModule(to);
  page(to, `<script type="module" src="app.js"></script>`);
  assert.equal(await said(`${origin}/dist/rollup/index.html`), "1 pair");
});

test("vite builds the page and serves it while it is developed", await have("vite"), async () => {
  const { build, createServer: develop } = await import("vite"), warnings = [], to = dist("vite"), root = join(folder, "vite");
  mkdirSync(join(root, "node_modules"), { recursive: true });
  cpSync(PACKAGE, join(root, "node_modules/pliant"), { recursive: true });
  page(root, `<script type="module" src="./app.mjs"></script>`);
  const logger = { info() {}, warn: (m) => warnings.push(m), warnOnce: (m) => warnings.push(m), error: (m) => warnings.push(m), clearScreen() {}, hasErrorLogged: () => false, hasWarned: false };
  writeFileSync(join(root, "app.mjs"), app("pliant"));
  await build({ root, base: "./", configFile: false, customLogger: logger, build: { outDir: to, emptyOutDir: true } });
  assert.deepEqual(warnings, []);
  assert.equal(await said(`${origin}/dist/vite/index.html`), "1 pair");
  // vite's server bundles packages by themselves, without the files beside them: one sentence says what to do instead.
  for (const [from, wanted] of [["pliant", /cannot be read: it is no WebAssembly; .*"pliant\/inline"/], ["pliant/inline", /^1 pair$/]]) {
    writeFileSync(join(root, "app.mjs"), app(from));
    const dev = await develop({ root, configFile: false, customLogger: logger, server: { port: 0, host: "127.0.0.1", watch: null } });
    await dev.listen();
    try {
      assert.match(await said(`http://127.0.0.1:${dev.httpServer.address().port}/`), wanted);
    } finally {
      await dev.close();
    }
  }
  assert.deepEqual(warnings, []);
});
