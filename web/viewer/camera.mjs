// A camera that circles a point: drag to turn, wheel or two fingers to come nearer, right button, Shift or two fingers to move.

const { sin, cos, tan, max, min, hypot } = Math;
const FIELD = 0.7; // radians, top to bottom

export class Camera {
  constructor(canvas, changed) {
    Object.assign(this, { canvas, changed, turn: -0.75, tilt: 0.3, distance: 4, target: [0, 0, 0], reach: 2 });
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
        if (was > 1 && is > 1) this.nearer(was / is);
        this.move(dx / 2, dy / 2);
      } else if (e.buttons === 2 || e.buttons === 4 || e.shiftKey) this.move(dx, dy);
      else this.rotate(dx * 0.008, dy * 0.008);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.nearer(Math.exp(max(-0.5, min(0.5, e.deltaY * 0.0015))));
    }, { passive: false });
  }
  rotate(dx, dy) {
    this.turn -= dx;
    this.tilt = max(-1.55, min(1.55, this.tilt + dy));
    this.changed();
  }
  nearer(factor) {
    this.distance = max(this.reach * 0.02, min(this.reach * 40, this.distance * factor));
    this.changed();
  }
  move(dx, dy) {
    const { right, up } = this.axes(), scale = (2 * this.distance * tan(FIELD / 2)) / max(1, this.canvas.clientHeight);
    for (let k = 0; k < 3; ++k) this.target[k] += scale * (dy * up[k] - dx * right[k]);
    this.changed();
  }
  // Puts a box into the picture.
  fit(lower, upper) {
    this.target = lower.map((v, k) => (v + upper[k]) / 2);
    this.reach = max(1e-30, hypot(...upper.map((v, k) => v - lower[k])) / 2);
    const narrow = min(1, this.canvas.clientWidth / max(1, this.canvas.clientHeight));
    this.distance = (this.reach / sin(FIELD / 2) / narrow) * 0.68;
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
    const aspect = max(1, this.canvas.clientWidth) / max(1, this.canvas.clientHeight);
    const near = max(this.distance - 4 * this.reach, this.distance * 0.01), far = this.distance + 6 * this.reach;
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
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
