// A camera that circles a point: drag to turn, wheel or two fingers to come nearer, right button, Shift or two fingers to move.

const { sin, cos, tan, max, min, hypot } = Math;
const FIELD = 0.7; // radians, top to bottom
const FILLED = 0.86; // of the picture, by what fit() puts into it
const USUAL = { turn: -0.75, tilt: 0.3 };
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// What a camera that looks in one direction has to show: add() points, and it knows the place from which they just fill the picture.
// A point at (x, y, z) of the camera's axes, z towards the eye, is in a picture whose half has the slope t, if |x - eye x| <= t (eye z - z):
// the greatest x + t z and the least x - t z are all that counts, and the same holds for y.
class Extent {
  constructor({ right, up, back }, slopes) {
    Object.assign(this, { axes: [right, up, back], slopes });
    this.lower = [Infinity, Infinity, Infinity];
    this.upper = [-Infinity, -Infinity, -Infinity];
    this.least = [Infinity, Infinity];
    this.most = [-Infinity, -Infinity];
  }
  /** vertices: those of xyz that count. */
  add(xyz, vertices) {
    const { axes, slopes, lower, upper, least, most } = this, at = [0, 0, 0];
    for (const v of vertices) {
      for (let k = 0; k < 3; ++k) {
        const a = axes[k];
        at[k] = xyz[3 * v] * a[0] + xyz[3 * v + 1] * a[1] + xyz[3 * v + 2] * a[2];
        if (at[k] < lower[k]) lower[k] = at[k];
        if (at[k] > upper[k]) upper[k] = at[k];
      }
      for (let k = 0; k < 2; ++k) {
        const deep = slopes[k] * at[2];
        if (at[k] - deep < least[k]) least[k] = at[k] - deep;
        if (at[k] + deep > most[k]) most[k] = at[k] + deep;
      }
    }
  }
}

export class Camera {
  constructor(canvas, changed) {
    Object.assign(this, { canvas, changed, ...USUAL, distance: 4, target: [0, 0, 0], reach: 2 });
    this.moved = false; // by a person, since the last fit
    this.pick = () => null; // the point of a surface at a place of the page, if there is one
    const fingers = new Map();
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(end, (e) => fingers.delete(e.pointerId));
    canvas.addEventListener("pointermove", (e) => {
      const before = fingers.get(e.pointerId);
      if (!before) return;
      const dx = e.clientX - before[0], dy = e.clientY - before[1];
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
        const was = hypot(before[0] - other[0], before[1] - other[1]), is = hypot(e.clientX - other[0], e.clientY - other[1]);
        if (was > 1 && is > 1) this.nearer(was / is, (e.clientX + other[0]) / 2, (e.clientY + other[1]) / 2);
        this.move(dx / 2, dy / 2);
      } else if (e.buttons === 2 || e.buttons === 4 || e.shiftKey) this.move(dx, dy);
      else this.rotate(dx * 0.008, dy * 0.008);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.nearer(Math.exp(max(-0.5, min(0.5, e.deltaY * 0.0015))), e.clientX, e.clientY);
    }, { passive: false });
  }
  rotate(dx, dy) {
    this.turn -= dx;
    this.tilt = max(-1.55, min(1.55, this.tilt + dy));
    this.touch();
  }
  touch() {
    this.moved = true;
    this.changed();
  }
  // Goes nearer to what is at a place of the page, which stays at that place: the surface, or the plane through the target.
  nearer(factor, clientX, clientY) {
    const before = this.distance, { origin, direction } = this.ray(clientX, clientY);
    const at = this.pick(clientX, clientY) ?? origin.map((v, k) => v + before * direction[k]);
    this.distance = max(this.reach * 0.02, min(this.reach * 40, before * factor));
    const part = this.distance / before;
    this.target = this.target.map((v, k) => part * v + (1 - part) * at[k]);
    this.touch();
  }
  set({ turn, tilt, distance, target }) {
    Object.assign(this, { turn, tilt: max(-1.55, min(1.55, tilt)), distance, target });
    this.touch();
  }
  // Looks from the usual direction; a fit has to follow.
  reset() { Object.assign(this, USUAL); }
  move(dx, dy) {
    const { right, up } = this.axes(), scale = (2 * this.distance * tan(FIELD / 2)) / max(1, this.canvas.clientHeight);
    this.target = this.target.map((v, k) => v + scale * (dy * up[k] - dx * right[k]));
    this.touch();
  }
  // Width by height of the picture.
  aspect() { return max(1, this.canvas.clientWidth) / max(1, this.canvas.clientHeight); }
  // The extent to which all points are added that fit() shall put into the picture.
  extent() {
    const slope = FILLED * tan(FIELD / 2);
    return new Extent(this.axes(), [slope * this.aspect(), slope]);
  }
  // Keeps the direction, and goes where the points just fill the picture.
  fit({ axes, slopes, lower, upper, least, most }) {
    const middle = (lower[2] + upper[2]) / 2, place = [(least[0] + most[0]) / 2, (least[1] + most[1]) / 2, middle];
    const eye = max((most[0] - least[0]) / (2 * slopes[0]), (most[1] - least[1]) / (2 * slopes[1]));
    this.reach = max(1e-30, hypot(...upper.map((v, k) => v - lower[k])) / 2);
    this.distance = max(eye - middle, 0.51 * (upper[2] - lower[2]), 1e-30); // more than 0, also for a point and for a line towards the eye
    this.target = [0, 1, 2].map((k) => place[0] * axes[0][k] + place[1] * axes[1][k] + place[2] * axes[2][k]);
    this.moved = false;
    this.changed();
  }
  axes() {
    const back = [sin(this.turn) * cos(this.tilt), sin(this.tilt), cos(this.turn) * cos(this.tilt)];
    const right = [cos(this.turn), 0, -sin(this.turn)];
    const up = [back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2], back[0] * right[1] - back[1] * right[0]];
    return { back, right, up };
  }
  eye() {
    const { back } = this.axes();
    return this.target.map((v, k) => v + this.distance * back[k]);
  }
  // World to clip space, by columns.
  matrix() {
    const { back, right, up } = this.axes(), eye = this.eye(), f = 1 / tan(FIELD / 2);
    const aspect = this.aspect();
    const near = max(this.distance - 4 * this.reach, this.distance * 0.01), far = this.distance + 6 * this.reach;
    const rows = [right, up, back].map((axis) => [...axis, -dot(axis, eye)]);
    const a = (far + near) / (near - far), b = (2 * far * near) / (near - far), m = new Float32Array(16);
    for (let j = 0; j < 4; ++j) {
      m[4 * j] = (f / aspect) * rows[0][j];
      m[4 * j + 1] = f * rows[1][j];
      m[4 * j + 2] = a * rows[2][j] + (j === 3 ? b : 0);
      m[4 * j + 3] = -rows[2][j];
    }
    return m;
  }
  // From the eye through a place of the page.
  ray(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect(), { back, right, up } = this.axes(), t = tan(FIELD / 2);
    const x = (2 * (clientX - box.left)) / box.width - 1, y = 1 - (2 * (clientY - box.top)) / box.height, aspect = box.width / box.height;
    return { origin: this.eye(), direction: back.map((v, k) => -v + t * (x * aspect * right[k] + y * up[k])) };
  }
}
