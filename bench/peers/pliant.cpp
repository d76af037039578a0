// Our own rows, played by the same drivers as the peers'.
//   hybrid             default settings, the caller's array read in place
//   hybrid/copy        positions copied when they are set
//   .../tree-order     vertices stored in the order in which the tree reads them (pl_body_vertex_order)
//   bottom-up          every volume before the query: the refit alone
//   top-down           no volume before the query
//   hybrid/scene       through pl_scene; with two threads the scene refreshes the volumes itself, so that the time of
//                      "update" is that of setting positions, and the sum of both is what counts
//   cones, boxes, hash (S3) the methods of pl_touching within one body; setting positions is the update
#include <pliant/pliant.h>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include "drivers.hpp"
#include "rays.hpp"
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
    pl_body_info info;
    need(pl_body_get_info(body, true, &info));
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
    pl_question def = pl_question_default();
    def.first = first;
    const pl_result* out = nullptr;
    need(pl_touching(pl_two(a.body, b.body), &def, &out));
    return long(out->count);
  }
  long all() { return run(false); }
  int first() { return run(true) > 0; }
  long near(double margin, double* measured) {
    const pl_result* out;
    pl_question def = pl_question_default();
    def.margin = margin;
    need(pl_near_triangles(pl_two(a.body, b.body), &def, &out));
    *measured = double(out->counters.n_p);
    return long(out->count);
  }
  double distance() {
    const pl_result* out;
    need(pl_nearest(pl_two(a.body, b.body), nullptr, &out));
    return out->distances[0].distance;
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
    pl_question def = pl_question_default();
    def.first = first;
    const pl_result* out = nullptr;
    need(pl_touching(pl_all(scene), &def, &out));
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

static void at_rest(const bench::Args& args) {
  for (const Setup& s : SETUPS) {
    if (!args.want_threads(1)) continue;
    { Two p(s); drive::distance(args, "pliant", drive::resting(), p); }
    Two p(s);
    drive::near(args, "pliant", p);
  }
}

// ---- S4: rays --------------------------------------------------------------
// Threads that take part in what the caller does between casts and, as the context's own job system, in the casts.
class Team {
  static const int SPIN = 2000;  // some 50 us: work comes in short pieces, and to sleep and be woken takes as long
  std::mutex m;
  std::condition_variable go, done;
  std::vector<std::thread> threads;
  std::function<void(int)> work;
  std::atomic<long> round{0};
  std::atomic<int> busy{0};
  bool ending = false;

  template <class F> static bool soon(F f) {
    for (int i = 0; i < SPIN; ++i) {
      if (f()) return true;
      __builtin_ia32_pause();
    }
    return false;
  }

 public:
  const int count;
  explicit Team(int n) : count(n) {
    for (int k = 1; k < n; ++k) threads.emplace_back([this, k] { loop(k); });
  }
  ~Team() {
    { std::lock_guard<std::mutex> lock(m); ending = true; ++round; }
    go.notify_all();
    for (auto& t : threads) t.join();
  }
  void loop(int k) {
    for (long seen = 0;;) {
      if (!soon([&] { return round != seen; })) {
        std::unique_lock<std::mutex> lock(m);
        go.wait(lock, [&] { return round != seen; });
      }
      seen = round;
      if (ending) return;
      work(k);
      if (--busy > 0) continue;
      std::lock_guard<std::mutex> lock(m);
      done.notify_one();
    }
  }
  void run(std::function<void(int)> f) {  // f(0) .. f(count - 1) at once
    if (count == 1) return f(0);
    {
      std::lock_guard<std::mutex> lock(m);
      work = std::move(f);
      busy = count - 1;
      ++round;
    }
    go.notify_all();
    work(0);
    if (soon([&] { return busy == 0; })) return;
    std::unique_lock<std::mutex> lock(m);
    done.wait(lock, [&] { return busy == 0; });
  }
  // Each begins with the tasks of its own part, whose rays it has written, and then helps with the parts of the others.
  static void parallel(void* team, pl_task task, void* data, int tasks, int) {
    Team& t = *static_cast<Team*>(team);
    struct alignas(64) Part { std::atomic<int> next; };
    std::vector<Part> part(t.count);
    for (int k = 0; k < t.count; ++k) part[k].next = int(long(tasks) * k / t.count);
    t.run([&](int k) {
      for (int j = 0; j < t.count; ++j) {
        int p = (k + j) % t.count, end = int(long(tasks) * (p + 1) / t.count);
        for (int i; (i = part[p].next.fetch_add(1)) < end;) task(data, i, k);
      }
    });
  }
};

// A frame in chunks of pixels, each chunk by stages: all primary rays, their shadows, all reflections, their shadows.
struct RayFrame {
  static const size_t CHUNK = 16384;
  struct Spot { V3 p, n, d; };  // what was hit, and from where
  Team& team;
  pl_scene* scene;
  std::vector<pl_ray> rays;
  std::vector<pl_hit> hits;
  std::vector<Spot> spots, next;
  struct alignas(64) Own : drive::Stats {};  // two of a team must not write to one line
  std::vector<Own> stats;
  RayFrame(Team& t, pl_scene* s) : team(t), scene(s), rays(CHUNK), hits(CHUNK), spots(CHUNK), next(CHUNK) {}

  void cast(size_t n, pl_ray_mode mode, bool coherent) {
    pl_question def = pl_question_default();
    def.ray_mode = mode;
    def.coherent = coherent;
    def.hits = hits.data();
    const pl_result* out;
    need(pl_cast(pl_all(scene), rays.data(), n, &def, &out));
  }
  // Each of the team fills its part of a list: first counted, then written where the part belongs, so that nothing moves.
  // wants(i) says whether item i is written, put(k, i, place) writes it.
  template <class W, class P> size_t fill(size_t n, W wants, P put) {
    std::vector<size_t> first(team.count + 1);
    size_t k = team.count;
    team.run([&](int i) {
      size_t count = 0;
      for (size_t j = n * i / k; j < n * (i + 1) / k; ++j) count += wants(j);
      first[i + 1] = count;
    });
    for (size_t i = 0; i < k; ++i) first[i + 1] += first[i];
    team.run([&](int i) {
      size_t at = first[i];
      for (size_t j = n * i / k; j < n * (i + 1) / k; ++j)
        if (wants(j)) put(i, j, at++);
    });
    return first[k];
  }
  static pl_ray make(V3 o, V3 d, double far) {
    return {{o.x, o.y, o.z}, {d.x, d.y, d.z}, 0, far};
  }
  void shadows(size_t n) {  // light by light: neighbours stay near each other
    for (V3 l : S4_LIGHT) {
      auto faces = [&](size_t i) { return dot(l - spots[i].p, spots[i].n) > 0; };
      size_t count = fill(n, faces, [&](int k, size_t i, size_t at) {
        const Spot& s = spots[i];
        ++stats[k].shadow;
        rays[at] = make(s.p + s.n * drive::RAY_BIAS, l - s.p, 1);
      });
      cast(count, PL_RAY_MODE_ANY, true);
      team.run([&](int k) {
        size_t of = team.count, end = count * (k + 1) / of;
        for (size_t i = count * k / of; i < end; ++i) stats[k].occluded += hits[i].triangle != PL_NONE;
      });
    }
  }
  // Rays and hits to spots.
  size_t land(size_t n, bool first) {
    auto hit = [&](size_t i) { return hits[i].triangle != PL_NONE; };
    return fill(n, hit, [&](int k, size_t i, size_t at) {
      const pl_hit& h = hits[i];
      const double *o = rays[i].origin, *d = rays[i].direction;
      V3 dir{float(d[0]), float(d[1]), float(d[2])};
      V3 normal = normalize({float(h.normal[0]), float(h.normal[1]), float(h.normal[2])});
      if (dot(normal, dir) > 0) normal = normal * -1.0f;
      next[at] = {V3{float(o[0]), float(o[1]), float(o[2])} + dir * float(h.t), normal, dir};
      ++(first ? stats[k].hits : stats[k].bounce_hits);
      if (first) stats[k].seen |= 1u << h.member;
    });
  }
  void chunk(const Camera& c, const uint32_t* pixels, size_t n) {
    auto every = [](size_t) { return true; };
    fill(n, every, [&](int k, size_t i, size_t at) {
      rays[at] = make(c.eye, s4_dir(c, pixels[i] & 0xffff, pixels[i] >> 16), INFINITY);
      ++stats[k].primary;
    });
    cast(n, PL_RAY_MODE_CLOSEST, true);
    n = land(n, true);
    std::swap(spots, next);
    if (!n) return;
    shadows(n);
    fill(n, every, [&](int k, size_t i, size_t at) {
      const Spot& s = spots[i];
      rays[at] = make(s.p + s.n * drive::RAY_BIAS, s.d - s.n * (2 * dot(s.d, s.n)), INFINITY);
      ++stats[k].bounce;
    });
    cast(n, PL_RAY_MODE_CLOSEST, true);
    n = land(n, false);
    std::swap(spots, next);
    if (n) shadows(n);
  }
  drive::Stats trace(const Camera& c, const std::vector<uint32_t>& pixels) {
    stats.assign(team.count, Own());
    for (size_t i = 0; i < pixels.size(); i += CHUNK) chunk(c, &pixels[i], std::min(CHUNK, pixels.size() - i));
    for (int k = 1; k < team.count; ++k) stats[0].add(stats[k]);
    return stats[0];
  }
};

// Every step-th pixel, by tiles of 32 x 32, in blocks of 8 x 8, in blocks of 4 x 2: neighbours in the list are neighbours
// in the picture at every scale that casts look at.
static void pixel_block(int x0, int y0, int x1, int y1, int level, int step, std::vector<uint32_t>& p) {
  const int width[3] = {32, 8, 4}, height[3] = {32, 8, 2};
  if (level == 3) {
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) p.push_back(uint32_t(y * step) << 16 | uint32_t(x * step));
    return;
  }
  for (int y = y0; y < y1; y += height[level])
    for (int x = x0; x < x1; x += width[level])
      pixel_block(x, y, std::min(x + width[level], x1), std::min(y + height[level], y1), level + 1, step, p);
}
static std::vector<uint32_t> pixel_order(int step) {
  std::vector<uint32_t> p;
  pixel_block(0, 0, (S4_W + step - 1) / step, (S4_H + step - 1) / step, 0, step, p);
  return p;
}

// The bodies of S4 in one scene.
struct RayWorld {
  Team team;
  pl_scene* scene = nullptr;
  std::vector<Mesh> m;
  std::vector<Body> body;
  RayWorld(const Setup& setup, int threads)
      : team(threads), m(S4_BODIES, geosphere(geo_freq(S4_TRIS))), body(S4_BODIES) {
    pl_context_def def = pl_context_def_default();
    def.threads = threads;
    def.parallel = Team::parallel;
    def.parallel_user = &team;
    if (pl_context_create(&def, &g_context) != PL_OK) exit(1);
    need(pl_scene_create(g_context, nullptr, &scene));
    for (int k = 0; k < S4_BODIES; ++k) {
      s4_pose(m[k], k, 0);
      body[k].build(g_context, m[k], setup);
      need(pl_scene_add(scene, body[k].body, nullptr));
    }
  }
  ~RayWorld() { pl_context_destroy(g_context); }
  void pose(int frame) {
    for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, frame);
    for (Body& b : body) b.prepare();
  }
};

static void ray_scene(const bench::Args& args, const Setup& setup, int threads) {
  bench::Row r{"pliant", setup.variant, "S4", long(S4_BODIES) * S4_TRIS, threads};
  if (!args.want_variant(r.variant)) return;
  RayWorld world(setup, threads);
  std::vector<Body>& body = world.body;
  const int steps[3] = {1, 5, 10};
  const char* res[3] = {"640x480", "128x96", "64x48"};
  auto frame = frames(S4_FRAMES, args.stride);
  bench::PerStep up(frame), both[3] = {up, up, up};
  RayFrame rays(world.team, world.scene);
  drive::Stats last[3];
  std::vector<uint32_t> pixels[3];
  for (int k = 0; k < 3; ++k) pixels[k] = pixel_order(steps[k]);
  for (int rep = 0; rep < args.reps; ++rep)
    for (size_t f = 0; f < frame.size(); ++f) {
      world.pose(frame[f]);
      Camera c = s4_camera(frame[f]);
      for (int k = 0; k < 3; ++k)  // volumes are made where rays go: update and trace are one
        both[k].least(f, bench::time_ms(threads, [&] {
          for (Body& b : body) b.set();
          last[k] = rays.trace(c, pixels[k]);
        }));
      up.least(f, bench::time_ms(threads, [&] {
        for (Body& b : body) b.update();
      }));
    }
  r.time("update", up);
  for (int k = 0; k < 3; ++k) {
    r.time((std::string("update+trace_") + res[k]).c_str(), both[k]);
    r.out((std::string("rays_last_") + res[k]).c_str(), double(last[k].rays()), "rays");
    r.out((std::string("hits_last_") + res[k]).c_str(), double(last[k].hits), "rays");
  }
}

// What the rays in a row hit, as the timed pictures cast them; answers[begin..) of all rays of one frame and mode.
static void cast_recorded(RayWorld& w, const std::vector<rays::Record>& list, size_t begin, size_t end,
                          std::vector<rays::Answer>& answers) {
  RayFrame frame(w.team, w.scene);
  std::vector<size_t> which;
  auto flush = [&](bool any) {
    if (which.empty()) return;
    frame.cast(which.size(), any ? PL_RAY_MODE_ANY : PL_RAY_MODE_CLOSEST, true);
    for (size_t i = 0; i < which.size(); ++i)
      answers[which[i]] = {frame.hits[i].member, frame.hits[i].triangle, frame.hits[i].t};
    which.clear();
  };
  for (int any = 0; any < 2; ++any) {
    for (size_t i = begin; i < end; ++i) {
      const rays::Record& r = list[i];
      if (r.any != any) continue;
      frame.rays[which.size()] = {{r.origin[0], r.origin[1], r.origin[2]},
                                  {r.direction[0], r.direction[1], r.direction[2]}, 0, r.t_max};
      which.push_back(i);
      if (which.size() == RayFrame::CHUNK) flush(any);
    }
    flush(any);
  }
}

static bool same_answer(const rays::Record& r, const rays::Answer& a, const rays::Answer& b) {
  if (r.any) return (a.triangle == rays::NONE) == (b.triangle == rays::NONE);
  return a.body == b.body && a.triangle == b.triangle && a.t == b.t;
}

// Embree's rays again. The first of our variants is compared with Embree, the others with the first: they must be equal.
static void compare_rays(const bench::Args& args) {
  std::vector<rays::Record> list = rays::read(args.rays);
  std::vector<rays::Answer> first(list.size()), again(list.size());
  rays::Tally tally;
  long variants = 0;
  for (int threads : {1, 2})
    for (const Setup& s : SETUPS) {
      if (!args.want_threads(threads) || !s.borrow || s.strategy == PL_STRATEGY_TOP_DOWN) continue;
      RayWorld w(s, threads);
      std::vector<rays::Answer>& answers = variants ? again : first;
      for (size_t begin = 0, end; begin < list.size(); begin = end) {
        for (end = begin; end < list.size() && list[end].frame == list[begin].frame; ++end) {}
        w.pose(list[begin].frame);
        for (Body& b : w.body) b.set();
        cast_recorded(w, list, begin, end, answers);
        for (size_t i = begin; i < end; ++i)
          if (!variants) tally.add(list[i], answers[i], w.m);
          else if (!same_answer(list[i], answers[i], first[i])) {
            fprintf(stderr, "S4: ray %zu of %s has another hit with %s and %d thread(s)\n", i, args.rays.c_str(),
                    s.variant, threads);
            exit(1);
          }
      }
      ++variants;
    }
  bench::Row r{"rays", "embree/refit", "S4", long(S4_BODIES) * S4_TRIS, 1};
  r.out("rays_compared", double(tally.compared), "rays");
  r.out("rays_differ", double(tally.differ), "rays");
  r.out("rays_unexplained", double(tally.unexplained), "rays");
  r.out("t_error_used", tally.used, "of the bound");
  r.out("variants_equal", double(variants), "variants");
}

// A body against itself.
struct Self {
  std::string variant;
  int threads;
  pl_self_method method;
  pl_context* context;
  Body body;
  Self(const char* name, pl_self_method m, int n) : variant(name), threads(n), method(m), context(open_context(n)) {}
  ~Self() { pl_context_destroy(context); }
  void build(Mesh& m) { body.build(context, m, SETUPS[0]); }
  void prepare() {}
  void update() { body.set(); }
  long all() {
    pl_question def = pl_question_default();
    def.self_method = method;
    const pl_result* out = nullptr;
    need(pl_touching(pl_self(body.body), &def, &out));
    return long(out->count);
  }
};

static void captured_themselves(const bench::Args& args) {
  for (Captured& c : captured(args, true))
    for (int threads : {1, 2}) {
      if (!args.want_threads(threads)) continue;
      { Self p("cones", PL_SELF_METHOD_CONES, threads); drive::self(args, "pliant", c, p); }
      if (threads > 1) continue;
      { Self p("boxes", PL_SELF_METHOD_BOXES, threads); drive::self(args, "pliant", c, p); }
    }
}

static void cloth_itself(const bench::Args& args) {
  for (int n : S3_SIZES) {
    if (2L * n * n > args.max) continue;
    for (int threads : {1, 2}) {
      if (!args.want_threads(threads)) continue;
      { Self p("cones", PL_SELF_METHOD_CONES, threads); drive::self(args, "pliant", n, p); }
      if (threads > 1) continue;
      { Self p("boxes", PL_SELF_METHOD_BOXES, threads); drive::self(args, "pliant", n, p); }
      { Self p("hash", PL_SELF_METHOD_HASH, threads); drive::self(args, "pliant", n, p, 5); }
    }
  }
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  if (!args.rays.empty()) return compare_rays(args), 0;
  for (int n : S1_SIZES)
    if (args.want("S1") && n <= args.max) two_bodies(args, "S1", n);
  for (int n : S1P_SIZES)
    if (args.want("S1P") && n <= args.max) two_bodies(args, "S1P", n);
  if (args.want("S2")) many_bodies(args);
  if (args.want("S3")) {
    cloth_itself(args);
    captured_themselves(args);
  }
  if (args.want("S5")) distances(args);
  if (args.want("S6")) at_rest(args);
  for (int threads : {1, 2})
    if (args.want("S4") && args.want_threads(threads))
      for (const Setup& s : SETUPS)
        if (s.borrow && s.strategy != PL_STRATEGY_TOP_DOWN) ray_scene(args, s, threads);
  bench::Row{"pliant", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
}
