#include "common/play.h"

#include "common/output.h"
#include "io/show.h"

#include <stdio.h>

bool play_open(play *p, const play_options *o, const input_list *inputs)
{
  stage_def def = play_stage_def(o);
  *p = (play){.two_bodies = {.message = ""}};
  if (!stage_open(&p->stage, &def, inputs)) return false;
  two_bodies_use(&p->two_bodies, p->stage.context, p->stage.bodies[0].body, p->stage.bodies[1].body);
  return true;
}

void play_close(play *p)
{
  two_bodies_destroy(&p->two_bodies);
  stage_close(&p->stage);
}

const char *play_file(const play *p, int side, size_t frame)
{
  return frames_path(&p->stage.inputs[side].files, frame);
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
  write_side(&p->stage.inputs[0].files, "A");
  write_side(&p->stage.inputs[1].files, "B");
}
