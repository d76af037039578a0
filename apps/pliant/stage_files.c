/* Bodies from mesh files: one of each input, or one of each group of its OBJ files. */
#include "stage.h"

#include "io/show.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

static bool complain_memory(const stage_input *input)
{
  output_complain("%s: out of memory", input->def.names[0]);
  return false;
}

bool stage_files_open(stage *s, stage_input *input)
{
  const stage_options *o = &s->def.options;
  frames_def def = {.rounded = o->rounded,
                    .split = o->split,
                    .gaps = (io_gaps)o->gaps,
                    .is_placed = input->def.is_placed,
                    .place = input->def.place};
  io_error error;
  if (!frames_open(&input->files, input->def.names, input->def.count, &def, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  frames_note(&input->files);
  input->frame_count = input->files.files.count;
  return true;
}

/* ------------------------------------------------------------------------------------------------------- groups -- */

/* The triangles of one group, with vertices of their own in the order in which they are used first; `to` is room for a number per
 * vertex of the mesh, all UINT32_MAX before and after. */
static bool take_group(const frames *f, size_t group, stage_body *body, uint32_t *to)
{
  size_t triangles = 0, vertices = 0;
  for (size_t t = 0; t < f->triangle_count; ++t) triangles += f->groups.of_triangle[t] == group;
  body->own_triangles = malloc(3 * triangles * sizeof(uint32_t));
  body->own_vertices = malloc(3 * triangles * sizeof(uint32_t));
  if (!body->own_triangles || !body->own_vertices) return false;
  uint32_t *next = body->own_triangles;
  for (size_t t = 0; t < f->triangle_count; ++t) {
    if (f->groups.of_triangle[t] != group) continue;
    for (int k = 0; k < 3; ++k) {
      uint32_t v = f->triangles[3 * t + (size_t)k];
      if (to[v] == UINT32_MAX) {
        to[v] = (uint32_t)vertices;
        body->own_vertices[vertices++] = v;
      }
      *next++ = to[v];
    }
  }
  for (size_t i = 0; i < vertices; ++i) to[body->own_vertices[i]] = UINT32_MAX;
  body->own_xyz = malloc(3 * vertices * sizeof(double)); /* room for floats as well */
  body->triangle_count = triangles;
  body->vertex_count = vertices;
  body->triangles = body->own_triangles;
  return body->own_xyz != NULL;
}

/* The body's positions of the current frame. */
static pl_positions positions_of(const frames *f, const stage_body *body)
{
  if (!body->own_vertices) return frames_positions(f);
  float *narrow = (float *)(void *)body->own_xyz;
  for (size_t i = 0; i < body->vertex_count; ++i)
    for (size_t k = 0; k < 3; ++k) {
      size_t from = 3 * (size_t)body->own_vertices[i] + k;
      if (f->now.is_double)
        body->own_xyz[3 * i + k] = f->now.xyz[from];
      else
        narrow[3 * i + k] = f->now.xyz_f32[from];
    }
  return f->now.is_double ? pl_positions_f64(body->own_xyz, body->vertex_count)
                          : pl_positions_f32(narrow, body->vertex_count);
}

/* -------------------------------------------------------------------------------------------------------- bodies -- */

static bool make_body(stage *s, stage_input *input, stage_body *body)
{
  pl_mesh_def mesh = frames_mesh(&input->files);
  mesh.positions = positions_of(&input->files, body);
  mesh.triangles = body->triangles;
  mesh.triangle_count = body->triangle_count;
  body->moves = input->frame_count > 1;
  if (pl_body_create_free(s->context, &mesh, &s->def.body, &body->body) == PL_OK) return true;
  output_complain("%s: %s", frames_path(&input->files, 0), pl_context_message(s->context));
  return false;
}

static bool make_groups(stage *s, stage_input *input)
{
  const frames *f = &input->files;
  uint32_t *to = malloc(f->vertex_count * sizeof *to);
  if (!to) return complain_memory(input);
  memset(to, 0xff, f->vertex_count * sizeof *to);
  bool good = true;
  for (size_t g = 0; g < f->groups.count && good; ++g) {
    stage_body *body = stage_add(s, input, f->groups.names[g]);
    good = body != NULL;
    if (good && !take_group(f, g, body, to)) good = complain_memory(input);
    good = good && make_body(s, input, body);
  }
  free(to);
  return good;
}

bool stage_files_make(stage *s, stage_input *input)
{
  const frames *f = &input->files;
  if (f->groups.count > 1) return make_groups(s, input);
  if (s->def.options.split)
    output_note("%s: there %s: it is one body", input->def.names[0],
                f->groups.count == 1 ? "is only one group" : "are no groups");
  const char *slash = strrchr(input->def.names[0], '/');
  const char *name = slash && slash[1] ? slash + 1 : input->def.names[0];
  stage_body *body = stage_add(s, input, name);
  if (!body) return false;
  body->triangles = f->triangles;
  body->triangle_count = f->triangle_count;
  body->vertex_count = f->vertex_count;
  return make_body(s, input, body);
}

/* -------------------------------------------------------------------------------------------------------- frames -- */

/* Bodies have the first frame since they were made. */
static bool is_there(const stage *s, size_t frame) { return s->placed ? s->frame == frame : frame == 0; }

bool stage_files_read(stage *s, stage_input *input, size_t frame)
{
  io_error error;
  if (is_there(s, frame) || frames_read(&input->files, frame, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

bool stage_files_move(stage *s, stage_input *input, size_t frame)
{
  if (is_there(s, frame)) return true;
  for (size_t i = input->first; i < input->first + input->count; ++i) {
    stage_body *body = &s->bodies[i];
    if (pl_body_set_positions(body->body, positions_of(&input->files, body)) == PL_OK) continue;
    output_complain("%s: %s", frames_path(&input->files, frame), pl_context_message(s->context));
    return false;
  }
  return true;
}

bool stage_files_positions(const stage *s, const stage_body *body, double *xyz)
{
  const frames *f = &s->inputs[body->input].files;
  for (size_t i = 0; i < body->vertex_count; ++i)
    for (size_t k = 0; k < 3; ++k) {
      size_t from = 3 * (body->own_vertices ? (size_t)body->own_vertices[i] : i) + k;
      xyz[3 * i + k] = f->now.is_double ? f->now.xyz[from] : (double)f->now.xyz_f32[from];
    }
  return true;
}
