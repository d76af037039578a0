/* Bodies that match shapes, of all kinds and magnitudes: every sphere contains its points,
 * spheres that touch are those of the reference, and triangles as well. */
#include "../../../extras/scenes/ask.h"
#include "support/probes.h"
#include "world.h"

enum { MOST_POINTS = 16, MOST_CLUSTERS = 3, TERMS = 9, MOST_SPHERES = MOST_CLUSTERS * 32 };

typedef struct jelly {
  pl_body *body;
  pl_match_kind kind;
  size_t count, clusters;
  double rest; /* size at rest */
} jelly;

/* A power of ten: ordinary ones in ordinary worlds, any that a double holds in others. */
static double magnitude(world *w, int low, int high)
{
  if (w->profile == PROFILE_ORDINARY) return pow(10, below(w, 7) - 3);
  const double x = pow(10, low + below(w, high - low + 1));
  return x > 0 ? x : 5e-324;
}

static pl_status create_jelly(world *w, jelly *j, int number)
{
  double xyz[3 * MOST_POINTS];
  uint32_t triangles[3 * MOST_POINTS];
  j->count = 1 + (size_t)below(w, MOST_POINTS);
  j->clusters = 1 + (size_t)below(w, MOST_CLUSTERS) % j->count;
  j->kind = (pl_match_kind)below(w, PL_MATCH_COUNT);
  j->rest = magnitude(w, -13, 14);
  for (size_t i = 0; i < 3 * j->count; ++i) {
    xyz[i] = j->rest * (below(w, 3) ? uniform(w, -1, 1) : below(w, 3) - 1);
    triangles[i] = (uint32_t)below(w, (int)j->count);
  }
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(xyz, j->count);
  mesh.triangles = below(w, 2) ? triangles : NULL;
  mesh.triangle_count = mesh.triangles ? j->count : 0;
  pl_match_def match = pl_match_def_default();
  match.kind = j->kind;
  match.cluster_count = (int)j->clusters;
  match.leaf_points = 1 + below(w, 4);
  pl_body_def d = pl_body_def_default();
  d.arity = 2 << below(w, 3);
  d.leaf_size = 1 + below(w, 4);
  trace_doubles(w, number ? "rest1" : "rest0", xyz, 3 * j->count);
  trace_indices(w, number ? "triangles1" : "triangles0", triangles, 3 * j->count);
  trace(w,
        "  { pl_mesh_def mesh = pl_mesh_def_default(); mesh.positions = pl_positions_f64(rest%d, %zu);\n"
        "  mesh.triangles = triangles%d; mesh.triangle_count = %zu; pl_match_def m = pl_match_def_default(); m.kind = "
        "%d;\n"
        "  m.cluster_count = %d; m.leaf_points = %d; pl_body_def d = pl_body_def_default(); d.arity = %d; d.leaf_size "
        "= %d;\n"
        "  pl_body_create_match(context, &mesh, &m, &d, &jelly[%d]); }\n",
        number, j->count, number, mesh.triangle_count, (int)j->kind, match.cluster_count, match.leaf_points, d.arity,
        d.leaf_size, number);
  return CALL(w, pl_body_create_match(w->context, &mesh, &match, &d, &j->body));
}

/* Positions of either type, or maps, of a magnitude; what goes beyond the documented limit may
 * be refused. */
static void move_jelly(world *w, jelly *j, int number, double size)
{
  double xyz[3 * MOST_POINTS];
  float floats[3 * MOST_POINTS];
  pl_match_map maps[MOST_CLUSTERS];
  const int way = below(w, 3);
  pl_status status;
  trace(w, "  {\n");
  if (way < 2) {
    const double noise = below(w, 3) * 0.3;
    for (size_t i = 0; i < 3 * j->count; ++i)
      xyz[i] = size * (uniform(w, -noise, noise) + 0.3 * (double)(i / 3 % 4) - 0.2 * (double)(i % 5) + number);
    for (size_t i = 0; i < 3 * j->count; ++i) floats[i] = fabs(xyz[i]) > 1e30 ? 0 : (float)xyz[i];
    pl_positions p = way ? pl_positions_f32(floats, j->count) : pl_positions_f64(xyz, j->count);
    trace_positions(w, "p", p);
    trace(w, "  pl_body_set_positions(jelly[%d], p);\n  }\n", number);
    status = CALL(w, pl_body_set_positions(j->body, p));
  } else {
    memset(maps, 0, sizeof maps);
    for (size_t i = 0; i < 3 * j->clusters; ++i) {
      pl_match_map *m = &maps[i / 3];
      m->t[i % 3] = size * uniform(w, -1, 1);
      for (int k = 0; k < (j->kind == PL_MATCH_QUADRATIC ? TERMS : 3); ++k)
        m->m[i % 3][k] = size / j->rest / (k < 3 ? 1 : j->rest) * uniform(w, -1, 1);
    }
    trace_doubles(w, "m", &maps[0].m[0][0], sizeof *maps / sizeof(double) * j->clusters);
    trace(w, "  pl_body_set_match(jelly[%d], (const pl_match_map *)m, %zu);\n  }\n", number, j->clusters);
    status = CALL(w, pl_body_set_match(j->body, maps, j->clusters));
  }
  if (status == PL_OK || status == PL_ERROR_MEMORY) return;
  refused(w, status, "a body that matches shapes");
  require(w, w->profile != PROFILE_ORDINARY, "a body that matches shapes was refused: %s",
          pl_context_message(w->context));
}

/* In long double, without a tolerance. */
static void check_spheres(world *w, jelly *j, int number)
{
  double at[MOST_POINTS][3];
  require(w, pl_body_positions(j->body, NULL, j->count, PL_F64, at, 0) == PL_OK, "positions");
  for (int level = 0; level < pl_body_sphere_levels(j->body); ++level) {
    pl_sphere s[MOST_SPHERES];
    const size_t count = pl_body_sphere_count(j->body, level);
    require(w, pl_body_spheres(j->body, level, s, MOST_SPHERES) == PL_OK, "spheres: %s",
            pl_context_message(w->context));
    note(w, s, count * sizeof *s);
    for (size_t i = 0; i < count; ++i) {
      pl_sphere_node node;
      require(w, pl_body_sphere_node(j->body, level, i, &node) == PL_OK, "a node");
      for (size_t k = 0; k < node.count; ++k) {
        long double d = 0;
        for (int a = 0; a < 3; ++a) {
          const long double x = (long double)at[node.points[k]][a] - (long double)s[i].centre[a];
          d += x * x;
        }
        require(w, sqrtl(d) <= (long double)s[i].radius,
                "jelly %d: sphere %zu of level %d has the radius %a, its point %u is %La from the centre", number, i,
                level, (double)s[i].radius, node.points[k], sqrtl(d));
      }
    }
  }
}

static void check_touches(world *w, jelly j[2])
{
  pl_question def = pl_question_default();
  const pl_plane plane = {{0.6, 0, 0.8}, 0.5};
  const pl_result *got = NULL, *wanted;
  def.level = below(w, 6) - 1;
  def.contacts = below(w, 2);
  def.planes = &plane;
  def.plane_count = (size_t)below(w, 2);
  trace(w,
        "  { pl_question t = pl_question_default(); t.level = %d; t.contacts = %d; const pl_result *touches;\n"
        "  pl_sphere_contacts(pl_two(jelly[0], jelly[1]), &t, &touches); } /* with %zu planes */\n",
        def.level, def.contacts, def.plane_count);
  pl_status status = CALL(w, pl_sphere_contacts(pl_two(j[0].body, j[1].body), &def, &got));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "touch: %s", pl_context_message(w->context));
  const size_t count = got->count, point_count = got->sphere_point_count;
  pl_sphere_contact *touches = fuzz_array(count, sizeof *touches);
  pl_sphere_point *held = fuzz_array(point_count, sizeof *held);
  if (count) memcpy(touches, got->spheres, count * sizeof *touches);
  if (point_count) memcpy(held, got->sphere_points, point_count * sizeof *held);
  note(w, touches, count * sizeof *touches);
  require(w, reference_spheres(pl_two(j[0].body, j[1].body), &def, &wanted) == PL_OK, "the reference");
  require(w, count == wanted->count && point_count == wanted->sphere_point_count,
          "touch: %zu spheres and %zu points instead of %zu and %zu", count, point_count, wanted->count,
          wanted->sphere_point_count);
  require(w, !count || !memcmp(touches, wanted->spheres, count * sizeof *touches), "touch: other spheres");
  require(w, !point_count || !memcmp(held, wanted->sphere_points, point_count * sizeof *held), "touch: other points");
  free(touches);
  free(held);
}

static void check_triangles(world *w, jelly j[2])
{
  const pl_result *got = NULL, *wanted;
  trace(w, "  pl_touching(pl_two(jelly[0], jelly[1]), NULL, &pairs);\n");
  pl_status status = CALL(w, pl_touching(pl_two(j[0].body, j[1].body), NULL, &got));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "collide: %s", pl_context_message(w->context));
  const size_t count = got->count;
  for (size_t i = 0; i < count; ++i) w->found[i] = key_of(got->pairs[i]);
  require(w, refer_touching(pl_two(j[0].body, j[1].body), NULL, &wanted) == PL_OK, "the reference");
  for (size_t i = 0; i < wanted->count; ++i) w->wanted[i] = key_of(wanted->pairs[i]);
  check_pairs(w, count, wanted->count, true, false, "collide of bodies that match shapes");
}

void call_match(world *w)
{
  jelly j[2] = {{0}};
  pl_status status = PL_OK;
  seed_of(w);
  trace(w, "  { pl_body *jelly[2] = {0};\n");
  for (int i = 0; i < 2 && status == PL_OK; ++i) status = create_jelly(w, &j[i], i);
  if (status != PL_OK) refused(w, status, "creating a body that matches shapes");
  for (int step = 0; step < 3 && status == PL_OK; ++step) {
    const double size = magnitude(w, -330, 31);
    for (int i = 0; i < 2; ++i) {
      move_jelly(w, &j[i], i, size * (below(w, 3) ? 1 : magnitude(w, -20, 1)));
      check_spheres(w, &j[i], i);
    }
    check_touches(w, j);
    check_triangles(w, j);
  }
  trace(w, "  pl_body_destroy(jelly[0]); pl_body_destroy(jelly[1]); }\n");
  for (int i = 0; i < 2; ++i) pl_body_destroy(j[i].body);
}
