// Scene S7 for programs in C++: how many bodies and steps, and the rows that are printed.
#pragma once
#include <cmath>
#include <string>
#include <vector>
#include "bench.hpp"
#include "scenes/soft.h"

namespace soft {

struct Size {
  int bodies = SOFT_PILE, steps = 480; // 8 s: Bullet takes most of a minute for them
  std::vector<std::string> variants;
  Size(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      if (!strncmp(argv[i], "--bodies=", 9)) bodies = atoi(argv[i] + 9);
      else if (!strncmp(argv[i], "--steps=", 8)) steps = atoi(argv[i] + 8);
      else if (!strncmp(argv[i], "--variant=", 10)) variants.push_back(argv[i] + 10);
    }
  }
  bool want(const std::string& v) const { return bench::Args::listed(variants, v); }
  long points() const { return long(bodies) * SOFT_POINTS; }
};

// Processor time of each step, with a line on stderr now and then; the piled part is the last third.
struct Timer {
  Size size;
  std::vector<double> ms;
  explicit Timer(const Size& s) : size(s) {}
  template <class F> void step(int i, F&& f) {
    ms.push_back(bench::time_ms(1, f));
    if ((i + 1) % 120 == 0) fprintf(stderr, "step %d of %d: %.2f ms\n", i + 1, size.steps, ms.back());
  }
  void report(const char* peer, const std::string& variant, double speed) const {
    bench::Row row{peer, variant, "S7", size.points(), 1};
    double all = 0, piled = 0;
    size_t from = ms.size() * 2 / 3;
    for (size_t i = 0; i < ms.size(); ++i) all += ms[i], piled += i >= from ? ms[i] : 0;
    row.out("step", piled / double(ms.size() - from), "ms");
    row.out("step_mean", all / double(ms.size()), "ms");
    row.out("speed_end", speed, "m/s");
  }
};

}  // namespace soft
