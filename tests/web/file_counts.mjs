// node file_counts.mjs MODULE [-s] FILE...: as file_counts.c, by the module in WebAssembly: FILE FRAME COUNT. -s: all are frames of one mesh.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { load } from "../../web/package/pliant.mjs";

// The least and greatest coordinates of the body's vertices, rounded outward to float.
const check = (body, where) => {
  const at = body.positions(Float64Array), { lower, upper } = body.box(), below = (f, x) => Math.fround(f) === f && f <= x;
  for (let k = 0; k < 3; ++k) {
    let least = Infinity, most = -Infinity;
    for (let i = k; i < at.length; i += 3) [least, most] = [Math.min(least, at[i]), Math.max(most, at[i])];
    const tight = (f, x) => below(f, x) && (f === x || next(f) > x);
    if (!tight(lower[k], least) || !tight(-upper[k], -most)) throw new Error(`${where}: the box is ${lower[k]} .. ${upper[k]} along ${"xyz"[k]}, the vertices are in ${least} .. ${most}`);
  }
};
const next = (f) => { // the float above
  const float = new Float32Array([f]), bits = new Int32Array(float.buffer);
  if (f === 0) return 2 ** -149;
  bits[0] += f > 0 ? 1 : -1;
  return float[0];
};

const [module, ...given] = process.argv.slice(2), sequence = given[0] === "-s", names = sequence ? given.slice(1) : given;
const context = (await load(readFileSync(module))).context();
for (const group of sequence ? [names] : names.map((name) => [name])) {
  const stage = context.read(group.map((name) => ({ name: basename(name), bytes: readFileSync(name) })));
  for (let frame = 0; frame < stage.frames; ++frame) {
    stage.pose(frame);
    console.log(group[0], frame, stage.touching().own);
    for (const { body } of frame % 8 ? [] : stage.parts) check(body, `${group[0]} frame ${frame}`);
  }
  stage.destroy();
}
