// The time of a frame, as a mean of the last ones: the clock of most browsers is too coarse for a single one.
import { clockStep } from "./words.mjs";

const KEPT = 60; // times; a picture that stays is asked as often
const TURN = 8, ALL = 250; // milliseconds for asking again: in one turn, and in all

export class Times {
  constructor() {
    this.step = clockStep();
    this.forget();
  }
  forget() {
    this.list = [];
    this.warm = false;
    this.asked = { ms: 0, count: 0 };
  }
  // The first frame also makes what later ones use: it counts only as long as there is no other.
  add({ msUpdate, msQuery }) {
    if (this.warm) this.list.push(msUpdate + msQuery);
    else this.cold = msUpdate + msQuery;
    this.warm = true;
    if (this.list.length > KEPT) this.list.shift();
  }
  // Asks the question of a frame that stays again, for its time only. Returns false if there are enough times.
  askAgain(question) {
    const { list, asked } = this, start = performance.now();
    if (list.length >= KEPT || asked.ms >= ALL) return false;
    do {
      this.add(question());
      ++asked.count;
    } while (list.length < KEPT && performance.now() - start < TURN);
    asked.ms += performance.now() - start;
    return true;
  }
  mean() { return this.list.length ? this.list.reduce((a, b) => a + b, 0) / this.list.length : this.cold; }
  // What the mean cannot exceed, if the clock says 0.
  atMost() { return this.asked.count ? (this.asked.ms + this.step) / this.asked.count : this.step; }
}
