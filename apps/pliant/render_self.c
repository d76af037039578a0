/* --contacts within one body: asks as `pliant self` does, of a mesh whose vertices at the very same position are one. */
#include "io/weld.h"
#include "output.h"
#include "render.h"

#include <stdlib.h>

/* The actor as a mesh of its own: positions in double, triangles by welded vertices. */
typedef struct welded {
  double *xyz;
  uint32_t *map, *triangles;
} welded;

static bool weld(const trace_body *from, size_t triangle_count, welded *out)
{
  const pl_positions *p = &from->positions;
  out->xyz = malloc(3 * p->count * sizeof *out->xyz);
  out->map = malloc(p->count * sizeof *out->map);
  out->triangles = malloc(3 * triangle_count * sizeof *out->triangles);
  if (!out->xyz || !out->map || !out->triangles) return false;
  for (size_t i = 0; i < p->count; ++i) {
    const void *at = (const char *)p->data + i * p->stride;
    for (size_t k = 0; k < 3; ++k)
      out->xyz[3 * i + k] = p->type == PL_F64 ? ((const double *)at)[k] : (double)((const float *)at)[k];
  }
  if (!io_weld_map(out->xyz, p->count, out->map)) return false;
  for (size_t c = 0; c < 3 * triangle_count; ++c) out->triangles[c] = out->map[from->triangles[c]];
  return true;
}

static pl_status ask(const render_job *job, size_t actor, const welded *w, size_t *pairs)
{
  const render_actor *a = &job->actors[actor];
  const pl_pairs *found;
  pl_body *body = NULL;
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(w->xyz, job->traced[actor].positions.count);
  mesh.triangles = w->triangles;
  mesh.triangle_count = pl_body_triangle_count(a->body);
  pl_status status = pl_body_create_free(job->context, &mesh, NULL, &body);
  if (status == PL_OK) status = pl_body_self(body, NULL, &found);
  for (size_t i = 0; status == PL_OK && i < found->count; ++i)
    a->touching[found->pairs[i].a] = a->touching[found->pairs[i].b] = 1;
  if (status == PL_OK) *pairs += found->count;
  pl_body_destroy(body);
  return status;
}

bool render_mark_self(render_job *job, size_t frame, size_t *pairs)
{
  *pairs = 0;
  for (size_t i = 0; i < job->actor_count; ++i) {
    const char *name = job->actors[i].name;
    welded w = {0};
    bool made = weld(&job->traced[i], pl_body_triangle_count(job->actors[i].body), &w);
    pl_status status = made ? ask(job, i, &w, pairs) : PL_OK;
    free(w.xyz);
    free(w.map);
    free(w.triangles);
    if (!made) return render_complain_memory(name);
    if (status == PL_OK) continue;
    output_complain("%s: frame %zu: %s", name, frame, pl_context_message(job->context));
    return false;
  }
  return true;
}
