/* B1: a geosphere in three shapes, twice, and the way right through each other. */
#include "scenes/morph_parts.h"

/* Shapes of the point of the unit sphere in direction (x, y, z). */
static void bumpy_ball(const double d[3], double out[3])
{
  double bumps = morph_sin(7 * d[0] + 1) + morph_sin(7 * d[1] + 2) + morph_sin(7 * d[2] + 3);
  double r = 1 + 0.05 * bumps;
  for (int k = 0; k < 3; ++k) out[k] = r * d[k];
}

/* Five arms around z: x^5 - 10 x^3 y^2 + 5 x y^4 is the cosine of five times the angle, and
 * fades towards the poles. */
static void flat_star(const double d[3], double out[3])
{
  double x2 = d[0] * d[0], y2 = d[1] * d[1], r = 1.05 + 0.45 * d[0] * (x2 * x2 - 10 * x2 * y2 + 5 * y2 * y2);
  out[0] = r * d[0];
  out[1] = r * d[1];
  out[2] = 0.5 * d[2];
}

static void twisted_bar(const double d[3], double out[3])
{
  double z = 1.6 * d[2], x = 0.85 * d[0], y = 0.5 * d[1], c = morph_cos(0.9 * z), s = morph_sin(0.9 * z);
  out[0] = c * x - s * y;
  out[1] = s * x + c * y;
  out[2] = z;
}

bool morph_b1_body(int frequency, morph_mesh *out)
{
  void (*const shapes[MORPH_REFERENCES])(const double[3], double[3]) = {bumpy_ball, flat_star, twisted_bar};
  scene_mesh sphere;
  *out = (morph_mesh){0};
  if (!scene_geosphere(frequency, &sphere)) return false;
  bool ok = morph_mesh_alloc(out, sphere.vertex_count, sphere.triangle_count);
  for (int r = 0; ok && r < MORPH_REFERENCES; ++r)
    for (size_t v = 0; v < sphere.vertex_count; ++v) {
      double d[3], p[3];
      for (size_t k = 0; k < 3; ++k) d[k] = sphere.rest[3 * v + k];
      shapes[r](d, p);
      for (size_t k = 0; k < 3; ++k) out->references[r][3 * v + k] = (float)p[k];
    }
  for (size_t i = 0; ok && i < 3 * sphere.triangle_count; ++i) out->triangles[i] = sphere.triangles[i];
  scene_mesh_free(&sphere);
  return ok;
}

/* Along x with a small offset aside, so that the two never are in each other exactly; both turn
 * slowly, in opposite senses. The distances at the ends are such that the surfaces meet at about
 * step 40 and part at about step 364. */
void morph_b1_pose(int body, int step, morph_pose *out)
{
  const double first = 2.40, last = 2.09; /* between the centres, before and after */
  double u = step / (MORPH_B1_STEPS - 1.0), side = body ? 1 : -1;
  double x = 0.5 * side * (first - (first + last) * u);
  morph_weights(2 * u, out->weight);
  morph_rotation(side * (0.4 + 0.8 * u), 0.5 * side, side * (0.3 + 0.6 * u), out->rotation);
  out->shift[0] = x;
  out->shift[1] = 0.06 * side;
  out->shift[2] = -0.04 * side;
}
