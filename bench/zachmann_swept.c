/* Swept volumes, the conventional approach, once for each in-between: down to pairs of leaves or
 * of triangles, or every candidate decided exactly. */
#include "bench/swept.h"
#include "bench/zachmann_stage.h"

#include <stdlib.h>
#include <string.h>

/* `steps` in-betweens, posed before the clock runs. */
bool zachmann_play_swept(stage *s, int which, int steps, double *ms)
{
  swept trees[2] = {0};
  float *poses[2][2] = {0};
  bool good = true;
  for (int b = 0; b < s->bodies && good; ++b) {
    const bench_flight *f = &s->flight[b];
    good = swept_create(which == PLAIN ? 2 : 8, which == PLAIN ? 1 : 8, f->key[0], f->mesh.triangles,
                        f->mesh.triangle_count, &trees[b]);
    for (int i = 0; i < 2; ++i) poses[b][i] = malloc((3 * f->mesh.vertex_count + 1) * sizeof(float));
    good = good && poses[b][0] && poses[b][1];
  }
  size_t found = 0;
  *ms = 0;
  for (int k = 0; good && k < steps; ++k) {
    for (int b = 0; b < s->bodies; ++b)
      for (int i = 0; i < 2; ++i) bench_flight_pose(&s->flight[b], (double)(k + i) / steps, poses[b][i]);
    double start = bench_cpu_ms();
    for (int b = 0; b < s->bodies; ++b) swept_refit(&trees[b], poses[b][0], poses[b][1]);
    found += which == CAREFUL && s->bodies == 2 ? swept_triangles(&trees[0], &trees[1])
                                                : swept_pairs(&trees[0], &trees[s->bodies - 1]);
    *ms += bench_cpu_ms() - start;
  }
  if (good && s->contacts && !found) good = bench_fail(s->report, "%s: swept volumes miss contacts", s->key);
  for (int b = 0; b < 2; ++b) {
    swept_free(&trees[b]);
    free(poses[b][0]);
    free(poses[b][1]);
  }
  return good;
}

/* Exact times of all candidates of two bodies. */
static size_t decide(const pl_result *found, const float *const from[2], const float *const to[2],
                     const uint32_t *const triangles[2])
{
  size_t contacts = 0;
  const pl_candidate_lists *of = found->lists;
  const struct list {
    size_t begin, end;
    int first; /* whose vertex, or -1: edges */
  } lists[] = {
      {of->vertex_face, of->face_vertex, 0}, {of->face_vertex, of->edge_edge, 1}, {of->edge_edge, of->end, -1}};
  for (size_t l = 0; l < 3; ++l)
    for (size_t i = lists[l].begin; i < lists[l].end; ++i) {
      const pl_pair p = found->candidates[i];
      const int v = lists[l].first, side[4] = {v < 0 ? 0 : v, v < 0 ? 0 : 1 - v, v < 0 ? 1 : 1 - v, v < 0 ? 1 : 1 - v};
      uint32_t at[4];
      if (v < 0) {
        memcpy(at, of->edges_a[p.a], 2 * sizeof *at);
        memcpy(at + 2, of->edges_b[p.b], 2 * sizeof *at);
      } else {
        at[0] = v ? p.b : p.a;
        memcpy(at + 1, triangles[1 - v] + 3 * (size_t)(v ? p.a : p.b), 3 * sizeof *at);
      }
      double start[4][3], end[4][3], time = 0;
      for (int c = 0; c < 4; ++c)
        for (size_t k = 0; k < 3; ++k) {
          start[c][k] = (double)from[side[c]][3 * at[c] + k];
          end[c][k] = (double)to[side[c]][3 * at[c] + k];
        }
      contacts +=
          (v < 0 ? pl_edge_edge_time : pl_vertex_face_time)((const double(*)[3])start, (const double(*)[3])end, &time);
    }
  return contacts;
}

/* Swept volumes with exact times: the candidates of each in-between, decided one by one. One
 * body is both. */
bool zachmann_play_swept_exact(stage *s, int steps, double *ms)
{
  pl_body *body[2] = {NULL, NULL};
  float *poses[2][2] = {{NULL, NULL}, {NULL, NULL}};
  const int last = s->bodies - 1;
  const uint32_t *const triangles[2] = {s->flight[0].mesh.triangles, s->flight[last].mesh.triangles};
  bool good = true;
  for (int b = 0; b < s->bodies; ++b) {
    body[b] = bench_flight_mover(s->context, &s->flight[b]);
    for (int i = 0; i < 2; ++i) poses[b][i] = malloc((3 * s->flight[b].mesh.vertex_count + 1) * sizeof(float));
    good = good && body[b] && poses[b][0] && poses[b][1];
  }
  size_t found = 0;
  *ms = 0;
  for (int k = 0; good && k < steps; ++k) {
    const float *from[2] = {poses[0][0], poses[last][0]}, *to[2] = {poses[0][1], poses[last][1]};
    for (int b = 0; b < s->bodies; ++b)
      for (int i = 0; i < 2; ++i) bench_flight_pose(&s->flight[b], (double)(k + i) / steps, poses[b][i]);
    double start = bench_cpu_ms();
    for (int b = 0; b < s->bodies && good; ++b) {
      const size_t n = s->flight[b].mesh.vertex_count;
      if (!k) good = pl_body_set_positions(body[b], pl_positions_f32(from[b], n)) == PL_OK;
      good = good && pl_body_keep_pose(body[b]) == PL_OK &&
             pl_body_set_positions(body[b], pl_positions_f32(to[b], n)) == PL_OK;
    }
    const pl_result *all;
    good = good && pl_candidates(pl_two(body[0], body[last]), NULL, &all) == PL_OK;
    if (good) found += decide(all, from, to, triangles);
    *ms += bench_cpu_ms() - start;
  }
  if (good && s->contacts && !found) good = bench_fail(s->report, "%s: swept volumes miss contacts", s->key);
  for (int b = 0; b < s->bodies; ++b) {
    pl_body_destroy(body[b]);
    free(poses[b][0]);
    free(poses[b][1]);
  }
  return good;
}
