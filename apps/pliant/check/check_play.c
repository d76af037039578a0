/* One asset: its reference pose, then every frame of every animation; regions are followed, and
 * each is one finding. */
#include "check/check.h"
#include "common/output.h"

#include <stdlib.h>
#include <string.h>

typedef struct player {
  const check_job *job;
  const check_rules *rules;
  check_asset *asset;
  stage stage;
  pl_scene *scene;
  pl_tracker *tracker;
  check_namer *namer;
  uint32_t *ids;  /* of the tracker, by finding */
  size_t clip;    /* the first finding of the present animation */
  size_t clip_at; /* and its first frame */
} player;

static bool complain(const player *p)
{
  output_complain("%s: %s", p->asset->name, p->stage.context ? pl_context_message(p->stage.context) : "out of memory");
  return false;
}

static bool complain_memory(const player *p)
{
  output_complain("%s: out of memory", p->asset->name);
  return false;
}

/* Bodies meet themselves, and each other with --between. */
static bool make_scene(player *p)
{
  pl_context *context = p->stage.context;
  bool good = pl_scene_create(context, NULL, &p->scene) == PL_OK && pl_tracker_create(context, &p->tracker) == PL_OK;
  for (size_t i = 0; good && i < p->stage.body_count; ++i) {
    const stage_body *b = &p->stage.bodies[i];
    pl_member_def def = pl_member_def_default();
    bool ignored = check_ignores_body(p->rules, b->name);
    def.self = true;
    if (!p->rules->between) def.mask = 0;
    p->asset->ignored_bodies += ignored;
    p->asset->triangles += b->triangle_count;
    if (!ignored) good = pl_scene_add(p->scene, b->body, &def) == PL_OK;
  }
  p->asset->bodies = p->stage.body_count;
  return good || complain(p);
}

/* ---------------------------------------------------------------------------------- findings -- */

check_finding *check_add_finding(check_asset *a)
{
  if (a->finding_count == a->finding_room) {
    size_t room = a->finding_room ? 2 * a->finding_room : 16;
    check_finding *moved = realloc(a->findings, room * sizeof *moved);
    if (!moved) return NULL;
    a->findings = moved;
    a->finding_room = room;
  }
  check_finding *f = &a->findings[a->finding_count++];
  *f = (check_finding){0};
  return f;
}

static check_finding *finding_of(player *p, uint32_t id, size_t frame)
{
  check_asset *a = p->asset;
  for (size_t i = p->clip; i < a->finding_count; ++i)
    if (p->ids[i] == id) return &a->findings[i];
  check_finding *f = check_add_finding(a);
  uint32_t *ids = f ? realloc(p->ids, a->finding_room * sizeof *ids) : NULL;
  if (!ids) return NULL;
  p->ids = ids;
  ids[a->finding_count - 1] = id;
  f->animation = strdup(stage_animation_of(&p->stage, 0, frame));
  f->first = f->worst = frame - p->clip_at;
  f->depth = -1;
  return f->animation ? f : NULL;
}

/* The side with the deepest point comes first: it is in the other one. */
static bool name_sides(player *p, const pl_result *found, const pl_region *row, const pl_group *group,
                       check_finding *f)
{
  const pl_body *bodies[2] = {group->a, group->b};
  int inner = row->depth > 0 ? row->deepest_side : 0;
  for (int i = 0; i < 2; ++i) {
    int from = i ? 1 - inner : inner;
    size_t body = stage_number(&p->stage, bodies[from], 0);
    if (!check_name_side(p->namer, body, found, &row->side[from], &f->side[i])) return false;
  }
  return true;
}

static bool add_region(player *p, const pl_result *found, size_t i, const pl_track *track, const pl_group *group,
                       size_t frame)
{
  const pl_region *row = &found->regions[i];
  check_finding *f = finding_of(p, track->id, frame);
  if (!f) return complain_memory(p);
  f->last = frame - p->clip_at;
  f->at_rest = f->at_rest || track->known;
  if (track->known_depth > f->rest_depth) f->rest_depth = track->known_depth;
  if (!(row->depth > f->depth)) return true;
  char text[STAGE_LABEL];
  const stage_input *input = &p->stage.inputs[0];
  bool rests = input->gltf && stage_clip_at(input, frame)->animation == GLTF_REST;
  free(f->label);
  f->label = strdup(rests ? "rest pose" : stage_label_raw(&p->stage, frame, text));
  if (!f->label) return complain_memory(p);
  f->worst = frame - p->clip_at;
  f->depth = row->depth;
  f->length = row->length;
  f->area = row->side[0].area > row->side[1].area ? row->side[0].area : row->side[1].area;
  memcpy(f->at, row->depth > 0 ? row->deepest : row->at, sizeof f->at);
  return name_sides(p, found, row, group, f);
}

/* ------------------------------------------------------------------------------------ frames -- */

static bool play_frame(player *p, size_t frame)
{
  double ms;
  const pl_result *found;
  const pl_result *tracks;
  if (!stage_move(&p->stage, frame, &ms)) return false;
  if (frame == 0 && !check_namer_create(&p->stage, &p->namer)) return false;
  if (pl_regions(pl_all(p->scene), NULL, &found) != PL_OK) return complain(p);
  if (frame == 0 && pl_tracker_set_reference(p->tracker, found) != PL_OK) return complain(p);
  if (pl_tracker_follow(p->tracker, found, &tracks) != PL_OK) return complain(p);
  const stage_input *input = &p->stage.inputs[0];
  if (input->gltf && stage_clip_at(input, frame)->first == frame) {
    p->clip = p->asset->finding_count;
    p->clip_at = frame;
  }
  for (size_t g = 0; g < found->group_count; ++g)
    for (size_t i = found->groups[g].begin; i < found->groups[g].end; ++i)
      if (!add_region(p, found, i, &tracks->tracks[i], &found->groups[g], frame)) return false;
  return true;
}

/* A body that stands still has the same intersections with itself in all frames: the first one
 * is enough. */
static bool drop_still(player *p)
{
  for (size_t i = 0; i < p->stage.body_count && !p->rules->between; ++i) {
    const stage_body *b = &p->stage.bodies[i];
    if (b->moves || b->morphs || b->bends || check_ignores_body(p->rules, b->name)) continue;
    if (pl_scene_remove(p->scene, b->body) != PL_OK) return complain(p);
    for (size_t k = 0; k < p->asset->finding_count; ++k)
      if (strcmp(p->asset->findings[k].side[0].body, b->name) == 0) p->asset->findings[k].always = true;
  }
  return true;
}

/* A scene without animations has its rest pose twice: as the reference, and as all there is. */
static size_t frames_of(const stage *s)
{
  const stage_input *input = &s->inputs[0];
  return input->gltf && gltf_animation_count(input->gltf) == 0 ? 1 : s->frame_count;
}

static bool play(player *p, const stage_def *def, const input_list *inputs)
{
  check_asset *asset = p->asset;
  if (!stage_open(&p->stage, def, inputs) || !make_scene(p)) return false;
  asset->metres = p->rules->metres > 0 ? p->rules->metres : inputs->values[0].is_gltf ? 1 : 0;
  asset->frames = frames_of(&p->stage);
  for (size_t i = 0; i < asset->frames; ++i)
    if (!play_frame(p, i) || (i == 0 && !drop_still(p))) return false;
  asset->diagonal = check_namer_diagonal(p->namer);
  return true;
}

bool check_play(const check_job *job, check_asset *asset, int threads)
{
  player p = {.job = job, .asset = asset, .rules = check_rules_of(job, asset)};
  input_list *inputs = calloc(1, sizeof *inputs);
  if (!inputs) return complain_memory(&p);
  inputs->count = 1;
  inputs->values[0] =
      (input_def){.names = asset->files, .count = asset->file_count, .is_gltf = gltf_is_name(asset->name)};
  stage_def def = {.options = job->options.stage,
                   .threads = threads,
                   .body = pl_body_def_default(),
                   .weld = !job->options.no_weld,
                   .alone = true};
  if (p.rules->fps > 0) def.options.fps = p.rules->fps;
  if (inputs->values[0].is_gltf) { /* the rest pose first: it is what the others are compared with */
    def.options.animation.values[0] = "rest";
    def.options.animation.values[1] = "all";
    def.options.animation.count = 2;
  }
  asset->readable = play(&p, &def, inputs);
  check_namer_free(p.namer);
  stage_close(&p.stage);
  free(p.ids);
  free(inputs);
  return asset->readable;
}
