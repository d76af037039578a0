/* Players: bodies of one method, one step after the other, timed. With one thread the clock is
 * processor time, which other programs on the machine do not inflate by preemption; with more it
 * is wall time. A reading costs under a microsecond, and there are four of them per step. */
#include "bench/play.h"

#include "bench/answer.h"
#include "bench/blend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------------- open, close -- */

static bool fail_status(bench_play *play, const bench_method *method)
{
  return bench_fail(play->report, "%s: %s", method->title, pl_context_message(play->context));
}

static const float *stored_pose(const bench_play *play, const bench_method *method, int frame, int body)
{
  const bench_poses *p = play->poses;
  return p->xyz[bench_method_is_model(method)] + (size_t)frame * p->begin[p->bodies] + p->begin[body];
}

/* Free bodies of a morphing scene are blended, as their owner would; morphing ones need no
 * positions. */
static void blend_pose(bench_play *play, bench_player *player, int frame)
{
  const bench_poses *p = play->poses;
  for (int b = 0; !bench_method_morphs(player->method) && b < p->bodies; ++b)
    bench_blend(&play->cast->shape, &p->morphs[frame * p->bodies + b], player->xyz[b]);
}

static void copy_pose(bench_play *play, bench_player *player, int frame)
{
  const bench_poses *p = play->poses;
  if (p->morphs) {
    blend_pose(play, player, frame);
    return;
  }
  for (int b = 0; b < p->bodies; ++b)
    memcpy(player->xyz[b], stored_pose(play, player->method, frame, b),
           (p->begin[b + 1] - p->begin[b]) * sizeof(float));
}

static pl_status create_morph(bench_play *play, bench_player *player, const pl_mesh_def *mesh, int b)
{
  const morph_mesh *shape = &play->cast->shape;
  pl_positions references[MORPH_REFERENCES];
  for (int r = 0; r < shape->reference_count; ++r)
    references[r] = pl_positions_f32(shape->references[r], shape->vertex_count);
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = shape->reference_count;
  morph.inbetweens = play->cast->inbetweens ? play->cast->inbetweens[player - play->players] : 0;
  return pl_body_create_morph(play->context, mesh, &morph, &player->method->body, &player->bodies[b]);
}

static pl_status create_free(bench_play *play, bench_player *player, pl_mesh_def *mesh, int b)
{
  pl_body_def def = player->method->body;
  def.borrow = true;
  mesh->positions = pl_positions_f32(player->xyz[b], play->cast->meshes[b].vertex_count);
  return pl_body_create_free(play->context, mesh, &def, &player->bodies[b]);
}

static bool make_body(bench_play *play, bench_player *player, int b)
{
  const scene_mesh *source = &play->cast->meshes[b];
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = play->poses->morphs ? play->cast->shape.triangles : source->triangles;
  mesh.triangle_count = source->triangle_count;
  bool morphs = bench_method_morphs(player->method);
  if ((morphs ? create_morph(play, player, &mesh, b) : create_free(play, player, &mesh, b)) != PL_OK)
    return fail_status(play, player->method);
  if (player->scene && pl_scene_add(player->scene, player->bodies[b], NULL) != PL_OK)
    return fail_status(play, player->method);
  return true;
}

static bool open_player(bench_play *play, bench_player *player, const bench_method *method)
{
  const bench_poses *p = play->poses;
  size_t bodies = (size_t)p->bodies;
  player->method = method;
  player->bodies = calloc(bodies, sizeof *player->bodies);
  player->xyz = calloc(bodies, sizeof *player->xyz);
  bool ok = player->bodies && player->xyz;
  for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) {
    player->frames[mode] = calloc((size_t)p->frames, sizeof **player->frames);
    ok = ok && player->frames[mode];
  }
  for (size_t b = 0; ok && b < bodies; ++b) {
    player->xyz[b] = malloc((p->begin[b + 1] - p->begin[b] + 1) * sizeof(float));
    ok = player->xyz[b] != NULL;
  }
  if (!ok) return bench_fail(play->report, "out of memory; try --steps-stride 10");
  if (play->use_scene && pl_scene_create(play->context, NULL, &player->scene) != PL_OK)
    return fail_status(play, method);
  copy_pose(play, player, 0);
  for (int b = 0; b < p->bodies; ++b)
    if (!make_body(play, player, b)) return false;
  return true;
}

bool bench_play_open(bench_play *play, const bench_options *options, bench_report *report, bench_cast *cast,
                     const bench_poses *poses, const bench_method *methods, int count, bool use_scene)
{
  *play = (bench_play){.report = report, .cast = cast, .poses = poses, .use_scene = use_scene};
  report->compared.played = poses->frames;
  pl_context_def def = pl_context_def_default();
  def.threads = options->threads ? options->threads : 1;
  pl_status status = pl_context_create(&def, &play->context);
  if (status != PL_OK) return bench_fail(report, "no context: %s", pl_status_text(status));
  /* the last has no method: an end for close */
  play->players = calloc((size_t)count + 1, sizeof *play->players);
  if (!play->players) return bench_fail(report, "out of memory");
  for (play->count = 0; play->count < count; ++play->count) {
    bench_progress(report, "%s: building the trees of %s", report->experiment, methods[play->count].title);
    if (!open_player(play, &play->players[play->count], &methods[play->count])) return false;
  }
  return true;
}

void bench_play_close(bench_play *play)
{
  pl_context_destroy(play->context); /* first: it reads the arrays */
  for (bench_player *player = play->players; player && player->method; ++player) {
    for (int b = 0; player->xyz && b < play->poses->bodies; ++b) free(player->xyz[b]);
    for (int mode = 0; mode < BENCH_MODE_COUNT; ++mode) free(player->frames[mode]);
    free(player->xyz);
    free(player->bodies);
  }
  free(play->players);
  *play = (bench_play){0};
}

/* -------------------------------------------------------------------------------------- play -- */

double bench_clock_ms(const bench_play *play)
{
  struct timespec t;
  clock_gettime(pl_context_threads(play->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* New positions for all bodies, and the volumes that the strategy refreshes before a query. */
static pl_status update(bench_play *play, bench_player *player, int frame, uint64_t *n_u)
{
  const bench_poses *p = play->poses;
  *n_u = 0;
  for (int b = 0; b < p->bodies; ++b) {
    pl_counters counters = {0};
    size_t vertices = (p->begin[b + 1] - p->begin[b]) / 3;
    pl_status s =
        bench_method_morphs(player->method)
            ? pl_body_set_weights(player->bodies[b], p->morphs[frame * p->bodies + b].weight, MORPH_REFERENCES)
            : pl_body_set_positions(player->bodies[b], pl_positions_f32(player->xyz[b], vertices));
    if (s == PL_OK && bench_method_is_model(player->method))
      s = pl_body_set_transform(player->bodies[b], &p->placements[frame * p->bodies + b]);
    if (s == PL_OK) s = pl_body_update(player->bodies[b], &counters);
    if (s != PL_OK) return s;
    *n_u += counters.n_u;
  }
  return PL_OK;
}

static double smaller(double a, double b) { return a < b ? a : b; }

static bool play_frame(bench_play *play, bench_player *player, bench_mode mode, int frame, bool first_time)
{
  bench_frame *result = &player->frames[mode][frame];
  bench_answer answer;
  uint64_t n_u;
  double before = bench_clock_ms(play);
  copy_pose(play, player, frame);
  double start = bench_clock_ms(play);
  double blend = play->poses->morphs && !bench_method_morphs(player->method) ? start - before : 0;
  pl_status status = update(play, player, frame, &n_u);
  double middle = bench_clock_ms(play);
  if (status == PL_OK) status = bench_ask(player, mode, false, &answer);
  double end = bench_clock_ms(play);
  if (status != PL_OK) return fail_status(play, player->method);

  const pl_counters *c = bench_answer_counters(&answer);
  *result = (bench_frame){
      .ms_blend = first_time ? blend : smaller(result->ms_blend, blend),
      .ms_update = first_time ? middle - start : smaller(result->ms_update, middle - start),
      .ms_query = first_time ? end - middle : smaller(result->ms_query, end - middle),
      .n_v = c->n_v,
      .n_p = c->n_p,
      .n_u = n_u + c->n_u,
      .pairs = bench_answer_count(&answer),
      .touching = bench_answer_touching(&answer),
  };
  return true;
}

/* The first step twice: the caches are full of the method before. */
static bool play_pass(bench_play *play, int i, bench_mode mode, bool first_time)
{
  if (!play_frame(play, &play->players[i], mode, 0, first_time)) return false;
  for (int f = 0; f < play->poses->frames; ++f)
    if (!play_frame(play, &play->players[i], mode, f, first_time)) return false;
  return true;
}

bool bench_play_set(bench_play *play, int player, int frame)
{
  uint64_t n_u;
  copy_pose(play, &play->players[player], frame);
  if (update(play, &play->players[player], frame, &n_u) == PL_OK) return true;
  return fail_status(play, play->players[player].method);
}

/* Players of one space see the same numbers, so they must count the same. */
static bool compare_counts(const bench_play *play, bench_mode mode)
{
  for (int i = 0; i < play->count; ++i) {
    const bench_player *p = &play->players[i], *q = p;
    for (int k = i; k >= 0; --k)
      if (bench_method_is_model(play->players[k].method) == bench_method_is_model(p->method)) q = &play->players[k];
    for (int f = 0; f < play->poses->frames; ++f) {
      const bench_frame *a = &p->frames[mode][f], *b = &q->frames[mode][f], *all = &p->frames[BENCH_ALL][f];
      bool same = a->pairs == b->pairs && a->touching == b->touching;
      if (mode == BENCH_FIRST && play->played[BENCH_ALL]) same = same && a->pairs == all->touching;
      if (!same)
        return bench_fail(play->report, "step %d, %s: %s finds %zu, %s finds %zu; please report this",
                          play->poses->steps[f], bench_mode_text(mode), p->method->title, a->pairs, q->method->title,
                          b->pairs);
      if (p != q)
        bench_compared(&play->report->compared, mode == BENCH_ALL ? "number of pairs" : "number of first pairs",
                       "the first method's", play->poses->steps[f], 1);
    }
  }
  return true;
}

bool bench_play_run(bench_play *play, bench_mode mode, int reps)
{
  for (int r = 0; r < reps; ++r)
    for (int i = 0; i < play->count; ++i) {
      bench_progress(play->report, "%s: %s, repeat %d of %d: %s", play->report->experiment, bench_mode_text(mode),
                     r + 1, reps, play->players[i].method->title);
      if (!play_pass(play, i, mode, r == 0)) return false;
    }
  play->played[mode] = true;
  return compare_counts(play, mode);
}

bool bench_play_scout(bench_play *play, int player) { return play_pass(play, player, BENCH_ALL, true); }
