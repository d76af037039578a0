#include "web/src/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

web_stage *web_stage_create(pl_context *context, const web_source *source, void *data)
{
  web_stage *stage = calloc(1, sizeof *stage);
  if (!stage) return web_fail("out of memory"), NULL;
  stage->context = context;
  stage->source = source;
  stage->data = data;
  stage->frames = 1;
  stage->fps = 30;
  return stage;
}

static void drop_bodies(web_stage *stage)
{
  pl_scene_destroy(stage->scene);
  stage->scene = NULL;
  for (size_t i = 0; i < stage->part_count; ++i) {
    web_part *p = &stage->parts[i];
    if (p->body != p->driver) pl_body_destroy(p->body);
    pl_body_destroy(p->driver);
    p->body = p->driver = NULL;
    free(p->moved);
    p->moved = NULL;
  }
  stage->ready = false;
}

void WEB_EXPORT(web_stage_destroy)(web_stage *stage)
{
  if (!stage) return;
  drop_bodies(stage);
  for (size_t i = 0; i < stage->part_count; ++i) {
    free(stage->parts[i].xyz);
    free(stage->parts[i].touch);
    free(stage->parts[i].welded);
  }
  free(stage->parts);
  if (stage->source->close) stage->source->close(stage);
  free(stage);
}

web_part *web_stage_part(web_stage *stage, const char *name, uint32_t *triangles, size_t triangles_count,
                         size_t vertices)
{
  web_part *parts = realloc(stage->parts, (stage->part_count + 1) * sizeof *parts);
  if (!parts) return web_fail("out of memory"), NULL;
  stage->parts = parts;
  web_part *p = &parts[stage->part_count++];
  *p = (web_part){.triangles = triangles, .triangle_count = triangles_count, .vertex_count = vertices};
  snprintf(p->name, sizeof p->name, "%s", name);
  p->xyz = calloc(3 * vertices + 1, sizeof *p->xyz);
  p->touch = calloc(triangles_count + 4, 1);
  return p->xyz && p->touch ? p : (web_fail("out of memory"), NULL);
}

/* ------------------------------------------------------------------------------------ bodies -- */

/* A free body with the driver's positions, for settings that its own motion does not have. */
static pl_status make_free(web_stage *stage, web_part *p, const pl_body_def *def)
{
  p->moved = malloc(3 * p->vertex_count * sizeof *p->moved);
  if (!p->moved) return PL_ERROR_MEMORY;
  pl_status status = pl_body_positions(p->driver, NULL, p->vertex_count, PL_F64, p->moved, 0);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(p->moved, p->vertex_count);
  mesh.triangles = p->triangles;
  mesh.triangle_count = p->triangle_count;
  pl_body_def borrowing = *def;
  borrowing.borrow = true;
  if (status == PL_OK) status = pl_body_create_free(stage->context, &mesh, &borrowing, &p->body);
  if (status == PL_OK) return PL_OK;
  free(p->moved);
  p->moved = NULL;
  return status;
}

/* As asked for; or as a free body, where the motion does not have the strategy; or with the
 * strategy `auto`. */
static pl_status make_part(web_stage *stage, size_t i, const pl_body_def *def)
{
  web_part *p = &stage->parts[i];
  pl_status status = stage->source->make(stage, i, def, &p->driver);
  if (status != PL_ERROR_UNSUPPORTED && status != PL_ERROR_ARGUMENT) {
    p->body = p->driver;
    return status;
  }
  pl_body_def plain = pl_body_def_default();
  status = stage->source->make(stage, i, &plain, &p->driver);
  if (status != PL_OK) return status;
  if (pl_body_motion(p->driver) != PL_MOTION_FREE && make_free(stage, p, def) == PL_OK) return PL_OK;
  stage->fallback = true;
  plain = *def;
  plain.strategy = PL_STRATEGY_AUTO;
  pl_body *better = NULL;
  if (stage->source->make(stage, i, &plain, &better) == PL_OK) {
    pl_body_destroy(p->driver);
    p->driver = better;
  }
  p->body = p->driver;
  return PL_OK;
}

static pl_status add_part(web_stage *stage, web_part *p)
{
  pl_member_def member = pl_member_def_default();
  member.self = p->self;
  pl_body_set_user(p->body, (void *)(p - stage->parts + 1));
  return pl_scene_add(stage->scene, p->body, &member);
}

int WEB_EXPORT(web_stage_settle)(web_stage *stage, const char *settings)
{
  pl_body_def def;
  if (!web_settings(stage->context, settings, &def)) return 0;
  drop_bodies(stage);
  stage->fallback = false;
  pl_status status = pl_scene_create(stage->context, NULL, &stage->scene);
  size_t i = 0;
  for (; status == PL_OK && i < stage->part_count; ++i) {
    status = make_part(stage, i, &def);
    if (status == PL_OK) status = add_part(stage, &stage->parts[i]);
  }
  if (status != PL_OK) {
    char text[480];
    snprintf(text, sizeof text, "%s", pl_context_message(stage->context));
    web_fail("%s: %s", i > 0 ? stage->parts[i - 1].name : "scene", text);
    drop_bodies(stage);
    return 0;
  }
  stage->ready = true;
  return web_stage_pose(stage, stage->frame);
}

int WEB_EXPORT(web_stage_pose)(web_stage *stage, int frame)
{
  if (!stage->ready) return web_fail("the scene has no bodies: choose other settings");
  if (frame < 0 || frame >= stage->frames) return web_fail("there is no frame %d", frame);
  if (!stage->source->pose(stage, frame)) return 0;
  stage->frame = frame;
  for (size_t i = 0; i < stage->part_count; ++i) {
    web_part *p = &stage->parts[i];
    if (p->body == p->driver) continue;
    pl_status status = pl_body_positions(p->driver, NULL, p->vertex_count, PL_F64, p->moved, 0);
    if (status == PL_OK) status = pl_body_set_positions(p->body, pl_positions_f64(p->moved, p->vertex_count));
    if (!web_check(stage->context, status)) return 0;
  }
  return 1;
}

/* ----------------------------------------------------------------------------------- queries -- */

static web_part *part_of(const web_stage *stage, const pl_body *body)
{
  return &stage->parts[(size_t)pl_body_user(body) - 1];
}

/* contacts, those of bodies with themselves, pairs of bodies, counters, address of the contacts. */
int WEB_EXPORT(web_stage_touching)(web_stage *stage, int first)
{
  pl_question def = pl_question_default();
  def.first = first != 0;
  const pl_result *c = NULL;
  if (!stage->ready) return web_fail("the scene has no bodies: choose other settings");
  if (!web_check(stage->context, pl_touching(pl_all(stage->scene), &def, &c))) return 0;
  for (size_t i = 0; i < stage->part_count; ++i) memset(stage->parts[i].touch, 0, stage->parts[i].triangle_count);
  size_t own = 0;
  for (size_t g = 0; g < c->group_count; ++g) {
    const pl_group *group = &c->groups[g];
    uint8_t bit = group->a == group->b ? 2 : 1, *a = part_of(stage, group->a)->touch,
            *b = part_of(stage, group->b)->touch;
    for (size_t i = group->begin; i < group->end; ++i) {
      a[c->pairs[i].a] |= bit;
      b[c->pairs[i].b] |= bit;
    }
    own += group->a == group->b ? group->end - group->begin : 0;
  }
  web_out_numbers[0] = (double)c->count;
  web_out_numbers[1] = (double)own;
  web_out_numbers[2] = (double)c->body_pairs;
  int at = web_put_counters(3, &c->counters);
  web_out_numbers[at] = (double)(uintptr_t)c->pairs;
  return 1;
}

/* Number of the part that a body of the stage is. */
int WEB_EXPORT(web_stage_number)(const pl_body *body) { return (int)(size_t)pl_body_user(body) - 1; }

/* parts, frames, frames per second, frame, fallback, address of the scene, address of the note,
 * edits. */
int WEB_EXPORT(web_stage_about)(const web_stage *stage)
{
  double *out = web_out_numbers;
  out[0] = (double)stage->part_count;
  out[1] = stage->frames;
  out[2] = stage->fps;
  out[3] = stage->frame;
  out[4] = stage->fallback;
  out[5] = (double)(uintptr_t)stage->scene;
  out[6] = (double)(uintptr_t)stage->note;
  out[7] = stage->edits;
  return 1;
}

/* Addresses of the name, the body, the triangles, the positions to be drawn, the marks;
 * triangles, vertices, self. */
int WEB_EXPORT(web_stage_part_about)(const web_stage *stage, size_t part)
{
  const web_part *p = &stage->parts[part];
  double *out = web_out_numbers;
  out[0] = (double)(uintptr_t)p->name;
  out[1] = (double)(uintptr_t)p->body;
  out[2] = (double)(uintptr_t)p->triangles;
  out[3] = (double)(uintptr_t)p->xyz;
  out[4] = (double)(uintptr_t)p->touch;
  out[5] = (double)p->triangle_count;
  out[6] = (double)p->vertex_count;
  out[7] = p->self;
  return 1;
}

/* Brings the positions to be drawn up to date. */
int WEB_EXPORT(web_stage_draw)(web_stage *stage, size_t part)
{
  web_part *p = &stage->parts[part];
  return web_check(stage->context, pl_body_positions(p->driver, NULL, p->vertex_count, PL_F32, p->xyz, 0));
}
