/* Questions in short forms, for programs that ask and compare: with a margin, without trees, of
 * one row. */
#ifndef SCENES_ASK_H
#define SCENES_ASK_H

#include "pliant/pliant.h"

#include <math.h>
#include <string.h>

static inline pl_status refer_touching(pl_who who, const pl_question *def, const pl_result **out)
{
  pl_question d = def ? *def : pl_question_default();
  d.reference = true;
  return pl_touching(who, &d, out);
}

static inline pl_question near_def_of(double margin, const pl_question *def, bool reference)
{
  pl_question d = def ? *def : pl_question_default();
  d.margin = margin;
  d.reference = reference;
  return d;
}

static inline pl_status ask_near_triangles(pl_who who, double margin, const pl_question *def, const pl_result **out)
{
  const pl_question d = near_def_of(margin, def, false);
  return pl_near_triangles(who, &d, out);
}

static inline pl_status refer_near_triangles(pl_who who, double margin, const pl_question *def, const pl_result **out)
{
  const pl_question d = near_def_of(margin, def, true);
  return pl_near_triangles(who, &d, out);
}

static inline pl_status ask_near(pl_who who, double margin, const pl_question *def, const pl_result **out)
{
  const pl_question d = near_def_of(margin, def, false);
  return pl_near(who, &d, out);
}

static inline pl_status refer_near(pl_who who, double margin, const pl_question *def, const pl_result **out)
{
  const pl_question d = near_def_of(margin, def, true);
  return pl_near(who, &d, out);
}

/* The only row of a least distance, and what came with it. */
typedef struct least_row {
  pl_body *a, *b;
  double distance, lower;
  double point_a[3], point_b[3];
  uint32_t triangle_a, triangle_b;
  bool partial;
  size_t body_pairs;
  pl_counters counters;
} least_row;

/* What is compared and hashed of a row, from `distance` on. */
#define LEAST_BYTES (offsetof(least_row, partial) - offsetof(least_row, distance))

static inline void take_least(const pl_result *found, least_row *out)
{
  const pl_distance *row = found->distances;
  *out = (least_row){.a = row->a,
                     .b = row->b,
                     .distance = row->distance,
                     .lower = row->lower,
                     .triangle_a = row->triangle_a,
                     .triangle_b = row->triangle_b,
                     .partial = found->partial,
                     .body_pairs = found->body_pairs,
                     .counters = found->counters};
  memcpy(out->point_a, row->point_a, sizeof out->point_a);
  memcpy(out->point_b, row->point_b, sizeof out->point_b);
}

static inline pl_status ask_least(pl_who who, const pl_question *def, least_row *out)
{
  const pl_result *found = NULL;
  if (!out) return pl_nearest(who, def, NULL);
  memset(out, 0, sizeof *out);
  pl_status status = pl_nearest(who, def, &found);
  if (status == PL_OK) take_least(found, out);
  return status;
}

static inline pl_status refer_least(pl_who who, const pl_question *def, least_row *out)
{
  pl_question d = def ? *def : pl_question_default();
  d.reference = true;
  return ask_least(who, &d, out);
}

/* Whether two bodies are at most `distance` apart. */
static inline pl_status are_closer(pl_body *a, pl_body *b, double distance, bool *out, pl_counters *counters)
{
  pl_question def = pl_question_default();
  const pl_result *found;
  def.margin = distance;
  def.first = true;
  *out = false;
  if (counters) memset(counters, 0, sizeof *counters);
  pl_status status = pl_nearest(pl_two(a, b), &def, &found);
  if (status != PL_OK) return status;
  *out = found->distances[0].triangle_a != UINT32_MAX;
  if (counters) *counters = found->counters;
  return PL_OK;
}

static inline pl_status refer_penetrations(pl_who who, const pl_question *def, const pl_result **out)
{
  pl_question d = def ? *def : pl_question_default();
  d.reference = true;
  return pl_penetrations(who, &d, out);
}

/* The rows of pairs with the bodies of their groups, as a list that outlives the result. */
typedef struct contact_row {
  pl_body *a, *b;
  uint32_t triangle_a, triangle_b;
} contact_row;

/* The contact of row i. */
static inline contact_row contact_of(const pl_result *found, size_t i)
{
  for (size_t g = 0; g < found->group_count; ++g) {
    const pl_group *group = &found->groups[g];
    if (i >= group->begin && i < group->end)
      return (contact_row){group->a, group->b, found->pairs[i].a, found->pairs[i].b};
  }
  return (contact_row){NULL, NULL, 0, 0};
}

/* The distance of a point from a body's surface, as a row. */
static inline pl_status ask_point(pl_body *body, const double point[3], bool reference, least_row *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.reference = reference;
  memset(out, 0, sizeof *out);
  pl_status status = pl_closest(pl_one(body), pl_positions_f64(point, 1), &def, &found);
  if (status != PL_OK) return status;
  const pl_point *r = found->points;
  *out = (least_row){.b = body, .distance = r->distance, .triangle_b = r->triangle, .counters = found->counters};
  memcpy(out->point_a, point, sizeof out->point_a);
  memcpy(out->point_b, r->point, sizeof out->point_b);
  return PL_OK;
}

#endif
