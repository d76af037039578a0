// pliant in JavaScript: exact queries on deforming triangle meshes, by the C library in WebAssembly.
//
//   import { load } from "pliant";
//   const pliant = await load();
//   const context = pliant.context();
//   const a = context.free(positions, triangles), b = context.free(others, theirTriangles);
//   a.setPositions(moved);
//   for (const [i, j] of a.touching(b)) ...
//
// Positions are Float32Array or Float64Array, x y z of each vertex, and are copied. Results own their data. Bodies and scenes live until
// destroy() of themselves or of their context, or until the garbage collector finds that nothing refers to them. Every failure is a PliantError with one sentence; nothing has changed then.
import { Body } from "./body.mjs";
import { Holding } from "./life.mjs";
import { besideBundle, bytesOf, coordinates, doubles, faces, imports, indices, isDouble, Machine, PliantError } from "./machine.mjs";
import { Scene } from "./scene.mjs";
import { Stage } from "./stage.mjs";

export { Body } from "./body.mjs";
export { PliantError } from "./machine.mjs";
export {
  Candidates, Distances, Features, FreeStep, Hits, Impacts, NearPairs, Pairs, Penetrations, Points, Regions, Segments, SphereContacts, Triangles,
} from "./results.mjs";
export { Scene } from "./scene.mjs";
export { sequences, Stage } from "./stage.mjs";

/** Loads the module: from its bytes, a compiled WebAssembly.Module or an address; without any, pliant.wasm beside this file. */
export async function load(source = besideBundle("pliant.wasm") ?? new URL("pliant.wasm", import.meta.url)) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await bytesOf(source));
  let memory, machine;
  const wanted = imports(() => memory, (...seen) => machine.keeps(...seen)), given = { wasi_snapshot_preview1: {}, pliant: {} };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) given[from][name] = wanted[from][name];
  const instance = await WebAssembly.instantiate(module, given);
  memory = instance.exports.memory;
  instance.exports._initialize?.();
  const pliant = new Pliant(instance.exports);
  machine = pliant.machine;
  return pliant;
}

// Shapes of one size and type, one after the other.
function joined(shapes, what) {
  const size = shapes[0].length, all = new shapes[0].constructor(size * shapes.length);
  shapes.forEach((shape, i) => {
    if (shape.length !== size || shape.constructor !== all.constructor) throw new PliantError(`${what} ${i} has another size or type than the first`);
    all.set(shape, i * size);
  });
  return all;
}

export class Pliant {
  #words = new Map();
  constructor(exports) {
    this.machine = new Machine(exports);
    this.version = this.machine.text(exports.web_version());
    /** The questions that this module has, and the options of questions. */
    this.questions = Object.freeze(this.machine.texts("web_question_name"));
    this.options = Object.freeze(this.machine.texts("web_option_name"));
  }
  /** The words of a setting: "strategy", "volume", "builder", "cut", "criterion", "growth", "self", "ray", "fresh", "motion", ... */
  words(kind) {
    const m = this.machine, known = this.#words.get(kind);
    if (known) return known;
    const list = [];
    m.copy(kind, (at) => {
      for (let word; (word = m.call.web_word(at, list.length)); ) list.push(m.text(word));
      if (!list.length) throw new PliantError(`there are no words of ${kind}`);
    });
    this.#words.set(kind, Object.freeze(list));
    return list;
  }
  question(name) {
    const index = this.questions.indexOf(name);
    return index < 0 ? this.machine.lacks(name) : index;
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
    this.holding = new Holding(this.machine, "web_context_destroy");
    this.holding.begin(this, address);
    this.simd = this.machine.text(this.machine.call.web_context_simd(address));
  }
  get address() { return this.holding.address; }
  /** Also destroys everything that was made in it. */
  destroy() { this.holding.end(); }
  open() {
    if (!this.address) throw new PliantError("the context is destroyed");
    return this.machine;
  }
  settings(options) { return options && Object.keys(options).length ? JSON.stringify(options) : ""; }

  /** Vertices move in any way: setPositions(). Settings as in pl_body_def: strategy, volume, arity, leaf_size, builder, ...;
   * and grows: edit() may add vertices to it. */
  free(positions, triangles, { grows = false, ...settings } = {}) {
    const m = this.open(), list = faces(triangles);
    coordinates(positions, "positions");
    const body = new Body(this), at = body.copyPositions(positions);
    try {
      const address = m.copies([list, this.settings(settings)], (t, s) =>
        m.call.web_body_free(this.address, at, positions.length / 3, isDouble(positions), t, list.length / 3, s, grows)) || m.fail();
      body.swap(isDouble(positions));
      return body.begin(address);
    } catch (error) {
      body.destroy();
      throw error;
    }
  }
  #mesh(make, positions, triangles, rest, settings) {
    const m = this.open(), list = faces(triangles), body = new Body(this);
    coordinates(positions, "positions");
    return body.begin(m.copies([positions, list, this.settings(settings), ...rest.arrays ?? []], (p, t, s, ...more) =>
      m.call[make](this.address, p, positions.length / 3, isDouble(positions), t, list.length / 3, ...rest.numbers ?? [], ...more, s)) || m.fail());
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
    const size = references[0].length, all = joined(references, "reference");
    return body.begin(m.copies([all, list, this.settings(settings)], (r, t, s) =>
      m.call.web_body_morph(this.address, r, references.length, size / 3, isDouble(all), t, list.length / 3, kind === "additive", low, high, s)) || m.fail());
  }
  /** The triangles with one vertex for those that are one point in every pose, as files split them at seams; read() does it by itself.
   * poses: further shapes that must be equal too (of a morph or a sequence); perVertex, governors and weights: as for skin(). */
  weld(positions, triangles, { poses = [], perVertex = 0, governors = [], weights = [] } = {}) {
    const m = this.open(), list = faces(triangles), bones = indices(governors, "governors"), values = doubles(weights, "weights", bones.length);
    for (const shape of [positions, ...poses]) coordinates(shape, "positions");
    if (bones.length !== (positions.length / 3) * perVertex) throw new PliantError(`governors: ${bones.length} numbers, ${perVertex} of each vertex are wanted`);
    const all = joined([positions, ...poses], "pose");
    return m.copies([all, list, bones, values], (p, t, g, w) => {
      m.check(m.call.web_weld(this.address, p, positions.length / 3, isDouble(all), t, list.length / 3, poses.length, perVertex, p + positions.byteLength, g, w));
      return m.u32(t, list.length).slice();
    });
  }
  /** Many bodies, and all their contacts in one call. */
  scene() {
    const m = this.open();
    return new Scene(this, m.check(m.call.web_scene(this.address)));
  }
  /** Files as bodies that play: [{ name, bytes }], OBJ, PLY, STL, OFF, glTF; numbered names are frames of one body. */
  read(files, settings) { return Stage.files(this, files, settings); }
  /** One of the built-in scenes, of which shows() has the names ("soft", "tear" and "carve" in pliant-full.wasm only). detail: 0 for the usual one. */
  show(name, { detail = 0, ...settings } = {}) { return Stage.show(this, name, detail, settings); }
  shows() {
    const m = this.open(), list = m.texts("web_show_name");
    if (m.call.web_stage_soft) list.push("soft", ...m.texts("web_cut_name"));
    return list;
  }
}
