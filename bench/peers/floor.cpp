// Limits of the machine: streaming bandwidth, and the cost of one pass over
// positions and indices that makes a box per triangle, the floor of any refit.
#include <immintrin.h>
#include <thread>
#include "bench.hpp"
#include "meshes.hpp"
using namespace scene;

template <class F> static double best_ms(int reps, F f) {
  double b = 1e300;
  for (int i = 0; i < reps; ++i) {
    double t = bench::now_ms();
    f();
    b = std::min(b, bench::now_ms() - t);
  }
  return b;
}
// Splits [0, n) over threads that are started once per call.
template <class F> static void parallel(int threads, size_t n, F f) {
  std::vector<std::thread> pool;
  for (int k = 1; k < threads; ++k) pool.emplace_back([=] { f(n * k / threads, n * (k + 1) / threads); });
  f(0, n / threads);
  for (auto& t : pool) t.join();
}

static volatile float g_sink;
static void read_sum(const float* p, size_t lo, size_t hi) {
  __m256 s[8];
  for (auto& x : s) x = _mm256_setzero_ps();
  for (size_t i = lo & ~size_t(63); i + 64 <= hi; i += 64)
    for (int k = 0; k < 8; ++k) s[k] = _mm256_add_ps(s[k], _mm256_loadu_ps(p + i + 8 * k));
  for (int k = 1; k < 8; ++k) s[0] = _mm256_add_ps(s[0], s[k]);
  g_sink = _mm256_cvtss_f32(s[0]);
}

struct alignas(32) Box { __m128 lo, hi; };
static __m128 load3(const V3* p) { return _mm_loadu_ps(&p->x); }  // one float past the end is allocated

// A box per triangle, stored (32 bytes).
static void boxes(const Mesh& m, Box* out, size_t lo, size_t hi) {
  const V3* p = m.pos.data();
  for (size_t i = lo; i < hi; ++i) {
    const Tri& t = m.tri[i];
    __m128 a = load3(p + t.v[0]), b = load3(p + t.v[1]), c = load3(p + t.v[2]);
    out[i].lo = _mm_min_ps(a, _mm_min_ps(b, c));
    out[i].hi = _mm_max_ps(a, _mm_max_ps(b, c));
  }
}
// A box per group of four triangles in file order, stored: a leaf of a wide tree.
static void boxes4(const Mesh& m, Box* out, size_t lo, size_t hi) {
  const V3* p = m.pos.data();
  for (size_t i = lo & ~size_t(3); i + 4 <= hi; i += 4) {
    __m128 l = _mm_set1_ps(1e30f), h = _mm_set1_ps(-1e30f);
    for (int k = 0; k < 4; ++k) {
      const Tri& t = m.tri[i + k];
      __m128 a = load3(p + t.v[0]), b = load3(p + t.v[1]), c = load3(p + t.v[2]);
      l = _mm_min_ps(l, _mm_min_ps(a, _mm_min_ps(b, c)));
      h = _mm_max_ps(h, _mm_max_ps(a, _mm_max_ps(b, c)));
    }
    out[i / 4].lo = l;
    out[i / 4].hi = h;
  }
}

int main(int argc, char** argv) {
  bench::Args args(argc, argv);
  const size_t bytes = args.want_variant("stream-512MB") ? size_t(512) << 20 : 0, n = bytes / sizeof(float);
  std::vector<float> a(n, 1.0f), b(n, 2.0f);
  for (int th : {1, 2}) {
    if (!n || !args.want_threads(th)) continue;
    bench::Row r{"floor", "stream-512MB", "-", 0, th};
    double ms = best_ms(7, [&] { parallel(th, n, [&](size_t lo, size_t hi) { read_sum(a.data(), lo, hi); }); });
    r.out("read", bytes / ms / 1e6, "GB/s");
    ms = best_ms(7, [&] { parallel(th, n, [&](size_t lo, size_t hi) { memcpy(&b[lo], &a[lo], (hi - lo) * 4); }); });
    r.out("memcpy_bytes_copied", bytes / ms / 1e6, "GB/s");
  }
  for (int nt : S1_SIZES) {
    if (nt > args.max || !args.want_variant("aabb-pass")) continue;
    Mesh m = geosphere(geo_freq(nt)), other = m;
    s1_pose(m, other, 0);
    std::vector<Box> out(m.nt());
    const int inner = std::max(4, 1000000 / nt), reps = 20 * args.reps;  // passes per timing, timings
    for (int th : {1, 2}) {
      if (!args.want_threads(th)) continue;
      bench::Row r{"floor", "aabb-pass", "S1", nt, th};
      auto per_tri = [&](auto kernel) {
        double ms = best_ms(reps, [&] {
          parallel(th, m.nt(), [&](size_t lo, size_t hi) {
            for (int i = 0; i < inner; ++i) {
              kernel(m, out.data(), lo, hi);
              asm volatile("" ::: "memory");  // every pass must be made
            }
          });
        });
        return ms * 1e6 / inner / nt;
      };
      r.out("box_per_triangle", per_tri(boxes), "ns/tri");
      r.out("box_per_4_triangles", per_tri(boxes4), "ns/tri");
    }
  }
}
