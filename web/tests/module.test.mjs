// The module under node: every query against the reference, without a tree, and what is refused.
//   node --test web/tests/module.test.mjs     WASM: pliant.wasm, DATA: the folder of example files
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { load, PliantError, sequences } from "../package/pliant.mjs";

const WASM = process.env.WASM ?? new URL("../../out/web/package/pliant.wasm", import.meta.url).pathname;
const FULL = process.env.FULL ?? WASM.replace(/\.wasm$/, "-full.wasm");
const DATA = process.env.DATA ?? new URL("../../../shared/data", import.meta.url).pathname;
const pliant = await load(readFileSync(WASM));
const text = new TextEncoder();

// A bumpy ball of 2 n^2 triangles or so, in floats or doubles.
function ball(n, { at = [0, 0, 0], bump = 0.1, type = Float32Array } = {}) {
  const xyz = new type(3 * (2 + n * (n - 1))), triangles = [];
  const put = (v, a, b) => {
    const r = 1 + bump * Math.sin(5 * a) * Math.cos(3 * b);
    xyz.set([at[0] + r * Math.sin(a) * Math.cos(b), at[1] + r * Math.cos(a), at[2] + r * Math.sin(a) * Math.sin(b)], 3 * v);
  };
  put(0, 0, 0);
  put(1, Math.PI, 0);
  for (let i = 1; i < n; ++i) for (let j = 0; j < n; ++j) put(2 + (i - 1) * n + j, (Math.PI * i) / n, (2 * Math.PI * j) / n);
  const v = (i, j) => 2 + (i - 1) * n + (j % n);
  for (let j = 0; j < n; ++j) {
    triangles.push(0, v(1, j + 1), v(1, j), 1, v(n - 1, j), v(n - 1, j + 1));
    for (let i = 1; i < n - 1; ++i) triangles.push(v(i, j), v(i, j + 1), v(i + 1, j), v(i, j + 1), v(i + 1, j + 1), v(i + 1, j));
  }
  return { xyz, triangles: Uint32Array.from(triangles) };
}
const two = (context, settings, type) => {
  const a = ball(14, { type }), b = ball(11, { at: [1.4, 0.3, 0.2], type });
  return [context.free(a.xyz, a.triangles, settings), context.free(b.xyz, b.triangles, settings), a, b];
};

test("every strategy, volume and arity finds the pairs of the reference", () => {
  const context = pliant.context();
  assert.equal(context.simd, "wasm");
  let found = 0;
  for (const strategy of ["auto", "bottom-up", "top-down", "hybrid", "inflate"])
    for (const volume of pliant.words("volume"))
      for (const arity of [2, 4, 8]) {
        const [a, b, mesh] = two(context, { strategy, volume, arity, leaf_size: 1 + (found % 8) }, arity === 4 ? Float64Array : Float32Array);
        for (let step = 0; step < 2; ++step) {
          a.setPositions(mesh.xyz.map((x) => x * (1 + 0.05 * step)));
          const pairs = a.touching(b, { sorted: true }), wanted = a.touching(b, { reference: true, sorted: true });
          assert.deepEqual(pairs.array, wanted.array);
          found += pairs.length;
        }
        a.destroy();
        b.destroy();
      }
  assert.ok(found > 1000);
  context.destroy();
});

test("distances, near pairs, rays and points agree with each other and with the reference", () => {
  const context = pliant.context(), [a, b, mesh] = two(context);
  a.setPositions(mesh.xyz.map((x) => 0.3 * x));
  const gap = a.nearest(b);
  assert.deepEqual({ ...gap, counters: 0, partial: 0 }, { ...a.nearest(b, { reference: true }), counters: 0, partial: 0 });
  assert.ok(gap.distance > 0 && Math.abs(Math.hypot(...gap.pointA.map((v, k) => v - gap.pointB[k])) - gap.distance) < 1e-12);
  const near = [...a.nearTriangles(b, { margin: 1.1 * gap.distance, sorted: true })];
  assert.equal(Math.min(...near.map((p) => p.distance)), gap.distance);
  assert.ok(near.some((p) => p.a === gap.triangleA && p.b === gap.triangleB));
  assert.equal(a.nearTriangles(b, { margin: 0.9 * gap.distance }).length, 0);
  const hits = a.cast([0, 0, -5, 0, 9, -5], [0, 0, 1, 0, 0, 1]);
  assert.ok(hits.triangle(0) >= 0 && Math.abs(hits.t(0) - 4.7) < 0.06 && hits.triangle(1) === -1 && hits.t(1) === Infinity);
  const all = a.cast([0.01, 0.02, -5], [0, 0, 1], { mode: "all" });
  assert.deepEqual([...all.first], [0, 2]);
  const points = new Float64Array([0, 0, 0, 5, 0, 0]), inside = a.inside(points), signed = a.signedDistance(points), closest = a.closest(points);
  assert.equal(inside.closure, "closed");
  assert.deepEqual([inside.side(0), inside.side(1)], ["inside", "outside"]);
  assert.equal(signed.distance(0), -closest.distance(0));
  assert.ok(Math.abs(closest.distance(1) - 4.7) < 0.06);
  context.destroy();
});

test("rigid, morphing, skinned and subdivided bodies are where they say", () => {
  const context = pliant.context(), { xyz, triangles } = ball(8), count = xyz.length / 3;
  const still = context.free(xyz, triangles), rigid = context.rigid(xyz, triangles);
  rigid.setTransform([1, 0, 0, 0, 1, 0, 0, 0, 1, 1.5, 0, 0]);
  const wanted = rigid.touching(still, { sorted: true }).array;
  assert.ok(wanted.length > 0 && rigid.motion === "rigid");
  assert.deepEqual(Array.from(rigid.positions()), Array.from(xyz, (v, i) => v + (i % 3 === 0 ? 1.5 : 0)));
  rigid.setTransform([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1.5, 0, 0, 1]); // the same by columns
  assert.deepEqual(rigid.touching(still, { sorted: true }).array, wanted);
  const skin = context.skin(xyz, triangles, { bones: 2, perVertex: 2, governors: Uint32Array.from({ length: 2 * count }, (_, i) => i % 2), weights: new Float64Array(2 * count).fill(0.5) });
  skin.setBones([1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 0]);
  assert.deepEqual(skin.touching(still, { sorted: true }).array, wanted);
  const far = xyz.map((v, i) => v + (i % 3 === 0 ? 3 : 0)), morph = context.morph([xyz, far], triangles);
  morph.setWeights([0.5, 0.5]);
  assert.equal(morph.motion, "morph");
  assert.deepEqual(Array.from(morph.positions(Float32Array)), Array.from(morph.positions(), Math.fround));
  assert.ok(morph.touching(still).length > 0);
  const smooth = context.subdivide(xyz, triangles, { levels: 1 });
  assert.equal(smooth.triangleCount, 4 * triangles.length / 3);
  smooth.setControls(xyz.map((v) => 2 * v));
  assert.ok(smooth.box().upper[0] > 1.5);
  for (const body of [still, rigid, skin, morph, smooth]) body.validate();
  context.destroy();
});

test("meshes are edited by the full module, and the small one says so", async () => {
  const full = await load(readFileSync(FULL)), context = full.context(), { xyz, triangles } = ball(8);
  const a = context.free(xyz, triangles, { grows: true }), b = context.free(xyz.map((x) => x + 0.7), triangles), still = context.free(xyz, triangles);
  const count = a.vertexCount, faces = a.triangleCount, v = triangles[0], around = [];
  for (let t = 0; t < faces; ++t) if (triangles.subarray(3 * t, 3 * t + 3).includes(v)) around.push(t);
  a.edit({
    vertices: new xyz.constructor([0, 3, 0, 1, 3, 0, 0, 3, 1]), split: [[v, around.slice(0, 2)]], removedTriangles: [faces - 1], changed: [[faces - 2, [1, 2, 5]]],
    added: [[count, count + 1, count + 2]], merged: [[9, 10]],
  });
  assert.deepEqual([a.vertexCount, a.triangleCount], [count + 4, faces + 1]);
  const now = a.triangles();
  assert.deepEqual([...now.subarray(-3)], [count, count + 1, count + 2]);
  assert.ok(now.indexOf(count + 3) >= 0 && !now.includes(9) && now[3 * (faces - 1)] === 0xffffffff);
  assert.deepEqual(a.touching(b, { sorted: true }).array, a.touching(b, { sorted: true, reference: true }).array);
  a.setPositions(a.positions());
  a.validate();
  assert.throws(() => still.edit({ split: [[v, around]] }), /borrows its positions/);
  still.edit({ removedTriangles: [3] });
  assert.throws(() => a.edit({ removedTriangles: [faces - 1] }), /does not have/);
  assert.throws(() => a.edit({ changed: [[0, [1, 2]]] }), /three corners/);
  const skin = context.skin(xyz, triangles, { bones: 1, perVertex: 1, governors: new Uint32Array(count), weights: new Float64Array(count).fill(1) });
  skin.edit({ vertices: new Float64Array([0, 3, 0]), governors: [0], weights: [1], added: [[0, 1, count]] });
  skin.setBones([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0]);
  assert.equal(skin.positions()[3 * count + 1], 5);
  context.destroy();
  const small = pliant.context(), [c] = two(small);
  assert.throws(() => c.edit({ removedTriangles: [0] }), /pliant-full/);
  small.destroy();
});

test("bodies turn on screws and have a thickness", async () => {
  const full = await load(readFileSync(FULL)), context = full.context();
  const bar = context.rigid(new Float32Array([0, 0, -0.1, 2, 0, -0.1, 0, 0, 0.1]), [0, 1, 2]);
  const post = context.free(new Float32Array([0, 1.5, -1, 0, 1.5, 1, 0, 1.6, 1]), [0, 1, 2]);
  const half = [-1, 0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0];
  for (const body of [bar, post]) body.keepPose();
  bar.setTransform(half);
  assert.equal(bar.impacts(post).length, 0); // straight through the axis
  bar.setScrew([0, 0, 1], [0, 0, 0], Math.PI);
  const { time } = bar.impacts(post);
  assert.ok(time <= 0.5 && time > 0.49);
  bar.setScrew([0, 0, 1], null, -Math.PI);
  assert.equal(bar.impacts(post).length, 0); // the other way round
  bar.setScrew();
  assert.throws(() => post.setScrew(), /^PliantError: .*transform/);
  assert.throws(() => bar.setScrew([0, 1]), /three numbers each/);
  bar.dropPose();
  assert.equal(bar.near(post, { margin: 0.1 }).length, 0);
  bar.setThickness(1.4);
  post.setThickness(0.05, [0.2, 0.2, 0.2]);
  assert.ok(bar.near(post, { margin: 0 }).length > 0);
  assert.throws(() => bar.setThickness(-1), /^PliantError/);
  assert.throws(() => bar.setThickness(0, [1]), /1 for 3 vertices/);
  context.destroy();
});

test("impacts are in the full module, and the small one says so", async () => {
  const full = await load(readFileSync(FULL)), context = full.context(), [a, b, mesh] = two(context);
  a.setPositions(mesh.xyz.map((x, i) => 0.3 * x - (i % 3 ? 0 : 1)));
  a.keepPose();
  b.keepPose();
  a.setPositions(mesh.xyz.map((x, i) => 0.3 * x + (i % 3 ? 0 : 0.55)));
  const impact = a.impacts(b);
  assert.ok(impact.time > 0 && impact.time < 1 && impact.safeStep < impact.time && impact.length === 1 && impact.at(0).time === impact.time);
  assert.ok(full.words("feature").includes(impact.at(0).kind));
  a.dropPose();
  assert.equal(a.impacts(b).length, 0);
  context.destroy();
  const small = pliant.context(), [c, d] = two(small);
  for (const call of [() => c.keepPose(), () => c.impacts(d)]) assert.throws(call, /^PliantError: this module has no impacts: .*pliant-full\.wasm/);
  for (const strategy of ["kinetic", "boxtree", "match"])
    assert.throws(() => small.free(mesh.xyz, mesh.triangles, { strategy }), /a free body cannot be updated by/);
  small.destroy();
});

test("self-contacts and scenes", () => {
  const context = pliant.context(), stage = context.show("crumple", { detail: 24 });
  stage.pose(99);
  const { body } = stage.parts[0], wanted = body.touching({ reference: true }).array;
  assert.ok(wanted.length > 0);
  for (const method of ["auto", "cones", "boxes"]) assert.deepEqual(body.touching({ method, sorted: true }).array, wanted);
  assert.deepEqual(body.touching(body, { sorted: true }).array, wanted); // a body and itself
  assert.equal(stage.touching().own, wanted.length / 2);
  assert.throws(() => body.touching({ method: "guess" }), /there is no self 'guess'/);
  assert.throws(() => body.destroy(), /belongs to its stage/);
  const [a, b, mesh] = two(context);
  a.setPositions(mesh.xyz.map((x, i) => 0.3 * x + (i % 3 ? 0 : 0.55)));
  const scene = context.scene();
  scene.add(a);
  scene.add(b, { self: true });
  const contacts = scene.touching();
  assert.equal(contacts.length, a.touching(b).length);
  assert.ok(contacts.groups.length === 1 && contacts.groups[0].a === a && contacts.groups[0].b === b);
  assert.equal(scene.nearest().distance, 0);
  assert.equal(scene.cast([5, 0.3, 0.2], [-1, 0, 0]).member(0), 1);
  scene.remove(b);
  assert.deepEqual([scene.nearest().a, scene.nearest().distance], [null, Infinity]);
  context.destroy();
});

test("what is wrong is refused in one sentence, and nothing changes", () => {
  const context = pliant.context(), [a, b, mesh] = two(context), before = a.touching(b, { sorted: true }).array;
  const bad = mesh.xyz.slice();
  bad[21] = NaN;
  assert.throws(() => a.setPositions(bad), (e) => e instanceof PliantError && /vertex 7/.test(e.message));
  assert.deepEqual(a.touching(b, { sorted: true }).array, before);
  assert.throws(() => a.setPositions(mesh.xyz.subarray(3)), PliantError);
  assert.throws(() => a.setPositions([1, 2, 3]), /Float32Array/);
  assert.throws(() => context.free(mesh.xyz, [0, 1, 9999]), /9999/);
  assert.throws(() => context.free(mesh.xyz, [0, 1]), /three of each/);
  assert.throws(() => context.free(mesh.xyz, mesh.triangles, { strategy: "guess" }), /guess/);
  assert.throws(() => context.free(mesh.xyz, mesh.triangles, { arity: 3 }), PliantError);
  assert.throws(() => context.rigid(mesh.xyz, mesh.triangles, { strategy: "blend" }), PliantError);
  assert.throws(() => a.setWeights([1]), PliantError);
  assert.throws(() => a.cast([0, 0, 0], [0, 0, 0]), PliantError);
  a.destroy();
  a.destroy();
  assert.throws(() => a.touching(b), /destroyed/);
  assert.throws(() => b.touching(a), /destroyed/);
  context.destroy();
  assert.throws(() => context.scene(), /destroyed/);
});

test("volumes are current where a query went, and cover everything below them", () => {
  const context = pliant.context(), [a, b, mesh] = two(context, { strategy: "top-down" });
  a.setPositions(mesh.xyz.map((x) => 1.01 * x));
  a.touching(b);
  const { levels } = a.volumes(0), seen = new Set();
  for (let level = 0; level < levels; ++level) {
    const v = a.volumes(level);
    for (const fresh of v.fresh) seen.add(fresh);
    assert.equal(v.boxes.length, 6 * v.count);
  }
  assert.ok(seen.has(0) && seen.has(2), "some are refitted on demand, some are untouched");
  const full = a.volumes(1, { refit: true });
  assert.ok([...full.fresh].every((f) => f > 0));
  assert.equal(full.triangles.reduce((s, n) => s + n, 0), a.triangleCount);
  context.destroy();
});

test("memory that grows does not disturb bodies, and destroyed contexts give it back", () => {
  let size = 0;
  for (let round = 0; round < 6; ++round) {
    const context = pliant.context(), [a, b] = two(context), before = a.touching(b, { sorted: true }).array;
    const large = context.show("bodies");
    large.pose(100);
    assert.ok(large.touching().contacts > 0);
    assert.deepEqual(a.touching(b, { sorted: true }).array, before);
    context.destroy();
    if (round === 1) size = pliant.machine.memory.buffer.byteLength;
  }
  assert.equal(pliant.machine.memory.buffer.byteLength, size);
});

// Collects until what is wanted holds: owners are found unreachable in one turn, and what they hold ends in a later one.
async function collect(wanted) {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  for (let i = 0; i < 50 && !wanted(); ++i) {
    gc();
    await new Promise((done) => setTimeout(done, 2));
  }
  assert.ok(wanted());
}

test("dropped bodies, scenes, stages and contexts give their memory back", async () => {
  const fresh = await load(readFileSync(WASM)), context = fresh.context(), mesh = ball(40), size = () => fresh.machine.memory.buffer.byteLength;
  const make = (count) => {
    for (let i = 0; i < count; ++i) {
      const scene = context.scene(), body = context.free(mesh.xyz, mesh.triangles), other = fresh.context().rigid(mesh.xyz, mesh.triangles);
      scene.add(body);
      body.setPositions(mesh.xyz);
      scene.cast([0, 0, -5], [0, 0, 1]);
      other.touching();
      context.show("cloth", { detail: 8 }).touching();
    }
  };
  let before = 0;
  for (let round = 0; round < 6; ++round) {
    make(8);
    await collect(() => context.holding.inside.size === 0);
    if (round === 1) before = size();
  }
  assert.equal(size(), before, "six rounds take what two do");
  context.destroy();
});

test("what can still be asked for is not dropped", async () => {
  const context = pliant.context(), mesh = ball(10);
  const scene = (() => {
    const to = context.scene();
    for (const by of [0, 0.5]) to.add(context.free(mesh.xyz.map((x) => x + by), mesh.triangles));
    return to;
  })();
  const { body } = context.read([file("a.obj", OBJ)]).parts[0], xyz = context.read([file("b.obj", OBJ)]).parts[0].positions();
  const held = context.holding.inside.size;
  (() => { context.free(mesh.xyz, mesh.triangles); })();
  await collect(() => context.holding.inside.size === held);
  for (let i = 0; i < 20; ++i) context.read([file("c.obj", OBJ.replaceAll("v 1", "v 7"))]).destroy(); // what would fill freed memory
  const contacts = scene.touching();
  assert.ok(contacts.length > 0 && contacts.groups[0].a.triangleCount === mesh.triangles.length / 3);
  assert.deepEqual(Array.from(body.positions()), [0, 0, 0, 1, 0, 0, 0, 1, 0]);
  assert.deepEqual(Array.from(xyz), [0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const settled = context.read([file("a.obj", OBJ)]);
  assert.throws(() => settled.settle({ strategy: "guess" }), /guess/);
  assert.equal(settled.parts[0].body.triangleCount + settled.scene.cast([0.1, 0.1, -1], [0, 0, 1]).length, 2, "refused settings change nothing");
  context.destroy();
});

const file = (name, content) => ({ name, bytes: typeof content === "string" ? text.encode(content) : content });
const OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

test("files: bodies, sequences, and sentences for broken ones", () => {
  const context = pliant.context();
  const moved = OBJ.replaceAll(" 0 0\n", " 0 0.25\n");
  const stage = context.read([file("b_10.obj", moved), file("b_2.obj", OBJ), file("table.obj", "v 0 0 -1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n")]);
  assert.deepEqual(stage.parts.map((p) => p.name), ["b_2.obj", "table.obj"]);
  assert.equal(stage.frames, 2);
  assert.equal(stage.touching().contacts, 1);
  assert.deepEqual(sequences(["a2.ply", "a10.ply", "c.ply", "a1.ply"]), [["a1.ply", "a2.ply", "a10.ply"], ["c.ply"]]);
  // Two triangles with vertices of their own along a seam are welded: no self-contact.
  const seam = context.read([file("seam.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n")]);
  assert.equal(seam.touching().contacts, 0);
  // The same by hand, by the same rule: 0 is -0, and what moves a vertex counts too.
  const at = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, -0, 0, 1, 0, 1, 1, 0]), halves = [0, 1, 2, 3, 5, 4];
  assert.deepEqual([...context.weld(at, halves)], [0, 1, 2, 1, 5, 2]);
  const later = at.slice();
  later[12] = 7;
  assert.deepEqual([...context.weld(at, halves, { poses: [later] })], [0, 1, 2, 1, 5, 4]);
  assert.deepEqual([...context.weld(at, halves, { perVertex: 1, governors: [0, 0, 0, 1, 0, 0], weights: [1, 1, 1, 1, 1, 1] })], [0, 1, 2, 3, 5, 2]);
  assert.throws(() => context.weld(at, halves, { poses: [later.subarray(3)] }), /another size/);
  assert.throws(() => context.weld(at, [0, 1, 6]), /vertex 6/);
  for (const [name, content, wanted] of [
    ["broken.obj", "v 0 0\n", /^broken\.obj:1: /], ["empty.stl", "", /empty\.stl.*is empty/], ["bad.ply", "ply\nformat ascii 1.0\n", /bad\.ply/],
    ["cut.glb", "glTF\x02\0\0\0\x20\0\0\0", /cut\.glb.*cut short/], ["bad.gltf", "{\"asset\": {\"version\": 2", /bad\.gltf:1: its JSON is broken/],
    ["picture.jpg", "\xff\xd8", /picture\.jpg.*is no OBJ, PLY, STL, OFF or glTF/], ["index.obj", "v 0 0 0\nf 1 2 3\n", /index\.obj:2: /],
  ])
    assert.throws(() => context.read([file(name, content)]), (e) => e instanceof PliantError && wanted.test(e.message) && !e.message.includes("\n"), name);
  assert.throws(() => context.read([file("a1.obj", OBJ), file("a2.obj", OBJ + "v 1 1 1\n")]), /a2\.obj.*all frames need the same/);
  const gltf = JSON.stringify({ asset: { version: "2.0" }, buffers: [{ uri: "far%20away.bin", byteLength: 36 }], bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], nodes: [{ mesh: 0, name: "one" }] });
  const bytes = new Uint8Array(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  assert.throws(() => context.read([file("scene.gltf", gltf)]), /far away\.bin.*is not there; drop it/);
  assert.equal(context.read([file("scene.gltf", gltf), file("far away.bin", bytes)]).parts[0].name, "one");
  context.destroy();
});

test("the example files play as the command says", { skip: !existsSync(DATA) }, () => {
  const context = pliant.context();
  for (const [folder, bodies, motion, frames] of [["Fox", 1, "skin", 2], ["AnimatedMorphCube", 1, "morph", 2], ["BoxAnimated", 2, "rigid", 2], ["CesiumMilkTruck", 3, "rigid", 2]]) {
    const path = [`${folder}/${folder}.glb`, `${folder}/glTF-Binary/${folder}.glb`, `${folder}.glb`].map((p) => join(DATA, "gltf", p)).find(existsSync);
    if (!path) continue;
    const stage = context.read([{ name: `${folder}.glb`, bytes: readFileSync(path) }]);
    assert.ok(stage.frames >= frames && stage.parts[stage.parts.length - 1].body.motion === motion, folder);
    for (const frame of [0, stage.frames >> 1, stage.frames - 1]) {
      stage.pose(frame);
      const { contacts, own } = stage.touching();
      let wanted = 0;
      for (const part of stage.parts) wanted += part.body.touching({ reference: true }).length;
      assert.equal(own, wanted);
      assert.ok(contacts >= own);
    }
    // Every strategy, also those that this motion does not have, gives the same contacts.
    const before = stage.touching().contacts;
    for (const strategy of ["bottom-up", "inflate", "top-down", "blend", "governed"]) {
      stage.settle({ strategy });
      assert.equal(stage.touching().contacts, before, `${folder} ${strategy}`);
    }
    stage.destroy();
  }
  context.destroy();
});

test("numbers in messages are those of C", () => {
  const context = pliant.context(), b = ball(5), body = context.morph([b.xyz, b.xyz], b.triangles);
  const said = (weights) => { try { body.setWeights(weights); return ""; } catch (error) { return error.message; } };
  assert.match(said([0.5, 0.25]), /add up to 0\.75:/);
  assert.match(said([-1e-7, 1]), /is -1e-07: it must be from 0 to 1/);
  assert.match(said([123456789, 1]), /is 1\.23457e\+08:/);
  assert.match(said([NaN, 1]), /nan/);
  assert.match(said([0.1, 0.1 + 0.2]), /add up to 0\.4:/);
  // Settings and files go the other way.
  for (const number of ["0.1", "1e-3", "12.5e-1", "3"]) context.free(b.xyz, b.triangles, { strategy: "inflate", p_max: Number(number) });
  const obj = text.encode("v 0.1 -1.5e-3 1234567890123456789012345\nv 1 0 4.9406564584124654e-324\nv 0 1 179769313486231580793e288\nf 1 2 3\n");
  const stage = context.read([{ name: "a.obj", bytes: obj }]);
  assert.deepEqual(Array.from(stage.parts[0].body.positions()), [0.1, -1.5e-3, 1234567890123456789012345, 1, 0, 4.9406564584124654e-324, 0, 1, 179769313486231580793e288]);
});

test("scenes with edits are in the module with all methods, and say what auto chose", async () => {
  assert.throws(() => pliant.context().show("tear"), /pliant-full/);
  const context = (await load(readFileSync(FULL))).context();
  for (const name of ["tear", "carve"]) {
    assert.ok(context.shows().includes(name));
    const stage = context.show(name, { detail: 8 }), [{ body }] = stage.parts, before = stage.edits;
    for (const frame of [0, 250, 420, 60, 499]) {
      stage.pose(frame);
      assert.equal(stage.touching().contacts, body.touching({ reference: true }).array.length / 2);
    }
    assert.ok(stage.edits > before);
    const { choice, reason, costs } = body.explain();
    assert.ok(["upper", "none", "whole"].includes(choice) && reason.length > 10 && costs.whole > 0 && costs.own === 0, JSON.stringify({ choice, reason, costs }));
    stage.destroy();
  }
});

test("soft bodies are in the module with all methods", async () => {
  const context = pliant.context();
  assert.ok(!context.shows().includes("soft"));
  assert.throws(() => context.show("soft"), /pliant-full/);
  const full = (await load(readFileSync(FULL))).context(), stage = full.show("soft", { detail: 6 });
  assert.ok(full.shows().includes("soft"));
  let most = 0;
  for (let frame = 0; frame < stage.frames; frame += 10) {
    stage.pose(frame);
    most = Math.max(most, stage.touching().contacts);
    if (frame % 50) continue;
    const [a, b] = stage.parts.map((p) => p.body);
    assert.deepEqual(a.touching(b, { sorted: true }).array, a.touching(b, { reference: true }).array);
  }
  assert.ok(most > 0);
});
