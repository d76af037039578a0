// Parts of the viewer that need no browser: times as text, the camera's fit and zoom, and what an address may say.
//   node --test web/tests/viewer.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { cameraOf, wholeNumber } from "../viewer/address.mjs";
import { Camera } from "../viewer/camera.mjs";
import { nextFinding } from "../viewer/findings.mjs";
import { Times } from "../viewer/times.mjs";
import { clockStep, duration } from "../viewer/words.mjs";

test("times have three digits and a unit that suits them", () => {
  for (const [ms, text] of [[3880, "3.88 s"], [999.6, "1.00 s"], [999.4, "999 ms"], [38.84, "38.8 ms"], [0.9996, "1.00 ms"], [0.4, "400 µs"], [0.0949, "94.9 µs"],
    [0.005, "5.00 µs"], [0.0001, "0.10 µs"], [60000, "60.0 s"], [3.6e6, "3\u202f600 s"]])
    assert.equal(duration(ms), text);
  assert.equal(duration(0, 0.1), "< 100 µs");
  assert.equal(duration(0), "0 ms");
});

test("next and previous go through the places that fail, in the order of time", () => {
  const [a, b, c, d, known] = [[0, 20, true], [0, 5, true], [1, 3, true], [0, 20, true], [0, 1, false]].map(([animation, worst, fails]) => ({ animation, worst, fails }));
  const list = [a, b, c, d, known]; // the deepest first, as on the page; in time: b, a, d, c
  const round = (by) => { // all of them once, from the one that is shown first
    const seen = [a];
    for (let now = a, f; (f = nextFinding(list, { finding: now, frame: now.worst }, now.animation, now.worst, by)) !== a; now = f) seen.push(f);
    return seen;
  };
  assert.deepEqual(round(1), [a, d, c, b]);
  assert.deepEqual(round(-1), [a, b, c, d]);
  assert.equal(nextFinding(list, null, 0, 6, 1), a);
  assert.equal(nextFinding(list, { finding: a, frame: 20 }, 0, 6, -1), b, "the frame was changed since");
  assert.equal(nextFinding(list, null, 1, 9, 1), b, "around the end");
  assert.equal(nextFinding(list, null, 0, 0, -1), c);
  assert.equal(nextFinding([known], null, 0, 0, 1), known, "where none fails, all of them");
  assert.equal(nextFinding([], null, 0, 0, 1), null);
});

test("the clock's step is its least difference", () => {
  let calls = 0;
  assert.ok(Math.abs(clockStep(() => Math.floor(++calls / 7) * 0.1) - 0.1) < 1e-9);
});

test("the first time of a frame counts only as long as there is no other", () => {
  const times = new Times();
  times.add({ msUpdate: 30, msQuery: 9 });
  assert.equal(times.mean(), 39);
  assert.ok(times.askAgain(() => ({ msUpdate: 1, msQuery: 1 })));
  assert.equal(times.mean(), 2);
  while (times.askAgain(() => ({ msUpdate: 0, msQuery: 0 })));
  times.forget();
  times.add({ msUpdate: 0, msQuery: 0 });
  times.askAgain(() => ({ msUpdate: 0, msQuery: 0 }));
  assert.ok(times.mean() === 0 && times.atMost() > 0 && Number.isFinite(times.atMost()));
});

const canvas = (clientWidth, clientHeight) => ({ clientWidth, clientHeight, addEventListener() {}, getBoundingClientRect: () => ({ left: 10, top: 20, width: clientWidth, height: clientHeight }) });
// Where a point is in the picture, from -1 to 1.
function seen(camera, p) {
  const m = camera.matrix(), [x, y, , w] = [0, 1, 2, 3].map((i) => [...p, 1].reduce((s, v, j) => s + m[4 * j + i] * v, 0));
  return [x / w, y / w, w];
}

test("a fit just fills the picture, whatever its shape, and cuts nothing off", () => {
  let random = 1;
  const next = () => (random = (random * 16807) % 2147483647) / 2147483647;
  for (const [width, height] of [[980, 626], [390, 400], [540, 290], [100, 900], [900, 100]])
    for (const shape of [[1, 1, 1], [0.2, 2, 0.2], [5, 0.1, 0.1], [0.1, 0.1, 9], [0, 3, 0]])
      for (const [turn, tilt, shift] of [[-0.75, 0.3, 0], [2, -1.2, 1000], [0, 0, -7]]) {
        const camera = new Camera(canvas(width, height), () => {}), count = 60, all = Uint32Array.from({ length: count }, (_, i) => i);
        const xyz = Float64Array.from({ length: 3 * count }, (_, i) => shift + shape[i % 3] * (next() - 0.5));
        Object.assign(camera, { turn, tilt });
        const extent = camera.extent();
        extent.add(xyz, all);
        camera.fit(extent);
        let most = 0;
        for (let i = 0; i < count; ++i) {
          const [x, y, w] = seen(camera, xyz.subarray(3 * i, 3 * i + 3));
          assert.ok(w > 0);
          most = Math.max(most, Math.abs(x), Math.abs(y));
        }
        assert.ok(most < 0.9, `cut off: ${most}`);
        assert.ok(most > 0.8 || (shape[2] === 9 && turn === 0), `small: ${most} for ${shape}`); // but for a line towards the eye
      }
});

test("nearer and farther leave what is under the mouse where it is", () => {
  const camera = new Camera(canvas(800, 500), () => {}), { origin, direction } = camera.ray(200, 130);
  for (const depth of [0.6, 1, 1.7]) {
    const point = origin.map((v, k) => v + depth * camera.distance * direction[k]);
    camera.pick = () => (depth === 1 ? null : point);
    for (const factor of [0.5, 0.7, 3, 1.1]) {
      const before = seen(camera, point);
      camera.nearer(factor, 200, 130);
      assert.ok(depth === 1 || seen(camera, point).slice(0, 2).every((v, k) => Math.abs(v - before[k]) < 1e-5));
    }
    Object.assign(camera, { distance: 4, target: [0, 0, 0] });
  }
});

test("an address may say anything", () => {
  for (const [text, wanted] of [["-5", 0], ["7", 7], ["7.9", 7], ["99", 9], ["x", 0], [undefined, 0], ["Infinity", 9], ["-Infinity", 0], ["", 0]]) assert.equal(wholeNumber(text, 0, 9), wanted);
  assert.equal(cameraOf("1,2,3,4,5"), null);
  assert.equal(cameraOf("1,2,0,4,5,6"), null);
  assert.equal(cameraOf(undefined), null);
  assert.deepEqual(cameraOf("1,2,3,4,5,6"), { turn: 1, tilt: 2, distance: 3, target: [4, 5, 6] });
});
