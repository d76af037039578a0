/* S6: a cloth that is on a ball. The ball turns under it and the cloth breathes: in a part of
 * the steps it touches the ball, in the others it rests on a thin gap. A third of the cloth is
 * on the ball, the rest hangs free. */
#include "scenes/parts.h"

enum { AROUND = 48, RINGS = 24 };

bool scene_ball(scene_mesh *out)
{
  *out = (scene_mesh){0};
  if (!scene_mesh_alloc(out, 2 + AROUND * (RINGS - 1), 2 * AROUND * (RINGS - 1))) return false;
  const double pi = 3.14159265358979323846, quarter = pi / 2;
  for (int ring = 1; ring < RINGS; ++ring)
    for (int i = 0; i < AROUND; ++i) {
      double down = pi * ring / RINGS, around = 2 * pi * i / AROUND;
      vec3_store(out->rest, (size_t)((ring - 1) * AROUND + i),
                 vec3_make((float)(scene_wave(down) * scene_wave(around + quarter)), (float)scene_wave(down + quarter),
                           (float)(scene_wave(down) * scene_wave(around))));
    }
  uint32_t top = AROUND * (RINGS - 1), bottom = top + 1, *corner = out->triangles;
  vec3_store(out->rest, top, vec3_make(0, 1, 0));
  vec3_store(out->rest, bottom, vec3_make(0, -1, 0));
  for (uint32_t ring = 0; ring < RINGS; ++ring)
    for (uint32_t i = 0; i < AROUND; ++i) {
      uint32_t next = (i + 1) % AROUND, above = (ring - 1) * AROUND, below = ring * AROUND;
      if (ring == 0)
        *corner++ = top, *corner++ = below + next, *corner++ = below + i;
      else if (ring == RINGS - 1)
        *corner++ = bottom, *corner++ = above + i, *corner++ = above + next;
      else {
        *corner++ = above + i, *corner++ = above + next, *corner++ = below + i;
        *corner++ = above + next, *corner++ = below + next, *corner++ = below + i;
      }
    }
  return true;
}

void scene_s6_pose(scene_mesh *cloth, scene_mesh *ball, int step)
{
  /* angle to which it lies, half its side */
  const double lies = 0.8, half = 1.5, quarter = 1.57079632679489661923;
  double time = 0.05 * step, turn = 0.02 * time, c = scene_wave(turn + quarter), s = scene_wave(turn);
  for (size_t i = 0; i < ball->vertex_count; ++i) {
    vec3 p = vec3_load(ball->rest, i);
    double x = (double)p.x, z = (double)p.z;
    vec3_store(ball->xyz, i, vec3_make((float)(c * x + s * z), p.y, (float)(c * z - s * x)));
  }
  for (size_t i = 0; i < cloth->vertex_count; ++i) {
    vec3 p = vec3_load(cloth->rest, i);
    double x = half * (double)p.x, z = half * (double)p.z, away = sqrt(x * x + z * z);
    double ripple = scene_wave(9 * x + 2 * time) * scene_wave(7 * z - time);
    double lift = 1.002 + 0.0015 * ripple + 0.0025 * scene_wave(3 * time), angle = away < lies ? away : lies;
    double along = scene_wave(angle), up = scene_wave(angle + quarter);
    double scale = away > 0 ? (lift * along + (away - angle) * up) / away : 0;
    vec3_store(cloth->xyz, i,
               vec3_make((float)(x * scale), (float)(lift * up - (away - angle) * along), (float)(z * scale)));
  }
}
