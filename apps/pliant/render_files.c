/* Bodies from mesh files: each file or numbered sequence is one. Files whose names differ in numbers only are frames of one body,
 * as a shell gives them for an unquoted pattern. */
#include "command.h"
#include "frames.h"
#include "output.h"
#include "render.h"

#include <stdlib.h>

typedef struct file_source {
  frames *bodies;
  size_t count;
  size_t shown; /* the frame that is read */
} file_source;

/* How many names from the first on are frames of one body. */
static int run_length(char **names, int count)
{
  int n = 1;
  while (n < count && frames_same_but_numbers(names[0], names[n])) ++n;
  return n;
}

static bool open_body(render_job *job, file_source *s, char **names, int count)
{
  io_error error;
  frames *f = &s->bodies[s->count];
  if (!frames_open(f, names, count, NULL, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  ++s->count;
  frames_note(f);
  pl_mesh_def mesh = frames_mesh(f);
  pl_body *body = NULL;
  pl_body_create_free(job->context, &mesh, &job->def, &body);
  return render_add(job, body, &mesh, frames_path(f, 0));
}

static bool open_files(render_job *job)
{
  file_source *s = calloc(1, sizeof *s);
  job->data = s;
  if (s) s->bodies = calloc((size_t)job->name_count, sizeof *s->bodies);
  if (!s || !s->bodies) return render_complain_memory(job->names[0]);
  for (int i = 0, n; i < job->name_count; i += n) {
    n = run_length(job->names + i, job->name_count - i);
    if (!open_body(job, s, job->names + i, n)) return false;
  }
  job->frame_count = 1;
  bool moving = false;
  for (size_t i = 0; i < s->count; ++i) {
    size_t count = s->bodies[i].files.count;
    if (frames_still(&s->bodies[i])) continue;
    if (moving && count != job->frame_count)
      output_note("%s: %zu frames, another sequence has %zu: the shorter one counts", frames_path(&s->bodies[i], 0),
                  count, job->frame_count);
    job->frame_count = moving && job->frame_count < count ? job->frame_count : count;
    moving = true;
  }
  return true;
}

static bool pose_files(render_job *job, size_t frame)
{
  file_source *s = job->data;
  if (frame == s->shown) return true;
  for (size_t i = 0; i < s->count; ++i) {
    io_error error;
    if (frames_still(&s->bodies[i])) continue;
    if (!frames_read(&s->bodies[i], frame, &error)) {
      output_complain("%s", error.text);
      return false;
    }
    job->traced[i].positions = frames_positions(&s->bodies[i]);
    job->actors[i].changed = true;
  }
  s->shown = frame;
  return true;
}

static void close_files(render_job *job)
{
  file_source *s = job->data;
  if (!s) return;
  for (size_t i = 0; i < s->count; ++i) frames_close(&s->bodies[i]);
  free(s->bodies);
  free(s);
}

const render_source render_files = {open_files, pose_files, close_files};
