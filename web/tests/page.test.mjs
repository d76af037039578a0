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
// The part of the picture that is drawn on, from 0 to 1: left, top, right, bottom.
const drawn = (page) => page.evaluate(() => {
  viewer.draw();
  const c = document.getElementById("view"), to = document.createElement("canvas");
  Object.assign(to, { width: c.width, height: c.height });
  const p = to.getContext("2d");
  p.drawImage(c, 0, 0);
  const { data } = p.getImageData(0, 0, c.width, c.height), box = [1, 1, 0, 0];
  for (let y = 0; y < c.height; ++y)
    for (let x = 0; x < c.width; ++x) {
      const i = 4 * (y * c.width + x);
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) <= 24) continue;
      const at = [x / c.width, y / c.height, (x + 1) / c.width, (y + 1) / c.height];
      for (let k = 0; k < 4; ++k) box[k] = k < 2 ? Math.min(box[k], at[k]) : Math.max(box[k], at[k]);
    }
  return box;
});
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
    assert.deepEqual(names, [...Object.keys(counts), "soft", "tear", "carve"]);
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

test("scenes that are cut show their mesh as it is, forwards and backwards", async () => {
  for (const [scene, frames] of [["tear", [0, 120, 300, 433, 480, 510]], ["carve", [0, 140, 200, 280, 400, 499]]])
    await with_({ hash: `scene=${scene}&play=0`, shot: scene, ...SMALL }, async (page) => {
      const list = (order) => page.evaluate((order) => order.map((frame) => {
        viewer.go(frame);
        const [part] = viewer.stage.parts, has = part.body.triangles(), shown = part.triangles();
        const same = Array.from(shown, (v, i) => v === (i < has.length && has[i] !== 0xffffffff ? has[i] : 0)).every(Boolean);
        return { frame, contacts: viewer.answer.contacts, reference: part.body.touching({ reference: true }).array.length / 2, same, edits: viewer.edits };
      }), order);
      const there = await list(frames), back = (await list([...frames].reverse())).reverse();
      for (const seen of [...there, ...back]) assert.ok(seen.same && seen.contacts === seen.reference, JSON.stringify(seen));
      assert.deepEqual(back.map((s) => s.contacts), there.map((s) => s.contacts));
      assert.ok(there.some((s) => s.contacts > 20) && there.at(-1).edits > there[0].edits);
      await page.evaluate(() => { viewer.go(300); document.getElementById("how").open = true; });
      await page.waitForFunction(() => /upper levels|on demand|whole tree/.test(document.getElementById("choice").textContent), null, { timeout: 20000 });
      assert.ok((await pixels(page)).red > 0);
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
    await page.selectOption("#strategy", "hybrid"); // auto may refit nothing before the question
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

const character = (name) => ({ name: `${name}.glb`, path: join(DATA, `gltf/${name}/${name}.glb`) });
const SCREENS = { desktop: { width: 1280, height: 720 }, upright: { width: 390, height: 844 }, sideways: { width: 844, height: 390 } };

test("dropped characters fill the picture and are not cut off", { skip: !existsSync(character("Fox").path) }, async () => {
  for (const [screen, size] of Object.entries(SCREENS))
    await with_({ ...size, hash: "play=0", shot: `character-${screen}` }, async (page) => {
      for (const { name, path } of ["CesiumMan", "Fox", "RiggedFigure"].map(character).filter((c) => existsSync(c.path))) {
        await drop(page, [{ name, bytes: readFileSync(path) }]);
        await page.evaluate(() => viewer.play(false));
        const all = [1, 1, 0, 0];
        for (const part of [0, 0.3, 0.5, 0.8, 1]) {
          await page.evaluate((p) => viewer.go(Math.round(p * (viewer.stage.frames - 1))), part);
          (await drawn(page)).forEach((v, k) => (all[k] = k < 2 ? Math.min(all[k], v) : Math.max(all[k], v)));
        }
        assert.ok(Math.max(all[2] - all[0], all[3] - all[1]) > 0.75, `${name} on ${screen} is small: ${all}`);
        assert.ok(Math.min(all[0], all[1], 1 - all[2], 1 - all[3]) > 0.02, `${name} on ${screen} is cut off: ${all}`);
      }
    });
});

test("a picture that nobody moved fits again when the window gets another shape", async () => {
  await with_({ hash: "scene=dolphins&play=0", ...SCREENS.desktop }, async (page) => {
    const wide = await page.evaluate(() => viewer.camera.distance);
    await page.setViewportSize(SCREENS.upright);
    await page.waitForFunction((d) => viewer.camera.distance > 1.2 * d, wide, { timeout: 10000 });
    const box = await drawn(page);
    assert.ok(Math.min(box[0], box[1], 1 - box[2], 1 - box[3]) > 0.01, `${box}`);
  });
});

test("the wheel comes nearer to what is under the mouse", async () => {
  await with_({ hash: "scene=spheres&play=0&frame=0", ...SMALL }, async (page) => {
    const view = await page.locator("#view").boundingBox(), ball = await drawn(page);
    const surface = [view.x + view.width * (0.9 * ball[0] + 0.1 * ball[2]), view.y + view.height * (0.3 * ball[1] + 0.7 * ball[3])].map(Math.round);
    for (const [x, y] of [surface, [view.x + 0.9 * view.width, view.y + 0.9 * view.height].map(Math.round)]) {
      const before = await page.evaluate(([x, y]) => {
        const { origin, direction } = viewer.camera.ray(x, y), d = viewer.camera.distance;
        globalThis.point = viewer.surfaceAt(x, y)?.point ?? origin.map((v, k) => v + d * direction[k]);
        return { distance: d, hit: !!viewer.surfaceAt(x, y) };
      }, [x, y]);
      assert.equal(before.hit, x === surface[0]);
      await page.mouse.move(x, y);
      for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, -200);
      await page.waitForFunction((d) => viewer.camera.distance < 0.4 * d, before.distance, { timeout: 10000 });
      const at = await page.evaluate(() => {
        const m = viewer.camera.matrix(), p = [...point, 1], c = document.getElementById("view").getBoundingClientRect();
        const [cx, cy, , w] = [0, 1, 2, 3].map((i) => p.reduce((s, v, j) => s + m[4 * j + i] * v, 0));
        return [c.left + (c.width * (cx / w + 1)) / 2, c.top + (c.height * (1 - cy / w)) / 2];
      });
      assert.ok(Math.hypot(at[0] - x, at[1] - y) < 1, `${at} is not under the mouse at ${[x, y]}`);
      await page.keyboard.press("Home");
    }
  });
});

test("key 9 opens the ninth scene", async () => {
  await with_({ hash: "play=0", ...SMALL }, async (page) => {
    await page.focus("#view");
    await page.keyboard.press("9");
    await page.waitForFunction(() => document.getElementById("scene").dataset.now === "soft", null, { timeout: 30000 });
    assert.equal((await state(page)).parts.length, 12);
  });
});

test("a still file shows the time of a warm question, in words that read well", async () => {
  await with_({ hash: "play=0", ...SMALL }, async (page) => {
    for (const [name, text] of [["sheets.obj", sheets(30)], ["one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"]]) {
      await drop(page, [{ name, bytes: Buffer.from(text) }]);
      await page.waitForFunction(() => viewer.times.list.length >= 10, null, { timeout: 10000 });
      const { mean, cold, before, now } = await page.evaluate(() => {
        const before = JSON.stringify(viewer.answer);
        viewer.again();
        return { mean: viewer.times.mean(), cold: viewer.times.cold, before: JSON.parse(before).contacts, now: viewer.answer.contacts };
      });
      assert.equal(now, before);
      assert.ok(mean <= cold || cold === 0, `${mean} of ${cold} ms`);
      for (const id of ["ms", "v-ms"]) assert.match(await page.textContent(`#${id}`), /^(< )?\d{1,3}(\.\d+)? (µs|ms|s)$/);
      assert.doesNotMatch(await page.textContent("#ms"), /^0(\.0+)? /);
    }
  });
});

test("an edited address takes effect, and a wrong one does no harm", async () => {
  await with_({ hash: "scene=cloth&play=0&frame=-5", ...SMALL }, async (page) => {
    const edit = async (hash, wanted) => {
      await page.evaluate((h) => { location.hash = h; }, hash);
      await page.waitForFunction(([scene, frame]) => document.getElementById("scene").dataset.now === scene && viewer.stage.frame === frame, wanted, { timeout: 20000 });
      assert.equal(await page.isVisible("#error"), false, hash);
    };
    assert.equal(await page.isVisible("#error"), false);
    assert.equal((await state(page)).frame, 0);
    await edit("scene=stars&play=0&frame=200&arity=4&first=1&volumes=1&level=3", ["stars", 200]);
    assert.deepEqual([await page.inputValue("#arity"), await page.isChecked("#first"), await page.inputValue("#level")], ["4", true, "3"]);
    await edit("scene=stars&play=0&frame=7&camera=1,0.2,50,0,0,0", ["stars", 7]);
    assert.deepEqual([await page.inputValue("#arity"), await page.isChecked("#first"), await page.isChecked("#cast")], ["8", false, true]);
    assert.equal(await page.evaluate(() => viewer.camera.distance), 50);
    const { frames } = await state(page);
    for (const [frame, shown] of [["-5", 0], ["1e9", frames - 1], ["3.7", 3], ["many", 0], ["Infinity", frames - 1], ["NaN", 0]])
      await edit(`scene=stars&play=0&frame=${frame}`, ["stars", shown]);
    await edit("scene=nothing&strategy=guess&speed=9&level=x&animation=-3&camera=1,2,-3,4,5,6&play=0&frame=2", ["spheres", 2]);
    assert.deepEqual([await page.inputValue("#strategy"), await page.inputValue("#speed"), await page.inputValue("#level")], ["auto", "1", "2"]);
    assert.ok(await page.evaluate(() => viewer.camera.distance > 0 && !viewer.camera.moved));
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
    assert.equal(await page.title(), input.replace(/^.*\//, ""), "the title is the file's name");
    const places = await page.evaluate(() => viewer.findings.list(viewer.stage.animations.length).length);
    assert.equal(now.playing, !!model && !places, "a file with places that intersect opens at the worst of them");
    if (places) assert.ok(now.contacts > 0, "it opens at a frame with contacts"); // it may play later
    if (places) { // Next goes to another place that fails, Worst to the first of the list; the list marks it
      const shown = () => page.$$eval("#finding-list button", (all) => all.map((b) => b.ariaCurrent).indexOf("true"));
      assert.equal(await shown(), 0, "it opens at the worst place");
      await page.click("#next");
      const next = await shown();
      assert.ok(next > 0 && (await page.$$eval("#finding-list button", (all, i) => all[i].className, next)) === "fails", `place ${next}`);
      await page.click("#previous");
      assert.equal(await shown(), 0);
      await page.keyboard.press("p");
      assert.notEqual(await shown(), 0);
      await page.keyboard.press("x");
      assert.equal(await shown(), 0);
    }
    await page.selectOption("#scene", "cloth");
    assert.match(await page.title(), /^pliant/);
    await page.selectOption("#scene", "#files");
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
    const rows = await page.$$eval("footer button", (list) => [...new Set(list.map((b) => b.getBoundingClientRect()).filter((b) => b.width).map((b) => b.y))]);
    assert.equal(rows.length, 1, `the buttons below the picture are one row: ${rows}`);
    assert.ok((await pixels(page)).all > 2000);
  });
});

test("a phone on its side: the header is one line, and the picture has most of the height", async () => {
  for (const [width, height] of [[844, 390], [667, 375], [740, 360], [932, 430]])
    await with_({ width, height, hasTouch: true, hash: "scene=crumple&play=0", shot: `sideways-${width}` }, async (page) => {
      await page.evaluate(() => {
        document.getElementById("animation").append(new Option("an animation with a long name", "0"));
        document.getElementById("animation-label").hidden = false;
      });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      const boxes = await page.$$eval("header, header button, header select", (list) => list.map((e) => { const b = e.getBoundingClientRect(); return { id: e.id, x: b.x, y: b.y, w: b.width, h: b.height }; }));
      const [header, ...inside] = boxes;
      assert.ok(header.h < 0.16 * height, `header of ${header.h}`);
      for (const b of inside) {
        assert.ok(b.h <= 40 && Math.abs(b.y + b.h / 2 - (header.y + header.h / 2)) < 2, `${b.id} is not in the line: ${JSON.stringify(b)}`);
        assert.ok(b.x >= 0 && b.x + b.w <= width && b.w >= 30, `${b.id} is not in reach: ${JSON.stringify(b)}`);
      }
      const view = await page.locator("#view").boundingBox();
      assert.ok(view.height > 0.7 * height && view.width > 0.5 * width, JSON.stringify(view));
      const words = await page.locator("#verdict").boundingBox();
      assert.ok(words.width * words.height < 0.1 * view.width * view.height, `words cover the picture: ${JSON.stringify(words)}`);
    });
});
