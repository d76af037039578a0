// node file_counts.mjs MODULE [-s] FILE...: as file_counts.c, by the module in WebAssembly: FILE FRAME COUNT. -s: all are frames of one mesh.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { load } from "../../web/package/pliant.mjs";

const [module, ...given] = process.argv.slice(2), sequence = given[0] === "-s", names = sequence ? given.slice(1) : given;
const context = (await load(readFileSync(module))).context();
for (const group of sequence ? [names] : names.map((name) => [name])) {
  const stage = context.read(group.map((name) => ({ name: basename(name), bytes: readFileSync(name) })));
  for (let frame = 0; frame < stage.frames; ++frame) {
    stage.pose(frame);
    console.log(group[0], frame, stage.collide().own);
  }
  stage.destroy();
}
