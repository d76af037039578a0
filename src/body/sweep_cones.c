/* Cones of patches on their way, after P. Volino and N. Magnenat-Thalmann (Efficient
 * Self-collision Detection on Smoothly Discretized Surface Animations using Geometrical Shape
 * Regularity, 1994), for all times between two poses (kernels/swept_cones.h). Positions of both
 * poses are relative to the middle of the box around both, scaled by a power of two such that
 * its half is at most 1, and rounded to float: with h half of the longest side and s the scale
 * right to 2^-23 h s, and 2^-1074 times 4 s where doubles are denormal. Cost: O(vertices +
 * triangles) for each step, on all workers; memory 32 bytes per vertex and 4 per patch. */
#include "body/sweep.h"

#include "kernels/kernels.h"

enum { ALONE = 4096, CHUNK = 4096 }; /* triangles that one thread does faster; vertices of a task */

void sweep_free_cones(const pl_allocator *allocator, sweep *s)
{
  mem_free_all(allocator, s->cones.positions, s->cones.cone);
  s->cones = (swept_patches){0};
}

static pl_status make_room(pl_body *body)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  const patches *p = body->patches;
  swept_patches *c = &body->sweep->cones;
  if (!c->positions) c->positions = mem_raw(allocator, body->motion.vertex_count, 8 * sizeof *c->positions);
  if (c->of != p) {
    mem_free(allocator, c->cone);
    c->cone = mem_new(allocator, p->tree.nodes.inner_count, 8 * sizeof *c->cone);
    c->of = c->cone ? p : NULL;
  }
  if (c->positions && c->cone) return PL_OK;
  return fail(body->context, PL_ERROR_MEMORY, "no memory for the cones of %u triangles", p->tree.prims.triangle_count);
}

/* A position is (0.5 x - middle) twice. */
typedef struct cone_space {
  const pl_body *body;
  double middle[3], twice;
} cone_space;

static void choose_space(cone_space *c)
{
  sweep *s = c->body->sweep;
  /* -x, -y, -z, x, y, z at the start, and at the end */
  const float *box = s->patches.own[TREE_ROOT];
  double half = 0;
  for (int k = 0; k < 3; ++k) {
    double low = -ldexp((double)fmaxf(box[k], box[k + 6]), s->exponent),
           high = ldexp((double)fmaxf(box[k + 3], box[k + 9]), s->exponent);
    c->middle[k] = 0.5 * (0.5 * low + 0.5 * high);
    half = fmax(half, 0.5 * high - 0.5 * low);
  }
  const int exponent = cone_scale(half, &c->twice, &s->cones.error);
  s->cone_scale = ldexpf(1, s->exponent - exponent);
}

static void place_task(void *data, int task, int worker)
{
  const cone_space *c = data;
  const sweep *s = c->body->sweep;
  const patches *p = s->cones.of;
  const size_t begin = CHUNK * (size_t)task, count = c->body->motion.vertex_count;
  for (size_t v = begin; v < begin + CHUNK && v < count; ++v) {
    float *out = s->cones.positions + 8 * (size_t)p->place[v];
    for (int k = 0; k < 3; ++k) {
      out[k] = (float)((0.5 * s->start[v][k] - c->middle[k]) * c->twice);
      out[4 + k] = (float)((0.5 * s->end[v][k] - c->middle[k]) * c->twice);
    }
    out[3] = out[7] = 0;
  }
}

static void cone_range(const swept_patches *c, uint32_t begin, uint32_t end)
{
  kernels_of(c->of->context->isa)->self->swept_refit(c, begin, end);
}

/* The subtree of a child of the root. */
static void cone_task(void *data, int task, int worker)
{
  const swept_patches *c = data;
  const tree *t = &c->of->tree;
  int32_t child = tree_children(t, TREE_ROOT)[task];
  if (child >= 0) cone_range(c, (uint32_t)child, t->nodes.end[child]);
}

pl_status sweep_refit_cones(swept_patches *c)
{
  const tree *t = &c->of->tree;
  pl_status status =
      parallel_for(c->of->context, t->prims.triangle_count > ALONE, cone_task, c, t->nodes.children[TREE_ROOT]);
  if (status == PL_OK) cone_range(c, TREE_ROOT, TREE_ROOT + 1);
  return status;
}

pl_status sweep_make_cones(pl_body *body)
{
  pl_status status = make_room(body);
  if (status != PL_OK) return status;
  pl_context *context = body->context;
  const tree *t = &body->patches->tree;
  const bool worth_it = t->prims.triangle_count > ALONE;
  cone_space into = {.body = body};
  choose_space(&into);
  status = parallel_for(context, worth_it, place_task, &into, (int)((body->motion.vertex_count + CHUNK - 1) / CHUNK));
  return status == PL_OK ? sweep_refit_cones(&body->sweep->cones) : status;
}
