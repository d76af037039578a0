/* A cloth is torn along a moving cut, while its two flaps flutter into each other, and sewn up.
 * Every few frames one vertex of the seam is split; contacts of the cloth with itself are asked for
 * in every frame, and compared with those that a look at all triangles finds in some. */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 31, CLOTH = SIDE * SIDE, MOST = CLOTH + SIDE, EVERY = 14, TORN = EVERY * SIDE, FRAMES = TORN + 66 };
enum { TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), SEAM = SIDE / 2 };

static double rest[MOST][2], now[MOST][3];
static int side[MOST]; /* 1: right of the seam */
static uint32_t triangles[TRIANGLES][3], twin[SIDE];
static size_t vertices = CLOTH;

static void check(pl_status status, pl_context *context)
{
  if (status != PL_OK) fprintf(stderr, "%s\n", pl_context_message(context)), exit(1);
}

static void make_cloth(void)
{
  for (int v = 0; v < CLOTH; ++v) {
    rest[v][0] = 2.0 * (v % SIDE) / (SIDE - 1) - 1, rest[v][1] = 2.0 * (v / SIDE) / (SIDE - 1);
    side[v] = v % SIDE > SEAM;
  }
  for (uint32_t q = 0; q < TRIANGLES / 2; ++q) {
    uint32_t a = q / (SIDE - 1) * SIDE + q % (SIDE - 1), b = a + SIDE, *out = triangles[2 * q];
    out[0] = a, out[1] = b, out[2] = a + 1, out[3] = a + 1, out[4] = b, out[5] = b + 1;
  }
}

/* What is torn flutters, the more the farther from the end of the cut; both flaps to the middle. */
static void pose(double cut, int frame)
{
  for (size_t v = 0; v < vertices; ++v) {
    double free = fmax(cut - rest[v][1], 0), phase = 0.09 * frame + 4 * rest[v][0], in = side[v] ? -1 : 1;
    now[v][0] = rest[v][0] + 0.35 * in * free;
    now[v][1] = 0.3 * free * (side[v] ? sin(phase) : cos(1.3 * phase));
    now[v][2] = rest[v][1];
  }
}

/* Splits the seam's vertex in a row: triangles right of the seam get the new one. They are those of
 * the two quads beside it; indices of triangles never change. */
static pl_status split(pl_body *cloth, uint32_t row)
{
  uint32_t vertex = row * SIDE + SEAM, first[2] = {0, 0}, list[6];
  for (uint32_t j = row ? row - 1 : 0; j <= row && j + 1 < SIDE; ++j)
    for (uint32_t t = 2 * (j * (SIDE - 1) + SEAM), end = t + 2; t < end; ++t)
      for (int c = 0; c < 3; ++c)
        if (triangles[t][c] == vertex) list[first[1]++] = t;
  pl_edit edit = pl_edit_default();
  edit.split_vertices = &vertex, edit.split_first = first, edit.split_triangles = list, edit.split_count = 1;
  twin[row] = (uint32_t)vertices;
  rest[vertices][0] = rest[vertex][0], rest[vertices][1] = rest[vertex][1];
  side[vertices++] = 1;
  return pl_body_edit(cloth, &edit);
}

/* Sews the seam up: what has a twin has the vertex itself again. */
static pl_status sew(pl_body *cloth)
{
  uint32_t pairs[2 * SIDE];
  for (uint32_t row = 0; row < SIDE; ++row) pairs[2 * row] = twin[row], pairs[2 * row + 1] = row * SIDE + SEAM;
  pl_edit edit = pl_edit_default();
  edit.merged_vertices = pairs, edit.merged_count = SIDE;
  return pl_body_edit(cloth, &edit);
}

static size_t contacts(pl_context *context, pl_body *cloth, bool reference)
{
  const pl_result *found;
  pl_question how = pl_question_default();
  how.reference = reference;
  check(pl_touching(pl_self(cloth), &how, &found), context);
  return found->count;
}

int main(void)
{
  pl_context *context = NULL;
  pl_body *cloth = NULL;
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_closure closure;
  size_t border = 0, torn_border = 0, sewn_border = 0, pairs = 0, frames = 0;
  check(pl_context_create(NULL, &context), context);
  make_cloth();
  pose(0, 0);
  mesh.positions = pl_positions_f64(now[0], CLOTH);
  mesh.triangles = triangles[0];
  mesh.triangle_count = TRIANGLES;
  check(pl_body_create_free(context, &mesh, NULL, &cloth), context);
  check(pl_body_closure(cloth, &closure, &border), context);
  for (int frame = 0; frame < FRAMES; ++frame) {
    if (frame < TORN && frame % EVERY == 0) check(split(cloth, (uint32_t)(frame / EVERY)), context);
    /* at last the flaps come together */
    pose(frame < TORN ? 2.0 * frame / TORN : 2.0 * (FRAMES - 1 - frame) / (FRAMES - TORN), frame);
    check(pl_body_set_positions(cloth, pl_positions_f64(now[0], vertices)), context);
    size_t count = contacts(context, cloth, false);
    pairs += count, frames += count > 0;
    if (frame % 24 == 0 && count != contacts(context, cloth, true)) return 1;
  }
  check(pl_body_closure(cloth, &closure, &torn_border), context);
  check(sew(cloth), context);
  check(pl_body_closure(cloth, &closure, &sewn_border), context);
  printf("torn: %zu more edges of the border; sewn up: %zu\n", torn_border - border, sewn_border - border);
  printf("contacts in %s frames\n", frames > FRAMES / 2 && pairs > frames ? "most" : "too few");
  pl_context_destroy(context);
  return sewn_border != border;
}
