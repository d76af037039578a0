// Numbers and times as people read them.

export const whole = (n) => Math.round(n).toLocaleString("en-US").replace(/,/g, "\u202f");

export function short(x) { return x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? x.toPrecision(5) : x.toExponential(3); }

/** A length in a file's units, of so many metres each; 0: that is not known. */
export function length(x, metres = 0) {
  const four = (v) => String(Number(v.toPrecision(4))), m = x * metres;
  return !(metres > 0) ? four(x) : m >= 1 ? `${four(m)} m` : `${four(1000 * m)} mm`;
}

const UNITS = [["µs", 1000], ["ms", 1], ["s", 0.001]];
/** Milliseconds with three digits, in the unit that needs no zeros before or behind them. Clocks that are rounded give 0, which means: less
 * than atMost. */
export function duration(ms, atMost = 0) {
  if (!(ms > 0)) return atMost > 0 ? `< ${duration(atMost)}` : "0 ms";
  for (const [unit, factor] of UNITS) {
    const value = ms * factor, text = value < 1 ? value.toFixed(2) : value.toPrecision(3);
    if (Number(text) < 1000) return `${text} ${unit}`;
  }
  return `${whole(ms / 1000)} s`;
}
/** The least step of the browser's clock, in milliseconds; takes about five of them. */
export function clockStep(now = () => performance.now()) {
  let least = Infinity;
  for (let k = 0; k < 5; ++k) {
    const start = now();
    let next = start;
    while (next === start) next = now();
    least = Math.min(least, next - start);
  }
  return least;
}
