/* The scenes of scenes/, and two walkers, as stages. */
#include "web/src/stage.h"

#include "scenes/morph.h"
#include "scenes/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 27 };

typedef struct show show;

/* One kind of scene. */
typedef struct kind {
  const char *name;
  int bodies, frames;
  bool self;
  bool (*make)(show *s, int detail);                /* meshes; false: out of memory */
  void (*pose)(show *s, int frame);                 /* free bodies: xyz of the meshes */
  void (*morph)(int body, int frame, morph_pose *); /* morphing bodies */
  int detail;                                       /* the usual one */
} kind;

struct show {
  const kind *kind;
  scene_mesh meshes[MOST_BODIES];
  morph_mesh morph;
  walker_mesh walker;
};

/* ------------------------------------------------------------------------------- free bodies -- */

static bool make_spheres(show *s, int detail)
{
  return scene_geosphere(detail, &s->meshes[0]) && scene_geosphere(detail, &s->meshes[1]);
}
static void pose_spheres(show *s, int frame) { scene_s1_pose(&s->meshes[0], &s->meshes[1], frame); }

static bool make_cloth_ball(show *s, int detail)
{
  return scene_cloth(detail, &s->meshes[0]) && scene_ball(&s->meshes[1]);
}
static void pose_cloth_ball(show *s, int frame) { scene_s6_pose(&s->meshes[0], &s->meshes[1], frame); }

static bool make_crumple(show *s, int detail) { return scene_cloth(detail, &s->meshes[0]); }
static void pose_crumple(show *s, int frame) { scene_s3_pose(&s->meshes[0], frame); }

static bool make_bodies(show *s, int detail)
{
  for (int i = 0; i < SCENE_S2_BODIES; ++i)
    if (!scene_geosphere(detail, &s->meshes[i])) return false;
  return true;
}
static void pose_bodies(show *s, int frame)
{
  for (int i = 0; i < SCENE_S2_BODIES; ++i) scene_s2_pose(&s->meshes[i], i, frame);
}

static bool make_apart(show *s, int detail) { return make_spheres(s, detail); }
static void pose_apart(show *s, int frame) { scene_s5_pose(&s->meshes[0], &s->meshes[1], frame); }

/* -------------------------------------------------------------------------- morphs and skins -- */

static bool make_dolphins(show *s, int detail) { return morph_dolphin(detail - 1, &s->morph); }
static bool make_stars(show *s, int detail) { return morph_b1_body(detail, &s->morph); }
static bool make_walkers(show *s, int detail) { return walker_make(detail, &s->walker); }

static const kind kinds[] = {
    {"spheres", 2, SCENE_S1_STEPS, false, make_spheres, pose_spheres, NULL, 32},
    {"walkers", 2, 150, false, make_walkers, NULL, NULL, 4},
    {"dolphins", MORPH_B2_DOLPHINS, MORPH_B2_STEPS, false, make_dolphins, NULL, morph_b2_pose, 2},
    {"stars", 2, MORPH_B1_STEPS, false, make_stars, NULL, morph_b1_pose, 32},
    {"cloth", 2, SCENE_S6_STEPS, false, make_cloth_ball, pose_cloth_ball, NULL, SCENE_S6_QUADS},
    {"crumple", 1, SCENE_S3_STEPS, true, make_crumple, pose_crumple, NULL, 80},
    {"bodies", SCENE_S2_BODIES, SCENE_S2_STEPS, false, make_bodies, pose_bodies, NULL, 16},
    {"apart", 2, SCENE_S5_STEPS, false, make_apart, pose_apart, NULL, 32},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static pl_status make_morph(web_stage *stage, const morph_mesh *m, const pl_body_def *def, pl_body **out)
{
  pl_positions references[MORPH_REFERENCES];
  for (int i = 0; i < MORPH_REFERENCES; ++i) references[i] = pl_positions_f32(m->references[i], m->vertex_count);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  pl_morph_def morph = pl_morph_def_default();
  morph.references = references;
  morph.reference_count = MORPH_REFERENCES;
  return pl_body_create_morph(stage->context, &mesh, &morph, def, out);
}

static pl_status make_body(web_stage *stage, size_t part, const pl_body_def *def, pl_body **out)
{
  show *s = stage->data;
  if (s->kind->morph) return make_morph(stage, &s->morph, def, out);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.triangles = stage->parts[part].triangles;
  mesh.triangle_count = stage->parts[part].triangle_count;
  if (s->kind->pose) {
    pl_body_def borrowing = *def;
    borrowing.borrow = true;
    mesh.positions = pl_positions_f32(s->meshes[part].xyz, s->meshes[part].vertex_count);
    return pl_body_create_free(stage->context, &mesh, &borrowing, out);
  }
  const walker_mesh *w = &s->walker;
  mesh.positions = pl_positions_f32(w->rest, w->vertex_count);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = WALKER_BONES;
  skin.weights = (pl_weights){w->vertex_count, NULL, WALKER_PER_VERTEX, w->bones, w->weights, PL_F64, true};
  return pl_body_create_skin(stage->context, &mesh, &skin, def, out);
}

static pl_status pose_morph(pl_body *body, const kind *k, int part, int frame)
{
  morph_pose pose;
  k->morph(part, frame, &pose);
  pl_transform at;
  for (int i = 0; i < 9; ++i) at.m[i / 3][i % 3] = pose.rotation[i];
  for (int i = 0; i < 3; ++i) at.t[i] = pose.shift[i];
  pl_status status = pl_body_set_weights(body, pose.weight, MORPH_REFERENCES);
  return status == PL_OK ? pl_body_set_transform(body, &at) : status;
}

static bool pose_show(web_stage *stage, int frame)
{
  show *s = stage->data;
  if (s->kind->pose) s->kind->pose(s, frame);
  for (size_t i = 0; i < stage->part_count; ++i) {
    pl_body *body = stage->parts[i].driver;
    pl_transform bones[WALKER_BONES];
    pl_status status;
    if (s->kind->pose) {
      status = pl_body_set_positions(body, pl_positions_f32(s->meshes[i].xyz, s->meshes[i].vertex_count));
    } else if (s->kind->morph) {
      status = pose_morph(body, s->kind, (int)i, frame);
    } else {
      walker_pose((int)i, (double)frame / (s->kind->frames - 1), bones);
      status = pl_body_set_bones(body, bones, WALKER_BONES);
    }
    if (!web_check(stage->context, status)) return false;
  }
  return true;
}

static void close_show(web_stage *stage)
{
  show *s = stage->data;
  for (int i = 0; i < MOST_BODIES; ++i) scene_mesh_free(&s->meshes[i]);
  morph_mesh_free(&s->morph);
  walker_free(&s->walker);
  free(s);
}

static const web_source shows = {make_body, pose_show, close_show};

static bool add_parts(web_stage *stage, show *s)
{
  for (int i = 0; i < s->kind->bodies; ++i) {
    char name[32];
    snprintf(name, sizeof name, "%s %d", s->kind->name, i + 1);
    const scene_mesh *m = &s->meshes[i];
    web_part *p =
        s->kind->pose ? web_stage_part(stage, name, m->triangles, m->triangle_count, m->vertex_count)
        : s->kind->morph
            ? web_stage_part(stage, name, s->morph.triangles, s->morph.triangle_count, s->morph.vertex_count)
            : web_stage_part(stage, name, s->walker.triangles, s->walker.triangle_count, s->walker.vertex_count);
    if (!p) return false;
    p->self = s->kind->self;
  }
  if (s->kind->pose) s->kind->pose(s, 0); /* the pose that trees are built on */
  return true;
}

/* name: of the list below. detail: 0 for the usual one. Bodies come with web_stage_settle(). */
web_stage *WEB_EXPORT(web_stage_show)(pl_context *context, const char *name, int detail)
{
  int k = 0;
  while (k < KINDS && strcmp(kinds[k].name, name) != 0) ++k;
  if (k == KINDS) return web_fail("there is no scene '%.40s'", name), NULL;
  show *s = calloc(1, sizeof *s);
  web_stage *stage = s ? web_stage_create(context, &shows, s) : NULL;
  if (!stage) {
    free(s);
    return web_fail("out of memory"), NULL;
  }
  s->kind = &kinds[k];
  stage->frames = kinds[k].frames;
  if (kinds[k].make(s, detail > 0 ? detail : kinds[k].detail) && add_parts(stage, s)) return stage;
  web_fail("the scene '%s' does not fit into memory, or has no detail %d", name, detail);
  web_stage_destroy(stage);
  return NULL;
}

/* The name of a scene; NULL behind the last. */
const char *WEB_EXPORT(web_show_name)(int index) { return index >= 0 && index < KINDS ? kinds[index].name : NULL; }
