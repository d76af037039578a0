// The page in a real Chromium: every scene with the contacts of this machine, every control, dropped files, a page of `pliant view`.
//   COUNTS: what pliant_counts printed, PLIANT: the command, PAGE: out/web/index.html, SHOTS: a folder for pictures
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";

const PAGE = process.env.PAGE ?? new URL("../../out/web/index.html", import.meta.url).pathname;
const DATA = new URL("../../../shared/data", import.meta.url).pathname;
const counts = JSON.parse(readFileSync(process.env.COUNTS, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "pliant-page-"));
const SMALL = { width: 800, height: 450 }; // fewer pixels to draw in software
let browser;
before(async () => { browser = await launch(); });
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function with_(options, run) {
  const { page, problems, close } = await open(browser, options.file ?? PAGE, options);
  try {
    await run(page);
    assert.deepEqual(problems, []);
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${options.shot ?? "page"}.png`) });
  } finally {
    await close();
  }
}
const state = (page) => page.evaluate(() => ({ frame: viewer.stage.frame, frames: viewer.stage.frames, playing: viewer.playing, ...viewer.answer, parts: viewer.stage.parts.map((p) => p.name), strategy: viewer.stage.parts[0].body.strategy }));
const number = (text) => Number(text.replace(/\D/g, ""));
// Pixels of the picture that are red, and those that are boxes of the given colour.
const pixels = (page) => page.evaluate(() => {
  viewer.draw();
  const c = document.getElementById("view"), to = document.createElement("canvas");
  Object.assign(to, { width: c.width, height: c.height });
  const p = to.getContext("2d");
  p.drawImage(c, 0, 0);
  const data = p.getImageData(0, 0, c.width, c.height).data, found = { red: 0, orange: 0, blue: 0, grey: 0, green: 0, gold: 0, all: 0 };
  const back = [data[0], data[1], data[2]];
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
    if (Math.abs(r - back[0]) + Math.abs(g - back[1]) + Math.abs(b - back[2]) > 24) ++found.all;
    if (r > 90 && r > 2.4 * g && r > 2.4 * b) ++found.red;
    if (r > 190 && g > 120 && g < 190 && b < 110) ++found.orange;
    if (b > 180 && r < 125 && g > 125) ++found.blue;
    if (g > 150 && r < 130 && b < 170 && g > b + 30) ++found.green;
    if (r > 220 && g > 170 && b < 120) ++found.gold;
  }
  return found;
});

test("every scene loads, plays and has the contacts of this machine", async () => {
  await with_({ hash: "play=0", shot: "scenes", ...SMALL }, async (page) => {
    const names = await page.$$eval("#scene option", (list) => list.map((o) => o.value));
    assert.deepEqual(names, [...Object.keys(counts), "soft"]);
    for (const name of Object.keys(counts)) {
      // In one go, as every picture takes a while without a graphics card.
      const seen = await page.evaluate(({ name, frames }) => {
        const set = (id, value, event) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(event)); };
        set("scene", name, "change");
        const playing = viewer.playing; // a new scene plays by itself
        return { playing, list: frames.map((f) => { set("time", f, "input"); return [viewer.stage.frame, document.getElementById("count").textContent]; }) };
      }, { name, frames: counts[name].map(([frame]) => frame) });
      assert.equal(seen.playing, true);
      assert.deepEqual(seen.list.map(([frame, text]) => [frame, number(text)]), counts[name], name);
      assert.equal((await state(page)).playing, false);
      const found = await pixels(page);
      assert.ok(found.all > 2000, `${name} is drawn`);
      const last = counts[name].at(-1)[1];
      assert.ok(last > 20 ? found.red > 0 || name === "spheres" : found.red === 0, `${name}: ${last} contacts and ${found.red} red pixels`);
    }
  });
});

test("soft bodies play with the module that has all methods", async () => {
  await with_({ hash: "scene=soft&play=0", shot: "soft", ...SMALL }, async (page) => {
    const seen = await state(page);
    assert.deepEqual([seen.parts.length, ...seen.parts.slice(0, 3)], [12, "ball 1", "cube 2", "ring 3"]);
    assert.equal(seen.strategy, "match");
    const list = () => page.evaluate(() => [0, 30, 60, 90, 120, 179].map((f) => { viewer.go(f); return viewer.answer.contacts; }));
    const contacts = await list();
    assert.equal(contacts[0], 0);
    assert.ok(contacts.some((n) => n > 20), `contacts: ${contacts}`);
    await page.selectOption("#strategy", "bottom-up"); // as free bodies: the same answer
    assert.deepEqual(await list(), contacts);
    await page.selectOption("#scene", "cloth"); // and back to the small module
    assert.equal((await state(page)).parts.length, 2);
  });
});

test("play, pause, step, scrub, keys", async () => {
  await with_({ hash: "scene=cloth", shot: "cloth", ...SMALL }, async (page) => {
    const first = await state(page);
    assert.equal(first.playing, true);
    await page.waitForFunction(() => viewer.stage.frame > 3, null, { timeout: 20000 });
    await page.click("#play");
    const { frame } = await state(page);
    await page.waitForTimeout(150);
    assert.equal((await state(page)).frame, frame);
    await page.click("#step");
    assert.equal((await state(page)).frame, (frame + 1) % 40);
    await page.click("#back");
    assert.equal((await state(page)).frame, frame);
    await page.focus("#view");
    await page.keyboard.press("ArrowRight");
    assert.equal((await state(page)).frame, (frame + 1) % 40);
    await page.keyboard.press("Space");
    assert.equal((await state(page)).playing, true);
    await page.keyboard.press("Space");
    await page.keyboard.press("v");
    assert.equal(await page.isChecked("#volumes"), true);
    await page.keyboard.press("2");
    assert.equal(await page.inputValue("#scene"), "walkers");
    await page.keyboard.press("?");
    assert.equal(await page.isVisible("#help"), true);
    await page.keyboard.press("Escape");
    for (const id of await page.$$eval("select, input, button", (list) => list.filter((e) => !e.labels?.length && !e.textContent.trim() && !e.getAttribute("aria-label")).map((e) => e.id))) assert.fail(`${id} has no label`);
  });
});

test("volumes by level and freshness, the front, distance, ray, first pair, edges", async () => {
  await with_({ hash: "scene=spheres&play=0&frame=120", shot: "volumes" }, async (page) => {
    assert.equal((await pixels(page)).orange, 0);
    await page.check("#volumes");
    await page.evaluate(() => viewer.level(viewer.levels - 1));
    const deep = await pixels(page);
    assert.ok(deep.orange > 50, "volumes refitted for the query");
    assert.equal(await page.isVisible("#legend"), true);
    await page.evaluate(() => viewer.level(1));
    const shallow = await pixels(page), boxes = await page.evaluate(() => viewer.boxes.map((b) => b.data.length / 7));
    assert.ok(shallow.blue > 50, "volumes of the eager pass");
    assert.deepEqual(boxes, await page.evaluate(() => viewer.stage.parts.map((p) => p.body.volumes(1).count)));
    await page.selectOption("#strategy", "top-down");
    assert.equal(await page.evaluate(() => viewer.boxes.every((b) => b.data.filter((_, i) => i % 7 === 6).every((f) => f !== 1))), true);
    assert.equal((await state(page)).strategy, "top-down");
    await page.check("#front");
    assert.equal(await page.isChecked("#volumes"), false);
    assert.ok((await pixels(page)).green > 50);
    await page.uncheck("#front");
    await page.check("#gap");
    assert.equal(await page.textContent("#distance"), "0");
    await page.evaluate(() => viewer.go(0));
    const distance = await page.evaluate(() => ({ d: viewer.gap.distance, a: viewer.gap.pointA, b: viewer.gap.pointB }));
    assert.ok(distance.d > 0 && Math.abs(Math.hypot(...distance.a.map((v, k) => v - distance.b[k])) - distance.d) < 1e-9);
    assert.ok((await pixels(page)).gold > 10);
    await page.uncheck("#gap");
    const box = await page.locator("#view").boundingBox();
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2);
    assert.match(await page.textContent("#ray"), /spheres \d, triangle/);
    await page.mouse.move(box.x + 5, box.y + box.height - 5);
    assert.equal(await page.textContent("#ray"), "nothing");
    await page.evaluate(() => viewer.go(150));
    await page.check("#first");
    assert.equal(await page.textContent("#count"), "1");
    await page.uncheck("#first");
    await page.check("#lines");
    assert.ok((await pixels(page)).all > 2000);
  });
});

test("every strategy, volume, arity, leaf size and builder gives the same contacts", async () => {
  const [frame, wanted] = counts.dolphins[2];
  await with_({ hash: `scene=dolphins&play=0&frame=${frame}`, shot: "dolphins", ...SMALL }, async (page) => {
    assert.ok(wanted > 0);
    for (const id of ["strategy", "volume", "arity", "leaf", "builder"])
      for (const value of await page.$$eval(`#${id} option`, (list) => list.map((o) => o.value))) {
        await page.selectOption(`#${id}`, value);
        assert.equal(number(await page.textContent("#count")), wanted, `${id} ${value}`);
      }
    assert.ok(await page.evaluate(() => viewer.curves.every((c) => c.values.length > 0)));
  });
});

test("three-mesh-bvh beside it: its time and its answer", async () => {
  await with_({ hash: "scene=spheres&play=0&frame=150&compare=1", shot: "compare" }, async (page) => {
    const text = await page.textContent("#other-ms"), others = await page.evaluate(() => viewer.others);
    assert.match(text, /ms, [\d\u202f]+ pairs, [\d.\u202f]+ × pliant/);
    const { contacts } = await state(page);
    assert.ok(Math.abs(others.pairs - contacts) <= 0.02 * contacts, `${others.pairs} and ${contacts}`);
    await page.selectOption("#scene", "crumple");
    assert.equal(await page.textContent("#other-ms"), "has no self-contacts");
  });
});

test("the address holds the view", async () => {
  let hash;
  await with_({ hash: "scene=stars&play=0&frame=200", shot: "stars" }, async (page) => {
    await page.selectOption("#volume", "kdop18");
    await page.selectOption("#arity", "4");
    await page.check("#volumes");
    await page.evaluate(() => viewer.camera.rotate(0.5, 0.1));
    await page.click("#share");
    hash = await page.evaluate(() => location.hash.slice(1));
  });
  await with_({ hash, shot: "again" }, async (page) => {
    const now = await state(page);
    assert.equal(now.frame, 200);
    assert.equal(now.playing, false);
    assert.equal(await page.inputValue("#scene"), "stars");
    assert.equal(await page.inputValue("#volume"), "kdop18");
    assert.equal(await page.inputValue("#arity"), "4");
    assert.equal(await page.isChecked("#volumes"), true);
    await page.click("#share");
    assert.equal(await page.evaluate(() => location.hash.slice(1)), hash);
  });
});

// Two sheets of n x n quads that cross, as OBJ.
function sheets(n) {
  const lines = [];
  for (let s = 0; s < 2; ++s)
    for (let j = 0; j <= n; ++j) for (let i = 0; i <= n; ++i) lines.push(`v ${i / n} ${s ? j / n - 0.5 : 0.01 * Math.sin(20 * i / n)} ${s ? 0.5 + 0.01 * Math.sin(30 * i / n) : j / n}`);
  for (let s = 0; s < 2; ++s)
    for (let j = 0; j < n; ++j)
      for (let i = 0; i < n; ++i) {
        const a = s * (n + 1) ** 2 + j * (n + 1) + i + 1;
        lines.push(`f ${a} ${a + 1} ${a + n + 2}`, `f ${a} ${a + n + 2} ${a + n + 1}`);
      }
  return lines.join("\n") + "\n";
}
// What a person does who drops files on the page.
async function drop(page, files) {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    return transfer;
  }, files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") })));
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await page.waitForFunction((n) => viewer.lastFiles?.some((f) => f.name === n) || !document.getElementById("error").hidden, files[0].name, { timeout: 60000 });
}

test("dropped files: a mesh of 100 000 triangles, broken ones, a sequence", async () => {
  await with_({ shot: "dropped" }, async (page) => {
    const large = sheets(160);
    await drop(page, [{ name: "sheets.obj", bytes: Buffer.from(large) }]);
    const now = await state(page);
    assert.deepEqual(now.parts, ["sheets.obj"]);
    assert.equal(number((await page.textContent("#triangles")).split(" in ")[0]), 102400);
    assert.ok(now.own > 100 && (await pixels(page)).red > 20, "contacts of the two sheets are red");
    writeFileSync(join(folder, "sheets.obj"), large);
    const native = JSON.parse(execFileSync(process.env.PLIANT, ["self", "--json", join(folder, "sheets.obj")], { encoding: "utf8" }).split("\n")[0]);
    assert.equal(now.own, native.bodies?.[0]?.pairs ?? native.pairs);
    await drop(page, [{ name: "broken.obj", bytes: Buffer.from("v 0 0 0\nv 1 x 0\n") }]);
    assert.match(await page.textContent("#error-text"), /^broken\.obj:2: /);
    assert.deepEqual((await state(page)).parts, ["sheets.obj"], "what was there still plays");
    assert.equal(await page.inputValue("#scene"), "#files");
    await page.click("#error-close");
    assert.equal(await page.isVisible("#error"), false);
    const frame = (z) => Buffer.from(`v 0 0 ${z}\nv 1 0 ${z}\nv 0 1 ${z}\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\nf 4 5 6\n`);
    await drop(page, [2, 10, 1].map((i) => ({ name: `f_${i}.obj`, bytes: frame(i - 1.5) })));
    assert.equal((await state(page)).frames, 3);
    assert.equal((await state(page)).playing, true, "a sequence plays by itself");
    await page.evaluate(() => { viewer.play(false); viewer.go(0); });
    assert.equal((await state(page)).own, 1);
    await page.evaluate(() => viewer.go(2));
    assert.equal((await state(page)).own, 0);
    await page.selectOption("#scene", "cloth");
    await page.selectOption("#scene", "#files");
    assert.deepEqual((await state(page)).parts, ["f_1.obj"]);
  });
});

test("pliant view: one file, opened as it is", { skip: !process.env.PLIANT }, async () => {
  const model = [join(DATA, "gltf/Fox/Fox.glb"), join(DATA, "gltf/CesiumMan/CesiumMan.glb")].find(existsSync), out = join(folder, "view.html");
  const input = model ?? join(folder, "f_1.obj");
  if (!model) writeFileSync(input, sheets(4));
  const made = spawnSync(process.env.PLIANT, ["view", input, "--out", out, "--page", PAGE.replace("index.html", "view.html")], { encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  await with_({ file: out, shot: "view" }, async (page) => {
    const now = await state(page);
    assert.ok(now.frames > (model ? 1 : 0));
    assert.match(await page.$eval("#scene", (s) => s.selectedOptions[0].textContent), /Fox|Cesium|f_1/);
    assert.equal(now.playing, !!model);
    assert.ok((await pixels(page)).all > 1000);
    if (!/Fox/.test(input)) return;
    await page.selectOption("#animation", "1");
    assert.notEqual((await state(page)).frames, now.frames);
  });
});

test("a phone: everything is in reach, and nothing is wider than the screen", async () => {
  await with_({ width: 390, height: 844, hasTouch: true, deviceScaleFactor: 2, hash: "scene=walkers&play=0&frame=75", shot: "phone" }, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    for (const id of ["open", "scene", "play", "step", "time", "volumes", "strategy"]) {
      await page.locator(`#${id}`).scrollIntoViewIfNeeded();
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844, `${id} is in reach`);
    }
    assert.ok((await pixels(page)).all > 2000);
  });
});
