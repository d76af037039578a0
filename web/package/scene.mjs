// Many bodies, and all their contacts in one call.
import { countersAt, flags, NONE, PliantError } from "./machine.mjs";
import { cast, distanceAt } from "./results.mjs";

export class Scene {
  constructor(context, address) {
    this.context = context;
    this.machine = context.machine;
    this.address = address;
    this.rays = this.raysBytes = 0;
    context.owned.add(this);
  }
  open() {
    if (!this.address) throw new PliantError("the scene is destroyed");
    return this.machine;
  }
  destroy() {
    if (!this.address) return;
    this.machine.call.web_scene_destroy(this.address);
    this.machine.release(this.rays);
    this.context.owned.delete(this);
    this.address = 0;
  }
  /** self: the body's contacts with itself are reported too. */
  add(body, { self = false, group = 1, mask = NONE } = {}) {
    const m = this.open();
    m.check(m.call.web_scene_add(this.context.address, this.address, body.open() && body.address, self, group, mask));
  }
  remove(body) {
    const m = this.open();
    m.check(m.call.web_scene_remove(this.context.address, this.address, body.open() && body.address));
  }
  /** All contacts. { first, sorted } */
  collide(options) {
    const m = this.open();
    m.check(m.call.web_scene_collide(this.context.address, this.address, flags(options)));
    const r = m.result(14).slice(), words = m.u32(r[0], 4 * r[1]), groups = m.u32(r[2], 4 * r[3]).slice(), bodies = this.context.bodies;
    const pairs = new Uint32Array(2 * r[1]);
    for (let i = 0; i < r[1]; ++i) {
      pairs[2 * i] = words[4 * i + 2];
      pairs[2 * i + 1] = words[4 * i + 3];
    }
    return {
      length: r[1], array: pairs, bodyPairs: r[4], counters: countersAt(r, 5),
      profile: { update: r[10], sweep: r[11], collide: r[12], gather: r[13] },
      groups: Array.from({ length: r[3] }, (_, g) => ({
        a: bodies.get(groups[4 * g]), b: bodies.get(groups[4 * g + 1]), begin: groups[4 * g + 2], end: groups[4 * g + 3],
      })),
    };
  }
  /** The two bodies that are nearest to each other; null: there are none. */
  distance({ relative = 0, absolute = 0, limit = Infinity } = {}) {
    const m = this.open();
    m.check(m.call.web_scene_distance(this.context.address, this.address, relative, absolute, limit));
    const r = m.result(18);
    return r[0] ? { a: this.context.body(r[0]), b: this.context.body(r[1]), addresses: [r[0], r[1]], ...distanceAt(r, 2) } : null;
  }
  cast(origins, directions, options) { return cast(this, 0, this.address, origins, directions, options); }
}
