/* Inputs become bodies with different names; a frame is brought to all that move. */
#include "common/stage.h"

#include "common/command.h"
#include "common/frame_range.h"
#include "common/output.h"
#include "common/progress.h"
#include "io/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const gaps_words[] = {"skip", "stop", "refuse", NULL};

#define AT(member) .offset = offsetof(stage_options, member)

const option stage_scene_table[STAGE_SCENE_OPTIONS] = {
    {.name = "fps",
     .kind = OPTION_REAL,
     AT(fps),
     .value = "N",
     .low = 1e-6,
     .high = 1e6,
     .help = "frames per second of the animation, 30 if not given"},
    {.name = "animation",
     .letter = 'a',
     .kind = OPTION_LIST,
     AT(animation),
     .value = "NAME|N|all|rest",
     .help = "which animation, by name or number from 0, all, or none (rest); may be repeated; several are played one "
             "after the other; the first if not given"},
    {.name = "scene",
     .kind = OPTION_TEXT,
     AT(scene),
     .value = "NAME|N",
     .help = "which scene of the file, by name or number from 0; the file's default one if not given"},
    {.name = "allow-outside",
     .kind = OPTION_FLAG,
     AT(allow_outside),
     .help = "also read files that a .gltf names outside its folder; only for scenes that you trust"},
};

const option stage_files_table[STAGE_FILES_OPTIONS] = {
    {.name = "frames",
     .letter = 'f',
     .kind = OPTION_TEXT,
     AT(frames),
     .value = "A..B",
     .help = "only frames A to B, counted from 0; A alone is one frame, A.. goes to the end"},
    {.name = "gaps",
     .kind = OPTION_WORD,
     AT(gaps),
     .words = gaps_words,
     .help = "how to treat a missing frame number: the next file is the next frame (skip, the default), the sequence "
             "ends there (stop), or it is an error (refuse)"},
    {.name = "split-groups", .kind = OPTION_FLAG, AT(split), .help = "every group (g, o) of an OBJ file is a body"},
    {.name = "allow-unchecked",
     .kind = OPTION_FLAG,
     AT(allow_unchecked),
     .help = "exit code 0 even if something was left out, such as a second animation; otherwise that is an error if "
             "the exit code reports contact"},
};

/* ----------------------------------------------------------------------------------- options -- */

static int refuse_files(const char *command, const char *name)
{
  return options_refuse(command, "--%s is for a glTF scene (.glb, .gltf), and none was given", name);
}

int stage_options_check(const stage_options *o, const char *command, const input_list *inputs)
{
  frame_range range;
  int code = frame_range_parse(command, o->frames, &range);
  if (code != OPTIONS_GO_ON) return code;
  bool gltf = inputs_have_gltf(inputs), files = false;
  for (int i = 0; i < inputs->count; ++i) files = files || !inputs->values[i].is_gltf;
  if (!files && o->rounded)
    return options_refuse(command, "--float is for mesh files: a glTF scene is moved in double");
  if (!files && o->split)
    return options_refuse(command, "--split-groups is for OBJ files: every node of a glTF scene is a body already");
  if (gltf) return OPTIONS_GO_ON;
  if (o->fps > 0) return refuse_files(command, "fps");
  if (o->scene) return refuse_files(command, "scene");
  if (o->animation.count) return refuse_files(command, "animation");
  if (o->allow_outside) return refuse_files(command, "allow-outside");
  return OPTIONS_GO_ON;
}

/* ------------------------------------------------------------------------------------ bodies -- */

static bool complain_memory(const char *what)
{
  output_complain("%s: out of memory", what);
  return false;
}

stage_body *stage_add(stage *s, stage_input *input, const char *name)
{
  if ((s->body_count & (s->body_count - 1)) == 0) {
    stage_body *moved = realloc(s->bodies, (s->body_count ? 2 * s->body_count : 1) * sizeof *moved);
    if (!moved) return complain_memory(name), NULL;
    s->bodies = moved;
  }
  stage_body *body = &s->bodies[s->body_count];
  *body = (stage_body){.name = strdup(name), .input = (size_t)(input - s->inputs), .part = input->count};
  if (!body->name) return complain_memory(name), NULL;
  body->at = pl_transform_identity();
  ++s->body_count;
  ++input->count;
  return body;
}

bool stage_weld_begin(stage_body *body)
{
  body->welded_triangles = malloc((3 * body->triangle_count + 1) * sizeof *body->welded_triangles);
  return body->welded_triangles != NULL;
}

void stage_weld_end(stage_body *body, const uint32_t *map)
{
  body->file_triangles = body->triangles;
  body->triangles = body->welded_triangles;
  for (size_t v = 0; v < body->vertex_count; ++v) body->welded += map[v] != v;
}

typedef struct named {
  const char *name;
  size_t body;
} named;

static int compare_named(const void *a, const void *b)
{
  const named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->body > y->body) - (x->body < y->body);
}

/* Bodies with the same name get the name of their file in front, or their number behind. false:
 * out of memory. */
static bool rename_same(stage *s, named *list, bool with_file, bool *found)
{
  for (size_t i = 0; i < s->body_count; ++i) list[i] = (named){s->bodies[i].name, i};
  qsort(list, s->body_count, sizeof *list, compare_named);
  *found = false;
  for (size_t i = 0, end; i < s->body_count; i = end) {
    for (end = i + 1; end < s->body_count && strcmp(list[i].name, list[end].name) == 0;) ++end;
    if (end == i + 1) continue;
    *found = true;
    for (size_t k = with_file ? i : i + 1; k < end; ++k) {
      stage_body *body = &s->bodies[list[k].body];
      const char *file = s->inputs[body->input].def.names[0];
      size_t room = strlen(body->name) + strlen(file) + 32;
      char *name = malloc(room);
      if (!name) return false;
      if (with_file)
        snprintf(name, room, "%s:%s", file, body->name);
      else
        snprintf(name, room, "%s (%zu)", body->name, list[k].body);
      list[k].name = ""; /* the old one ends here */
      free(body->name);
      body->name = name;
    }
  }
  return true;
}

static bool make_names_different(stage *s)
{
  named *list = malloc(s->body_count * sizeof *list);
  bool found = true, good = list != NULL;
  if (good) good = rename_same(s, list, true, &found);
  while (good && found) good = rename_same(s, list, false, &found);
  free(list);
  return good || complain_memory(s->inputs[0].def.names[0]);
}

/* -------------------------------------------------------------------------------------- open -- */

static bool make_context(stage *s)
{
  s->context = s->def.context;
  if (s->context) return true;
  pl_context_def def = pl_context_def_default();
  def.threads = s->def.threads;
  pl_status status = pl_context_create(&def, &s->context);
  if (status == PL_OK) return true;
  output_complain("%s", pl_status_text(status));
  return false;
}

/* The shortest of those that move; the longest if each body is on its own. */
static void count_frames(stage *s)
{
  const stage_input *first = NULL;
  s->frame_count = 1;
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    if (input->frame_count <= 1) continue;
    s->shortened = !s->def.alone && (s->shortened || (first && input->frame_count != s->frame_count));
    bool shorter = input->frame_count < s->frame_count;
    if (!first || shorter != s->def.alone) s->frame_count = input->frame_count;
    if (!first) first = input;
  }
}

/* Where each body is on its own, a range may be beyond the end of an input. */
static void note_missed(const stage *s)
{
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    if (input->frame_count > 1 && input->frame_count <= s->begin)
      output_unchecked("%s has %zu frames: it was not checked, as only frames %zu to %zu were chosen",
                       input->def.names[0], input->frame_count, s->begin, s->end - 1);
  }
}

/* "A has 12 frames and B has 3", or names of files where there are no sides. */
enum { LENGTHS_TEXT = 1000 };
static const char *tell_lengths(const stage *s, char text[LENGTHS_TEXT])
{
  size_t used = 0;
  for (size_t i = 0; i < s->input_count && used + 300 < LENGTHS_TEXT; ++i) {
    const stage_input *input = &s->inputs[i];
    char name[200] = {"AB"[i & 1]};
    if (input->frame_count <= 1) continue;
    if (s->input_count != 2) io_show_into(name, sizeof name, input->def.names[0]);
    used += (size_t)snprintf(text + used, LENGTHS_TEXT - used, "%s%s has %zu%s", used ? " and " : "", name,
                             input->frame_count, used ? "" : " frames");
  }
  return text;
}

static bool open_inputs(stage *s, const input_list *inputs)
{
  s->inputs = calloc((size_t)inputs->count, sizeof *s->inputs);
  if (!s->inputs) return complain_memory(inputs->values[0].names[0]);
  for (int i = 0; i < inputs->count; ++i) {
    stage_input *input = &s->inputs[s->input_count++];
    input->def = inputs->values[i];
    if (!(input->def.is_gltf ? stage_gltf_open(s, input) : stage_files_open(s, input))) return false;
  }
  count_frames(s);
  char text[LENGTHS_TEXT];
  if (!frame_range_choose(s->def.options.frames, s->frame_count, &s->begin, &s->end)) return false;
  s->first = s->begin;
  if (s->shortened && s->end == s->frame_count)
    output_unchecked("%s: only frames 0 to %zu were checked", tell_lengths(s, text), s->frame_count - 1);
  note_missed(s);
  return true;
}

static bool make_bodies(stage *s)
{
  for (size_t i = 0; i < s->input_count; ++i) {
    stage_input *input = &s->inputs[i];
    input->first = s->body_count;
    if (!(input->gltf ? stage_gltf_make(s, input) : stage_files_make(s, input))) return false;
  }
  return make_names_different(s);
}

bool stage_tell_alone(const stage *s)
{
  if (s->body_count == 1)
    output_unchecked("%s: %s is the only body: there is nothing for it to touch; pliant self, or impact --self, is "
                     "about a body and itself",
                     s->inputs[0].def.names[0], s->bodies[0].name);
  return true;
}

bool stage_open(stage *s, const stage_def *def, const input_list *inputs)
{
  *s = (stage){.def = *def};
  s->fps = def->options.fps > 0 ? def->options.fps : FRAMES_FPS;
  s->has_time = inputs_have_gltf(inputs);
  return open_inputs(s, inputs) && make_context(s) && make_bodies(s);
}

void stage_close(stage *s)
{
  if (!s->def.context) pl_context_destroy(s->context);
  for (size_t i = 0; i < s->body_count; ++i) {
    stage_body *body = &s->bodies[i];
    free(body->name);
    free(body->own_triangles);
    free(body->own_vertices);
    free(body->own_xyz);
    free(body->welded_triangles);
    free(body->bends);
  }
  for (size_t i = 0; i < s->input_count; ++i) {
    stage_gltf_close(&s->inputs[i]);
    frames_close(&s->inputs[i].files);
  }
  free(s->bodies);
  free(s->inputs);
  *s = (stage){0};
}

/* ------------------------------------------------------------------------------------ frames -- */

bool stage_move(stage *s, size_t frame, double *ms)
{
  *ms = 0;
  for (size_t i = 0; i < s->input_count; ++i) {
    stage_input *input = &s->inputs[i];
    size_t at = frame < input->frame_count ? frame : input->frame_count - 1;
    if (s->placed && at == input->at) continue;
    if (!(input->gltf ? stage_gltf_evaluate(s, input, at) : stage_files_read(s, input, at))) return false;
    double begin = progress_clock();
    if (!(input->gltf ? stage_gltf_move(s, input, !s->placed) : stage_files_move(s, input, at))) return false;
    *ms += progress_clock() - begin;
    input->at = at;
  }
  s->frame = frame;
  s->placed = true;
  return true;
}

bool stage_positions(const stage *s, size_t body, double *xyz)
{
  const stage_body *b = &s->bodies[body];
  return s->inputs[b->input].gltf ? stage_gltf_positions(s, b, xyz) : stage_files_positions(s, b, xyz);
}

size_t stage_number(const stage *s, const pl_body *body, size_t hint)
{
  size_t i = hint;
  while (s->bodies[i].body != body) i = i + 1 < s->body_count ? i + 1 : 0;
  return i;
}

/* One that does not move has all frames. */
static bool has_frame(const stage_input *input, size_t frame)
{
  return input->frame_count <= 1 || frame < input->frame_count;
}

bool stage_plays(const stage *s, size_t body, size_t frame)
{
  return has_frame(&s->inputs[s->bodies[body].input], frame);
}

bool stage_goes_on(const stage *s, size_t body, size_t frame)
{
  const stage_input *input = &s->inputs[s->bodies[body].input];
  if (!has_frame(input, frame)) return false;
  return !input->gltf || input->frame_count <= 1 || stage_clip_at(input, frame)->first != frame;
}

const char *stage_label_raw(const stage *s, size_t frame, char text[STAGE_LABEL])
{
  text[0] = '\0';
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    if (input->gltf || input->frame_count <= 1 || !has_frame(input, frame)) continue;
    snprintf(text, STAGE_LABEL, "%s", frames_path(&input->files, frame));
    return text;
  }
  if (!s->has_time || s->frame_count <= 1) return text;
  if (stage_has_clips(s)) stage_animation(s, frame, text);
  size_t used = strlen(text);
  snprintf(text + used, STAGE_LABEL - used, "%s%g s", used ? ", " : "", stage_time(s, frame));
  return text;
}

const char *stage_label(const stage *s, size_t frame, char text[STAGE_LABEL])
{
  char raw[STAGE_LABEL];
  io_show_into(text, 300, stage_label_raw(s, frame, raw));
  return text;
}

void stage_write_range(const stage *s)
{
  if (s->begin > 0 || s->end < s->frame_count)
    printf("          frames %zu to %zu of %zu were chosen\n", s->begin, s->end - 1, s->frame_count);
}

const char *stage_motion_text(bool moves, bool morphs)
{
  return moves ? morphs ? "moves and morphs" : "moves" : morphs ? "morphs" : "still";
}
