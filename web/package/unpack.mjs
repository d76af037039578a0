// Bytes that are kept as text.

/** The bytes of a text in base64; white space does not count. */
export function bytes(base64) {
  const text = atob(base64.replace(/\s/g, "")), to = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) to[i] = text.charCodeAt(i);
  return to;
}
/** The bytes of a text in base64 that were gzipped. */
export function unpack(base64) {
  return new Response(new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
