/* One asset: its reference pose, then every frame of every animation; regions are followed, and
 * each is one finding. */
#include "check/check.h"
#include "common/output.h"
#include "common/report_inside.h"
#include "io/output.h"

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
  uint32_t *ids;       /* of the tracker, by finding */
  size_t clip;         /* the first finding of the present animation */
  size_t clip_at;      /* and its first frame */
  const char *shot[2]; /* where pictures go */
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

check_clip *check_add_clip(check_asset *a, const char *animation)
{
  check_clip *moved = realloc(a->clips, (a->clip_count + 1) * sizeof *moved);
  if (!moved) return NULL;
  a->clips = moved;
  check_clip *c = &moved[a->clip_count++];
  *c = (check_clip){.animation = strdup(animation)};
  return c->animation ? c : NULL;
}

bool check_clip_add(check_clip *c, double regions, double depth)
{
  if (c->count == c->room) {
    size_t room = 2 * c->room + 32;
    double *more = realloc(c->regions, room * sizeof *more);
    if (more) c->regions = more;
    double *deeper = more ? realloc(c->depth, room * sizeof *deeper) : NULL;
    if (!deeper) return false;
    c->depth = deeper;
    c->room = room;
  }
  c->regions[c->count] = regions;
  c->depth[c->count++] = depth;
  return true;
}

static bool add_frame(player *p, const pl_result *found)
{
  double depth = 0;
  for (size_t i = 0; i < found->count; ++i) depth = found->regions[i].depth > depth ? found->regions[i].depth : depth;
  check_clip *clip = p->asset->clip_count ? &p->asset->clips[p->asset->clip_count - 1] : NULL;
  return (clip && check_clip_add(clip, (double)found->count, depth)) || complain_memory(p);
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
static bool name_sides(player *p, const pl_result *found, const pl_region *row, const pl_group *group, check_finding *f)
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
  f->clip = p->asset->clip_count - 1;
  f->frame = frame;
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
  if (input->gltf ? stage_clip_at(input, frame)->first == frame : frame == 0) {
    p->clip = p->asset->finding_count;
    p->clip_at = frame;
    if (!check_add_clip(p->asset, stage_animation_of(&p->stage, 0, frame))) return complain_memory(p);
  }
  if (!add_frame(p, found)) return false;
  for (size_t g = 0; g < found->group_count; ++g)
    for (size_t i = found->groups[g].begin; i < found->groups[g].end; ++i)
      if (!add_region(p, found, i, &tracks->tracks[i], &found->groups[g], frame)) return false;
  return true;
}

/* A body that does not move has the same intersections with itself in all frames: the first one
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

static bool play(player *p)
{
  check_asset *asset = p->asset;
  asset->metres = p->rules->metres > 0 ? p->rules->metres : p->stage.inputs[0].gltf ? 1 : 0;
  asset->frames = frames_of(&p->stage);
  for (size_t i = 0; i < asset->frames; ++i) {
    if (!play_frame(p, i) || (i == 0 && !drop_still(p))) return false;
    if (!p->job->ticks) continue;
    atomic_fetch_add(&p->job->ticks->frames, 1);
    atomic_store(&p->job->ticks->part, (uint32_t)(1000 * (i + 1) / asset->frames));
  }
  asset->diagonal = check_namer_diagonal(p->namer);
  return true;
}

/* Opens the asset, calls `act`, and closes it. */
static bool visit(player *p, int threads, bool (*act)(player *p))
{
  const check_job *job = p->job;
  const check_asset *asset = p->asset;
  input_list *inputs = calloc(1, sizeof *inputs);
  if (!inputs) return complain_memory(p);
  p->rules = check_rules_of(job, asset);
  inputs->count = 1;
  inputs->values[0] =
      (input_def){.names = asset->files, .count = asset->file_count, .is_gltf = gltf_is_name(asset->name)};
  if (asset->inputs) *inputs = *asset->inputs;
  stage_def def = {.options = job->options.stage,
                   .threads = threads,
                   .body = pl_body_def_default(),
                   .weld = !job->options.no_weld,
                   .alone = inputs->count == 1};
  if (p->rules->fps > 0) def.options.fps = p->rules->fps;
  if (inputs->values[0].is_gltf) { /* the rest pose first: it is what the others are compared with */
    def.options.animation.values[0] = "rest";
    def.options.animation.values[1] = "all";
    def.options.animation.count = 2;
  }
  bool good = stage_open(&p->stage, &def, inputs) && make_scene(p) && act(p);
  check_namer_free(p->namer);
  stage_close(&p->stage);
  free(p->ids);
  free(inputs);
  return good;
}

bool check_play(const check_job *job, check_asset *asset, int threads)
{
  player p = {.job = job, .asset = asset};
  return asset->readable = visit(&p, threads, play);
}

/* ---------------------------------------------------------------------------------- pictures -- */

/* The pairs of triangles of a finding, whose region is the one with its very depth and place. */
static mark *marks_of(player *p, const pl_result *found, const check_finding *f, size_t *count)
{
  mark *marks = malloc((found->parts->pair_count + 1) * sizeof *marks);
  *count = 0;
  for (size_t g = 0; marks && g < found->group_count; ++g)
    for (size_t i = found->groups[g].begin; i < found->groups[g].end; ++i) {
      const pl_region *row = &found->regions[i];
      if (row->depth != f->depth || memcmp(row->depth > 0 ? row->deepest : row->at, f->at, sizeof f->at) != 0) continue;
      uint32_t a = (uint32_t)stage_number(&p->stage, found->groups[g].a, 0);
      uint32_t b = (uint32_t)stage_number(&p->stage, found->groups[g].b, 0);
      for (size_t k = row->pair_begin; k < row->pair_end; ++k)
        marks[(*count)++] = (mark){a, found->parts->pairs[k].a, b, found->parts->pairs[k].b};
    }
  return marks;
}

/* No data: there is no such picture, nor an older one any more. */
static bool save(const char *path, const char *data, size_t size)
{
  io_error error = {""};
  io_output out;
  if (!data) return remove(path), true;
  bool good =
      io_output_open(&out, path, &error) && io_output_close(&out, fwrite(data, 1, size, out.file) == size, &error);
  if (!good) output_complain("%s", error.text);
  return good;
}

static bool paint(player *p)
{
  const check_finding *f = check_worst(p->asset);
  const pl_result *found;
  world_positions where = {0};
  report page = {.def = {.path = p->asset->name, .stage = &p->stage}};
  report_picture picture = {0};
  report_shot shot = {0};
  double ms;
  if (!f || !stage_move(&p->stage, f->frame, &ms)) return false;
  if (pl_regions(pl_all(p->scene), NULL, &found) != PL_OK) return complain(p);
  mark *marks = marks_of(p, found, f, &shot.count);
  shot.marks = marks;
  bool good = (marks || complain_memory(p)) && world_positions_create(&where, &p->stage) &&
              report_paint(&page, &picture, &shot, &where) && save(p->shot[0], picture.whole, picture.whole_size) &&
              save(p->shot[1], picture.near, picture.near_size);
  world_positions_free(&where);
  free(picture.whole);
  free(picture.near);
  free(marks);
  return good;
}

bool check_paint(const check_job *job, check_asset *asset, int threads, const char *whole, const char *near)
{
  check_asset copy = *asset; /* counts of bodies are known already */
  player p = {.job = job, .asset = &copy, .shot = {whole, near}};
  return visit(&p, threads, paint);
}
