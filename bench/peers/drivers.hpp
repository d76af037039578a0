// Plays a scene against a peer, times its steps, prints rows.
//
// A peer for the pair scenes (S1, S1P) is any type with
//   std::string variant; int threads;
//   void build(Mesh& a, Mesh& b);  first build, untimed except for "build"
//   void prepare();                untimed: convert positions to its own format
//   void update();                 timed: positions have changed
//   long all();                    timed: number of intersecting pairs, -1: cannot
//   int  first();                  timed: is there a pair? -1: cannot
//   double tree_bytes();           memory of both trees, 0: unknown
// One for S2 has build(vector<Mesh>&) and no first(); one for S3 has build(Mesh&).
#pragma once
#include <malloc.h>
#include "bench.hpp"
#include "data.hpp"
#include "meshes.hpp"

namespace drive {
using namespace scene;
using bench::PerStep;

inline double heap_bytes() {
  struct mallinfo2 i = mallinfo2();
  return double(i.uordblks) + double(i.hblkhd);
}

// lazy: a query finishes the update, so that "first pair" after "all pairs" of the same step would find the work done.
// The first pair is then timed together with its update, in a pass of its own over the steps.
template <class Peer> void pairs(const bench::Args& args, const char* peer, const char* name, int n, Peer& p,
                                 int extra_stride = 1, bool lazy = false) {
  if (!args.want_variant(p.variant)) return;
  Mesh a = geosphere(geo_freq(n)), b = a;
  bool pressed = !strcmp(name, "S1P");
  auto pose = [&](int s) { (pressed ? s1p_pose : s1_pose)(a, b, s); };
  pose(0);
  bench::Row r{peer, p.variant, name, 2L * n, p.threads};
  r.out("build", bench::time_ms(p.threads, [&] { p.build(a, b); }), "ms");
  if (p.tree_bytes() > 0) r.out("tree_bytes_per_tri", p.tree_bytes() / (2.0 * n), "B/tri");
  auto steps = frames(S1_STEPS, s1_stride(n) * extra_stride * args.stride);
  PerStep up(steps), all(steps), first(steps), both(steps), count(steps);
  int can_first = 0;
  long found = 0;
  pose(steps.back());
  p.prepare();
  p.update();  // untimed, so that no step pays for a library's first allocations
  p.all();
  p.first();
  for (int rep = 0; rep < args.reps_for(n); ++rep) {
    for (size_t f = 0; f < steps.size(); ++f) {
      pose(steps[f]);
      p.prepare();
      up.least(f, bench::time_ms(p.threads, [&] { p.update(); }));
      all.least(f, bench::time_ms(p.threads, [&] { found = p.all(); }));
      count.value[f] = double(found);
      first.least(f, bench::time_ms(p.threads, [&] { can_first = p.first(); }));
      if (found >= 0 && can_first >= 0 && (found > 0) != (can_first > 0))
        fprintf(stderr, "%s %s %s step %d: %ld pairs, but first says %d\n", peer, p.variant.c_str(), name, steps[f],
                found, can_first);
    }
    for (size_t f = 0; lazy && f < steps.size(); ++f) {
      pose(steps[f]);
      p.prepare();
      both.least(f, bench::time_ms(p.threads, [&] {
        p.update();
        can_first = p.first();
      }));
    }
  }
  r.time("update", up);
  if (found >= 0) {
    r.time("collide_all", all);
    r.pairs(count);
  }
  if (can_first < 0) return;
  r.time("collide_first", first);
  if (!lazy) // all volumes are true before the query, so the sum is the time of both
    for (size_t f = 0; f < steps.size(); ++f) both.value[f] = up.value[f] + first.value[f];
  r.time("update+collide_first", both);
}

template <class Peer> void bodies27(const bench::Args& args, const char* peer, Peer& p, int stride = 1) {
  if (!args.want_variant(p.variant)) return;
  std::vector<Mesh> m(S2_BODIES, geosphere(geo_freq(S2_TRIS)));
  auto pose = [&](int s) { for (int k = 0; k < S2_BODIES; ++k) s2_pose(m[k], k, s); };
  pose(0);
  bench::Row r{peer, p.variant, "S2", long(S2_BODIES) * S2_TRIS, p.threads};
  p.build(m);
  auto steps = frames(S2_STEPS, stride * args.stride);
  PerStep up(steps), all(steps), count(steps);
  pose(steps.back());
  p.prepare();
  p.update();  // untimed, as above
  p.all();
  for (int rep = 0; rep < (args.reps + 1) / 2; ++rep)
    for (size_t f = 0; f < steps.size(); ++f) {
      pose(steps[f]);
      p.prepare();
      up.least(f, bench::time_ms(p.threads, [&] { p.update(); }));
      all.least(f, bench::time_ms(p.threads, [&] { count.value[f] = double(p.all()); }));
    }
  r.time("update", up);
  r.time("collide_all", all);
  r.pairs(count);
}

// One body against itself; pose(f) sets the positions of step f.
template <class Peer, class Pose>
void self_steps(const bench::Args& args, const char* peer, Mesh& m, const std::vector<int>& steps, Pose pose, Peer& p) {
  bench::Row r{peer, p.variant, "S3", long(m.nt()), p.threads};
  p.build(m);
  PerStep up(steps), all(steps), count(steps);
  pose(steps.size() - 1);
  p.prepare();
  p.update();  // untimed, as above
  p.all();
  for (int rep = 0; rep < args.reps; ++rep)
    for (size_t f = 0; f < steps.size(); ++f) {
      pose(f);
      p.prepare();
      up.least(f, bench::time_ms(p.threads, [&] { p.update(); }));
      all.least(f, bench::time_ms(p.threads, [&] { count.value[f] = double(p.all()); }));
    }
  r.time("update", up);
  r.time("self_all", all);
  r.pairs(count);
}
template <class Peer> void self(const bench::Args& args, const char* peer, int n, Peer& p, int extra_stride = 1) {
  if (!args.want_variant(p.variant)) return;
  Mesh m = cloth(n);
  s3_pose(m, 0);
  auto steps = frames(S3_STEPS, (n > 128 ? 5 : 1) * extra_stride * args.stride);
  self_steps(args, peer, m, steps, [&](size_t f) { s3_pose(m, steps[f]); }, p);
}
template <class Peer> void self(const bench::Args& args, const char* peer, Captured& c, Peer& p) {
  if (!args.want_variant(p.variant)) return;
  c.pose(0);
  self_steps(args, peer, c.mesh, c.frames, [&](size_t f) { c.pose(f); }, p);
}

// Distance peers: build(a, b), prepare(), update(), double distance().
struct DistanceScene {  // S5 with n triangles in each body, or S6
  const char* name;
  Mesh a, b;
  void (*pose)(Mesh&, Mesh&, int);
  int steps;
};
inline DistanceScene passing(int n) {
  return {"S5", geosphere(geo_freq(n)), geosphere(geo_freq(n)), s5_pose, S5_STEPS};
}
inline DistanceScene resting() { return {"S6", cloth(SCENE_S6_QUADS), ball(), s6_pose, S6_STEPS}; }

template <class Peer> void distance(const bench::Args& args, const char* peer, DistanceScene s, Peer& p, int stride = 1) {
  if (!args.want_variant(p.variant)) return;
  Mesh &a = s.a, &b = s.b;
  s.pose(a, b, 0);
  bench::Row r{peer, p.variant, s.name, long(a.nt() + b.nt()), p.threads};
  p.build(a, b);
  auto steps = frames(s.steps, stride * args.stride);
  PerStep up(steps), q(steps), d(steps);
  for (int rep = 0; rep < args.reps; ++rep)
    for (size_t f = 0; f < steps.size(); ++f) {
      s.pose(a, b, steps[f]);
      p.prepare();
      up.least(f, bench::time_ms(p.threads, [&] { p.update(); }));
      q.least(f, bench::time_ms(p.threads, [&] { d.value[f] = p.distance(); }));
    }
  r.time("update", up);
  r.time("distance", q);
  r.out("distance_mean", d.mean(), "length", &d);
  r.out("distance_last", d.last(), "length");
}
template <class Peer> void distance(const bench::Args& args, const char* peer, int n, Peer& p, int stride = 1) {
  distance(args, peer, passing(n), p, stride);
}

// S6, near pairs: long near(double margin, double* measured), the number of pairs and of those that were measured.
template <class Peer> void near(const bench::Args& args, const char* peer, Peer& p) {
  if (!args.want_variant(p.variant)) return;
  Mesh a = cloth(SCENE_S6_QUADS), b = ball();
  s6_pose(a, b, 0);
  bench::Row r{peer, p.variant, "S6", long(a.nt() + b.nt()), p.threads};
  p.build(a, b);
  auto steps = frames(S6_STEPS, args.stride);
  PerStep up(steps), q(steps), all(steps), count(steps), each(steps), measured(steps);
  for (int rep = 0; rep < args.reps; ++rep)
    for (size_t f = 0; f < steps.size(); ++f) {
      s6_pose(a, b, steps[f]);
      p.prepare();
      up.least(f, bench::time_ms(p.threads, [&] { p.update(); }));
      all.least(f, bench::time_ms(p.threads, [&] { p.all(); }));
      q.least(f, bench::time_ms(p.threads, [&] { count.value[f] = double(p.near(S6_MARGIN, &measured.value[f])); }));
      each.value[f] = count.value[f] > 0 ? 1e3 * q.value[f] / count.value[f] : 0;
    }
  r.time("collide_all", all);
  r.time("near", q);
  r.out("near_pairs", count.mean(), "pairs", &count);
  r.out("near_each", each.mean(), "us", &each);
  r.out("near_measured", measured.mean(), "pairs", &measured);
}

// Rays: a scene with
//   bool closest(V3 o, V3 d, bool coherent, V3& p, V3& n, unsigned& body);
//   bool occluded(V3 o, V3 d);    anything between o and o + d?
struct Stats {
  long primary = 0, hits = 0, shadow = 0, occluded = 0, bounce = 0, bounce_hits = 0;
  unsigned seen = 0;  // bodies, as bits
  long rays() const { return primary + shadow + bounce; }
  void add(const Stats& o) {
    primary += o.primary; hits += o.hits; shadow += o.shadow; occluded += o.occluded;
    bounce += o.bounce; bounce_hits += o.bounce_hits; seen |= o.seen;
  }
};
const float RAY_BIAS = 1e-3f;
template <class Rays> void lights(Rays& s, V3 p, V3 n, Stats& st) {
  for (V3 l : S4_LIGHT) {
    V3 d = l - p;
    if (dot(d, n) <= 0) continue;  // facing away: no ray needed
    ++st.shadow;
    st.occluded += s.occluded(p + n * RAY_BIAS, d);
  }
}
// Rows y0 <= y < y1, every step-th pixel: primary ray, shadow rays, one bounce
// with its shadow rays.
template <class Rays> void trace(Rays& s, const Camera& c, int step, int y0, int y1, Stats& st) {
  for (int y = y0; y < y1; y += step)
    for (int x = 0; x < S4_W; x += step) {
      V3 d = s4_dir(c, x, y), p, n, p2, n2;
      unsigned body;
      ++st.primary;
      if (!s.closest(c.eye, d, true, p, n, body)) continue;
      ++st.hits;
      st.seen |= 1u << body;
      lights(s, p, n, st);
      ++st.bounce;
      if (!s.closest(p + n * RAY_BIAS, d - n * (2 * dot(d, n)), false, p2, n2, body)) continue;
      ++st.bounce_hits;
      lights(s, p2, n2, st);
    }
}

// S4 for single-threaded peers: build(vector<Mesh>&), update() and the above;
// a few frames at 64x48.
template <class Peer> void rays(const bench::Args& args, const char* peer, Peer& p, int stride) {
  if (!args.want_variant(p.variant)) return;
  std::vector<Mesh> m(S4_BODIES, geosphere(geo_freq(S4_TRIS)));
  for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, 0);
  bench::Row r{peer, p.variant, "S4", long(S4_BODIES) * S4_TRIS, 1};
  double h = heap_bytes();
  r.out("build", bench::time_ms(1, [&] { p.build(m); }), "ms");
  r.out("tree_bytes_per_tri", (heap_bytes() - h) / r.ntri, "B/tri");
  auto steps = frames(S4_FRAMES, stride * args.stride);
  PerStep up(steps), t(steps);
  Stats st;
  for (int rep = 0; rep < (args.reps + 1) / 2; ++rep)
    for (size_t f = 0; f < steps.size(); ++f) {
      for (int k = 0; k < S4_BODIES; ++k) s4_pose(m[k], k, steps[f]);
      up.least(f, bench::time_ms(1, [&] { p.update(); }));
      Camera c = s4_camera(steps[f]);
      st = Stats();
      t.least(f, bench::time_ms(1, [&] { trace(p, c, 10, 0, S4_H, st); }));
    }
  r.time("update", up);
  r.time("trace_64x48", t);
  r.out("rays_last_64x48", double(st.rays()), "rays");
  r.out("hits_last_64x48", double(st.hits), "rays");
  r.out("trace_rate_last", st.rays() / t.last() / 1e3, "Mrays/s");
}

// Overlap of whole-body boxes, the broad phase a user has to add himself.
struct Box { V3 lo, hi; };
inline Box body_box(const Mesh& m) {
  Box b{m.pos[0], m.pos[0]};
  for (size_t i = 1; i < m.nv(); ++i) {
    V3 p = m.pos[i];
    b.lo = {std::min(b.lo.x, p.x), std::min(b.lo.y, p.y), std::min(b.lo.z, p.z)};
    b.hi = {std::max(b.hi.x, p.x), std::max(b.hi.y, p.y), std::max(b.hi.z, p.z)};
  }
  return b;
}
inline bool overlap(const Box& a, const Box& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y && a.lo.z <= b.hi.z &&
         b.lo.z <= a.hi.z;
}

}  // namespace drive
