/* Two moving features: eight at a time in float lanes, which leave out most; then the exact
 * decision, and what a contact looks like. */
#include "query/time/impact.h"

#include "exact/approach.h"
#include "exact/feature_distance.h"

#include <math.h>
#include <string.h>

static int order(uint32_t x, uint32_t y) { return (x > y) - (x < y); }

int impact_compare(const impact_found *x, const impact_found *y)
{
  const pl_impact *a = &x->impact, *b = &y->impact;
  if (a->time != b->time) return a->time < b->time ? -1 : 1;
  if (x->job != y->job) return order(x->job, y->job);
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  for (int i = 0; i < 2; ++i)
    if (a->feature_a[i] != b->feature_a[i]) return order(a->feature_a[i], b->feature_a[i]);
  for (int i = 0; i < 2; ++i)
    if (a->feature_b[i] != b->feature_b[i]) return order(a->feature_b[i], b->feature_b[i]);
  return 0;
}

/* Four points of a query at both ends of time, as crossing.h has them. */
typedef struct moving {
  double start[4][3], end[4][3];
} moving;

static void take(moving *m, int at, const sweep *s, const uint32_t *vertices, int count)
{
  for (int i = 0; i < count; ++i) {
    memcpy(m->start[at + i], s->start[vertices[i]], sizeof m->start[0]);
    memcpy(m->end[at + i], s->end[vertices[i]], sizeof m->end[0]);
  }
}

static void at_time(const moving *m, int i, double t, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = t == 1 ? m->end[i][k] : m->start[i][k] + t * (m->end[i][k] - m->start[i][k]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* To length 1; false: it has no direction. Scaled first: squares may leave the range of double. */
static bool normalize(double v[3])
{
  double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (!(most > 0) || isinf(most)) return false;
  int exponent;
  frexp(most, &exponent);
  for (int k = 0; k < 3; ++k) v[k] = ldexp(v[k], -exponent);
  double length = sqrt(dot(v, v));
  for (int k = 0; k < 3; ++k) v[k] /= length;
  return true;
}

/* Where along the first edge it is nearest to the second's line, in [0, 1]. */
static double along(const double u[3], const double v[3], const double w[3])
{
  double n[3], x[3];
  cross(u, v, n);
  cross(w, v, x);
  double nn = dot(n, n), s = nn > 0 ? dot(x, n) / nn : 0;
  return s > 0 ? s < 1 ? s : 1 : 0;
}

/* The normal and the point of a contact; m has the features of a, then those of b, or for a face
 * of a the other way round. */
static void describe(pl_impact *impact, const moving *m)
{
  bool edges = impact->kind == PL_FEATURE_EDGE_EDGE;
  double at[4][3], e1[3], e2[3], way[3], from[3];
  for (int i = 0; i < 4; ++i) at_time(m, i, impact->time, at[i]);
  for (int k = 0; k < 3; ++k) {
    e1[k] = edges ? at[1][k] - at[0][k] : at[2][k] - at[1][k];
    e2[k] = edges ? at[3][k] - at[2][k] : at[3][k] - at[1][k];
    way[k] = at[2][k] - at[0][k];
  }
  double s = edges ? along(e1, e2, way) : 0;
  for (int k = 0; k < 3; ++k) impact->point[k] = edges ? at[0][k] + s * e1[k] : at[0][k];
  cross(e1, e2, impact->normal);
  if (!normalize(impact->normal)) {
    memset(impact->normal, 0, sizeof impact->normal);
    return;
  }
  for (int k = 0; k < 3; ++k) { /* how the first feature moves relative to the second, and where it came from */
    int i = edges ? 2 : 1;
    way[k] = (m->end[0][k] - m->start[0][k]) - (m->end[i][k] - m->start[i][k]);
    from[k] = m->start[0][k] - m->start[i][k];
  }
  double toward = dot(impact->normal, way), side = toward != 0 ? -toward : dot(impact->normal, from);
  bool turn = (side < 0) != (impact->kind == PL_FEATURE_FACE_VERTEX);
  for (int k = 0; k < 3 && turn; ++k) impact->normal[k] = -impact->normal[k];
}

/* ------------------------------------------------------------------------------------- found -- */

/* At the very start that which one thread alone would find first, so that the search can end
 * there. */
bool impact_first(const impact_found *x, const impact_found *than)
{
  if (x->impact.time == 0 && than->impact.time == 0 && x->sequence != than->sequence)
    return x->sequence < than->sequence;
  return impact_compare(x, than) < 0;
}

void impact_lower(impact_search *s, double most)
{
  s->most = most;
  s->limit = round_up(most);
}

static void keep(impact_search *s, const impact_found *f)
{
  if (!s->all && s->found.count && !impact_first(f, &s->found.data[0])) return;
  size_t count = s->all ? s->found.count : 0;
  if (!array_reserve(s->allocator, &s->found, count + 1)) {
    s->status = PL_ERROR_MEMORY;
    return;
  }
  s->found.data[count] = *f;
  s->found.count = count + 1;
  if (s->all) return;
  if (f->impact.time < s->most) impact_lower(s, f->impact.time);
}

/* --------------------------------------------------------------------------------- decisions -- */

static const int corners[][2] = {{1, 3}, {3, 1}, {2, 2}};

/* How near two features may come: the separation and their thickness, or a part of their distance
 * at the start. */
static double gap_of(const impact_search *s, const impact_pair *p, crossing_kind kind, const double start[4][3])
{
  const impact_job *j = &s->jobs[p->job];
  double most = s->separation;
  if (!s->thin)
    most += thickness_of(&j->a->thickness, p->a, corners[p->kind][0]) +
            thickness_of(&j->b->thickness, p->b, corners[p->kind][1]);
  if (s->kept == 0) return most;
  double distance = 0;
  nearest_detail unused;
  if (kind == CROSSING_EDGE_EDGE)
    edge_edge_distance(start, start + 2, INFINITY, &distance, &unused);
  else
    vertex_face_distance(start[0], start + 1, INFINITY, &distance, &unused);
  return fmin(most, s->kept * distance);
}

/* A contact at a time; m: as describe() has it, for a time of 0 to 1 that is impact.time. */
static void found_pair(impact_search *s, const impact_pair *p, const moving *m, double at, double time)
{
  const impact_job *j = &s->jobs[p->job];
  const bool edges = p->kind == PL_FEATURE_EDGE_EDGE;
  impact_found f = {
      .impact = {.a = j->a, .b = j->b, .time = at, .kind = p->kind}, .job = p->job, .sequence = p->sequence};
  for (int i = 0; i < 2; ++i) {
    f.impact.feature_a[i] = edges ? p->a[i] : p->id_a;
    f.impact.feature_b[i] = edges ? p->b[i] : p->id_b;
  }
  describe(&f.impact, m);
  f.impact.time = time;
  keep(s, &f);
}

/* Features of a job with a body that turns; the contact is described by positions and velocities
 * at its time. */
static void arc_test(impact_search *s, const impact_pair *p)
{
  const impact_job *j = &s->jobs[p->job];
  const bool turned = p->kind == PL_FEATURE_FACE_VERTEX;
  const crossing_kind crossing = p->kind == PL_FEATURE_EDGE_EDGE ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
  const int first = turned ? 1 : 0, second = turned ? 0 : corners[p->kind][0];
  arc_point point[4];
  moving m = {0};
  double time;
  for (int i = 0; i < corners[p->kind][0]; ++i) point[first + i] = turn_point(j->arc.a, p->a[i]);
  for (int i = 0; i < corners[p->kind][1]; ++i) point[second + i] = turn_point(j->arc.b, p->b[i]);
  for (int i = 0; i < 4; ++i) memcpy(m.start[i], point[i].start, sizeof m.start[i]);
  ++s->counters.n_p;
  const double gap = gap_of(s, p, crossing, (const double(*)[3])m.start);
  if (!impact_arc_first(&j->arc, crossing, point, gap, &time) || time > s->most) return;
  if (s->all && impact_arc_before(&j->arc, crossing, point, gap)) return; /* found there */
  arc_last last = {0};
  const double at = (j->arc.at + time * j->arc.count) / j->arc.of;
  for (int i = 0; i < 4; ++i) {
    arc_state(&point[i], at, &last, m.start[i], m.end[i]);
    for (int k = 0; k < 3; ++k) m.end[i][k] += m.start[i][k];
  }
  found_pair(s, p, &m, 0, time);
}

void impact_test(impact_search *s, const impact_pair *p)
{
  const impact_job *j = &s->jobs[p->job];
  if (j->arc.a) {
    arc_test(s, p);
    return;
  }
  const bool turned = p->kind == PL_FEATURE_FACE_VERTEX;
  const crossing_kind crossing = p->kind == PL_FEATURE_EDGE_EDGE ? CROSSING_EDGE_EDGE : CROSSING_VERTEX_FACE;
  moving m;
  take(&m, turned ? 1 : 0, j->a->sweep, p->a, corners[p->kind][0]);
  take(&m, turned ? 0 : corners[p->kind][0], j->b->sweep, p->b, corners[p->kind][1]);
  ++s->counters.n_p;
  const double(*start)[3] = (const double(*)[3])m.start, (*end)[3] = (const double(*)[3])m.end;
  const double gap = gap_of(s, p, crossing, start);
  double time;
  if (!(gap > 0 ? approach_first(crossing, start, end, gap, s->most, &time)
                : crossing_first(crossing, start, end, s->most, &time)))
    return;
  if (time > s->most) return;
  found_pair(s, p, &m, time, time);
}

/* The vertices of a feature, the last repeated. */
static void fill_corners(const uint32_t *vertices, int count, uint32_t out[3])
{
  for (int i = 0; i < 3; ++i) out[i] = vertices[i < count ? i : count - 1];
}

bool impact_wanted(impact_search *s, const impact_pair *p)
{
  const impact_job *j = &s->jobs[p->job];
  if (j->rings) {
    uint32_t x[3], y[3];
    fill_corners(p->a, corners[p->kind][0], x);
    fill_corners(p->b, corners[p->kind][1], y);
    s->rings.around = NULL;
    if (rings_join(&s->rings, j->rings, s->ring_edges, x, y)) return false;
  }
  return !s->filter || impact_filtered(p, j->a, j->b, s->filter, s->user);
}

static void flush(impact_search *s, impact_batch *batch)
{
  const int count = batch->count;
  impact_lanes *l = &batch->lanes;
  if (!count) return;
  for (int i = count; i < 8; ++i) {
    memcpy(l->start[i], l->start[0], sizeof l->start[0]);
    memcpy(l->end[i], l->end[0], sizeof l->end[0]);
    l->from[i] = l->from[0];
    l->to[i] = l->to[0];
  }
  unsigned left = ~s->kernels->apart[batch == &s->batch[1]](l) & ((1u << count) - 1);
  batch->count = 0;
  for (; left && s->status == PL_OK; left &= left - 1) impact_test(s, &batch->pair[__builtin_ctz(left)]);
}

void impact_flush(impact_search *s)
{
  for (int i = 0; i < 2; ++i) flush(s, &s->batch[i]);
}

/* A power of two that takes all coordinates of both bodies to at most 2. */
static double factor_of(const impact_job *j)
{
  double most = fmax(j->view_a.over->most, j->view_b.over->most);
  int exponent = 0;
  if (most > 0) frexp(most, &exponent);
  return ldexp(1, exponent < -1000 ? 1000 : 1 - exponent);
}

void impact_put(impact_search *s, const impact_pair *p, float from, float to)
{
  if (!impact_wanted(s, p)) return;
  if (s->jobs[p->job].wide > 0) {
    impact_test(s, p);
    return;
  }
  const impact_job *j = &s->jobs[p->job];
  const bool turned = p->kind == PL_FEATURE_FACE_VERTEX;
  impact_batch *batch = &s->batch[p->kind == PL_FEATURE_EDGE_EDGE];
  impact_lanes *l = &batch->lanes;
  if (batch->count && batch->pair[0].job != p->job) flush(s, batch);
  if (!batch->count) l->factor = factor_of(j);
  const int at = batch->count, first = turned ? 1 : 0, second = turned ? 0 : corners[p->kind][0];
  for (int i = 0; i < corners[p->kind][0]; ++i) {
    l->start[at][first + i] = j->a->sweep->start[p->a[i]];
    l->end[at][first + i] = j->a->sweep->end[p->a[i]];
  }
  for (int i = 0; i < corners[p->kind][1]; ++i) {
    l->start[at][second + i] = j->b->sweep->start[p->b[i]];
    l->end[at][second + i] = j->b->sweep->end[p->b[i]];
  }
  l->from[at] = from;
  l->to[at] = to;
  batch->pair[at] = *p;
  if (++batch->count == 8) flush(s, batch);
}
