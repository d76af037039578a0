// Questions: what can be asked of a body, of two, and of all bodies of a scene, with one set of options and results. Body and Scene
// differ in whom() alone.
//
//   a.touching(b)          two bodies
//   a.touching()           a body against itself
//   scene.touching()       all bodies of a scene
//   a.near(b, { margin })  options are last; reference: true asks without trees, for checking
import { coordinates, doubles, isDouble, PliantError } from "./machine.mjs";
import {
  Candidates, Distances, Features, FreeStep, Hits, Impacts, NearPairs, Pairs, Penetrations, Points, Regions, Result, Segments, SphereContacts, Triangles,
} from "./results.mjs";

// Options whose values are words, and the kind of words.
const WORDS = { method: "self", mode: "ray" };
const RAY = 64, ZONE = 344; // bytes

export function word(pliant, kind, value) {
  const index = pliant.words(kind).indexOf(value);
  if (index < 0) throw new PliantError(`there is no ${kind} '${value}': ${pliant.words(kind).join(", ")}`);
  return index;
}

// What filters see of a call: bodies of the scene or the question, and numbers.
const SEEN = {
  cast: (body, a, b, i, j) => [i, body(a), j],
  closest: (body, a, b, i, j) => [i, body(a), j],
  sphereContacts: (body, a, b) => [body(a), body(b)],
  impacts: (body, a, b, i, j, pliant) => [Impacts.features(pliant, i, body)],
};
SEEN.candidates = SEEN.impacts;
const pairOf = (body, a, b, i, j) => [body(a), body(b), i, j];

export class Asked {
  /** Pairs of triangles that touch. { sorted, first, rings, filter, budgetTests, budgetMs, method, reference } */
  touching(...args) { return this.ask("touching", Pairs, args); }
  /** Vertices and faces, and edges, that are at most `margin` apart. { margin, rings, vertexFace, edgeEdge, sorted, filter, reference } */
  near(...args) { return this.ask("near", Features, args); }
  /** Triangles that are at most `margin` apart. { margin, rings, sorted, filter, reference } */
  nearTriangles(...args) { return this.ask("nearTriangles", NearPairs, args); }
  /** The least distance; each: that of every two bodies. { margin, each, first, relative, absolute, rings, filter, budgetTests, budgetMs, reference } */
  nearest(...args) {
    const found = this.ask("nearest", Distances, args);
    return this.options(args).each ? found : { ...found.at(0), partial: found.partial, counters: found.counters };
  }
  /** What rays hit: origins and directions, x y z of each. { mode: "closest" | "any" | "all", coherent, mask, tMin, tMax, filter, budgetMs, reference } */
  cast(origins, directions, options) {
    const { tMin, tMax, ...rest } = options ?? {}, { at, count } = this.rays(origins, directions, tMin, tMax);
    return this.ask("cast", Hits, [rest], { at, count });
  }
  /** The closest point of the surface for each point. { margin, coherent, mask, filter, budgetMs, reference } */
  closest(points, options) { return this.askPoints("closest", points, options); }
  /** On which side of the surface each point is. { coherent, mask, budgetMs, reference } */
  inside(points, options) { return this.askPoints("inside", points, options); }
  /** Both: distances are negative inside. { margin, coherent, mask, budgetMs, reference } */
  signedDistance(points, options) { return this.askPoints("signedDistance", points, options); }

  // Those below need pliant-full.wasm.

  /** When features first meet on the way from the kept poses to the present ones. { all, margin, keptGap, rings, filter, budgetTests, budgetMs, reference } */
  impacts(...args) { return this.ask("impacts", Impacts, args); }
  /** Which moving features come near each other. { margin, rings, vertexFace, edgeEdge, sorted, filter, reference } */
  candidates(...args) { return this.ask("candidates", Candidates, args); }
  /** Moves free bodies from their kept poses towards the present ones until just before anything meets; they then have the positions that
   * are returned. stepping: which bodies; those with a kept pose if it is not given. { stepping, margin, keptGap } */
  freeStep(...args) {
    const { stepping, ...options } = this.options(args), { other } = this.whom(args);
    this.context.pliant.question("freeStep");
    const bodies = [...new Set(stepping ?? this.among(other).filter((body) => body.kept && body.holding.held))];
    if (!bodies.length) throw new PliantError("freeStep: no body steps: free ones do after keepPose()");
    const words = Uint32Array.from(bodies.flatMap((body) => body.stepping()));
    return this.machine.copy(words, (at) => {
      try {
        const { numbers } = this.ask("freeStep", Result, other ? [other, options] : [options], { at, count: bodies.length, flag: false });
        for (const body of bodies) body.swap(body.wide);
        return new FreeStep(bodies, numbers);
      } catch (error) {
        for (const body of bodies) body.unswapped();
        throw error;
      }
    });
  }
  /** The common segments of triangles that touch. { given: pairs of touching(), sorted, rings, filter, reference } */
  segments(...args) { return this.ask("segments", Segments, args); }
  /** How deep closed bodies are in each other. { relative, samples, reference } */
  penetrations(...args) { return this.ask("penetrations", Penetrations, args); }
  /** Connected intersections. { patches, depth, rings, filter, budgetTests, budgetMs, reference } */
  regions(...args) { return this.ask("regions", Regions, args); }
  /** Spheres of bodies that match shapes. { level, contacts, reach, filter, budgetTests, budgetMs, reference } */
  sphereContacts(...args) { return this.ask("sphereContacts", SphereContacts, args); }
  /** Features that near() of this has found, at the present positions, without a search. { margin, each, reference } */
  measure(kept, options) {
    if (!(kept instanceof Features) || kept.asked !== this) throw new PliantError("measure: features that near() of the same body or scene has found are wanted");
    return this.ask("measure", Features, [kept.other, { ...options, given: kept }]);
  }
  /** Triangles that a part of space meets: { box: [lower, upper] }, { sphere: [centre, radius] }, { planes: [[x, y, z, d], ...] } or
   * { camera: 16 numbers by columns, zeroToOne }. { sorted, mask, reference } */
  overlap(zone, options) {
    const { bytes, zeroToOne } = zoneOf(zone);
    return this.machine.copy(bytes, (at) => this.ask("overlap", Triangles, [options], { at, count: 1, flag: zeroToOne }));
  }

  askPoints(name, points, options) {
    this.open();
    coordinates(points, "points");
    return this.machine.copy(points, (at) => this.ask(name, Points, [options], { at, count: points.length / 3, flag: isDouble(points) }));
  }
  options(args) { return args.at(-1)?.context ? {} : args.at(-1) ?? {}; }
  // args: another body or nothing, then options or nothing. probe: what lies at an address of the module.
  ask(name, Type, args, probe = { at: 0, count: 0, flag: false }) {
    const m = this.open(), { pliant } = this.context, who = this.whom(args), { filter, given, ...options } = this.options(args), index = pliant.question(name);
    m.call.web_begin();
    for (const [key, value] of Object.entries(options)) if (value !== undefined) this.set(key, value);
    const call = () => m.call.web_ask(this.context.address, index, who.a, who.b, who.scene, !!filter, probe.at, probe.count, !!probe.flag);
    const asks = () => {
      m.check(filter ? m.filtering((...seen) => filter(...(SEEN[name] ?? pairOf)(who.body, ...seen, pliant)), call) : call());
      return new Type(this, who, probe.count);
    };
    if (!given) return asks();
    return m.copies([given.rows.bytes, given.groupWords], (rows, groups) => {
      m.call.web_given(rows, given.length, groups, given.groups.length);
      return asks();
    });
  }
  set(key, value) {
    const m = this.machine, { pliant } = this.context, index = pliant.options.indexOf(key);
    if (index < 0) throw new PliantError(`there is no option '${key}': ${[...pliant.options, "filter", "given"].join(", ")}`);
    m.check(m.call.web_option(index, WORDS[key] ? word(pliant, WORDS[key], value) : Number(value)));
  }
  rays(origins, directions, tMin = 0, tMax = Infinity) {
    const m = this.open(), count = origins.length / 3;
    if (!Number.isInteger(count) || directions.length !== origins.length) throw new PliantError("rays: x y z of each origin and of each direction are wanted");
    const { holding } = this, { at } = (holding.rays = holding.larger(holding.rays, Math.max(RAY * count, RAY))), to = m.f64(at, 8 * count);
    for (let i = 0, o = 0; i < count; ++i, o += 3) {
      const r = 8 * i;
      to[r] = origins[o]; to[r + 1] = origins[o + 1]; to[r + 2] = origins[o + 2];
      to[r + 3] = directions[o]; to[r + 4] = directions[o + 1]; to[r + 5] = directions[o + 2];
      to[r + 6] = tMin; to[r + 7] = tMax;
    }
    return { at, count };
  }
}

// A pl_zone: kind, planes, lower, upper, centre, radius, planes. Kind 3: a camera, whose matrix by rows is in place of the planes.
function zoneOf(zone) {
  const bytes = new Uint8Array(ZONE), words = new Int32Array(bytes.buffer), reals = new Float64Array(bytes.buffer);
  const kinds = ["box", "sphere", "planes", "camera"], kind = kinds.findIndex((key) => zone?.[key] !== undefined);
  if (kind < 0) throw new PliantError(`overlap: one of ${kinds.join(", ")} is wanted`);
  const list = doubles(Array.from(zone[kinds[kind]]), kinds[kind], [6, 4, undefined, 16][kind]);
  if (kind === 2 && (list.length % 4 || list.length > 32)) throw new PliantError("planes: x y z d of each are wanted, of 8 at most");
  words[0] = kind;
  words[1] = kind === 2 ? list.length / 4 : 0;
  if (kind === 3) for (let i = 0; i < 16; ++i) reals[11 + 4 * (i % 4) + (i >> 2)] = list[i];
  else reals.set(list, [1, 7, 11][kind]);
  return { bytes, zeroToOne: !!zone.zeroToOne };
}
