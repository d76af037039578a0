#include "bench/sample.h"
#include "scenes/ask.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 1000 };

typedef struct sample {
  uint32_t *triangles; /* of the whole body */
  uint32_t *chosen;    /* indices, ascending */
  uint32_t *corners;   /* of the chosen ones */
  unsigned char *is_chosen;
  double *xyz;
  size_t count, triangle_count, vertex_count;
} sample;

static void sample_free(sample *s)
{
  free(s->triangles);
  free(s->chosen);
  free(s->corners);
  free(s->is_chosen);
  free(s->xyz);
}

static bool sample_make(const pl_body *body, sample *s)
{
  s->triangle_count = pl_body_triangle_count(body);
  s->vertex_count = pl_body_vertex_count(body);
  s->triangles = malloc(3 * s->triangle_count * sizeof *s->triangles);
  s->chosen = malloc(s->triangle_count * sizeof *s->chosen);
  s->corners = malloc(3 * s->triangle_count * sizeof *s->corners);
  s->is_chosen = calloc(s->triangle_count, 1);
  s->xyz = malloc(3 * s->vertex_count * sizeof *s->xyz);
  return s->triangles && s->chosen && s->corners && s->is_chosen && s->xyz;
}

static void choose(sample *s, const pl_pair *pairs, size_t count)
{
  for (size_t i = 0; i < PART; ++i) s->is_chosen[i * s->triangle_count / PART] = 1;
  for (size_t i = 0; i < PART && count; ++i) s->is_chosen[pairs[i * count / PART].a] = 1;
  for (uint32_t t = 0; t < s->triangle_count; ++t) {
    if (!s->is_chosen[t]) continue;
    memcpy(s->corners + 3 * s->count, s->triangles + 3 * (size_t)t, 3 * sizeof *s->corners);
    s->chosen[s->count++] = t;
  }
}

static bool share_a_vertex(const uint32_t *a, const uint32_t *b)
{
  for (int i = 0; i < 9; ++i)
    if (a[i / 3] == b[i % 3]) return true;
  return false;
}

static int by_index(const void *a, const void *b)
{
  const pl_pair *x = a, *y = b;
  return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

/* Every pair of the reference is among those found, and there are no others of these triangles. */
static bool same_pairs(const sample *s, const pl_result *right, const pl_pair *pairs, size_t count, size_t *compared)
{
  size_t expected = 0, have = 0;
  for (size_t i = 0; i < right->count; ++i) {
    uint32_t t = right->pairs[i].a, u = s->chosen[right->pairs[i].b];
    if (share_a_vertex(s->triangles + 3 * (size_t)t, s->triangles + 3 * (size_t)u)) continue;
    if (s->is_chosen[t] && t > u) continue; /* also seen from the other side */
    pl_pair pair = {t < u ? t : u, t < u ? u : t};
    if (!count || !bsearch(&pair, pairs, count, sizeof *pairs, by_index)) return false;
    ++expected;
  }
  for (size_t i = 0; i < count; ++i) have += s->is_chosen[pairs[i].a] || s->is_chosen[pairs[i].b];
  *compared = have;
  return have == expected;
}

pl_status bench_sample_self(pl_context *context, pl_body *body, const pl_pair *pairs, size_t count, size_t *compared,
                            bool *same)
{
  sample s = {0};
  pl_body *part = NULL;
  const pl_result *right;
  pl_status status = sample_make(body, &s) ? PL_OK : PL_ERROR_MEMORY;
  if (status == PL_OK) status = pl_body_triangles(body, s.triangles, s.triangle_count);
  if (status == PL_OK) status = pl_body_positions(body, NULL, s.vertex_count, PL_F64, s.xyz, 0);
  if (status == PL_OK) {
    choose(&s, pairs, count);
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(s.xyz, s.vertex_count);
    mesh.triangles = s.corners;
    mesh.triangle_count = s.count;
    status = pl_body_create_free(context, &mesh, NULL, &part);
  }
  if (status == PL_OK) status = refer_touching(pl_two(body, part), NULL, &right);
  *same = status == PL_OK && same_pairs(&s, right, pairs, count, compared);
  pl_body_destroy(part);
  sample_free(&s);
  return status;
}
