/* What was found in an asset as lines of text: what workers hand to the command, what --resume
 * keeps, and what the parts of --shard have. Verdicts are not in it, so that rules may change.
 *
 *   asset KEY readable unchecked frames bodies ignored triangles diagonal metres =NAME
 *   message =TEXT
 *   clip =ANIMATION regions depth regions depth ...                            (of each frame)
 *   finding first last worst clip frame always at_rest depth area length x y z rest_depth
 *           =ANIMATION =LABEL
 *   side share primitive part parts x y z =BODY =MESH =BONE =MATERIAL          (twice)
 *   end */
#include "check/check.h"
#include "common/output.h"
#include "common/shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_side(FILE *file, const check_side *s)
{
  fputs("side", file);
  check_put_real(file, s->share);
  check_put_whole(file, s->primitive);
  check_put_whole(file, s->part);
  check_put_whole(file, s->parts);
  for (int k = 0; k < 3; ++k) check_put_real(file, s->rest[k]);
  check_put_text(file, s->body);
  check_put_text(file, s->mesh);
  check_put_text(file, s->bone);
  check_put_text(file, s->material);
  fputc('\n', file);
}

static void put_finding(FILE *file, const check_finding *f)
{
  fputs("finding", file);
  check_put_whole(file, f->first);
  check_put_whole(file, f->last);
  check_put_whole(file, f->worst);
  check_put_whole(file, f->clip);
  check_put_whole(file, f->frame);
  check_put_whole(file, f->always);
  check_put_whole(file, f->at_rest);
  check_put_real(file, f->depth);
  check_put_real(file, f->area);
  check_put_real(file, f->length);
  for (int k = 0; k < 3; ++k) check_put_real(file, f->at[k]);
  check_put_real(file, f->rest_depth);
  check_put_text(file, f->animation);
  check_put_text(file, f->label);
  fputc('\n', file);
  for (int i = 0; i < 2; ++i) put_side(file, &f->side[i]);
}

static void put_clip(FILE *file, const check_clip *c)
{
  fputs("clip", file);
  check_put_text(file, c->animation);
  for (size_t i = 0; i < c->count; ++i) {
    check_put_real(file, c->regions[i]);
    check_put_real(file, c->depth[i]);
  }
  fputc('\n', file);
}

void check_record_write(FILE *file, const check_asset *a, uint64_t key)
{
  fprintf(file, "asset %016" PRIx64, key);
  check_put_whole(file, a->readable);
  check_put_whole(file, a->unchecked);
  check_put_whole(file, a->frames);
  check_put_whole(file, a->bodies);
  check_put_whole(file, a->ignored_bodies);
  check_put_whole(file, a->triangles);
  check_put_real(file, a->diagonal);
  check_put_real(file, a->metres);
  check_put_text(file, a->name);
  fputc('\n', file);
  if (a->messages) {
    fputs("message", file);
    check_put_text(file, a->messages);
    fputc('\n', file);
  }
  for (size_t i = 0; i < a->clip_count && a->readable; ++i) put_clip(file, &a->clips[i]);
  for (size_t i = 0; i < a->finding_count && a->readable; ++i) put_finding(file, &a->findings[i]);
  fputs("end\n", file);
}

/* -------------------------------------------------------------------------------------- back -- */

static bool take_flag(char **at, bool *out)
{
  size_t value;
  if (!check_take_whole(at, &value) || value > 1) return false;
  *out = value;
  return true;
}

static bool take_small(char **at, uint32_t *out)
{
  size_t value;
  if (!check_take_whole(at, &value) || value > UINT32_MAX) return false;
  *out = (uint32_t)value;
  return true;
}

static bool take_point(char **at, double out[3])
{
  return check_take_real(at, &out[0]) && check_take_real(at, &out[1]) && check_take_real(at, &out[2]);
}

static bool take_head(check_asset *a, char *at)
{
  char *name = NULL;
  strtoull(at, &at, 16); /* the key is the caller's */
  bool good = take_flag(&at, &a->readable) && check_take_whole(&at, &a->unchecked) &&
              check_take_whole(&at, &a->frames) && check_take_whole(&at, &a->bodies) &&
              check_take_whole(&at, &a->ignored_bodies) && check_take_whole(&at, &a->triangles) &&
              check_take_real(&at, &a->diagonal) && check_take_real(&at, &a->metres) && check_take_text(&at, &name) &&
              strcmp(name, a->name) == 0;
  free(name);
  return good;
}

static bool take_side(check_finding *f, char *at)
{
  check_side *s = &f->side[f->side[0].body ? 1 : 0];
  return !s->body && check_take_real(&at, &s->share) && take_small(&at, &s->primitive) && take_small(&at, &s->part) &&
         take_small(&at, &s->parts) && take_point(&at, s->rest) && check_take_text(&at, &s->body) &&
         check_take_text(&at, &s->mesh) && check_take_text(&at, &s->bone) && check_take_text(&at, &s->material);
}

static bool take_finding(check_asset *a, char *at)
{
  check_finding *f = check_add_finding(a);
  return f && check_take_whole(&at, &f->first) && check_take_whole(&at, &f->last) && check_take_whole(&at, &f->worst) &&
         check_take_whole(&at, &f->clip) && check_take_whole(&at, &f->frame) && take_flag(&at, &f->always) &&
         take_flag(&at, &f->at_rest) && check_take_real(&at, &f->depth) && check_take_real(&at, &f->area) &&
         check_take_real(&at, &f->length) && take_point(&at, f->at) && check_take_real(&at, &f->rest_depth) &&
         check_take_text(&at, &f->animation) && check_take_text(&at, &f->label);
}

static bool take_clip(check_asset *a, char *at)
{
  char *name = NULL;
  double regions, depth;
  check_clip *clip = check_take_text(&at, &name) ? check_add_clip(a, name) : NULL;
  free(name);
  if (!clip) return false;
  while (check_take_real(&at, &regions))
    if (!check_take_real(&at, &depth) || !check_clip_add(clip, regions, depth)) return false;
  return true;
}

/* All sides of all findings are there. */
static bool is_whole(const check_asset *a)
{
  for (size_t i = 0; i < a->finding_count; ++i)
    if (!a->findings[i].side[1].material || a->findings[i].clip >= a->clip_count) return false;
  return true;
}

int check_record_take(check_asset *a, char *line)
{
  char *at = line;
  if (check_take_word(&at, "asset")) return take_head(a, at) ? 0 : -1;
  if (check_take_word(&at, "message")) return check_take_text(&at, &a->messages) ? 0 : -1;
  if (check_take_word(&at, "clip")) return take_clip(a, at) ? 0 : -1;
  if (check_take_word(&at, "finding")) return take_finding(a, at) ? 0 : -1;
  if (check_take_word(&at, "side"))
    return a->finding_count && take_side(&a->findings[a->finding_count - 1], at) ? 0 : -1;
  if (!check_take_word(&at, "end") || !is_whole(a)) return -1;
  return a->done = true, 1;
}

/* --------------------------------------------------------------------------------------- key -- */

static uint64_t hash_text(uint64_t hash, const char *text) { return shard_hash(hash, text, strlen(text) + 1); }

static uint64_t hash_file(uint64_t hash, const char *path)
{
  struct stat about;
  hash = hash_text(hash, path);
  if (stat(path, &about) != 0) return hash;
  uint64_t facts[3] = {(uint64_t)about.st_size, (uint64_t)about.st_mtim.tv_sec, (uint64_t)about.st_mtim.tv_nsec};
  return shard_hash(hash, facts, sizeof facts);
}

uint64_t check_key(const check_job *job, const check_asset *a)
{
  const check_rules *r = check_rules_of(job, a);
  const check_options *o = &job->options;
  double numbers[] = {r->fps, r->metres, o->stage.fps, o->no_weld, r->between, o->stage.allow_outside, a->file_count};
  uint64_t hash = hash_text(SHARD_HASH_BEGIN, pl_version());
  hash = shard_hash(hash, numbers, sizeof numbers);
  hash = hash_text(hash, o->stage.scene ? o->stage.scene : "");
  for (int i = 0; i < r->ignore.count; ++i) hash = hash_text(hash, r->ignore.values[i]);
  for (int i = 0; i < a->file_count; ++i) hash = hash_file(hash, a->files[i]);
  return hash;
}
