/* The animations of a glTF scene that are played, one after the other. */
#include "common/stage.h"

#include "common/output.h"
#include "io/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1000000000 };

static const char *path_of(const stage_input *input) { return input->def.names[0]; }

/* ---------------------------------------------------------------------------------- choosing -- */

/* Frame i of a clip is at i / fps; the end counts, although a time that was stored as float may
 * fall short of it. */
static bool add_clip(const stage *s, stage_input *input, int animation)
{
  double seconds = gltf_duration(input->gltf, animation), last = floor(seconds * s->fps * (1 + 1e-7) + 1e-9);
  if (!(last + (double)input->frame_count < MOST_FRAMES)) {
    output_complain("%s: %g seconds with %g frames each are too many: choose a lower --fps", path_of(input), seconds,
                    s->fps);
    return false;
  }
  stage_clip *moved = realloc(input->clips, (input->clip_count + 1) * sizeof *moved);
  if (!moved) {
    output_complain("%s: out of memory", path_of(input));
    return false;
  }
  input->clips = moved;
  moved[input->clip_count++] = (stage_clip){animation, input->frame_count, (size_t)last + 1};
  input->frame_count += (size_t)last + 1;
  return true;
}

static bool add_all(const stage *s, stage_input *input)
{
  size_t count = gltf_animation_count(input->gltf);
  if (count == 0) return add_clip(s, input, GLTF_REST);
  for (size_t i = 0; i < count; ++i)
    if (!add_clip(s, input, (int)i)) return false;
  return true;
}

static bool add_named(const stage *s, stage_input *input, const char *name)
{
  if (strcmp(name, "rest") == 0) return add_clip(s, input, GLTF_REST);
  if (strcmp(name, "all") == 0) return add_all(s, input);
  size_t count = gltf_animation_count(input->gltf);
  int animation = gltf_animation_find(input->gltf, name);
  if (animation >= 0) return add_clip(s, input, animation);
  if (count == 0)
    output_complain("%s: there is no animation %s, nor any other: leave --animation out", path_of(input), name);
  else
    output_complain("%s: there is no animation %s; there %s %zu, the first is %s: pliant info lists them",
                    path_of(input), name, count == 1 ? "is" : "are", count, gltf_animation_name(input->gltf, 0));
  return false;
}

/* The file has more than what is played without an option. */
static void note_others(const stage *s, const stage_input *input)
{
  size_t count = gltf_animation_count(input->gltf), elsewhere = gltf_nodes_elsewhere(input->gltf);
  if (count > 1 && !s->def.options.animation.count)
    output_unchecked(
        "%s: only %s of its %zu animations is played; --animation all plays every one, one after the other",
        path_of(input), gltf_animation_name(input->gltf, 0), count);
  if (elsewhere && !s->def.options.scene)
    output_unchecked("%s: %zu node%s with a mesh %s only in other scenes, which are not read; --scene chooses another",
                     path_of(input), elsewhere, elsewhere == 1 ? "" : "s", elsewhere == 1 ? "is" : "are");
}

bool stage_clips_choose(const stage *s, stage_input *input)
{
  const text_list *names = &s->def.options.animation;
  input->frame_count = 0;
  note_others(s, input);
  if (names->count == 0) return add_clip(s, input, gltf_animation_count(input->gltf) > 0 ? 0 : GLTF_REST);
  for (int i = 0; i < names->count; ++i)
    if (!add_named(s, input, names->values[i])) return false;
  return true;
}

/* ----------------------------------------------------------------------------------- playing -- */

const stage_clip *stage_clip_at(const stage_input *input, size_t frame)
{
  const stage_clip *clip = input->clips;
  for (size_t i = 1; i < input->clip_count && input->clips[i].first <= frame; ++i) clip = &input->clips[i];
  return clip;
}

double stage_time(const stage *s, size_t frame)
{
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    if (input->gltf && input->frame_count > 1 && frame < input->frame_count)
      return (double)(frame - stage_clip_at(input, frame)->first) / s->fps;
  }
  return (double)frame / s->fps;
}

bool stage_has_clips(const stage *s)
{
  for (size_t i = 0; i < s->input_count; ++i)
    if (s->inputs[i].clip_count > 1) return true;
  return false;
}

const char *stage_animation_of(const stage *s, size_t input, size_t frame)
{
  const stage_input *in = &s->inputs[input];
  int animation = in->gltf && frame < in->frame_count ? stage_clip_at(in, frame)->animation : GLTF_REST;
  return animation >= 0 ? gltf_animation_name(in->gltf, (size_t)animation) : "";
}

const char *stage_animation(const stage *s, size_t frame, char text[STAGE_LABEL])
{
  size_t used = 0;
  const char *last = "";
  text[0] = '\0';
  for (size_t i = 0; i < s->input_count; ++i) {
    const char *name = stage_animation_of(s, i, frame);
    if (!name[0] || strcmp(name, last) == 0 || used + strlen(name) + 100 > STAGE_LABEL) continue;
    used += (size_t)snprintf(text + used, STAGE_LABEL - used, "%s%s", used ? " + " : "", name);
    last = name;
  }
  return text;
}

/* ----------------------------------------------------------------------------------- summary -- */

void stage_write_clips(const stage *s)
{
  for (size_t i = 0; i < s->input_count; ++i) {
    const stage_input *input = &s->inputs[i];
    for (size_t k = 0; k < input->clip_count && input->clip_count > 1; ++k) {
      const stage_clip *clip = &input->clips[k];
      const char *name = clip->animation >= 0 ? gltf_animation_name(input->gltf, (size_t)clip->animation) : "at rest";
      printf("%s%s", k ? "          " : "animation ", io_show(name).text);
      if (s->input_count > 1) printf(" of %s", io_show(path_of(input)).text);
      printf(": frames %zu to %zu\n", clip->first, clip->first + clip->count - 1);
    }
  }
}
