// The state of the view in the address, behind the #.
export function readAddress(url = location.href) {
  return Object.fromEntries(new URLSearchParams(new URL(url).hash.slice(1)));
}
// Does not fire hashchange: only a person who edits the address does.
export function writeAddress(state) {
  const text = new URLSearchParams(state).toString();
  try {
    history.replaceState(null, "", `#${text}`);
  } catch {
    // A page inside another page may not: the view still works.
  }
}
/** A whole number from least to most, whatever the text is: the nearest one, or least for what is no number. */
export function wholeNumber(text, least, most) {
  const value = Math.trunc(Number(text));
  return Math.max(least, Math.min(most, Number.isNaN(value) ? least : value));
}
/** Turn, tilt, distance and target of a camera; null: the text is none. */
export function cameraOf(text) {
  const list = (text ?? "").split(",").map(Number);
  if (list.length !== 6 || !list.every(Number.isFinite) || list[2] <= 0) return null;
  const [turn, tilt, distance, ...target] = list;
  return { turn, tilt, distance, target };
}
