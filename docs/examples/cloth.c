/* A cloth falls on a ball: springs, gravity, and contact response on near vertices, faces and
 * edges. A step moves every vertex by less than the margin within which contacts were found,
 * then corrects springs and contacts in turn, by the weights and normals of the contacts. */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 25, CLOTH = SIDE * SIDE, AROUND = 32, RINGS = 16, BALL = AROUND * (RINGS + 1), STEPS = 160, ROUNDS = 8 };
static const double STEP = 1 / 240.0, THICKNESS = 0.01, MARGIN = 0.02, FRICTION = 0.3;

static double now[CLOTH][3], before[CLOTH][3], ball[BALL][3];
static uint32_t cloth_triangles[6 * (SIDE - 1) * (SIDE - 1)], ball_triangles[6 * AROUND * RINGS];

static void check(pl_status status, pl_context *context)
{
  if (status != PL_OK) fprintf(stderr, "%s\n", pl_context_message(context)), exit(1);
}

/* Two triangles for each quad of a grid of rows of n vertices; across == n: rows close. */
static void quads(uint32_t across, uint32_t down, uint32_t n, uint32_t *out)
{
  for (uint32_t j = 0; j < down; ++j)
    for (uint32_t i = 0; i < across; ++i) {
      uint32_t p = j * n + i, q = j * n + (i + 1) % n;
      *out++ = p, *out++ = q, *out++ = p + n;
      *out++ = q, *out++ = q + n, *out++ = p + n;
    }
}

static void make_meshes(void)
{
  for (int v = 0; v < CLOTH; ++v) {
    now[v][0] = before[v][0] = 2.0 * (v % SIDE) / (SIDE - 1) - 1;
    now[v][1] = before[v][1] = 0.55, now[v][2] = before[v][2] = 2.0 * (v / SIDE) / (SIDE - 1) - 1;
  }
  for (int v = 0; v < BALL; ++v) {
    double around = 6.283185307179586 * (v % AROUND) / AROUND, down = 3.141592653589793 * (v / AROUND) / RINGS;
    ball[v][0] = 0.5 * sin(down) * cos(around), ball[v][1] = 0.5 * cos(down);
    ball[v][2] = 0.5 * sin(down) * sin(around);
  }
  quads(SIDE - 1, SIDE - 1, SIDE, cloth_triangles);
  quads(AROUND, RINGS, AROUND, ball_triangles);
}

static void spring(int v, int w, double length)
{
  double x = now[w][0] - now[v][0], y = now[w][1] - now[v][1], z = now[w][2] - now[v][2];
  double by = 0.5 * (1 - length / sqrt(x * x + y * y + z * z)), way[3] = {by * x, by * y, by * z};
  for (int k = 0; k < 3; ++k) now[v][k] += way[k], now[w][k] -= way[k];
}

static void springs(void)
{
  const double edge = 2.0 / (SIDE - 1), across = sqrt(2) * edge;
  for (int v = 0; v < CLOTH; ++v) {
    bool right = v % SIDE + 1 < SIDE, below = v + SIDE < CLOTH;
    if (right) spring(v, v + 1, edge);
    if (below) spring(v, v + SIDE, edge);
    if (right && below) spring(v, v + SIDE + 1, across), spring(v + 1, v + SIDE, across);
  }
}

/* Moves the cloth's point until it is THICKNESS away from the ball's, along the normal, and
 * slows down what slides. */
static void respond(const pl_feature_pair *f)
{
  double apart = 0, squares = 0, along = 0, slide[3] = {0};
  for (int i = 0; i < 3; ++i) {
    const double *p = now[f->vertex_a[i]], *old = before[f->vertex_a[i]], *q = ball[f->vertex_b[i]];
    for (int k = 0; k < 3; ++k) {
      apart += (f->weight_a[i] * p[k] - f->weight_b[i] * q[k]) * f->normal[k];
      slide[k] += f->weight_a[i] * (p[k] - old[k]);
      along += f->weight_a[i] * (p[k] - old[k]) * f->normal[k];
    }
    squares += f->weight_a[i] * f->weight_a[i];
  }
  if (apart >= THICKNESS) return;
  for (int k = 0; k < 3; ++k) {
    double by = (THICKNESS - apart) * f->normal[k] - FRICTION * (slide[k] - along * f->normal[k]);
    for (int i = 0; i < 3; ++i) now[f->vertex_a[i]][k] += f->weight_a[i] / squares * by;
  }
}

static void move(double x[3], double old[3])
{
  for (int k = 0; k < 3; ++k) {
    double by = 0.995 * (x[k] - old[k]) - (k == 1 ? 9.81 * STEP * STEP : 0);
    old[k] = x[k];
    x[k] += fmax(-0.25 * MARGIN, fmin(0.25 * MARGIN, by));
  }
}

int main(void)
{
  pl_context *context;
  pl_body *a, *b;
  const pl_result *nearest;
  if (pl_context_create(NULL, &context) != PL_OK) return 1;
  make_meshes();
  pl_question near = pl_question_default();
  near.margin = MARGIN;
  pl_mesh_def cloth_mesh = pl_mesh_def_default(), ball_mesh = cloth_mesh;
  cloth_mesh.positions = pl_positions_f64(now[0], CLOTH), ball_mesh.positions = pl_positions_f64(ball[0], BALL);
  cloth_mesh.triangles = cloth_triangles, ball_mesh.triangles = ball_triangles;
  cloth_mesh.triangle_count = 2 * (SIDE - 1) * (SIDE - 1), ball_mesh.triangle_count = 2 * AROUND * RINGS;
  check(pl_body_create_free(context, &cloth_mesh, NULL, &a), context);
  check(pl_body_create_free(context, &ball_mesh, NULL, &b), context);
  for (int step = 0; step < STEPS; ++step) {
    const pl_result *found;
    check(pl_body_set_positions(a, pl_positions_f64(now[0], CLOTH)), context);
    check(pl_near(pl_two(a, b), &near, &found), context);
    for (int v = 0; v < CLOTH; ++v) move(now[v], before[v]);
    for (int round = 0; round < ROUNDS; ++round, springs())
      for (size_t i = 0; i < found->count; ++i) respond(&found->features[i]);
    for (size_t i = 0; i < found->count; ++i) respond(&found->features[i]);
  }
  check(pl_body_set_positions(a, pl_positions_f64(now[0], CLOTH)), context);
  check(pl_nearest(pl_two(a, b), NULL, &nearest), context);
  const double least = nearest->distances[0].distance;
  printf("the cloth lies %.2f above the ball\n", least);
  pl_context_destroy(context);
  return least > 0.9 * THICKNESS && least < 1.1 * THICKNESS ? 0 : 1;
}
