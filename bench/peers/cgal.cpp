// CGAL 5.5: box_intersection_d (no tree, the box sort is done anew at each
// query), AABB_tree (no refit, rebuilt at each step) and
// Polygon_mesh_processing::self_intersections.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/box_intersection_d.h>
#include "drivers.hpp"
#include "tritri.hpp"
using namespace scene;

typedef CGAL::Exact_predicates_inexact_constructions_kernel Epick;
typedef CGAL::Simple_cartesian<double> Plain;

struct Stop {};  // thrown out of a callback: the only way to end box_intersection_d early

template <class K> typename K::Triangle_3 triangle(const Mesh& m, size_t t) {
  auto p = [&](int i) { V3 v = m.pos[m.tri[t].v[i]]; return typename K::Point_3(v.x, v.y, v.z); };
  return typename K::Triangle_3(p(0), p(1), p(2));
}

typedef CGAL::Box_intersection_d::Box_with_info_d<float, 3, uint32_t> Box;
static void fill(const Mesh& m, std::vector<Box>& out) {
  out.clear();
  for (size_t t = 0; t < m.nt(); ++t) {
    const Tri& k = m.tri[t];
    V3 a = m.pos[k.v[0]], b = m.pos[k.v[1]], c = m.pos[k.v[2]];
    float lo[3] = {std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y}), std::min({a.z, b.z, c.z})};
    float hi[3] = {std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y}), std::max({a.z, b.z, c.z})};
    out.emplace_back(lo, hi, uint32_t(t));
  }
}

// Callback with the exact-predicate triangle test of kernel K.
template <class K> long box_pairs(const Mesh& a, std::vector<Box>& ba, const Mesh& b, std::vector<Box>& bb,
                                  bool first) {
  std::vector<std::pair<uint32_t, uint32_t>> out;
  auto hit = [&](const Box& x, const Box& y) {
    if (!CGAL::do_intersect(triangle<K>(a, x.info()), triangle<K>(b, y.info()))) return;
    out.push_back({x.info(), y.info()});
    if (first) throw Stop();
  };
  try {
    CGAL::box_intersection_d(ba.begin(), ba.end(), bb.begin(), bb.end(), hit);
  } catch (Stop&) {
  }
  return long(out.size());
}

template <class K> struct TwoBoxes {
  std::string variant;
  int threads = 1;
  Mesh *a = nullptr, *b = nullptr;
  std::vector<Box> ba, bb;
  explicit TwoBoxes(const char* k) : variant(std::string("box_intersection_d/") + k) {}
  void build(Mesh& x, Mesh& y) { a = &x; b = &y; update(); }
  double tree_bytes() { return double(ba.size() + bb.size()) * sizeof(Box); }
  void prepare() {}
  void update() { fill(*a, ba); fill(*b, bb); }
  long all() { return box_pairs<K>(*a, ba, *b, bb, false); }
  int first() { return box_pairs<K>(*a, ba, *b, bb, true) > 0; }
};

template <class K> struct Tree {
  typedef typename K::Triangle_3 T3;
  typedef typename std::vector<T3>::const_iterator It;
  typedef CGAL::AABB_triangle_primitive<K, It> Prim;
  typedef CGAL::AABB_tree<CGAL::AABB_traits<K, Prim>> Type;
  std::vector<T3> tri;
  Type tree;
  void refresh(const std::vector<const Mesh*>& ms) {  // no refit exists: start over
    tri.clear();
    for (const Mesh* m : ms)
      for (size_t t = 0; t < m->nt(); ++t) tri.push_back(triangle<K>(*m, t));
    tree.rebuild(tri.begin(), tri.end());
    tree.build();
  }
};

template <class K> struct TwoTree {  // tree of B, one query per triangle of A
  std::string variant;
  int threads = 1;
  Mesh *a = nullptr, *b = nullptr;
  Tree<K> t;
  double bytes = 0;
  explicit TwoTree(const char* k) : variant(std::string("AABB_tree-of-B/") + k) {}
  void build(Mesh& x, Mesh& y) {
    a = &x;
    b = &y;
    double h = drive::heap_bytes();
    update();
    bytes = 2 * (drive::heap_bytes() - h);  // as if both bodies had one
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() { t.refresh({b}); }
  long all() {
    std::vector<typename Tree<K>::Prim::Id> out;
    for (size_t i = 0; i < a->nt(); ++i) t.tree.all_intersected_primitives(triangle<K>(*a, i), std::back_inserter(out));
    return long(out.size());
  }
  int first() {
    for (size_t i = 0; i < a->nt(); ++i)
      if (t.tree.do_intersect(triangle<K>(*a, i))) return 1;
    return 0;
  }
};

struct Many {
  std::string variant = "box_intersection_d/Epick";
  int threads = 1;
  std::vector<Mesh>* m = nullptr;
  std::vector<std::vector<Box>> b;
  void build(std::vector<Mesh>& mm) { m = &mm; b.resize(mm.size()); update(); }
  void prepare() {}
  void update() { for (size_t i = 0; i < b.size(); ++i) fill((*m)[i], b[i]); }
  long all() {
    std::vector<drive::Box> box;
    for (auto& x : *m) box.push_back(drive::body_box(x));
    long n = 0;
    for (size_t i = 0; i < b.size(); ++i)
      for (size_t j = i + 1; j < b.size(); ++j)
        if (drive::overlap(box[i], box[j])) n += box_pairs<Epick>((*m)[i], b[i], (*m)[j], b[j], false);
    return n;
  }
};

struct SelfBoxes {
  std::string variant = "box_self_intersection_d/Epick";
  int threads = 1;
  Mesh* m = nullptr;
  std::vector<Box> b;
  void build(Mesh& mm) { m = &mm; }
  void prepare() {}
  void update() { fill(*m, b); }
  long all() {
    long n = 0;
    CGAL::box_self_intersection_d(b.begin(), b.end(), [&](const Box& x, const Box& y) {
      if (tt::share_vertex(m->tri[x.info()], m->tri[y.info()])) return;
      n += CGAL::do_intersect(triangle<Epick>(*m, x.info()), triangle<Epick>(*m, y.info()));
    });
    return n;
  }
};

struct SelfPmp {
  typedef CGAL::Surface_mesh<Epick::Point_3> Sm;
  std::string variant = "PMP::self_intersections";
  int threads = 1;
  Mesh* m = nullptr;
  Sm sm;
  void build(Mesh& mm) {
    m = &mm;
    for (size_t i = 0; i < mm.nv(); ++i) sm.add_vertex(Epick::Point_3(0, 0, 0));
    for (auto& t : mm.tri) sm.add_face(Sm::Vertex_index(t.v[0]), Sm::Vertex_index(t.v[1]), Sm::Vertex_index(t.v[2]));
  }
  void prepare() {}
  void update() {
    for (size_t i = 0; i < m->nv(); ++i)
      sm.point(Sm::Vertex_index(Sm::size_type(i))) = Epick::Point_3(m->pos[i].x, m->pos[i].y, m->pos[i].z);
  }
  long all() {
    std::vector<std::pair<Sm::Face_index, Sm::Face_index>> out;
    CGAL::Polygon_mesh_processing::self_intersections<CGAL::Sequential_tag>(sm, std::back_inserter(out));
    long n = 0;
    for (auto& p : out) n += !tt::share_vertex(m->tri[p.first], m->tri[p.second]);
    return n;
  }
};

// Point-based only: vertices of A against B and of B against A, an upper bound
// of the mesh distance (edge-edge cases are missed).
struct Dist {
  std::string variant = "AABB_tree-points/Plain";
  int threads = 1;
  Mesh *a = nullptr, *b = nullptr;
  Tree<Plain> ta, tb;
  void build(Mesh& x, Mesh& y) { a = &x; b = &y; }
  void prepare() {}
  void update() {
    ta.refresh({a});
    tb.refresh({b});
  }
  double distance() {
    double best = 1e300;
    Plain::Point_3 hint = ta.tri[0].vertex(0);
    auto half = [&](const Mesh& m, Tree<Plain>& t) {
      hint = t.tri[0].vertex(0);
      for (size_t i = 0; i < m.nv(); ++i) {
        Plain::Point_3 p(m.pos[i].x, m.pos[i].y, m.pos[i].z);
        hint = t.tree.closest_point(p, hint);  // last answer as hint
        best = std::min(best, CGAL::squared_distance(p, hint));
      }
    };
    half(*a, tb);
    half(*b, ta);
    return std::sqrt(best);
  }
};

struct RayTree {
  std::string variant = "AABB_tree/Plain";
  Tree<Plain> t;
  std::vector<const Mesh*> m;
  void build(std::vector<Mesh>& mm) {
    for (auto& x : mm) m.push_back(&x);
    update();
  }
  void update() { t.refresh(m); }
  static Plain::Point_3 pt(V3 v) { return Plain::Point_3(v.x, v.y, v.z); }
  bool occluded(V3 o, V3 d) { return t.tree.do_intersect(Plain::Segment_3(pt(o), pt(o + d))); }
  bool closest(V3 o, V3 d, bool, V3& p, V3& n, unsigned& body) {
    auto h = t.tree.first_intersection(Plain::Ray_3(pt(o), pt(o + d)));
    if (!h) return false;
    const Plain::Point_3* q = boost::get<Plain::Point_3>(&h->first);
    if (!q) return false;
    p = {float(q->x()), float(q->y()), float(q->z())};
    auto v = CGAL::normal(h->second->vertex(0), h->second->vertex(1), h->second->vertex(2));
    n = normalize({float(v.x()), float(v.y()), float(v.z())});
    if (dot(n, d) > 0) n = n * -1.0f;
    body = unsigned(h->second - t.tri.cbegin()) / S4_TRIS;
    return true;
  }
};

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  for (const char* name : {"S1", "S1P"})
    for (int n : S1_SIZES) {
      bool pressed = !strcmp(name, "S1P");
      if (!args.want(name) || n > args.max || (pressed && n != S1P_SIZES[0] && n != S1P_SIZES[1])) continue;
      int k = n > 5000 ? 5 : 1;
      { TwoBoxes<Epick> p("Epick"); drive::pairs(args, "cgal", name, n, p, n > 20480 ? 2 : k); }
      if (!pressed && n <= 81920) {
        { TwoTree<Epick> p("Epick"); drive::pairs(args, "cgal", name, n, p, n > 20480 ? 4 : 4 * k); }
        { TwoTree<Plain> p("Plain-double"); drive::pairs(args, "cgal", name, n, p, n > 20480 ? 4 : 4 * k); }
      }
    }
  if (args.want("S4")) { RayTree p; drive::rays(args, "cgal", p, 15); }
  if (args.want("S3"))
    for (Captured& c : captured(args, false)) {
      { SelfBoxes p; drive::self(args, "cgal", c, p); }
      { SelfPmp p; drive::self(args, "cgal", c, p); }
    }
  if (args.want("S3"))
    for (int n : S3_SIZES) {
      { SelfBoxes p; drive::self(args, "cgal", n, p, n > 128 ? 2 : 5); }
      { SelfPmp p; drive::self(args, "cgal", n, p, n > 128 ? 2 : 5); }
    }
  if (args.want("S6")) { Dist p; drive::distance(args, "cgal", drive::resting(), p, 5); }
  if (args.want("S5"))
    for (int n : S5_SIZES) { Dist p; drive::distance(args, "cgal", n, p, n > 1000 ? 20 : 5); }
  if (args.want("S2")) { Many p; drive::bodies27(args, "cgal", p, 10); }
  bench::Row{"cgal", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
}
