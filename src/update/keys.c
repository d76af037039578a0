/* Triangle soups: choosing among the trees of their key poses. The nearest key pose is found by
 * the sum of the distances along the axes of a fixed sample of vertices: O(key poses) for each
 * new pose, whatever the size of the mesh. */
#include "update/keys.h"

#include "mesh/mesh.h"

#include <string.h>

static double distance(const soup_keys *s, int index, const double (*now)[3])
{
  double sum = 0; /* may become infinite, never not a number: positions are finite */
  for (int i = 0; i < s->samples; ++i)
    for (int k = 0; k < 3; ++k) sum += fabs(s->at[index][i][k] - now[i][k]);
  return sum;
}

/* Sets also how near it is compared with the next one. */
static int nearest(const forest *f, const points *p, int *fit)
{
  const soup_keys *s = f->state;
  double now[SOUP_SAMPLES][3], least = INFINITY, next = INFINITY;
  int best = 0;
  for (int i = 0; i < s->samples; ++i) points_position(p, s->sample[i], now[i]);
  for (int key = 0; key < f->count; ++key) {
    double d = distance(s, key, now);
    next = fmin(next, fmax(d, least));
    if (d >= least) continue;
    least = d;
    best = key;
  }
  /* in [0, SOUP_FITS) but for rounding */
  double part = least < next ? SOUP_FITS * (least / next) : SOUP_FITS - 1;
  *fit = part < SOUP_FITS ? (int)part : SOUP_FITS - 1;
  return best;
}

static int choose(forest *f, const points *p)
{
  soup_keys *s = f->state;
  s->fit = 0;
  return s->fixed >= 0 ? s->fixed : nearest(f, p, &s->fit);
}

static size_t bytes(const forest *f)
{
  const soup_keys *s = f->state;
  return s->grid.bytes + sizeof *s + (size_t)f->count * sizeof *s->at;
}

static void destroy(forest *f)
{
  soup_keys *s = f->state;
  grid_free(f->context, &s->grid);
  mem_free(&f->context->def.allocator, s->at);
  mem_free(&f->context->def.allocator, s);
}

static const forest_kind keys = {choose, keys_moved, keys_rays_begin, keys_grid, keys_rays_end, bytes, destroy};

soup_keys *keys_of(const forest *f) { return f->kind == &keys ? f->state : NULL; }

pl_status keys_create(forest *f, pl_soup_method method, const pl_positions *poses, bool no_grid)
{
  const pl_allocator *allocator = &f->context->def.allocator;
  soup_keys *s = mem_new(allocator, 1, sizeof *s);
  double(*at)[SOUP_SAMPLES][3] = mem_raw(allocator, (size_t)f->count, sizeof *at);
  if (!s || !at) {
    mem_free(allocator, s);
    mem_free(allocator, at);
    return fail(f->context, PL_ERROR_MEMORY, "no memory for %d key poses", f->count);
  }
  size_t vertices = poses[0].count;
  *s = (soup_keys){.method = method, .fixed = -1, .no_grid = no_grid, .at = at};
  s->samples = vertices < SOUP_SAMPLES ? (int)vertices : SOUP_SAMPLES;
  for (int i = 0; i < s->samples; ++i) s->sample[i] = (uint32_t)(vertices * (size_t)i / (size_t)s->samples);
  for (int key = 0; key < f->count; ++key)
    for (int i = 0; i < s->samples; ++i) positions_get(poses[key], s->sample[i], at[key][i]);
  f->state = s;
  f->kind = &keys;
  return PL_OK;
}
