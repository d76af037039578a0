// The state of the view in the address, behind the #.
export function readAddress() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}
export function writeAddress(state) {
  const text = new URLSearchParams(state).toString();
  try {
    history.replaceState(null, "", `#${text}`);
  } catch {
    // A page inside another page may not: the view still works.
  }
}
