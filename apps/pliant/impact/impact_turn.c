/* Bodies that turn between two frames: by their transforms or bones where they have such, otherwise
 * by the rotation that takes the vertices of one frame nearest to those of the next, in the mean of
 * squares (B. K. P. Horn, Closed-form solution of absolute orientation using unit quaternions,
 * 1987). What the rotation leaves is gone straight. */
#include "common/output.h"
#include "impact/impact.h"
#include "sim/linear.h"

#include <stdlib.h>

static void mean_of(const double (*at)[3], size_t count, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = 0;
  for (size_t v = 0; v < count; ++v)
    for (int k = 0; k < 3; ++k) out[k] += at[v][k] / (double)count;
}

/* Horn's matrix of two poses about their means, plus a multiple of the unit matrix that makes its
 * eigenvalues positive, scaled to about 1; false: nothing can be said of the rotation. */
static bool horn_matrix(const double (*from)[3], const double (*to)[3], size_t count, const double means[2][3],
                        double n[4][4])
{
  double s[3][3] = {{0}}, most = 0;
  for (size_t v = 0; v < count; ++v)
    for (int i = 0; i < 9; ++i)
      s[i / 3][i % 3] += (from[v][i / 3] - means[0][i / 3]) * (to[v][i % 3] - means[1][i % 3]);
  for (int i = 0; i < 9; ++i) most = larger(fabs(s[i / 3][i % 3]), most);
  if (!(most > 0) || !isfinite(most)) return false;
  for (int i = 0; i < 9; ++i) s[i / 3][i % 3] /= most;
  const double trace = s[0][0] + s[1][1] + s[2][2];
  n[0][0] = trace + 8;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    n[0][1 + i] = n[1 + i][0] = s[j][k] - s[k][j];
    n[1 + i][1 + i] = 2 * s[i][i] - trace + 8;
    n[1 + i][1 + j] = n[1 + j][1 + i] = s[i][j] + s[j][i];
  }
  return true;
}

/* The eigenvector of the greatest eigenvalue: all rows of a high power of the matrix. */
static void strongest(double n[4][4], double q[4])
{
  for (int round = 0; round < 48; ++round) {
    double square[4][4] = {{0}}, most = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 4; ++k) square[i][j] += n[i][k] * n[k][j];
    for (int i = 0; i < 4; ++i) most = larger(square[i][i], most);
    for (int i = 0; i < 16; ++i) n[i / 4][i % 4] = square[i / 4][i % 4] / most;
  }
  int row = 0;
  for (int i = 1; i < 4; ++i)
    if (n[i][i] > n[row][row]) row = i;
  for (int i = 0; i < 4; ++i) q[i] = n[row][0] < 0 ? -n[row][i] : n[row][i];
}

/* The point on the axis for which the first mean turns above or below the second one. */
static void point_of(const double means[2][3], const double axis[3], double half, double out[3])
{
  double way[3], side[3], along = 0;
  for (int k = 0; k < 3; ++k) way[k] = means[1][k] - means[0][k];
  along = dot3(way, axis);
  for (int k = 0; k < 3; ++k) way[k] -= along * axis[k];
  cross3(axis, way, side);
  for (int k = 0; k < 3; ++k) out[k] = means[0][k] + 0.5 * way[k] + 0.5 * side[k] / tan(half);
}

static pl_status turn_by_fit(pl_body *body, const double (*from)[3], const double (*to)[3], size_t count)
{
  static const double up[3] = {0, 0, 1};
  double means[2][3], n[4][4], q[4], point[3];
  mean_of(from, count, means[0]);
  mean_of(to, count, means[1]);
  if (!horn_matrix(from, to, count, (const double(*)[3])means, n)) return pl_body_set_screw(body, up, NULL, 0);
  strongest(n, q);
  const double sine = length3(q + 1), half = atan2(sine, q[0]);
  if (!(half > 1e-12)) return pl_body_set_screw(body, up, NULL, 0);
  for (int k = 1; k < 4; ++k) q[k] /= sine;
  point_of((const double(*)[3])means, q + 1, half, point);
  return pl_body_set_screw(body, q + 1, point, 2 * half);
}

bool impact_turn_keep(impact_job *job)
{
  const stage *s = &job->stage;
  if (!job->before) job->before = calloc(s->body_count, sizeof *job->before);
  bool good = job->before;
  for (size_t i = 0; i < s->body_count && good; ++i) {
    pl_body *body = s->bodies[i].body;
    const size_t count = pl_body_vertex_count(body);
    if (pl_body_set_screw(body, NULL, NULL, 0) == PL_OK) continue;
    if (!job->before[i]) job->before[i] = malloc((count + 1) * sizeof *job->before[i]);
    good = job->before[i] && pl_body_positions(body, NULL, count, PL_F64, job->before[i], 0) == PL_OK;
  }
  if (!good) output_complain("no memory for the poses of turning bodies");
  return good;
}

bool impact_turn(impact_job *job)
{
  const stage *s = &job->stage;
  bool good = true;
  for (size_t i = 0; i < s->body_count && good; ++i) {
    pl_body *body = s->bodies[i].body;
    const size_t count = pl_body_vertex_count(body);
    if (!job->before[i]) continue;
    double(*now)[3] = malloc((count + 1) * sizeof *now);
    good = now && pl_body_positions(body, NULL, count, PL_F64, now, 0) == PL_OK &&
           turn_by_fit(body, (const double(*)[3])job->before[i], (const double(*)[3])now, count) == PL_OK;
    free(now);
    if (!good) output_complain("%s: its rotation between two frames was not found", s->bodies[i].name);
  }
  return good;
}

void impact_turn_free(impact_job *job)
{
  for (size_t i = 0; job->before && i < job->stage.body_count; ++i) free(job->before[i]);
  free(job->before);
}
