// What the page carries inside: the module, and the files that `pliant view` put in.
import { bytes, unpack } from "../package/unpack.mjs";

// The small module, or the one with all methods; null if the page does not carry it.
export async function embeddedModule(id = "pliant-wasm") {
  const text = document.getElementById(id)?.textContent ?? "";
  return text ? unpack(text) : null;
}
export const hasEmbedded = (id) => !!document.getElementById(id)?.textContent;
export function embeddedFiles() {
  return [...document.querySelectorAll("script.pliant-file")].map((s) => ({ name: s.dataset.name, bytes: bytes(s.textContent) }));
}
