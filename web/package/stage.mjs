// Bodies that play: of files, or of the built-in scenes.
import { Body } from "./body.mjs";
import { Holding, viewOf } from "./life.mjs";
import { countersAt, PliantError } from "./machine.mjs";
import { Scene } from "./scene.mjs";

// name_0012.obj and name_0013.obj are frames of one mesh, in the order of their numbers.
export function sequences(names) {
  const groups = new Map();
  for (const name of names) {
    const found = /^(.*?)(\d+)(\D*)$/.exec(name);
    const key = found ? `${found[1]}#${found[3]}` : name;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push({ name, number: found ? BigInt(found[2]) : 0n });
  }
  return [...groups.values()].map((list) => list.sort((a, b) => (a.number < b.number ? -1 : a.number > b.number ? 1 : 0)).map((f) => f.name));
}

/** Names of files that are glTF scenes, and of those that are meshes; what lies beside them belongs to them: buffers, pictures, materials. */
export function models(names) {
  const scenes = names.filter((name) => /\.(glb|gltf)$/i.test(name));
  const meshes = names.filter((name) => !scenes.includes(name) && !(scenes.length && /\.(bin|png|jpe?g|ktx2|webp)$/i.test(name)) && !/\.mtl$/i.test(name));
  return { scenes, meshes };
}

const CUT = ["tear", "carve"]; // of cut.c

/** Bodies that are posed frame by frame, of files or of a built-in scene. */
export class Stage {
  constructor(context, address) {
    this.context = context;
    this.machine = context.machine;
    this.holding = new Holding(this.machine, "web_stage_destroy", context.holding);
    this.holding.begin(this, address);
  }
  get address() { return this.holding.address; }
  static #open(context, address, settings, complete) {
    const m = context.machine, stage = new Stage(context, address || m.fail());
    try {
      complete?.(stage);
      stage.settle(settings);
    } catch (error) {
      stage.destroy();
      throw error;
    }
    return stage;
  }
  static show(context, name, detail, settings) {
    const m = context.open();
    if (name === "soft") {
      m.needs("web_stage_soft", "soft bodies");
      return Stage.#open(context, m.call.web_stage_soft(context.address, detail), settings);
    }
    if (CUT.includes(name)) m.needs("web_stage_cut", "scenes with edits");
    const open = CUT.includes(name) ? m.call.web_stage_cut : m.call.web_stage_show;
    return Stage.#open(context, m.copy(name, (at) => open(context.address, at, detail)), settings);
  }
  static files(context, files, settings) {
    const m = context.open();
    try {
      for (const { name, bytes } of files) {
        const at = m.copy(name, (text) => m.call.web_files_add(text, bytes.byteLength));
        if (!at) throw new PliantError(`${name}: out of memory: its ${bytes.byteLength} bytes do not fit`);
        m.u8(at, bytes.byteLength).set(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      }
      const { scenes, meshes } = models(files.map((file) => file.name.replace(/^.*\//, "")));
      return Stage.#open(context, m.call.web_stage_files(context.address), settings, (stage) => {
        for (const name of scenes) m.check(m.copy(name, (at) => m.call.web_stage_add_gltf(stage.address, at)));
        for (const list of sequences(meshes))
          list.forEach((name, i) => m.check(m.copy(name, (at) => m.call.web_stage_add_mesh(stage.address, at, i > 0))));
        m.check(m.call.web_stage_complete(stage.address));
      });
    } finally {
      m.call.web_files_clear();
    }
  }
  open() {
    if (!this.address) throw new PliantError("the stage is destroyed");
    return this.machine;
  }
  destroy() { this.holding.end(); }
  /** Makes the bodies again with other settings; those that do not suit a body are replaced, and `fallback` says so. */
  settle(settings) {
    const m = this.open();
    const settled = m.copy(this.context.settings(settings), (at) => m.call.web_stage_settle(this.address, at));
    m.call.web_stage_about(this.address);
    if (settled || !m.result(7)[5]) this.holding.endInside(); // settings that are refused leave the bodies
    m.check(settled);
    this.#read();
  }
  #read() {
    const m = this.machine;
    m.call.web_stage_about(this.address);
    const r = m.result(8).slice();
    [, this.frames, this.fps, this.frame] = r;
    this.edits = r[7];
    this.fallback = !!r[4];
    this.note = m.text(r[6]);
    this.scene = new Scene(this.context, r[5], this);
    this.parts = Array.from({ length: r[0] }, (_, i) => {
      m.call.web_stage_part_about(this.address, i);
      const p = m.result(8).slice(), body = new Body(this.context, this).begin(p[1]);
      this.scene.members.set(body.address, body);
      return {
        name: m.text(p[0]), body, self: !!p[7], triangleCount: p[5], vertexCount: p[6],
        /** Views of the module's memory: valid until it grows. */
        triangles: () => viewOf(this, this.open().u32(p[2], 3 * p[5])),
        positions: () => {
          m.check(this.open().call.web_stage_draw(this.address, i));
          return viewOf(this, m.f32(p[3], 3 * p[6]));
        },
        marks: () => viewOf(this, this.open().u8(p[4], p[5])),
      };
    });
  }
  get animations() {
    const m = this.open();
    return Array.from({ length: m.call.web_stage_animations(this.address) }, (_, i) => m.text(m.call.web_stage_animation_name(this.address, i)));
  }
  chooseAnimation(index) {
    const m = this.open();
    m.check(m.call.web_stage_choose_animation(this.address, index));
    m.call.web_stage_about(this.address);
    this.frames = m.result(7)[1];
    this.frame = 0;
  }
  pose(frame) {
    const m = this.open();
    m.check(m.call.web_stage_pose(this.address, frame));
    this.frame = frame;
    m.call.web_stage_about(this.address);
    const edits = m.result(8)[7]; // another number than before: the triangles of a part have changed
    if (edits !== this.edits) for (const { body } of this.parts) body.recount();
    this.edits = edits;
  }
  /** Counts of contacts; the triangles are in the marks of the parts: bit 0 touches another body, bit 1 its own. */
  touching({ first = false } = {}) {
    const m = this.open();
    m.check(m.call.web_stage_touching(this.address, first));
    const r = m.result(9);
    return { contacts: r[0], own: r[1], bodyPairs: r[2], counters: countersAt(r, 3) };
  }
}
