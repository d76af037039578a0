// What the page carries inside: the module, and the files that `pliant view` put in.

function bytes(base64) {
  const text = atob(base64.replace(/\s/g, "")), to = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) to[i] = text.charCodeAt(i);
  return to;
}
// The small module, or the one with all methods; null if the page does not carry it.
export async function embeddedModule(id = "pliant-wasm") {
  const text = document.getElementById(id)?.textContent ?? "";
  if (!text) return null;
  const packed = bytes(text);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
export const hasEmbedded = (id) => !!document.getElementById(id)?.textContent;
export function embeddedFiles() {
  return [...document.querySelectorAll("script.pliant-file")].map((s) => ({ name: s.dataset.name, bytes: bytes(s.textContent) }));
}
