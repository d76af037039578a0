// The viewer: plays a stage of the library, asks for its contacts in every frame, and draws what the library knows.
import { load, sequences } from "../package/pliant.mjs";
import { models } from "../package/stage.mjs";
import { Camera } from "./camera.mjs";
import { Curve } from "./chart.mjs";
import { Other, name as otherName } from "./compare.mjs";
import { embeddedFiles, embeddedModule, hasEmbedded } from "./embedded.mjs";
import { drawTimeline, Findings, nextFinding } from "./findings.mjs";
import { Drawing } from "./gl.mjs";
import { cameraOf, readAddress, wholeNumber, writeAddress } from "./address.mjs";
import { Times } from "./times.mjs";
import { readVolumes } from "./volumes.mjs";
import { duration, short, whole } from "./words.mjs";

const $ = (id) => document.getElementById(id);
const TITLES = {
  spheres: "Two bumpy spheres", walkers: "Skinned walkers", dolphins: "Morphing dolphins", stars: "Morphing stars",
  cloth: "Cloth on a ball", crumple: "Crumpling cloth, self-contacts", bodies: "27 bodies", apart: "Bodies passing each other", soft: "Soft bodies falling",
  tear: "Cloth torn and sewn up", carve: "Bar carved and fused",
};
const PAGE_TITLE = "pliant: contacts of deforming meshes";
const FULL = "pliant-full-wasm"; // the module with all methods, which some scenes need
const FULL_SHOWS = ["soft", "tear", "carve"];
const COLOURS = ["#8fb0cf", "#c9b48a", "#93b89a", "#b39bc2", "#c79a93", "#86b5b8", "#b7b483", "#9aa7c7"].map(rgb);
const TOUCHING = rgb("#e2382c");
const BOXES = ["#7a838d", "#4fa3e0", "#f0a040", "#5ec488"].map(rgb); // stale, eager pass, on demand, front
const CHOICES = { upper: "upper levels first", none: "all on demand", whole: "the whole tree first", own: "on demand, from governors", fixed: "as set" };
const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
const CHECKS = ["xray", "lines", "front", "gap", "cast", "first", "compare", "volumes"];
// What an address need not say. Other checks are off, and other settings are the first of their list.
const USUAL = { xray: "1", cast: "1", strategy: "auto", volume: "aabb", arity: "8", leaf: "8", speed: "1" };
const SETTINGS = { strategy: "strategy", volume: "volume", arity: "arity", leaf: "leaf_size", builder: "builder" };

function rgb(text) { return [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255); }
const FIT_VERTICES = 3e5; // that a fit looks at, in as many frames as that allows

class Viewer {
  async start() {
    this.pliant = await load(await embeddedModule());
    this.context = this.pliant.context();
    this.drawing = new Drawing($("view"));
    this.camera = new Camera($("view"), () => (this.dirty = this.changed = true));
    this.camera.pick = (x, y) => this.surfaceAt(x, y)?.point ?? null;
    this.curves = ["ms", "nv", "np", "nu"].map((id) => new Curve($(`c-${id}`)));
    this.times = new Times();
    this.findings = new Findings();
    this.playing = true;
    this.fill();
    this.listen();
    const files = embeddedFiles();
    if (files.length) this.offerFiles(files);
    await this.show(readAddress());
    this.showing = Promise.resolve(); // one after the other; the event says which address, as a frame may write another meanwhile
    addEventListener("hashchange", ({ newURL }) => (this.showing = this.showing.then(() => this.show(readAddress(newURL))).catch((error) => this.error(error))));
    requestAnimationFrame((now) => this.tick(now));
  }
  // Shows what an address says; what it leaves out, or what is not there, is as usual.
  async show(wanted) {
    for (const id of CHECKS) $(id).checked = (wanted[id] ?? USUAL[id]) === "1";
    for (const id of [...Object.keys(SETTINGS), "speed"]) $(id).value = this.has(id, wanted[id]) ? wanted[id] : USUAL[id] ?? $(id).options[0].value;
    this.wantedLevel = wanted.level >= 0 ? wholeNumber(wanted.level, 0, 99) : undefined;
    const camera = cameraOf(wanted.camera);
    if (!camera) this.camera.reset();
    const opened = await this.showScene(wanted.scene);
    if (!this.stage) return;
    const animation = wholeNumber(wanted.animation, 0, Math.max(this.stage.animations.length - 1, 0));
    if (String(animation) !== ($("animation").value || "0")) this.chooseAnimation(animation);
    this.play(wanted.play !== "0" && this.stage.frames > 1);
    if (camera) this.camera.set(camera);
    else if (!opened) this.fit();
    const frame = wholeNumber(wanted.frame, 0, this.stage.frames - 1);
    if (!opened || frame) this.go(frame);
    if (opened && wanted.frame === undefined && this.findings.list(this.stage.animations.length).length) this.goWorst();
  }
  has(id, value) { return [...$(id).options].some((o) => o.value === value); }
  // Returns true if another scene was opened than the one before.
  async showScene(wanted) {
    const name = this.has("scene", wanted) ? wanted : this.lastFiles ? "#files" : "spheres";
    if (this.stage && name === $("scene").dataset.now) {
      if (JSON.stringify(this.settings()) !== this.settled) this.settle();
      else this.afterSettle();
      return false;
    }
    if (name === "#files") this.openFiles(this.lastFiles);
    else await this.openShow(name);
    return true;
  }

  fill() {
    const add = (id, words, titles = {}) => $(id).append(...words.map((w) => new Option(titles[w] ?? w, w)));
    add("scene", [...this.context.shows(), ...(hasEmbedded(FULL) ? FULL_SHOWS : [])], TITLES);
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
    const context = this.context.shows().includes(name) ? this.context : await this.fullContext();
    if (!context) return;
    this.open(() => context.show(name, this.settings()), () => {
      $("scene").value = name;
      document.title = PAGE_TITLE;
    });
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
    this.open(() => this.context.read(files, this.settings()), () => {
      document.title = this.offerFiles(files);
      $("scene").value = "#files";
    });
  }
  // Files are one of the scenes, the last. Returns its title.
  offerFiles(files) {
    const { scenes, meshes } = models(files.map((f) => f.name)), names = [...scenes, ...sequences(meshes).flat()], title = names.length <= 1 ? names[0] ?? files[0].name : `${names[0]} and ${names.length - 1} more`;
    if (!this.has("scene", "#files")) $("scene").append(new Option("", "#files"));
    $("scene").querySelector("option[value='#files']").textContent = title;
    this.lastFiles = files;
    return title;
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
      if (this.stage) $("scene").value = $("scene").dataset.now;
      return this.error(error);
    }
    $("scene").dataset.now = $("scene").value;
    this.findings.forget();
    this.findings.use($("scene").value === "#files");
    this.settled = JSON.stringify(this.settings());
    this.drawing.setParts(this.stage.parts.map((p) => ({ triangles: p.triangles(), vertexCount: p.vertexCount })));
    const names = this.stage.animations;
    $("animation").replaceChildren(...names.map((n, i) => new Option(n, i)));
    $("animation-label").hidden = names.length < 2;
    this.listFindings();
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
    this.times.forget();
    this.fit();
    this.go(0);
    this.play(this.stage.frames > 1);
  }
  settle() {
    if (!this.stage) return;
    this.settled = JSON.stringify(this.settings());
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
    this.times.forget();
    for (const curve of this.curves) curve.clear();
    this.levels = Math.max(...this.stage.parts.map((p) => p.body.tree().depth)) + 1;
    $("level").max = this.levels - 1;
    $("level").value = Math.min(this.wantedLevel ?? 2, this.levels - 1);
    $("level-text").textContent = $("level").value;
  }
  // ------------------------------------------------------------------------------------------------------ findings

  listFindings() {
    const list = this.findings.list(this.stage.animations.length);
    $("findings").hidden = !list.length;
    $("finding-list").replaceChildren(...list.map((f) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.className = f.fails ? "fails" : "";
      button.append(Object.assign(document.createElement("b"), { textContent: f.name }), Object.assign(document.createElement("span"), { textContent: f.text }));
      button.addEventListener("click", () => this.goFinding(f));
      item.append(button);
      return item;
    }));
    this.chosen = null;
  }
  goFinding(f) {
    if (this.stage.animations.length && String(f.animation) !== $("animation").value) this.chooseAnimation(f.animation);
    this.play(false);
    this.go(Math.min(f.worst, this.stage.frames - 1));
    this.camera.set({ turn: this.camera.turn, tilt: this.camera.tilt, distance: Math.max(8 * f.size, 0.35 * this.camera.reach), target: f.at });
    this.chosen = { finding: f, frame: this.stage.frame };
    const place = this.findings.list(this.stage.animations.length).indexOf(f);
    [...$("finding-list").children].forEach((item, i) => {
      item.firstChild.ariaCurrent = i === place ? "true" : null;
      if (i === place) item.scrollIntoView({ block: "nearest" });
    });
  }
  get animationNow() { return Number($("animation").value) || 0; }
  // With findings, what fails and is deepest; otherwise what is known of the frames.
  goWorst() {
    const list = this.findings.list(this.stage.animations.length);
    if (list.length) return this.goFinding(list[0]);
    this.lookAll();
    this.goFrame(this.findings.worst(this.animationNow, this.stage.frames));
  }
  goNext(by) {
    const place = nextFinding(this.findings.list(this.stage.animations.length), this.chosen, this.animationNow, this.stage.frame, by);
    if (place) return this.goFinding(place);
    this.lookAll();
    this.goFrame(this.findings.next(this.animationNow, this.stage.frames, this.stage.frame, by));
  }
  goFrame(frame) {
    this.play(false);
    if (frame === null) return this.tip("No frame of this has a contact");
    this.go(frame);
  }
  // Counts the contacts of frames that have not been seen yet, as far as a second allows.
  lookAll() {
    const { stage, findings, animationNow: animation } = this, now = stage.frame, end = performance.now() + 1000;
    const { counts } = findings.values(animation, stage.frames);
    for (let i = 0; i < stage.frames && performance.now() < end; ++i) {
      if (counts[i] !== null && counts[i] !== undefined) continue;
      stage.pose(i);
      findings.see(animation, i, stage.touching({ first: false }).contacts);
    }
    stage.pose(now);
  }

  // Puts the surfaces of several frames into the picture, so that moving bodies stay in it.
  fit() {
    const { stage } = this, last = stage.frames - 1, now = stage.frame, extent = this.camera.extent();
    for (const part of stage.parts) part.used ??= Uint32Array.from(new Set(part.triangles())); // vertices of no triangle may be anywhere
    const vertices = stage.parts.reduce((sum, part) => sum + part.used.length, 0);
    const steps = Math.min(last, Math.max(4, Math.min(32, Math.floor(FIT_VERTICES / vertices)))) || 1;
    for (const frame of new Set(Array.from({ length: steps + 1 }, (_, k) => Math.round((k * last) / steps)))) {
      stage.pose(frame);
      for (const part of stage.parts) extent.add(part.positions(), part.used);
    }
    stage.pose(Math.min(now, last));
    this.camera.fit(extent);
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
      this.answer = this.ask(frame);
    } catch (error) {
      this.play(false);
      return this.error(error);
    }
    if (this.edits !== stage.edits) stage.parts.forEach((part, i) => this.drawing.setTriangles(i, part.triangles()));
    this.edits = stage.edits;
    stage.parts.forEach((part, i) => {
      const xyz = part.positions();
      this.drawing.setPositions(i, xyz);
      this.drawing.setMarks(i, part.marks());
    });
    this.compare();
    this.boxes = $("volumes").checked || $("front").checked ? readVolumes(stage.parts, Number($("level").value), $("front").checked) : [];
    this.gap = $("gap").checked && stage.parts.length > 1 ? stage.scene.nearest() : null;
    this.castRay();
    this.figures();
    this.dirty = this.changed = true;
  }
  // Poses the bodies again, so that the library has to look at them again.
  ask(frame = this.stage.frame) {
    this.stage.pose(frame);
    return this.stage.touching({ first: $("first").checked });
  }
  compare() {
    this.others = null;
    if (!$("compare").checked || !otherName || this.stage.parts.length < 2) return;
    this.other ??= new Other(this.stage.parts);
    this.stage.parts.forEach((part, i) => this.other.set(i, part.positions()));
    this.others = this.other.frame($("first").checked);
  }
  // What is seen at a place of the page; null: nothing.
  surfaceAt(clientX, clientY) {
    if (!this.stage) return null;
    const { origin, direction } = this.camera.ray(clientX, clientY), hits = this.stage.scene.cast(origin, direction), t = hits.t(0);
    if (hits.triangle(0) < 0) return null;
    return { point: origin.map((v, k) => v + t * direction[k]), normal: hits.normal(0), part: hits.member(0), triangle: hits.triangle(0) };
  }
  castRay() {
    this.hit = null;
    if (!$("cast").checked || !this.mouse || !this.stage) return ($("ray").textContent = "–");
    this.hit = this.surfaceAt(...this.mouse);
    if (!this.hit) return ($("ray").textContent = "nothing");
    $("ray").textContent = `${this.stage.parts[this.hit.part].name}, triangle ${whole(this.hit.triangle)}`;
  }

  showTimes() {
    const { times, others } = this, mean = times.mean(), atMost = times.atMost();
    $("ms").textContent = $("v-ms").textContent = duration(mean, atMost);
    if (others) {
      const ratio = others.ms / (mean || atMost);
      $("other-ms").textContent = `${duration(others.ms, times.step)}, ${whole(others.pairs)} pairs, ${mean ? "" : "> "}${ratio >= 10 ? whole(ratio) : ratio.toFixed(1)} × pliant`;
    } else if (otherName) $("other-ms").textContent = !$("compare").checked ? "off" : "has no self-contacts";
  }

  figures() {
    const { answer } = this, c = answer.counters, ms = c.msUpdate + c.msQuery;
    this.times.add(c);
    this.showTimes();
    [[ms, this.others?.ms], [c.n_v], [c.n_p], [c.n_u]].forEach((values, i) => this.curves[i].add(...values));
    if ($("how").open) this.explain();
    const between = answer.contacts - answer.own;
    $("contacts").textContent = answer.own ? `${whole(answer.own)} self${between ? `, ${whole(between)} between` : ""}` : whole(between);
    const places = this.findings.sentence(this.animationNow, this.stage.frames, this.stage.frame);
    $("count").textContent = whole(places ? places.count : answer.contacts);
    $("count-text").textContent = places?.text ?? (answer.contacts === 1 ? "contact" : "contacts");
    $("verdict").classList.toggle("touching", answer.contacts > 0);
    $("distance").textContent = this.gap ? short(this.gap.distance) : $("gap").checked ? "one body" : "off";
    for (const [id, count] of [["nv", c.n_v], ["np", c.n_p], ["nu", c.n_u]]) $(`v-${id}`).textContent = whole(count);
    $("frame").textContent = `${this.stage.frame} / ${this.stage.frames - 1}`;
    $("time").value = this.stage.frame;
    this.findings.see(this.animationNow, this.stage.frame, answer.contacts);
    $("timeline").setAttribute("aria-label", places ? "Along the frames: bars, how deep surfaces intersect; the line, in how many places" : "Contacts along the frames");
    drawTimeline($("timeline"), this.findings.values(this.animationNow, this.stage.frames), this.stage.frame);
    $("legend").hidden = !($("volumes").checked && !$("front").checked);
  }

  // What the strategies chose, and why: a line for each choice, with the number of bodies if there are several.
  explain() {
    const lines = new Map();
    for (const { body } of this.stage.parts) {
      const { choice, reason } = body.explain(), line = `${CHOICES[choice]}: ${reason}`;
      lines.set(line, (lines.get(line) ?? 0) + 1);
    }
    const many = this.stage.parts.length > 1;
    $("choice").textContent = [...lines].map(([line, count]) => (many ? `${count} × ${line}` : line)).join("; ");
  }

  tick(now) {
    if (this.playing && this.stage && this.stage.frames > 1) {
      this.clock ??= { from: now, frame: this.stage.frame };
      const passed = Math.floor(((now - this.clock.from) * this.stage.fps * Number($("speed").value)) / 1000);
      const frame = (this.clock.frame + passed) % this.stage.frames;
      if (frame !== this.stage.frame) this.go(frame);
    } else if (this.stage && this.times.askAgain(() => this.ask().counters)) this.showTimes();
    if (this.resized && this.stage && !this.camera.moved) this.fit();
    this.resized = false;
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
    this.drawing.drawParts(view, this.camera.eye(), { colours: COLOURS, touching: TOUCHING, lines: $("lines").checked, opacity: boxes ? 0.55 : 1, through: $("xray").checked && !boxes && this.answer?.contacts > 0 });
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
    for (const id of CHECKS) if ($(id).checked !== (USUAL[id] === "1")) state[id] = $(id).checked ? "1" : "0";
    if ($("volumes").checked) state.level = $("level").value;
    for (const id of [...Object.keys(SETTINGS), "speed"]) if ($(id).value !== (USUAL[id] ?? $(id).options[0].value)) state[id] = $(id).value;
    if (!$("animation-label").hidden && $("animation").value !== "0") state.animation = $("animation").value;
    const c = this.camera;
    if (c.moved) state.camera = [c.turn, c.tilt, c.distance, ...c.target].map((v) => Number(v.toPrecision(5))).join(",");
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
  again() {
    if (!this.stage) return;
    this.times.forget();
    this.times.warm = true;
    this.go(this.stage.frame);
  }
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
    on("worst", "click", () => this.goWorst());
    on("next", "click", () => this.goNext(1));
    on("previous", "click", () => this.goNext(-1));
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
    on("how", "toggle", () => { if ($("how").open && this.stage) this.explain(); });
    on("open", "click", () => $("file").click());
    on("file", "change", () => this.take($("file").files));
    on("error-close", "click", () => this.error(null));
    on("help-open", "click", () => $("help").showModal());
    on("share", "click", async () => {
      writeAddress(this.state());
      await navigator.clipboard?.writeText(location.href).catch(() => {});
      this.tip("The address of this view is copied");
    });
    addEventListener("resize", () => (this.dirty = this.resized = true));
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
    const press = (id) => () => $(id).click(), shows = [...$("scene").options].map((o) => o.value).filter((name) => name in TITLES), turn = 0.12;
    const keys = {
      " ": () => this.play(!this.playing), ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      x: press("worst"), n: press("next"), p: press("previous"), o: press("open"), v: press("volumes"), f: press("front"), d: press("gap"), r: press("cast"), e: press("lines"), c: press("compare"),
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
