// pliant and three-mesh-bvh on the same scenes in the same page, alternating, each with its best setting: two bumpy spheres of 20 480
// triangles that sink into each other (all pairs, first pair), rays and closest points. Answers are compared before times are printed.
import { BufferAttribute, BufferGeometry, DoubleSide, Matrix4, Ray, Vector3 } from "three";
import { CENTER, MeshBVH, SAH } from "three-mesh-bvh";
import { load } from "../package/pliant.mjs";
import { embeddedModule } from "../viewer/embedded.mjs";

const STEPS = 40, RAYS = 20000, POINTS = 5000, ROUNDS = 5, WARM = 500, ROUND = 50;
const identity = new Matrix4();
const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

function random(seed) {
  return () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296;
}

// All poses first: making them is no part of a frame.
function poses(context) {
  const stage = context.show("spheres"), list = [];
  const triangles = stage.parts.map((p) => p.triangles().slice());
  for (let i = 0; i < STEPS; ++i) {
    stage.pose(Math.round((i * (stage.frames - 1)) / (STEPS - 1)));
    list.push(stage.parts.map((p) => p.positions().slice()));
  }
  stage.destroy();
  return { triangles, list };
}

class Theirs {
  constructor(triangles, pose, options) {
    this.geometries = triangles.map((t, i) => {
      const g = new BufferGeometry();
      g.setAttribute("position", new BufferAttribute(pose[i].slice(), 3));
      g.setIndex(new BufferAttribute(t.slice(), 1));
      return g;
    });
    this.trees = this.geometries.map((g) => new MeshBVH(g, options));
  }
  set(pose) {
    this.geometries.forEach((g, i) => g.attributes.position.array.set(pose[i]));
    for (const tree of this.trees) tree.refit();
  }
  pairs(first) {
    let count = 0;
    this.trees[0].bvhcast(this.trees[1], identity, {
      intersectsTriangles(a, b) {
        if (!a.intersectsTriangle(b)) return false;
        ++count;
        return first;
      },
    });
    return count;
  }
}

// Milliseconds per call of each, in turns; a call returns a number that is compared. Browsers compile what runs often once more, and better: each
// runs for WARM ms before its times count, and for ROUND ms or more in each of its turns.
function race(contestants, steps) {
  const times = contestants.map(() => []), sums = contestants.map(() => 0);
  const turn = (run, least) => {
    const start = performance.now();
    let passes = 0, sum, now;
    do {
      sum = 0;
      for (let i = 0; i < steps; ++i) sum += run(i);
      ++passes;
      now = performance.now();
    } while (now - start < least);
    return { ms: (now - start) / (passes * steps), sum };
  };
  for (const run of contestants) turn(run, WARM);
  for (let round = 0; round < ROUNDS; ++round)
    contestants.forEach((run, c) => {
      const { ms, sum } = turn(run, ROUND);
      times[c].push(ms);
      sums[c] = sum;
    });
  return { ms: times.map(median), sums };
}

export async function measure(say = () => {}) {
  const pliant = await load(await embeddedModule()), context = pliant.context();
  const { triangles, list } = poses(context), report = {};
  const ours = triangles.map((t, i) => context.free(list[0][i], t));
  const settings = [{ strategy: CENTER, maxLeafTris: 10 }, { strategy: CENTER, maxLeafTris: 5 }, { strategy: SAH, maxLeafTris: 10 }, { strategy: SAH, maxLeafTris: 4 }]
    .map((o) => ({ ...o, maxLeafSize: o.maxLeafTris }));
  const theirs = settings.map((o) => new Theirs(triangles, list[0], o));
  const add = (name, result, check) => {
    const [mine, ...rest] = result.ms, best = Math.min(...rest);
    report[name] = { ours_ms: mine, best_ms: best, ratio: best / mine, ours: result.sums[0], theirs: result.sums[1 + rest.indexOf(best)] };
    if (!check(report[name])) throw new Error(`${name}: the answers differ too much: ${report[name].ours} and ${report[name].theirs}`);
    say(`${name.padEnd(8)} pliant ${mine.toPrecision(3)} ms, three-mesh-bvh ${best.toPrecision(3)} ms: ${(best / mine).toFixed(1)} times`);
  };
  const near = (part) => (r) => Math.abs(r.ours - r.theirs) <= part * Math.max(r.ours, r.theirs);
  for (const [name, first] of [["all", false], ["first", true]]) {
    const mine = (i) => {
      ours.forEach((body, k) => body.setPositions(list[i][k]));
      return ours[0].touching(ours[1], { first }).length;
    };
    add(name, race([mine, ...theirs.map((t) => (i) => { t.set(list[i]); return t.pairs(first); })], STEPS), near(0.02));
  }

  // One body in one pose: rays from around it, points near it.
  const pose = list[STEPS - 1], next = random(7), origins = new Float64Array(3 * RAYS), directions = new Float64Array(3 * RAYS);
  ours.forEach((body, k) => body.setPositions(pose[k]));
  for (const t of theirs) t.set(pose);
  const rays = [], points = new Float64Array(3 * POINTS), box = ours[0].box();
  const middle = box.lower.map((v, k) => (v + box.upper[k]) / 2), reach = Math.hypot(...box.upper.map((v, k) => v - box.lower[k])) / 2;
  for (let i = 0; i < RAYS; ++i) {
    const angle = 2 * Math.PI * next(), height = 2 * next() - 1, flat = Math.sqrt(1 - height * height);
    const from = [flat * Math.cos(angle), height, flat * Math.sin(angle)].map((v, k) => middle[k] + 2 * reach * v);
    const to = middle.map((v) => v + 0.8 * reach * (2 * next() - 1)), along = new Vector3(...to.map((v, k) => v - from[k])).normalize();
    origins.set(from, 3 * i);
    directions.set(along.toArray(), 3 * i);
    rays.push(new Ray(new Vector3(...from), along));
  }
  for (let i = 0; i < 3 * POINTS; ++i) points[i] = middle[i % 3] + 1.2 * reach * (2 * next() - 1);
  const hits = () => {
    const found = ours[0].cast(origins, directions);
    let sum = 0;
    for (let i = 0; i < RAYS; ++i) if (found.triangle(i) >= 0) sum += found.t(i);
    return sum;
  };
  const their = (t) => () => {
    let sum = 0;
    for (const ray of rays) {
      const hit = t.trees[0].raycastFirst(ray, DoubleSide);
      if (hit) sum += hit.distance;
    }
    return sum;
  };
  add("rays", race([hits, ...theirs.map(their)], 1), near(1e-4));
  const closest = () => {
    const found = ours[0].closest(points);
    let sum = 0;
    for (let i = 0; i < POINTS; ++i) sum += found.distance(i);
    return sum;
  };
  const point = new Vector3(), target = {};
  const theirClosest = (t) => () => {
    let sum = 0;
    for (let i = 0; i < POINTS; ++i) sum += t.trees[0].closestPointToPoint(point.set(points[3 * i], points[3 * i + 1], points[3 * i + 2]), target).distance;
    return sum;
  };
  add("closest", race([closest, ...theirs.map(theirClosest)], 1), near(1e-4));
  return report;
}

const out = document.getElementById("out");
out.textContent = "";
measure((line) => (out.textContent += `${line}\n`)).then((report) => (globalThis.report = report), (error) => (globalThis.report = { error: error.message }));
