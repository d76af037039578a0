// Timing, memory, table rows and command line, shared by all programs here.
#pragma once
#include <sys/resource.h>
#include <time.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

inline double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}
inline double cpu_ms() {  // processor time of all threads of this process
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}
// One thread: processor time, which other jobs on the machine do not inflate by preemption. More threads: wall time.
template <class F> double time_ms(int threads, F&& f) {
  double (*clock)() = threads == 1 ? cpu_ms : now_ms;
  double t = clock();
  f();
  return clock() - t;
}
inline double peak_rss_mb() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss / 1024.0;
}

// One value per step of a scene. Of times the smallest over the repeats is kept; the run script goes on with that over
// several runs of a program.
struct PerStep {
  const std::vector<int>* steps;
  std::vector<double> value;
  explicit PerStep(const std::vector<int>& s) : steps(&s), value(s.size(), 1e300) {}
  void least(size_t i, double v) {
    if (v < value[i]) value[i] = v;
  }
  double sum() const {
    double s = 0;
    for (double v : value) s += v;
    return s;
  }
  double mean() const { return value.empty() ? 0 : sum() / value.size(); }
  double last() const { return value.empty() ? 0 : value.back(); }
};

// A line of the table: peer variant scene triangles threads metric value unit [step:value,...]
struct Row {
  std::string peer, variant, scene;
  long ntri;
  int threads;
  void out(const char* metric, double value, const char* unit, const PerStep* by_step = nullptr) const {
    printf("%s\t%s\t%s\t%ld\t%d\t%s\t%.6g\t%s", peer.c_str(), variant.c_str(), scene.c_str(), ntri, threads, metric,
           value, unit);
    for (size_t i = 0; by_step && i < by_step->value.size(); ++i)
      printf("%c%d:%.6g", i ? ',' : '\t', (*by_step->steps)[i], by_step->value[i]);
    putchar('\n');
    fflush(stdout);
  }
  void time(const char* metric, const PerStep& t) const { out(metric, t.mean(), "ms", &t); }
  void pairs(const PerStep& n) const {
    out("pairs_sum", n.sum(), "pairs", &n);
    out("pairs_last", n.last(), "pairs");
  }
};

// Command line: scene names (none: all), --reps=N, --max=N (most triangles per body), --threads=N (only that many),
// --stride=N (every N-th of the steps only), --variant=NAME (only this one; may be repeated), --rays=FILE (nothing is
// timed: the rays of S4 and their hits are written by Embree's program, and compared by ours).
struct Args {
  std::vector<std::string> scenes, variants;
  std::string rays;
  int reps = 3, threads = 0, stride = 1;
  long max = 1L << 40;
  Args(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (!strncmp(argv[i], "--reps=", 7)) reps = atoi(argv[i] + 7);
      else if (!strncmp(argv[i], "--max=", 6)) max = atol(argv[i] + 6);
      else if (!strncmp(argv[i], "--threads=", 10)) threads = atoi(argv[i] + 10);
      else if (!strncmp(argv[i], "--stride=", 9)) stride = std::max(1, atoi(argv[i] + 9));
      else if (!strncmp(argv[i], "--variant=", 10)) variants.push_back(argv[i] + 10);
      else if (!strncmp(argv[i], "--rays=", 7)) rays = argv[i] + 7;
      else scenes.push_back(argv[i]);
    }
  }
  static bool listed(const std::vector<std::string>& list, const std::string& s) {
    for (auto& o : list)
      if (o == s) return true;
    return list.empty();
  }
  bool want(const char* scene) const { return listed(scenes, scene); }
  bool want_variant(const std::string& v) const { return listed(variants, v); }
  bool want_threads(int n) const { return !threads || threads == n; }
  int reps_for(long ntri) const { return ntri > 100000 ? (reps + 1) / 2 : reps; }
};

}  // namespace bench
