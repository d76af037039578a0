// The same frame with three-mesh-bvh: refit of all trees, then all pairs of triangles of two bodies whose boxes overlap. Its best
// setting of those tried: leaves of 10 triangles, centre splits. It has no test of a body against itself.
import { BufferAttribute, BufferGeometry, Matrix4 } from "three";
import { MeshBVH } from "three-mesh-bvh";

export const name = "three-mesh-bvh";
const identity = new Matrix4();

export class Other {
  constructor(parts) {
    this.parts = parts.map((part) => {
      const geometry = new BufferGeometry(), positions = new BufferAttribute(part.positions().slice(), 3);
      geometry.setAttribute("position", positions);
      geometry.setIndex(new BufferAttribute(part.triangles().slice(), 1));
      return { positions, bvh: new MeshBVH(geometry) };
    });
  }
  set(i, xyz) { this.parts[i].positions.array.set(xyz); }
  refit() { for (const part of this.parts) part.bvh.refit(); }
  // All pairs, or the first one of each two bodies.
  pairs(first) {
    let count = 0;
    for (let i = 0; i < this.parts.length; ++i)
      for (let j = i + 1; j < this.parts.length; ++j)
        this.parts[i].bvh.bvhcast(this.parts[j].bvh, identity, {
          intersectsTriangles(a, b) {
            if (!a.intersectsTriangle(b)) return false;
            ++count;
            return first;
          },
        });
    return count;
  }
  // The whole frame: { pairs, ms }.
  frame(first = false) {
    const start = performance.now();
    this.refit();
    const pairs = this.pairs(first);
    return { pairs, ms: performance.now() - start };
  }
}
