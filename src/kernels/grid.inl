/* Rays through a uniform grid, layer by layer along the axis on which they cross most cells; see
 * grid.h.
 *
 * In units of cells a ray is at q = at + tau step, right to E: the rounding of the triangles'
 * cells (2^-20 of the cells along an axis), of the ray's base, and of all sums here (2^-48 of
 * what takes part). In a layer between two planes of the major axis the other two coordinates
 * lie between those at the planes; 5 E around them covers what is off in tau as well, since the
 * major step is the greatest. All cells of that rectangle are looked at: mostly one or two. So
 * every cell is met that holds a point of the ray and a triangle which has that point. A hit
 * ends the march only where the next layer begins behind it: a triangle's hit may lie in a later
 * cell than the one that it was found in.
 *
 * No triangle is tested twice. The rectangles of successive layers move one way only, so the
 * layers in which a triangle's cells meet them are successive too: it has been tested before if
 * they met in the layer before, or in an earlier cell of this one. */
#include "grid/grid.h"
#include "kernels/ray_body.inl"

typedef struct grid_march {
  double at[3], step[3];
  double error;        /* E */
  double in, out, pad; /* of tau; pad: what tau may be off by */
  int major, other[2];
} grid_march;

/* Cells of one layer. */
typedef struct grid_layer {
  int layer;
  int low[2], high[2]; /* along the other axes */
} grid_layer;

typedef struct grid_group {
  uint32_t id[8];
  int count;
} grid_group;

/* Tests up to 8 triangles; true if the ray has ended. */
static bool test_group(ray_walk *w, ray_view *v, grid_group *group, pl_hit *best)
{
  const walk_side *s = &v->target->side;
  unsigned m = (1u << group->count) - 1;
  w->n_p += (uint64_t)group->count;
  if (!v->shear.irregular) {
    opened_leaf o;
    uint32_t tri[24];
    for (int i = 0; i < group->count; ++i)
      memcpy(tri + 3 * i, s->tree->prims.tri + 3 * (size_t)group->id[i], 3 * sizeof *tri);
    if (v->target->delta == 0)
      load_corners_f32(s, o.corner, tri, group->count);
    else
      load_corners(v->target->origin, s, &o, tri, group->count);
    ray_needle r = needle_of(v);
    m &= lanes_pierced(&r, (const float(*)[3][8])o.corner, NULL);
  }
  group->count = 0;
  for (; m; m &= m - 1)
    if (decide_triangle(w, v, group->id[__builtin_ctz(m)], best)) return true;
  return false;
}

/* Where nothing can be said about cells. */
static bool test_every(ray_walk *w, ray_view *v, pl_hit *best)
{
  grid_group group = {.count = 0};
  for (uint32_t i = 0; i < v->target->grid->triangle_count; ++i) {
    group.id[group.count++] = i;
    if (group.count == 8 && test_group(w, v, &group, best)) return true;
  }
  return group.count && test_group(w, v, &group, best);
}

/* As time_down() and time_up(). */
static inline double march_time(const ray_view *v, double t, double scale, double sign)
{
  if (sign > 0 && t >= DBL_MAX) return INFINITY;
  return (t - v->start + sign * 0x1p-1072) / scale + sign * 0x1p-50 * ((fabs(t) + fabs(v->start)) / scale);
}

/* The part of the ray within the grid. 1: there is one, 0: there is none, -1: unknown. */
static int enter_grid(const grid *g, const ray_view *v, double scale, double t_most, grid_march *m)
{
  double wrong = 0, far = 0, most = 1;
  m->major = 0;
  for (int k = 0; k < 3; ++k) {
    double o = v->ray->origin[k], moved = v->start * v->ray->direction[k], inverse = g->inverse[k];
    double base = (o + moved) - (double)g->origin[k], off = 0x1p-51 * (moved != 0 ? fabs(o) + fabs(moved) : 0);
    m->at[k] = base * inverse;
    m->step[k] = v->ray->direction[k] * scale * inverse;
    wrong = fmax(wrong, off * inverse);
    far = fmax(far, fabs(m->at[k]));
    most = fmax(most, g->cells[k]);
    if (fabs(m->step[k]) > fabs(m->step[m->major])) m->major = k;
  }
  m->other[0] = m->major == 0 ? 1 : 0;
  m->other[1] = m->major == 2 ? 1 : 2;
  m->error = wrong + 0x1p-20 * (most + 1) + 0x1p-48 * (2 * far + most + 2);
  double major = fabs(m->step[m->major]);
  if (!(major > 0x1p-200 && m->error < 0x1p20)) return -1;
  m->pad = 4 * m->error / major;
  m->in = march_time(v, v->ray->t_min, scale, -1) - m->pad;
  m->out = march_time(v, t_most, scale, 1) + m->pad;
  for (int k = 0; k < 3; ++k) {
    double low = -4 * m->error - m->at[k], high = g->cells[k] + 4 * m->error - m->at[k];
    if (m->step[k] == 0) {
      if (low > 0 || high < 0) return g->inverse[k] == 0 ? -1 : 0;
      continue;
    }
    double a = low / m->step[k], b = high / m->step[k];
    m->in = fmax(m->in, (a < b ? a : b) - m->pad);
    m->out = fmin(m->out, (a < b ? b : a) + m->pad);
  }
  return m->in <= m->out;
}

static inline int march_cell(double q, int cells) { return q < cells - 1 ? (q > 0 ? (int)q : 0) : cells - 1; }

/* The cells of a layer that the ray may be in between two times. */
static inline void cross_layer(const grid *g, const grid_march *m, double from, double to, grid_layer *l)
{
  from = from > m->in ? from : m->in;
  to = to < m->out ? to : m->out;
  for (int i = 0; i < 2; ++i) {
    int k = m->other[i];
    double a = m->at[k] + from * m->step[k], b = m->at[k] + to * m->step[k];
    l->low[i] = march_cell((a < b ? a : b) - 5 * m->error, g->cells[k]);
    l->high[i] = march_cell((a < b ? b : a) + 5 * m->error, g->cells[k]);
  }
}

/* Is this the first cell in which the march meets the triangle? */
static inline bool first_meeting(const grid_march *m, uint64_t range, const grid_layer *now, const grid_layer *before,
                                 int x, int y)
{
  int low[2], high[2];
  for (int i = 0; i < 2; ++i) {
    low[i] = grid_range(range, m->other[i]);
    high[i] = grid_range(range, m->other[i] + 3);
  }
  if (x != (low[0] > now->low[0] ? low[0] : now->low[0]) || y != (low[1] > now->low[1] ? low[1] : now->low[1]))
    return false;
  return before->layer < grid_range(range, m->major) || before->layer > grid_range(range, m->major + 3) ||
         before->low[0] > high[0] || before->high[0] < low[0] || before->low[1] > high[1] || before->high[1] < low[1];
}

/* The triangles of a layer; true if the ray has ended. */
static bool look_into_layer(ray_walk *w, ray_view *v, const grid_march *m, const grid_layer *now,
                            const grid_layer *before, grid_group *group, pl_hit *best)
{
  const grid *g = v->target->grid;
  int place[3];
  place[m->major] = now->layer;
  for (int y = now->low[1]; y <= now->high[1]; ++y)
    for (int x = now->low[0]; x <= now->high[0]; ++x) {
      place[m->other[0]] = x;
      place[m->other[1]] = y;
      size_t cell =
          ((size_t)place[2] * (size_t)g->cells[1] + (size_t)place[1]) * (size_t)g->cells[0] + (size_t)place[0];
      ++w->n_v;
      if (!grid_is_full(g, cell)) continue;
      for (uint32_t k = g->first[cell]; k < g->first[cell + 1]; ++k) {
        if (!first_meeting(m, g->range[g->refs[k]], now, before, x, y)) continue;
        group->id[group->count++] = g->refs[k];
        if (group->count == 8 && test_group(w, v, group, best)) return true;
      }
    }
  return false;
}

static bool walk_grid(ray_walk *w, ray_view *v, pl_hit *best)
{
  const grid *g = v->target->grid;
  double scale = unit_scale(v->ray->direction);
  grid_march m;
  bool nearest = w->plan->mode == PL_RAY_MODE_CLOSEST;
  int there = v->slabs->length == 0 || scale == 0
                  ? -1
                  : enter_grid(g, v, scale, nearest && best->t < v->ray->t_max ? best->t : v->ray->t_max, &m);
  if (there <= 0) return there < 0 && test_every(w, v, best);
  double step = m.step[m.major], at = m.at[m.major], inverse = 1 / step, late = INFINITY;
  int way = step < 0 ? -1 : 1, cells = g->cells[m.major];
  int sheet = march_cell(at + m.in * step - way * 2 * m.error, cells);
  int last = march_cell(at + m.out * step + way * 2 * m.error, cells);
  grid_layer now, before = {.layer = -1};
  grid_group group = {.count = 0};
  for (double from = (sheet + (way < 0) - at) * inverse, to; from - m.pad <= late; sheet += way, from = to) {
    to = (sheet + (way > 0) - at) * inverse;
    now.layer = sheet;
    cross_layer(g, &m, from, to, &now);
    if (look_into_layer(w, v, &m, &now, &before, &group, best)) return true;
    if (group.count && test_group(w, v, &group, best)) return true;
    if (nearest && best->t < INFINITY) late = march_time(v, best->t, scale, 1);
    if (sheet == last) break;
    before = now;
  }
  return false;
}
