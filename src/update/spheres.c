/* Spheres in O(1): the maps of branches as floats with all that rounding and deviations add, and
 * blocks on demand. */
#include "update/spheres.h"

#include "math/round.h"

/* Out of float's range: every sphere is all of space. */
static ball_map everything(int terms) { return (ball_map){.terms = terms, .extra = {INFINITY, INFINITY}}; }

static void part_of(const pl_match_map *map, int first, double out[3][3])
{
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out[i][k] = map->m[i][first + k];
}

/* The map in units of a power of two that a float holds. */
static void set_slope(ball_map *b, const pl_match_map *map, double size)
{
  const int exponent = size >= 0x1p-126 && size < 0x1p126 ? ilogb(size) : 0;
  const double by = ldexp(1, -exponent);
  b->slope_unit = (float)ldexp(1, exponent);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < MATCH_TERMS; ++j) b->slope[i][j] = (float)(map->m[i][j] * by);
}

/* A centre is computed from rounded numbers with at most 8 roundings for a linear map and 20 for
 * a quadratic one, each by 2^-24 of what takes part. Numbers of a map and terms that are
 * denormal floats are wrong by 2^-149 more, each times the other. */
static ball_map map_of(const match *m, const match_cluster *c)
{
  ball_map b = {.terms = m->terms};
  double size[3], part[3][3], slack = 0, reach = 0;
  match_size(m, c, size);
  for (int i = 0; i < 3; ++i) {
    b.map.t[i] = (float)c->map.t[i];
    for (int j = 0; j < m->terms; ++j) b.map.m[i][j] = (float)c->map.m[i][j];
    slack += size[i] * size[i];
    reach += c->reach[i];
  }
  slack = sqrt(slack) * (m->terms == 3 ? 8 : 20) * 0x1p-24 + 1e-36;
  part_of(&c->map, 0, part);
  double norm = match_norm((const double(*)[3])part), squares = 0, products = 0;
  if (m->terms > 3) {
    part_of(&c->map, 3, part);
    squares = match_norm((const double(*)[3])part);
    part_of(&c->map, 6, part);
    products = match_norm((const double(*)[3])part);
  }
  b.norm = round_up(norm);
  b.norm_squares = round_up(squares);
  b.norm_products = round_up(products);
  const double slope = norm + 2 * (squares + products) * reach;
  slack += 0x1p-146 * (reach + reach * reach + norm + squares + products);
  set_slope(&b, &c->map, slope);
  b.slope_error = round_up(0x1p-20 * slope + 1e-18);
  b.extra[0] = round_up(c->inside + slack);
  b.extra[1] = round_up(c->deviation + slack);
  bool small = norm < 1e36 && squares < 1e36 && products < 1e36 && c->deviation < 1e36 && slack * 0x1p24 < 1e36 &&
               (squares + products) * reach * reach < 1e36;
  return small ? b : everything(m->terms);
}

void spheres_map(spheres *s)
{
  if (s->tree.frame == s->match->frame) return;
  for (int k = 0; k < s->branches; ++k) s->maps[k] = map_of(s->match, &s->match->clusters[k]);
  while (s->tree.frame != s->match->frame) tree_next_frame(&s->tree);
}

/* Spheres and tangents of a block; only spheres count. */
static uint64_t block(update *u, int in, uint32_t node)
{
  const spheres *s = u->state;
  const sphere_level *l = &s->level[s->levels - 1];
  while (node < l->first) --l;
  const size_t at = node - l->first;
  const ball_map *map = &s->maps[at / (l->stride / 8)];
  if (in == LAYER_TANGENTS) {
    u->kernels->match->tangents(l->inner + at * BALL_INNER, map, l->tangent + at * BALL_TANGENT);
    return 0;
  }
  u->kernels->match->balls(l->rest + at * BALL_LANES, map, l->now + at * BALL_NOW);
  return l->nodes < 8 ? l->nodes : 8;
}

const source_kind source_balls = {.block = block};

void spheres_range(const spheres *s, int level, uint32_t branch, uint32_t index, uint32_t *begin, uint32_t *end)
{
  uint64_t first = s->branch_from[branch], count = s->branch_from[branch + 1] - first;
  *begin = (uint32_t)(first + (count * index >> level));
  *end = (uint32_t)(first + (count * (index + 1) >> level));
}
