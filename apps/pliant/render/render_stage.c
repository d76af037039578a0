/* The stage of `pliant render`: one context, one scene, a tracer that shares the context's
 * threads, and actors. */
#include "common/command.h"
#include "common/output.h"
#include "common/progress.h"
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

static const trace_material red = {.colour = {0.85f, 0.02f, 0.02f}, .specular = 0.1f, .gloss = 20};

/* Beside bodies with little colour red can be seen. */
static void mute(trace_material *m)
{
  float grey = (m->colour[0] + m->colour[1] + m->colour[2]) / 3 * 0.5f + 0.25f;
  for (int k = 0; k < 3; ++k) m->colour[k] = 0.2f * m->colour[k] + 0.8f * grey;
}

bool render_complain_memory(const char *what)
{
  output_complain("%s: out of memory", what);
  return false;
}

bool render_stage_open(render_job *job)
{
  pl_context_def def = pl_context_def_default();
  def.threads = job->options.threads;
  pl_status status = pl_context_create(&def, &job->context);
  if (status == PL_OK) status = tracer_create(job->context, &job->tracer);
  if (status == PL_OK) status = pl_scene_create(job->context, NULL, &job->scene);
  job->def = tree_options_def(&job->options.tree);
  if (status == PL_OK) return true;
  const char *message = job->context ? pl_context_message(job->context) : "";
  /* the tracer's own memory has no sentence */
  output_complain("%s", message[0] ? message : pl_status_text(status));
  return false;
}

void render_stage_close(render_job *job)
{
  tracer_destroy(job->tracer);
  pl_context_destroy(job->context);
  for (size_t i = 0; i < job->actor_count; ++i) {
    trace_fans_destroy(job->actors[i].fans);
    free(job->actors[i].touching);
  }
  free(job->actors);
  free(job->traced);
  free(job->rgb);
}

static bool make_room(render_job *job)
{
  if (job->actor_count < job->actor_capacity) return true;
  size_t capacity = 2 * job->actor_capacity + 16;
  render_actor *actors = realloc(job->actors, capacity * sizeof *actors);
  if (actors) job->actors = actors;
  trace_body *traced = actors ? realloc(job->traced, capacity * sizeof *traced) : NULL;
  if (traced) job->traced = traced;
  if (!traced) return false;
  job->actor_capacity = capacity;
  return true;
}

/* Takes a body that was made, or NULL for one that could not be. */
bool render_add(render_job *job, pl_body *body, const pl_mesh_def *mesh, const char *name)
{
  if (!body || pl_scene_add(job->scene, body, NULL) != PL_OK) {
    output_complain("%s: %s", name, pl_context_message(job->context));
    return false;
  }
  if (!make_room(job)) return render_complain_memory(name);
  render_actor *actor = &job->actors[job->actor_count];
  trace_body *traced = &job->traced[job->actor_count];
  *actor = (render_actor){.name = name, .body = body, .placement = pl_transform_identity()};
  *traced = (trace_body){.triangles = mesh->triangles, .positions = mesh->positions};
  if (!job->options.flat && trace_fans_create(mesh, &actor->fans) != PL_OK) return render_complain_memory(name);
  traced->fans = actor->fans;
  traced->material = trace_palette((int)(job->actor_count % 1000));
  if (job->source == &render_inputs)
    traced->material.mirror = traced->material.fresnel = 0; /* files are to be looked at */
  if (job->options.mirror >= 0) traced->material.mirror = (float)job->options.mirror;
  if (job->options.contacts) mute(&traced->material);
  traced->mark = &red;
  if (job->options.contacts) traced->marked = actor->touching = calloc(mesh->triangle_count, 1);
  if (job->options.contacts && !actor->touching) return render_complain_memory(name);
  ++job->actor_count;
  return true;
}

static size_t actor_of(const render_job *job, const pl_body *body, size_t hint)
{
  size_t i = hint;
  while (job->actors[i].body != body) i = i + 1 < job->actor_count ? i + 1 : 0;
  return i;
}

bool render_mark_contacts(render_job *job, size_t frame, size_t *pairs)
{
  const pl_result *found;
  if (pl_touching(pl_all(job->scene), NULL, &found) != PL_OK) {
    output_complain("frame %zu: %s", frame, pl_context_message(job->context));
    return false;
  }
  for (size_t i = 0; i < job->actor_count; ++i)
    memset(job->actors[i].touching, 0, pl_body_triangle_count(job->actors[i].body));
  size_t a = 0, b = 0;
  for (size_t g = 0; g < found->group_count; ++g) {
    const pl_group *group = &found->groups[g];
    a = actor_of(job, group->a, a);
    b = actor_of(job, group->b, b);
    for (size_t i = group->begin; i < group->end; ++i) {
      job->actors[a].touching[found->pairs[i].a] = 1;
      job->actors[b].touching[found->pairs[i].b] = 1;
    }
  }
  *pairs = found->count;
  return true;
}

static pl_status hand_on(const render_job *job, size_t i)
{
  const render_actor *a = &job->actors[i];
  if (pl_body_motion(a->body) == PL_MOTION_FREE) return pl_body_set_positions(a->body, job->traced[i].positions);
  pl_status status = pl_body_set_transform(a->body, &a->placement);
  if (status == PL_OK && pl_body_motion(a->body) == PL_MOTION_MORPH)
    status = pl_body_set_weights(a->body, a->weights, a->weight_count);
  return status;
}

bool render_hand_on(render_job *job, size_t frame, double *ms)
{
  double begin = progress_clock();
  for (size_t i = 0; i < job->actor_count; ++i) {
    if (!job->actors[i].changed) continue;
    job->actors[i].changed = false;
    if (hand_on(job, i) == PL_OK) continue;
    output_complain("%s: frame %zu: %s", job->actors[i].name, frame, pl_context_message(job->context));
    return false;
  }
  *ms = progress_clock() - begin;
  return true;
}
