// Bodies: what moves them, and what is known about them. asked.mjs has the questions.
import { Asked } from "./asked.mjs";
import { Holding } from "./life.mjs";
import { coordinates, countersAt, doubles, indices, isDouble, PliantError, transforms } from "./machine.mjs";

export class Body extends Asked {
  // stage: the one that the body belongs to; null: it is a body of its own
  constructor(context, stage = null) {
    super();
    this.context = context;
    this.machine = context.machine;
    this.stage = stage;
    this.holding = new Holding(this.machine, stage ? null : "web_body_destroy", (stage ?? context).holding);
  }
  get address() { return this.holding.address; }
  begin(address) {
    this.holding.begin(this, address);
    this.recount();
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
    if (this.stage) throw new PliantError("the body belongs to its stage");
    this.holding.end();
  }
  // Positions go to the spare block, where the body does not look yet, so that refused ones change nothing.
  copyPositions(positions) {
    const { machine, holding } = this, { at } = (holding.spare = holding.larger(holding.spare, positions.byteLength));
    (isDouble(positions) ? machine.f64(at, positions.length) : machine.f32(at, positions.length)).set(positions);
    return at;
  }
  // From now on the body reads what was spare: doubles or floats.
  swap(wide) {
    const { holding } = this, { held } = holding;
    holding.held = holding.spare;
    holding.spare = held;
    this.wide = wide;
  }
  // A pl_step_body, whose positions are written where the body does not look yet.
  stepping() {
    this.open();
    const { holding } = this;
    if (!holding.held) throw new PliantError("only free bodies can step");
    holding.spare = holding.larger(holding.spare, 3 * this.vertexCount * (this.wide ? 8 : 4));
    return [this.address, holding.spare.at, 0, this.wide ? 1 : 0];
  }
  // After a step that has failed, perhaps on its way: the body reads what it did before.
  unswapped() {
    const { machine, holding } = this;
    machine.call.web_body_set_positions(this.context.address, this.address, holding.held.at, this.vertexCount, this.wide);
  }
  // The positions that the body reads.
  held() {
    const { machine, holding } = this, count = 3 * this.vertexCount, { at } = holding.held;
    return (this.wide ? machine.f64(at, count) : machine.f32(at, count)).slice();
  }

  /** The mesh has been edited. */
  recount() { [this.vertexCount, this.triangleCount] = this.#about(); }
  setPositions(positions) {
    const m = this.open();
    if (!this.holding.held) throw new PliantError("only a free body has positions to set");
    const at = this.copyPositions(coordinates(positions, "positions"));
    m.check(m.call.web_body_set_positions(this.context.address, this.address, at, positions.length / 3, isDouble(positions)));
    this.swap(isDouble(positions));
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
  /** Changes the mesh in one batch, which is checked whole. split: pairs of a vertex and its triangles, which get a new vertex
   * instead; changed: pairs of a triangle and its three corners; merged: pairs of vertices, the second for the first. */
  edit({
    vertices = new Float64Array(0), poses = [], governors = [], weights = [], newVertices, split = [], vertexIndices = [], removedVertices = [],
    removedTriangles = [], changed = [], added = [], addedIndices = [], merged = [],
  }) {
    const m = this.open(), first = [0], flat = (list) => Array.from(list).flat(Infinity), count = newVertices ?? vertices.length / 3;
    m.needs("web_body_edit", "edits");
    coordinates(vertices, "vertices");
    for (const [, triangles] of split) first.push(first.at(-1) + triangles.length);
    if (!changed.every(([, corners]) => corners.length === 3)) throw new PliantError("changed: each triangle needs three corners");
    const names = flat(governors), values = doubles(weights, "weights"), corners = flat(added), pairs = flat(merged), perVertex = count ? names.length / count : 0;
    if (perVertex % 1 || corners.length % 3 || pairs.length % 2 || (values.length && values.length !== names.length))
      throw new PliantError("edit: governors are for each new vertex, added corners by three, merged vertices by two, a weight for each governor");
    const news = count + split.length;
    if ((vertexIndices.length && vertexIndices.length !== news) || (addedIndices.length && addedIndices.length !== corners.length / 3))
      throw new PliantError(`edit: ${vertexIndices.length} vertexIndices for ${news} new vertices, ${addedIndices.length} addedIndices for ${corners.length / 3} triangles`);
    if (poses.some((p) => p.length !== 3 * count)) throw new PliantError(`poses: ${count} places are wanted in each`);
    const lists = indices([
      split.length, first.at(-1), vertexIndices.length, removedVertices.length, removedTriangles.length, changed.length, corners.length / 3,
      addedIndices.length, pairs.length / 2, perVertex, ...split.map(([v]) => v), ...(split.length ? first : []), ...split.flatMap(([, t]) => Array.from(t)),
      ...vertexIndices, ...removedVertices, ...removedTriangles, ...changed.map(([t]) => t), ...changed.flatMap(([, c]) => Array.from(c)), ...corners,
      ...addedIndices, ...pairs, ...names,
    ], "edit");
    const all = new vertices.constructor(vertices.length + poses.length * 3 * count);
    all.set(vertices);
    poses.forEach((p, i) => all.set(p, vertices.length + 3 * count * i));
    m.check(m.copies([lists, all, values], (l, xyz, w) => m.call.web_body_edit(
      this.context.address, this.address, l, vertices.length ? xyz : 0, count, isDouble(vertices), poses.length, w)));
    this.recount();
  }
  /** Keeps the pose as the start of a step, for impacts(), candidates() and freeStep(). */
  keepPose() { this.#pose("web_body_keep_pose", true); }
  /** Forgets it: the body is at rest. */
  dropPose() { this.#pose("web_body_drop_pose", false); }
  #pose(call, kept) {
    const m = this.open();
    m.needs(call, "impacts");
    m.check(m.call[call](this.context.address, this.address));
    this.kept = kept;
  }
  /** How the body goes from its kept pose to the present one: on a screw of its own without an axis, otherwise about this one. */
  setScrew(axis = null, point = null, angle = 0) {
    const m = this.open(), numbers = [...(axis ?? [0, 0, 0]), ...(point ?? [0, 0, 0])];
    m.needs("web_body_set_screw", "impacts");
    if (numbers.length !== 6) throw new PliantError("screw: an axis and a point have three numbers each");
    m.check(m.copy(doubles(numbers, "screw"), (at) =>
      m.call.web_body_set_screw(this.context.address, this.address, axis ? at : 0, axis && point ? at + 24 : 0, angle)));
  }
  /** How far the surface reaches beyond the triangles; radii: one more for each vertex. */
  setThickness(thickness, radii = null) {
    const m = this.open(), list = doubles(radii ?? [], "radii"), { address } = this.context;
    m.needs("web_body_set_thickness", "impacts");
    if (radii && list.length !== this.vertexCount) throw new PliantError(`radii: ${list.length} for ${this.vertexCount} vertices`);
    m.check(m.copy(list, (at) => m.call.web_body_set_thickness(address, this.address, thickness, radii ? at : 0)));
  }
  /** Runs the eager pass now; questions do it by themselves. */
  update() {
    const m = this.open();
    m.check(m.call.web_body_update(this.context.address, this.address));
    return countersAt(m.result(5), 0);
  }

  /** World positions, exactly the numbers that questions decide on. */
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
  /** What the strategy "auto" chose for the last positions that a question was asked of, why, and what each choice would cost, in refits of a
   * volume (0: not possible). choice: "upper" levels before the question, "none", the "whole" tree, "own": volumes from governors; "fixed". */
  explain() {
    const m = this.open();
    m.check(m.call.web_body_explain(this.context.address, this.address));
    const [choice, reason, upper, none, whole, own, demanded] = m.result(7);
    return { choice: m.text(choice), reason: m.text(reason), costs: { upper, none, whole, own }, demanded };
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

  among(other) { return other && other !== this ? [this, other] : [this]; }
  whom(args) {
    const other = args[0] instanceof Body ? args[0] : null;
    if (other && other.open() !== this.machine) throw new PliantError("the bodies are of two modules");
    return {
      a: this.address, b: (other ?? this).address, scene: 0, other,
      body: (address) => (address === this.address ? this : address && address === other?.address ? other : null),
    };
  }
}
