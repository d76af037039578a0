// import { load } from "pliant/inline": pliant with pliant.wasm inside, for bundles that shall be one file.
import { load as loadFrom } from "./pliant.mjs";
import { unpack } from "./unpack.mjs";

export * from "./pliant.mjs";

const PACKED = "/*wasm*/"; // gzipped, in base64; web/build.mjs puts it here

export async function load(source) {
  return loadFrom(source ?? (await unpack(PACKED)));
}
