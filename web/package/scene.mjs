// Many bodies, and all their contacts in one call.
import { countersAt, flags, NONE, PliantError } from "./machine.mjs";
import { Holding } from "./life.mjs";
import { askPoints, cast, distanceAt } from "./results.mjs";

export class Scene {
  // stage: the one that the scene belongs to; null: it is a scene of its own
  constructor(context, address, stage = null) {
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
  /** All contacts. { first, sorted } */
  collide(options) {
    const m = this.open();
    m.check(m.call.web_scene_collide(this.context.address, this.address, flags(options)));
    const r = m.result(14).slice(), groups = m.u32(r[2], 4 * r[3]).slice();
    return {
      length: r[1], array: r[1] ? m.u32(r[0], 2 * r[1]).slice() : new Uint32Array(0), bodyPairs: r[4], counters: countersAt(r, 5),
      profile: { update: r[10], sweep: r[11], walk: r[12], gather: r[13] },
      groups: Array.from({ length: r[3] }, (_, g) => ({
        a: this.members.get(groups[4 * g]), b: this.members.get(groups[4 * g + 1]), begin: groups[4 * g + 2], end: groups[4 * g + 3],
      })),
    };
  }
  /** The two bodies that are nearest to each other; null: there are none. */
  distance({ relative = 0, absolute = 0, limit = Infinity } = {}) {
    const m = this.open();
    m.check(m.call.web_scene_distance(this.context.address, this.address, relative, absolute, limit));
    const r = m.result(18);
    return r[0] ? { a: this.members.get(r[0]), b: this.members.get(r[1]), addresses: [r[0], r[1]], ...distanceAt(r, 2) } : null;
  }
  cast(origins, directions, options) { return cast(this, 0, this.address, origins, directions, options); }
  /** The closest point of all bodies for each point; member(i) is its body, by the order of adding. { margin, coherent } */
  closest(points, options) { return askPoints(this, 0, this.address, 0, points, options); }
  /** Whether each point is inside or on any body. */
  inside(points, options) { return askPoints(this, 0, this.address, 1, points, options); }
  /** Both: distances are negative inside, and the least of all bodies. */
  signedDistance(points, options) { return askPoints(this, 0, this.address, 2, points, options); }
}
