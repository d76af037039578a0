// Our own rows, played by the same drivers as the peers'.
//   hybrid             default settings, the caller's array read in place
//   hybrid/copy        positions copied when they are set
//   .../tree-order     vertices stored in the order in which the tree reads them (pl_body_vertex_order)
//   bottom-up          every volume before the query: the refit alone
//   top-down           no volume before the query
//   hybrid/scene       through pl_scene; with two threads the scene refreshes the volumes itself, so that the time of
//                      "update" is that of setting positions, and the sum of both is what counts
#include <pliant/pliant.h>
#include "drivers.hpp"
using namespace scene;

static pl_context* g_context = nullptr;  // of the running peer
static void need(pl_status s) {
  if (s == PL_OK) return;
  fprintf(stderr, "pliant: %s: %s\n", pl_status_text(s), pl_context_message(g_context));
  exit(1);
}

struct Setup {
  const char* variant;
  pl_strategy strategy;
  bool borrow, tree_order;
};
const Setup SETUPS[] = {{"hybrid", PL_STRATEGY_HYBRID, true, false},
                        {"hybrid/copy", PL_STRATEGY_HYBRID, false, false},
                        {"hybrid/tree-order", PL_STRATEGY_HYBRID, true, true},
                        {"bottom-up", PL_STRATEGY_BOTTOM_UP, true, false},
                        {"bottom-up/tree-order", PL_STRATEGY_BOTTOM_UP, true, true},
                        {"top-down", PL_STRATEGY_TOP_DOWN, true, false}};
const Setup SCENE_SETUP = {"hybrid/scene", PL_STRATEGY_HYBRID, true, false};

static pl_context* open_context(int threads) {
  pl_context_def def = pl_context_def_default();
  def.threads = threads;
  pl_status s = pl_context_create(&def, &g_context);
  if (s != PL_OK) {
    fprintf(stderr, "pliant: %s\n", pl_status_text(s));
    exit(1);
  }
  return g_context;
}

static pl_body* make_body(pl_context* c, const V3* pos, size_t nv, const Tri* tri, size_t nt, const Setup& s) {
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(&pos->x, nv);
  mesh.triangles = tri->v;
  mesh.triangle_count = nt;
  pl_body_def def = pl_body_def_default();
  def.strategy = s.strategy;
  def.borrow = s.borrow;
  pl_body* body = nullptr;
  need(pl_body_create_free(c, &mesh, &def, &body));
  return body;
}

struct Body {
  Mesh* m = nullptr;
  pl_body* body = nullptr;
  std::vector<uint32_t> order;  // only with tree_order, and so are these:
  std::vector<V3> pos;
  std::vector<Tri> tri;
  void build(pl_context* c, Mesh& mesh, const Setup& s) {
    m = &mesh;
    body = make_body(c, m->pos.data(), m->nv(), m->tri.data(), m->nt(), s);
    if (!s.tree_order) return;
    order.resize(m->nv());
    need(pl_body_vertex_order(body, order.data(), order.size()));
    pl_body_destroy(body);
    std::vector<uint32_t> place(m->nv());
    for (size_t k = 0; k < order.size(); ++k) place[order[k]] = uint32_t(k);
    tri = m->tri;
    for (Tri& t : tri)
      for (uint32_t& v : t.v) v = place[v];
    pos.resize(m->nv());
    prepare();
    body = make_body(c, pos.data(), m->nv(), tri.data(), m->nt(), s);
  }
  void prepare() {
    for (size_t k = 0; k < order.size(); ++k) pos[k] = m->pos[order[k]];
  }
  void set() {
    const V3* p = order.empty() ? m->pos.data() : pos.data();
    need(pl_body_set_positions(body, pl_positions_f32(&p->x, m->nv())));
  }
  void update() {
    set();
    need(pl_body_update(body, nullptr));
  }
  double bytes() {
    pl_tree_info info;
    need(pl_body_tree_info(body, &info));
    return double(info.bytes);
  }
};

struct Two {
  std::string variant;
  int threads = 1;
  const Setup& setup;
  pl_context* context;
  Body a, b;
  explicit Two(const Setup& s) : variant(s.variant), setup(s), context(open_context(1)) {}
  ~Two() { pl_context_destroy(context); }
  void build(Mesh& x, Mesh& y) {
    a.build(context, x, setup);
    b.build(context, y, setup);
  }
  double tree_bytes() { return a.bytes() + b.bytes(); }
  void prepare() {
    a.prepare();
    b.prepare();
  }
  void update() {
    a.update();
    b.update();
  }
  long run(bool first) {
    pl_collide_def def = pl_collide_def_default();
    def.first = first;
    const pl_pairs* out = nullptr;
    need(pl_body_collide(a.body, b.body, &def, &out));
    return long(out->count);
  }
  long all() { return run(false); }
  int first() { return run(true) > 0; }
  double distance() {
    pl_distance out;
    need(pl_body_distance(a.body, b.body, nullptr, &out));
    return out.distance;
  }
};

// Two bodies or many, by way of a scene.
struct InScene {
  std::string variant;
  int threads;
  const Setup& setup;
  pl_context* context;
  pl_scene* scene = nullptr;
  std::vector<Body> b;
  InScene(const Setup& s, int threads)
      : variant(s.variant), threads(threads), setup(s), context(open_context(threads)) {}
  ~InScene() { pl_context_destroy(context); }
  void build(const std::vector<Mesh*>& m) {
    need(pl_scene_create(context, nullptr, &scene));
    b.resize(m.size());
    for (size_t i = 0; i < m.size(); ++i) {
      b[i].build(context, *m[i], setup);
      need(pl_scene_add(scene, b[i].body, nullptr));
    }
  }
  void build(Mesh& x, Mesh& y) { build(std::vector<Mesh*>{&x, &y}); }
  void build(std::vector<Mesh>& m) {
    std::vector<Mesh*> p;
    for (Mesh& x : m) p.push_back(&x);
    build(p);
  }
  double tree_bytes() {
    double n = 0;
    for (Body& x : b) n += x.bytes();
    return n;
  }
  void prepare() {
    for (Body& x : b) x.prepare();
  }
  void update() {
    for (Body& x : b) threads == 1 ? x.update() : x.set();
  }
  long run(bool first) {
    pl_collide_def def = pl_collide_def_default();
    def.first = first;
    const pl_contacts* out = nullptr;
    need(pl_scene_collide(scene, &def, &out));
    return long(out->count);
  }
  long all() { return run(false); }
  int first() { return run(true) > 0; }
};

static void two_bodies(const bench::Args& args, const char* name, int n) {
  for (int threads : {1, 2}) {
    if (!args.want_threads(threads)) continue;
    if (threads == 1)
      for (const Setup& s : SETUPS) {
        Two p(s);
        drive::pairs(args, "pliant", name, n, p, 1, true);
      }
    InScene p(SCENE_SETUP, threads);
    drive::pairs(args, "pliant", name, n, p, 1, true);
  }
}

static void many_bodies(const bench::Args& args) {
  for (int threads : {1, 2}) {
    if (!args.want_threads(threads)) continue;
    InScene scene(SCENE_SETUP, threads);
    drive::bodies27(args, "pliant", scene);
    if (threads != 1) continue;
    for (const Setup& s : SETUPS) {
      InScene p(s, threads);
      p.variant += "/scene";
      if (p.variant != SCENE_SETUP.variant) drive::bodies27(args, "pliant", p);
    }
  }
}

static void distances(const bench::Args& args) {
  for (int n : S5_SIZES)
    for (const Setup& s : SETUPS) {
      if (n > args.max || !args.want_threads(1)) continue;
      Two p(s);
      drive::distance(args, "pliant", n, p);
    }
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  for (int n : S1_SIZES)
    if (args.want("S1") && n <= args.max) two_bodies(args, "S1", n);
  for (int n : S1P_SIZES)
    if (args.want("S1P") && n <= args.max) two_bodies(args, "S1P", n);
  if (args.want("S2")) many_bodies(args);
  if (args.want("S5")) distances(args);
  bench::Row{"pliant", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
}
