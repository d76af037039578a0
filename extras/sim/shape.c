/* Rest shapes: masses, centre, moments, and the spheres of every level of a balanced binary tree
 * over the points. Cost: O(n log n) for the tree; 2^level searches of O(n) for the inner balls
 * of a level. */
#include "world.h"

#include <stdlib.h>

static void *copy_of(const void *from, size_t bytes)
{
  void *to = malloc(bytes ? bytes : 1);
  if (to && bytes) memcpy(to, from, bytes);
  return to;
}

static double finite_or(double value, double other) { return isfinite(value) ? value : other; }

/* Each point gets a third of the area of its triangles; points without one, and point clouds,
 * the mean. */
static void area_masses(const sim_shape_def *def, double *masses)
{
  for (size_t i = 0; i < def->point_count; ++i) masses[i] = 0;
  double total = 0;
  for (size_t t = 0; t < def->triangle_count; ++t) {
    const uint32_t *v = &def->triangles[3 * t];
    double u[3], w[3], n[3];
    for (int k = 0; k < 3; ++k) {
      u[k] = (double)def->points[3 * v[1] + k] - def->points[3 * v[0] + k];
      w[k] = (double)def->points[3 * v[2] + k] - def->points[3 * v[0] + k];
    }
    cross3(u, w, n);
    double third = length3(n) / 6;
    for (int k = 0; k < 3; ++k) masses[v[k]] += third;
    total += 3 * third;
  }
  double mean = total > 0 ? total / (double)def->point_count : 1;
  for (size_t i = 0; i < def->point_count; ++i)
    if (!(masses[i] > 1e-3 * mean)) masses[i] = total > 0 ? 1e-3 * mean : mean;
}

static const char *wrong_with(const sim_shape_def *def)
{
  if (!def->points || def->point_count < 1) return "a shape needs points";
  if (def->point_count > UINT32_MAX / 4) return "a shape has too many points";
  for (size_t i = 0; i < 3 * def->point_count; ++i)
    if (!isfinite(def->points[i]) || fabsf(def->points[i]) > 1e12f)
      return "a point of the shape is not finite or too far out";
  for (size_t i = 0; i < 3 * def->triangle_count; ++i)
    if (def->triangles[i] >= def->point_count) return "a triangle of the shape names a point that is not there";
  for (size_t i = 0; def->masses && i < def->point_count; ++i)
    if (!(def->masses[i] > 0) || !isfinite(def->masses[i])) return "masses of points must be positive";
  if (!(def->mass >= 0) || !isfinite(def->mass)) return "the mass of a shape must be 0 or positive";
  return NULL;
}

static void set_masses(const sim_shape_def *def, shape *s)
{
  double sum = 0;
  if (def->masses)
    memcpy(s->masses, def->masses, def->point_count * sizeof *s->masses);
  else
    area_masses(def, s->masses);
  for (size_t i = 0; i < s->point_count; ++i) sum += s->masses[i];
  s->mass = def->mass > 0 ? def->mass : def->masses ? sum : 1;
  for (size_t i = 0; i < s->point_count; ++i) s->masses[i] *= s->mass / sum;
}

static void set_centre(const sim_shape_def *def, shape *s)
{
  for (size_t i = 0; i < s->point_count; ++i)
    for (int k = 0; k < 3; ++k) s->centre[k] += s->masses[i] / s->mass * def->points[3 * i + k];
  for (size_t i = 0; i < s->point_count; ++i) {
    double q[3];
    for (int k = 0; k < 3; ++k) {
      s->points[3 * i + k] = (float)(def->points[3 * i + k] - s->centre[k]);
      q[k] = s->points[3 * i + k];
    }
    s->reach = fmax(s->reach, length3(q));
    const double products[6] = {q[0] * q[0], q[1] * q[1], q[2] * q[2], q[0] * q[1], q[1] * q[2], q[2] * q[0]};
    for (int k = 0; k < 6; ++k) s->product_mean[k] += s->masses[i] / s->mass * products[k];
  }
}

/* Flat and thin shapes have no inverse of their own: the diagonal gets 1e-4 of its mean. */
static bool set_moments(shape *s)
{
  for (size_t i = 0; i < s->point_count; ++i) {
    double q[3] = {s->points[3 * i], s->points[3 * i + 1], s->points[3 * i + 2]}, terms[9];
    shape_terms(s, q, 9, terms);
    for (int r = 0; r < 9; ++r)
      for (int c = 0; c < 9; ++c) s->moments[r][c] += s->masses[i] * terms[r] * terms[c];
  }
  double least = s->mass * fmax(s->reach * s->reach, 1e-12),
         lines = 1e-4 / 3 * (s->moments[0][0] + s->moments[1][1] + s->moments[2][2]);
  double products = 0, m[9][9], part[9][9], out[9][9];
  for (int k = 3; k < 9; ++k) products += 1e-3 / 6 * s->moments[k][k];
  memcpy(m, s->moments, sizeof m);
  for (int k = 0; k < 9; ++k)
    m[k][k] += k < 3 ? fmax(lines, 1e-6 * least) : fmax(products, 1e-6 * least * fmax(s->reach * s->reach, 1e-12));
  memcpy(part, m, sizeof part);
  if (!inverse_spd(3, part, out)) return false;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s->inverse_linear[i][j] = finite_or(out[i][j], 0);
  return inverse_spd(9, m, s->inverse);
}

/* Directions of terms in which points hardly differ, by less than this part of the mean square,
 * have no answer: what the moments do not see would be moved without any energy. */
static const double LEAST = 0.02;

static void set_answer(shape *s, int n, double project[9][9], double answer[9][9])
{
  double scale[9], m[81], vectors[81], most[2] = {0};
  for (int k = 0; k < n; ++k) most[k / 3 > 0] = fmax(most[k / 3 > 0], s->moments[k][k]);
  for (int k = 0; k < n; ++k) scale[k] = sqrt(fmax(s->moments[k][k], 1e-6 * fmax(most[k / 3 > 0], 1e-100)));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) m[i * n + j] = s->moments[i][j] / (scale[i] * scale[j]);
  eigen_symmetric(n, m, vectors);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (!(m[k * n + k] > LEAST)) continue;
        double both = vectors[i * n + k] * vectors[j * n + k];
        project[i][j] += both * scale[i] / scale[j];
        answer[i][j] += both / (m[k * n + k] * scale[i] * scale[j]);
      }
}

sim_status shape_make(const sim_shape_def *def, shape *out, const char **why)
{
  *out = (shape){.point_count = def->point_count, .triangle_count = def->triangles ? def->triangle_count : 0};
  *why = wrong_with(def);
  if (*why) return SIM_ERROR_ARGUMENT;
  *why = "out of memory for a shape";
  out->points = malloc(3 * def->point_count * sizeof *out->points);
  out->masses = malloc(def->point_count * sizeof *out->masses);
  out->triangles = copy_of(def->triangles, 3 * out->triangle_count * sizeof *out->triangles);
  if (!out->points || !out->masses || !out->triangles) return SIM_ERROR_MEMORY;
  set_masses(def, out);
  set_centre(def, out);
  if (!set_moments(out)) {
    *why = "the points of a shape are too far apart in size for its moments";
    return SIM_ERROR_ARGUMENT;
  }
  set_answer(out, 3, out->project[0], out->answer[0]);
  set_answer(out, 9, out->project[1], out->answer[1]);
  return shape_make_surface(out) ? SIM_OK : SIM_ERROR_MEMORY;
}

void shape_free(shape *s) { free(s->points), free(s->normals), free(s->masses), free(s->triangles); }
