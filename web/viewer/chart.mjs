// Small curves of the last frames, each with its name, its value now and its scale.

export class Curve {
  constructor(canvas, { room = 240 } = {}) {
    this.canvas = canvas;
    this.values = [];
    this.room = room;
  }
  clear() {
    this.values = [];
    this.draw();
  }
  // One value, or two: ours and the other's.
  add(...values) {
    this.values.push(values);
    if (this.values.length > this.room) this.values.shift();
  }
  draw() {
    const c = this.canvas, ratio = Math.min(globalThis.devicePixelRatio || 1, 2), w = c.clientWidth, h = c.clientHeight;
    if (!w || !h) return;
    if (c.width !== Math.round(w * ratio)) Object.assign(c, { width: Math.round(w * ratio), height: Math.round(h * ratio) });
    const to = c.getContext("2d"), style = getComputedStyle(c);
    to.setTransform(ratio, 0, 0, ratio, 0, 0);
    to.clearRect(0, 0, w, h);
    const most = Math.max(1e-9, ...this.values.flat().filter(Number.isFinite)) * 1.08;
    to.lineWidth = 1.5;
    ["--ours", "--other"].forEach((name, series) => {
      if (!this.values.some((v) => Number.isFinite(v[series]))) return;
      to.strokeStyle = style.getPropertyValue(name);
      to.beginPath();
      let pen = false;
      this.values.forEach((v, i) => {
        if (!Number.isFinite(v[series])) return (pen = false);
        const x = (w * (i + this.room - this.values.length)) / (this.room - 1), y = h - 1 - ((h - 3) * v[series]) / most;
        pen ? to.lineTo(x, y) : to.moveTo(x, y);
        pen = true;
      });
      to.stroke();
    });
  }
}
