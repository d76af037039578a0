/* What bodies of several clusters share: terms of points, the mass of coordinates, the best fit,
 * the pull to the goals, and the answer to impulses.
 *
 * A point of n clusters gives 1/n of its mass to each, as in A. Rivers and D. James, FastLSM,
 * 2007. If all points follow coordinates Z, fits and goals do too: fits are linear in Z, and
 * goals are maps. A point of cluster k with the terms f is at Z f, and its goal is at Z c + T u,
 * where c are the terms of the cluster's centre, u the point's columns less their mean, and T
 * the rotated shape. So the sum of 1/2 m |x - goal|^2 over all clusters is 1/2 (Z N Z^T - 2 T
 * X^T Z^T + T U T^T) with constant matrices N (of f - c), X (of f - c and u) and U (of u). With
 * k = s / (1 - s), s = stiffness (1 - stretch), the implicit step from Z* is
 *   Z = Z* - k (Z* N - T X^T) H^-1,   H = M + k N,
 * and H^-1 is the answer to impulses within it. For one cluster this is the step of Mueller et
 * al. 2005. N does not see translations. Cost of a set: O(points * clusters) and O(size^3) once. */
#include "pliant/pliant.h"

#include "clusters.h"

#include <stdlib.h>

static const double LEAST = 0.02; /* as of one cluster, see shape.c */
static const double LEAST_PULL = 1e-7;
/* of the answer that deforms: piles rest sooner with less, as of one cluster */
static const double ANSWER = 0.3;
static const double LEAN = 1e-4;      /* of the moments: what points leave open stays as it is */
static const double PULL_MOST = 0.98; /* rigid clusters: a pull of 1 would have infinite energies */

void clusters_free(cluster_set *set)
{
  if (!set) return;
  free(set->centre), free(set->mean), free(set->moments), free(set->lean), free(set->first), free(set->of),
      free(set->middle);
  free(set->mass), free(set->fit), free(set->spread), free(set->cross), free(set->pull), free(set->pull_goals),
      free(set->project), free(set->answer), free(set);
}

void clusters_terms(const cluster_set *set, size_t like, const double at[3], double *out)
{
  memset(out, 0, (size_t)set->size * sizeof *out);
  uint32_t begin = set->first[like], end = set->first[like + 1];
  for (uint32_t i = begin; i < end; ++i) {
    double *t = out + set->of[i] * (uint32_t)(1 + set->columns), part = 1.0 / (end - begin), q[3], u[9];
    for (int k = 0; k < 3; ++k) q[k] = at[k] - set->centre[set->of[i]][k];
    map_terms(q, set->columns, u);
    t[0] = part;
    for (int j = 0; j < set->columns; ++j) t[1 + j] = part * u[j];
  }
}

/* ----------------------------------------------------------------------------------- members -- */

/* Clusters are pliant's automatic ones: a body of it is made to read them. */
static bool read_clusters(const shape *s, cluster_set *set, pl_body *made)
{
  size_t n = s->surface_count, at = 0;
  set->first = calloc(n + 2, sizeof *set->first);
  pl_match_cluster about;
  const uint32_t *points;
  for (int k = 0; set->first && k < set->count; ++k) {
    if (pl_body_match_cluster(made, (size_t)k, &about) != PL_OK) return false;
    if (pl_body_match_points(made, (size_t)k, &points) != PL_OK) return false;
    memcpy(set->centre[k], about.rest_centre, sizeof set->centre[k]);
    for (size_t i = 0; i < about.point_count; ++i) ++set->first[points[i] + 2];
    at += about.point_count;
  }
  set->of = malloc((at + 1) * sizeof *set->of);
  if (!set->first || !set->of) return false;
  for (size_t i = 2; i < n + 2; ++i) set->first[i] += set->first[i - 1];
  for (int k = 0; k < set->count; ++k) {
    if (pl_body_match_cluster(made, (size_t)k, &about) != PL_OK) return false;
    if (pl_body_match_points(made, (size_t)k, &points) != PL_OK) return false;
    for (size_t i = 0; i < about.point_count; ++i) set->of[set->first[points[i] + 1]++] = (uint32_t)k;
  }
  return true;
}

static bool make_room(cluster_set *set)
{
  size_t count = (size_t)set->count, size = (size_t)set->size;
  set->centre = calloc(count, sizeof *set->centre);
  set->mean = calloc(count, sizeof *set->mean);
  set->moments = calloc(count, sizeof *set->moments);
  set->lean = calloc(count, sizeof *set->lean);
  set->middle = calloc(size, sizeof(double));
  set->mass = calloc(size * size, sizeof(double));
  set->fit = calloc(size * size, sizeof(double));
  set->spread = calloc(size * size, sizeof(double));
  set->pull = calloc(size * size, sizeof(double));
  set->cross = calloc(count * (size_t)set->columns * size, sizeof(double));
  set->pull_goals = calloc(count * (size_t)set->columns * size, sizeof(double));
  set->project = calloc(size * size, sizeof(double));
  set->answer = calloc(size * size, sizeof(double));
  return set->centre && set->mean && set->moments && set->lean && set->middle && set->mass && set->fit && set->spread &&
         set->cross && set->pull && set->pull_goals && set->project && set->answer;
}

/* -------------------------------------------------------------------------------------- fits -- */

typedef struct fit_sums {
  double weight, *centre; /* centre: size; the sum of mass * terms, then by weight */
  double *cross;          /* size * 9: of mass * terms * column'^T */
} fit_sums;

static void point_of(const shape *s, size_t i, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = s->points[3 * i + (size_t)k];
}

/* Columns of point i in cluster k; its share of mass, 0 if it is not in there. */
static double columns_of(const shape *s, const cluster_set *set, size_t i, int k, double u[9])
{
  uint32_t begin = set->first[i], end = set->first[i + 1];
  for (uint32_t j = begin; j < end; ++j) {
    if ((int)set->of[j] != k) continue;
    double q[3];
    point_of(s, i, q);
    for (int x = 0; x < 3; ++x) q[x] -= set->centre[k][x];
    map_terms(q, set->columns, u);
    return s->masses[i] / (end - begin);
  }
  return 0;
}

static void sum_cluster(const shape *s, cluster_set *set, int k, double *terms, fit_sums *sums)
{
  double u[9];
  size_t size = (size_t)set->size;
  memset(sums->centre, 0, size * sizeof(double));
  memset(sums->cross, 0, 9 * size * sizeof(double));
  sums->weight = 0;
  for (size_t i = 0; i < s->point_count; ++i) {
    double m = columns_of(s, set, i, k, u);
    sums->weight += m;
    for (int j = 0; m > 0 && j < set->columns; ++j) set->mean[k][j] += m * u[j];
  }
  for (int j = 0; j < set->columns; ++j) set->mean[k][j] /= sums->weight;
  for (size_t i = 0; i < s->point_count; ++i) {
    double m = columns_of(s, set, i, k, u), at[3];
    if (!(m > 0)) continue;
    point_of(s, i, at);
    clusters_terms(set, i, at, terms);
    for (int j = 0; j < set->columns; ++j) u[j] -= set->mean[k][j];
    for (size_t r = 0; r < size; ++r) {
      sums->centre[r] += m * terms[r] / sums->weight;
      for (int j = 0; terms[r] != 0 && j < set->columns; ++j) sums->cross[9 * r + (size_t)j] += m * terms[r] * u[j];
    }
    for (int a = 0; a < set->columns; ++a)
      for (int b = 0; b < set->columns; ++b) set->moments[k][a][b] += m * u[a] * u[b];
  }
}

/* N and X of cluster k. What no point sees (the sum of squares in a tube) is pulled to its goal
 * by the lean alone. */
static void spread_cluster(const shape *s, cluster_set *set, int k, double *terms, const fit_sums *sums)
{
  size_t size = (size_t)set->size;
  double u[9], at[3];
  for (size_t r = 0; r < size; ++r)
    for (int j = 0; j < set->columns; ++j)
      set->cross[(size_t)(k * set->columns + j) * size + r] = sums->cross[9 * r + (size_t)j];
  for (int j = 0; j < set->columns; ++j) {
    size_t own = (size_t)(k * (1 + set->columns) + 1 + j);
    set->spread[own * size + own] += set->lean[k][j];
    set->cross[(size_t)(k * set->columns + j) * size + own] += set->lean[k][j];
  }
  for (size_t i = 0; i < s->point_count; ++i) {
    double m = columns_of(s, set, i, k, u);
    if (!(m > 0)) continue;
    point_of(s, i, at);
    clusters_terms(set, i, at, terms);
    for (size_t r = 0; r < size; ++r) terms[r] -= sums->centre[r];
    for (size_t r = 0; r < size; ++r)
      for (size_t c = 0; terms[r] != 0 && c < size; ++c) set->spread[r * size + c] += m * terms[r] * terms[c];
  }
}

/* The fit of cluster k: m = Z (cross + lean * own) (moments + lean)^-1, t = Z centre - m mean. */
static bool fit_cluster(cluster_set *set, int k, const fit_sums *sums)
{
  double m[9][9], inverse[9][9], most[2] = {0}, *lean = set->lean[k];
  size_t size = (size_t)set->size, own = (size_t)(k * (1 + set->columns));
  memcpy(m, set->moments[k], sizeof m);
  for (int j = 0; j < set->columns; ++j) most[j > 2] = fmax(most[j > 2], m[j][j]);
  for (int j = 0; j < set->columns; ++j) {
    lean[j] = LEAN * fmax(most[j > 2], 1e-12 * sums->weight);
    m[j][j] += lean[j];
  }
  if (!inverse_spd(set->columns, m, inverse)) return false;
  for (size_t r = 0; r < size; ++r) {
    double *row = set->fit + r * size + own;
    row[0] = sums->centre[r];
    for (int j = 0; j < set->columns; ++j) {
      for (int l = 0; l < set->columns; ++l) {
        double value = sums->cross[9 * r + (size_t)l] + (r == own + 1 + (size_t)l ? lean[l] : 0);
        row[1 + j] += value * inverse[l][j];
      }
      row[0] -= row[1 + j] * set->mean[k][j];
    }
  }
  return true;
}

static bool make_fits(const shape *s, cluster_set *set)
{
  size_t size = (size_t)set->size;
  fit_sums sums = {.centre = malloc(size * sizeof(double)), .cross = malloc(9 * size * sizeof(double))};
  double *terms = malloc(size * sizeof *terms);
  bool good = sums.centre && sums.cross && terms;
  for (int k = 0; good && k < set->count; ++k) {
    sum_cluster(s, set, k, terms, &sums);
    good = sums.weight > 0 && fit_cluster(set, k, &sums);
    if (good) spread_cluster(s, set, k, terms, &sums);
  }
  free(sums.centre), free(sums.cross), free(terms);
  return good;
}

/* ----------------------------------------------------------------------------------- answers -- */

static bool make_mass(const shape *s, cluster_set *set)
{
  size_t size = (size_t)set->size;
  double *terms = malloc(size * sizeof *terms);
  for (size_t i = 0; terms && i < s->point_count; ++i) {
    double at[3];
    point_of(s, i, at);
    clusters_terms(set, i, at, terms);
    for (size_t r = 0; r < size; ++r) {
      if (terms[r] == 0) continue;
      set->middle[r] += s->masses[i] / s->mass * terms[r];
      for (size_t c = 0; c < size; ++c) set->mass[r * size + c] += s->masses[i] * terms[r] * terms[c];
    }
  }
  free(terms);
  return terms != NULL;
}

static void multiply(size_t rows, size_t n, const double *a, const double *b, double *out)
{
  memset(out, 0, rows * n * sizeof *out);
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; a[i * n + k] != 0 && j < n; ++j) out[i * n + j] += a[i * n + k] * b[k * n + j];
}

/* The inverse of a matrix where its eigenvalues are above `least` of the mean, and, if asked
 * for, the projection on that. */
static void invert(const cluster_set *set, const double *matrix, double least, double *rooms, double *inverse,
                   double *project)
{
  size_t n = (size_t)set->size;
  double scale[TERMS_MOST], most[3] = {0}, *m = rooms, *vectors = rooms + n * n;
  for (size_t i = 0; i < n; ++i) {
    size_t term = i % (size_t)(1 + set->columns), kind = term == 0 ? 0 : term < 4 ? 1 : 2;
    most[kind] = fmax(most[kind], matrix[i * n + i]);
  }
  for (size_t i = 0; i < n; ++i) {
    size_t term = i % (size_t)(1 + set->columns), kind = term == 0 ? 0 : term < 4 ? 1 : 2;
    scale[i] = sqrt(fmax(matrix[i * n + i], 1e-6 * fmax(most[kind], 1e-100)));
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) m[i * n + j] = matrix[i * n + j] / (scale[i] * scale[j]);
  eigen_symmetric((int)n, m, vectors);
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t k = 0; k < n; ++k) {
    if (!(m[k * n + k] > least)) continue;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        double both = vectors[i * n + k] * vectors[j * n + k];
        if (project) project[i * n + j] += both * scale[i] / scale[j];
        inverse[i * n + j] += both / (m[k * n + k] * scale[i] * scale[j]);
      }
  }
}

/* The coordinates of the body at rest, one axis. */
static void at_rest(const cluster_set *set, int axis, double *out)
{
  memset(out, 0, (size_t)set->size * sizeof *out);
  for (int k = 0; k < set->count; ++k) {
    double *own = out + k * (1 + set->columns);
    own[0] = set->centre[k][axis], own[1 + axis] = 1;
  }
}

/* Of rotations of the whole body at rest, the part that an answer to the impulses that would
 * make them has. */
static double turning_of(const shape *s, const cluster_set *set)
{
  size_t n = (size_t)set->size;
  double have = 0, want = 0, z[TERMS_MOST], force[TERMS_MOST];
  for (int axis = 0; axis < 3; ++axis) {
    at_rest(set, axis, z);
    for (size_t i = 0; i < n; ++i) {
      force[i] = 0;
      for (size_t j = 0; j < n; ++j)
        force[i] += (set->mass[i * n + j] - s->mass * set->middle[i] * set->middle[j]) * z[j];
      want += force[i] * z[i];
    }
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) have += force[i] * set->answer[i * n + j] * force[j];
  }
  return want > 0 ? fmin(fmax(have / want, 0), 1) : 0;
}

/* The inverse is that of a matrix which does not see translations: the pull must not move the
 * centre of mass. */
static void stay(const cluster_set *set, size_t rows, double *pull)
{
  size_t n = (size_t)set->size;
  for (size_t r = 0; r < rows; ++r) {
    double drift = 0, *line = pull + r * n;
    for (size_t c = 0; c < n; ++c) drift += line[c] * set->middle[c];
    for (size_t c = 0; c < n; c += (size_t)(1 + set->columns)) line[c] -= drift;
  }
}

static bool make_answer(const shape *s, cluster_set *set)
{
  size_t n = (size_t)set->size, goals = (size_t)(set->count * set->columns);
  double *rooms = calloc(4 * n * n, sizeof *rooms), pull = clusters_pull(set->stiffness, set->stretch);
  double k = pull / (1 - pull);
  if (!rooms) return false;
  double *h = rooms, *inverse = h + n * n, *scratch = inverse + n * n;
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      h[i * n + j] = k * set->spread[i * n + j] + set->mass[i * n + j] - s->mass * set->middle[i] * set->middle[j];
  invert(set, h, LEAST, scratch, set->answer, set->project);
  invert(set, h, LEAST_PULL, scratch, inverse, NULL);
  for (size_t i = 0; i < n * n; ++i) set->answer[i] *= ANSWER, inverse[i] *= k;
  multiply(n, n, set->spread, inverse, set->pull);
  multiply(goals, n, set->cross, inverse, set->pull_goals);
  stay(set, n, set->pull);
  stay(set, goals, set->pull_goals);
  set->turning = turning_of(s, set);
  free(rooms);
  return true;
}

double clusters_pull(double stiffness, double stretch) { return fmin(stiffness * (1 - stretch), PULL_MOST); }

/* -------------------------------------------------------------------------------------- sets -- */

static bool same(const cluster_set *set, const sim_body_def *def, int columns)
{
  return set->shape == def->shape && set->columns == columns && set->count == def->clusters &&
         set->stiffness == def->stiffness && set->stretch == def->stretch;
}

static sim_status make_set(sim_world *world, const sim_body_def *def, cluster_set *set)
{
  const shape *s = &world->shapes[def->shape];
  pl_context *context = NULL;
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_match_def match = pl_match_def_default();
  pl_body *made = NULL;
  mesh.positions = pl_positions_f32(s->points, s->surface_count);
  match.masses = s->masses;
  match.cluster_count = set->count;
  match.cluster_overlap = SIM_CLUSTER_OVERLAP;
  match.leaf_points = 64;
  bool good = pl_context_create(NULL, &context) == PL_OK &&
              pl_body_create_match(context, &mesh, &match, NULL, &made) == PL_OK &&
              pl_body_match_cluster_count(made) == (size_t)set->count;
  good = good && make_room(set) && read_clusters(s, set, made);
  const char *message = context ? pl_context_message(context) : "";
  sim_status status = good ? SIM_OK
                           : world_fail(world, SIM_ERROR_ARGUMENT, "%d clusters cannot be made of this body: %s",
                                        def->clusters, message[0] ? message : "out of memory");
  pl_context_destroy(context);
  if (good && !(make_fits(s, set) && make_mass(s, set) && make_answer(s, set)))
    status = world_fail(world, SIM_ERROR_ARGUMENT, "%d clusters are too many for the points of this body", set->count);
  return status;
}

sim_status clusters_find(sim_world *world, const sim_body_def *def, cluster_set **out)
{
  int columns = def->mode == SIM_QUADRATIC ? 9 : 3;
  for (size_t i = 0; i < world->set_count; ++i)
    if (same(world->sets[i], def, columns)) return *out = world->sets[i], SIM_OK;
  *out = NULL;
  cluster_set **sets = realloc(world->sets, (world->set_count + 1) * sizeof *sets);
  if (sets) world->sets = sets;
  cluster_set *set = sets ? calloc(1, sizeof *set) : NULL;
  if (!set) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for clusters");
  *set = (cluster_set){.shape = def->shape,
                       .columns = columns,
                       .count = def->clusters,
                       .stiffness = def->stiffness,
                       .stretch = def->stretch,
                       .size = def->clusters * (1 + columns)};
  sim_status status = make_set(world, def, set);
  if (status != SIM_OK) return clusters_free(set), status;
  *out = world->sets[world->set_count++] = set;
  return SIM_OK;
}
