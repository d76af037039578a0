/* Bodies from mesh files: one of each input, or one of each group of its OBJ files. */
#include "common/stage.h"

#include "common/output.h"
#include "io/show.h"

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

/* ------------------------------------------------------------------------------------ groups -- */

/* The triangles of one group, with vertices of their own in the order in which they are used
 * first; `to` is room for a number per vertex of the mesh, all UINT32_MAX before and after. */
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

/* ----------------------------------------------------------------------------------- welding -- */

static bool complain_library(const stage *s, const stage_input *input, size_t frame)
{
  output_complain("%s: %s", frames_path(&input->files, frame), pl_context_message(s->context));
  return false;
}

static bool any_welded(const uint32_t *map, size_t count)
{
  size_t v = 0;
  while (v < count && map[v] == v) ++v;
  return v < count;
}

/* map[v]: the least vertex of the file that is at the position of v in every frame of the
 * sequence, whichever of them are played. Frames are read only while there is such a vertex; the
 * first one is the current one before and after. */
static bool weld_frames(stage *s, stage_input *input, uint32_t *map)
{
  frames *f = &input->files;
  size_t last = 0; /* frame that was read */
  io_error error = {""};
  for (size_t i = 0; i < f->files.count && (i == 0 || any_welded(map, f->vertex_count)); ++i) {
    if (i > 0 && !frames_read(f, i, &error)) break;
    last = i;
    pl_mesh_def mesh = frames_mesh(f);
    pl_weld_def def = pl_weld_def_default();
    def.labels = i > 0 ? map : NULL;
    if (pl_mesh_weld(s->context, &mesh, &def, NULL, map) != PL_OK) return complain_library(s, input, i);
  }
  if (!error.text[0] && (last == 0 || frames_read(f, 0, &error))) return true;
  output_complain("%s", error.text);
  return false;
}

/* By the map of the file's vertices. */
static bool weld_body(stage *s, stage_input *input, stage_body *body, const uint32_t *map, uint32_t *room)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_weld_def def = pl_weld_def_default();
  if (!stage_weld_begin(body)) return complain_memory(input);
  for (size_t i = 0; i < body->vertex_count; ++i) room[i] = map[body->own_vertices ? body->own_vertices[i] : i];
  mesh.positions = positions_of(&input->files, body);
  mesh.triangles = body->triangles;
  mesh.triangle_count = body->triangle_count;
  def.labels = room;
  if (pl_mesh_weld(s->context, &mesh, &def, body->welded_triangles, room) != PL_OK)
    return complain_library(s, input, 0);
  stage_weld_end(body, room);
  return true;
}

static bool weld(stage *s, stage_input *input)
{
  size_t size = (input->files.vertex_count + 1) * sizeof(uint32_t);
  uint32_t *map = malloc(size), *room = malloc(size);
  bool good = map && room ? weld_frames(s, input, map) : complain_memory(input);
  for (size_t i = input->first; good && i < input->first + input->count; ++i)
    good = weld_body(s, input, &s->bodies[i], map, room);
  free(map);
  free(room);
  return good;
}

/* ------------------------------------------------------------------------------------ bodies -- */

static bool make_body(stage *s, stage_input *input, stage_body *body)
{
  pl_mesh_def mesh = frames_mesh(&input->files);
  mesh.positions = positions_of(&input->files, body);
  mesh.triangles = body->triangles;
  mesh.triangle_count = body->triangle_count;
  body->moves = input->frame_count > 1;
  if (pl_body_create_free(s->context, &mesh, &s->def.body, &body->body) == PL_OK) return true;
  return complain_library(s, input, 0);
}

/* Bodies without trees: one for each group. */
static bool add_groups(stage *s, stage_input *input)
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
  }
  free(to);
  return good;
}

static bool add_body(stage *s, stage_input *input)
{
  const frames *f = &input->files;
  const char *slash = strrchr(input->def.names[0], '/');
  const char *name = slash && slash[1] ? slash + 1 : input->def.names[0];
  stage_body *body = stage_add(s, input, name);
  if (!body) return false;
  body->triangles = f->triangles;
  body->triangle_count = f->triangle_count;
  body->vertex_count = f->vertex_count;
  return true;
}

bool stage_files_make(stage *s, stage_input *input)
{
  const frames *f = &input->files;
  if (s->def.options.split && f->groups.count <= 1)
    output_note("%s: there %s: it is one body", input->def.names[0],
                f->groups.count == 1 ? "is only one group" : "are no groups");
  if (!(f->groups.count > 1 ? add_groups(s, input) : add_body(s, input))) return false;
  if (s->def.weld && !weld(s, input)) return false;
  for (size_t i = input->first; i < input->first + input->count; ++i)
    if (!make_body(s, input, &s->bodies[i])) return false;
  return true;
}

/* ------------------------------------------------------------------------------------ frames -- */

/* Bodies have the first frame since they were made. */
static bool is_there(const stage *s, const stage_input *input, size_t frame)
{
  return s->placed ? input->at == frame : frame == 0;
}

bool stage_files_read(stage *s, stage_input *input, size_t frame)
{
  io_error error;
  if (is_there(s, input, frame) || frames_read(&input->files, frame, &error)) return true;
  output_complain("%s", error.text);
  return false;
}

bool stage_files_move(stage *s, stage_input *input, size_t frame)
{
  if (is_there(s, input, frame)) return true;
  for (size_t i = input->first; i < input->first + input->count; ++i) {
    stage_body *body = &s->bodies[i];
    if (pl_body_set_positions(body->body, positions_of(&input->files, body)) != PL_OK)
      return complain_library(s, input, frame);
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
