/* Sheets of SIDE x SIDE vertices that are folded onto themselves, stacked in a scene. For tests
 * that define FOLDED_SIDE. */
#ifndef TESTS_FOLDED_H
#define TESTS_FOLDED_H

#include "pliant/pliant.h"

#include "support/support.h"

enum { SIDE = FOLDED_SIDE, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), BODIES = 3 };

/* The same numbers everywhere, in [0, 1). */
static uint64_t seed;

static inline double uniform(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11) * 0x1p-53;
}

static inline void folded_triangles(uint32_t out[TRIANGLES][3])
{
  for (uint32_t j = 0; j + 1 < SIDE; ++j)
    for (uint32_t i = 0; i + 1 < SIDE; ++i, out += 2) {
      const uint32_t a = j * SIDE + i, b = a + 1, c = a + SIDE, d = c + 1;
      const uint32_t two[2][3] = {{a, b, d}, {a, d, c}};
      memcpy(out, two, sizeof two);
    }
}

/* Vertex v of a sheet that lies at a height; the folded half is `gap` above. */
static inline void folded_place(int v, double height, double gap, double out[3])
{
  const int i = v % SIDE, fold = SIDE / 2;
  out[0] = i <= fold ? i : 2 * fold - i;
  out[1] = (double)(v / SIDE);
  out[2] = height + (i <= fold ? 0 : gap);
}

/* Adds a sheet to a scene. */
static inline pl_body *folded_add(pl_context *context, pl_scene *scene, pl_positions at,
                                  uint32_t triangles[TRIANGLES][3], bool self)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  pl_member_def member = pl_member_def_default();
  pl_body *body = NULL;
  mesh.positions = at;
  mesh.triangles = triangles[0];
  mesh.triangle_count = TRIANGLES;
  member.self = self;
  assert_int_equal(pl_body_create_free(context, &mesh, NULL, &body), PL_OK);
  assert_int_equal(pl_scene_add(scene, body, &member), PL_OK);
  return body;
}

/* Two of them, one, or all. */
static inline pl_who folded_who(pl_scene *scene, pl_body *const body[BODIES], int i)
{
  return i == 0 ? pl_two(body[0], body[1]) : i == 1 ? pl_self(body[0]) : pl_all(scene);
}

#endif
