// The project's scenes as the peers' programs see them: vectors of small structs over scenes/scenes.h, and which sizes
// and steps are played. Nothing here is timed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include "scenes/scenes.h"

namespace scene {

struct V3 { float x, y, z; };
struct Tri { uint32_t v[3]; };

inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V3 operator*(V3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline V3 cross(V3 a, V3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline V3 normalize(V3 a) { return a * (1.0f / std::sqrt(dot(a, a))); }

struct Mesh {
  std::vector<V3> rest;
  std::vector<Tri> tri;
  std::vector<V3> pos;  // current pose, one spare vertex for 16-byte loads
  size_t nv() const { return rest.size(); }
  size_t nt() const { return tri.size(); }
  scene_mesh view() { return {&rest[0].x, &pos[0].x, tri[0].v, nv(), nt()}; }  // for the functions of scenes.h
};

inline Mesh take(bool made, scene_mesh& m) {
  if (!made) {
    fprintf(stderr, "out of memory for a mesh\n");
    exit(1);
  }
  Mesh out;
  out.rest.resize(m.vertex_count);
  out.tri.resize(m.triangle_count);
  out.pos.assign(m.vertex_count + 1, V3{0, 0, 0});
  memcpy(out.rest.data(), m.rest, m.vertex_count * sizeof(V3));
  memcpy(out.tri.data(), m.triangles, m.triangle_count * sizeof(Tri));
  scene_mesh_free(&m);
  return out;
}
inline Mesh geosphere(int f) {
  scene_mesh m;
  bool made = scene_geosphere(f, &m);
  return take(made, m);
}
inline Mesh cloth(int n) {
  scene_mesh m;
  bool made = scene_cloth(n, &m);
  return take(made, m);
}
inline Mesh ball() {
  scene_mesh m;
  bool made = scene_ball(&m);
  return take(made, m);
}
inline int geo_freq(int ntri) { return scene_geosphere_frequency(ntri); }

const int S1_STEPS = SCENE_S1_STEPS, S2_STEPS = SCENE_S2_STEPS, S3_STEPS = SCENE_S3_STEPS, S5_STEPS = SCENE_S5_STEPS;
const int S2_BODIES = SCENE_S2_BODIES, S2_TRIS = SCENE_S2_TRIANGLES;
const int S1_SIZES[] = {1280, 5120, 20480, 81920, 327680};  // triangles per body
const int S1P_SIZES[] = {20480, 81920};
const int S3_SIZES[] = {64, 128, 256};
const int S5_SIZES[] = {720, 20480};

inline void s1_pose(Mesh& a, Mesh& b, int step) {
  scene_mesh x = a.view(), y = b.view();
  scene_s1_pose(&x, &y, step);
}
inline void s1p_pose(Mesh& a, Mesh& b, int step) {
  scene_mesh x = a.view(), y = b.view();
  scene_s1p_pose(&x, &y, step);
}
inline void s2_pose(Mesh& m, int body, int step) {
  scene_mesh x = m.view();
  scene_s2_pose(&x, body, step);
}
inline void s3_pose(Mesh& m, int step) {
  scene_mesh x = m.view();
  scene_s3_pose(&x, step);
}
inline void s5_pose(Mesh& a, Mesh& b, int step) {
  scene_mesh x = a.view(), y = b.view();
  scene_s5_pose(&x, &y, step);
}

// S6: the steps in which the cloth rests on a thin gap.
const int S6_STEPS = 20;
const double S6_MARGIN = SCENE_S6_MARGIN;
inline void s6_pose(Mesh& a, Mesh& b, int step) {
  scene_mesh x = a.view(), y = b.view();
  scene_s6_pose(&x, &y, step);
}

// S4: the camera backs off so that from 2 to 9 of the bodies are in view.
const int S4_FRAMES = SCENE_S4_FRAMES, S4_BODIES = SCENE_S4_BODIES, S4_TRIS = SCENE_S4_TRIANGLES;
const int S4_W = 640, S4_H = 480;
inline void s4_pose(Mesh& m, int body, int frame) {
  scene_mesh x = m.view();
  scene_s4_pose(&x, body, frame);
}
struct Camera { V3 eye, dx, dy, corner; };
inline Camera s4_camera(int frame) {
  float u = float(frame) / (S4_FRAMES - 1), r = 3.8f + 4.6f * u, a = 0.7f + 0.4f * u;
  V3 eye{r * std::cos(a), 0.7f + 3.7f * u, r * std::sin(a)};
  V3 w = normalize(eye * -1.0f), right = normalize(cross(w, {0, 1, 0})), up = cross(right, w);
  float half = 0.5f;  // tan(fov/2), vertical
  Camera c;
  c.eye = eye;
  c.dx = right * (2 * half * S4_W / S4_H / S4_W);
  c.dy = up * (-2 * half / S4_H);
  c.corner = w - right * (half * S4_W / S4_H) + up * half;
  return c;
}
inline V3 s4_dir(const Camera& c, int px, int py) {
  return c.corner + c.dx * (px + 0.5f) + c.dy * (py + 0.5f);
}
const V3 S4_LIGHT[2] = {{6, 9, 4}, {-7, 8, 5}};

// Every stride-th step, counted back from the last, which is always in.
inline std::vector<int> frames(int steps, int stride) {
  std::vector<int> f;
  for (int i = (steps - 1) % stride; i < steps; i += stride) f.push_back(i);
  return f;
}
// Every step for small meshes, a subset for large ones (trees depend only on the current pose and the first one, so a
// subset has the same mean).
inline int s1_stride(int ntri) { return ntri <= 20480 ? 1 : ntri <= 81920 ? 5 : 20; }

}  // namespace scene
