/* What fronts between two bodies could save. A walk over two trees tests blocks: a child of one
 * node against all children of the other, eight at a time. A front is what is left of it: the
 * blocks with a pair at which the walk ended, apart or two leaves. Kept from frame to frame, it
 * would be verified in place of the walk, which saves the blocks whose pairs were all opened,
 * and no more. This counts both, on the volumes that pl_body_volumes() reports, and how many
 * entries of a front are entries of the next one. Nothing is timed. */
#include "bench/experiment.h"
#include "pliant/pliant.h"
#include "scenes/governed.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 24, MOST_BODIES = 27, FRAMES = 12, CROWD = 6 };

typedef struct fr_level {
  pl_node_volume *nodes;
  uint32_t *first; /* the first child of each in the next level; count + 1 */
  size_t count;
} fr_level;

typedef struct fr_tree {
  fr_level level[MOST_LEVELS];
  int levels;
} fr_tree;

typedef struct fr_pair {
  uint64_t a, b; /* level << 32 | index */
} fr_pair;

typedef struct fr_count {
  double walk, front, entries, kept, opened;
  fr_pair *list;
  size_t count, room;
  bool failed;
} fr_count;

static void tree_free(fr_tree *t)
{
  for (int i = 0; i < t->levels; ++i) {
    free(t->level[i].nodes);
    free(t->level[i].first);
  }
  *t = (fr_tree){0};
}

static bool tree_read(pl_body *body, fr_tree *t)
{
  const pl_volumes *v;
  *t = (fr_tree){0};
  do {
    if (pl_body_volumes(body, t->levels, true, &v) != PL_OK) return false;
    fr_level *l = &t->level[t->levels++];
    l->count = v->count;
    l->nodes = malloc((v->count + 1) * sizeof *l->nodes);
    l->first = calloc(v->count + 2, sizeof *l->first);
    if (!l->nodes || !l->first) return false;
    memcpy(l->nodes, v->volumes, v->count * sizeof *l->nodes);
    fr_level *above = t->levels > 1 ? l - 1 : NULL;
    for (size_t i = 0; above && i < l->count; ++i) ++above->first[l->nodes[i].parent + 1];
    for (size_t i = 0; above && i < above->count; ++i) above->first[i + 1] += above->first[i];
  } while (t->levels < v->levels && t->levels < MOST_LEVELS);
  return true;
}

static bool overlap(const pl_node_volume *a, const pl_node_volume *b)
{
  for (int k = 0; k < 3; ++k)
    if (a->upper[k] < b->lower[k] || b->upper[k] < a->lower[k]) return false;
  return true;
}

static void add(fr_count *c, fr_pair pair)
{
  if (c->count == c->room) {
    c->room = 2 * c->room + 1024;
    fr_pair *list = realloc(c->list, c->room * sizeof *list);
    c->failed |= !list;
    if (!list) return;
    c->list = list;
  }
  c->list[c->count++] = pair;
}

/* The children of a node, or itself if it is a leaf. */
static uint32_t children(const fr_tree *t, int level, uint32_t i, int *to, uint32_t *end)
{
  const bool leaf = t->level[level].nodes[i].leaf;
  *to = leaf ? level : level + 1;
  *end = leaf ? i + 1 : t->level[level].first[i + 1];
  return leaf ? i : t->level[level].first[i];
}

static void open_pair(const fr_tree *a, int la, uint32_t i, const fr_tree *b, int lb, uint32_t j, fr_count *c)
{
  int ka, kb;
  uint32_t end_a, end_b;
  const uint32_t first_a = children(a, la, i, &ka, &end_a), first_b = children(b, lb, j, &kb, &end_b);
  ++c->opened;
  c->walk += la != ka; /* all children of a against b's box */
  bool apart = false;
  for (uint32_t x = first_a; x < end_a; ++x) {
    const pl_node_volume *one = &a->level[ka].nodes[x];
    if (!overlap(one, &b->level[lb].nodes[j])) {
      add(c, (fr_pair){(uint64_t)ka << 32 | x, (uint64_t)lb << 32 | j});
      apart = true;
      continue;
    }
    bool ends = false;
    for (uint32_t y = first_b; y < end_b; ++y) {
      const pl_node_volume *two = &b->level[kb].nodes[y];
      const bool meet = overlap(one, two), leaves = one->leaf && two->leaf;
      if (meet && !leaves) {
        open_pair(a, ka, x, b, kb, y, c);
        continue;
      }
      add(c, (fr_pair){(uint64_t)ka << 32 | x, (uint64_t)kb << 32 | y});
      ends = true;
    }
    ++c->walk;
    c->front += ends;
  }
  c->front += apart;
}

static int by_pair(const void *x, const void *y)
{
  const fr_pair *p = x, *q = y;
  return p->a != q->a ? (p->a < q->a ? -1 : 1) : (p->b > q->b) - (p->b < q->b);
}

/* ------------------------------------------------------------------------------------ scenes -- */

enum { SINKING, RESTING, CROWDED, STILL, SLOW, SCENES };
static const char *const names[SCENES] = {"S1: sinking spheres", "S6: a cloth at rest", "S2: 27 bodies",
                                          "27 bodies at rest", "a slow crowd"};

typedef struct fr_stage {
  pl_context *context;
  scene_mesh mesh[MOST_BODIES];
  scene_animal animal;
  pl_body *body[MOST_BODIES];
  int scene, count;
} fr_stage;

static pl_status pose_free(fr_stage *s, int b, int frame)
{
  scene_mesh *m = &s->mesh[b];
  if (s->scene == SINKING && b == 0) scene_s1_pose(&s->mesh[0], &s->mesh[1], 120 + frame);
  if (s->scene == RESTING && b == 0) scene_s6_pose(&s->mesh[0], &s->mesh[1], 20 + frame);
  if (s->scene == CROWDED) scene_s2_pose(m, b, 150 + frame);
  if (s->scene == STILL) {
    scene_s2_pose(m, b, 160);
    for (size_t i = 0; i < 3 * m->vertex_count; ++i) m->xyz[i] += (float)(1e-4 * sin((double)i + frame));
  }
  const pl_positions now = pl_positions_f32(m->xyz, m->vertex_count);
  if (s->body[b]) return pl_body_set_positions(s->body[b], now);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = now;
  mesh.triangles = m->triangles;
  mesh.triangle_count = m->triangle_count;
  return pl_body_create_free(s->context, &mesh, NULL, &s->body[b]);
}

static pl_status pose_skin(fr_stage *s, int b, int frame)
{
  const scene_animal *a = &s->animal;
  double matrix[SCENE_ANIMAL_BONES][9], shift[SCENE_ANIMAL_BONES][3];
  pl_transform bones[SCENE_ANIMAL_BONES];
  if (!s->body[b]) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(a->mesh.rest, a->mesh.vertex_count);
    mesh.triangles = a->mesh.triangles;
    mesh.triangle_count = a->mesh.triangle_count;
    pl_skin_def skin = pl_skin_def_default();
    skin.bone_count = SCENE_ANIMAL_BONES;
    skin.weights = (pl_weights){.vertex_count = a->mesh.vertex_count,
                                .per_vertex = (size_t)a->per_vertex,
                                .governors = a->bones,
                                .values = a->weights,
                                .type = PL_F32,
                                .normalise = true};
    pl_status status = pl_body_create_skin(s->context, &mesh, &skin, NULL, &s->body[b]);
    if (status != PL_OK) return status;
  }
  scene_animal_walk(frame + 7 * b, matrix, shift);
  for (int k = 0; k < SCENE_ANIMAL_BONES; ++k) {
    memcpy(bones[k].m, matrix[k], sizeof bones[k].m);
    memcpy(bones[k].t, shift[k], sizeof bones[k].t);
    bones[k].t[2] += 0.35 * b;
  }
  return pl_body_set_bones(s->body[b], bones, SCENE_ANIMAL_BONES);
}

static bool open_stage(fr_stage *s, int scene, bool quick)
{
  *s = (fr_stage){.scene = scene, .count = scene == SLOW ? CROWD : scene >= CROWDED ? MOST_BODIES : 2};
  const int triangles = quick ? 500 : scene >= CROWDED ? 5120 : 20480;
  pl_context_def def = pl_context_def_default();
  def.threads = 1;
  bool ok = pl_context_create(&def, &s->context) == PL_OK;
  if (scene == SLOW) return ok && scene_animal_make(triangles, &s->animal);
  for (int b = 0; ok && b < s->count; ++b)
    ok = scene != RESTING ? scene_geosphere(scene_geosphere_frequency(triangles), &s->mesh[b])
         : b              ? scene_ball(&s->mesh[b])
                          : scene_cloth(SCENE_S6_QUADS, &s->mesh[b]);
  return ok;
}

static void close_stage(fr_stage *s)
{
  pl_context_destroy(s->context);
  for (int b = 0; b < MOST_BODIES; ++b) scene_mesh_free(&s->mesh[b]);
  scene_animal_free(&s->animal);
}

/* -------------------------------------------------------------------------------------- play -- */

/* The fronts of all pairs of bodies in one frame, one after the other. */
static bool count_frame(fr_stage *s, int frame, fr_count *c)
{
  fr_tree trees[MOST_BODIES] = {0};
  bool ok = true;
  for (int b = 0; ok && b < s->count; ++b)
    ok = (s->scene == SLOW ? pose_skin(s, b, frame) : pose_free(s, b, frame)) == PL_OK;
  for (int b = 0; ok && b < s->count; ++b) ok = tree_read(s->body[b], &trees[b]);
  for (int a = 0; ok && a < s->count; ++a)
    for (int b = a + 1; b < s->count; ++b) {
      if (!overlap(trees[a].level[0].nodes, trees[b].level[0].nodes)) continue;
      const size_t begin = c->count;
      open_pair(&trees[a], 0, 0, &trees[b], 0, 0, c);
      for (size_t i = begin; i < c->count; ++i) { /* which bodies */
        c->list[i].a |= (uint64_t)a << 48;
        c->list[i].b |= (uint64_t)b << 48;
      }
    }
  for (int b = 0; b < s->count; ++b) tree_free(&trees[b]);
  qsort(c->list, c->count, sizeof *c->list, by_pair);
  return ok && !c->failed;
}

static double shared(const fr_count *x, const fr_count *y)
{
  size_t i = 0, j = 0, same = 0;
  while (i < x->count && j < y->count) {
    const int order = by_pair(&x->list[i], &y->list[j]);
    same += order == 0;
    i += order <= 0;
    j += order >= 0;
  }
  return (double)same;
}

static const bench_column columns[] = {{"scene", "", 0},
                                       {"walk", "blocks of a walk", 0},
                                       {"front", "of its front", 0},
                                       {"saved", "most that is saved", 3},
                                       {"entries", "entries", 0},
                                       {"kept", "of which in the next front", 3},
                                       {"bytes", "bytes", 0}};

static bool run_scene(bench_report *report, int scene, bool quick, double *most)
{
  fr_stage s;
  fr_count before = {0}, sum = {0};
  bool ok = open_stage(&s, scene, quick);
  for (int f = 0; ok && f < FRAMES; ++f) {
    fr_count now = {0};
    bench_progress(report, "fronts: %s, frame %d", names[scene], f);
    ok = count_frame(&s, f, &now);
    sum.walk += now.walk;
    sum.front += now.front;
    if (f) sum.kept += shared(&before, &now);
    if (f) sum.entries += (double)before.count;
    free(before.list);
    before = now;
  }
  if (ok && s.count == 2) { /* its leaves that meet contain the pairs that pliant finds */
    const pl_result *found;
    pl_question how = pl_question_default();
    how.reference = true;
    ok = pl_touching(pl_two(s.body[0], s.body[1]), &how, &found) == PL_OK && (found->count == 0 || before.count > 0);
    if (ok) bench_compared(&report->compared, names[scene], BENCH_REFERENCE, FRAMES - 1, found->count);
  }
  if (!ok) bench_fail(report, "%s: %s", names[scene], s.context ? pl_context_message(s.context) : "out of memory");
  const double saved = sum.walk > 0 ? 1 - sum.front / sum.walk : 0, entries = sum.entries / (FRAMES - 1);
  const double numbers[] = {sum.walk / FRAMES, sum.front / FRAMES, saved, entries, sum.kept / fmax(1, sum.entries),
                            entries * 8};
  bench_text(&report->summary, names[scene]);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) bench_number(&report->summary, numbers[i]);
  *most = fmax(*most, saved);
  free(before.list);
  close_stage(&s);
  return ok;
}

bool fronts_run(const bench_options *options, bench_report *report)
{
  double most = 0;
  bench_table_init(&report->summary, columns, sizeof columns / sizeof *columns);
  for (int scene = 0; scene < SCENES; ++scene) {
    bench_compared_scene(&report->compared, 0, "%s", names[scene]);
    if (!run_scene(report, scene, options->quick, &most)) return false;
  }
  bench_headline_add(report, "saved", most, NAN);
  bench_note(report,
             "Tests of eight boxes at once, the mean of %d frames; a front keeps the blocks with a pair that was "
             "not opened. What it saves is the other blocks, at most; verifying it needs the same volumes.",
             FRAMES);
  return true;
}
