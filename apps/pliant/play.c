#include "play.h"

#include "io/show.h"
#include "output.h"
#include "progress.h"

#include <stdio.h>

bool play_open(play *p, const play_options *o, const file_lists *lists)
{
  *p = (play){.def = tree_options_def(&o->tree)};
  if (!sides_open(p->side, lists, o->rounded, &p->frame_count, &p->shortened)) return false;
  pl_mesh_def meshes[2] = {frames_mesh(&p->side[0]), frames_mesh(&p->side[1])};
  if (duo_create(&p->duo, o->threads, meshes, &p->def)) return true;
  int bad = p->duo.body[0] ? 1 : 0;
  output_complain("%s: %s", frames_path(&p->side[bad], 0), p->duo.message);
  return false;
}

void play_close(play *p)
{
  duo_destroy(&p->duo);
  frames_close(&p->side[0]);
  frames_close(&p->side[1]);
}

/* Frame 0 stands in the bodies since they were made; a still body is never set again. */
bool play_move(play *p, size_t index, double *ms)
{
  *ms = 0;
  for (int i = 0; i < 2 && index > 0; ++i) {
    if (frames_still(&p->side[i])) continue;
    io_error error;
    if (!frames_read(&p->side[i], index, &error)) {
      output_complain("%s", error.text);
      return false;
    }
    double begin = progress_clock();
    if (pl_body_set_positions(p->duo.body[i], frames_positions(&p->side[i])) != PL_OK) {
      output_complain("%s: %s", frames_path(&p->side[i], index), pl_context_message(p->duo.context));
      return false;
    }
    *ms += progress_clock() - begin;
  }
  return true;
}

static void write_side(const frames *f, const char *name)
{
  char triangles[OUTPUT_NUMBER_SIZE], vertices[OUTPUT_NUMBER_SIZE];
  printf("%-10s%s", name, io_show(f->files.paths[0]).text);
  if (frames_still(f))
    printf(", still");
  else
    printf(" to %s, %zu frames", io_show(f->files.paths[f->files.count - 1]).text, f->files.count);
  printf("\n          %s triangle%s, %s vertices, %s positions\n", output_count(f->triangle_count, triangles),
         f->triangle_count == 1 ? "" : "s", output_count(f->vertex_count, vertices),
         f->now.is_double ? "double" : "float");
}

void play_write_sides(const play *p)
{
  write_side(&p->side[0], "A");
  write_side(&p->side[1], "B");
}

void play_write_shortened(const play *p)
{
  if (!p->shortened) return;
  printf("          A has %zu frames, B has %zu: only the first %zu were looked at\n", p->side[0].files.count,
         p->side[1].files.count, p->frame_count);
}
