#include "support/plans.h"

#include "motion/flight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void plan_free(plan *p)
{
  free(p->triangles);
  for (int i = 0; i < MOST_POSES; ++i) free(p->pose[i]);
}

static void move(test_rng *rng, int how, int pose, const double rest[3], double out[3])
{
  double angle = 0.7 * pose, shift = 0.3 * pose;
  for (int k = 0; k < 3; ++k) {
    out[k] = rest[k] + test_uniform(rng, -0.3, 0.3);
    if (how == GRID) out[k] = (test_below(rng, 9) - 4) / 4.0;
    if (how == SLIDE) out[k] = rest[k] + shift;
    if (how == MIRROR) out[k] = (pose % 2 ? -1 : 1) * rest[k];
    if (how == TINY) out[k] = ldexp(rest[k] + test_uniform(rng, -0.3, 0.3), -1030);
    if (how == HUGE_SIZE) out[k] = ldexp(rest[k] + test_uniform(rng, -0.3, 0.3), 990);
    if (how == MIXED) out[k] = ldexp(test_uniform(rng, -1, 1), test_below(rng, 120) - 100);
  }
  if (how != TURN) return;
  out[0] = cos(angle) * rest[0] - sin(angle) * rest[1];
  out[1] = sin(angle) * rest[0] + cos(angle) * rest[1];
  out[2] = rest[2];
}

/* The bumpy sphere of a world, and poses of a kind of motion; float numbers with `floats`. */
plan plan_of(test_rng *rng, int size, int how, bool floats)
{
  world w;
  world_create(WORLD_SPHERES, size, &w);
  w.pose(&w, 0);
  plan p = {.vertex_count = w.mesh[0].vertex_count, .triangle_count = w.mesh[0].triangle_count};
  p.triangles = malloc(3 * p.triangle_count * sizeof *p.triangles);
  memcpy(p.triangles, w.mesh[0].triangles, 3 * p.triangle_count * sizeof *p.triangles);
  for (int i = 0; i < MOST_POSES; ++i) {
    p.pose[i] = malloc(3 * p.vertex_count * sizeof(double));
    for (size_t v = 0; v < p.vertex_count; ++v) move(rng, how, i, w.mesh[0].xyz + 3 * v, p.pose[i] + 3 * v);
    for (size_t c = 0; floats && how != TINY && how != HUGE_SIZE && c < 3 * p.vertex_count; ++c)
      p.pose[i][c] = (float)p.pose[i][c];
  }
  world_free(&w);
  return p;
}

pl_body *plan_body(pl_context *context, const plan *p, pl_path path, int keys, const pl_body_def *def)
{
  static const double times[] = {-1, 0.5, 2, 8};
  pl_positions poses[MOST_POSES];
  for (int i = 0; i < MOST_POSES; ++i) poses[i] = pl_positions_f64(p->pose[i], p->vertex_count);
  pl_flight_def plans = pl_flight_def_default();
  plans.path = path;
  plans.times = times;
  plans.key_count = (size_t)keys;
  plans.poses = poses;
  plans.pose_count = path == PL_PATH_LINEAR ? (size_t)keys : 2 * (size_t)keys - 1;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_body *body;
  pl_status status = pl_body_create_flight(context, &mesh, &plans, def, &body);
  if (status != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

double *plan_positions(pl_body *body)
{
  size_t n = body->motion.vertex_count;
  double *xyz = malloc(3 * n * sizeof *xyz);
  assert_int_equal(pl_body_positions(body, NULL, n, PL_F64, xyz, 0), PL_OK);
  return xyz;
}

/* Every box of the tree is that of the positions below it, rounded outward; those are what the
 * plans' formula gives. */
void assert_tight(pl_body *body, const char *what)
{
  uint64_t made = 0;
  tree *t = body->tree;
  double *xyz = plan_positions(body);
  const double scale = points_scale(&body->motion.now), least = body->motion.now.exponent ? 0x1p-1074 : 0;
  assert_int_equal(body_update(body, &made), PL_OK);
  for (uint32_t node = t->nodes.inner_count; node-- > 0;) {
    update_ensure(body->update, LAYER_BOXES, node);
    for (int lane = 0; lane < t->nodes.children[node]; ++lane) {
      int32_t child = tree_children(t, node)[lane];
      aabb want = aabb_empty(), got = aabb_lane(tree_block(t, node), t->nodes.width, lane);
      if (child >= 0) {
        want = aabb_merge_block(tree_block(t, (uint32_t)child), t->nodes.width);
      } else {
        for (uint32_t i = 3 * t->prims.tri_first[~child]; i < 3 * t->prims.tri_first[~child + 1]; ++i)
          for (int k = 0; k < 3; ++k) {
            double x = xyz[3 * t->prims.tri[i] + (uint32_t)k];
            if (body->motion.now.exponent) x *= scale;
            want.lower[k] = fminf(want.lower[k], round_down(x - least));
            want.upper[k] = fmaxf(want.upper[k], round_up(x + least));
          }
      }
      for (int k = 0; k < 3; ++k)
        if (want.lower[k] != got.lower[k] || want.upper[k] != got.upper[k])
          fail_msg("%s: node %u lane %d axis %d is [%a, %a], not [%a, %a]", what, node, lane, k, got.lower[k],
                   got.upper[k], want.lower[k], want.upper[k]);
    }
  }
  free(xyz);
}

/* The same positions, whoever evaluates them. */
void assert_same_positions(pl_body *a, pl_body *b)
{
  double *x = plan_positions(a), *y = plan_positions(b);
  assert_memory_equal(x, y, 3 * a->motion.vertex_count * sizeof *x);
  free(x);
  free(y);
}

double plan_time(test_rng *rng, pl_body *body, bool forward)
{
  pl_body_info info;
  assert_int_equal(pl_body_get_info(body, false, &info), PL_OK);
  double from = forward ? info.time : info.first_time;
  int kind = test_below(rng, 8);
  if (kind == 0) return info.end;
  if (kind == 1) return fmin(nextafter(from, INFINITY), info.last_time);
  return fmin(from + (info.last_time - from) * test_uniform(rng, 0, kind < 5 ? 0.1 : 1), info.last_time);
}

/* New plans for `count` vertices, none twice, from the poses that are left. */
void plan_change(test_rng *rng, pl_body *body, plan *p, size_t count)
{
  const flight *f = body->motion.controls;
  size_t left = f->poses.count - 1 - (size_t)f->degree * f->segment;
  uint32_t *vertices = malloc((p->vertex_count + 1) * sizeof *vertices);
  pl_positions poses[MOST_POSES];
  double *xyz[MOST_POSES];
  for (size_t i = 0; i < p->vertex_count; ++i) vertices[i] = (uint32_t)i;
  for (size_t i = 0; i < count; ++i) { /* any of those that are left */
    size_t other = i + (size_t)test_below(rng, (int)(p->vertex_count - i));
    uint32_t v = vertices[i];
    vertices[i] = vertices[other];
    vertices[other] = v;
  }
  for (size_t i = 0; i < left; ++i) {
    xyz[i] = malloc((3 * count + 1) * sizeof **xyz);
    for (size_t c = 0; c < 3 * count; ++c) xyz[i][c] = test_below(rng, 3) ? test_uniform(rng, -1.5, 1.5) : 1;
    poses[i] = pl_positions_f64(xyz[i], count);
  }
  double *before = plan_positions(body);
  assert_int_equal(pl_body_change_plans(body, vertices, count, poses, left), PL_OK);
  double *after = plan_positions(body);
  for (size_t c = 0; c < 3 * p->vertex_count; ++c)
    assert_true(fabs(before[c] - after[c]) <= 4 * 0x1p-52 * 3); /* it goes on from where it is */
  for (size_t i = 0; i < left; ++i) free(xyz[i]);
  free(before);
  free(after);
  free(vertices);
}
