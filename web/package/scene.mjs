// Many bodies: who they are, and which of them may meet. asked.mjs has the questions.
import { Asked } from "./asked.mjs";
import { Holding } from "./life.mjs";
import { NONE, PliantError } from "./machine.mjs";

export class Scene extends Asked {
  // stage: the one that the scene belongs to; null: it is a scene of its own
  constructor(context, address, stage = null) {
    super();
    this.context = context;
    this.machine = context.machine;
    this.stage = stage;
    this.members = new Map(); // bodies by address: those of a scene live as long as it does
    this.holding = new Holding(this.machine, stage ? null : "web_scene_destroy", (stage ?? context).holding);
    this.holding.begin(this, address);
  }
  get address() { return this.holding.address; }
  open() {
    if (!this.address) throw new PliantError("the scene is destroyed");
    return this.machine;
  }
  destroy() {
    if (this.stage) throw new PliantError("the scene belongs to its stage");
    this.holding.end();
    this.members.clear();
  }
  /** self: questions of the scene are asked of the body with itself, too. */
  add(body, { self = false, group = 1, mask = NONE } = {}) {
    const m = this.open();
    m.check(m.call.web_scene_add(this.context.address, this.address, body.open() && body.address, self, group, mask));
    this.members.set(body.address, body);
  }
  remove(body) {
    const m = this.open();
    m.check(m.call.web_scene_remove(this.context.address, this.address, body.open() && body.address));
    this.members.delete(body.address);
  }
  /** Leaves a pair of bodies out of all questions of the scene. */
  exclude(a, b) { this.#exclude(a, b, true); }
  /** Ends that. */
  include(a, b) { this.#exclude(a, b, false); }
  #exclude(a, b, out) {
    const m = this.open();
    m.check(m.call.web_scene_exclude(this.context.address, this.address, a.open() && a.address, b.open() && b.address, out));
  }
  among() { return [...this.members.values()]; }
  whom() {
    return { a: 0, b: 0, scene: this.address, other: null, body: (address) => this.members.get(address) ?? null };
  }
}
