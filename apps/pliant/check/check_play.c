/* One asset: its reference pose, then every frame of every animation; regions are followed, and
 * each is one finding. */
#include "check/check.h"
#include "common/output.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef struct player {
  check_job *job;
  check_asset *asset;
  stage stage;
  pl_scene *scene;
  pl_tracker *tracker;
  size_t clip; /* the first finding of the present animation */
} player;

static bool complain(const player *p)
{
  output_complain("%s: %s", p->asset->name, p->stage.context ? pl_context_message(p->stage.context) : "out of memory");
  return false;
}

static bool is_ignored(const player *p, const char *name)
{
  const text_list *ignore = &p->job->options.ignore;
  for (int i = 0; i < ignore->count; ++i)
    if (fnmatch(ignore->values[i], name, 0) == 0) return true;
  return false;
}

/* Bodies meet themselves, and each other with --between. */
static bool make_scene(player *p)
{
  pl_context *context = p->stage.context;
  bool good = pl_scene_create(context, NULL, &p->scene) == PL_OK && pl_tracker_create(context, &p->tracker) == PL_OK;
  p->asset->body_names = calloc(p->stage.body_count + 1, sizeof *p->asset->body_names);
  good = good && p->asset->body_names;
  for (size_t i = 0; good && i < p->stage.body_count; ++i) {
    const stage_body *b = &p->stage.bodies[i];
    pl_member_def def = pl_member_def_default();
    def.self = true;
    if (!p->job->options.between) def.mask = 0;
    good = (p->asset->body_names[i] = strdup(b->name)) != NULL;
    p->asset->bodies = i + 1;
    if (good && !is_ignored(p, b->name)) good = pl_scene_add(p->scene, b->body, &def) == PL_OK;
  }
  return good || complain(p);
}

static check_finding *finding_of(player *p, uint32_t id, size_t frame)
{
  check_asset *a = p->asset;
  for (size_t i = p->clip; i < a->finding_count; ++i)
    if (a->findings[i].id == id) return &a->findings[i];
  if (a->finding_count == a->finding_room) {
    size_t room = a->finding_room ? 2 * a->finding_room : 16;
    check_finding *moved = realloc(a->findings, room * sizeof *moved);
    if (!moved) return NULL;
    a->findings = moved;
    a->finding_room = room;
  }
  check_finding *f = &a->findings[a->finding_count++];
  *f = (check_finding){.id = id, .first = frame, .worst = frame, .depth = -1};
  return f;
}

static bool add_region(player *p, const pl_region *row, const pl_track *track, const pl_group *group, size_t frame)
{
  check_finding *f = finding_of(p, track->id, frame);
  if (!f) return complain(p);
  f->last = frame;
  f->known = f->known || track->known;
  if (track->known_depth > f->known_depth) f->known_depth = track->known_depth;
  if (!(row->depth > f->depth)) return true;
  f->worst = frame;
  f->depth = row->depth;
  f->length = row->length;
  f->area = row->side[0].area > row->side[1].area ? row->side[0].area : row->side[1].area;
  memcpy(f->at, row->depth > 0 ? row->deepest : row->at, sizeof f->at);
  f->body[0] = stage_number(&p->stage, group->a, 0);
  f->body[1] = stage_number(&p->stage, group->b, 0);
  return true;
}

static bool play_frame(player *p, size_t frame)
{
  double ms;
  const pl_result *found;
  const pl_result *tracks;
  if (!stage_move(&p->stage, frame, &ms)) return false;
  if (pl_regions(pl_all(p->scene), NULL, &found) != PL_OK) return complain(p);
  if (frame == 0 && pl_tracker_set_reference(p->tracker, found) != PL_OK) return complain(p);
  if (pl_tracker_follow(p->tracker, found, &tracks) != PL_OK) return complain(p);
  const stage_input *input = &p->stage.inputs[0];
  if (input->gltf && stage_clip_at(input, frame)->first == frame) p->clip = p->asset->finding_count;
  for (size_t g = 0; g < found->group_count; ++g)
    for (size_t i = found->groups[g].begin; i < found->groups[g].end; ++i)
      if (!add_region(p, &found->regions[i], &tracks->tracks[i], &found->groups[g], frame)) return false;
  return true;
}

/* A body that stands still has the same intersections with itself in all frames: the first one
 * is enough. */
static bool drop_still(player *p)
{
  for (size_t i = 0; i < p->stage.body_count && !p->job->options.between; ++i) {
    const stage_body *b = &p->stage.bodies[i];
    if (b->moves || b->morphs || b->bends || is_ignored(p, b->name)) continue;
    if (pl_scene_remove(p->scene, b->body) != PL_OK) return complain(p);
    for (size_t k = 0; k < p->asset->finding_count; ++k)
      if (p->asset->findings[k].body[0] == i) p->asset->findings[k].last = p->asset->frames - 1;
  }
  return true;
}

bool check_grows(const check_finding *f) { return f->depth > 1.1 * f->known_depth; }

static bool fails(const check_options *o, const check_finding *f)
{
  if (f->depth < o->least_depth || f->area < o->least_area) return false;
  return o->rule == CHECK_ANY || (o->rule == CHECK_NEW && !f->known) ||
         (o->rule == CHECK_GROWING && (!f->known || check_grows(f)));
}

/* Which findings fail, and what their worst frames are called. */
static bool judge(player *p)
{
  check_asset *a = p->asset;
  a->labels = calloc(a->finding_count + 1, sizeof *a->labels);
  if (!a->labels) return complain(p);
  for (size_t i = 0; i < a->finding_count; ++i) {
    char text[STAGE_LABEL];
    a->findings[i].fails = fails(&p->job->options, &a->findings[i]);
    a->failures += a->findings[i].fails;
    a->labels[i] = strdup(stage_label_raw(&p->stage, a->findings[i].worst, text));
    if (!a->labels[i]) return complain(p);
  }
  return true;
}

/* A scene without animations has its rest pose twice: as the reference, and as all there is. */
static size_t frames_of(const stage *s)
{
  const stage_input *input = &s->inputs[0];
  return input->gltf && gltf_animation_count(input->gltf) == 0 ? 1 : s->frame_count;
}

bool check_play(check_job *job, check_asset *asset)
{
  player p = {.job = job, .asset = asset};
  input_list *inputs = calloc(1, sizeof *inputs);
  if (!inputs) return complain(&p);
  inputs->count = 1;
  inputs->values[0] =
      (input_def){.names = asset->files, .count = asset->file_count, .is_gltf = gltf_is_name(asset->name)};
  stage_def def = {.options = job->options.stage,
                   .threads = job->options.threads,
                   .body = pl_body_def_default(),
                   .weld = !job->options.no_weld,
                   .alone = true};
  if (inputs->values[0].is_gltf) { /* the rest pose first: it is what the others are compared with */
    def.options.animation.values[0] = "rest";
    def.options.animation.values[1] = "all";
    def.options.animation.count = 2;
  }
  bool good = stage_open(&p.stage, &def, inputs) && make_scene(&p);
  asset->frames = good ? frames_of(&p.stage) : 0;
  for (size_t i = 0; good && i < asset->frames; ++i) good = play_frame(&p, i) && (i > 0 || drop_still(&p));
  good = good && judge(&p);
  stage_close(&p.stage);
  free(inputs);
  asset->readable = good;
  return good;
}
