/* `pliant info --explain`: what `auto` chooses for a mesh. Each kind of question is asked of a body
 * of its own in the first frames, or in the only one again and again, so that it has learned. */
#include "info/info.h"
#include "pliant/pliant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 6, MOST_RAYS = 16384, POINTS = 64 };
typedef enum asked { ASK_SELF, ASK_POINTS, ASK_FEW_RAYS, ASK_RAYS, ASK_COUNT } asked;
static const char *const names[ASK_COUNT] = {"self", "closest, 64 points", "cast, 100 rays", "cast, 16384 rays"};

/* A place in a box by three of the digits of a number. */
static double part(uint32_t i, uint32_t base)
{
  double x = 0, size = 1;
  for (; i; i /= base) x += (double)(i % base) * (size /= (double)base);
  return x;
}

static pl_status ask(pl_body *body, asked question)
{
  static pl_ray rays[MOST_RAYS];
  static double at[POINTS][3];
  float lower[3], upper[3];
  const pl_result *result;
  if (question == ASK_SELF) return pl_touching(pl_self(body), NULL, &result);
  const size_t count = question == ASK_POINTS ? POINTS : question == ASK_RAYS ? MOST_RAYS : 100;
  pl_status status = pl_body_box(body, lower, upper);
  if (status != PL_OK) return status;
  for (uint32_t i = 0; i < count; ++i) {
    double from[3], along[3];
    for (int k = 0; k < 3; ++k) {
      const double size = fmin(fmax((double)upper[k] - (double)lower[k], 0), 1e30);
      from[k] = (double)lower[k] + size * part(i + 1, k == 0 ? 2 : k == 1 ? 3 : 5);
      along[k] = k == 2 ? -1 : 0.3 * part(i + 1, k == 0 ? 7 : 11);
    }
    if (question == ASK_POINTS) memcpy(at[i], from, sizeof from);
    from[2] = fmin((double)upper[2] + 1, 1e30);
    rays[i] = pl_ray_from(from, along);
  }
  if (question == ASK_POINTS) return pl_closest(pl_one(body), pl_positions_f64(at[0], POINTS), NULL, &result);
  return pl_cast(pl_one(body), rays, count, NULL, &result);
}

static bool play(frames *f, pl_context *context, const pl_body_def *def, asked question, pl_body_info *out)
{
  pl_body *body = NULL;
  io_error error = {{0}};
  const size_t count = f->files.count;
  bool read = true;
  const pl_mesh_def mesh = frames_mesh(f);
  pl_status status = pl_body_create_free(context, &mesh, def, &body);
  for (size_t i = 0; i < FRAMES && status == PL_OK && read; ++i) {
    read = count < 2 || frames_read(f, i % count, &error);
    if (read) status = pl_body_set_positions(body, frames_positions(f));
    if (read && status == PL_OK) status = ask(body, question);
  }
  if (status == PL_OK) status = pl_body_get_info(body, false, out);
  pl_body_destroy(body);
  if (!read) output_complain("%s", error.text);
  if (status != PL_OK) output_complain("%s", pl_context_message(context));
  return read && status == PL_OK;
}

static void put(json *to, const char *name, const pl_body_info *i)
{
  json_open(to, '{');
  json_put_text(to, "question", name);
  json_put_text(to, "choice", i->choice);
  json_put_text(to, "reason", i->reason);
  json_put_real(to, "cost_upper", i->cost_upper);
  json_put_real(to, "cost_none", i->cost_none);
  json_put_real(to, "cost_whole", i->cost_whole);
  if (i->cost_own > 0) json_put_real(to, "cost_own", i->cost_own);
  json_put_whole(to, "demanded", i->demanded);
  json_close(to, '}');
}

enum { OWN_COST = 32 };
/* Of bodies that evaluate their vertices: the cost of volumes from governors. */
static const char *own_cost(const pl_body_info *i, char text[OWN_COST])
{
  text[0] = 0;
  if (i->cost_own > 0) snprintf(text, OWN_COST, ", %.0f", i->cost_own);
  return text;
}

/* A list in an open JSON object (NULL: lines of the summary), of one answer to each question. */
static void put_all(json *out, const pl_body_info *infos, const char *indent)
{
  char own[OWN_COST];
  if (out) json_put_open(out, "explain", '[');
  for (int q = 0; q < ASK_COUNT; ++q) {
    const pl_body_info *i = &infos[q];
    if (out)
      put(out, names[q], i);
    else
      printf("%s%-20s%-6s (%.0f, %.0f, %.0f%s): %s\n", indent, names[q], i->choice, i->cost_upper, i->cost_none,
             i->cost_whole, own_cost(i, own), i->reason);
  }
  if (out) json_close(out, ']');
}

bool info_explain(frames *f, pl_context *context, const pl_body_def *def, json *out)
{
  pl_body_info infos[ASK_COUNT];
  for (int q = 0; q < ASK_COUNT; ++q)
    if (!play(f, context, def, (asked)q, &infos[q])) return false;
  if (!out) printf("  choice of auto        by question: eager pass (cost of upper levels, none, whole tree)\n");
  put_all(out, infos, "    ");
  return true;
}

/* -------------------------------------------------------------------------------------- glTF -- */

struct info_choices {
  size_t count;
  pl_body_info infos[][ASK_COUNT];
};

/* Each question is asked of bodies of its own. */
static bool play_stage(const input_list *inputs, const stage_def *def, asked question, info_choices **out)
{
  stage s;
  double ms;
  bool good = stage_open(&s, def, inputs);
  if (good && !*out) {
    *out = calloc(1, sizeof **out + s.body_count * sizeof(*out)->infos[0]);
    if (*out) (*out)->count = s.body_count;
    if (!*out) output_complain("out of memory");
    good = *out != NULL;
  }
  for (size_t i = 0; good && i < FRAMES; ++i) {
    good = stage_move(&s, s.begin + i % (s.end - s.begin), &ms);
    for (size_t b = 0; good && b < s.body_count; ++b) {
      good = ask(s.bodies[b].body, question) == PL_OK &&
             pl_body_get_info(s.bodies[b].body, false, &(*out)->infos[b][question]) == PL_OK;
      if (!good) output_complain("%s", pl_context_message(s.context));
    }
  }
  stage_close(&s);
  return good;
}

info_choices *info_explain_gltf(const char *path, const gltf_options *how, const pl_body_def *def)
{
  char *name = (char *)(uintptr_t)path;
  input_list inputs = {.count = 1};
  inputs.values[0] = (input_def){.names = &name, .count = 1, .is_gltf = true, .place = pl_transform_identity()};
  const stage_def of = {.options = {.fps = 30,
                                    .animation = {.values = {"all"}, .count = 1},
                                    .scene = how->scene,
                                    .allow_outside = how->allow_outside},
                        .body = *def,
                        .threads = 1,
                        .alone = true};
  info_choices *out = NULL;
  for (int q = 0; q < ASK_COUNT; ++q)
    if (!play_stage(&inputs, &of, (asked)q, &out)) {
      free(out);
      return NULL;
    }
  return out;
}

void info_explain_put(const info_choices *of, size_t body, json *out)
{
  if (body < of->count) put_all(out, of->infos[body], "            ");
}
