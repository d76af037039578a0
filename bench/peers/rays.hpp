// S4: are the hits the same? Embree's program writes rays with what they hit, ours casts the same rays and compares.
//
// Ours decides hits exactly and rounds t to 2 ulp of double; Embree works in float, so near an edge it may take the
// neighbour, or nothing, and its t is rounded. Two answers that differ are accepted only if both are possible for a
// computation in float, which is judged in double from every triangle of the frame.
//
// Embree's test is Moeller and Trumbore's: with C = v0 - o, edges e1, e2, N = e2 x e1, it takes the signs of
// U = (C x d) . e2, V = (C x d) . e1 and |N . d| - U - V, and t = (N . C) / (N . d). To first order in u = 2^-24, with
// E the longest edge and R the greatest distance of a corner from o (bounds for all the lengths that enter):
//   U, V      9 u R |d| E: a difference (1), a cross product (4), a rounded edge (1), a dot product (3)
//   N . d     8 u E^2 |d|: rounded edges (2), a cross product (3), a dot product (3)
//   N . C     9 u E^2 R: the same, and a difference
// so what the signs are taken of is wrong by at most (9 + 9) u R E |d| + 8 u E^2 |d| and two sums, and t by
// (9 u E^2 R + 8 u E^2 |t d|) over |N . d| and one division. FACTOR 32 is above both sums of constants and leaves a little
// for the order of summation; it is no allowance for anything else.
#pragma once
#include <string>
#include "meshes.hpp"

namespace rays {
using scene::Mesh;
using scene::V3;

const uint32_t NONE = UINT32_MAX;
const double ULP = 1.0 / (1 << 24), FACTOR = 32;

struct Record {
  float origin[3], direction[3], t_max;  // from t = 0
  int32_t frame;
  int32_t any;              // 1: is there anything at all? body and triangle say only whether
  uint32_t body, triangle;  // NONE: nothing was hit
  float t;
};

inline void give_up(const char* what, const std::string& path) {
  fprintf(stderr, "%s %s\n", what, path.c_str());
  exit(1);
}
inline void write(const std::string& path, const std::vector<Record>& list) {
  FILE* f = fopen(path.c_str(), "wb");
  bool ok = f && fwrite(list.data(), sizeof(Record), list.size(), f) == list.size();
  if (!f || fclose(f) || !ok) give_up("cannot write", path);
}
inline std::vector<Record> read(const std::string& path) {
  std::vector<Record> list;
  FILE* f = fopen(path.c_str(), "rb");
  if (!f) give_up("cannot read", path);
  Record r;
  while (fread(&r, sizeof r, 1, f) == 1) list.push_back(r);
  if (ferror(f) || list.empty()) give_up("no rays in", path);
  fclose(f);
  return list;
}

// Frames that are compared: five at every 5th pixel, and the last at every pixel, which has all rays of the timed pictures
// of that frame.
struct Picture { int frame, step; };
inline std::vector<Picture> pictures() {
  std::vector<Picture> p;
  for (int f : scene::frames(scene::S4_FRAMES, scene::S4_FRAMES / 5)) p.push_back({f, 5});
  p.push_back({scene::S4_FRAMES - 1, 1});
  return p;
}

// ---- the judge ---------------------------------------------------------------
struct D3 { double x, y, z; };
inline D3 wide(V3 a) { return {a.x, a.y, a.z}; }
inline D3 wide(const float* a) { return {a[0], a[1], a[2]}; }
inline D3 operator-(D3 a, D3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline double dot(D3 a, D3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline D3 cross(D3 a, D3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

// A ray and a triangle, as double sees them, and how far off float may be.
struct Meeting {
  double inside, inside_error;  // the least of U, V and |N . d| - U - V
  double t, t_error;
};
inline Meeting meet(const Record& r, const Mesh& m, size_t triangle) {
  D3 o = wide(r.origin), d = wide(r.direction), c[3], e[3];
  for (int k = 0; k < 3; ++k) c[k] = wide(m.pos[m.tri[triangle].v[k]]) - o;
  double edge = 0, reach = 0;
  for (int k = 0; k < 3; ++k) {
    e[k] = c[(k + 1) % 3] - c[k];
    edge = std::max(edge, dot(e[k], e[k]));
    reach = std::max(reach, dot(c[k], c[k]));
  }
  edge = std::sqrt(edge);
  reach = std::sqrt(reach);
  D3 n = cross(e[0], c[2] - c[0]);
  double along = dot(n, d), length = std::sqrt(dot(d, d)), least = INFINITY, most = 0;
  for (int k = 0; k < 3; ++k) {
    double side = std::copysign(1.0, along) * dot(cross(c[k], c[(k + 1) % 3]), d);
    least = std::min(least, side);
    most = std::max(most, std::fabs(side));
  }
  double error = FACTOR * ULP * edge * (reach + edge) * length;
  // In the plane, as far as float can tell: the signs mean nothing, but all three must be as small as their sum is.
  if (std::fabs(along) <= FACTOR * ULP * edge * edge * length)
    return {-most, 3 * error, dot(c[0], d) / (length * length), 2 * edge / length};
  Meeting x;
  x.inside = least;
  x.inside_error = error;
  x.t = dot(n, c[0]) / along;
  x.t_error = FACTOR * ULP * edge * edge * std::max(reach, std::fabs(x.t) * length) / std::fabs(along) +
              2 * ULP * std::fabs(x.t);
  return x;
}

// What a ray hit, or NONE.
struct Answer {
  uint32_t body, triangle;
  double t;
};
inline Answer theirs(const Record& r) { return {r.body, r.triangle, r.t}; }

// All that a computation in float may make of one ray.
struct Possible {
  double clear_before = INFINITY;  // something is certainly hit up to here: it cannot be missed
  bool something = false;          // something may be hit
  Possible(const Record& r, const std::vector<Mesh>& meshes) {
    for (const Mesh& m : meshes)
      for (size_t i = 0; i < m.nt(); ++i) {
        Meeting x = meet(r, m, i);
        if (x.inside < -x.inside_error || x.t < -x.t_error || x.t > r.t_max + x.t_error) continue;
        something = true;
        if (x.inside <= x.inside_error || x.t <= x.t_error || x.t >= r.t_max - x.t_error) continue;
        clear_before = std::min(clear_before, x.t + x.t_error);
      }
  }
  bool allows(const Record& r, const Answer& a, const std::vector<Mesh>& meshes) const {
    if (a.triangle == NONE) return clear_before == INFINITY;
    if (r.any) return something;
    if (a.body >= meshes.size() || a.triangle >= meshes[a.body].nt()) return false;
    Meeting x = meet(r, meshes[a.body], a.triangle);
    bool may = x.inside >= -x.inside_error && std::fabs(a.t - x.t) <= x.t_error;
    return may && a.t - x.t_error <= clear_before;
  }
};

// The same, without further question: both nothing, or the same triangle and, within the error of float, the same t.
// *used: the greatest part of that error so far.
inline bool agree(const Record& r, const Answer& ours, const std::vector<Mesh>& meshes, double* used) {
  if (r.any || ours.triangle == NONE || r.triangle == NONE) return (ours.triangle == NONE) == (r.triangle == NONE);
  if (ours.body != r.body || ours.triangle != r.triangle) return false;
  double off = std::fabs(ours.t - r.t) / meet(r, meshes[r.body], r.triangle).t_error;
  if (off <= 1) *used = std::max(*used, off);
  return off <= 1;
}

struct Tally {
  long compared = 0, differ = 0, unexplained = 0;
  double used = 0;  // of the error that t may have, the greatest part
  static const long MOST = 1000;  // to be judged: each takes a walk over all triangles
  void add(const Record& r, const Answer& ours, const std::vector<Mesh>& meshes) {
    ++compared;
    if (agree(r, ours, meshes, &used)) return;
    ++differ;
    if (differ <= MOST) {
      Possible p(r, meshes);
      if (p.allows(r, ours, meshes) && p.allows(r, theirs(r), meshes)) return;
    }
    if (!unexplained++)
      fprintf(stderr,
              "S4, frame %d, ray (%.9g %.9g %.9g) + t (%.9g %.9g %.9g): ours hits body %d, triangle %d at %.9g, Embree "
              "body %d, triangle %d at %.9g (-1: nothing)\n",
              r.frame, r.origin[0], r.origin[1], r.origin[2], r.direction[0], r.direction[1], r.direction[2],
              int(ours.body), int(ours.triangle), ours.t, int(r.body), int(r.triangle), r.t);
  }
};

}  // namespace rays
