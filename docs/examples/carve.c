/* A bar is bent until its ends press into each other, carved into two in the middle, and fused
 * again. All the time it is one body: contacts of the bar with itself, those of one half with the
 * other included, are asked for in every frame, and compared in some frames with those that a look
 * at all triangles finds. It is closed before, between and afterwards. */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { RINGS = 32, AROUND = 12, BAR = RINGS * AROUND, MOST = BAR + 4, FRAMES = 500, CARVED = 180, FUSED = 380 };
enum { SIDES = 2 * (RINGS - 1) * AROUND, TRIANGLES = SIDES + 2 * AROUND, SEAM = RINGS / 2 - 1 };

static double now[MOST][3];
static uint32_t triangles[TRIANGLES][3];

static void check(pl_status status, pl_context *context)
{
  if (status != PL_OK) fprintf(stderr, "%s\n", pl_context_message(context)), exit(1);
}

/* A lid on a ring: one vertex in the middle, and a triangle to each edge. */
static void make_lid(uint32_t ring, uint32_t middle, int turned, uint32_t (*out)[3])
{
  for (uint32_t k = 0; k < AROUND; ++k) {
    out[k][0] = middle;
    out[k][1 + turned] = ring * AROUND + k;
    out[k][2 - turned] = ring * AROUND + (k + 1) % AROUND;
  }
}

static void make_bar(void)
{
  for (uint32_t q = 0; q < SIDES / 2; ++q) {
    uint32_t a = q / AROUND * AROUND + q % AROUND, b = q / AROUND * AROUND + (q + 1) % AROUND, *out = triangles[2 * q];
    out[0] = a, out[1] = b, out[2] = a + AROUND, out[3] = a + AROUND, out[4] = b, out[5] = b + AROUND;
  }
  make_lid(0, BAR, 1, triangles + SIDES);
  make_lid(RINGS - 1, BAR + 1, 0, triangles + SIDES + AROUND);
}

/* Where the middle of a ring is, and two directions across: the bar is part of a circle. */
static void place(double along, double bend, double gap, double out[3][3])
{
  double angle = bend * along, radius = 1 / bend, side = along < 0 ? -1 : 1;
  double frame[3][3] = {{radius * sin(angle) + side * gap, radius * (1 - cos(angle)), 0.25 * gap * side},
                        {-sin(angle), cos(angle), 0},
                        {0, 0, 1}};
  for (int i = 0; i < 9; ++i) out[i / 3][i % 3] = frame[i / 3][i % 3];
}

static void pose(double bend, double gap)
{
  double frame[3][3];
  for (int v = 0; v < BAR; ++v) {
    double angle = 2 * acos(-1) * (v % AROUND) / AROUND, thick = 0.3 + 0.05 * cos(0.7 * (v / AROUND));
    place((v / AROUND - (RINGS - 1) / 2.0) / (RINGS - 1) * 2, bend, gap, frame);
    for (int i = 0; i < 3; ++i) now[v][i] = frame[0][i] + thick * (cos(angle) * frame[1][i] + sin(angle) * frame[2][i]);
  }
  static const int of[4] = {0, RINGS - 1, SEAM, SEAM + 1}; /* the middles of lids */
  for (int lid = 0; lid < 4; ++lid)
    for (int i = 0; i < 3; ++i) {
      now[BAR + lid][i] = 0;
      for (int k = 0; k < AROUND; ++k) now[BAR + lid][i] += now[of[lid] * AROUND + k][i] / AROUND;
    }
}

/* The quads between two rings go, and lids come: new triangles take the next indices. */
static pl_status carve(pl_body *bar)
{
  uint32_t gone[2 * AROUND], lids[2 * AROUND][3];
  for (uint32_t k = 0; k < 2 * AROUND; ++k) gone[k] = 2 * SEAM * AROUND + k;
  make_lid(SEAM, BAR + 2, 0, lids);
  make_lid(SEAM + 1, BAR + 3, 1, lids + AROUND);
  pl_edit edit = pl_edit_default();
  edit.vertices = pl_positions_f64(now[BAR + 2], 2);
  edit.removed_triangles = gone, edit.removed_triangle_count = 2 * AROUND;
  edit.added_corners = lids[0], edit.added_count = 2 * AROUND;
  return pl_body_edit(bar, &edit);
}

/* The lids go, with their vertices, and the quads come back under their old indices. */
static pl_status fuse(pl_body *bar)
{
  uint32_t back[2 * AROUND], middles[2] = {BAR + 2, BAR + 3};
  for (uint32_t k = 0; k < 2 * AROUND; ++k) back[k] = 2 * SEAM * AROUND + k;
  pl_edit edit = pl_edit_default();
  edit.removed_vertices = middles, edit.removed_vertex_count = 2;
  edit.added_corners = triangles[2 * SEAM * AROUND], edit.added_indices = back, edit.added_count = 2 * AROUND;
  return pl_body_edit(bar, &edit);
}

static size_t contacts(pl_context *context, pl_body *bar, bool reference)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  how.reference = reference;
  check(pl_touching(pl_self(bar), &how, &found), context);
  return found->count;
}

static bool is_closed(pl_context *context, pl_body *bar)
{
  pl_closure closure;
  check(pl_body_closure(bar, &closure, NULL), context);
  return closure == PL_CLOSURE_CLOSED;
}

int main(void)
{
  pl_context *context = NULL;
  pl_body *bar = NULL;
  pl_mesh_def mesh = pl_mesh_def_default();
  size_t frames[3] = {0}, vertices = BAR + 2;
  bool closed = true;
  check(pl_context_create(NULL, &context), context);
  make_bar();
  pose(0.1, 0);
  mesh.positions = pl_positions_f64(now[0], vertices);
  mesh.triangles = triangles[0];
  mesh.triangle_count = TRIANGLES;
  check(pl_body_create_free(context, &mesh, NULL, &bar), context);
  for (int frame = 0; frame < FRAMES; ++frame) {
    int part = frame < CARVED ? 0 : frame < FUSED ? 1 : 2;
    /* bent until the ends meet; then the halves swing apart, through each other, and back */
    double bend = 0.1 + 3.3 * fmin(1, frame / 150.0), swing = sin(acos(-1) * (frame - CARVED) / (FUSED - CARVED));
    pose(part == 2 ? bend - 3.3 * (frame - FUSED) / (FRAMES - FUSED) : bend, part == 1 ? -0.4 * swing : 0);
    if (frame == CARVED) check(carve(bar), context), vertices += 2;
    if (frame == FUSED) check(fuse(bar), context);
    check(pl_body_set_positions(bar, pl_positions_f64(now[0], vertices)), context);
    size_t count = contacts(context, bar, false);
    frames[part] += count > 0;
    if (frame % 20 == 0 && count != contacts(context, bar, true)) return 1;
    if (frame % 60 == 0) closed = closed && is_closed(context, bar);
  }
  printf("closed all the time: %s\n", closed && is_closed(context, bar) ? "yes" : "no");
  printf("contacts as one: %s, as two: %s, fused: %s\n", frames[0] > 20 ? "yes" : "no", frames[1] > 100 ? "yes" : "no",
         frames[2] > 5 ? "yes" : "no");
  pl_context_destroy(context);
  return 0;
}
