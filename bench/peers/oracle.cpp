// Correctness oracle: triangle pairs in double precision through a uniform grid
// (and through brute force on the smallest mesh), exact minimum distance by
// brute force.  Prints the counts that the peers must reproduce.
#include <unordered_map>
#include "bench.hpp"
#include "data.hpp"
#include "meshes.hpp"
#include "tritri.hpp"
using namespace scene;

struct Box { float lo[3], hi[3]; };
static Box box_of(const Mesh& m, size_t t) {
  Box b;
  const float* p[3];
  for (int i = 0; i < 3; ++i) p[i] = &m.pos[m.tri[t].v[i]].x;
  for (int k = 0; k < 3; ++k) {
    b.lo[k] = std::min(p[0][k], std::min(p[1][k], p[2][k]));
    b.hi[k] = std::max(p[0][k], std::max(p[1][k], p[2][k]));
  }
  return b;
}
static bool overlap(const Box& a, const Box& b) {
  for (int k = 0; k < 3; ++k)
    if (a.lo[k] > b.hi[k] || b.lo[k] > a.hi[k]) return false;
  return true;
}
static uint64_t key(int x, int y, int z) {
  return (uint64_t(x + (1 << 20)) << 42) | (uint64_t(y + (1 << 20)) << 21) | uint64_t(z + (1 << 20));
}

// Calls f(i, j) once for every pair of overlapping triangle boxes, i in a, j in b.
template <class F> static void grid_pairs(const Mesh& a, const Mesh& b, F f) {
  std::vector<Box> ba(a.nt()), bb(b.nt());
  float cell = 0;
  for (size_t i = 0; i < a.nt(); ++i) {
    ba[i] = box_of(a, i);
    for (int k = 0; k < 3; ++k) cell = std::max(cell, ba[i].hi[k] - ba[i].lo[k]);
  }
  for (size_t i = 0; i < b.nt(); ++i) bb[i] = box_of(b, i);
  std::unordered_map<uint64_t, std::vector<uint32_t>> g;
  auto cells = [&](const Box& x, auto&& visit) {
    int lo[3], hi[3];
    for (int k = 0; k < 3; ++k) lo[k] = int(std::floor(x.lo[k] / cell)), hi[k] = int(std::floor(x.hi[k] / cell));
    for (int z = lo[2]; z <= hi[2]; ++z)
      for (int y = lo[1]; y <= hi[1]; ++y)
        for (int x0 = lo[0]; x0 <= hi[0]; ++x0) visit(x0, y, z);
  };
  for (size_t i = 0; i < a.nt(); ++i)
    cells(ba[i], [&](int x, int y, int z) { g[key(x, y, z)].push_back(uint32_t(i)); });
  for (size_t j = 0; j < b.nt(); ++j)
    cells(bb[j], [&](int x, int y, int z) {
      auto it = g.find(key(x, y, z));
      if (it == g.end()) return;
      for (uint32_t i : it->second) {
        if (!overlap(ba[i], bb[j])) continue;
        int c[3];  // report in the cell of the overlap's low corner only
        for (int k = 0; k < 3; ++k) c[k] = int(std::floor(std::max(ba[i].lo[k], bb[j].lo[k]) / cell));
        if (c[0] == x && c[1] == y && c[2] == z) f(i, j);
      }
    });
}

static long count_pairs(const Mesh& a, const Mesh& b) {
  long n = 0;
  grid_pairs(a, b, [&](size_t i, size_t j) { n += tt::pair<double>(a, i, b, j); });
  return n;
}
static long count_self(const Mesh& m) {
  long n = 0;
  grid_pairs(m, m, [&](size_t i, size_t j) {
    if (i < j && !tt::share_vertex(m.tri[i], m.tri[j])) n += tt::pair<double>(m, i, m, j);
  });
  return n;
}

// Every triangle against every other, but for groups of neighbours in the list whose boxes are further apart than the best
// so far.
struct Group { size_t begin, end; double lo[3], hi[3]; };
static std::vector<Group> groups_of(const Mesh& m) {
  const size_t size = 16;
  std::vector<Group> out;
  for (size_t i = 0; i < m.nt(); i += size) {
    Group g{i, std::min(i + size, m.nt()), {1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    for (size_t t = g.begin; t < g.end; ++t) {
      tt::P<double> v[3];
      tt::load(m, t, v);
      for (auto& p : v) {
        const double x[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; ++k) {
          g.lo[k] = std::min(g.lo[k], x[k]);
          g.hi[k] = std::max(g.hi[k], x[k]);
        }
      }
    }
    out.push_back(g);
  }
  return out;
}
static double square_of(const Mesh& a, size_t i, const Mesh& b, size_t j) {
  tt::P<double> u[3], v[3];
  tt::load(a, i, u);
  tt::load(b, j, v);
  return tt::distance2(u, v);
}
// near: the triangles that were nearest, of the last step.
static double least_distance(const Mesh& a, const Mesh& b, size_t near[2]) {
  double best = square_of(a, near[0], b, near[1]);
  std::vector<Group> ga = groups_of(a), gb = groups_of(b);
  for (const Group& p : ga)
    for (const Group& q : gb) {
      double square = 0;
      for (int k = 0; k < 3; ++k) {
        double gap = std::max(0.0, std::max(p.lo[k] - q.hi[k], q.lo[k] - p.hi[k]));
        square += gap * gap;
      }
      if (square * (1 - 1e-12) > best) continue;
      for (size_t i = p.begin; i < p.end; ++i)
        for (size_t j = q.begin; j < q.end; ++j) {
          double square = square_of(a, i, b, j);
          if (square >= best) continue;
          best = square;
          near[0] = i;
          near[1] = j;
        }
    }
  return std::sqrt(best);
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  for (int pressed = 0; pressed < 2; ++pressed)
    for (int n : S1_SIZES) {
      const char* name = pressed ? "S1P" : "S1";
      if (!args.want(name) || n > args.max || (pressed && n != S1P_SIZES[0] && n != S1P_SIZES[1])) continue;
      Mesh a = geosphere(geo_freq(n)), b = a;
      bench::Row r{"oracle", "grid/double", name, 2L * n, 1};
      auto steps = frames(S1_STEPS, s1_stride(n) * args.stride);
      bench::PerStep count(steps);
      long brute = 0;
      for (size_t f = 0; f < steps.size(); ++f) {
        (pressed ? s1p_pose : s1_pose)(a, b, steps[f]);
        count.value[f] = double(count_pairs(a, b));
      }
      r.pairs(count);
      if (n > 5120) continue;
      for (size_t i = 0; i < a.nt(); ++i)
        for (size_t j = 0; j < b.nt(); ++j) brute += tt::pair<double>(a, i, b, j);
      r.out("pairs_last_bruteforce", brute, "pairs");
    }
  if (args.want("S2")) {
    std::vector<Mesh> m(S2_BODIES, geosphere(geo_freq(S2_TRIS)));
    bench::Row r{"oracle", "grid/double", "S2", long(S2_BODIES) * S2_TRIS, 1};
    auto steps = frames(S2_STEPS, 20 * args.stride);
    bench::PerStep count(steps);
    for (size_t f = 0; f < steps.size(); ++f) {
      for (int k = 0; k < S2_BODIES; ++k) s2_pose(m[k], k, steps[f]);
      long n = 0;
      for (int i = 0; i < S2_BODIES; ++i)
        for (int j = i + 1; j < S2_BODIES; ++j) n += count_pairs(m[i], m[j]);
      count.value[f] = double(n);
    }
    r.pairs(count);
  }
  if (args.want("S3"))
    for (int n : S3_SIZES) {
      Mesh m = cloth(n);
      bench::Row r{"oracle", "grid/double", "S3", long(m.nt()), 1};
      auto steps = frames(S3_STEPS, (n > 128 ? 5 : 1) * args.stride);
      bench::PerStep count(steps);
      for (size_t f = 0; f < steps.size(); ++f) {
        s3_pose(m, steps[f]);
        count.value[f] = double(count_self(m));
      }
      r.pairs(count);
    }
  if (args.want("S3"))
    for (Captured& c : captured(args, false)) {  // counts that came with the data, made in exact arithmetic
      bench::Row r{"oracle", "published", "S3", long(c.mesh.nt()), 1};
      bench::PerStep count(c.frames);
      for (size_t f = 0; f < c.frames.size(); ++f) count.value[f] = double(c.pairs[f]);
      r.pairs(count);
    }
  if (args.want("S6")) {
    Mesh a = cloth(SCENE_S6_QUADS), b = ball();
    bench::Row r{"oracle", "bruteforce/double", "S6", long(a.nt() + b.nt()), 1};
    auto steps = frames(S6_STEPS, args.stride);
    bench::PerStep d(steps);
    size_t near[2] = {0, 0};
    for (size_t f = 0; f < steps.size(); ++f) {
      s6_pose(a, b, steps[f]);
      d.value[f] = least_distance(a, b, near);
    }
    r.out("distance_mean", d.mean(), "length", &d);
    r.out("distance_last", d.last(), "length");
  }
  if (args.want("S5"))
    for (int n : S5_SIZES) {
      if (n > args.max) continue;
      Mesh a = geosphere(geo_freq(n)), b = a;
      bench::Row r{"oracle", "bruteforce/double", "S5", long(2 * a.nt()), 1};
      auto steps = frames(S5_STEPS, args.stride);
      bench::PerStep d(steps);
      size_t near[2] = {0, 0};
      for (size_t f = 0; f < steps.size(); ++f) {
        s5_pose(a, b, steps[f]);
        d.value[f] = least_distance(a, b, near);
      }
      r.out("distance_mean", d.mean(), "length", &d);
      r.out("distance_last", d.last(), "length");
    }
}
