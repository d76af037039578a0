// Every question of both modules, asked of two bodies, of one, and of a scene: as the reference answers it, without trees.
//   node --test web/tests/questions.test.mjs     WASM, FULL: pliant.wasm and pliant-full.wasm
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load, PliantError } from "../package/pliant.mjs";

const WASM = process.env.WASM ?? new URL("../../out/web/package/pliant.wasm", import.meta.url).pathname;
const modules = { small: await load(readFileSync(WASM)), full: await load(readFileSync(process.env.FULL ?? WASM.replace(/\.wasm$/, "-full.wasm"))) };

// A bumpy tube of n x m vertices along x, closed at both ends, that is bent so that it meets itself if `bend` is large.
function tube(n, m, { at = [0, 0, 0], bend = 0, radius = 0.3, length = 3 } = {}) {
  const xyz = new Float64Array(3 * (n * m + 2)), triangles = [];
  const put = (v, t, x, y) => {
    const turn = bend * t, from = bend ? [Math.sin(turn) / bend, (1 - Math.cos(turn)) / bend] : [t, 0], lean = [-Math.sin(turn), Math.cos(turn)];
    xyz.set([at[0] + length * from[0] + y * lean[0], at[1] + length * from[1] + y * lean[1], at[2] + x + 0.02 * t], 3 * v);
  };
  for (let i = 0; i < n; ++i)
    for (let j = 0; j < m; ++j) {
      const r = radius * (1 + 0.2 * Math.sin(3 * i + j)), a = (2 * Math.PI * j) / m;
      put(i * m + j, i / (n - 1) - 0.5, r * Math.sin(a), r * Math.cos(a));
    }
  put(n * m, -0.55, 0, 0);
  put(n * m + 1, 0.55, 0, 0);
  for (let j = 0, k = 1; j < m; ++j, k = (j + 1) % m) {
    triangles.push(n * m, k, j, n * m + 1, (n - 1) * m + j, (n - 1) * m + k);
    for (let i = 0; i + 1 < n; ++i) triangles.push(i * m + j, i * m + k, (i + 1) * m + j, i * m + k, (i + 1) * m + k, (i + 1) * m + j);
  }
  return { xyz, triangles: Uint32Array.from(triangles) };
}

// Two tubes that cross, of which the first meets itself, and a scene of both and a third one; each has moved a little.
function world(pliant) {
  const context = pliant.context(), shapes = [tube(20, 8, { bend: 6.6 }), tube(9, 6, { at: [0, 0.9, 0.1] }), tube(7, 5, { at: [0.4, 1.2, 0.5] })];
  const bodies = shapes.map(({ xyz, triangles }, i) => context.free(xyz, triangles, i === 1 ? { strategy: "top-down" } : {})), scene = context.scene();
  for (const body of bodies) scene.add(body, { self: body === bodies[0] });
  if (pliant.questions.includes("impacts")) for (const body of bodies) body.keepPose();
  const move = (by) => bodies.forEach((body, i) => body.setPositions(shapes[i].xyz.map((x, k) => x + (k % 3 === 1 ? by * (1 - i) : 0.01 * by * Math.sin(k)))));
  move(0.2);
  return { context, bodies, scene, move };
}

// What is compared: rows, and which bodies they belong to; not what they cost.
const NUMBERS = { length: 0, time: 0, safeStep: 0, closure: 0 };
function facts(found, numberOf) {
  const plain = (value) => {
    if (value instanceof Float64Array || value instanceof Uint32Array) return Array.from(value);
    if (Array.isArray(value)) return value.map(plain);
    if (value?.context) return numberOf(value);
    return value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)])) : value;
  };
  const own = Object.fromEntries(Object.keys(NUMBERS).map((key) => [key, found[key]]));
  if (found.lists) own.lists = found.lists;
  return plain({ ...own, rows: [...found], groups: found.groups, first: found.first ?? null });
}

// Numbers to so many digits behind the point; all of them if it is not given.
const rounded = (value, digits) =>
  digits === undefined ? value : JSON.parse(JSON.stringify(value, (key, v) => (typeof v === "number" ? (Number.isFinite(v) ? Number(v.toFixed(digits)) + 0 : String(v)) : v)));

// How each question is asked, of whom; `whom` is Body or Scene, `other` a body or nothing.
const margin = 0.15, some = (n, f) => Float64Array.from({ length: 3 * n }, (_, i) => f(i));
const POINTS = some(40, (i) => 2 * Math.sin(7 * i)), ORIGINS = some(40, (i) => 4 * Math.sin(i)), WAYS = ORIGINS.map((x, i) => Math.sin(3 * i) - x);
const PAIRS = ["two", "self", "scene"], PROBES = ["one", "scene"];
const asking = (name, options) => (whom, other, more) => (other ? whom[name](other, { ...options, ...more }) : whom[name]({ ...options, ...more }));
const probing = (name, points, options) => (whom, other, more) => whom[name](points, { ...options, ...more });
const QUESTIONS = {
  touching: { of: PAIRS, ask: asking("touching", { sorted: true }) },
  near: { of: PAIRS, ask: asking("near", { margin, sorted: true }) },
  nearTriangles: { of: PAIRS, ask: asking("nearTriangles", { margin, sorted: true, rings: 2 }) },
  nearest: { of: PAIRS, ask: asking("nearest", { each: true }) },
  cast: { of: PROBES, ask: (whom, other, more) => whom.cast(ORIGINS, WAYS, { mode: "all", ...more }) },
  closest: { of: PROBES, ask: probing("closest", POINTS) },
  inside: { of: PROBES, ask: probing("inside", POINTS) },
  signedDistance: { of: PROBES, ask: probing("signedDistance", Float32Array.from(POINTS)) },
  impacts: { of: PAIRS, ask: asking("impacts", { all: true, margin: 1e-3 }) },
  candidates: { of: PAIRS, ask: asking("candidates", { sorted: true, margin: 0.01 }) },
  segments: { of: PAIRS, ask: asking("segments", { sorted: true }) },
  penetrations: { of: PAIRS, ask: asking("penetrations", {}) },
  regions: { of: PAIRS, ask: asking("regions", {}) },
  measure: { of: PAIRS, ask: (whom, other, more) => whom.measure(kept(whom, other), { margin: 0.1, ...more }), digits: 12 }, // to 2^-49
  overlap: { of: PROBES, ask: (whom, other, more) => whom.overlap({ sphere: [0, 1, 0, 0.4] }, { sorted: true, ...more }) },
};
// sphereContacts are asked of the soft bodies below, free steps move bodies; kept features were found before a move.
const features = new Map();
const kept = (whom, other) => features.get(whom)?.get(other);

for (const [name, pliant] of Object.entries(modules))
  test(`every question of the ${name} module: the answers of the reference`, () => {
    const { context, bodies, scene, move } = world(pliant), [a, b] = bodies, numberOf = (body) => bodies.indexOf(body);
    for (const [whom, other] of [[a, b], [a, null], [scene, null]]) {
      if (!features.has(whom)) features.set(whom, new Map());
      features.get(whom).set(other, other ? whom.near(other, { margin }) : whom.near({ margin }));
    }
    move(0.25);
    const asked = new Set(["sphereContacts", "freeStep"]);
    for (const [question, { of, ask, digits }] of Object.entries(QUESTIONS)) {
      if (!pliant.questions.includes(question)) {
        assert.throws(() => ask(a, null, {}), /this module has no .*pliant-full\.wasm/, question);
        continue;
      }
      asked.add(question);
      for (const who of of) {
        const whom = who === "scene" ? scene : a, other = who === "two" ? b : null, found = facts(ask(whom, other, {}), numberOf);
        const wanted = facts(ask(whom, other, { reference: true }), numberOf);
        assert.ok(found.length > 0, `${question} of ${who} finds nothing: nothing is compared`);
        if (question === "penetrations") compareDepths(found, wanted);
        else assert.deepEqual(rounded(found, digits), rounded(wanted, digits), `${question} of ${who}`);
      }
    }
    assert.deepEqual([...asked].sort(), [...new Set(["sphereContacts", "freeStep", ...pliant.questions])].sort(), "a question of the module is not asked here");
    context.destroy();
  });

// A search of points of a surface, and the reference with other points: depths agree to the tolerance that both keep.
function compareDepths(found, wanted) {
  assert.equal(found.length, wanted.length);
  found.rows.forEach((row, i) => {
    assert.deepEqual([row.body, row.other], [wanted.rows[i].body, wanted.rows[i].other]);
    assert.ok(Math.abs(row.depth - wanted.rows[i].depth) <= 0.011 * row.depth && row.bound >= row.depth);
  });
}

test("spheres of soft bodies: the answers of the reference", () => {
  const stage = modules.full.context().show("soft", { detail: 6 }), [a, b] = stage.parts.map((p) => p.body), numberOf = (body) => stage.parts.findIndex((p) => p.body === body);
  let most = 0;
  for (const frame of [60, 120, 179]) {
    stage.pose(frame);
    for (const ask of [(o) => a.sphereContacts(b, o), (o) => a.sphereContacts(o), (o) => stage.scene.sphereContacts(o)]) {
      const found = facts(ask({ level: 3 }), numberOf);
      assert.deepEqual(found, facts(ask({ level: 3, reference: true }), numberOf));
      most = Math.max(most, found.length);
    }
  }
  assert.ok(most > 0);
});

// Trees and reference are read by the same code: what it reads must also be true of the meshes.
test("rows mean what they say", () => {
  const { context, bodies: [a, b], scene } = world(modules.full), at = [a.positions(), b.positions()], faces = [a.triangles(), b.triangles()];
  const sum = (...list) => [0, 1, 2].map((k) => list.reduce((s, [f, v]) => s + f * v[k], 0)), vertex = (body, v) => Array.from(at[body].subarray(3 * v, 3 * v + 3));
  const same = (x, y, text) => assert.ok(x.every((v, k) => Math.abs(v - y[k]) < 1e-9), `${text}: ${x}, ${y}`), unit = (v) => Math.abs(Math.hypot(...v) - 1) < 1e-9;
  const corners = (body, t) => Array.from(faces[body].subarray(3 * t, 3 * t + 3)), within = (p, list) => p.every((x, k) => x > Math.min(...list.map((q) => q[k])) - 1e-9 && x < Math.max(...list.map((q) => q[k])) + 1e-9);
  const count = (list, what) => assert.ok(list.length > 0, what) ?? list;
  for (const f of count([...a.near(b, { margin })], "near")) {
    const from = sum(...f.verticesB.map((v, k) => [f.weightsB[k], vertex(1, v)])), to = sum(...f.verticesA.map((v, k) => [f.weightsA[k], vertex(0, v)]));
    same(sum([1, from], [f.distance, f.normal]), to, "near");
    assert.ok(f.verticesA.every((v) => corners(0, f.triangleA).includes(v)) && f.verticesB.every((v) => corners(1, f.triangleB).includes(v)) && f.multiplicity === 1);
  }
  for (const p of count([...a.nearTriangles(b, { margin })], "near triangles")) {
    assert.ok(Math.abs(Math.hypot(...sum([1, p.pointA], [-1, p.pointB])) - p.distance) < 1e-12);
    assert.ok(within(p.pointA, corners(0, p.a).map((v) => vertex(0, v))) && within(p.pointB, corners(1, p.b).map((v) => vertex(1, v))));
  }
  for (const p of count([...a.closest(POINTS)], "closest")) {
    const [x, y, z] = corners(0, p.triangle).map((v) => vertex(0, v));
    same(p.point, sum([1 - p.u - p.v, x], [p.u, y], [p.v, z]), "closest");
  }
  [...a.cast(ORIGINS, WAYS)].forEach((h, i) => {
    if (h.triangle < 0) return;
    const [x, y, z] = corners(0, h.triangle).map((v) => vertex(0, v)), o = ORIGINS.subarray(3 * i, 3 * i + 3), d = WAYS.subarray(3 * i, 3 * i + 3);
    same(sum([1, o], [h.t, d]), sum([1 - h.u - h.v, x], [h.u, y], [h.v, z]), "cast");
    const e = sum([1, y], [-1, x]), f = sum([1, z], [-1, x]);
    same(h.normal, [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]], "normal");
  });
  for (const s of count([...a.segments(b)], "segments"))
    for (const end of [s.from, s.to]) assert.ok(s.touches && within(end, corners(0, s.triangleA).map((v) => vertex(0, v))) && within(end, corners(1, s.triangleB).map((v) => vertex(1, v))));
  const pairs = a.touching(b), given = a.segments(b, { given: pairs });
  assert.deepEqual([...given].map((s) => [s.triangleA, s.triangleB]), [...pairs]);
  for (const p of count([...a.penetrations(b)], "penetrations")) {
    same(sum([1, p.point], [p.depth, p.direction]), p.surface, "penetrations");
    assert.ok(unit(p.direction) && p.body !== p.other && within(p.point, corners(p.body === a ? 0 : 1, p.triangle).map((v) => vertex(p.body === a ? 0 : 1, v))));
  }
  for (const i of count([...a.impacts(b, { all: true })], "impacts")) assert.ok(unit(i.normal) && i.time >= 0 && i.time <= 1 && i.a === a && i.b === b && i.featureA.every((v) => v < a.vertexCount + a.triangleCount));
  const [list] = a.candidates(b).lists, met = [...a.impacts(b, { all: true })].find((i) => i.kind === "vertex-face");
  assert.ok(list.a === a && list.b === b && list.edgesA.length === 3 * a.triangleCount && list.edgeEdge.every((e, k) => e < (k % 2 ? list.edgesB : list.edgesA).length / 2));
  assert.ok(Array.from({ length: list.vertexFace.length / 2 }, (_, k) => list.vertexFace.subarray(2 * k, 2 * k + 2)).some(([v, f]) => v === met.featureA[0] && f === met.featureB[0]));
  const found = a.regions(b), joined = [...found].flatMap((r) => Array.from({ length: r.pairs.length / 2 }, (_, k) => `${r.pairs[2 * k]} ${r.pairs[2 * k + 1]}`));
  assert.deepEqual(joined.sort(), [...pairs].map(([x, y]) => `${x} ${y}`).sort());
  for (const r of count([...found], "regions")) {
    assert.equal(r.depth, Math.max(...r.sides.map((s) => s.depth)));
    same([Math.hypot(...sum([1, r.deepest], [-1, r.surface]))], [r.depth], "regions");
    assert.ok(r.ends > 0 || r.branches > 0 || r.contours.every((c) => c.closed));
    for (const c of count(r.contours, "contours")) for (let k = 0; k < c.points.length; k += 3) assert.ok(within([...c.points.subarray(k, k + 3)], [r.lower, r.upper]));
    r.sides.forEach((s, side) => {
      assert.deepEqual([...s.triangles], [...new Set(Array.from(r.pairs).filter((t, k) => k % 2 === side))].sort((x, y) => x - y));
      for (const p of s.patches) assert.ok(p.area >= 0 && p.area <= s.area && p.depth <= s.depth && [...p.triangles].every((t) => !s.triangles.includes(t)));
    });
  }
  const [box, sphere] = [{ box: [[-9, -9, -9], [9, 9, 9]] }, { sphere: [vertex(0, 3), 0] }];
  assert.deepEqual([...a.overlap(box, { sorted: true })], Array.from({ length: a.triangleCount }, (_, k) => k));
  assert.ok(count([...a.overlap(sphere)], "overlap").every((t) => corners(0, t).includes(3)));
  const flat = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 1]; // by columns: |z| <= 10
  assert.deepEqual([...a.overlap({ camera: flat }, { sorted: true })], [...a.overlap({ planes: [[1, 0, 0, 1], [-1, 0, 0, 1], [0, 1, 0, 1], [0, -1, 0, 1]] }, { sorted: true })]);
  assert.equal(scene.overlap(box).length, scene.touching().groups.length && [...scene.members.values()].reduce((s, body) => s + body.triangleCount, 0));
  context.destroy();
});

// Of two bodies, of one that folds onto itself, and of a scene; floats and doubles. The positions are those of the contract, and nothing meets.
test("free steps: bodies move until just before anything meets", () => {
  const sheet = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0], triangles = [0, 1, 2, 1, 3, 2], moved = (by) => sheet.map((x, k) => x + by[k % 3]);
  for (const Numbers of [Float32Array, Float64Array]) {
    const context = modules.full.context(), make = (by) => context.free(Numbers.from(moved(by)), triangles), [floor, high] = [make([0, 0, 0]), make([0.1, 0.2, 1])];
    const start = Numbers.from(moved([0.1, 0.2, 1])), target = Numbers.from(moved([0.1, 0.2, -1])), scene = context.scene();
    for (const body of [floor, high]) scene.add(body);
    const round = Numbers === Float32Array ? Math.fround : (x) => x;
    const inStep = (step) => Array.from(start, (x, k) => round(x + round(round(step) * round(target[k] - x))));
    assert.throws(() => high.freeStep(floor), /no body steps/);
    high.keepPose();
    high.setPositions(target);
    for (const ask of [() => high.freeStep(floor), () => scene.freeStep(), () => floor.freeStep(high, { stepping: [high] })]) {
      high.setPositions(target);
      assert.ok(high.touching(floor).length === 0);
      const step = ask();
      assert.deepEqual([step.bodies.map((b) => b === high), step.positions.length, step.positions[0].constructor], [[true], 1, Numbers]);
      assert.ok(step.safeStep > 0.3 && step.safeStep < 0.5 && step.time === 0.5 && step.tries >= 1 && step.counters.n_p > 0, `${step.safeStep}, ${step.time}`);
      assert.deepEqual([Array.from(step.positions[0]), Array.from(high.positions())], [inStep(step.safeStep), inStep(step.safeStep)]);
      assert.equal(high.touching(floor).length, 0);
    }
    // A refused step changes nothing.
    high.setPositions(target);
    assert.throws(() => high.freeStep(floor, { stepping: [high, floor] }), /no kept pose/);
    assert.throws(() => floor.freeStep({ stepping: [high] }), /not asked/);
    assert.deepEqual(Array.from(high.positions()), Array.from(target));
    high.setPositions(start);
    assert.deepEqual(Array.from(high.positions()), Array.from(start));
    // One body, whose upper triangle goes through the lower one.
    const fold = (z) => Numbers.from([0, 0, 0, 2, 0, 0, 0, 2, 0, 0.1, 0.1, z, 0.6, 0.1, z, 0.1, 0.6, z]), own = context.free(fold(1), [0, 1, 2, 3, 4, 5]);
    own.keepPose();
    own.setPositions(fold(-3));
    const step = own.freeStep();
    assert.ok(step.time === 0.25 && step.safeStep > 0.2 && step.safeStep < 0.25 && own.touching().length === 0);
    context.destroy();
  }
  const small = modules.small.context().free(Float32Array.from(sheet), triangles);
  assert.throws(() => small.freeStep(), /pliant-full\.wasm/);
});

test("options: those of the question, with right numbers; others are refused in one sentence", () => {
  const { context, bodies: [a, b], scene } = world(modules.full);
  assert.equal(a.touching(b, { first: true }).length, 1);
  assert.ok(scene.touching().length > a.touching(b).length && a.touching({ rings: 3 }).length <= a.touching().length);
  assert.ok(a.touching(b, { budgetTests: 3 }).partial && !a.touching(b, { budgetMs: 1e6 }).partial);
  const refused = [
    [() => a.touching(b, { sort: true }), /there is no option 'sort': reference, sorted, first,.* filter, given$/], [() => a.near(b, { first: true }), /near has no option first/],
    [() => a.near(b, { margin: -1 }), /the margin is not 0 or more/], [() => a.near(b, { margin: NaN }), /the margin is not 0 or more/],
    [() => a.touching({ rings: 1.5 }), /rings is 1\.5: it must be a whole number/], [() => a.cast(ORIGINS, WAYS, { mode: "best" }), /there is no ray 'best': closest, any, all/],
    [() => a.inside(POINTS, { filter: () => true }), /inside has no filter/], [() => a.measure(b.near(a, { margin })), /that near\(\) of the same body/],
    [() => a.overlap({ cube: 1 }), /one of box, sphere, planes, camera is wanted/], [() => a.overlap({ box: [[0, 0, 0], [1, 1]] }), /box: 5 numbers, 6 are wanted/],
    [() => a.touching(modules.small.context().free(new Float32Array(9), [0, 1, 2])), /of two modules/],
  ];
  for (const [call, wanted] of refused) assert.throws(call, (e) => e instanceof PliantError && wanted.test(String(e)) && !e.message.includes("\n"));
  // One least distance without `each`, with its bodies.
  const least = scene.nearest(), rows = [...scene.nearest({ each: true })];
  assert.equal(least.distance, Math.min(...rows.map((r) => r.distance)));
  assert.ok(rows.length === 4 && least.a && least.counters.n_v > 0);
  context.destroy();
});

test("filters see both bodies, inside the search; what they throw is thrown", () => {
  const { context, bodies, scene } = world(modules.full), [a, b] = bodies;
  const seen = new Set(), all = a.touching(b, { sorted: true }), even = (x, y, i, j) => seen.add(x).add(y) && (i + j) % 2 === 0;
  assert.deepEqual([...a.touching(b, { sorted: true, filter: even })], [...all].filter(([i, j]) => (i + j) % 2 === 0));
  assert.deepEqual([...seen], [a, b]);
  assert.deepEqual(scene.touching({ filter: (x, y) => x === y }).groups.map((g) => [g.a, g.b]), [[a, a]]);
  assert.equal(a.nearest(b, { filter: () => false }).distance, Infinity);
  const hit = a.cast(ORIGINS, WAYS), not = new Set([...hit].map((h) => h.triangle));
  assert.ok([...a.cast(ORIGINS, WAYS, { filter: (ray, body, triangle) => body === a && ray < 40 && !not.has(triangle) })].every((h) => h.triangle < 0 || !not.has(h.triangle)));
  assert.ok([...a.closest(POINTS, { filter: (point, body, triangle) => body === a && triangle === 5 })].every((p) => p.triangle === 5));
  const kinds = new Set();
  const faces = a.impacts(b, { all: true, filter: (f) => kinds.add(f.kind) && f.a === a && f.b === b && f.kind !== "edge-edge" });
  assert.ok(faces.length > 0 && [...faces].every((f) => f.kind !== "edge-edge") && kinds.has("edge-edge"));
  assert.throws(() => a.touching(b, { filter: () => { throw new RangeError("mine"); } }), RangeError);
  assert.throws(() => a.touching(b, { filter: () => a.touching(b).length }), /PliantError/); // no question from within
  assert.deepEqual(a.touching(b, { sorted: true }).array, all.array);
  context.destroy();
});

test("scenes: exclusions, and what has not moved is not asked again", () => {
  const { context, bodies: [a, b, c], scene } = world(modules.small), before = scene.touching({ sorted: true });
  assert.equal(scene.touching({ sorted: true }).keptPairs, before.bodyPairs);
  scene.exclude(a, b);
  assert.ok(before.groups.some((g) => g.a === a && g.b === b) && !scene.touching().groups.some((g) => g.a === a && g.b === b));
  scene.include(a, b);
  assert.deepEqual(scene.touching({ sorted: true }).array, before.array);
  assert.throws(() => scene.exclude(a, context.rigid(new Float32Array(9), [0, 1, 2])), PliantError);
  assert.equal(scene.closest(new Float64Array([9, 9, 9])).at(0).body.triangleCount, [a, b, c].at(scene.closest(new Float64Array([9, 9, 9])).member(0)).triangleCount);
  context.destroy();
});
