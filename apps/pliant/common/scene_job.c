/* Masks keep out of the walk what they can: bodies of no interest among themselves, and later
 * those that do not move. Pairs that are left out one by one are excluded from the scene, up to
 * a number; beyond it they are taken from the answer. */
#include "common/scene_job.h"

#include "common/output.h"

#include <stdlib.h>

/* Four kinds of bodies: bit 0, that it may move; bit 1, that --body names it. One of two bodies
 * must, for each. */
enum { KIND_MOVES = 1, KIND_NAMED = 2, KINDS = 4 };

static bool kinds_meet(int x, int y) { return ((x | y) & KIND_MOVES) && ((x | y) & KIND_NAMED); }

static pl_member_def member_of(int kind)
{
  pl_member_def def = pl_member_def_default();
  def.group = 1u << kind;
  def.mask = 0;
  for (int other = 0; other < KINDS; ++other)
    if (kinds_meet(kind, other)) def.mask |= 1u << other;
  return def;
}

/* `settled`: bodies that do not move are not asked about each other. */
static bool fill(scene_job *job, pl_scene *scene, bool settled)
{
  const stage *s = &job->stage;
  const pair_choice *c = &job->choice;
  for (size_t i = 0; i < s->body_count; ++i) {
    const stage_body *body = &s->bodies[i];
    if (c->any && !pair_choice_wants(c, i)) continue;
    bool still = settled && !body->moves && !body->morphs;
    pl_member_def def = member_of((still ? 0 : KIND_MOVES) | (c->named && !c->named[i] ? 0 : KIND_NAMED));
    if (pl_scene_add(scene, body->body, &def) == PL_OK) continue;
    output_complain("%s: %s", body->name, pl_context_message(s->context));
    return false;
  }
  return true;
}

/* To exclude a pair takes time that grows with the number of those that its bodies have already. */
enum { MOST_EXCLUDED = 20000 };

/* Those of body `a`, if it is in the scene; *room is how many more may be. */
static bool exclude_of(const scene_job *job, pl_scene *scene, const bool *present, size_t a, size_t *room)
{
  const stage *s = &job->stage;
  for (size_t b = a + 1; b < s->body_count && *room; ++b) {
    if (!present[b] || !pair_choice_leaves_out(&job->choice, a, b)) continue;
    if (pl_scene_exclude(scene, s->bodies[a].body, s->bodies[b].body) != PL_OK)
      return output_complain("%s", pl_context_message(s->context)), false;
    --*room;
  }
  return true;
}

static bool exclude(const scene_job *job, pl_scene *scene)
{
  const pair_choice *c = &job->choice;
  size_t n = job->stage.body_count, room = MOST_EXCLUDED;
  if (!c->left || !n) return true;
  bool *present = malloc(n * sizeof *present), good = present;
  if (!present) output_complain("no memory for %zu bodies", n);
  for (size_t i = 0; good && i < n; ++i) present[i] = pair_choice_wants(c, i);
  for (size_t a = 0; good && a < n; ++a)
    if (present[a] && c->left[a]) good = exclude_of(job, scene, present, a, &room);
  free(present);
  return good;
}

static bool make_scene(scene_job *job, bool settled, pl_scene **out)
{
  if (pl_scene_create(job->stage.context, NULL, out) == PL_OK) return fill(job, *out, settled) && exclude(job, *out);
  output_complain("%s", pl_context_message(job->stage.context));
  return false;
}

static bool make_scenes(scene_job *job, bool settled, bool with_truth)
{
  return make_scene(job, settled, &job->scene) && (!with_truth || make_scene(job, settled, &job->truth));
}

bool scene_job_start(scene_job *job, const pair_choice_options *o, bool with_truth)
{
  job->only_new = o->only_new;
  return pair_choice_make(&job->choice, o, &job->stage) && make_scenes(job, false, with_truth);
}

void scene_job_end(scene_job *job)
{
  pair_choice_free(&job->choice);
  stage_close(&job->stage);
}

bool scene_job_settle(scene_job *job, const pl_result *contacts)
{
  size_t a = 0, b = 0;
  for (size_t g = 0; g < contacts->group_count; ++g) {
    const pl_group *group = &contacts->groups[g];
    a = stage_number(&job->stage, group->a, a);
    b = stage_number(&job->stage, group->b, b);
    if (!pair_choice_leaves_out(&job->choice, a, b) &&
        !pair_choice_rest_add(&job->choice, a, b, group->end - group->begin))
      return false;
  }
  bool with_truth = job->truth != NULL;
  pl_scene_destroy(job->scene);
  pl_scene_destroy(job->truth);
  job->scene = job->truth = NULL;
  return make_scenes(job, true, with_truth);
}
