// What queries return, and the queries that bodies and scenes have in common.
import { coordinates, countersAt, isDouble, NONE, PliantError } from "./machine.mjs";

export function word(context, kind, value) {
  const index = context.pliant.words(kind).indexOf(value);
  if (index < 0) throw new PliantError(`there is no ${kind} '${value}': ${context.pliant.words(kind).join(", ")}`);
  return index;
}
const triangleOf = (number) => (number === NONE ? -1 : number);
export function distanceAt(r, at) {
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

// Records of doubles, of which some are two words.
class Records {
  constructor(m, address, count, size = 64) {
    const bytes = m.u8(address, size * count).slice().buffer;
    this.length = count;
    this.step = size / 8;
    this.reals = new Float64Array(bytes);
    this.words = new Uint32Array(bytes);
  }
  column(type, at, width = 1) {
    const from = type === Uint32Array ? this.words : this.reals, step = type === Uint32Array ? 2 * this.step : this.step, to = new type(this.length * width);
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
  const { holding } = body, { at } = (holding.rays = holding.larger(holding.rays, Math.max(64 * count, 64))), to = m.f64(at, 8 * count);
  for (let i = 0, o = 0; i < count; ++i, o += 3) {
    const r = 8 * i;
    to[r] = origins[o]; to[r + 1] = origins[o + 1]; to[r + 2] = origins[o + 2];
    to[r + 3] = directions[o]; to[r + 4] = directions[o + 1]; to[r + 5] = directions[o + 2];
    to[r + 6] = tMin; to[r + 7] = tMax;
  }
  return { at, count };
}
export function cast(owner, body, scene, origins, directions, options) {
  const m = owner.open(), mode = word(owner.context, "ray", options?.mode ?? "closest"), { at, count } = rayList(owner, origins, directions, options);
  m.check(m.call.web_cast(owner.context.address, body, scene, at, count, mode, !!options?.coherent));
  const hits = new Hits(m);
  hits.first = hits.firstAt ? m.u32(hits.firstAt, count + 1).slice() : null;
  return hits;
}

/** Of point i: distance(i), point(i), triangle(i), member(i), u(i), v(i), side(i) ("outside", "inside", "on"), winding(i). */
export class Points extends Records {
  constructor(m, pliant) {
    const r = m.result(8).slice();
    super(m, r[0], r[1], 80);
    this.sides = pliant.words("side");
    this.closure = pliant.words("closure")[r[2]];
    this.counters = countersAt(r, 3);
  }
  distance(i) { return this.reals[10 * i]; }
  point(i) { return Array.from(this.reals.subarray(10 * i + 1, 10 * i + 4)); }
  u(i) { return this.reals[10 * i + 4]; }
  v(i) { return this.reals[10 * i + 5]; }
  triangle(i) { return triangleOf(this.words[20 * i + 12]); }
  member(i) { return triangleOf(this.words[20 * i + 13]); }
  side(i) { return this.sides[this.words[20 * i + 14]]; }
  winding(i) { return this.reals[10 * i + 8]; }
}
export function askPoints(owner, body, scene, what, points, { margin = Infinity, coherent = false } = {}) {
  const m = owner.open();
  coordinates(points, "points");
  return m.copy(points, (at) => {
    m.check(m.call.web_points(owner.context.address, body, scene, what, at, points.length / 3, isDouble(points), margin, coherent));
    return new Points(m, owner.context.pliant);
  });
}
