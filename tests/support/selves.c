#include "support/selves.h"
#include "scenes/ask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const pl_self_method methods[METHODS] = {PL_SELF_METHOD_AUTO, PL_SELF_METHOD_CONES, PL_SELF_METHOD_BOXES,
                                         PL_SELF_METHOD_HASH};

pl_positions positions_of(const world_mesh *m, bool doubles)
{
  return doubles ? pl_positions_f64(m->xyz, m->vertex_count) : pl_positions_f32(m->xyz_f32, m->vertex_count);
}

pl_mesh_def mesh_of(const world_mesh *m, bool doubles)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = positions_of(m, doubles);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

pair_list reference_self_of(pl_body *body, bool neighbours)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.rings = (neighbours) ? 0 : 1;
  assert_int_equal(refer_touching(pl_self(body), &def, &found), PL_OK);
  return copy_pairs(found);
}

size_t assert_self(pl_body *body, pl_context *context, bool neighbours, const char *what)
{
  pair_list wanted = reference_self_of(body, neighbours);
  for (int k = 0; k < METHODS; ++k) {
    const pl_result *found;
    pl_question def = pl_question_default();
    char where[256];
    snprintf(where, sizeof where, "%s by %s%s", what, pl_word(PL_WORDS_SELF, methods[k]),
             neighbours ? " with neighbours" : "");
    def.self_method = methods[k];
    def.rings = (neighbours) ? 0 : 1;
    if (pl_touching(pl_self(body), &def, &found) != PL_OK) fail_msg("%s: %s", where, pl_context_message(context));
    for (size_t i = 0; i < found->count; ++i) assert_true(found->pairs[i].a < found->pairs[i].b);
    assert_same_pairs(found->pairs, found->count, wanted.pairs, wanted.count, where);
  }
  free(wanted.pairs);
  return wanted.count;
}

double sheet_margin(const world_mesh *m)
{
  double size = 0;
  for (size_t i = 0; i < 3 * m->vertex_count; i += 3) size = fmax(size, fabs(m->xyz[i] - m->xyz[0]));
  return 0.04 * size;
}

pl_body *sheet_body(pl_context *context, const world_mesh *m, const pl_body_def *def, bool doubles)
{
  pl_mesh_def mesh = mesh_of(m, doubles);
  pl_body *body;
  assert_int_equal(pl_body_create_free(context, &mesh, def, &body), PL_OK);
  return body;
}
