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

/** What a question did: tests of volumes, tests of triangles, volumes refitted, and times in milliseconds. */
export interface Counters {
  n_v: number;
  n_p: number;
  n_u: number;
  msUpdate: number;
  msQuery: number;
}

/** Loads the module: from its bytes, a compiled module or an address; without any, pliant.wasm beside pliant.mjs. With load() of
 * "pliant/full" it is the larger pliant-full.wasm, which has all questions; load() of "pliant/inline" carries pliant.wasm inside. */
export declare function load(source?: URL | string | BufferSource | WebAssembly.Module): Promise<Pliant>;

export declare class Pliant {
  readonly version: string;
  /** The questions that this module has, by their methods, and the options of questions. */
  readonly questions: readonly string[];
  readonly options: readonly string[];
  words(kind: "strategy" | "volume" | "builder" | "cut" | "criterion" | "growth" | "self" | "ray" | "fresh" | "motion" | "side" | "closure" | "feature" | "zone" | "morph" | "path" | "match" | "soup" | "broad" | "kind"): readonly string[];
  context(options?: { simd?: "wasm" | "scalar" }): Context;
}

export declare class Context {
  readonly simd: string;
  /** grows: edit() may add vertices to it. */
  free(positions: Coordinates, triangles: Indices, settings?: Settings & { grows?: boolean }): Body;
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

type Vector = [number, number, number];

/** Leaves out a pair of triangles, or of bodies, before it is tested, by returning false. Within one body a and b are the same. */
export type PairFilter = (a: Body, b: Body, triangleA: number, triangleB: number) => boolean;
export type FeatureFilter = (features: { a: Body; b: Body; kind: FeatureKind; featureA: [number, number]; featureB: [number, number] }) => boolean;
/** Of a ray or a point, by its number. */
export type ProbeFilter = (number: number, body: Body, triangle: number) => boolean;
export type FeatureKind = "vertex-face" | "face-vertex" | "edge-edge" | "vertex-edge" | "edge-vertex" | "vertex-vertex";

/** true: tests all pairs in exact arithmetic, without trees: slow, for checking. */
export interface Asking { reference?: boolean }
/** An end after so many volume tests, or milliseconds; the result is then `partial`. */
export interface Budget { budgetTests?: number; budgetMs?: number }
/** rings: within one body, leave out what fewer edges than this join. */
export interface PairOptions extends Asking { sorted?: boolean; rings?: number; filter?: PairFilter }
export interface TouchingOptions extends PairOptions, Budget { first?: boolean; method?: "auto" | "cones" | "boxes" }
export interface NearOptions extends PairOptions { margin?: number; vertexFace?: boolean; edgeEdge?: boolean }
export interface NearestOptions extends Asking, Budget { margin?: number; first?: boolean; relative?: number; absolute?: number; rings?: number; filter?: PairFilter }
export interface RayOptions extends Asking { mode?: "closest" | "any" | "all"; coherent?: boolean; mask?: number; tMin?: number; tMax?: number; budgetMs?: number; filter?: ProbeFilter }
export interface PointOptions extends Asking { coherent?: boolean; mask?: number; budgetMs?: number }
export interface ImpactOptions extends Asking, Budget { all?: boolean; margin?: number; keptGap?: number; rings?: number; filter?: FeatureFilter }
export interface CandidateOptions extends Asking { margin?: number; rings?: number; vertexFace?: boolean; edgeEdge?: boolean; sorted?: boolean; filter?: FeatureFilter }
export interface SegmentOptions extends PairOptions { given?: Pairs }
export interface PenetrationOptions extends Asking { relative?: number; samples?: number }
export interface RegionOptions extends Asking, Budget { patches?: boolean; depth?: boolean; rings?: number; filter?: PairFilter }
export interface SphereOptions extends Asking, Budget { level?: number; contacts?: boolean; reach?: number; filter?: (a: Body, b: Body) => boolean }
export interface MeasureOptions extends Asking { margin?: number; each?: boolean }
/** stepping: the bodies that step; those with a kept pose if it is not given. */
export interface StepOptions { stepping?: Iterable<Body>; margin?: number; keptGap?: number }
/** A closed part of space. planes: x y z d of each, x y z . p + d >= 0 inside; camera: 16 numbers by columns. */
export type Zone = { box: [ArrayLike<number>, ArrayLike<number>] } | { sphere: [ArrayLike<number>, number] } | { planes: ArrayLike<number>[] } | { camera: ArrayLike<number>; zeroToOne?: boolean };

/** What can be asked of bodies and scenes alike. Other: the body that comes before the options, or nothing; without it a body is asked
 * against itself. Those from impacts() on, and overlap(), need pliant-full.wasm. */
interface Asked<Other extends unknown[]> {
  cast(origins: ArrayLike<number>, directions: ArrayLike<number>, options?: RayOptions): Hits;
  closest(points: Coordinates, options?: PointOptions & { margin?: number; filter?: ProbeFilter }): Points;
  inside(points: Coordinates, options?: PointOptions): Points;
  signedDistance(points: Coordinates, options?: PointOptions & { margin?: number }): Points;
  overlap(zone: Zone, options?: Asking & { sorted?: boolean; mask?: number }): Triangles;
  touching(...asked: [...Other, options?: TouchingOptions]): Pairs;
  near(...asked: [...Other, options?: NearOptions]): Features;
  nearTriangles(...asked: [...Other, options?: NearOptions]): NearPairs;
  nearest(...asked: [...Other, options: NearestOptions & { each: true }]): Distances;
  nearest(...asked: [...Other, options?: NearestOptions & { each?: false }]): Distance;
  impacts(...asked: [...Other, options?: ImpactOptions]): Impacts;
  candidates(...asked: [...Other, options?: CandidateOptions]): Candidates;
  segments(...asked: [...Other, options?: SegmentOptions]): Segments;
  penetrations(...asked: [...Other, options?: PenetrationOptions]): Penetrations;
  regions(...asked: [...Other, options?: RegionOptions]): Regions;
  sphereContacts(...asked: [...Other, options?: SphereOptions]): SphereContacts;
  /** Features that near() of this has found, at the present positions, without a search. */
  measure(kept: Features, options?: MeasureOptions): Features;
  /** Moves free bodies from their kept poses towards the present ones until just before anything meets. */
  freeStep(...asked: [...Other, options?: StepOptions]): FreeStep;
}

/** Lives until destroy(), until its context ends, or until the garbage collector finds that nothing refers to it.
 * A question without another body is asked of the body against itself. */
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
  /** Changes the mesh in one batch; needs pliant-full.wasm. A free body takes new vertices if it was created with `grows`. */
  edit(batch: Edit): void;
  /** Keeps the pose as the start of a step, for impacts(), candidates() and freeStep(); needs pliant-full.wasm. */
  keepPose(): void;
  dropPose(): void;
  /** How the body goes from its kept pose to the present one in impacts(): about an axis by an angle in radians; without an axis on the
   * screw between both transforms; with an angle of 0 straight. Needs pliant-full.wasm, as setThickness() does. */
  setScrew(axis?: ArrayLike<number> | null, point?: ArrayLike<number> | null, angle?: number): void;
  /** How far the surface reaches beyond the triangles, for near and continuous questions; radii: one for each vertex. */
  setThickness(thickness: number, radii?: ArrayLike<number> | null): void;
  update(): Counters;
  positions(type?: Float64ArrayConstructor): Float64Array;
  positions(type: Float32ArrayConstructor): Float32Array;
  triangles(): Uint32Array;
  box(): { lower: Vector; upper: Vector };
  tree(): TreeInfo;
  explain(): { choice: "upper" | "none" | "whole" | "own" | "fixed"; reason: string; costs: { upper: number; none: number; whole: number; own: number }; demanded: number };
  volumes(level: number, options?: { refit?: boolean }): Volumes;
  validate(): void;
  destroy(): void;
}
export interface Body extends Asked<[] | [other: Body | null]> {}

export interface Edit {
  vertices?: Coordinates;
  /** Of embedded bodies, whose new vertices have weights only. */
  newVertices?: number;
  /** Places of new vertices in the other references of a morph, or in later poses. */
  poses?: Coordinates[];
  /** As many for each new vertex. */
  governors?: ArrayLike<number> | ArrayLike<number>[];
  weights?: ArrayLike<number> | ArrayLike<number>[];
  /** These triangles get a new vertex instead of the vertex. */
  split?: [vertex: number, triangles: ArrayLike<number>][];
  vertexIndices?: ArrayLike<number>;
  removedVertices?: ArrayLike<number>;
  removedTriangles?: ArrayLike<number>;
  changed?: [triangle: number, corners: ArrayLike<number>][];
  added?: ArrayLike<number> | ArrayLike<number>[];
  addedIndices?: ArrayLike<number>;
  merged?: [from: number, into: number][];
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

/** What a question returns: rows, which own their data. */
export declare class Result<Row> implements Iterable<Row> {
  readonly length: number;
  /** A budget ended the question: there may be more. */
  readonly partial: boolean;
  readonly counters: Counters;
  /** The rows from begin to end belong to these bodies, or to one: then a is b. Empty where every row names its bodies. */
  readonly groups: { a: Body; b: Body; begin: number; end: number }[];
  /** Scenes: pairs of bodies that may meet, and those of them that were not searched again. */
  readonly bodyPairs: number;
  readonly keptPairs: number;
  readonly profile: { update: number; sweep: number; walk: number; gather: number };
  at(i: number): Row;
  [Symbol.iterator](): Iterator<Row>;
}
export declare class Pairs extends Result<[number, number]> {
  /** Triangle of a and triangle of b of each. */
  readonly array: Uint32Array;
}
export declare class Triangles extends Result<number> {
  readonly array: Uint32Array;
}
/** The nearest points are the vertices' weighted sums; the normal is of unit length, from b to a. */
export interface Feature {
  kind: FeatureKind;
  triangleA: number;
  triangleB: number;
  verticesA: Vector;
  verticesB: Vector;
  weightsA: Vector;
  weightsB: Vector;
  distance: number;
  normal: Vector;
  /** How many pairs of features this row stands for, of measure(). */
  multiplicity: number;
}
export declare class Features extends Result<Feature> {
  distance(i: number): number;
  normal(i: number): Vector;
}
export interface NearPair {
  a: number;
  b: number;
  distance: number;
  pointA: Vector;
  pointB: Vector;
}
export declare class NearPairs extends Result<NearPair> {
  distance(i: number): number;
}
/** a, b: null where there are no bodies within the margin; the distance is then Infinity. */
export interface DistanceRow {
  a: Body | null;
  b: Body | null;
  distance: number;
  lower: number;
  pointA: Vector;
  pointB: Vector;
  triangleA: number;
  triangleB: number;
}
export interface Distance extends DistanceRow {
  partial: boolean;
  counters: Counters;
}
export declare class Distances extends Result<DistanceRow> {}
export declare class Hits extends Result<{ t: number; u: number; v: number; normal: Vector; triangle: number; member: number; body: Body | null }> {
  /** In the mode "all": the hits of ray i are from first[i] to first[i + 1]. */
  readonly first: Uint32Array | null;
  t(i: number): number;
  u(i: number): number;
  v(i: number): number;
  normal(i: number): Vector;
  /** -1: the ray hit nothing. */
  triangle(i: number): number;
  member(i: number): number;
}
export type Side = "outside" | "inside" | "on";
export declare class Points extends Result<{ distance: number; point: Vector; u: number; v: number; triangle: number; member: number; body: Body | null; side: Side; winding: number }> {
  readonly closure: "closed" | "unoriented" | "open";
  distance(i: number): number;
  point(i: number): Vector;
  u(i: number): number;
  v(i: number): number;
  triangle(i: number): number;
  member(i: number): number;
  side(i: number): Side;
  winding(i: number): number;
}
/** A feature is a vertex or a triangle, twice; or the two vertices of an edge. */
export interface Impact {
  a: Body;
  b: Body;
  kind: FeatureKind;
  featureA: [number, number];
  featureB: [number, number];
  time: number;
  normal: Vector;
  point: Vector;
}
/** By time. time: of the first contact, Infinity if there is none; safeStep: the part of the way that is free of contact. */
export declare class Impacts extends Result<Impact> {
  readonly time: number;
  readonly safeStep: number;
}
/** Pairs of a vertex and a triangle, a triangle and a vertex, and two edges, which are numbers of edges: two vertices of each. */
export declare class Candidates extends Result<[number, number]> {
  readonly array: Uint32Array;
  readonly lists: { a: Body; b: Body; vertexFace: Uint32Array; faceVertex: Uint32Array; edgeEdge: Uint32Array; edgesA: Uint32Array; edgesB: Uint32Array }[];
}
/** safeStep: the part of the step that was taken; 0: the bodies did not move. positions: what the bodies have now, of the type that was set;
 * between the kept poses and these very numbers nothing meets. time: of the first contact. */
export declare class FreeStep {
  readonly safeStep: number;
  readonly time: number;
  readonly tries: number;
  readonly bodies: Body[];
  readonly positions: Coordinates[];
  readonly counters: Counters;
}
export declare class Segments extends Result<{ triangleA: number; triangleB: number; from: Vector; to: Vector; touches: boolean; coplanar: boolean }> {
  readonly array: Uint32Array;
}
export declare class Penetrations extends Result<{ body: Body; other: Body; depth: number; bound: number; point: Vector; surface: Vector; direction: Vector; triangle: number; otherTriangle: number }> {}
export interface Sphere {
  centre: Vector;
  radius: number;
}
export declare class SphereContacts extends Result<{ a: number; b: number; sphereA: Sphere; sphereB: Sphere; normal: Vector; point: Vector; depth: number; contact: boolean }> {}
/** One of the surfaces of a region, and the part of it that the other one cuts off. */
export interface RegionSide {
  area: number;
  depth: number;
  cutOff: boolean;
  behind: boolean;
  /** Those that touch. */
  triangles: Uint32Array;
  patches: { triangles: Uint32Array; area: number; depth: number; deepest: Vector; surface: Vector }[];
}
export interface Region {
  length: number;
  flat: number;
  depth: number;
  lower: Vector;
  upper: Vector;
  at: Vector;
  deepest: Vector;
  surface: Vector;
  deepestSide: number;
  ends: number;
  branches: number;
  areas: number;
  folded: boolean;
  pairs: Uint32Array;
  contours: { closed: boolean; points: Float64Array }[];
  sides: [RegionSide, RegionSide];
}
export declare class Regions extends Result<Region> {}

export declare class Scene {
  /** self: questions of the scene are asked of the body against itself, too. */
  add(body: Body, options?: { self?: boolean; group?: number; mask?: number }): void;
  remove(body: Body): void;
  /** Leaves a pair of bodies out of all questions, until include(). */
  exclude(a: Body, b: Body): void;
  include(a: Body, b: Body): void;
  destroy(): void;
}
export interface Scene extends Asked<[]> {}

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
  touching(options?: { first?: boolean }): { contacts: number; own: number; bodyPairs: number; counters: Counters };
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
