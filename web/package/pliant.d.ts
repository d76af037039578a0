/** Exact queries on deforming triangle meshes, by the C library pliant in WebAssembly. See docs/web.md. */

export type Coordinates = Float32Array | Float64Array;
export type Indices = Uint32Array | ArrayLike<number>;
/** 12 numbers, 3 x 3 by rows and then the shift, or 16 by columns; of several matrices one after the other. */
export type Matrix = Iterable<number> | ArrayLike<number> | number[][];

export declare class PliantError extends Error {}

/** Members of pl_body_def; words are those of Pliant.words(). None changes a result. */
export interface Settings {
  strategy?: string;
  volume?: string;
  builder?: string;
  cut?: string;
  arity?: 2 | 4 | 8;
  leaf_size?: number;
  eager_levels?: number;
  lazy_levels?: number;
  criterion?: string;
  p_max?: number;
  k?: number;
  gamma?: number;
  growth?: string;
}

/** What a query did: tests of volumes, tests of triangles, volumes refitted, and times in milliseconds. */
export interface Counters {
  n_v: number;
  n_p: number;
  n_u: number;
  msUpdate: number;
  msQuery: number;
}

/** Loads the module: from its bytes, a compiled module or an address; without any, pliant.wasm beside pliant.mjs. With load() of
 * "pliant/full" it is the larger pliant-full.wasm, which alone has first contacts; load() of "pliant/inline" carries pliant.wasm inside. */
export declare function load(source?: URL | string | BufferSource | WebAssembly.Module): Promise<Pliant>;

export declare class Pliant {
  readonly version: string;
  words(kind: "strategy" | "volume" | "builder" | "cut" | "criterion" | "growth" | "self" | "ray" | "fresh" | "motion" | "impact" | "side" | "closure" | "feature" | "zone" | "morph" | "path" | "match" | "soup" | "broad" | "kind"): string[];
  context(options?: { simd?: "wasm" | "scalar" }): Context;
}

export declare class Context {
  readonly simd: string;
  free(positions: Coordinates, triangles: Indices, settings?: Settings): Body;
  rigid(positions: Coordinates, triangles: Indices, settings?: Settings): Body;
  morph(references: Coordinates[], triangles: Indices, options?: { kind?: "convex" | "additive"; low?: number; high?: number }, settings?: Settings): Body;
  skin(positions: Coordinates, triangles: Indices, skin: { bones: number; perVertex: number; governors: Indices; weights: ArrayLike<number> }, settings?: Settings): Body;
  /** The triangles with one vertex for those that are one point in every pose, as files split them at seams; read() does it by itself. */
  weld(positions: Coordinates, triangles: Indices, equal?: { poses?: Coordinates[]; perVertex?: number; governors?: Indices; weights?: ArrayLike<number> }): Uint32Array;
  subdivide(positions: Coordinates, triangles: Indices, options?: { levels?: number }, settings?: Settings): Body;
  scene(): Scene;
  read(files: { name: string; bytes: ArrayBuffer | ArrayBufferView }[], settings?: Settings): Stage;
  show(name: string, options?: { detail?: number } & Settings): Stage;
  shows(): string[];
  destroy(): void;
}

/** Lives until destroy(), until its context ends, or until the garbage collector finds that nothing refers to it. */
export declare class Body {
  readonly context: Context;
  readonly vertexCount: number;
  readonly triangleCount: number;
  readonly strategy: string;
  readonly volume: string;
  readonly motion: string;
  setPositions(positions: Coordinates): void;
  setTransform(matrix: Matrix): void;
  setWeights(weights: ArrayLike<number>): void;
  setBones(matrices: Matrix): void;
  setControls(points: Coordinates): void;
  /** Keeps the pose as the start of a step; needs pliant-full.wasm. */
  keepPose(): void;
  update(): Counters;
  positions(type?: Float64ArrayConstructor): Float64Array;
  positions(type: Float32ArrayConstructor): Float32Array;
  triangles(): Uint32Array;
  box(): { lower: [number, number, number]; upper: [number, number, number] };
  tree(): TreeInfo;
  volumes(level: number, options?: { refit?: boolean }): Volumes;
  validate(): void;
  collide(other: Body, options?: { first?: boolean; sorted?: boolean; reference?: boolean; budgetTests?: number }): Pairs;
  self(options?: { method?: string; neighbours?: boolean; first?: boolean; sorted?: boolean; reference?: boolean }): Pairs;
  distance(other: Body, options?: DistanceOptions & { reference?: boolean }): Distance;
  near(other: Body, margin: number, options?: { sorted?: boolean }): NearPair[] & { counters: Counters };
  cast(origins: ArrayLike<number>, directions: ArrayLike<number>, options?: RayOptions): Hits;
  closest(points: Coordinates, options?: { margin?: number; coherent?: boolean }): Points;
  inside(points: Coordinates, options?: { coherent?: boolean }): Points;
  signedDistance(points: Coordinates, options?: { margin?: number; coherent?: boolean }): Points;
  /** When the bodies first touch on the way from their kept poses; needs pliant-full.wasm. */
  firstContact(other: Body, options?: { all?: boolean; margin?: number }): Impacts;
  destroy(): void;
}

export interface TreeInfo {
  depth: number;
  innerNodes: number;
  leaves: number;
  bytes: number;
  bytesPerTriangle: number;
  trianglesPerLeaf: number;
  childrenPerNode: number;
  areaCost: number;
  overlap: number;
}

/** The volumes of one level. `fresh`: 0 stale, 1 refitted in the eager pass, 2 refitted on demand. */
export interface Volumes {
  level: number;
  levels: number;
  count: number;
  kind: number;
  toWorld: number[];
  /** Lower x y z, upper x y z of each. */
  boxes: Float32Array;
  parent: Uint32Array;
  triangles: Uint32Array;
  fresh: Uint8Array;
  leaf: Uint8Array;
  components: Float32Array | null;
  componentCount: number;
}

export declare class Pairs implements Iterable<[number, number]> {
  readonly array: Uint32Array;
  readonly length: number;
  readonly partial: boolean;
  readonly counters: Counters;
  at(i: number): [number, number];
  [Symbol.iterator](): Iterator<[number, number]>;
}

export interface DistanceOptions {
  relative?: number;
  absolute?: number;
  limit?: number;
}
export interface Distance {
  distance: number;
  lower: number;
  pointA: number[];
  pointB: number[];
  triangleA: number;
  triangleB: number;
  partial: boolean;
  counters: Counters;
}
export interface NearPair {
  a: number;
  b: number;
  distance: number;
  pointA: number[];
  pointB: number[];
}
export interface RayOptions {
  mode?: "closest" | "any" | "all";
  coherent?: boolean;
  tMin?: number;
  tMax?: number;
}
export declare class Hits {
  readonly length: number;
  readonly counters: Counters;
  /** In the mode "all": the hits of ray i are from first[i] to first[i + 1]. */
  readonly first: Uint32Array | null;
  t(i: number): number;
  u(i: number): number;
  v(i: number): number;
  normal(i: number): number[];
  /** -1: the ray hit nothing. */
  triangle(i: number): number;
  member(i: number): number;
}
export declare class Points {
  readonly length: number;
  readonly closure: "closed" | "unoriented" | "open";
  readonly counters: Counters;
  distance(i: number): number;
  point(i: number): number[];
  u(i: number): number;
  v(i: number): number;
  triangle(i: number): number;
  member(i: number): number;
  side(i: number): "outside" | "inside" | "on";
  winding(i: number): number;
}
export interface Impacts {
  time: number;
  safeStep: number;
  impacts: { time: number; kind: "vertex-face" | "face-vertex" | "edge-edge"; a: [number, number]; b: [number, number]; normal: number[]; point: number[] }[];
  counters: Counters;
}

export declare class Scene {
  add(body: Body, options?: { self?: boolean; group?: number; mask?: number }): void;
  remove(body: Body): void;
  collide(options?: { first?: boolean; sorted?: boolean }): Contacts;
  distance(options?: DistanceOptions): (Distance & { a: Body; b: Body }) | null;
  cast(origins: ArrayLike<number>, directions: ArrayLike<number>, options?: RayOptions): Hits;
  closest(points: Coordinates, options?: { margin?: number; coherent?: boolean }): Points;
  inside(points: Coordinates, options?: { coherent?: boolean }): Points;
  signedDistance(points: Coordinates, options?: { margin?: number; coherent?: boolean }): Points;
  destroy(): void;
}
export interface Contacts {
  length: number;
  /** Triangle of a and triangle of b of each contact. */
  array: Uint32Array;
  groups: { a: Body; b: Body; begin: number; end: number }[];
  bodyPairs: number;
  counters: Counters;
  profile: { update: number; sweep: number; walk: number; gather: number };
}

/** Bodies that are posed frame by frame. */
export declare class Stage {
  readonly frames: number;
  readonly fps: number;
  readonly frame: number;
  readonly fallback: boolean;
  readonly note: string;
  readonly scene: Scene;
  readonly parts: Part[];
  readonly animations: string[];
  settle(settings?: Settings): void;
  chooseAnimation(index: number): void;
  pose(frame: number): void;
  collide(options?: { first?: boolean }): { contacts: number; own: number; bodyPairs: number; counters: Counters };
  destroy(): void;
}
export interface Part {
  name: string;
  body: Body;
  self: boolean;
  triangleCount: number;
  vertexCount: number;
  triangles(): Uint32Array;
  positions(): Float32Array;
  marks(): Uint8Array;
}

/** Groups the names of mesh files: numbered ones are the frames of one mesh, in order. */
export declare function sequences(names: string[]): string[][];
