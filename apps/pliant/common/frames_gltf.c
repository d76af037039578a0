/* A glTF scene as a mesh that moves: its first animation, or its rest pose, FRAMES_FPS times a
 * second. */
#include "common/frames.h"

#include "common/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1000000 };

static bool fail(io_error *error, const char *path, const char *why)
{
  snprintf(error->text, sizeof error->text, "%s: %s", path, why);
  return false;
}

/* The name of the scene for every frame. */
static bool name_frames(frames *f, const char *path, size_t count, io_error *error)
{
  f->files.paths = calloc(count, sizeof *f->files.paths);
  if (!f->files.paths) return fail(error, path, "out of memory");
  for (; f->files.count < count; ++f->files.count)
    if (!(f->files.paths[f->files.count] = strdup(path))) return fail(error, path, "out of memory");
  return true;
}

bool frames_gltf_open(frames *f, const char *path, io_error *error)
{
  if (!gltf_read(path, NULL, &f->gltf, error) || !gltf_pose_create(f->gltf, &f->pose, error)) return false;
  f->animation = gltf_animation_count(f->gltf) ? 0 : GLTF_REST;
  double last = floor(gltf_duration(f->gltf, f->animation) * FRAMES_FPS * (1 + 1e-7) + 1e-9);
  if (!(last < MOST_FRAMES)) return fail(error, path, "its animation is too long to be played frame by frame");
  size_t bodies = gltf_body_count(f->gltf), used = 0;
  const char *note = gltf_note(f->gltf);
  if (bodies > 1)
    used = (size_t)snprintf(f->files.note, sizeof f->files.note, "its %zu bodies are one mesh here", bodies);
  if (last > 0 && gltf_animation_count(f->gltf) > 1)
    used += (size_t)snprintf(f->files.note + used, sizeof f->files.note - used,
                             "%sof its %zu animations the first is played", used ? "; " : "",
                             gltf_animation_count(f->gltf));
  if (note[0]) snprintf(f->files.note + used, sizeof f->files.note - used, "%s%.200s", used ? "; " : "", note);
  return name_frames(f, path, (size_t)last + 1, error);
}

bool frames_gltf_read(frames *f, size_t index, io_mesh *out, io_error *error)
{
  return gltf_evaluate(f->pose, f->animation, (double)index / FRAMES_FPS, error) &&
         gltf_join(f->gltf, f->pose, out, error);
}

void frames_gltf_close(frames *f)
{
  gltf_pose_free(f->pose);
  gltf_free(f->gltf);
  f->pose = NULL;
  f->gltf = NULL;
}
