/* A cloth that is torn and sewn up, and a bar that is carved into two and fused, as stages: in
 * pliant-full.wasm only. Each is one body whose mesh is edited while it plays.
 *
 * Frames may be asked for in any order. So the edits of a scene are steps that can be made and
 * taken back, a frame says how many of them it has, and vertices and triangles that come later
 * have fixed indices. Invariant: the body has the first `done` steps, and `shown` its corners. */
#include "web/src/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct cut cut;

/* One of the two scenes. */
typedef struct cut_kind {
  const char *name;
  int frames, detail;
  bool (*make)(cut *c, int detail); /* false: out of memory */
  int (*steps)(const cut *c, int frame);
  void (*place)(cut *c, int frame); /* positions of all vertices */
  pl_status (*step)(cut *c, pl_body *body, int step, bool back);
} cut_kind;

struct cut {
  const cut_kind *kind;
  uint32_t across;           /* cloth: vertices along a side; bar: vertices of a ring */
  uint32_t along;            /* bar: rings */
  uint32_t vertices;         /* those that come later included */
  uint32_t triangles, first; /* that there ever are; that the body is created with */
  uint32_t (*corners)[3];    /* of all triangles, as they are before any step */
  uint32_t (*shown)[3];      /* as they are now; 0 0 0 where there is none */
  double (*at)[3];
  int done;
};

static bool make_room(cut *c, uint32_t vertices, uint32_t triangles, uint32_t first)
{
  c->vertices = vertices;
  c->triangles = triangles;
  c->first = first;
  c->corners = calloc(triangles, sizeof *c->corners);
  c->shown = calloc(triangles, sizeof *c->shown);
  c->at = calloc(vertices, sizeof *c->at);
  return c->corners && c->shown && c->at;
}

static void put(uint32_t corners[3], uint32_t i, uint32_t j, uint32_t k)
{
  corners[0] = i;
  corners[1] = j;
  corners[2] = k;
}

/* Two triangles on four vertices: i and j, and those above them. */
static void put_quad(uint32_t (*out)[3], uint32_t i, uint32_t j, uint32_t above_i, uint32_t above_j)
{
  put(out[0], i, j, above_i);
  put(out[1], above_i, j, above_j);
}

/* --------------------------------------------------------------------------------- the cloth -- */

enum { TEAR_FRAMES = 540, TORN = 434, TOGETHER = 500 }; /* the cut is at its end; the flaps meet again */

static uint32_t seam(const cut *c, uint32_t row) { return row * c->across + c->across / 2; }
static uint32_t twin(const cut *c, uint32_t row) { return c->across * c->across + row; }

static bool make_cloth(cut *c, int detail)
{
  const uint32_t side = 2 * (uint32_t)(detail < 100 ? detail : 100) + 1, quads = side - 1;
  c->across = side;
  if (!make_room(c, side * side + side, 2 * quads * quads, 2 * quads * quads)) return false;
  for (uint32_t q = 0; q < quads * quads; ++q) {
    const uint32_t v = q / quads * side + q % quads;
    put_quad(c->corners + 2 * q, v, v + side, v + 1, v + side + 1);
  }
  return true;
}

/* How far the cut has come, from 0 to 2, and the flaps with it. */
static double cut_at(int frame)
{
  const double back = 2.0 * (TOGETHER - 1 - frame) / (TOGETHER - TORN);
  return frame < TORN ? 2.0 * frame / TORN : fmax(back, 0);
}

/* A row's vertex is split when the cut arrives. */
static int torn_rows(const cut *c, int frame)
{
  const int rows = (int)(cut_at(frame) / 2 * (c->across - 1)) + 1;
  return frame >= TOGETHER ? 0 : frame >= TORN ? (int)c->across : rows;
}

/* What is torn flutters, the more the farther from the end of the cut; both flaps to the middle. */
static void place_cloth(cut *c, int frame)
{
  const double end = cut_at(frame), step = 2.0 / (c->across - 1);
  for (uint32_t v = 0; v < c->vertices; ++v) {
    const bool later = v >= c->across * c->across;
    const uint32_t row = later ? v - c->across * c->across : v / c->across;
    const uint32_t column = later ? c->across / 2 : v % c->across;
    const bool right = later || column > c->across / 2;
    const double x = step * column - 1, z = step * row, loose = fmax(end - z, 0), phase = 0.09 * frame + 4 * x;
    c->at[v][0] = x + (right ? -0.35 : 0.35) * loose;
    c->at[v][1] = 0.3 * loose * (right ? sin(phase) : cos(1.3 * phase)) + 0.04 * sin(0.05 * frame + 3 * z);
    c->at[v][2] = z;
  }
}

/* Splits the vertex of the seam in a row, so that triangles right of the seam get its twin; or
 * merges both. */
static pl_status tear_row(cut *c, pl_body *body, int step, bool back)
{
  const uint32_t row = (uint32_t)step, quads = c->across - 1, vertex = seam(c, row), new = twin(c, row);
  const uint32_t pair[2] = {new, vertex};
  uint32_t ends[2] = {0, 0}, list[6];
  for (uint32_t j = row ? row - 1 : 0; j <= row && j < quads; ++j)
    for (uint32_t t = 2 * (j * quads + c->across / 2), end = t + 2; t < end; ++t)
      for (int k = 0; k < 3; ++k) {
        if (c->corners[t][k] != vertex) continue;
        list[ends[1]++] = t;
        c->shown[t][k] = back ? vertex : new;
      }
  pl_edit edit = pl_edit_default();
  edit.split_vertices = &vertex;
  edit.split_first = ends;
  edit.split_triangles = list;
  edit.split_count = back ? 0 : 1;
  edit.vertex_indices = back ? NULL : &new;
  edit.merged_vertices = pair;
  edit.merged_count = back ? 1 : 0;
  return pl_body_edit(body, &edit);
}

/* ----------------------------------------------------------------------------------- the bar -- */

enum { CARVE_FRAMES = 500, CARVED = 180, FUSED = 380 };

static uint32_t middle(const cut *c) { return c->along / 2 - 1; } /* the ring before the cut */

/* A lid on a ring: a triangle for each edge, to one vertex in the middle. */
static void put_lid(const cut *c, uint32_t ring, uint32_t centre, bool turned, uint32_t (*out)[3])
{
  for (uint32_t k = 0; k < c->across; ++k) {
    const uint32_t i = ring * c->across + k, j = ring * c->across + (k + 1) % c->across;
    put(out[k], centre, turned ? j : i, turned ? i : j);
  }
}

/* Sides, two lids; then the two lids of the cut, which come later. */
static bool make_bar(cut *c, int detail)
{
  c->across = (uint32_t)(detail < 200 ? detail : 200);
  c->along = 2 * c->across;
  const uint32_t bar = c->along * c->across, sides = 2 * (c->along - 1) * c->across;
  if (!make_room(c, bar + 4, sides + 4 * c->across, sides + 2 * c->across)) return false;
  for (uint32_t q = 0; q < sides / 2; ++q) {
    const uint32_t i = q, j = q / c->across * c->across + (q + 1) % c->across;
    put_quad(c->corners + 2 * q, i, j, i + c->across, j + c->across);
  }
  const uint32_t rings[4] = {0, c->along - 1, middle(c), middle(c) + 1};
  for (uint32_t k = 0; k < 4; ++k) put_lid(c, rings[k], bar + k, k == 0 || k == 3, c->corners + sides + k * c->across);
  return true;
}

static int carved_steps(const cut *c, int frame)
{
  (void)c;
  return (frame >= CARVED) + (frame >= FUSED);
}

/* A ring of the bar, which is part of a circle; the halves are moved apart by `gap`. */
static void place_ring(const cut *c, uint32_t ring, double bend, double gap, double (*out)[3])
{
  const double part = 2.0 * ring / (c->along - 1) - 1, angle = bend * part, side = part < 0 ? -1 : 1;
  const double centre[3] = {sin(angle) / bend + side * gap, (1 - cos(angle)) / bend, 0.25 * gap * side};
  const double thick = 0.3 + 0.05 * cos(22.4 * ring / c->along);
  for (uint32_t k = 0; k < c->across; ++k) {
    const double around = 2 * acos(-1) * k / c->across, in = thick * cos(around);
    out[k][0] = centre[0] - in * sin(angle);
    out[k][1] = centre[1] + in * cos(angle);
    out[k][2] = centre[2] + thick * sin(around);
  }
}

/* Bent until its ends meet; then the halves swing through each other and back; then straight. */
static void place_bar(cut *c, int frame)
{
  const uint32_t bar = c->along * c->across, rings[4] = {0, c->along - 1, middle(c), middle(c) + 1};
  const double full = 0.1 + 3.3 * fmin(1, frame / 150.0), back = fmax(frame - FUSED, 0) / (CARVE_FRAMES - FUSED);
  const double swing = sin(acos(-1) * (frame - CARVED) / (FUSED - CARVED));
  const double gap = frame >= CARVED && frame < FUSED ? -0.4 * swing : 0;
  for (uint32_t ring = 0; ring < c->along; ++ring)
    place_ring(c, ring, full - 3.3 * back, gap, c->at + ring * c->across);
  for (uint32_t lid = 0; lid < 4; ++lid)
    for (int i = 0; i < 3; ++i) {
      double sum = 0;
      for (uint32_t k = 0; k < c->across; ++k) sum += c->at[rings[lid] * c->across + k][i];
      c->at[bar + lid][i] = sum / c->across;
    }
}

/* Carving takes away the quads between two rings and adds lids; fusing is the reverse. */
static pl_status carve(cut *c, pl_body *body, int step, bool back)
{
  const bool apart = (step == 0) != back;
  const uint32_t count = 2 * c->across, quads = count * middle(c), lids = c->triangles - count;
  const uint32_t gone = apart ? quads : lids, come = apart ? lids : quads;
  uint32_t *list = malloc(2 * count * sizeof *list);
  if (!list) return PL_ERROR_MEMORY;
  for (uint32_t k = 0; k < count; ++k) {
    list[k] = gone + k;
    list[count + k] = come + k;
    memset(c->shown[gone + k], 0, sizeof *c->shown);
    memcpy(c->shown[come + k], c->corners[come + k], sizeof *c->shown);
  }
  pl_edit edit = pl_edit_default();
  edit.removed_triangles = list;
  edit.removed_triangle_count = count;
  edit.added_indices = list + count;
  edit.added_corners = c->corners[come];
  edit.added_count = count;
  pl_status status = pl_body_edit(body, &edit);
  free(list);
  return status;
}

/* --------------------------------------------------------------------------------- the stage -- */

static const cut_kind kinds[] = {
    {"tear", TEAR_FRAMES, 24, make_cloth, torn_rows, place_cloth, tear_row},
    {"carve", CARVE_FRAMES, 24, make_bar, carved_steps, place_bar, carve},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static pl_status make_body(web_stage *stage, size_t part, const pl_body_def *def, pl_body **out)
{
  cut *c = stage->data;
  (void)part;
  if (def->strategy == PL_STRATEGY_INFLATE) return PL_ERROR_UNSUPPORTED; /* cannot be edited */
  memcpy(c->shown, c->corners, c->first * sizeof *c->shown);
  memset(c->shown + c->first, 0, (c->triangles - c->first) * sizeof *c->shown);
  c->done = 0;
  c->kind->place(c, 0);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(c->at[0], c->vertices);
  mesh.triangles = c->corners[0];
  mesh.triangle_count = c->first;
  ++stage->edits;
  return pl_body_create_free(stage->context, &mesh, def, out);
}

static bool pose_cut(web_stage *stage, int frame)
{
  cut *c = stage->data;
  pl_body *body = stage->parts[0].driver;
  const int steps = c->kind->steps(c, frame);
  pl_status status = PL_OK;
  for (; c->done < steps && status == PL_OK; c->done += status == PL_OK, ++stage->edits)
    status = c->kind->step(c, body, c->done, false);
  for (; c->done > steps && status == PL_OK; c->done -= status == PL_OK, ++stage->edits)
    status = c->kind->step(c, body, c->done - 1, true);
  c->kind->place(c, frame);
  if (status == PL_OK) status = pl_body_set_positions(body, pl_positions_f64(c->at[0], c->vertices));
  return web_check(stage->context, status);
}

static void free_cut(cut *c)
{
  free(c->corners);
  free(c->shown);
  free(c->at);
  free(c);
}
static void close_cut(web_stage *stage) { free_cut(stage->data); }

static const web_source source = {make_body, pose_cut, close_cut};

/* name: of the list above. detail: half of the quads along the cloth, or the vertices around the
 * bar; 0 for the usual one. Bodies come with web_stage_settle(). */
web_stage *WEB_EXPORT(web_stage_cut)(pl_context *context, const char *name, int detail)
{
  int k = 0;
  while (k < KINDS && strcmp(kinds[k].name, name) != 0) ++k;
  if (k == KINDS) return web_fail("there is no scene '%.40s'", name), NULL;
  if (detail && detail < 3) return web_fail("the scene '%s' has no detail %d", name, detail), NULL;
  cut *c = calloc(1, sizeof *c);
  if (!c) return web_fail("out of memory"), NULL;
  c->kind = &kinds[k];
  web_stage *stage = c->kind->make(c, detail ? detail : c->kind->detail) ? web_stage_create(context, &source, c) : NULL;
  if (!stage) {
    free_cut(c);
    return web_fail("out of memory"), NULL;
  }
  stage->frames = c->kind->frames;
  web_part *part = web_stage_part(stage, name, c->shown[0], c->triangles, c->vertices);
  if (part) {
    part->self = true;
    return stage;
  }
  web_stage_destroy(stage);
  return NULL;
}

/* The name of a scene; NULL behind the last. */
const char *WEB_EXPORT(web_cut_name)(int index) { return index >= 0 && index < KINDS ? kinds[index].name : NULL; }
