/* Clusters of points: the caller's, or compact ones of about equal size. Centres are points as
 * far from each other as possible (T. Gonzalez, Clustering to Minimize the Maximum Intercluster
 * Distance, 1985), then S. Lloyd's means. A point belongs to the cluster of the nearest centre,
 * which is its home, and to those whose centres are not much further. Cost: O(points * clusters)
 * a round. */
#include "motion/match.h"

#include <string.h>

enum { LLOYD_ROUNDS = 8 };

static double distance2(const double *a, const double *b)
{
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* The nearest centre; of several, the first. */
static uint32_t nearest(const double *centres, int count, const double *x, double *square)
{
  uint32_t best = 0;
  *square = INFINITY;
  for (int k = 0; k < count; ++k) {
    double d = distance2(centres + 3 * k, x);
    if (d < *square) {
      *square = d;
      best = (uint32_t)k;
    }
  }
  return best;
}

/* Returns the number of centres: fewer than requested if there are fewer different points. */
static int spread_centres(const match *m, int wish, double *centres, double *square)
{
  double mean[3] = {0};
  for (size_t i = 0; i < m->point_count; ++i)
    for (int k = 0; k < 3; ++k) mean[k] += m->rest[3 * i + (size_t)k] / (double)m->point_count;
  for (size_t i = 0; i < m->point_count; ++i) square[i] = distance2(mean, m->rest + 3 * i);
  for (int count = 0;; ++count) {
    size_t far = 0;
    for (size_t i = 1; i < m->point_count; ++i)
      if (square[i] > square[far]) far = i;
    if (count == wish || (count && !(square[far] > 0))) return count;
    memcpy(centres + 3 * count, m->rest + 3 * far, 3 * sizeof *centres);
    for (size_t i = 0; i < m->point_count; ++i) {
      double d = distance2(m->rest + 3 * far, m->rest + 3 * i);
      if (count == 0 || d < square[i]) square[i] = d;
    }
  }
}

/* Moves each centre to the mean of its points. */
static void settle_centres(const match *m, int count, double *centres, double *sums)
{
  for (int round = 0; round < LLOYD_ROUNDS; ++round) {
    memset(sums, 0, 4 * (size_t)count * sizeof *sums);
    for (size_t i = 0; i < m->point_count; ++i) {
      double square;
      double *sum = sums + 4 * (size_t)nearest(centres, count, m->rest + 3 * i, &square);
      for (int k = 0; k < 3; ++k) sum[k] += m->rest[3 * i + (size_t)k];
      sum[3] += 1;
    }
    for (int c = 0; c < count; ++c)
      for (int k = 0; sums[4 * c + 3] > 0 && k < 3; ++k) centres[3 * c + k] = sums[4 * c + k] / sums[4 * c + 3];
  }
}

/* Removes centres that are nearest to no point. Returns the number of the others. */
static int drop_empty(const match *m, int count, double *centres, double *used)
{
  for (int before = -1; before != count;) {
    before = count;
    for (int k = 0; k < count; ++k) used[k] = 0;
    for (size_t i = 0; i < m->point_count; ++i) {
      double square;
      used[nearest(centres, count, m->rest + 3 * i, &square)] = 1;
    }
    count = 0;
    for (int k = 0; k < before; ++k)
      if (used[k] > 0) memmove(centres + 3 * count++, centres + 3 * k, 3 * sizeof *centres);
  }
  return count;
}

/* ------------------------------------------------------------------------------- memberships -- */

static bool belongs(const pl_match_def *def, double square, double least)
{
  double factor = 1 + def->cluster_overlap;
  return square <= factor * factor * least;
}

static pl_status no_memory(pl_context *context, const match *m)
{
  return fail(context, PL_ERROR_MEMORY, "no memory for the clusters of %zu points", m->point_count);
}

/* In two rounds: how many entries, then the entries, ascending by point and cluster. */
static pl_status list_automatic(pl_context *context, const pl_match_def *def, match *m, const double *centres)
{
  const pl_allocator *allocator = &context->def.allocator;
  for (int write = 0; write < 2; ++write) {
    uint32_t at = 0;
    for (size_t i = 0; i < m->point_count; ++i) {
      double least;
      m->home[i] = nearest(centres, m->cluster_count, m->rest + 3 * i, &least);
      m->of_first[i] = at;
      for (int k = 0; k < m->cluster_count; ++k) {
        if ((uint32_t)k != m->home[i] && !belongs(def, distance2(centres + 3 * k, m->rest + 3 * i), least)) continue;
        if (write) m->of[at] = (uint32_t)k;
        ++at;
      }
    }
    m->of_first[m->point_count] = at;
    if (write) break;
    if (!mem_take(allocator, &m->of, at)) return no_memory(context, m);
  }
  return PL_OK;
}

static pl_status check_own(pl_context *context, const pl_match_def *def, const match *m, uint32_t *seen)
{
  for (int k = 0; k < def->cluster_count; ++k) {
    uint32_t first = def->cluster_first[k], end = def->cluster_first[k + 1];
    if (first >= end || (k == 0 && first != 0))
      return fail(context, PL_ERROR_ARGUMENT, "cluster %d is empty or out of order: its list is [%u, %u)", k, first,
                  end);
    for (uint32_t i = first; i < end; ++i) {
      uint32_t p = def->cluster_points[i];
      if (p >= m->point_count)
        return fail(context, PL_ERROR_ARGUMENT, "cluster %d names point %u of %zu", k, p, m->point_count);
      if (seen[p] == (uint32_t)k + 1) return fail(context, PL_ERROR_ARGUMENT, "cluster %d names point %u twice", k, p);
      seen[p] = (uint32_t)k + 1;
      ++m->of_first[p + 1];
    }
  }
  for (size_t p = 0; p < m->point_count; ++p)
    if (!seen[p]) return fail(context, PL_ERROR_ARGUMENT, "point %zu is in no cluster: add it to one", p);
  return PL_OK;
}

/* The caller's clusters. The home of a point is the one with the nearest mean. */
static pl_status list_own(pl_context *context, const pl_match_def *def, match *m, double *centres)
{
  const pl_allocator *allocator = &context->def.allocator;
  m->cluster_count = def->cluster_count;
  memset(m->of_first, 0, (m->point_count + 1) * sizeof *m->of_first);
  memset(m->home, 0, m->point_count * sizeof *m->home); /* the last cluster that named it, first */
  pl_status status = check_own(context, def, m, m->home);
  if (status != PL_OK) return status;
  if (!mem_take(allocator, &m->of, def->cluster_first[def->cluster_count])) return no_memory(context, m);
  for (size_t p = 0; p < m->point_count; ++p) m->of_first[p + 1] += m->of_first[p];
  for (int k = 0; k < m->cluster_count; ++k) { /* ascending by cluster; firsts move on, and back below */
    uint32_t first = def->cluster_first[k], end = def->cluster_first[k + 1];
    memset(centres + 3 * k, 0, 3 * sizeof *centres);
    for (uint32_t i = first; i < end; ++i) {
      uint32_t p = def->cluster_points[i];
      m->of[m->of_first[p]++] = (uint32_t)k;
      for (int a = 0; a < 3; ++a) centres[3 * k + a] += m->rest[3 * (size_t)p + (size_t)a] / (end - first);
    }
  }
  for (size_t p = m->point_count; p > 0; --p) m->of_first[p] = m->of_first[p - 1];
  m->of_first[0] = 0;
  for (size_t p = 0; p < m->point_count; ++p) {
    double least = INFINITY;
    for (uint32_t i = m->of_first[p]; i < m->of_first[p + 1]; ++i) {
      double d = distance2(centres + 3 * (size_t)m->of[i], m->rest + 3 * p);
      if (d < least || least == INFINITY) {
        least = d;
        m->home[p] = m->of[i];
      }
    }
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------ lists and overlaps -- */

static pl_status list_points(pl_context *context, match *m)
{
  const pl_allocator *allocator = &context->def.allocator;
  for (size_t i = 0; i < m->of_first[m->point_count]; ++i) ++m->clusters[m->of[i]].about.point_count;
  for (int k = 0; k < m->cluster_count; ++k) {
    match_cluster *c = &m->clusters[k];
    if (!mem_take(allocator, &c->points, c->about.point_count)) return no_memory(context, m);
    c->about.point_count = 0;
  }
  for (size_t p = 0; p < m->point_count; ++p)
    for (uint32_t i = m->of_first[p]; i < m->of_first[p + 1]; ++i) {
      match_cluster *c = &m->clusters[m->of[i]];
      c->points[c->about.point_count++] = (uint32_t)p;
    }
  return PL_OK;
}

static match_overlap *overlap_with(match_cluster *c, uint32_t other)
{
  for (size_t i = 0; i < c->overlap_count; ++i)
    if (c->overlaps[i].cluster == other) return &c->overlaps[i];
  return NULL;
}

/* Balls around the points of each branch that also belong to another cluster: the mean, then the
 * greatest distance. */
static pl_status list_overlaps(pl_context *context, match *m)
{
  const pl_allocator *allocator = &context->def.allocator;
  for (int pass = 0; pass < 3; ++pass) {
    for (size_t p = 0; p < m->point_count; ++p)
      for (uint32_t i = m->of_first[p]; i < m->of_first[p + 1]; ++i) {
        match_cluster *c = &m->clusters[m->home[p]];
        const double *x = m->rest + 3 * p;
        if (m->of[i] == m->home[p]) continue;
        match_overlap *o = overlap_with(c, m->of[i]);
        if (!o) {
          if (!mem_widen(allocator, &c->overlaps, c->overlap_count, c->overlap_count + 1)) return no_memory(context, m);
          o = &c->overlaps[c->overlap_count++];
          *o = (match_overlap){.cluster = m->of[i]};
        }
        if (pass == 0) o->radius += 1; /* how many */
        for (int a = 0; pass == 1 && a < 3; ++a) o->centre[a] += x[a] / o->radius;
        if (pass == 2) o->radius = fmax(o->radius, sqrt(distance2(o->centre, x)) * (1 + 1e-14));
      }
    for (int k = 0; pass == 1 && k < m->cluster_count; ++k)
      for (size_t i = 0; i < m->clusters[k].overlap_count; ++i) m->clusters[k].overlaps[i].radius = 0;
  }
  return PL_OK;
}

static pl_status one_cluster(pl_context *context, match *m)
{
  match_cluster *c = m->clusters;
  if (!mem_take(&context->def.allocator, &c->points, m->point_count)) return no_memory(context, m);
  c->about.point_count = m->point_count;
  for (size_t p = 0; p < m->point_count; ++p) c->points[p] = (uint32_t)p;
  memset(m->home, 0, m->point_count * sizeof *m->home);
  mem_free_all(&context->def.allocator, m->of_first, m->of);
  m->of_first = m->of = NULL;
  return PL_OK;
}

/* With room for the centres. */
static pl_status cluster_points(pl_context *context, const pl_match_def *def, match *m, double *centres, double *square)
{
  pl_status status = PL_OK;
  if (def->cluster_first) {
    status = list_own(context, def, m, centres);
  } else {
    double *sums = centres + 3 * (size_t)def->cluster_count;
    m->cluster_count = spread_centres(m, def->cluster_count, centres, square);
    if (m->cluster_count > 1) settle_centres(m, m->cluster_count, centres, sums);
    m->cluster_count = drop_empty(m, m->cluster_count, centres, sums);
    status = list_automatic(context, def, m, centres);
  }
  if (status != PL_OK) return status;
  if (!mem_take_new(&context->def.allocator, &m->clusters, (size_t)m->cluster_count)) return no_memory(context, m);
  if (m->cluster_count == 1) return one_cluster(context, m);
  status = list_points(context, m);
  return status == PL_OK ? list_overlaps(context, m) : status;
}

pl_status match_make_clusters(pl_context *context, const pl_match_def *def, match *m)
{
  const pl_allocator *allocator = &context->def.allocator;
  if (!def->cluster_first != !def->cluster_points)
    return fail(context, PL_ERROR_ARGUMENT, "%s is NULL: clusters need both lists",
                def->cluster_first ? "cluster_points" : "cluster_first");
  m->home = mem_raw(allocator, m->point_count, sizeof *m->home);
  m->of_first = mem_new(allocator, m->point_count + 1, sizeof *m->of_first);
  double *centres = mem_new(allocator, 7 * (size_t)def->cluster_count, sizeof *centres);
  double *square = mem_raw(allocator, m->point_count, sizeof *square);
  pl_status status = m->home && m->of_first && centres && square ? cluster_points(context, def, m, centres, square)
                                                                 : no_memory(context, m);
  mem_free_all(allocator, centres, square);
  return status;
}
