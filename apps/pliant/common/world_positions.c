#include "common/world_positions.h"

#include "common/output.h"
#include "common/touch_point.h"

#include <stdlib.h>
#include <string.h>

static bool complain(void)
{
  output_complain("out of memory for the positions of bodies");
  return false;
}

bool world_positions_create(world_positions *p, const stage *s)
{
  *p = (world_positions){.stage = s};
  p->xyz = calloc(s->body_count, sizeof *p->xyz);
  p->is_made = calloc(s->body_count, sizeof *p->is_made);
  return (p->xyz && p->is_made) || complain();
}

void world_positions_free(world_positions *p)
{
  for (size_t i = 0; p->xyz && i < p->stage->body_count; ++i) free(p->xyz[i]);
  free(p->xyz);
  free(p->is_made);
  *p = (world_positions){0};
}

void world_positions_next(world_positions *p) { memset(p->is_made, 0, p->stage->body_count * sizeof *p->is_made); }

const double *world_positions_of(world_positions *p, size_t body)
{
  if (!p->xyz[body]) {
    p->xyz[body] = malloc(3 * p->stage->bodies[body].vertex_count * sizeof(double));
    if (!p->xyz[body]) return complain(), NULL;
  }
  if (!p->is_made[body] && !stage_positions(p->stage, body, p->xyz[body])) return NULL;
  p->is_made[body] = true;
  return p->xyz[body];
}

bool world_positions_triangle(world_positions *p, size_t body, uint32_t triangle, double out[3][3])
{
  const double *xyz = world_positions_of(p, body);
  if (!xyz) return false;
  const uint32_t *corners = p->stage->bodies[body].triangles + 3 * (size_t)triangle;
  for (int k = 0; k < 3; ++k) memcpy(out[k], xyz + 3 * (size_t)corners[k], sizeof out[k]);
  return true;
}

bool world_positions_touch(world_positions *p, const mark *m, double out[3])
{
  double a[3][3], b[3][3];
  if (!world_positions_triangle(p, m->a, m->triangle_a, a) || !world_positions_triangle(p, m->b, m->triangle_b, b))
    return false;
  touch_point(a, b, out);
  return true;
}
