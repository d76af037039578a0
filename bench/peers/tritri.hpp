// Triangle-triangle intersection and distance, written for this harness.
// The intersection test follows the orientation-predicate scheme of Guigue and
// Devillers (2003): two plane-side checks, then two 3-D orientations.
#pragma once
#include <cmath>
#include "meshes.hpp"

namespace tt {

template <class T> struct P { T x, y, z; };
template <class T> inline P<T> operator-(P<T> a, P<T> b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
template <class T> inline P<T> operator+(P<T> a, P<T> b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
template <class T> inline P<T> operator*(P<T> a, T s) { return {a.x * s, a.y * s, a.z * s}; }
template <class T> inline T dot(P<T> a, P<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class T> inline P<T> cross(P<T> a, P<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> inline P<T> conv(scene::V3 v) { return {T(v.x), T(v.y), T(v.z)}; }

// Signed volume of (a, b, c, d): > 0 when d lies on the side of cross(b-a, c-a).
template <class T> inline T orient(P<T> a, P<T> b, P<T> c, P<T> d) {
  return dot(cross(b - a, c - a), d - a);
}

namespace detail {
template <class T> inline T orient2(const T* a, const T* b, const T* c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}
template <class T> inline bool seg2(const T* a, const T* b, const T* c, const T* d) {
  T o1 = orient2(a, b, c), o2 = orient2(a, b, d), o3 = orient2(c, d, a), o4 = orient2(c, d, b);
  return ((o1 <= 0 && o2 >= 0) || (o1 >= 0 && o2 <= 0)) && ((o3 <= 0 && o4 >= 0) || (o3 >= 0 && o4 <= 0)) &&
         !(o1 == 0 && o2 == 0 && o3 == 0 && o4 == 0 &&
           (std::fmax(a[0], b[0]) < std::fmin(c[0], d[0]) || std::fmax(c[0], d[0]) < std::fmin(a[0], b[0]) ||
            std::fmax(a[1], b[1]) < std::fmin(c[1], d[1]) || std::fmax(c[1], d[1]) < std::fmin(a[1], b[1])));
}
template <class T> inline bool inside2(const T* p, const T (*t)[2]) {
  T a = orient2(t[0], t[1], p), b = orient2(t[1], t[2], p), c = orient2(t[2], t[0], p);
  return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}
template <class T> bool coplanar(const P<T>* u, const P<T>* v, P<T> n) {
  T ax = std::fabs(n.x), ay = std::fabs(n.y), az = std::fabs(n.z), a[3][2], b[3][2];
  for (int i = 0; i < 3; ++i) {
    if (ax >= ay && ax >= az) { a[i][0] = u[i].y; a[i][1] = u[i].z; b[i][0] = v[i].y; b[i][1] = v[i].z; }
    else if (ay >= az)        { a[i][0] = u[i].x; a[i][1] = u[i].z; b[i][0] = v[i].x; b[i][1] = v[i].z; }
    else                      { a[i][0] = u[i].x; a[i][1] = u[i].y; b[i][0] = v[i].x; b[i][1] = v[i].y; }
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (seg2(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3])) return true;
  return inside2(a[0], b) || inside2(b[0], a);
}
// Rotate (v, d) so that v[0] is alone on its side of the other plane, with
// d[0] >= 0 after a possible flip; true when the flip is needed.
template <class T> inline bool isolate(P<T>* v, const T* d) {
  int k;
  bool flip;
  if (d[0] > 0) {
    if (d[1] > 0)      { k = 2; flip = true; }
    else if (d[2] > 0) { k = 1; flip = true; }
    else               { k = 0; flip = false; }
  } else if (d[0] < 0) {
    if (d[1] < 0)      { k = 2; flip = false; }
    else if (d[2] < 0) { k = 1; flip = false; }
    else               { k = 0; flip = true; }
  } else if (d[1] < 0) {
    if (d[2] >= 0)     { k = 1; flip = true; }
    else               { k = 0; flip = false; }
  } else if (d[1] > 0) {
    if (d[2] > 0)      { k = 0; flip = true; }
    else               { k = 1; flip = false; }
  } else               { k = 2; flip = d[2] < 0; }
  P<T> a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
  v[0] = a; v[1] = b; v[2] = c;
  return flip;
}
}  // namespace detail

// True when the closed triangles a and b share a point.
template <class T> inline bool intersect(const P<T>* a, const P<T>* b) {
  P<T> nb = cross(b[1] - b[0], b[2] - b[0]);
  T da[3] = {dot(nb, a[0] - b[0]), dot(nb, a[1] - b[0]), dot(nb, a[2] - b[0])};
  if ((da[0] > 0 && da[1] > 0 && da[2] > 0) || (da[0] < 0 && da[1] < 0 && da[2] < 0)) return false;
  P<T> na = cross(a[1] - a[0], a[2] - a[0]);
  T db[3] = {dot(na, b[0] - a[0]), dot(na, b[1] - a[0]), dot(na, b[2] - a[0])};
  if ((db[0] > 0 && db[1] > 0 && db[2] > 0) || (db[0] < 0 && db[1] < 0 && db[2] < 0)) return false;
  if (da[0] == 0 && da[1] == 0 && da[2] == 0) return detail::coplanar(a, b, nb);
  P<T> u[3] = {a[0], a[1], a[2]}, v[3] = {b[0], b[1], b[2]};
  bool fu = detail::isolate(u, da), fv = detail::isolate(v, db);
  if (fu) std::swap(v[1], v[2]);
  if (fv) std::swap(u[1], u[2]);
  return orient(u[0], u[1], v[0], v[1]) <= 0 && orient(u[0], u[2], v[2], v[0]) <= 0;
}

template <class T> inline T clamp01(T t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

template <class T> T seg_seg2(P<T> p, P<T> q, P<T> r, P<T> s) {
  P<T> d1 = q - p, d2 = s - r, w = p - r;
  T a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, w), c = dot(d1, w), b = dot(d1, d2), den = a * e - b * b;
  T t1 = den > 0 ? clamp01((b * f - c * e) / den) : 0, t2 = (b * t1 + f) / e;
  if (t2 < 0) { t2 = 0; t1 = clamp01(-c / a); }
  else if (t2 > 1) { t2 = 1; t1 = clamp01((b - c) / a); }
  P<T> g = w + d1 * t1 - d2 * t2;
  return dot(g, g);
}
// Squared distance of p to the inside of triangle t; a huge value when the
// projection falls outside (the edge pairs cover that case).
template <class T> T point_face2(P<T> p, const P<T>* t) {
  P<T> n = cross(t[1] - t[0], t[2] - t[0]);
  for (int i = 0; i < 3; ++i)
    if (dot(cross(n, t[(i + 1) % 3] - t[i]), p - t[i]) < 0) return T(1e30);
  T d = dot(n, p - t[0]);
  return d * d / dot(n, n);
}
// Squared distance of two triangles that do not intersect.
template <class T> T distance2(const P<T>* a, const P<T>* b) {
  T best = T(1e30);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      best = std::fmin(best, seg_seg2(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
  for (int i = 0; i < 3; ++i)
    best = std::fmin(best, std::fmin(point_face2(a[i], b), point_face2(b[i], a)));
  return best;
}

template <class T> inline void load(const scene::Mesh& m, size_t t, P<T>* out) {
  const scene::Tri& k = m.tri[t];
  for (int i = 0; i < 3; ++i) out[i] = conv<T>(m.pos[k.v[i]]);
}
template <class T> inline bool pair(const scene::Mesh& a, size_t i, const scene::Mesh& b, size_t j) {
  P<T> u[3], v[3];
  load(a, i, u);
  load(b, j, v);
  return intersect(u, v);
}
inline bool share_vertex(const scene::Tri& a, const scene::Tri& b) {
  for (uint32_t p : a.v)
    for (uint32_t q : b.v)
      if (p == q) return true;
  return false;
}

}  // namespace tt
