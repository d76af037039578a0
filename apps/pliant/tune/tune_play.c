/* The scene of a search: all frames in memory, so that a run measures pliant and not the disk. */
#include "common/output.h"
#include "common/progress.h"
#include "scenes/ask.h"
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool load_side(tune_part *p, int i)
{
  frames *f = &p->files[i];
  tune_side *side = &p->side[i];
  side->mesh = frames_mesh(f);
  side->still = frames_still(f);
  size_t scalar = side->mesh.positions.type == PL_F32 ? sizeof(float) : sizeof(double);
  size_t count = side->still ? 1 : p->frame_count, begin = side->still ? 0 : p->begin;
  side->frame_bytes = 3 * f->vertex_count * scalar;
  side->xyz =
      side->frame_bytes > 0 && count > SIZE_MAX / side->frame_bytes ? NULL : malloc(count * side->frame_bytes + 1);
  if (!side->xyz) {
    output_complain("%s: out of memory for %zu frames at once, which a search needs; choose fewer with --frames",
                    frames_path(f, 0), count);
    return false;
  }
  for (size_t k = 0; k < count; ++k) {
    io_error error;
    if (begin + k > 0 && !frames_read(f, begin + k, &error)) {
      output_complain("%s", error.text);
      return false;
    }
    pl_positions now = frames_positions(f);
    if (now.type != side->mesh.positions.type) {
      output_complain("%s: frame %zu has other numbers (float or double) than frame 0; try --float",
                      frames_path(f, begin + k), begin + k);
      return false;
    }
    memcpy(side->xyz + k * side->frame_bytes, now.data, side->frame_bytes);
  }
  side->mesh.positions.data = side->xyz;
  side->mesh.triangles = f->triangles;
  return true;
}

bool tune_scene_load(tune_scene *s)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  if (pl_context_create(&def, &s->context) != PL_OK) return output_complain("out of memory"), false;
  progress bar = progress_begin("files", 2 * s->frame_count, false);
  bool ok = true;
  size_t done = 0;
  for (size_t k = 0; k < s->part_count; ++k)
    for (int i = 0; i < 2 && ok; ++i) {
      ok = load_side(&s->parts[k], i);
      progress_step(&bar, done += s->parts[k].frame_count);
    }
  progress_end(&bar);
  return ok;
}

void tune_scene_free(tune_scene *s)
{
  pl_context_destroy(s->context);
  for (size_t k = 0; k < s->part_count; ++k)
    for (int i = 0; i < 2; ++i) {
      free(s->parts[k].side[i].xyz);
      frames_close(&s->parts[k].files[i]);
    }
  free(s->parts);
  *s = (tune_scene){0};
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

uint64_t tune_scene_hash(const tune_scene *s)
{
  uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)s->query;
  for (size_t k = 0; k < s->part_count; ++k)
    for (int i = 0; i < 2; ++i) {
      const tune_side *side = &s->parts[k].side[i];
      hash = hash_bytes(hash, side->mesh.triangles, 3 * side->mesh.triangle_count * sizeof(uint32_t));
      hash = hash_bytes(hash, side->xyz, (side->still ? 1 : s->parts[k].frame_count) * side->frame_bytes);
    }
  return hash;
}

/* -------------------------------------------------------------------------------------- play -- */

static bool move_frame(const tune_part *p, pl_body *const bodies[2], size_t frame, tune_mode mode)
{
  for (int i = 0; i < 2; ++i) {
    const tune_side *side = &p->side[i];
    if (side->still || frame == 0) continue;
    pl_positions now = side->mesh.positions;
    now.data = side->xyz + frame * side->frame_bytes;
    if (pl_body_set_positions(bodies[i], now) != PL_OK) return false;
    if (mode == TUNE_UPDATE && pl_body_update(bodies[i], NULL) != PL_OK) return false;
  }
  return true;
}

static bool ask_frame(const tune_scene *s, pl_body *const bodies[2], tune_mode mode, pl_counters *counters)
{
  *counters = (pl_counters){0};
  if (mode == TUNE_UPDATE) return true;
  if (s->query == TUNE_DISTANCE) {
    least_row distance;
    pl_question def = pl_question_default();
    def.relative = mode == TUNE_SHORT;
    if (ask_least(pl_two(bodies[0], bodies[1]), &def, &distance) != PL_OK) return false;
    *counters = distance.counters;
    return true;
  }
  const pl_result *pairs;
  pl_question def = pl_question_default();
  def.first = mode == TUNE_SHORT;
  if (pl_touching(pl_two(bodies[0], bodies[1]), &def, &pairs) != PL_OK) return false;
  *counters = pairs->counters;
  return true;
}

/* Processor time: what other programs do meanwhile is not counted. */
static double clock_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

double tune_score(const tune_costs *costs, const tune_counts *counts)
{
  return costs->v * counts->n_v + costs->p * counts->n_p + costs->u * counts->n_u + costs->frame * counts->frames;
}

/* Adds to *out. *ended: by the limit. */
static bool play_part(tune_scene *s, const tune_part *p, double weight, const pl_body_def *def, tune_mode mode,
                      const tune_limit *limit, tune_counts *out, bool *ended)
{
  pl_body *bodies[2] = {NULL, NULL};
  bool ok = pl_body_create_free(s->context, &p->side[0].mesh, def, &bodies[0]) == PL_OK &&
            pl_body_create_free(s->context, &p->side[1].mesh, def, &bodies[1]) == PL_OK &&
            pl_body_update(bodies[0], NULL) == PL_OK && pl_body_update(bodies[1], NULL) == PL_OK; /* as if long there */
  double begin = clock_ms();
  for (size_t f = 0; f < p->frame_count && ok && !*ended; ++f) {
    pl_counters counters;
    ok = move_frame(p, bodies, f, mode) && ask_frame(s, bodies, mode, &counters);
    if (!ok) break;
    out->n_v += weight * (double)counters.n_v;
    out->n_p += weight * (double)counters.n_p;
    out->n_u += weight * (double)counters.n_u;
    out->ms_query += weight * counters.ms_query;
    out->frames += weight;
    *ended = limit && tune_score(&limit->costs, out) > limit->most;
  }
  out->ms += weight * (clock_ms() - begin);
  if (!ok) output_complain("%s", pl_context_message(s->context));
  for (int i = 0; i < 2; ++i) pl_body_destroy(bodies[i]);
  return ok;
}

bool tune_play(tune_scene *s, const pl_body_def *def, tune_mode mode, const tune_limit *limit, tune_counts *out)
{
  *out = (tune_counts){0};
  bool ended = false;
  for (size_t k = 0; k < s->part_count && !ended; ++k)
    if (!play_part(s, &s->parts[k], s->parts[k].weight, def, mode, limit, out, &ended)) return false;
  return true;
}

bool tune_play_part(tune_scene *s, size_t part, const pl_body_def *def, tune_counts *out)
{
  bool ended = false;
  *out = (tune_counts){0};
  return play_part(s, &s->parts[part], 1, def, TUNE_FULL, NULL, out, &ended);
}

bool tune_scene_weigh(tune_scene *s, const pl_body_def *base, const tune_costs *costs)
{
  double mean = 0;
  for (size_t k = 0; k < s->part_count && s->part_count > 1; ++k) {
    tune_counts counts;
    if (!tune_play_part(s, k, base, &counts)) return false;
    s->parts[k].weight = fmax(tune_score(costs, &counts), 1);
    mean += s->parts[k].weight / (double)s->part_count;
  }
  s->weighted = 0;
  for (size_t k = 0; k < s->part_count; ++k) {
    tune_part *p = &s->parts[k];
    p->weight = s->part_count > 1 ? mean / p->weight : 1;
    s->weighted += p->weight * (double)p->frame_count;
  }
  return true;
}
