// The memory of the module, calls into it, and checks of what callers give.

export class PliantError extends Error {
  get name() { return "PliantError"; }
}

export const NONE = 0xffffffff;
const decoder = new TextDecoder(), encoder = new TextEncoder();

// A number as C's %g writes it with so many digits, or as %f does.
function numberText(value, digits, fixed) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (fixed) return value.toFixed(digits);
  const [mantissa, power] = value.toExponential(Math.max(digits, 1) - 1).split("e"), exponent = Number(power);
  const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < Math.max(digits, 1)) return bare(value.toFixed(Math.min(100, Math.max(digits, 1) - 1 - exponent)));
  return `${bare(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

// What the module asks of its host: numbers as text, what a filter says, and of wasi-libc a clock and nothing else.
export function imports(memory, filter) {
  const wasi = {
    clock_time_get(id, precision, address) {
      const now = id === 0 ? Date.now() * 1e6 : performance.now() * 1e6;
      new DataView(memory().buffer).setBigUint64(address, BigInt(Math.round(now)), true);
      return 0;
    },
    proc_exit(code) { throw new PliantError(`the module ended itself with code ${code}`); },
  };
  const missing = 52; // ENOSYS
  return {
    wasi_snapshot_preview1: new Proxy(wasi, { get: (known, name) => known[name] ?? (() => missing), has: () => true }),
    pliant: {
      number_text(value, digits, fixed, address) {
        const text = encoder.encode(numberText(value, digits, fixed));
        new Uint8Array(memory().buffer, address, text.length).set(text);
        return text.length;
      },
      number_value: (address, length) => Number(decoder.decode(new Uint8Array(memory().buffer, address, length))),
      filter: (a, b, i, j) => filter(a >>> 0, b >>> 0, i >>> 0, j >>> 0),
    },
  };
}

// In a bundle that is no module import.meta is empty: then the module's file is beside the script, or beside the page.
const script = globalThis.document?.currentScript?.src;
export function besideBundle(name) {
  if (import.meta.url) return null;
  const base = script || globalThis.document?.baseURI;
  if (!base) throw new PliantError(`where ${name} is, this bundle cannot know: give load() its bytes or its address`);
  return new URL(name, base);
}

// Bundlers for browsers stop at imports of node's modules: they cannot follow this name, and the comments keep them quiet.
const FILES = ["node:fs", "promises"].join("/");
async function readLocal(url) {
  const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ FILES);
  return readFile(url);
}
async function download(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  if (new TextDecoder().decode(bytes.slice(0, 4)) !== "\0asm") throw new Error("it is no WebAssembly"); // servers send a page instead
  return bytes;
}
export async function bytesOf(source) {
  if (!(source instanceof URL || typeof source === "string")) return source;
  const url = source instanceof URL ? source : new URL(source, besideBundle(source) ?? import.meta.url);
  try {
    return await (url.protocol === "file:" && globalThis.process?.versions?.node ? readLocal(url) : download(url));
  } catch (error) {
    throw new PliantError(`${url} cannot be read: ${error.message}; put the package's file there, give load() its bytes, or import "pliant/inline"`);
  }
}

/** The memory of a module, and calls into it. */
export class Machine {
  constructor(exports) {
    this.call = exports;
    this.memory = exports.memory;
    this.out = exports.web_out();
  }
  fail() { throw new PliantError(this.text(this.call.web_message())); }
  check(answer) { return answer || this.fail(); }
  // Makes a call whose filter may be asked; what the filter throws is thrown when the call is over.
  filtering(filter, call) {
    this.filter = filter;
    this.thrown = null;
    const answer = call(), { thrown } = this;
    this.filter = this.thrown = null;
    if (thrown) throw thrown.error;
    return answer;
  }
  keeps(...seen) {
    if (this.thrown) return false;
    try {
      return !!this.filter(...seen);
    } catch (error) {
      this.thrown = { error };
      return false;
    }
  }
  // The texts that a function of the module gives by number.
  texts(name) {
    const list = [];
    for (let at; (at = this.call[name](list.length)); ) list.push(this.text(at));
    return list;
  }
  // Only pliant-full.wasm has these.
  lacks(what) { throw new PliantError(`this module has no ${what}: pliant-full.wasm has all methods, import { load } from "pliant/full"`); }
  needs(name, what) { if (!this.call[name]) this.lacks(what); }
  // Views of the memory are made for each use: they end when it grows.
  u8(at, count) { return new Uint8Array(this.memory.buffer, at, count); }
  u32(at, count) { return new Uint32Array(this.memory.buffer, at, count); }
  f32(at, count) { return new Float32Array(this.memory.buffer, at, count); }
  f64(at, count) { return new Float64Array(this.memory.buffer, at, count); }
  result(count) { return new Float64Array(this.memory.buffer, this.out, count); }
  text(at) {
    const bytes = new Uint8Array(this.memory.buffer);
    let end = at;
    while (bytes[end]) ++end;
    return decoder.decode(bytes.subarray(at, end));
  }
  allocate(bytes) {
    const at = this.call.web_allocate(bytes);
    if (!at) throw new PliantError(`out of memory: ${bytes} bytes do not fit`);
    return at;
  }
  release(at) { if (at) this.call.web_release(at); }
  // A copy in the module's memory; `with_` gets its address, and the copy ends with it.
  copy(array, with_) { return this.copies([array], with_); }
  copies(arrays, with_) {
    const places = [];
    try {
      for (const array of arrays) {
        const bytes = typeof array === "string" ? encoder.encode(array + "\0") : array;
        const at = this.allocate(Math.max(bytes.byteLength, 1));
        places.push(at);
        this.u8(at, bytes.byteLength).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      }
      return with_(...places);
    } finally {
      for (const at of places) this.release(at);
    }
  }
}

export const isDouble = (array) => array instanceof Float64Array;
export function coordinates(array, what) {
  if (!(array instanceof Float32Array || array instanceof Float64Array))
    throw new PliantError(`${what} must be a Float32Array or a Float64Array`);
  if (array.length % 3) throw new PliantError(`${what}: ${array.length} numbers are not x y z of each vertex`);
  return array;
}
export function indices(array, what) {
  if (array instanceof Uint32Array) return array;
  const plain = Array.from(array ?? [], Number);
  if (!plain.every((i) => Number.isInteger(i) && i >= 0 && i <= NONE)) throw new PliantError(`${what} must be whole numbers from 0 on`);
  return Uint32Array.from(plain);
}
export function faces(array) {
  const list = indices(array, "triangles");
  if (list.length % 3) throw new PliantError(`triangles: ${list.length} numbers are not three of each triangle`);
  return list;
}
export function doubles(array, what, count) {
  const list = Float64Array.from(array.flat ? array.flat(Infinity) : array);
  if (count !== undefined && list.length !== count) throw new PliantError(`${what}: ${list.length} numbers, ${count} are wanted`);
  return list;
}
// 3 x 3 numbers by rows and the shift, from those or from a 4 x 4 matrix by columns, as WebGL and glTF have it.
export function transforms(array, what) {
  const list = doubles(array, what);
  if (list.length % 12 === 0 && list.length % 16) return list;
  if (list.length % 16) throw new PliantError(`${what}: ${list.length} numbers are neither 12 (rows, then the shift) nor 16 (columns) of each`);
  const to = new Float64Array((list.length / 16) * 12);
  for (let k = 0; k < list.length / 16; ++k)
    for (let i = 0; i < 3; ++i) {
      for (let j = 0; j < 3; ++j) to[12 * k + 3 * i + j] = list[16 * k + 4 * j + i];
      to[12 * k + 9 + i] = list[16 * k + 12 + i];
    }
  return to;
}
export const countersAt = (r, at) => ({ n_v: r[at], n_p: r[at + 1], n_u: r[at + 2], msUpdate: r[at + 3], msQuery: r[at + 4] });
