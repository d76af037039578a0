// Bullet 3.24 (single precision in Debian).
//  dbvt     btDbvt with one leaf per triangle, refitted the way
//           btSoftBody::updateFaceTree does: Bullet's own deformable path.
//  gimpact  btGImpactMeshShape (quantized tree): postUpdate() + updateBound().
//  bvhmesh  btBvhTriangleMeshShape::refitTree(): rays, and update cost.
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#include <set>
#include "drivers.hpp"
#include "tritri.hpp"
using namespace scene;

static btVector3 bt(V3 v) { return btVector3(v.x, v.y, v.z); }

struct DbvtBody {
  Mesh* m = nullptr;
  btDbvt tree;
  btDbvtVolume box(size_t t) const {
    const Tri& k = m->tri[t];
    btVector3 p[3] = {bt(m->pos[k.v[0]]), bt(m->pos[k.v[1]]), bt(m->pos[k.v[2]])};
    return btDbvtVolume::FromPoints(p, 3);
  }
  void build(Mesh& mm) {
    m = &mm;
    for (size_t t = 0; t < m->nt(); ++t) tree.insert(box(t), reinterpret_cast<void*>(t));
    tree.optimizeTopDown();
  }
  void refit(btDbvtNode* n) {
    if (n->isleaf()) {
      n->volume = box(reinterpret_cast<size_t>(n->data));
    } else {
      refit(n->childs[0]);
      refit(n->childs[1]);
      ATTRIBUTE_ALIGNED16(btDbvtVolume) v;
      Merge(n->childs[0]->volume, n->childs[1]->volume, v);
      n->volume = v;
    }
  }
  void update() { refit(tree.m_root); }
};

struct OnPair : btDbvt::ICollide {
  const Mesh *a, *b;
  bool self, first;
  std::vector<std::pair<uint32_t, uint32_t>> out;
  OnPair(const Mesh& a, const Mesh& b, bool self, bool first) : a(&a), b(&b), self(self), first(first) {}
  void Process(const btDbvtNode* x, const btDbvtNode* y) {
    if (first && !out.empty()) return;  // collideTT cannot be ended early
    size_t i = reinterpret_cast<size_t>(x->data), j = reinterpret_cast<size_t>(y->data);
    if (self && tt::share_vertex(a->tri[i], a->tri[j])) return;
    if (tt::pair<float>(*a, i, *b, j)) out.push_back({uint32_t(i), uint32_t(j)});
  }
};
static long dbvt_pairs(DbvtBody& a, DbvtBody& b, bool first) {
  OnPair p(*a.m, *b.m, false, first);
  a.tree.collideTT(a.tree.m_root, b.tree.m_root, p);
  return long(p.out.size());
}

struct TwoDbvt {
  std::string variant = "dbvt/refit";
  int threads = 1;
  DbvtBody a, b;
  double bytes = 0;
  void build(Mesh& x, Mesh& y) {
    double h = drive::heap_bytes();
    a.build(x);
    b.build(y);
    bytes = drive::heap_bytes() - h;
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() { a.update(); b.update(); }
  long all() { return dbvt_pairs(a, b, false); }
  int first() { return dbvt_pairs(a, b, true) > 0; }
};
struct ManyDbvt {
  std::string variant = "dbvt/refit";
  int threads = 1;
  std::vector<DbvtBody> b{S2_BODIES};
  void build(std::vector<Mesh>& m) { for (size_t i = 0; i < b.size(); ++i) b[i].build(m[i]); }
  void prepare() {}
  void update() { for (auto& x : b) x.update(); }
  long all() {
    long n = 0;
    for (size_t i = 0; i < b.size(); ++i)
      for (size_t j = i + 1; j < b.size(); ++j)
        if (Intersect(b[i].tree.m_root->volume, b[j].tree.m_root->volume)) n += dbvt_pairs(b[i], b[j], false);
    return n;
  }
};
struct SelfDbvt {
  std::string variant = "dbvt/refit/selfCollideTT";
  int threads = 1;
  DbvtBody b;
  void build(Mesh& m) { b.build(m); }
  void prepare() {}
  void update() { b.update(); }
  long all() {
    OnPair p(*b.m, *b.m, true, false);
    b.tree.selfCollideTT(b.tree.m_root, p);
    return long(p.out.size());
  }
};

struct GimpactBody {
  Mesh* m = nullptr;
  std::unique_ptr<btTriangleIndexVertexArray> mesh;
  std::unique_ptr<btGImpactMeshShape> shape;
  void build(Mesh& mm) {
    m = &mm;
    mesh.reset(new btTriangleIndexVertexArray(int(mm.nt()), reinterpret_cast<int*>(mm.tri.data()), sizeof(Tri),
                                              int(mm.nv()), &mm.pos[0].x, sizeof(V3)));
    shape.reset(new btGImpactMeshShape(mesh.get()));
    shape->setMargin(0);
    shape->updateBound();
  }
  // Quantization limits are those of the first pose; a body that leaves them
  // needs buildSet(), a new tree.
  void update(bool rebuild) {
    if (rebuild) {
      build(*m);
    } else {
      shape->postUpdate();
      shape->updateBound();
    }
  }
};
struct TwoGimpact {
  std::string variant;
  int threads = 1;
  bool rebuild;
  GimpactBody a, b;
  double bytes = 0;
  explicit TwoGimpact(bool rebuild) : variant(rebuild ? "gimpact/rebuild" : "gimpact/refit"), rebuild(rebuild) {}
  void build(Mesh& x, Mesh& y) {
    double h = drive::heap_bytes();
    a.build(x);
    b.build(y);
    bytes = drive::heap_bytes() - h;
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() { a.update(rebuild); b.update(rebuild); }
  long run(bool first) {
    btPairSet c;  // all leaf candidates are collected before the first test
    btTransform id = btTransform::getIdentity();
    a.shape->lockChildShapes();
    b.shape->lockChildShapes();
    btGImpactQuantizedBvh::find_collision(a.shape->getMeshPart(0)->getBoxSet(), id,
                                          b.shape->getMeshPart(0)->getBoxSet(), id, c);
    a.shape->unlockChildShapes();
    b.shape->unlockChildShapes();
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (int i = 0; i < c.size(); ++i)
      if (tt::pair<float>(*a.m, c[i].m_index1, *b.m, c[i].m_index2)) {
        out.push_back({c[i].m_index1, c[i].m_index2});
        if (first) break;
      }
    return long(out.size());
  }
  long all() { return run(false); }
  int first() { return run(true) > 0; }
};

// What an application gets: contact points of the narrow phase, from which the
// distinct triangle pairs are counted.
struct TwoGimpactContacts : TwoGimpact {
  struct Sink : btCollisionWorld::ContactResultCallback {
    std::set<std::pair<int, int>> pairs;
    btScalar addSingleResult(btManifoldPoint&, const btCollisionObjectWrapper*, int, int i,
                             const btCollisionObjectWrapper*, int, int j) override {
      pairs.insert({i, j});
      return 0;
    }
  };
  btGImpactCollisionAlgorithm::CreateFunc create;
  btDefaultCollisionConfiguration conf;
  btCollisionDispatcher disp{&conf};
  btDbvtBroadphase broad;
  btCollisionWorld world{&disp, &broad, &conf};
  btCollisionObject oa, ob;
  TwoGimpactContacts() : TwoGimpact(true) {
    variant = "gimpact/rebuild/contactPairTest";
    btGImpactCollisionAlgorithm::registerAlgorithm(&disp);
    // Without this one contactPairTest() silently reports nothing for GImpact.
    disp.registerClosestPointsCreateFunc(GIMPACT_SHAPE_PROXYTYPE, GIMPACT_SHAPE_PROXYTYPE, &create);
  }
  long all() {
    oa.setCollisionShape(a.shape.get());
    ob.setCollisionShape(b.shape.get());
    Sink s;
    world.contactPairTest(&oa, &ob, s);
    return long(s.pairs.size());
  }
  int first() { return -1; }
};

// Static-mesh tree with refit; Bullet has no mesh-mesh collision for it.
struct TwoBvhMesh {
  std::string variant = "bvhmesh/refitTree";
  int threads = 1;
  Mesh* m[2];
  std::unique_ptr<btTriangleIndexVertexArray> mesh[2];
  std::unique_ptr<btBvhTriangleMeshShape> shape[2];
  double bytes = 0;
  void build(Mesh& a, Mesh& b) {
    m[0] = &a;
    m[1] = &b;
    double h = drive::heap_bytes();
    for (int i = 0; i < 2; ++i) {
      mesh[i].reset(new btTriangleIndexVertexArray(int(m[i]->nt()), reinterpret_cast<int*>(m[i]->tri.data()),
                                                   sizeof(Tri), int(m[i]->nv()), &m[i]->pos[0].x, sizeof(V3)));
      shape[i].reset(new btBvhTriangleMeshShape(mesh[i].get(), true));
    }
    bytes = drive::heap_bytes() - h;
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() {
    for (int i = 0; i < 2; ++i) {
      drive::Box x = drive::body_box(*m[i]);
      shape[i]->refitTree(bt(x.lo), bt(x.hi));
    }
  }
  long all() { return -1; }
  int first() { return -1; }
};

struct RayMesh {
  std::string variant = "bvhmesh/refitTree";
  std::vector<Mesh>* m = nullptr;
  btTriangleIndexVertexArray mesh;
  std::unique_ptr<btBvhTriangleMeshShape> shape;
  struct Sink : btTriangleRaycastCallback {
    btVector3 n;
    int part = -1;
    bool any;
    Sink(const btVector3& a, const btVector3& b, bool any) : btTriangleRaycastCallback(a, b), any(any) {}
    btScalar reportHit(const btVector3& nn, btScalar f, int p, int) override {
      n = nn;
      part = p;
      return any ? 0 : f;
    }
  };
  void build(std::vector<Mesh>& mm) {
    m = &mm;
    for (auto& x : mm) {
      btIndexedMesh k;
      k.m_numTriangles = int(x.nt());
      k.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(x.tri.data());
      k.m_triangleIndexStride = sizeof(Tri);
      k.m_numVertices = int(x.nv());
      k.m_vertexBase = reinterpret_cast<const unsigned char*>(x.pos.data());
      k.m_vertexStride = sizeof(V3);
      mesh.addIndexedMesh(k);
    }
    shape.reset(new btBvhTriangleMeshShape(&mesh, true));
  }
  void update() {
    drive::Box b = drive::body_box((*m)[0]);
    for (auto& x : *m) {
      drive::Box c = drive::body_box(x);
      b.lo = {std::min(b.lo.x, c.lo.x), std::min(b.lo.y, c.lo.y), std::min(b.lo.z, c.lo.z)};
      b.hi = {std::max(b.hi.x, c.hi.x), std::max(b.hi.y, c.hi.y), std::max(b.hi.z, c.hi.z)};
    }
    shape->refitTree(bt(b.lo), bt(b.hi));
  }
  bool occluded(V3 o, V3 d) {
    Sink s(bt(o), bt(o + d), true);
    shape->performRaycast(&s, bt(o), bt(o + d));
    return s.part >= 0;
  }
  bool closest(V3 o, V3 d, bool, V3& p, V3& n, unsigned& body) {
    V3 far = o + normalize(d) * 30.0f;  // rays are segments
    Sink s(bt(o), bt(far), false);
    shape->performRaycast(&s, bt(o), bt(far));
    if (s.part < 0) return false;
    body = unsigned(s.part);
    p = o + (far - o) * s.m_hitFraction;
    n = normalize({s.n.x(), s.n.y(), s.n.z()});
    if (dot(n, d) > 0) n = n * -1.0f;
    return true;
  }
};

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  for (const char* name : {"S1", "S1P"})
    for (int n : S1_SIZES) {
      bool pressed = !strcmp(name, "S1P");
      if (!args.want(name) || n > args.max || (pressed && n != S1P_SIZES[0] && n != S1P_SIZES[1])) continue;
      { TwoDbvt p; drive::pairs(args, "bullet", name, n, p); }
      { TwoGimpact p(false); drive::pairs(args, "bullet", name, n, p, n > 100000 ? 2 : 1); }
      if (pressed) continue;
      { TwoBvhMesh p; drive::pairs(args, "bullet", name, n, p); }
      if (n > 20480) continue;
      { TwoGimpact p(true); drive::pairs(args, "bullet", name, n, p, 5); }
      { TwoGimpactContacts p; drive::pairs(args, "bullet", name, n, p, 10); }
    }
  if (args.want("S4")) { RayMesh p; drive::rays(args, "bullet", p, 5); }
  if (args.want("S3"))
    for (int n : S3_SIZES) { SelfDbvt p; drive::self(args, "bullet", n, p); }
  if (args.want("S2")) { ManyDbvt p; drive::bodies27(args, "bullet", p, 5); }
  bench::Row{"bullet", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
}
