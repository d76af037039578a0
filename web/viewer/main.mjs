// The viewer: plays a stage of the library, asks for its contacts in every frame, and draws what the library knows.
import { load } from "../package/pliant.mjs";
import { Camera } from "./camera.mjs";
import { Curve } from "./chart.mjs";
import { Other, name as otherName } from "./compare.mjs";
import { embeddedFiles, embeddedModule, hasEmbedded } from "./embedded.mjs";
import { Drawing } from "./gl.mjs";
import { readAddress, writeAddress } from "./address.mjs";

const $ = (id) => document.getElementById(id);
const TITLES = {
  spheres: "Two bumpy spheres", walkers: "Skinned walkers", dolphins: "Morphing dolphins", stars: "Morphing stars",
  cloth: "Cloth on a ball", crumple: "Crumpling cloth, self-contacts", bodies: "27 bodies", apart: "Bodies passing each other", soft: "Soft bodies falling",
};
const FULL = "pliant-full-wasm"; // the module with all methods, which soft bodies need
const COLOURS = ["#8fb0cf", "#c9b48a", "#93b89a", "#b39bc2", "#c79a93", "#86b5b8", "#b7b483", "#9aa7c7"].map(rgb);
const TOUCHING = rgb("#e2382c");
const BOXES = ["#7a838d", "#4fa3e0", "#f0a040", "#5ec488"].map(rgb); // stale, eager pass, on demand, front
const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const CHECKS = ["lines", "front", "gap", "cast", "first", "compare", "volumes"];
const SETTINGS = { strategy: "strategy", volume: "volume", arity: "arity", leaf: "leaf_size", builder: "builder" };

function rgb(text) { return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255); }
function milliseconds(ms) { return ms < 0.095 ? `${(1000 * ms).toFixed(0)} µs` : `${ms.toPrecision(3)} ms`; }
const whole = (n) => Math.round(n).toLocaleString("en-US").replace(/,/g, "\u202f");
function short(x) { return x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? x.toPrecision(5) : x.toExponential(3); }

class Viewer {
  async start() {
    this.pliant = await load(await embeddedModule());
    this.context = this.pliant.context();
    this.drawing = new Drawing($("view"));
    this.camera = new Camera($("view"), () => (this.dirty = true));
    this.curves = ["ms", "nv", "np", "nu"].map((id) => new Curve($(`c-${id}`)));
    this.times = [];
    this.playing = true;
    this.fill();
    this.listen();
    const wanted = readAddress();
    for (const id of CHECKS) if (id in wanted) $(id).checked = wanted[id] === "1";
    for (const id of [...Object.keys(SETTINGS), "speed"]) if (wanted[id] && [...$(id).options].some((o) => o.value === wanted[id])) $(id).value = wanted[id];
    if (wanted.level) this.wantedLevel = Number(wanted.level);
    const files = await embeddedFiles();
    if (files.length) this.openFiles(files);
    else await this.openShow(TITLES[wanted.scene] ? wanted.scene : "spheres");
    if (wanted.animation && this.stage?.animations?.[wanted.animation]) this.chooseAnimation(Number(wanted.animation));
    if (wanted.frame && this.stage) this.go(Math.min(Number(wanted.frame) || 0, this.stage.frames - 1));
    if (wanted.play === "0") this.play(false);
    const at = (wanted.camera ?? "").split(",").map(Number);
    if (at.length === 6 && at.every(Number.isFinite)) [this.camera.turn, this.camera.tilt, this.camera.distance, ...this.camera.target] = at;
    requestAnimationFrame((now) => this.tick(now));
  }

  fill() {
    const add = (id, words, titles = {}) => $(id).append(...words.map((w) => new Option(titles[w] ?? w, w)));
    add("scene", [...this.context.shows(), ...(hasEmbedded(FULL) ? ["soft"] : [])], TITLES);
    for (const id of ["strategy", "volume", "builder"]) add(id, this.pliant.words(id));
    $("other-name").textContent = otherName ?? "comparison";
    if (!otherName) {
      $("compare").disabled = true;
      $("other-ms").textContent = "not built in";
    }
  }

  // ------------------------------------------------------------------------------------------------------ stages

  settings() {
    return {
      strategy: $("strategy").value, volume: $("volume").value, builder: $("builder").value, arity: Number($("arity").value), leaf_size: Number($("leaf").value),
    };
  }
  async openShow(name) {
    this.files = null;
    const context = this.context.shows().includes(name) ? this.context : await this.fullContext();
    if (!context) return;
    this.open(() => context.show(name, this.settings()), () => ($("scene").value = name));
  }
  // Loaded when a scene first needs it.
  async fullContext() {
    try {
      this.full ??= (await load(await embeddedModule(FULL))).context();
      return this.full;
    } catch (error) {
      this.error(error);
      return null;
    }
  }
  openFiles(files) {
    this.files = files;
    const names = files.map((f) => f.name), title = names.length === 1 ? names[0] : `${names[0]} and ${names.length - 1} more`;
    this.open(() => this.context.read(files, this.settings()), () => {
      let option = $("scene").querySelector("option[value='#files']");
      if (!option) $("scene").append((option = new Option("", "#files")));
      option.textContent = title;
      $("scene").value = "#files";
      this.fileTitle = title;
      this.lastFiles = files;
    });
  }
  // A stage that cannot be opened leaves the one before.
  open(make, done) {
    try {
      const stage = make();
      this.stage?.destroy();
      this.stage = stage;
      done();
      this.error(null);
    } catch (error) {
      if (this.stage) $("scene").value = this.files && this.fileTitle ? "#files" : $("scene").dataset.now ?? $("scene").value;
      return this.error(error);
    }
    $("scene").dataset.now = $("scene").value;
    this.drawing.setParts(this.stage.parts.map((p) => ({ triangles: p.triangles(), vertexCount: p.vertexCount })));
    const names = this.stage.animations;
    $("animation").replaceChildren(...names.map((n, i) => new Option(n, i)));
    $("animation-label").hidden = names.length < 2;
    this.afterSettle();
    this.fit();
    $("time").max = this.stage.frames - 1;
    $("triangles").textContent = `${whole(this.stage.parts.reduce((s, p) => s + p.triangleCount, 0))} in ${whole(this.stage.parts.length)} ${this.stage.parts.length === 1 ? "body" : "bodies"}`;
    this.go(0);
    this.play(this.stage.frames > 1);
  }
  chooseAnimation(index) {
    this.stage.chooseAnimation(index);
    $("animation").value = index;
    $("time").max = this.stage.frames - 1;
    this.fit();
    this.go(0);
    this.play(this.stage.frames > 1);
  }
  settle() {
    if (!this.stage) return;
    try {
      this.stage.settle(this.settings());
      this.error(null);
    } catch (error) {
      this.error(error);
      $("strategy").value = "auto";
      $("volume").value = "aabb";
      this.stage.settle({});
    }
    this.afterSettle();
    this.go(this.stage.frame);
  }
  afterSettle() {
    const notes = [this.stage.note, this.stage.fallback ? `strategy ${$("strategy").value} does not suit these bodies: they use ${this.stage.parts[0].body.strategy}` : ""].filter(Boolean);
    $("note").textContent = notes.join("; ");
    $("note").hidden = !notes.length;
    this.other = null;
    this.warm = false;
    this.times = [];
    for (const curve of this.curves) curve.clear();
    this.levels = Math.max(...this.stage.parts.map((p) => p.body.tree().depth)) + 1;
    $("level").max = this.levels - 1;
    $("level").value = Math.min(this.wantedLevel ?? 2, this.levels - 1);
    $("level-text").textContent = $("level").value;
  }
  // The boxes of a few frames, so that bodies stay in the picture.
  fit() {
    const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity], last = this.stage.frames - 1, now = this.stage.frame;
    for (const frame of new Set([0, last >> 2, last >> 1, (3 * last) >> 2, last])) {
      this.stage.pose(frame);
      for (const part of this.stage.parts) {
        const box = part.body.box();
        for (let k = 0; k < 3; ++k) {
          lower[k] = Math.min(lower[k], box.lower[k]);
          upper[k] = Math.max(upper[k], box.upper[k]);
        }
      }
    }
    this.stage.pose(Math.min(now, last));
    this.camera.fit(lower, upper);
  }

  // ------------------------------------------------------------------------------------------------------ frames

  play(on) {
    this.playing = on;
    this.clock = null;
    $("play").textContent = on ? "❚❚" : "▶";
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    this.changed = true;
  }
  go(frame) {
    const { stage } = this;
    try {
      stage.pose(frame);
      this.answer = stage.collide({ first: $("first").checked });
    } catch (error) {
      this.play(false);
      return this.error(error);
    }
    stage.parts.forEach((part, i) => {
      const xyz = part.positions();
      this.drawing.setPositions(i, xyz);
      this.drawing.setMarks(i, part.marks());
    });
    this.compare();
    this.boxes = $("volumes").checked || $("front").checked ? this.readVolumes() : [];
    this.gap = $("gap").checked && stage.parts.length > 1 ? stage.scene.distance() : null;
    this.castRay();
    this.figures();
    this.dirty = this.changed = true;
  }
  compare() {
    this.others = null;
    if (!$("compare").checked || !otherName || this.stage.parts.length < 2) return;
    this.other ??= new Other(this.stage.parts);
    this.stage.parts.forEach((part, i) => this.other.set(i, part.positions()));
    this.others = this.other.frame($("first").checked);
  }
  // Boxes of one level, or the front: volumes that are current and have no current child.
  readVolumes() {
    const wanted = Number($("level").value), onlyFront = $("front").checked, list = [];
    for (const part of this.stage.parts) {
      const levels = part.body.volumes(0).levels, rows = [];
      let current = null; // parents with a current child
      for (let level = onlyFront ? levels - 1 : Math.min(wanted, levels - 1); level >= 0; --level) {
        const v = part.body.volumes(level), above = new Set();
        for (let i = 0; i < v.count; ++i) {
          const isCurrent = v.fresh[i] !== 0;
          if (isCurrent) above.add(v.parent[i]);
          if (onlyFront ? isCurrent && !current?.has(i) : v.boxes.length > 0) rows.push(...v.boxes.subarray(6 * i, 6 * i + 6), onlyFront ? 3 : v.fresh[i]);
        }
        current = above;
        if (!onlyFront) break;
      }
      const t = part.body.volumes(0).toWorld;
      const model = new Float32Array([t[0], t[3], t[6], 0, t[1], t[4], t[7], 0, t[2], t[5], t[8], 0, t[9], t[10], t[11], 1]);
      list.push({ data: new Float32Array(rows), model });
    }
    return list;
  }
  castRay() {
    this.hit = null;
    if (!$("cast").checked || !this.mouse || !this.stage) return ($("ray").textContent = "–");
    const { origin, direction } = this.camera.ray(...this.mouse), hits = this.stage.scene.cast(origin, direction);
    if (hits.triangle(0) < 0) return ($("ray").textContent = "nothing");
    const t = hits.t(0);
    this.hit = { point: origin.map((v, k) => v + t * direction[k]), normal: hits.normal(0), part: hits.member(0), triangle: hits.triangle(0) };
    $("ray").textContent = `${this.stage.parts[this.hit.part].name}, triangle ${whole(this.hit.triangle)}`;
  }

  figures() {
    const { answer } = this, c = answer.counters, ms = c.msUpdate + c.msQuery;
    // The first frame also makes what later ones use.
    if (this.warm) this.times.push(ms);
    this.warm = true;
    if (this.times.length > 60) this.times.shift();
    const mean = this.times.length ? this.times.reduce((a, b) => a + b, 0) / this.times.length : ms;
    [[ms, this.others?.ms], [c.n_v], [c.n_p], [c.n_u]].forEach((values, i) => this.curves[i].add(...values));
    $("ms").textContent = milliseconds(mean);
    if (this.others) {
      const times = this.others.ms / Math.max(mean, 1e-3);
      $("other-ms").textContent = `${milliseconds(this.others.ms)}, ${whole(this.others.pairs)} pairs, ${times >= 10 ? whole(times) : times.toFixed(1)} × pliant`;
    } else if (otherName) $("other-ms").textContent = !$("compare").checked ? "off" : "has no self-contacts";
    const between = answer.contacts - answer.own;
    $("contacts").textContent = answer.own ? `${whole(answer.own)} self${between ? `, ${whole(between)} between` : ""}` : whole(between);
    $("count").textContent = whole(answer.contacts);
    $("count-text").textContent = answer.contacts === 1 ? "contact" : "contacts";
    $("verdict").classList.toggle("touching", answer.contacts > 0);
    $("distance").textContent = this.gap ? short(this.gap.distance) : $("gap").checked ? "one body" : "off";
    ["ms", "nv", "np", "nu"].forEach((id, i) => ($(`v-${id}`).textContent = i ? whole([0, c.n_v, c.n_p, c.n_u][i]) : milliseconds(mean)));
    $("frame").textContent = `${this.stage.frame} / ${this.stage.frames - 1}`;
    $("time").value = this.stage.frame;
    $("legend").hidden = !($("volumes").checked && !$("front").checked);
  }

  tick(now) {
    if (this.playing && this.stage && this.stage.frames > 1) {
      this.clock ??= { from: now, frame: this.stage.frame };
      const passed = Math.floor(((now - this.clock.from) * this.stage.fps * Number($("speed").value)) / 1000);
      const frame = (this.clock.frame + passed) % this.stage.frames;
      if (frame !== this.stage.frame) this.go(frame);
    }
    if (this.dirty) this.draw();
    if (this.changed && now - (this.saved ?? 0) > 700) {
      this.saved = now;
      this.changed = false;
      writeAddress(this.state());
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  draw() {
    this.dirty = false;
    const background = getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map((v) => v / 255);
    const view = this.camera.matrix(), boxes = this.boxes?.some((b) => b.data.length);
    this.drawing.begin(background);
    if (!this.stage) return;
    this.drawing.drawParts(view, this.camera.eye(), { colours: COLOURS, touching: TOUCHING, lines: $("lines").checked, opacity: boxes ? 0.55 : 1 });
    for (const { data, model } of this.boxes ?? []) this.drawing.drawBoxes(view, model ?? IDENTITY, data, BOXES, 0.85);
    if (this.gap) this.drawing.drawLine(view, [...this.gap.pointA, ...this.gap.pointB], rgb("#f2c14e"), 9);
    if (this.hit) {
      const n = Math.hypot(...this.hit.normal) || 1, end = this.hit.point.map((v, k) => v + (0.12 * this.camera.reach * this.hit.normal[k]) / n);
      this.drawing.drawLine(view, [...this.hit.point, ...end], rgb("#ffffff"), 6);
    }
    for (const curve of this.curves) curve.draw();
  }

  // ---------------------------------------------------------------------------------------------- what people do

  state() {
    const state = { scene: $("scene").value, frame: this.stage?.frame ?? 0, play: this.playing ? "1" : "0" };
    for (const id of CHECKS) if ($(id).checked !== (id === "cast")) state[id] = $(id).checked ? "1" : "0";
    if ($("volumes").checked) state.level = $("level").value;
    const usual = { strategy: "auto", volume: "aabb", arity: "8", leaf: "8", builder: $("builder").options[0]?.value, speed: "1" };
    for (const id of Object.keys(usual)) if ($(id).value !== usual[id]) state[id] = $(id).value;
    if (!$("animation-label").hidden && $("animation").value !== "0") state.animation = $("animation").value;
    const c = this.camera;
    state.camera = [c.turn, c.tilt, c.distance, ...c.target].map((v) => Number(v.toPrecision(5))).join(",");
    return state;
  }
  error(error) {
    $("error").hidden = !error;
    if (error) $("error-text").textContent = error.message;
  }
  async take(list) {
    const files = [...list];
    if (!files.length) return;
    try {
      this.openFiles(await Promise.all(files.map(async (f) => ({ name: f.name, bytes: await f.arrayBuffer() }))));
    } catch (error) {
      this.error(new Error(`${files[0].name}: cannot be read; ${error.message}`));
    }
    $("file").value = "";
  }
  again() { if (this.stage) this.go(this.stage.frame); }
  step(by) {
    this.play(false);
    this.go((this.stage.frame + by + this.stage.frames) % this.stage.frames);
  }
  level(value) {
    $("level").value = value;
    this.wantedLevel = Number($("level").value);
    $("level-text").textContent = $("level").value;
    $("volumes").checked = true;
    $("front").checked = false;
    this.again();
  }

  listen() {
    const on = (id, event, action) => $(id).addEventListener(event, action);
    on("play", "click", () => this.play(!this.playing));
    on("step", "click", () => this.step(1));
    on("back", "click", () => this.step(-1));
    on("time", "input", () => { this.play(false); this.go(Number($("time").value)); });
    on("speed", "change", () => { this.clock = null; this.changed = true; });
    on("scene", "change", () => ($("scene").value === "#files" ? this.openFiles(this.lastFiles) : this.openShow($("scene").value)));
    on("animation", "change", () => this.chooseAnimation(Number($("animation").value)));
    on("level", "input", () => this.level($("level").value));
    for (const id of CHECKS) on(id, "change", () => {
      if (id === "front" && $(id).checked) $("volumes").checked = false;
      if (id === "volumes" && $(id).checked) $("front").checked = false;
      this.again();
    });
    for (const id of Object.keys(SETTINGS)) on(id, "change", () => this.settle());
    on("open", "click", () => $("file").click());
    on("file", "change", () => this.take($("file").files));
    on("error-close", "click", () => this.error(null));
    on("help-open", "click", () => $("help").showModal());
    on("share", "click", async () => {
      writeAddress(this.state());
      await navigator.clipboard?.writeText(location.href).catch(() => {});
      this.tip("The address of this view is copied");
    });
    addEventListener("resize", () => (this.dirty = true));
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => (this.dirty = true));
    on("view", "pointermove", (e) => {
      this.mouse = [e.clientX, e.clientY];
      if (this.stage) this.castRay();
      this.dirty = true;
    });
    on("view", "pointerleave", () => { this.mouse = null; this.hit = null; this.dirty = true; });
    for (const event of ["dragenter", "dragover"]) addEventListener(event, (e) => { e.preventDefault(); $("drop").hidden = false; });
    addEventListener("dragleave", (e) => { if (!e.relatedTarget) $("drop").hidden = true; });
    addEventListener("drop", (e) => { e.preventDefault(); $("drop").hidden = true; this.take(e.dataTransfer.files); });
    addEventListener("keydown", (e) => this.key(e));
  }
  tip(text) {
    $("tip").textContent = text;
    $("tip").hidden = false;
    clearTimeout(this.tipTimer);
    this.tipTimer = setTimeout(() => ($("tip").hidden = true), 2500);
  }
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || $("help").open || !this.stage) return;
    if (/^(SELECT|INPUT)$/.test(e.target.tagName) && e.target.type !== "checkbox" && /^(Arrow|Home|End| )/.test(e.key)) return;
    const press = (id) => () => $(id).click(), shows = this.context.shows(), turn = 0.12;
    const keys = {
      " ": () => this.play(!this.playing), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      o: press("open"), v: press("volumes"), f: press("front"), d: press("gap"), r: press("cast"), e: press("lines"), c: press("compare"),
      "+": () => this.level(Number($("level").value) + 1), "-": () => this.level(Number($("level").value) - 1),
      Home: () => this.fit(), "?": press("help-open"), Escape: () => this.error(null),
    };
    const turns = { ArrowLeft: [turn, 0], ArrowRight: [-turn, 0], ArrowUp: [0, turn], ArrowDown: [0, -turn], A: [turn, 0], D: [-turn, 0], W: [0, turn], S: [0, -turn] };
    const number = /^[1-9]$/.test(e.key) ? shows[Number(e.key) - 1] : null;
    if (e.shiftKey && turns[e.key]) this.camera.rotate(...turns[e.key]);
    else if (number) this.openShow(number);
    else if (e.key === " " && /^(BUTTON|INPUT)$/.test(e.target.tagName)) return;
    else if (keys[e.key]) keys[e.key]();
    else return;
    e.preventDefault();
  }
}

const viewer = new Viewer();
globalThis.viewer = viewer; // for tests, and for the curious
viewer.start().then(() => (document.body.dataset.ready = "yes"), (error) => viewer.error(error));
