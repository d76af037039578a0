/* Picking on a morphing body: which triangle is under the mouse, where on it, and which vertex a
 * brush would grab. The blended vertices are never computed as a whole: only the leaves that a
 * ray or a brush reaches are. */
#include <pliant/pliant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 64, SECTORS = 128, VERTICES = RINGS * SECTORS, TRIANGLES = 2 * (RINGS - 1) * SECTORS };

static float ball[VERTICES][3], pear[VERTICES][3];
static uint32_t triangles[TRIANGLES][3];

static void make_shapes(void)
{
  const double pi = 3.14159265358979323846;
  for (int r = 0; r < RINGS; ++r)
    for (int s = 0; s < SECTORS; ++s) {
      double polar = pi * (r + 0.5) / RINGS, around = 2 * pi * s / SECTORS;
      double x = sin(polar) * cos(around), y = sin(polar) * sin(around), z = cos(polar), wide = z < 0 ? 1.5 : 0.75;
      const double one[3] = {x, y, z}, two[3] = {wide * x, wide * y, 1.5 * z};
      for (int k = 0; k < 3; ++k) {
        ball[r * SECTORS + s][k] = (float)one[k];
        pear[r * SECTORS + s][k] = (float)two[k];
      }
    }
  for (int r = 0, t = 0; r + 1 < RINGS; ++r)
    for (int s = 0; s < SECTORS; ++s, t += 2) {
      uint32_t a = (uint32_t)(r * SECTORS + s), b = (uint32_t)(r * SECTORS + (s + 1) % SECTORS);
      const uint32_t quad[2][3] = {{a, a + SECTORS, b}, {b, a + SECTORS, b + SECTORS}};
      for (int i = 0; i < 6; ++i) triangles[t + i / 3][i % 3] = quad[i / 3][i % 3];
    }
}

static void stop(pl_context *context, const char *what)
{
  fprintf(stderr, "%s: %s\n", what, context ? pl_context_message(context) : "no context");
  exit(1);
}

/* The ray through a pixel of a camera at x = 5 that looks along -x. */
static pl_ray ray_of_pixel(double column, double row)
{
  const double eye[3] = {5, 0, 0}, direction[3] = {-1, (column - 320) / 640, (240 - row) / 640};
  return pl_ray_from(eye, direction);
}

int main(void)
{
  pl_context *context = NULL;
  pl_body *body = NULL;
  make_shapes();
  if (pl_context_create(NULL, &context) != PL_OK) stop(NULL, "context");
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = triangles[0];
  mesh.triangle_count = TRIANGLES;
  const pl_positions references[2] = {pl_positions_f32(ball[0], VERTICES), pl_positions_f32(pear[0], VERTICES)};
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = 2;
  if (pl_body_create_morph(context, &mesh, &morph, NULL, &body) != PL_OK) stop(context, "body");

  for (int frame = 0; frame <= 4; ++frame) {
    const double weights[2] = {1 - frame / 4.0, frame / 4.0};
    /* no update call */
    if (pl_body_set_weights(body, weights, 2) != PL_OK) stop(context, "weights");

    /* What is under the mouse? */
    pl_ray ray = ray_of_pixel(350, 300);
    const pl_result *hits = NULL;
    if (pl_cast(pl_one(body), &ray, 1, NULL, &hits) != PL_OK) stop(context, "ray");
    pl_hit hit = hits->hits[0];
    if (hit.triangle == PL_NONE) stop(context, "the ray missed");
    double at[3], least = 2;
    for (int k = 0; k < 3; ++k) at[k] = ray.origin[k] + hit.t * ray.direction[k];

    /* The corner with the greatest barycentric coordinate is the one to grab. */
    const double share[3] = {1 - hit.u - hit.v, hit.u, hit.v};
    int corner = share[1] > share[0] ? 1 : 0;
    corner = share[2] > share[corner] ? 2 : corner;
    for (int i = 0; i < 3; ++i) least = share[i] < least ? share[i] : least;

    /* What a brush of radius 0.1 around it would touch, and a check that the point is on the
     * surface. */
    pl_zone brush = pl_zone_sphere(at, 0.1);
    const pl_result *touched = NULL;
    const pl_result *nearest = NULL;
    if (pl_overlap(pl_one(body), &brush, NULL, &touched) != PL_OK) stop(context, "brush");
    size_t brushed = touched->count;
    if (pl_closest(pl_one(body), pl_positions_f64(at, 1), NULL, &nearest) != PL_OK) stop(context, "closest point");
    printf("frame %d: triangle %u at (%.3f %.3f %.3f), vertex %u, brush %zu triangles\n", frame, hit.triangle, at[0],
           at[1], at[2], triangles[hit.triangle][corner], brushed);
    if (!(nearest->points[0].distance < 1e-6 && least >= 0 && brushed > 0))
      stop(context, "the pick is not on the body");
  }
  pl_context_destroy(context);
  return 0;
}
