// import { load } from "pliant/full": pliant with all methods, of pliant-full.wasm.
import { besideBundle } from "./machine.mjs";
import { load as loadFrom } from "./pliant.mjs";

export * from "./pliant.mjs";

export async function load(source = besideBundle("pliant-full.wasm") ?? new URL("pliant-full.wasm", import.meta.url)) {
  return loadFrom(source);
}
