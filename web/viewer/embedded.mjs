// What the page carries inside: the module, and the files that `pliant view` put in.
import { bytes, unpack } from "../package/unpack.mjs";

// The small module, or the one with all methods; null if the page does not carry it.
export async function embeddedModule(id = "pliant-wasm") {
  const text = document.getElementById(id)?.textContent ?? "";
  return text ? unpack(text) : null;
}
export const hasEmbedded = (id) => !!document.getElementById(id)?.textContent;
export function embeddedFiles() {
  const files = [...document.querySelectorAll("script.pliant-file")].map((s) => ({ name: s.dataset.name, bytes: bytes(s.textContent) }));
  return files.concat([...document.querySelectorAll("script.pliant-sequence")].flatMap(sequence));
}

// A sequence that `pliant view` has made small: whole numbers and differences, as apps/pliant/common/viewer.c writes them. Each frame
// becomes a PLY file again.
function sequence({ dataset, textContent }) {
  const data = bytes(textContent), vertices = Number(dataset.vertices), triangles = Number(dataset.triangles);
  const [x, y, z, ...step] = dataset.box.split(" ").map(Number), lower = [x, y, z];
  let at = 0;
  const difference = () => {
    let value = 0, shift = 1, byte;
    do {
      byte = data[at++];
      value += (byte & 127) * shift;
      shift *= 128;
    } while (byte & 128);
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  const corners = new Uint32Array(3 * triangles), now = new Int32Array(3 * vertices);
  for (let i = 0, v = 0; i < corners.length; ++i) corners[i] = v += difference();
  return dataset.names.split("/").map((name, frame) => {
    for (let i = 0; i < now.length; ++i) now[i] = difference() + (frame ? now[i] : i >= 3 ? now[i - 3] : 0);
    return { name: name.replace(/\.[^.]*$/, ".ply"), bytes: ply(now, lower, step, corners) };
  });
}
function ply(numbers, lower, step, corners) {
  const head = new TextEncoder().encode(`ply\nformat binary_little_endian 1.0\nelement vertex ${numbers.length / 3}\nproperty double x\nproperty double y\n` +
    `property double z\nelement face ${corners.length / 3}\nproperty list uchar uint vertex_indices\nend_header\n`);
  const out = new Uint8Array(head.length + 8 * numbers.length + (13 * corners.length) / 3), to = new DataView(out.buffer);
  out.set(head);
  let at = head.length;
  for (let i = 0; i < numbers.length; ++i, at += 8) to.setFloat64(at, lower[i % 3] + step[i % 3] * numbers[i], true);
  for (let i = 0; i < corners.length; ++i) {
    if (i % 3 === 0) to.setUint8(at++, 3);
    to.setUint32(at, corners[i], true);
    at += 4;
  }
  return out;
}
