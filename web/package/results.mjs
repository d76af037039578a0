// What questions return: rows in a copy of their own, in the order of the library. `length`, at(i) and the iterator are the same for all;
// `groups` says which bodies the rows belong to, where a row does not name them.
import { countersAt, NONE } from "./machine.mjs";

const triangleOf = (number) => (number === NONE ? -1 : number);

// Rows of the library: bytes as they were.
class Rows {
  constructor(m, address, count, size) {
    this.bytes = m.u8(address, size * count).slice();
    this.size = size;
    this.words = new Uint32Array(this.bytes.buffer);
    this.reals = size % 8 ? null : new Float64Array(this.bytes.buffer);
  }
  u8(i, at) { return this.bytes[this.size * i + at]; }
  u32(i, at) { return this.words[(this.size * i + at) >> 2]; }
  f64(i, at) { return this.reals[(this.size * i + at) >> 3]; }
  vector(i, at, count = 3) { return Array.from(this.reals.subarray((this.size * i + at) >> 3, ((this.size * i + at) >> 3) + count)); }
  whole(i, at, count) { return Array.from(this.words.subarray((this.size * i + at) >> 2, ((this.size * i + at) >> 2) + count)); }
}

export class Result {
  #asked; #who; #numbers; #rows; #groupWords;
  // size: bytes of a row; who: Asked.whom()
  constructor(asked, who, size) {
    const m = asked.machine, r = m.result(23).slice(), groups = m.u32(r[2], 4 * r[3]).slice();
    this.length = r[1];
    this.partial = !!r[4];
    this.counters = countersAt(r, 5);
    this.groups = Array.from({ length: r[3] }, (_, g) => ({
      a: who.body(groups[4 * g]), b: who.body(groups[4 * g + 1]), begin: groups[4 * g + 2], end: groups[4 * g + 3],
    }));
    this.bodyPairs = r[10];
    this.keptPairs = r[11];
    this.profile = { update: r[8], sweep: r[12], walk: r[13], gather: r[14] };
    this.#asked = asked;
    this.#who = who;
    this.#numbers = r;
    this.#rows = new Rows(m, r[0], r[1], size);
    this.#groupWords = groups;
  }
  *[Symbol.iterator]() { for (let i = 0; i < this.length; ++i) yield this.at(i); }
  // What its own methods need.
  get asked() { return this.#asked; }
  get other() { return this.#who.other; }
  get body() { return this.#who.body; }
  get numbers() { return this.#numbers; }
  get rows() { return this.#rows; }
  get groupWords() { return this.#groupWords; }
}

/** Pairs of triangles: `array` has a and b of each. */
export class Pairs extends Result {
  constructor(asked, who) {
    super(asked, who, 8);
    this.array = this.rows.words;
  }
  at(i) { return [this.array[2 * i], this.array[2 * i + 1]]; }
}

/** Triangles: `array`; in a scene `groups` says of which bodies. */
export class Triangles extends Result {
  constructor(asked, who) {
    super(asked, who, 4);
    this.array = this.rows.words;
  }
  at(i) { return this.array[i]; }
}

/** Near features, of near() and measure(). */
export class Features extends Result {
  constructor(asked, who) { super(asked, who, 120); }
  distance(i) { return this.rows.f64(i, 40); }
  normal(i) { return this.rows.vector(i, 96); }
  at(i) {
    const r = this.rows;
    return {
      kind: this.asked.context.pliant.words("feature")[r.u32(i, 0)], triangleA: r.u32(i, 4), triangleB: r.u32(i, 8),
      verticesA: r.whole(i, 12, 3), verticesB: r.whole(i, 24, 3), multiplicity: r.u32(i, 36), distance: r.f64(i, 40),
      weightsA: r.vector(i, 48), weightsB: r.vector(i, 72), normal: r.vector(i, 96),
    };
  }
}

export class NearPairs extends Result {
  constructor(asked, who) { super(asked, who, 64); }
  distance(i) { return this.rows.f64(i, 8); }
  at(i) {
    const r = this.rows;
    return { a: r.u32(i, 0), b: r.u32(i, 4), distance: r.f64(i, 8), pointA: r.vector(i, 16), pointB: r.vector(i, 40) };
  }
}

export class Distances extends Result {
  constructor(asked, who) { super(asked, who, 80); }
  at(i) {
    const r = this.rows;
    return {
      a: this.body(r.u32(i, 0)), b: this.body(r.u32(i, 4)), distance: r.f64(i, 8), lower: r.f64(i, 16),
      pointA: r.vector(i, 24), pointB: r.vector(i, 48), triangleA: triangleOf(r.u32(i, 72)), triangleB: triangleOf(r.u32(i, 76)),
    };
  }
}

/** Hits, one of each ray: triangle(i) is -1 where there is none. In the mode "all" those of ray i are from first[i] to first[i + 1]. */
export class Hits extends Result {
  constructor(asked, who, rays) {
    super(asked, who, 64);
    const at = this.numbers[17];
    this.first = at ? asked.machine.u32(at, rays + 1).slice() : null;
  }
  t(i) { return this.rows.f64(i, 0); }
  u(i) { return this.rows.f64(i, 8); }
  v(i) { return this.rows.f64(i, 16); }
  normal(i) { return this.rows.vector(i, 24); }
  triangle(i) { return triangleOf(this.rows.u32(i, 48)); }
  member(i) { return triangleOf(this.rows.u32(i, 52)); }
  at(i) {
    return { t: this.t(i), u: this.u(i), v: this.v(i), normal: this.normal(i), triangle: this.triangle(i), member: this.member(i), body: this.body(this.rows.u32(i, 56)) };
  }
}

/** Points: side(i) is "outside", "inside" or "on". */
export class Points extends Result {
  constructor(asked, who) {
    super(asked, who, 80);
    this.closure = asked.context.pliant.words("closure")[this.numbers[18]];
  }
  distance(i) { return this.rows.f64(i, 0); }
  point(i) { return this.rows.vector(i, 8); }
  u(i) { return this.rows.f64(i, 32); }
  v(i) { return this.rows.f64(i, 40); }
  triangle(i) { return triangleOf(this.rows.u32(i, 48)); }
  member(i) { return triangleOf(this.rows.u32(i, 52)); }
  side(i) { return this.asked.context.pliant.words("side")[this.rows.u32(i, 56)]; }
  winding(i) { return this.rows.f64(i, 64); }
  at(i) {
    return {
      distance: this.distance(i), point: this.point(i), u: this.u(i), v: this.v(i), triangle: this.triangle(i), member: this.member(i),
      body: this.body(this.rows.u32(i, 72)), side: this.side(i), winding: this.winding(i),
    };
  }
}

/** Features that meet, by time; `time` of the first (Infinity: none), `safeStep` the part of the way that is free of contact. */
export class Impacts extends Result {
  constructor(asked, who) {
    super(asked, who, 88);
    this.time = this.numbers[15];
    this.safeStep = this.numbers[16];
  }
  at(i) {
    const r = this.rows;
    return { ...featuresOf(this.asked.context.pliant, r, i, this.body), time: r.f64(i, 8), normal: r.vector(i, 40), point: r.vector(i, 64) };
  }
  // Of a filter: the features at an address of the module.
  static features(pliant, at, body) { return featuresOf(pliant, new Rows(pliant.machine, at, 1, 88), 0, body); }
}
const featuresOf = (pliant, r, i, body) => ({
  a: body(r.u32(i, 0)), b: body(r.u32(i, 4)), kind: pliant.words("feature")[r.u32(i, 16)], featureA: r.whole(i, 20, 2), featureB: r.whole(i, 28, 2),
});

/** A step that was taken: the part of it, the bodies that stepped, and the positions that they have now. */
export class FreeStep {
  constructor(bodies, numbers) {
    this.safeStep = numbers[16];
    this.time = numbers[15];
    this.tries = numbers[22];
    this.bodies = bodies;
    this.positions = bodies.map((body) => body.held());
    this.counters = countersAt(numbers, 5);
  }
}

/** Moving features that come near each other: of each two bodies three lists of pairs, and the edges that they number. */
export class Candidates extends Result {
  constructor(asked, who) {
    super(asked, who, 8);
    this.array = this.rows.words;
    const m = asked.machine, count = Math.max(this.groups.length, asked.members ? 0 : 1), list = new Rows(m, this.numbers[19], count, 32);
    const edges = (at, length) => m.u32(at, 2 * length).slice();
    this.lists = Array.from({ length: count }, (_, g) => {
      const [from, face, edge, end, edgesA, edgesB, countA, countB] = list.whole(g, 0, 8), { a, b } = this.groups[g] ?? { a: asked, b: who.other ?? asked };
      return {
        a, b, vertexFace: this.array.subarray(2 * from, 2 * face), faceVertex: this.array.subarray(2 * face, 2 * edge),
        edgeEdge: this.array.subarray(2 * edge, 2 * end), edgesA: edges(edgesA, countA), edgesB: edges(edgesB, countB),
      };
    });
  }
  at(i) { return [this.array[2 * i], this.array[2 * i + 1]]; }
}

/** The common points of two triangles that touch, from one end to the other. */
export class Segments extends Result {
  constructor(asked, who) {
    super(asked, who, 56);
    this.array = asked.machine.u32(this.numbers[21], 2 * this.length).slice();
  }
  at(i) {
    const r = this.rows;
    return { triangleA: this.array[2 * i], triangleB: this.array[2 * i + 1], from: r.vector(i, 0), to: r.vector(i, 24), touches: !!r.u8(i, 48), coplanar: !!r.u8(i, 49) };
  }
}

export class Penetrations extends Result {
  constructor(asked, who) { super(asked, who, 104); }
  at(i) {
    const r = this.rows;
    return {
      body: this.body(r.u32(i, 0)), other: this.body(r.u32(i, 4)), depth: r.f64(i, 8), bound: r.f64(i, 16), point: r.vector(i, 24),
      surface: r.vector(i, 48), direction: r.vector(i, 72), triangle: r.u32(i, 96), otherTriangle: r.u32(i, 100),
    };
  }
}

export class SphereContacts extends Result {
  constructor(asked, who) {
    super(asked, who, 72);
    this.floats = new Float32Array(this.rows.bytes.buffer);
  }
  at(i) {
    const r = this.rows, f = (at, count) => Array.from(this.floats.subarray(18 * i + at, 18 * i + at + count));
    return {
      a: r.u32(i, 0), b: r.u32(i, 4), sphereA: { centre: f(2, 3), radius: f(5, 1)[0] }, sphereB: { centre: f(6, 3), radius: f(9, 1)[0] },
      normal: f(10, 3), point: f(13, 3), depth: f(16, 1)[0], contact: !!r.u32(i, 68),
    };
  }
}

const SIDE = 184, PATCH = 72, CONTOUR = 12;
/** Connected intersections, with their pairs, contours and the parts that are cut off. */
export class Regions extends Result {
  #parts;
  constructor(asked, who) {
    super(asked, who, 264);
    const m = asked.machine, p = m.u32(this.numbers[20], 14).slice(), words = (at, count) => m.u32(at, count).slice();
    this.#parts = {
      pairs: words(p[0], 2 * p[1]), contours: new Rows(m, p[2], p[3], CONTOUR), points: m.f64(p[4], 3 * p[5]).slice(), triangles: words(p[6], p[7]),
      patches: new Rows(m, p[8], p[9], PATCH), patchIds: words(p[10], p[11]), patchTriangles: words(p[12], p[13]),
    };
  }
  #contour(k) {
    const { contours, points } = this.#parts, [begin, end] = contours.whole(k, 0, 2);
    return { closed: !!contours.u8(k, 8), points: points.subarray(3 * begin, 3 * end) };
  }
  #patch(id) {
    const { patches, patchTriangles } = this.#parts, [begin, end] = patches.whole(id, 0, 2);
    return { triangles: patchTriangles.subarray(begin, end), area: patches.f64(id, 8), depth: patches.f64(id, 16), deepest: patches.vector(id, 24), surface: patches.vector(id, 48) };
  }
  #side(i, k) {
    const r = this.rows, at = SIDE + 40 * k, [begin, end, from, to] = r.whole(i, at, 4), { triangles, patchIds } = this.#parts;
    return {
      area: r.f64(i, at + 16), depth: r.f64(i, at + 24), cutOff: !!r.u8(i, at + 32), behind: !!r.u8(i, at + 33), triangles: triangles.subarray(begin, end),
      patches: Array.from(patchIds.subarray(from, to), (id) => this.#patch(id)),
    };
  }
  at(i) {
    const r = this.rows, [pairs, pairsEnd, contour, contourEnd] = r.whole(i, 164, 4);
    return {
      length: r.f64(i, 0), flat: r.f64(i, 8), depth: r.f64(i, 16), lower: r.vector(i, 24), upper: r.vector(i, 48), at: r.vector(i, 72),
      deepest: r.vector(i, 96), surface: r.vector(i, 120), deepestSide: r.u32(i, 144), ends: r.u32(i, 148), branches: r.u32(i, 152), areas: r.u32(i, 156),
      folded: !!r.u8(i, 160), pairs: this.#parts.pairs.subarray(2 * pairs, 2 * pairsEnd),
      contours: Array.from({ length: contourEnd - contour }, (_, k) => this.#contour(contour + k)), sides: [this.#side(i, 0), this.#side(i, 1)],
    };
  }
}
