// Embree 3: rtcCollide needs user geometry, so triangles are user primitives
// with a bounds callback for S1-S3; rays (S4) and point queries (S5) use native
// triangle geometry.
#include <embree3/rtcore.h>
#include <atomic>
#include <mutex>
#include <thread>
#include "drivers.hpp"
#include "rays.hpp"
#include "tritri.hpp"
using namespace scene;

static std::atomic<long> g_bytes{0};  // bytes Embree holds, by its own monitor
static bool monitor(void*, ssize_t bytes, bool) { g_bytes += bytes; return true; }
static void fail(void*, RTCError e, const char* s) { fprintf(stderr, "embree error %d: %s\n", e, s); exit(1); }

static RTCDevice device(int threads) {
  RTCDevice d = rtcNewDevice(("threads=" + std::to_string(threads)).c_str());
  rtcSetDeviceErrorFunction(d, fail, nullptr);
  g_bytes = 0;
  rtcSetDeviceMemoryMonitorFunction(d, monitor, nullptr);
  return d;
}

enum Mode { REFIT, LOW, MEDIUM };
static const char* const MODE[] = {"refit", "rebuild-low", "rebuild-medium"};
static RTCBuildQuality quality(Mode m) {
  return m == REFIT ? RTC_BUILD_QUALITY_REFIT : m == LOW ? RTC_BUILD_QUALITY_LOW : RTC_BUILD_QUALITY_MEDIUM;
}

static void tri_bounds(const RTCBoundsFunctionArguments* a) {
  const Mesh& m = *static_cast<const Mesh*>(a->geometryUserPtr);
  const Tri& t = m.tri[a->primID];
  V3 p = m.pos[t.v[0]], q = m.pos[t.v[1]], r = m.pos[t.v[2]];
  RTCBounds& b = *a->bounds_o;
  b.lower_x = std::min(p.x, std::min(q.x, r.x));
  b.lower_y = std::min(p.y, std::min(q.y, r.y));
  b.lower_z = std::min(p.z, std::min(q.z, r.z));
  b.upper_x = std::max(p.x, std::max(q.x, r.x));
  b.upper_y = std::max(p.y, std::max(q.y, r.y));
  b.upper_z = std::max(p.z, std::max(q.z, r.z));
}

static RTCScene new_scene(RTCDevice d, Mode mode) {
  RTCScene s = rtcNewScene(d);
  // Without the DYNAMIC flag the whole scene is rebuilt at every commit.
  rtcSetSceneFlags(s, mode == MEDIUM ? RTC_SCENE_FLAG_NONE : RTC_SCENE_FLAG_DYNAMIC);
  rtcSetSceneBuildQuality(s, mode == MEDIUM ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_LOW);
  return s;
}
static RTCGeometry add_user(RTCDevice d, RTCScene s, Mesh& m, Mode mode) {
  RTCGeometry g = rtcNewGeometry(d, RTC_GEOMETRY_TYPE_USER);
  rtcSetGeometryUserPrimitiveCount(g, unsigned(m.nt()));
  rtcSetGeometryUserData(g, &m);
  rtcSetGeometryBoundsFunction(g, tri_bounds, nullptr);
  rtcSetGeometryBuildQuality(g, quality(mode));
  rtcCommitGeometry(g);
  rtcAttachGeometry(s, g);
  rtcReleaseGeometry(g);
  return g;
}
static RTCGeometry add_triangles(RTCDevice d, RTCScene s, Mesh& m, Mode mode) {
  RTCGeometry g = rtcNewGeometry(d, RTC_GEOMETRY_TYPE_TRIANGLE);
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, m.pos.data(), 0, sizeof(V3), m.nv());
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, m.tri.data(), 0, sizeof(Tri), m.nt());
  rtcSetGeometryBuildQuality(g, quality(mode));
  rtcCommitGeometry(g);
  rtcAttachGeometry(s, g);
  rtcReleaseGeometry(g);
  return g;
}
static void touch(RTCGeometry g, bool native) {
  if (native) rtcUpdateGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(g);
}

struct Hits {  // pair output; callbacks of several threads append under a lock
  std::vector<Mesh>* bodies = nullptr;  // by geomID, or
  Mesh *a = nullptr, *b = nullptr;      // the two bodies
  bool self = false, stop_at_first = false;
  std::atomic<bool> found{false};
  std::mutex lock;
  std::vector<std::pair<uint32_t, uint32_t>> out;
  long candidates = 0;
};
static void on_collide(void* ptr, RTCCollision* c, unsigned n) {
  Hits& h = *static_cast<Hits*>(ptr);
  if (h.stop_at_first && h.found) return;  // the traversal itself cannot be ended
  std::pair<uint32_t, uint32_t> local[64];
  unsigned k = 0;
  auto flush = [&] {
    std::lock_guard<std::mutex> g(h.lock);
    h.out.insert(h.out.end(), local, local + k);
    k = 0;
  };
  for (unsigned i = 0; i < n; ++i) {
    uint32_t p = c[i].primID0, q = c[i].primID1;
    const Mesh *a = h.a, *b = h.b;
    if (h.bodies) {
      if (c[i].geomID0 >= c[i].geomID1) continue;
      a = &(*h.bodies)[c[i].geomID0];
      b = &(*h.bodies)[c[i].geomID1];
    } else if (h.self && (p >= q || tt::share_vertex(a->tri[p], a->tri[q]))) {
      continue;
    }
    if (!tt::pair<float>(*a, p, *b, q)) continue;
    if (k == 64) flush();
    local[k++] = {p, q};
    if (h.stop_at_first) { h.found = true; break; }
  }
  if (k) flush();
}

struct TwoBodies {
  std::string variant;
  int threads;
  Mode mode;
  RTCDevice dev = nullptr;
  RTCScene s[2];
  RTCGeometry g[2];
  Mesh* m[2];
  double bytes = 0;
  TwoBodies(Mode mode, int threads) : variant(std::string("rtcCollide/") + MODE[mode]), threads(threads), mode(mode) {}
  ~TwoBodies() {
    if (!dev) return;
    rtcReleaseScene(s[0]);
    rtcReleaseScene(s[1]);
    rtcReleaseDevice(dev);
  }
  void build(Mesh& a, Mesh& b) {
    dev = device(threads);
    m[0] = &a;
    m[1] = &b;
    for (int i = 0; i < 2; ++i) {
      s[i] = new_scene(dev, mode);
      g[i] = add_user(dev, s[i], *m[i], mode);
      rtcCommitScene(s[i]);
    }
    bytes = double(g_bytes);
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() {
    for (int i = 0; i < 2; ++i) {
      touch(g[i], false);
      rtcCommitScene(s[i]);
    }
  }
  long run(bool first) {
    Hits h;
    h.a = m[0];
    h.b = m[1];
    h.stop_at_first = first;
    rtcCollide(s[0], s[1], on_collide, &h);
    return long(h.out.size());
  }
  long all() { return run(false); }
  int first() { return run(true) > 0; }
};

// Update cost only, with native triangle geometry (what rays and points need).
struct TwoNative {
  std::string variant;
  int threads;
  Mode mode;
  RTCDevice dev = nullptr;
  RTCScene s[2];
  RTCGeometry g[2];
  double bytes = 0;
  TwoNative(Mode mode, int threads) : variant(std::string("triangles/") + MODE[mode]), threads(threads), mode(mode) {}
  ~TwoNative() {
    if (!dev) return;
    rtcReleaseScene(s[0]);
    rtcReleaseScene(s[1]);
    rtcReleaseDevice(dev);
  }
  void build(Mesh& a, Mesh& b) {
    dev = device(threads);
    Mesh* m[2] = {&a, &b};
    for (int i = 0; i < 2; ++i) {
      s[i] = new_scene(dev, mode);
      g[i] = add_triangles(dev, s[i], *m[i], mode);
      rtcCommitScene(s[i]);
    }
    bytes = double(g_bytes);
  }
  double tree_bytes() { return bytes; }
  void prepare() {}
  void update() {
    for (int i = 0; i < 2; ++i) {
      touch(g[i], true);
      rtcCommitScene(s[i]);
    }
  }
  long all() { return -1; }
  int first() { return -1; }
};

// S2, either one scene per body with a box test per body pair, or all bodies in
// one scene that is collided with itself.
struct Many {
  std::string variant;
  int threads;
  Mode mode;
  bool single;
  RTCDevice dev = nullptr;
  std::vector<RTCScene> s;
  std::vector<RTCGeometry> g;
  std::vector<Mesh>* m = nullptr;
  Many(Mode mode, bool single, int threads)
      : variant(std::string("rtcCollide/") + MODE[mode] + (single ? "/one-scene" : "/scene-per-body")),
        threads(threads), mode(mode), single(single) {}
  ~Many() {
    for (RTCScene x : s) rtcReleaseScene(x);
    if (dev) rtcReleaseDevice(dev);
  }
  void build(std::vector<Mesh>& mm) {
    m = &mm;
    dev = device(threads);
    for (size_t i = 0; i < mm.size(); ++i) {
      if (s.empty() || !single) s.push_back(new_scene(dev, mode));
      g.push_back(add_user(dev, s.back(), mm[i], mode));
    }
    for (RTCScene x : s) rtcCommitScene(x);
  }
  void prepare() {}
  void update() {
    for (RTCGeometry x : g) touch(x, false);
    for (RTCScene x : s) rtcCommitScene(x);
  }
  long all() {
    if (single) {
      Hits h;
      h.bodies = m;
      rtcCollide(s[0], s[0], on_collide, &h);
      return long(h.out.size());
    }
    long n = 0;
    std::vector<drive::Box> box;
    for (RTCScene x : s) {
      RTCBounds b;
      rtcGetSceneBounds(x, &b);
      box.push_back({{b.lower_x, b.lower_y, b.lower_z}, {b.upper_x, b.upper_y, b.upper_z}});
    }
    for (size_t i = 0; i < s.size(); ++i)
      for (size_t j = i + 1; j < s.size(); ++j) {
        if (!drive::overlap(box[i], box[j])) continue;
        Hits h;
        h.a = &(*m)[i];
        h.b = &(*m)[j];
        rtcCollide(s[i], s[j], on_collide, &h);
        n += long(h.out.size());
      }
    return n;
  }
};

struct Self {
  std::string variant;
  int threads;
  Mode mode;
  RTCDevice dev = nullptr;
  RTCScene s = nullptr;
  RTCGeometry g = nullptr;
  Mesh* m = nullptr;
  Self(Mode mode, int threads) : variant(std::string("rtcCollide/") + MODE[mode]), threads(threads), mode(mode) {}
  ~Self() {
    if (s) rtcReleaseScene(s);
    if (dev) rtcReleaseDevice(dev);
  }
  void build(Mesh& mm) {
    m = &mm;
    dev = device(threads);
    s = new_scene(dev, mode);
    g = add_user(dev, s, mm, mode);
    rtcCommitScene(s);
  }
  void prepare() {}
  void update() {
    touch(g, false);
    rtcCommitScene(s);
  }
  long all() {
    Hits h;
    h.a = h.b = m;
    h.self = true;
    rtcCollide(s, s, on_collide, &h);
    return long(h.out.size());
  }
};

// ---- S5: exact distance out of point queries -------------------------------
// One query per triangle of A, centred at its centroid, with the best distance
// so far plus the triangle's own radius; the callback measures triangle pairs.
struct Dist {
  std::string variant;
  int threads = 1;
  Mode mode;
  RTCDevice dev = nullptr;
  RTCScene s = nullptr;
  RTCGeometry g = nullptr;
  Mesh *a = nullptr, *b = nullptr;
  size_t seed_a = 0, seed_b = 0;
  struct Query { Dist* d; size_t i; tt::P<float> t[3]; float best, rho; };
  explicit Dist(Mode mode) : variant(std::string("rtcPointQuery/") + MODE[mode]), mode(mode) {}
  ~Dist() {
    if (s) rtcReleaseScene(s);
    if (dev) rtcReleaseDevice(dev);
  }
  void build(Mesh& aa, Mesh& bb) {
    a = &aa;
    b = &bb;
    dev = device(threads);
    s = new_scene(dev, mode);
    g = add_triangles(dev, s, bb, mode);
    rtcCommitScene(s);
  }
  void prepare() {}
  void update() {  // only B needs a tree
    touch(g, true);
    rtcCommitScene(s);
  }
  static bool visit(RTCPointQueryFunctionArguments* x) {
    Query& q = *static_cast<Query*>(x->userPtr);
    tt::P<float> v[3];
    tt::load(*q.d->b, x->primID, v);
    float d = std::sqrt(tt::distance2(q.t, v));
    if (d >= q.best) return false;
    q.best = d;
    q.d->seed_a = q.i;
    q.d->seed_b = x->primID;
    x->query->radius = d + q.rho;
    return true;
  }
  double distance() {
    RTCBounds r;
    rtcGetSceneBounds(s, &r);
    Query q;
    q.d = this;
    tt::P<float> v[3];
    tt::load(*a, seed_a, q.t);
    tt::load(*b, seed_b, v);
    q.best = std::sqrt(tt::distance2(q.t, v));
    for (size_t i = 0; i < a->nt(); ++i) {
      tt::load(*a, i, q.t);
      tt::P<float> c = (q.t[0] + q.t[1] + q.t[2]) * (1 / 3.0f);
      float rho2 = 0;
      for (auto& p : q.t) rho2 = std::max(rho2, tt::dot(p - c, p - c));
      q.rho = std::sqrt(rho2);
      q.i = i;
      float reach = q.best + q.rho;
      float dx = std::max(0.0f, std::max(r.lower_x - c.x, c.x - r.upper_x));
      float dy = std::max(0.0f, std::max(r.lower_y - c.y, c.y - r.upper_y));
      float dz = std::max(0.0f, std::max(r.lower_z - c.z, c.z - r.upper_z));
      if (dx * dx + dy * dy + dz * dz > reach * reach) continue;
      RTCPointQuery pq;
      pq.x = c.x;
      pq.y = c.y;
      pq.z = c.z;
      pq.time = 0;
      pq.radius = reach;
      RTCPointQueryContext ctx;
      rtcInitPointQueryContext(&ctx);
      rtcPointQuery(s, &pq, &ctx, visit, &q);
    }
    return q.best;
  }
};

// ---- S4: rays --------------------------------------------------------------
using drive::RAY_BIAS;
using drive::Stats;

struct Rays1 {  // one ray at a time
  RTCScene s;
  unsigned prim = 0;  // of the last closest hit
  float t = 0;
  static RTCRay make(V3 o, V3 d, float tfar) {
    RTCRay r;
    r.org_x = o.x; r.org_y = o.y; r.org_z = o.z; r.tnear = 0;
    r.dir_x = d.x; r.dir_y = d.y; r.dir_z = d.z; r.time = 0;
    r.tfar = tfar; r.mask = ~0u; r.id = 0; r.flags = 0;
    return r;
  }
  bool occluded(V3 o, V3 d) {
    RTCIntersectContext ctx;
    rtcInitIntersectContext(&ctx);
    RTCRay r = make(o, d, 1);
    rtcOccluded1(s, &ctx, &r);
    return r.tfar < 0;
  }
  bool closest(V3 o, V3 d, bool coherent, V3& p, V3& n, unsigned& geom) {
    RTCIntersectContext ctx;
    rtcInitIntersectContext(&ctx);
    ctx.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    RTCRayHit h;
    h.ray = make(o, d, 1e30f);
    h.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(s, &ctx, &h);
    if (h.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    geom = h.hit.geomID;
    prim = h.hit.primID;
    t = h.ray.tfar;
    p = o + d * t;
    n = normalize({h.hit.Ng_x, h.hit.Ng_y, h.hit.Ng_z});
    if (dot(n, d) > 0) n = n * -1.0f;
    return true;
  }
};
static void trace1(RTCScene s, const Camera& c, int step, int y0, int y1, Stats& st) {
  Rays1 r{s};
  drive::trace(r, c, step, y0, y1, st);
}

// The same with packets of 8 rays.
static void lights8(RTCScene s, const int* hit, const V3* p, const V3* n, Stats& st) {
  for (V3 l : S4_LIGHT) {
    alignas(32) int valid[8];
    RTCRay8 r;
    for (int i = 0; i < 8; ++i) {
      valid[i] = 0;
      r.tnear[i] = 0;
      r.tfar[i] = -1;
      if (!hit[i]) continue;
      V3 d = l - p[i], o = p[i] + n[i] * RAY_BIAS;
      if (dot(d, n[i]) <= 0) continue;
      valid[i] = -1;
      ++st.shadow;
      r.org_x[i] = o.x; r.org_y[i] = o.y; r.org_z[i] = o.z;
      r.dir_x[i] = d.x; r.dir_y[i] = d.y; r.dir_z[i] = d.z;
      r.tfar[i] = 1; r.time[i] = 0; r.mask[i] = ~0u; r.id[i] = 0; r.flags[i] = 0;
    }
    RTCIntersectContext ctx;
    rtcInitIntersectContext(&ctx);
    rtcOccluded8(valid, s, &ctx, &r);
    for (int i = 0; i < 8; ++i) st.occluded += valid[i] && r.tfar[i] < 0;
  }
}
static void closest8(RTCScene s, RTCIntersectContextFlags fl, const int* want, const V3* o, const V3* d, int* hit,
                     V3* p, V3* n, unsigned* geom) {
  alignas(32) int valid[8];
  RTCRayHit8 h;
  for (int i = 0; i < 8; ++i) {
    valid[i] = want[i] ? -1 : 0;
    h.ray.org_x[i] = o[i].x; h.ray.org_y[i] = o[i].y; h.ray.org_z[i] = o[i].z;
    h.ray.dir_x[i] = d[i].x; h.ray.dir_y[i] = d[i].y; h.ray.dir_z[i] = d[i].z;
    h.ray.tnear[i] = 0; h.ray.tfar[i] = 1e30f; h.ray.time[i] = 0;
    h.ray.mask[i] = ~0u; h.ray.id[i] = 0; h.ray.flags[i] = 0;
    h.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
  }
  RTCIntersectContext ctx;
  rtcInitIntersectContext(&ctx);
  ctx.flags = fl;
  rtcIntersect8(valid, s, &ctx, &h);
  for (int i = 0; i < 8; ++i) {
    hit[i] = want[i] && h.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
    if (!hit[i]) continue;
    geom[i] = h.hit.geomID[i];
    p[i] = o[i] + d[i] * h.ray.tfar[i];
    n[i] = normalize({h.hit.Ng_x[i], h.hit.Ng_y[i], h.hit.Ng_z[i]});
    if (dot(n[i], d[i]) > 0) n[i] = n[i] * -1.0f;
  }
}
static void trace8(RTCScene s, const Camera& c, int step, int y0, int y1, Stats& st) {
  for (int y = y0; y < y1; y += step)
    for (int x0 = 0; x0 < S4_W; x0 += 8 * step) {
      int want[8], hit[8], hit2[8];
      V3 o[8], d[8], p[8], n[8], o2[8], d2[8], p2[8], n2[8];
      unsigned geom[8];
      for (int i = 0; i < 8; ++i) {
        want[i] = x0 + i * step < S4_W;
        o[i] = c.eye;
        d[i] = s4_dir(c, x0 + i * step, y);
        st.primary += want[i];
        o2[i] = o[i];
        d2[i] = d[i];
      }
      closest8(s, RTC_INTERSECT_CONTEXT_FLAG_COHERENT, want, o, d, hit, p, n, geom);
      int any = 0;
      for (int i = 0; i < 8; ++i)
        if (hit[i]) {
          any = 1;
          ++st.hits;
          ++st.bounce;
          st.seen |= 1u << geom[i];
          o2[i] = p[i] + n[i] * RAY_BIAS;
          d2[i] = d[i] - n[i] * (2 * dot(d[i], n[i]));
        }
      if (!any) continue;
      lights8(s, hit, p, n, st);
      closest8(s, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT, hit, o2, d2, hit2, p2, n2, geom);
      any = 0;
      for (int i = 0; i < 8; ++i) any += hit2[i];
      st.bounce_hits += any;
      if (any) lights8(s, hit2, p2, n2, st);
    }
}

template <class Trace> static Stats trace_frame(RTCScene s, const Camera& c, int step, int threads, Trace trace) {
  const int band = 4 * step;  // rows per job
  std::atomic<int> next{0};
  std::vector<Stats> st(threads);
  auto work = [&](int k) {
    Stats local;
    for (int y; (y = next.fetch_add(band)) < S4_H;) trace(s, c, step, y, std::min(y + band, S4_H), local);
    st[k] = local;
  };
  std::vector<std::thread> pool;
  for (int k = 1; k < threads; ++k) pool.emplace_back(work, k);
  work(0);
  for (auto& t : pool) t.join();
  for (int k = 1; k < threads; ++k) st[0].add(st[k]);
  return st[0];
}

static void run_s4(const bench::Args& args, Mode mode, int threads) {
  bench::Row r{"embree", std::string("triangles/") + MODE[mode], "S4", long(S4_BODIES) * S4_TRIS, threads};
  if (!args.want_variant(r.variant)) return;
  std::vector<Mesh> m(S4_BODIES, geosphere(geo_freq(S4_TRIS)));
  for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, 0);
  RTCDevice dev = device(threads);
  RTCScene s = new_scene(dev, mode);
  std::vector<RTCGeometry> g;
  for (auto& x : m) g.push_back(add_triangles(dev, s, x, mode));
  r.out("build", bench::time_ms(threads, [&] { rtcCommitScene(s); }), "ms");
  r.out("tree_bytes_per_tri", double(g_bytes) / r.ntri, "B/tri");
  const int steps[3] = {1, 5, 10};
  auto frame = frames(S4_FRAMES, args.stride);
  bench::PerStep up(frame), one[3] = {up, up, up}, eight[3] = {up, up, up};
  Stats last[3];
  unsigned least = 99, most = 0;
  for (int rep = 0; rep < args.reps; ++rep)
    for (size_t f = 0; f < frame.size(); ++f) {
      for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, frame[f]);
      up.least(f, bench::time_ms(threads, [&] {
        for (auto x : g) touch(x, true);
        rtcCommitScene(s);
      }));
      Camera c = s4_camera(frame[f]);
      for (int k = 0; k < 3; ++k) {
        one[k].least(f, bench::time_ms(threads, [&] { last[k] = trace_frame(s, c, steps[k], threads, trace1); }));
        if (!k) {
          unsigned v = unsigned(__builtin_popcount(last[0].seen));
          least = std::min(least, v);
          most = std::max(most, v);
        }
        Stats e;
        eight[k].least(f, bench::time_ms(threads, [&] { e = trace_frame(s, c, steps[k], threads, trace8); }));
      }
    }
  r.time("update", up);
  const char* res[3] = {"640x480", "128x96", "64x48"};
  for (int k = 0; k < 3; ++k) {
    const Stats& st = last[k];
    r.time((std::string("trace_rtcIntersect1_") + res[k]).c_str(), one[k]);
    r.time((std::string("trace_rtcIntersect8_") + res[k]).c_str(), eight[k]);
    r.out((std::string("rays_last_") + res[k]).c_str(), double(st.rays()), "rays");
    r.out((std::string("hits_last_") + res[k]).c_str(), double(st.hits), "rays");
  }
  r.out("trace_rtcIntersect1_rate_last", last[0].rays() / one[0].last() / 1e3,
        "Mrays/s");
  r.out("bodies_visible_least", least, "bodies");
  r.out("bodies_visible_most", most, "bodies");
  rtcReleaseScene(s);
  rtcReleaseDevice(dev);
}

// The same rays, written down with what they hit, for our program to compare.
struct RecordedRays {
  Rays1 rays;
  int frame;
  std::vector<rays::Record>& out;
  static rays::Record make(V3 o, V3 d, float t_max, int frame, bool any) {
    return {{o.x, o.y, o.z}, {d.x, d.y, d.z}, t_max, frame, any, rays::NONE, rays::NONE, 0};
  }
  bool occluded(V3 o, V3 d) {
    out.push_back(make(o, d, 1, frame, true));
    bool hit = rays.occluded(o, d);
    if (hit) out.back().body = out.back().triangle = 0;
    return hit;
  }
  bool closest(V3 o, V3 d, bool coherent, V3& p, V3& n, unsigned& geom) {
    out.push_back(make(o, d, INFINITY, frame, false));
    if (!rays.closest(o, d, coherent, p, n, geom)) return false;
    out.back().body = geom;
    out.back().triangle = rays.prim;
    out.back().t = rays.t;
    return true;
  }
};
static void record_s4(const std::string& path) {
  std::vector<Mesh> m(S4_BODIES, geosphere(geo_freq(S4_TRIS)));
  for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, 0);
  RTCDevice dev = device(1);
  RTCScene s = new_scene(dev, REFIT);
  std::vector<RTCGeometry> g;
  for (auto& x : m) g.push_back(add_triangles(dev, s, x, REFIT));
  std::vector<rays::Record> out;
  for (rays::Picture p : rays::pictures()) {
    for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, p.frame);
    for (auto x : g) touch(x, true);
    rtcCommitScene(s);
    RecordedRays r{{s}, p.frame, out};
    Stats st;
    drive::trace(r, s4_camera(p.frame), p.step, 0, S4_H, st);
  }
  rtcReleaseScene(s);
  rtcReleaseDevice(dev);
  rays::write(path, out);
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  if (!args.rays.empty()) return record_s4(args.rays), 0;
  for (int threads : {1, 2}) {
    if (!args.want_threads(threads)) continue;
    std::vector<Mode> modes = {REFIT, LOW};
    if (threads == 1) modes.push_back(MEDIUM);  // slow, once is enough
    for (const char* name : {"S1", "S1P"})
      for (int n : S1_SIZES) {
        if (!args.want(name) || n > args.max) continue;
        if (!strcmp(name, "S1P") && n != S1P_SIZES[0] && n != S1P_SIZES[1]) continue;
        for (Mode mode : modes) {
          { TwoBodies p(mode, threads); drive::pairs(args, "embree", name, n, p); }
          if (!strcmp(name, "S1")) { TwoNative p(mode, threads); drive::pairs(args, "embree", name, n, p); }
        }
      }
    if (args.want("S4"))
      for (Mode mode : modes) run_s4(args, mode, threads);
    if (args.want("S3"))
      for (int n : S3_SIZES)
        for (Mode mode : modes) {
          Self p(mode, threads);
          drive::self(args, "embree", n, p);
        }
    if (args.want("S3"))
      for (Captured& c : captured(args, false))
        for (Mode mode : modes) {
          Self p(mode, threads);
          drive::self(args, "embree", c, p);
        }
    if (args.want("S5") && threads == 1)
      for (int n : S5_SIZES)
        for (Mode mode : modes) {
          Dist p(mode);
          drive::distance(args, "embree", n, p);
        }
    if (args.want("S6") && threads == 1)
      for (Mode mode : modes) {
        Dist p(mode);
        drive::distance(args, "embree", drive::resting(), p);
      }
    if (args.want("S2"))
      for (Mode mode : {REFIT, LOW})
        for (bool single : {false, true}) {
          Many p(mode, single, threads);
          drive::bodies27(args, "embree", p);
        }
  }
  bench::Row{"embree", "-", "-", 0, 0}.out("peak_rss", bench::peak_rss_mb(), "MB");
}
