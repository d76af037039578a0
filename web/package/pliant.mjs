// pliant in JavaScript: exact queries on deforming triangle meshes, by the C library in WebAssembly.
//
//   import { load } from "pliant";
//   const pliant = await load();
//   const context = pliant.context();
//   const a = context.free(positions, triangles), b = context.free(others, theirTriangles);
//   a.setPositions(moved);
//   for (const [i, j] of a.collide(b)) ...
//
// Positions are Float32Array or Float64Array, x y z of each vertex, and are copied. Results own their data. Bodies and scenes live until
// destroy() of themselves or of their context. Every failure is a PliantError with one sentence; nothing has changed then.

export class PliantError extends Error {
  get name() { return "PliantError"; }
}

const NONE = 0xffffffff;
const FLAG = { first: 1, sorted: 2, reference: 4, neighbours: 8 };
const decoder = new TextDecoder(), encoder = new TextEncoder();

// What wasi-libc asks of its host: a clock, and nothing else.
function imports(memory) {
  const wasi = {
    clock_time_get(id, precision, address) {
      const now = id === 0 ? Date.now() * 1e6 : performance.now() * 1e6;
      new DataView(memory().buffer).setBigUint64(address, BigInt(Math.round(now)), true);
      return 0;
    },
    proc_exit(code) { throw new PliantError(`the module ended itself with code ${code}`); },
  };
  const missing = 52; // ENOSYS
  return { wasi_snapshot_preview1: new Proxy(wasi, { get: (known, name) => known[name] ?? (() => missing), has: () => true }) };
}

async function bytesOf(source) {
  if (source instanceof URL || typeof source === "string") {
    const url = new URL(source, import.meta.url);
    if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
    const answer = await fetch(url);
    if (!answer.ok) throw new PliantError(`${url} cannot be read: ${answer.status}`);
    return answer.arrayBuffer();
  }
  return source;
}

/** Loads the module: from its bytes, a compiled WebAssembly.Module or an address; without any, pliant.wasm beside this file. */
export async function load(source = new URL("pliant.wasm", import.meta.url)) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await bytesOf(source));
  let memory;
  const wanted = imports(() => memory), given = { wasi_snapshot_preview1: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) given[from][name] = wanted[from][name];
  const instance = await WebAssembly.instantiate(module, given);
  memory = instance.exports.memory;
  instance.exports._initialize?.();
  return new Pliant(instance.exports);
}

/** The memory of a module, and calls into it. */
class Machine {
  constructor(exports) {
    this.call = exports;
    this.memory = exports.memory;
    this.out = exports.web_out();
  }
  fail() { throw new PliantError(this.text(this.call.web_message())); }
  check(answer) { return answer || this.fail(); }
  // Only pliant-full.wasm has these.
  needs(name, what) {
    if (!this.call[name]) throw new PliantError(`this module has no ${what}: load(new URL("pliant-full.wasm", ...)) has all methods`);
  }
  // Views of the memory are made for each use: they end when it grows.
  u8(at, count) { return new Uint8Array(this.memory.buffer, at, count); }
  u32(at, count) { return new Uint32Array(this.memory.buffer, at, count); }
  f32(at, count) { return new Float32Array(this.memory.buffer, at, count); }
  f64(at, count) { return new Float64Array(this.memory.buffer, at, count); }
  result(count) { return new Float64Array(this.memory.buffer, this.out, count); }
  text(at) {
    const bytes = new Uint8Array(this.memory.buffer);
    let end = at;
    while (bytes[end]) ++end;
    return decoder.decode(bytes.subarray(at, end));
  }
  allocate(bytes) {
    const at = this.call.web_allocate(bytes);
    if (!at) throw new PliantError(`out of memory: ${bytes} bytes do not fit`);
    return at;
  }
  release(at) { if (at) this.call.web_release(at); }
  // A copy in the module's memory; `with_` gets its address, and the copy ends with it.
  copy(array, with_) { return this.copies([array], with_); }
  copies(arrays, with_) {
    const places = [];
    try {
      for (const array of arrays) {
        const bytes = typeof array === "string" ? encoder.encode(array + "\0") : array;
        const at = this.allocate(Math.max(bytes.byteLength, 1));
        places.push(at);
        this.u8(at, bytes.byteLength).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      }
      return with_(...places);
    } finally {
      for (const at of places) this.release(at);
    }
  }
}

const isDouble = (array) => array instanceof Float64Array;
function coordinates(array, what) {
  if (!(array instanceof Float32Array || array instanceof Float64Array))
    throw new PliantError(`${what} must be a Float32Array or a Float64Array`);
  if (array.length % 3) throw new PliantError(`${what}: ${array.length} numbers are not x y z of each vertex`);
  return array;
}
function indices(array, what) {
  if (array instanceof Uint32Array) return array;
  const plain = Array.from(array ?? [], Number);
  if (!plain.every((i) => Number.isInteger(i) && i >= 0 && i <= NONE)) throw new PliantError(`${what} must be whole numbers from 0 on`);
  return Uint32Array.from(plain);
}
function faces(array) {
  const list = indices(array, "triangles");
  if (list.length % 3) throw new PliantError(`triangles: ${list.length} numbers are not three of each triangle`);
  return list;
}
function doubles(array, what, count) {
  const list = Float64Array.from(array.flat ? array.flat(Infinity) : array);
  if (count !== undefined && list.length !== count) throw new PliantError(`${what}: ${list.length} numbers, ${count} are wanted`);
  return list;
}
// 3 x 3 numbers by rows and the shift, from those or from a 4 x 4 matrix by columns, as WebGL and glTF have it.
function transforms(array, what) {
  const list = doubles(array, what);
  if (list.length % 12 === 0 && list.length % 16) return list;
  if (list.length % 16) throw new PliantError(`${what}: ${list.length} numbers are neither 12 (rows, then the shift) nor 16 (columns) of each`);
  const to = new Float64Array((list.length / 16) * 12);
  for (let k = 0; k < list.length / 16; ++k)
    for (let i = 0; i < 3; ++i) {
      for (let j = 0; j < 3; ++j) to[12 * k + 3 * i + j] = list[16 * k + 4 * j + i];
      to[12 * k + 9 + i] = list[16 * k + 12 + i];
    }
  return to;
}
const countersAt = (r, at) => ({ n_v: r[at], n_p: r[at + 1], n_u: r[at + 2], msUpdate: r[at + 3], msQuery: r[at + 4] });
const flags = (options) => Object.keys(FLAG).reduce((sum, key) => sum + (options?.[key] ? FLAG[key] : 0), 0);

export class Pliant {
  constructor(exports) {
    this.machine = new Machine(exports);
    this.version = this.machine.text(exports.web_version());
  }
  /** The words of a setting: "strategy", "volume", "builder", "cut", "criterion", "growth", "self", "ray", "fresh", "motion", ... */
  words(kind) {
    const m = this.machine, list = [];
    m.copy(kind, (at) => {
      let words = m.call.web_words(at);
      if (!words) throw new PliantError(`there are no words of ${kind}`);
      for (let word; (word = m.u32(words, 1)[0]); words += 4) list.push(m.text(word));
    });
    return list;
  }
  /** A context: everything is created in one. simd: "wasm" or "scalar"; the fast one if it is not given. */
  context({ simd } = {}) {
    const m = this.machine;
    return new Context(this, m.check(simd ? m.copy(simd, (at) => m.call.web_context(at)) : m.call.web_context(0)));
  }
}

export class Context {
  constructor(pliant, address) {
    this.pliant = pliant;
    this.machine = pliant.machine;
    this.address = address;
    this.simd = this.machine.text(this.machine.call.web_context_simd(address));
    this.bodies = new Map(); // by address
    this.owned = new Set();
  }
  destroy() {
    if (!this.address) return;
    for (const thing of [...this.owned]) thing.destroy();
    this.machine.call.web_context_destroy(this.address);
    this.address = 0;
  }
  open() {
    if (!this.address) throw new PliantError("the context is destroyed");
    return this.machine;
  }
  settings(options) { return options && Object.keys(options).length ? JSON.stringify(options) : ""; }

  /** Vertices move in any way: setPositions(). Settings as in pl_body_def: strategy, volume, arity, leaf_size, builder, ... */
  free(positions, triangles, settings) {
    const m = this.open(), list = faces(triangles);
    coordinates(positions, "positions");
    const body = new Body(this);
    body.stage(positions);
    try {
      body.address = m.copies([list, this.settings(settings)], (t, s) =>
        m.call.web_body_free(this.address, body.spare, positions.length / 3, isDouble(positions), t, list.length / 3, s)) || m.fail();
    } catch (error) {
      m.release(body.spare);
      throw error;
    }
    body.swap();
    return body.begin();
  }
  #mesh(make, positions, triangles, rest, settings) {
    const m = this.open(), list = faces(triangles), body = new Body(this);
    coordinates(positions, "positions");
    body.address = m.copies([positions, list, this.settings(settings), ...rest.arrays ?? []], (p, t, s, ...more) =>
      m.call[make](this.address, p, positions.length / 3, isDouble(positions), t, list.length / 3, ...rest.numbers ?? [], ...more, s)) || m.fail();
    return body.begin();
  }
  /** One shape that setTransform() moves. */
  rigid(positions, triangles, settings) { return this.#mesh("web_body_rigid", positions, triangles, {}, settings); }
  /** Vertices follow bones: `governors` and `weights` have `perVertex` entries for each vertex. setBones() moves it. */
  skin(positions, triangles, { bones, perVertex, governors, weights }, settings) {
    const list = indices(governors, "governors"), values = doubles(weights, "weights", list.length);
    if (list.length !== (positions.length / 3) * perVertex) throw new PliantError(`governors: ${list.length} numbers, ${perVertex} of each vertex are wanted`);
    return this.#mesh("web_body_skin", positions, triangles, { numbers: [bones, perVertex], arrays: [list, values] }, settings);
  }
  /** A control mesh, subdivided `levels` times. setControls() moves it. */
  subdivide(positions, triangles, { levels = 2 } = {}, settings) {
    return this.#mesh("web_body_subdivide", positions, triangles, { numbers: [levels] }, settings);
  }
  /** A weighted sum of reference shapes. kind "convex": weights add up to 1; "additive": the first shape and differences from it. */
  morph(references, triangles, { kind = "convex", low = 0, high = 1 } = {}, settings) {
    const m = this.open(), list = faces(triangles), body = new Body(this);
    if (!references.length) throw new PliantError("references: one shape or more is wanted");
    for (const shape of references) coordinates(shape, "references");
    const size = references[0].length, all = new references[0].constructor(size * references.length);
    references.forEach((shape, i) => {
      if (shape.length !== size || shape.constructor !== all.constructor) throw new PliantError(`reference ${i} has another size or type than the first`);
      all.set(shape, i * size);
    });
    body.address = m.copies([all, list, this.settings(settings)], (r, t, s) =>
      m.call.web_body_morph(this.address, r, references.length, size / 3, isDouble(all), t, list.length / 3, kind === "additive", low, high, s)) || m.fail();
    return body.begin();
  }
  /** Many bodies, and all their contacts in one call. */
  scene() {
    const m = this.open();
    return new Scene(this, m.check(m.call.web_scene(this.address)));
  }
  /** Files as bodies that play: [{ name, bytes }], OBJ, PLY, STL, OFF, glTF; numbered names are frames of one body. */
  read(files, settings) { return Stage.files(this, files, settings); }
  /** One of the built-in scenes, of which shows() has the names. detail: 0 for the usual one. */
  show(name, { detail = 0, ...settings } = {}) { return Stage.show(this, name, detail, settings); }
  shows() {
    const m = this.open(), list = [];
    for (let i = 0, at; (at = m.call.web_show_name(i)); ++i) list.push(m.text(at));
    return list;
  }
  body(address) { return this.bodies.get(address) ?? null; }
}

export class Body {
  constructor(context) {
    this.context = context;
    this.machine = context.machine;
    this.address = 0;
    this.held = this.spare = this.heldBytes = this.spareBytes = 0; // positions that the body reads, and room for the next
    this.rays = this.raysBytes = 0;
  }
  begin() {
    this.context.bodies.set(this.address, this);
    this.context.owned.add(this);
    const r = this.#about();
    this.vertexCount = r[0];
    this.triangleCount = r[1];
    return this;
  }
  #about() {
    this.open().call.web_body_about(this.address);
    return this.machine.result(5);
  }
  get strategy() { return this.context.pliant.words("strategy")[this.#about()[2]]; }
  get volume() { return this.context.pliant.words("volume")[this.#about()[3]]; }
  get motion() { return this.context.pliant.words("motion")[this.#about()[4]]; }
  open() {
    if (!this.address) throw new PliantError("the body is destroyed");
    return this.machine;
  }
  destroy() {
    if (!this.address) return;
    this.machine.call.web_body_destroy(this.address);
    this.context.bodies.delete(this.address);
    this.context.owned.delete(this);
    this.address = 0;
    for (const at of [this.held, this.spare, this.rays]) this.machine.release(at);
  }
  // Positions go where the body does not look yet, so that refused ones change nothing.
  stage(positions) {
    const m = this.machine;
    if (this.spareBytes < positions.byteLength) {
      m.release(this.spare);
      this.spare = this.spareBytes = 0;
      this.spare = m.allocate(positions.byteLength);
      this.spareBytes = positions.byteLength;
    }
    (isDouble(positions) ? m.f64(this.spare, positions.length) : m.f32(this.spare, positions.length)).set(positions);
  }
  swap() {
    [this.held, this.spare, this.heldBytes, this.spareBytes] = [this.spare, this.held, this.spareBytes, this.heldBytes];
  }

  setPositions(positions) {
    const m = this.open();
    if (!this.held) throw new PliantError("only a free body has positions to set");
    this.stage(coordinates(positions, "positions"));
    m.check(m.call.web_body_set_positions(this.context.address, this.address, this.spare, positions.length / 3, isDouble(positions)));
    this.swap();
  }
  /** 12 numbers: 3 x 3 by rows, then the shift; or 16 by columns. */
  setTransform(matrix) {
    const m = this.open(), list = transforms(matrix, "transform");
    if (list.length !== 12) throw new PliantError("transform: one matrix is wanted");
    m.check(m.copy(list, (at) => m.call.web_body_set_transform(this.context.address, this.address, at)));
  }
  setWeights(weights) {
    const m = this.open(), list = doubles(weights, "weights");
    m.check(m.copy(list, (at) => m.call.web_body_set_weights(this.context.address, this.address, at, list.length)));
  }
  setBones(matrices) {
    const m = this.open(), list = transforms(matrices, "bones");
    m.check(m.copy(list, (at) => m.call.web_body_set_bones(this.context.address, this.address, at, list.length / 12)));
  }
  setControls(points) {
    const m = this.open();
    coordinates(points, "controls");
    m.check(m.copy(points, (at) => m.call.web_body_set_controls(this.context.address, this.address, at, points.length / 3, isDouble(points))));
  }
  /** Keeps the pose as the start of a step, for firstContact(). */
  keepPose() {
    const m = this.open();
    m.needs("web_body_keep_pose", "first contacts");
    m.check(m.call.web_body_keep_pose(this.context.address, this.address));
  }
  /** Runs the eager pass now; queries do it by themselves. */
  update() {
    const m = this.open();
    m.check(m.call.web_body_update(this.context.address, this.address));
    return countersAt(m.result(5), 0);
  }

  /** World positions, exactly the numbers that queries decide on. */
  positions(type = Float64Array) {
    const m = this.open(), wide = type === Float64Array, count = this.vertexCount, at = m.allocate(count * (wide ? 24 : 12));
    try {
      m.check(m.call.web_body_positions(this.context.address, this.address, count, wide, at));
      return (wide ? m.f64(at, 3 * count) : m.f32(at, 3 * count)).slice();
    } finally {
      m.release(at);
    }
  }
  triangles() {
    const m = this.open(), at = m.allocate(12 * this.triangleCount);
    try {
      m.check(m.call.web_body_triangles(this.context.address, this.address, at, this.triangleCount));
      return m.u32(at, 3 * this.triangleCount).slice();
    } finally {
      m.release(at);
    }
  }
  box() {
    const m = this.open();
    m.check(m.call.web_body_box(this.context.address, this.address));
    const r = m.result(6);
    return { lower: [r[0], r[1], r[2]], upper: [r[3], r[4], r[5]] };
  }
  tree() {
    const m = this.open();
    m.check(m.call.web_body_tree(this.context.address, this.address));
    const [depth, innerNodes, leaves, bytes, bytesPerTriangle, trianglesPerLeaf, childrenPerNode, areaCost, overlap] = m.result(9);
    return { depth, innerNodes, leaves, bytes, bytesPerTriangle, trianglesPerLeaf, childrenPerNode, areaCost, overlap };
  }
  /** The volumes of one level, from 0, the root; refit: make them current first. */
  volumes(level, { refit = false } = {}) {
    const m = this.open();
    m.check(m.call.web_body_volumes(this.context.address, this.address, level, refit));
    const r = m.result(19), count = r[1], raw = m.u32(r[0], 11 * count), reals = m.f32(r[0], 11 * count);
    const list = {
      level, levels: r[3], count, kind: r[4], toWorld: Array.from(r.subarray(7, 19)),
      boxes: new Float32Array(6 * count), parent: new Uint32Array(count), triangles: new Uint32Array(count),
      fresh: new Uint8Array(count), leaf: new Uint8Array(count),
      components: r[5] ? m.f32(r[5], r[6] * count).slice() : null, componentCount: r[6],
    };
    for (let i = 0; i < count; ++i) {
      for (let k = 0; k < 6; ++k) list.boxes[6 * i + k] = reals[11 * i + k];
      list.parent[i] = raw[11 * i + 6];
      list.triangles[i] = raw[11 * i + 7];
      list.fresh[i] = raw[11 * i + 8];
      list.leaf[i] = raw[11 * i + 10] & 255;
    }
    return list;
  }
  /** Checks the whole tree, for tests. */
  validate() {
    const m = this.open();
    m.check(m.call.web_body_validate(this.context.address, this.address));
  }

  /** Pairs of triangles that touch. { first, sorted, reference, budgetTests } */
  collide(other, options) {
    const m = this.open();
    m.check(m.call.web_collide(this.context.address, this.address, other.open() && other.address, flags(options), options?.budgetTests ?? 0));
    return new Pairs(m);
  }
  /** Pairs of triangles of this body that touch. { method, neighbours, first, sorted, reference } */
  self(options) {
    const m = this.open(), method = word(this.context, "self", options?.method ?? "auto");
    m.check(m.call.web_self(this.context.address, this.address, method, flags(options)));
    return new Pairs(m);
  }
  /** The least distance to another body. { relative, absolute, limit, reference } */
  distance(other, { relative = 0, absolute = 0, limit = Infinity, reference = false } = {}) {
    const m = this.open();
    m.check(m.call.web_distance(this.context.address, this.address, other.open() && other.address, relative, absolute, limit, reference));
    return distanceAt(m.result(16), 0);
  }
  /** Pairs of triangles at most `margin` apart. */
  near(other, margin, { sorted = false } = {}) {
    const m = this.open();
    m.check(m.call.web_near(this.context.address, this.address, other.open() && other.address, margin, sorted));
    const r = m.result(7), count = r[1], words = m.u32(r[0], 16 * count), reals = m.f64(r[0], 8 * count), pairs = [];
    for (let i = 0; i < count; ++i)
      pairs.push({
        a: words[16 * i], b: words[16 * i + 1], distance: reals[8 * i + 1],
        pointA: Array.from(reals.subarray(8 * i + 2, 8 * i + 5)), pointB: Array.from(reals.subarray(8 * i + 5, 8 * i + 8)),
      });
    pairs.counters = countersAt(r, 2);
    return pairs;
  }
  /** What rays hit: origins and directions, x y z of each. { mode: "closest" | "any" | "all", coherent, tMin, tMax } */
  cast(origins, directions, options) { return cast(this, this.address, 0, origins, directions, options); }
  /** The closest point of the surface for each point. { limit, coherent } */
  closest(points, options) { return askPoints(this, 0, points, options); }
  /** On which side of the surface each point is. */
  inside(points, options) { return askPoints(this, 1, points, options); }
  /** Both: distances are negative inside. */
  signedDistance(points, options) { return askPoints(this, 2, points, options); }
  /** When the bodies first meet on the way from their kept poses to their present ones. { all, separation } */
  firstContact(other, { all = false, separation = 0 } = {}) {
    const m = this.open();
    m.needs("web_first_contact", "first contacts");
    m.check(m.call.web_first_contact(this.context.address, this.address, other.open() && other.address, all, separation));
    const r = m.result(9), count = r[1], kinds = this.context.pliant.words("impact"), impacts = [];
    const found = m.result(9).slice();
    for (let i = 0; i < count; ++i) {
      const at = found[0] + 88 * i, words = m.u32(at + 16, 5), reals = m.f64(at + 40, 6);
      impacts.push({
        time: m.f64(at + 8, 1)[0], kind: kinds[words[0]], a: [words[1], words[2]], b: [words[3], words[4]],
        normal: Array.from(reals.subarray(0, 3)), point: Array.from(reals.subarray(3, 6)),
      });
    }
    return { time: found[2], safeStep: found[3], impacts, counters: countersAt(found, 4) };
  }
}

function word(context, kind, value) {
  const index = context.pliant.words(kind).indexOf(value);
  if (index < 0) throw new PliantError(`there is no ${kind} '${value}': ${context.pliant.words(kind).join(", ")}`);
  return index;
}
const triangleOf = (number) => (number === NONE ? -1 : number);
function distanceAt(r, at) {
  return {
    distance: r[at], lower: r[at + 1], pointA: [r[at + 2], r[at + 3], r[at + 4]], pointB: [r[at + 5], r[at + 6], r[at + 7]],
    triangleA: triangleOf(r[at + 8]), triangleB: triangleOf(r[at + 9]), partial: !!r[at + 10], counters: countersAt(r, at + 11),
  };
}

/** Pairs of triangles: `array` has a and b of each; a sequence of [a, b]. */
export class Pairs {
  constructor(m) {
    const r = m.result(8);
    this.array = r[0] ? m.u32(r[0], 2 * r[1]).slice() : new Uint32Array(0);
    this.length = r[1];
    this.partial = !!r[2];
    this.counters = countersAt(r, 3);
  }
  at(i) { return [this.array[2 * i], this.array[2 * i + 1]]; }
  *[Symbol.iterator]() { for (let i = 0; i < this.length; ++i) yield this.at(i); }
}

// Records of 64 bytes: eight doubles, of which some are two words.
class Records {
  constructor(m, address, count) {
    const bytes = m.u8(address, 64 * count).slice().buffer;
    this.length = count;
    this.reals = new Float64Array(bytes);
    this.words = new Uint32Array(bytes);
  }
  column(type, at, width = 1) {
    const from = type === Uint32Array ? this.words : this.reals, step = type === Uint32Array ? 16 : 8, to = new type(this.length * width);
    for (let i = 0; i < this.length; ++i) for (let k = 0; k < width; ++k) to[width * i + k] = from[step * i + at + k];
    return to;
  }
}

/** Hits: of ray i t(i), triangle(i) (-1: none), member(i), point weights u(i) and v(i), normal(i); in the mode "all" those of ray i are from first[i] to first[i + 1]. */
export class Hits extends Records {
  constructor(m) {
    const r = m.result(8).slice();
    super(m, r[0], r[1]);
    this.counters = countersAt(r, 3);
    this.firstAt = r[2];
  }
  t(i) { return this.reals[8 * i]; }
  u(i) { return this.reals[8 * i + 1]; }
  v(i) { return this.reals[8 * i + 2]; }
  normal(i) { return Array.from(this.reals.subarray(8 * i + 3, 8 * i + 6)); }
  triangle(i) { return triangleOf(this.words[16 * i + 12]); }
  member(i) { return triangleOf(this.words[16 * i + 13]); }
}

function rayList(body, origins, directions, { tMin = 0, tMax = Infinity } = {}) {
  const m = body.machine, count = origins.length / 3;
  if (!Number.isInteger(count) || directions.length !== origins.length) throw new PliantError("rays: x y z of each origin and of each direction are wanted");
  if ((body.raysBytes ?? 0) < 64 * count) {
    m.release(body.rays);
    body.rays = body.raysBytes = 0;
    body.rays = m.allocate(Math.max(64 * count, 64));
    body.raysBytes = 64 * count;
  }
  const to = m.f64(body.rays, 8 * count);
  for (let i = 0, o = 0; i < count; ++i, o += 3) {
    const r = 8 * i;
    to[r] = origins[o]; to[r + 1] = origins[o + 1]; to[r + 2] = origins[o + 2];
    to[r + 3] = directions[o]; to[r + 4] = directions[o + 1]; to[r + 5] = directions[o + 2];
    to[r + 6] = tMin; to[r + 7] = tMax;
  }
  return count;
}
function cast(owner, body, scene, origins, directions, options) {
  const m = owner.open(), mode = word(owner.context, "ray", options?.mode ?? "closest"), count = rayList(owner, origins, directions, options);
  m.check(m.call.web_cast(owner.context.address, body, scene, owner.rays, count, mode, !!options?.coherent));
  const hits = new Hits(m);
  hits.first = hits.firstAt ? m.u32(hits.firstAt, count + 1).slice() : null;
  return hits;
}

/** Of point i: distance(i), point(i), triangle(i), u(i), v(i), side(i) ("outside", "inside", "on"), winding(i). */
export class Points extends Records {
  constructor(m, pliant) {
    const r = m.result(8).slice();
    super(m, r[0], r[1]);
    this.sides = pliant.words("side");
    this.closure = pliant.words("closure")[r[2]];
    this.counters = countersAt(r, 3);
  }
  distance(i) { return this.reals[8 * i]; }
  point(i) { return Array.from(this.reals.subarray(8 * i + 1, 8 * i + 4)); }
  u(i) { return this.reals[8 * i + 4]; }
  v(i) { return this.reals[8 * i + 5]; }
  triangle(i) { return triangleOf(this.words[16 * i + 12]); }
  side(i) { return this.sides[this.words[16 * i + 13]]; }
  winding(i) { return this.reals[8 * i + 7]; }
}
function askPoints(body, what, points, { limit = Infinity, coherent = false } = {}) {
  const m = body.open();
  coordinates(points, "points");
  return m.copy(points, (at) => {
    m.check(m.call.web_points(body.context.address, body.address, what, at, points.length / 3, isDouble(points), limit, coherent));
    return new Points(m, body.context.pliant);
  });
}

export class Scene {
  constructor(context, address) {
    this.context = context;
    this.machine = context.machine;
    this.address = address;
    this.rays = this.raysBytes = 0;
    context.owned.add(this);
  }
  open() {
    if (!this.address) throw new PliantError("the scene is destroyed");
    return this.machine;
  }
  destroy() {
    if (!this.address) return;
    this.machine.call.web_scene_destroy(this.address);
    this.machine.release(this.rays);
    this.context.owned.delete(this);
    this.address = 0;
  }
  /** self: the body's contacts with itself are reported too. */
  add(body, { self = false, group = 1, mask = NONE } = {}) {
    const m = this.open();
    m.check(m.call.web_scene_add(this.context.address, this.address, body.open() && body.address, self, group, mask));
  }
  remove(body) {
    const m = this.open();
    m.check(m.call.web_scene_remove(this.context.address, this.address, body.open() && body.address));
  }
  /** All contacts. { first, sorted } */
  collide(options) {
    const m = this.open();
    m.check(m.call.web_scene_collide(this.context.address, this.address, flags(options)));
    const r = m.result(14).slice(), words = m.u32(r[0], 4 * r[1]), groups = m.u32(r[2], 4 * r[3]).slice(), bodies = this.context.bodies;
    const pairs = new Uint32Array(2 * r[1]);
    for (let i = 0; i < r[1]; ++i) {
      pairs[2 * i] = words[4 * i + 2];
      pairs[2 * i + 1] = words[4 * i + 3];
    }
    return {
      length: r[1], array: pairs, bodyPairs: r[4], counters: countersAt(r, 5),
      profile: { update: r[10], sweep: r[11], collide: r[12], gather: r[13] },
      groups: Array.from({ length: r[3] }, (_, g) => ({
        a: bodies.get(groups[4 * g]), b: bodies.get(groups[4 * g + 1]), begin: groups[4 * g + 2], end: groups[4 * g + 3],
      })),
    };
  }
  /** The two bodies that are nearest to each other; null: there are none. */
  distance({ relative = 0, absolute = 0, limit = Infinity } = {}) {
    const m = this.open();
    m.check(m.call.web_scene_distance(this.context.address, this.address, relative, absolute, limit));
    const r = m.result(18);
    return r[0] ? { a: this.context.body(r[0]), b: this.context.body(r[1]), addresses: [r[0], r[1]], ...distanceAt(r, 2) } : null;
  }
  cast(origins, directions, options) { return cast(this, 0, this.address, origins, directions, options); }
}

// name_0012.obj and name_0013.obj are frames of one mesh, in the order of their numbers.
export function sequences(names) {
  const groups = new Map();
  for (const name of names) {
    const found = /^(.*?)(\d+)(\D*)$/.exec(name);
    const key = found ? `${found[1]}#${found[3]}` : name;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push({ name, number: found ? BigInt(found[2]) : 0n });
  }
  return [...groups.values()].map((list) => list.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0)).map((f) => f.name));
}

/** Bodies that are posed frame by frame, of files or of a built-in scene. */
export class Stage {
  constructor(context, address) {
    this.context = context;
    this.machine = context.machine;
    this.address = address;
    context.owned.add(this);
  }
  static #open(context, address, settings, complete) {
    const m = context.machine, stage = new Stage(context, address || m.fail());
    try {
      complete?.(stage);
      stage.settle(settings);
    } catch (error) {
      stage.destroy();
      throw error;
    }
    return stage;
  }
  static show(context, name, detail, settings) {
    const m = context.open();
    return Stage.#open(context, m.copy(name, (at) => m.call.web_stage_show(context.address, at, detail)), settings);
  }
  static files(context, files, settings) {
    const m = context.open();
    try {
      for (const { name, bytes } of files) {
        const at = m.copy(name, (text) => m.call.web_files_add(text, bytes.byteLength));
        if (!at) throw new PliantError(`${name}: out of memory: its ${bytes.byteLength} bytes do not fit`);
        m.u8(at, bytes.byteLength).set(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      }
      const names = files.map((file) => file.name.replace(/^.*\//, "")), scenes = names.filter((name) => /\.(glb|gltf)$/i.test(name));
      // What lies beside a .gltf belongs to it: buffers and pictures.
      const meshes = names.filter((name) => !scenes.includes(name) && !(scenes.length && /\.(bin|png|jpe?g|ktx2|webp)$/i.test(name)) && !/\.mtl$/i.test(name));
      return Stage.#open(context, m.call.web_stage_files(context.address), settings, (stage) => {
        for (const name of scenes) m.check(m.copy(name, (at) => m.call.web_stage_add_gltf(stage.address, at)));
        for (const list of sequences(meshes))
          list.forEach((name, i) => m.check(m.copy(name, (at) => m.call.web_stage_add_mesh(stage.address, at, i > 0))));
        m.check(m.call.web_stage_complete(stage.address));
      });
    } finally {
      m.call.web_files_clear();
    }
  }
  open() {
    if (!this.address) throw new PliantError("the stage is destroyed");
    return this.machine;
  }
  destroy() {
    if (!this.address) return;
    this.#forget();
    this.machine.call.web_stage_destroy(this.address);
    this.context.owned.delete(this);
    this.address = 0;
  }
  #forget() {
    this.machine.release(this.scene?.rays);
    if (this.scene) this.scene.rays = this.scene.raysBytes = 0;
    for (const part of this.parts ?? []) {
      for (const at of [part.body.rays]) this.machine.release(at);
      this.context.bodies.delete(part.body.address);
      part.body.address = 0;
    }
  }
  /** Makes the bodies again with other settings; those that do not suit a body are replaced, and `fallback` says so. */
  settle(settings) {
    const m = this.open();
    this.#forget();
    m.check(m.copy(this.context.settings(settings), (at) => m.call.web_stage_settle(this.address, at)));
    this.#read();
  }
  #read() {
    const m = this.machine;
    m.call.web_stage_about(this.address);
    const r = m.result(7).slice();
    [, this.frames, this.fps, this.frame] = r;
    this.fallback = !!r[4];
    this.note = m.text(r[6]);
    this.scene = Object.assign(Object.create(Scene.prototype), { context: this.context, machine: m, address: r[5], rays: 0, raysBytes: 0 });
    this.parts = Array.from({ length: r[0] }, (_, i) => {
      m.call.web_stage_part_about(this.address, i);
      const p = m.result(8).slice(), body = new Body(this.context);
      body.address = p[1];
      body.destroy = () => { throw new PliantError("the body belongs to its stage"); };
      body.vertexCount = p[6];
      body.triangleCount = p[5];
      this.context.bodies.set(body.address, body);
      return {
        name: m.text(p[0]), body, self: !!p[7], triangleCount: p[5], vertexCount: p[6],
        /** Views of the module's memory: valid until it grows. */
        triangles: () => m.u32(p[2], 3 * p[5]),
        positions: () => {
          m.check(m.call.web_stage_draw(this.address, i));
          return m.f32(p[3], 3 * p[6]);
        },
        marks: () => m.u8(p[4], p[5]),
      };
    });
  }
  get animations() {
    const m = this.open();
    return Array.from({ length: m.call.web_stage_animations(this.address) }, (_, i) => m.text(m.call.web_stage_animation_name(this.address, i)));
  }
  chooseAnimation(index) {
    const m = this.open();
    m.check(m.call.web_stage_choose_animation(this.address, index));
    m.call.web_stage_about(this.address);
    this.frames = m.result(7)[1];
    this.frame = 0;
  }
  pose(frame) {
    const m = this.open();
    m.check(m.call.web_stage_pose(this.address, frame));
    this.frame = frame;
  }
  /** Counts of contacts; the triangles are in the marks of the parts: bit 0 touches another body, bit 1 its own. */
  collide({ first = false } = {}) {
    const m = this.open();
    m.check(m.call.web_stage_collide(this.address, first));
    const r = m.result(9);
    return { contacts: r[0], own: r[1], bodyPairs: r[2], counters: countersAt(r, 3) };
  }
}
