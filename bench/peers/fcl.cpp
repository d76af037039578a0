// FCL 0.7: BVHModel with several bounding volumes; double precision unless the
// variant says float (Debian's library holds double only, so float is
// instantiated from the headers here).
#include <fcl/fcl.h>
#include "drivers.hpp"
#include "tritri.hpp"
using namespace scene;

template <class S> using Vec = fcl::Vector3<S>;

enum Mode { BOTTOM_UP, TOP_DOWN, REBUILD, UPDATE_MODEL };
static const char* const MODE[] = {"refit-bottomup", "refit-topdown", "rebuild", "updateModel-bottomup"};

template <class BV> struct Body {
  using S = typename BV::S;
  Mesh* m = nullptr;
  std::shared_ptr<fcl::BVHModel<BV>> model;
  std::vector<Vec<S>> p;
  void convert() {
    p.resize(m->nv());
    for (size_t i = 0; i < p.size(); ++i) p[i] = Vec<S>(m->pos[i].x, m->pos[i].y, m->pos[i].z);
  }
  void build(Mesh& mm) {
    m = &mm;
    convert();
    std::vector<fcl::Triangle> t;
    for (auto& k : mm.tri) t.emplace_back(k.v[0], k.v[1], k.v[2]);
    model = std::make_shared<fcl::BVHModel<BV>>();
    model->beginModel(int(t.size()), int(p.size()));
    model->addSubModel(p, t);
    model->endModel();
  }
  void update(Mode mode) {
    if (mode == UPDATE_MODEL) {  // keeps the last frame, volumes cover both
      model->beginUpdateModel();
      model->updateSubModel(p);
      model->endUpdateModel(true, true);
    } else {
      model->beginReplaceModel();
      model->replaceSubModel(p);
      model->endReplaceModel(mode != REBUILD, mode != TOP_DOWN);
    }
  }
};

// The public fcl::collide().  For AABB it copies both models on every call.
template <class BV> struct ViaApi {
  static const char* name() { return "api"; }
  static void collide(Body<BV>& a, Body<BV>& b, const fcl::CollisionRequest<typename BV::S>& q,
                      fcl::CollisionResult<typename BV::S>& r) {
    auto id = fcl::Transform3<typename BV::S>::Identity();
    fcl::collide<typename BV::S>(a.model.get(), id, b.model.get(), id, q, r);
  }
};
// fcl::detail traversal node, which skips the copies (not a public interface).
template <class BV> struct ViaNode {
  static const char* name() { return "detail-node"; }
  static void collide(Body<BV>& a, Body<BV>& b, const fcl::CollisionRequest<typename BV::S>& q,
                      fcl::CollisionResult<typename BV::S>& r) {
    auto t1 = fcl::Transform3<typename BV::S>::Identity(), t2 = t1;
    fcl::detail::MeshCollisionTraversalNode<BV> node;
    fcl::detail::initialize(node, *a.model, t1, *b.model, t2, q, r);
    fcl::detail::collide(&node);
  }
};

static std::string label(const char* bv, const char* via, Mode mode) {
  return std::string(bv) + "/" + via + "/" + MODE[mode];
}
const size_t ALL = size_t(1) << 40;

template <class BV, template <class> class Via> struct Two {
  using S = typename BV::S;
  std::string variant;
  int threads = 1;
  Mode mode;
  Body<BV> a, b;
  double bytes = 0;
  Two(const char* bv, Mode mode) : variant(label(bv, Via<BV>::name(), mode)), mode(mode) {}
  void build(Mesh& x, Mesh& y) {
    double h = drive::heap_bytes();
    a.build(x);
    b.build(y);
    bytes = drive::heap_bytes() - h - 2.0 * a.p.size() * sizeof(Vec<S>);  // own copy of positions apart
  }
  double tree_bytes() { return bytes; }
  void prepare() { a.convert(); b.convert(); }
  void update() { a.update(mode); b.update(mode); }
  long run(size_t most) {
    fcl::CollisionRequest<S> q(most, false);
    fcl::CollisionResult<S> r;
    Via<BV>::collide(a, b, q, r);
    return long(r.numContacts());
  }
  long all() { return run(ALL); }
  int first() { return run(1) > 0; }
};

template <class BV, template <class> class Via> struct Many {
  using S = typename BV::S;
  std::string variant;
  int threads = 1;
  Mode mode;
  std::vector<Body<BV>> b;
  Many(const char* bv, Mode mode) : variant(label(bv, Via<BV>::name(), mode)), mode(mode) {}
  void build(std::vector<Mesh>& m) {
    b.resize(m.size());
    for (size_t i = 0; i < m.size(); ++i) b[i].build(m[i]);
  }
  void prepare() { for (auto& x : b) x.convert(); }
  void update() { for (auto& x : b) x.update(mode); }
  long all() {
    std::vector<drive::Box> box;
    for (auto& x : b) box.push_back(drive::body_box(*x.m));
    long n = 0;
    for (size_t i = 0; i < b.size(); ++i)
      for (size_t j = i + 1; j < b.size(); ++j) {
        if (!drive::overlap(box[i], box[j])) continue;
        fcl::CollisionRequest<S> q(ALL, false);
        fcl::CollisionResult<S> r;
        Via<BV>::collide(b[i], b[j], q, r);
        n += long(r.numContacts());
      }
    return n;
  }
};

// Self collision is not a feature: the model is collided with a second handle
// of itself, every pair comes twice together with all neighbours, and the
// caller filters the contact list afterwards.
template <class BV, template <class> class Via> struct Self {
  using S = typename BV::S;
  std::string variant;
  int threads = 1;
  Mode mode;
  Body<BV> b;
  Self(const char* bv, Mode mode) : variant(label(bv, Via<BV>::name(), mode) + "/self+filter"), mode(mode) {}
  void build(Mesh& m) { b.build(m); }
  void prepare() { b.convert(); }
  void update() { b.update(mode); }
  long all() {
    fcl::CollisionRequest<S> q(ALL, false);
    fcl::CollisionResult<S> r;
    Via<BV>::collide(b, b, q, r);
    long n = 0;
    for (size_t i = 0; i < r.numContacts(); ++i) {
      const auto& c = r.getContact(i);
      n += c.b1 < c.b2 && !tt::share_vertex(b.m->tri[c.b1], b.m->tri[c.b2]);
    }
    return n;
  }
};

template <class BV> struct Dist {
  using S = typename BV::S;
  std::string variant;
  int threads = 1;
  Mode mode;
  Body<BV> a, b;
  Dist(const char* bv, Mode mode) : variant(label(bv, "api", mode)), mode(mode) {}
  void build(Mesh& x, Mesh& y) { a.build(x); b.build(y); }
  void prepare() { a.convert(); b.convert(); }
  void update() { a.update(mode); b.update(mode); }
  double distance() {
    fcl::DistanceRequest<S> q(false);
    fcl::DistanceResult<S> r;
    auto id = fcl::Transform3<S>::Identity();
    return fcl::distance<S>(a.model.get(), id, b.model.get(), id, q, r);
  }
};

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  using fcl::AABB; using fcl::OBBRSS; using fcl::OBB; using fcl::RSS; using fcl::kIOS; using fcl::KDOP;
  for (const char* name : {"S1", "S1P"})
    for (int n : S1_SIZES) {
      bool pressed = !strcmp(name, "S1P");
      if (!args.want(name) || n > args.max || (pressed && n != S1P_SIZES[0] && n != S1P_SIZES[1])) continue;
      const int slow = n <= 10000 ? 1 : n <= 20480 ? 10 : n <= 81920 ? 4 : 2;  // fewer frames for the oriented boxes
      { Two<AABB<double>, ViaNode> p("AABB", BOTTOM_UP); drive::pairs(args, "fcl", name, n, p); }
      { Two<AABB<double>, ViaApi> p("AABB", BOTTOM_UP); drive::pairs(args, "fcl", name, n, p); }
      { Two<AABB<float>, ViaNode> p("AABB-float", BOTTOM_UP); drive::pairs(args, "fcl", name, n, p); }
      { Two<OBBRSS<double>, ViaApi> p("OBBRSS", BOTTOM_UP); drive::pairs(args, "fcl", name, n, p, slow); }
      { Two<KDOP<double, 18>, ViaNode> p("KDOP18", BOTTOM_UP); drive::pairs(args, "fcl", name, n, p); }
      if (pressed || n > 20480) continue;
      { Two<OBB<double>, ViaApi> p("OBB", BOTTOM_UP); drive::pairs(args, "fcl", name, n, p, 10); }
      { Two<AABB<double>, ViaNode> p("AABB", TOP_DOWN); drive::pairs(args, "fcl", name, n, p, 5); }
      { Two<AABB<double>, ViaNode> p("AABB", REBUILD); drive::pairs(args, "fcl", name, n, p, 5); }
      { Two<AABB<double>, ViaNode> p("AABB", UPDATE_MODEL); drive::pairs(args, "fcl", name, n, p, 5); }
      { Two<OBBRSS<double>, ViaApi> p("OBBRSS", REBUILD); drive::pairs(args, "fcl", name, n, p, 10); }
      { Two<OBBRSS<double>, ViaApi> p("OBBRSS", TOP_DOWN); drive::pairs(args, "fcl", name, n, p, 10); }
    }
  if (args.want("S3"))
    for (int n : S3_SIZES) {
      { Self<AABB<double>, ViaNode> p("AABB", BOTTOM_UP); drive::self(args, "fcl", n, p, 5); }
      { Self<OBBRSS<double>, ViaApi> p("OBBRSS", BOTTOM_UP); drive::self(args, "fcl", n, p, 10); }
    }
  if (args.want("S6")) {
    { Dist<RSS<double>> p("RSS", BOTTOM_UP); drive::distance(args, "fcl", drive::resting(), p, 5); }
    { Dist<RSS<double>> p("RSS", TOP_DOWN); drive::distance(args, "fcl", drive::resting(), p, 5); }
  }
  if (args.want("S5"))
    for (int n : S5_SIZES) {
      { Dist<RSS<double>> p("RSS", BOTTOM_UP); drive::distance(args, "fcl", n, p, n > 1000 ? 20 : 5); }
      { Dist<OBBRSS<double>> p("OBBRSS", BOTTOM_UP); drive::distance(args, "fcl", n, p, n > 1000 ? 20 : 5); }
      { Dist<kIOS<double>> p("kIOS", BOTTOM_UP); drive::distance(args, "fcl", n, p, n > 1000 ? 20 : 5); }
      { Dist<RSS<double>> p("RSS", TOP_DOWN); drive::distance(args, "fcl", n, p, n > 1000 ? 20 : 5); }
      { Dist<RSS<double>> p("RSS", REBUILD); drive::distance(args, "fcl", n, p, n > 1000 ? 20 : 5); }
    }
  if (args.want("S2")) {
    { Many<AABB<double>, ViaNode> p("AABB", BOTTOM_UP); drive::bodies27(args, "fcl", p, 5); }
    { Many<OBBRSS<double>, ViaApi> p("OBBRSS", BOTTOM_UP); drive::bodies27(args, "fcl", p, 10); }
  }
  bench::Row{"fcl", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
}
