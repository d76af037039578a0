// Where contacts are along the frames. `pliant check` and `pliant view` put what they have found into the page: findings with names,
// and the number of regions and their depth in every frame. Without that, frames count as they are seen.

import { length } from "./words.mjs";

export class Findings {
  constructor() {
    const text = document.getElementById("pliant-findings")?.textContent;
    this.given = text ? JSON.parse(text) : null;
    this.seen = new Map(); // contacts, by "animation frame"
  }
  // Of the files in the page only: other scenes have no findings.
  use(own) { this.now = own ? this.given : null; }
  forget() { this.seen.clear(); }
  see(animation, frame, contacts) { this.seen.set(`${animation} ${frame}`, contacts); }
  list(animations) { return (this.now?.findings ?? []).filter((f) => f.animation < Math.max(1, animations)); }
  // The regions of every frame and their depth; null: they are not known.
  clip(animation, frames) {
    const clip = this.now?.clips?.[animation];
    return clip?.regions.length === frames ? clip : null;
  }
  // "2 places, 20 mm deep"; null: it is not known.
  sentence(animation, frames, frame) {
    const clip = this.clip(animation, frames);
    if (!clip) return null;
    const count = clip.regions[frame], depth = clip.depth[frame];
    return { count, text: `${count === 1 ? "place intersects" : "places intersect"}${depth > 0 ? `, ${length(depth, this.now.metres)} deep` : ""}` };
  }
  // One number for each frame, and what it is; null where it is not known.
  values(animation, frames) {
    const clip = this.clip(animation, frames);
    if (clip) return { heights: clip.depth, counts: clip.regions };
    const counts = Array.from({ length: frames }, (_, i) => this.seen.get(`${animation} ${i}`) ?? null);
    return { heights: counts, counts };
  }
  // The frame with a contact nearest to `from` in a direction, around the end; null: none is known.
  next(animation, frames, from, by) {
    const { counts } = this.values(animation, frames);
    for (let k = 1, i = from; k <= frames; ++k) {
      i = (i + by + frames) % frames;
      if (counts[i] > 0 && !(counts[(i - by + frames) % frames] > 0 && k > 1 && counts[from] > 0 && this.run(counts, from, i, by))) return i;
    }
    return null;
  }
  // Are all frames between two of them in contact? Then they are one and the same.
  run(counts, from, to, by) {
    for (let i = from; i !== to; i = (i + by + counts.length) % counts.length) if (!(counts[i] > 0)) return false;
    return true;
  }
  worst(animation, frames) {
    const { heights, counts } = this.values(animation, frames);
    let best = null;
    heights.forEach((h, i) => { if (counts[i] > 0 && (best === null || h > heights[best])) best = i; });
    return best;
  }
}

// The finding after (by = 1) or before (by = -1) the chosen one, in the order of time and around the end: of those that fail, if any
// does. chosen: a finding and the frame it was shown in; when that is another one now, the frame counts. null: there is none.
export function nextFinding(list, chosen, animation, frame, by) {
  const fail = list.filter((f) => f.fails), order = [...(fail.length ? fail : list)].sort((a, b) => a.animation - b.animation || a.worst - b.worst);
  if (!order.length) return null;
  const at = chosen?.frame === frame && chosen.finding.animation === animation ? order.indexOf(chosen.finding) : -1;
  if (at >= 0) return order[(at + by + order.length) % order.length];
  const place = (f) => f.animation - animation || f.worst - frame;
  return by > 0 ? order.find((f) => place(f) > 0) ?? order[0] : order.findLast((f) => place(f) < 0) ?? order.at(-1);
}

// Bars above the slider: as high as the contact is deep, or as there are contacts; and a line for the number of places.
export function drawTimeline(canvas, { heights, counts }, now) {
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 2), w = canvas.clientWidth, h = canvas.clientHeight;
  if (!w || !h) return;
  Object.assign(canvas, { width: Math.round(w * ratio), height: Math.round(h * ratio) });
  const to = canvas.getContext("2d"), style = getComputedStyle(canvas), most = Math.max(1e-30, ...heights.map((v) => v ?? 0)), n = heights.length;
  to.setTransform(ratio, 0, 0, ratio, 0, 0);
  // The slider's thumb begins and ends half its width inside.
  const thumb = 8, x = (i) => thumb + ((w - 2 * thumb) * i) / Math.max(1, n - 1), wide = Math.max(1.5, (w - 2 * thumb) / n);
  to.fillStyle = style.getPropertyValue("--bad");
  heights.forEach((v, i) => {
    if (!(counts[i] > 0)) return;
    const high = 3 + (h - 4) * Math.max(0, v / most);
    to.globalAlpha = i === now ? 1 : 0.6;
    to.fillRect(x(i) - wide / 2, h - high, wide, high);
  });
  to.globalAlpha = 1;
  if (heights !== counts) {
    const all = Math.max(1, ...counts), y = (c) => h - 1 - ((h - 3) * c) / all;
    to.strokeStyle = style.getPropertyValue("--ours");
    to.beginPath();
    counts.forEach((c, i) => { to.lineTo(x(i) - wide / 2, y(c)); to.lineTo(x(i) + wide / 2, y(c)); });
    to.stroke();
  }
  to.fillStyle = style.getPropertyValue("--text");
  to.fillRect(x(now) - 0.5, 0, 1, h);
}
