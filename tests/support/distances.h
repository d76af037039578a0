/* What tests of distances compare. */
#ifndef TESTS_DISTANCES_H
#define TESTS_DISTANCES_H

#include "body/body.h"
#include "scenes/ask.h"
#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A free body of float positions. */
static inline pl_body *body_of(pl_context *context, const float *xyz, size_t vertices, const uint32_t *triangles,
                               size_t count, const pl_body_def *def)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, vertices);
  mesh.triangles = triangles;
  mesh.triangle_count = count;
  pl_body *body = NULL;
  if (pl_body_create_free(context, &mesh, def, &body) != PL_OK) fail_msg("%s", pl_context_message(context));
  return body;
}

typedef struct near_list {
  pl_near_pair *pairs;
  size_t count;
} near_list;

static inline near_list copy_near(const pl_result *found)
{
  near_list l = {malloc((found->count + 1) * sizeof *l.pairs), found->count};
  if (l.count) memcpy(l.pairs, found->near_pairs, l.count * sizeof *l.pairs);
  return l;
}

/* Bytes of what is promised to be the same. */
static inline void assert_same_distance(const least_row *got, const least_row *want, const char *where)
{
  bool same = got->distance == want->distance && !got->partial && got->triangle_a == want->triangle_a &&
              got->triangle_b == want->triangle_b && !memcmp(got->point_a, want->point_a, sizeof got->point_a) &&
              !memcmp(got->point_b, want->point_b, sizeof got->point_b);
  if (!same)
    fail_msg("%s: %.17g of %u %u instead of %.17g of %u %u", where, got->distance, got->triangle_a, got->triangle_b,
             want->distance, want->triangle_a, want->triangle_b);
  if (!(got->lower <= got->distance)) fail_msg("%s: at least %.17g", where, got->lower);
}

static inline void corners_of(const pl_body *body, uint32_t id, double out[3][3])
{
  for (uint32_t i = 0; i < body->tree->prims.triangle_count; ++i)
    if (body->tree->prims.tri_id[i] == id)
      for (int c = 0; c < 3; ++c) points_world(&body->motion.now, body->tree->prims.tri[3 * i + (uint32_t)c], out[c]);
}

static inline void assert_touching(const pl_body *const bodies[2], const least_row *d, const char *where)
{
  double p[3][3], q[3][3];
  corners_of(bodies[0], d->triangle_a, p);
  corners_of(bodies[1], d->triangle_b, q);
  if (!pl_triangles_touch((const double(*)[3])p, (const double(*)[3])q)) fail_msg("%s: not touching", where);
}

static inline void assert_near(pl_body *a, pl_body *b, double margin, near_list want, const char *where)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *near;
  assert_int_equal(ask_near_triangles(pl_two(a, b), margin, &def, &near), PL_OK);
  if (near->count != want.count) fail_msg("%s: %zu near pairs instead of %zu", where, near->count, want.count);
  if (want.count && memcmp(near->near_pairs, want.pairs, want.count * sizeof *want.pairs))
    fail_msg("%s: other near pairs", where);
}

static inline void assert_closer(pl_body *a, pl_body *b, double distance, const char *where)
{
  bool closer;
  pl_counters counters;
  assert_int_equal(are_closer(a, b, distance, &closer, &counters), PL_OK);
  if (!closer) fail_msg("%s: not closer than its distance", where);
  if (distance == 0) return;
  assert_int_equal(are_closer(a, b, nextafter(distance, 0), &closer, NULL), PL_OK);
  if (closer) fail_msg("%s: closer than its distance", where);
}

/* A body pair in its present pose: distance, near pairs and closer against the reference.
 * Returns the distance. */
static inline double assert_distances_like_reference(pl_body *a, pl_body *b, const char *where)
{
  least_row want, got;
  const pl_result *found;
  const pl_body *bodies[2] = {a, b};
  assert_int_equal(refer_least(pl_two(a, b), NULL, &want), PL_OK);
  assert_int_equal(ask_least(pl_two(a, b), NULL, &got), PL_OK);
  assert_same_distance(&got, &want, where);
  if (want.distance == 0) assert_touching(bodies, &got, where);
  assert_int_equal(ask_least(pl_two(a, b), NULL, &got), PL_OK); /* from its own answer on */
  assert_same_distance(&got, &want, where);
  assert_closer(a, b, want.distance, where);
  double margin = want.distance * 1.01;
  assert_int_equal(refer_near_triangles(pl_two(a, b), margin, NULL, &found), PL_OK);
  near_list near = copy_near(found);
  assert_near(a, b, margin, near, where);
  free(near.pairs);
  return want.distance;
}

#endif
