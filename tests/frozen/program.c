/* A program as people wrote it against 0.2, compiled with the headers of then and linked to the
 * library of now: it uses every kind of definition and of result, with guards around those that
 * are its own, and prints what does not depend on the machine. tests/frozen.sh compares that
 * with what it printed when the headers were frozen. */
#include <pliant/pliant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 12, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1), FILL = 0x5A };

#define GUARDED(type, name)                                                                                            \
  struct {                                                                                                             \
    unsigned char before[64];                                                                                          \
    type it;                                                                                                           \
    unsigned char after[64];                                                                                           \
  } name;                                                                                                              \
  memset(&name, FILL, sizeof name)

#define INTACT(name) check_guards(name.before, name.after, #name)

static void check_guards(const unsigned char before[64], const unsigned char after[64], const char *name)
{
  for (int i = 0; i < 64; ++i)
    if (before[i] != FILL || after[i] != FILL) {
      printf("the library wrote beyond %s\n", name);
      exit(1);
    }
}

static pl_context *context;

static void need(pl_status status, const char *call)
{
  if (status == PL_OK) return;
  printf("%s: %s\n", call, context ? pl_context_message(context) : pl_status_text(status));
  exit(1);
}
#define NEED(call) need(call, #call)

static float sheet[3][3 * VERTICES];
static uint32_t triangles[3 * TRIANGLES];

static void make_sheets(void)
{
  size_t k = 0;
  for (int i = 0; i < VERTICES; ++i)
    for (int s = 0; s < 3; ++s) {
      float x = (float)(i % SIDE) / 8, y = (float)(i / SIDE) / 8;
      sheet[s][3 * i + 0] = s == 1 ? x - 0.3f : x;
      sheet[s][3 * i + 1] = y;
      sheet[s][3 * i + 2] = s == 1 ? x - 0.5f : s == 2 ? (x - 0.7f) * (y - 0.6f) : 0;
    }
  for (uint32_t y = 0; y + 1 < SIDE; ++y)
    for (uint32_t x = 0; x + 1 < SIDE; ++x) {
      uint32_t v = y * SIDE + x;
      const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
      memcpy(triangles + k, two, sizeof two);
      k += 6;
    }
}

static pl_mesh_def mesh_of(int s)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(sheet[s], VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;
  return mesh;
}

static void make_bodies(pl_body *bodies[4])
{
  GUARDED(pl_body_def, def);
  def.it = pl_body_def_default();
  INTACT(def);
  def.it.builder = PL_BUILDER_PARTITION;
  def.it.strategy = PL_STRATEGY_INFLATE;
  def.it.volume = PL_VOLUME_KDOP18;
  pl_mesh_def mesh = mesh_of(0), cut = mesh_of(1);
  NEED(pl_body_create_free(context, &mesh, &def.it, &bodies[0]));
  NEED(pl_body_create_rigid(context, &cut, NULL, &bodies[1]));
  pl_positions shapes[2] = {pl_positions_f32(sheet[0], VERTICES), pl_positions_f32(sheet[2], VERTICES)};
  pl_morph_def morph = pl_morph_def_default();
  morph.references = shapes;
  morph.reference_count = 2;
  NEED(pl_body_create_morph(context, &mesh, &morph, NULL, &bodies[2]));
  const double weights[2] = {0.25, 0.75};
  NEED(pl_body_set_weights(bodies[2], weights, 2));
  pl_soup_def soup = pl_soup_def_default();
  soup.key_poses = shapes;
  soup.key_pose_count = 2;
  NEED(pl_body_create_soup(context, &mesh, &soup, NULL, &bodies[3]));
  NEED(pl_body_set_positions(bodies[3], shapes[1]));
  pl_transform up = pl_transform_identity();
  up.t[1] = 0.0625;
  NEED(pl_body_set_transform(bodies[1], &up));
  printf("bodies %s %s %s\n", pl_word(PL_WORDS_MOTION, pl_body_motion(bodies[2])),
         pl_word(PL_WORDS_STRATEGY, pl_body_strategy(bodies[0])), pl_word(PL_WORDS_VOLUME, pl_body_volume(bodies[0])));
}

static void ask_facts(pl_body *body)
{
  GUARDED(pl_tree_info, tree);
  NEED(pl_body_tree_info(body, &tree.it));
  INTACT(tree);
  printf("tree depth %d leaves %zu inner %zu\n", tree.it.depth, tree.it.leaves, tree.it.inner_nodes);
  GUARDED(pl_inflate_info, inflate);
  NEED(pl_body_inflate_info(body, &inflate.it));
  INTACT(inflate);
  printf("inflate volumes %llu\n", (unsigned long long)inflate.it.volumes);
  GUARDED(pl_mesh_info, info);
  pl_mesh_def mesh = mesh_of(0);
  NEED(pl_mesh_def_info(context, &mesh, &info.it));
  INTACT(info);
  printf("mesh edges %zu boundary %zu components %zu box %g\n", info.it.edges, info.it.boundary_edges,
         info.it.components, info.it.box[1][0]);
  GUARDED(pl_counters, counters);
  NEED(pl_body_update(body, &counters.it));
  INTACT(counters);
  char text[1024];
  pl_body_def def = pl_body_def_default();
  NEED(pl_body_def_parse(context, "{\"arity\": 4, \"p_max\": 0.25}", &def));
  pl_body_def_print(&def, text, sizeof text);
  printf("settings %s\n", text);
}

static void ask_two(pl_body *a, pl_body *b)
{
  pl_touching_def def = pl_touching_def_default();
  def.sorted = true;
  const pl_pair_result *pairs;
  NEED(pl_touching(pl_two(a, b), &def, &pairs));
  printf("pairs %zu:", pairs->count);
  for (size_t i = 0; i < pairs->count && i < 4; ++i) printf(" %u-%u", pairs->rows[i].a, pairs->rows[i].b);
  printf("\n");
  const double point[3] = {0.5, 0.5, 2};
  const pl_point_result *points;
  NEED(pl_closest(pl_one(a), pl_positions_f64(point, 1), NULL, &points));
  printf("point %.17g triangle %u\n", points->rows[0].distance, points->rows[0].triangle);
  const pl_nearest_result *nearest;
  NEED(pl_nearest(pl_two(a, b), NULL, &nearest));
  const pl_distance *d = &nearest->rows[0];
  printf("distance %.17g triangles %u %u\n", d->distance, d->triangle_a, d->triangle_b);
  pl_nearest_def within = pl_nearest_def_default();
  within.margin = 0.5;
  within.any = true;
  NEED(pl_nearest(pl_two(a, b), &within, &nearest));
  bool closer = nearest->rows[0].triangle_a != UINT32_MAX;
  pl_near_def near_def = pl_near_def_default();
  near_def.sorted = true;
  near_def.margin = 0.03125;
  const pl_near_triangle_result *near;
  NEED(pl_near_triangles(pl_two(a, b), &near_def, &near));
  printf("closer %d near %zu first %u-%u %.6g\n", closer, near->count, near->rows[0].a, near->rows[0].b,
         near->rows[0].distance);
}

static void ask_scene(pl_body *bodies[4])
{
  pl_scene_def def = pl_scene_def_default();
  pl_scene *scene;
  NEED(pl_scene_create(context, &def, &scene));
  for (int i = 0; i < 4; ++i) {
    pl_member_def member = pl_member_def_default();
    member.group = 1u << i;
    NEED(pl_scene_add(scene, bodies[i], &member));
  }
  const pl_pair_result *contacts;
  NEED(pl_touching(pl_all(scene), NULL, &contacts));
  printf("contacts %zu in %zu groups", contacts->count, contacts->group_count);
  for (size_t i = 0; i < contacts->group_count; ++i)
    printf(" %zu", contacts->groups[i].end - contacts->groups[i].begin);
  printf("\n");
  const pl_nearest_result *nearest;
  NEED(pl_nearest(pl_all(scene), NULL, &nearest));
  printf("nearest %g of bodies %d\n", nearest->rows[0].distance, nearest->rows[0].a == bodies[0]);
  pl_ray rays[3];
  for (int i = 0; i < 3; ++i) {
    const double from[3] = {0.1 + 0.4 * i, 0.3, 4}, along[3] = {0, 0.01, -1};
    rays[i] = pl_ray_from(from, along);
  }
  pl_cast_def ray_def = pl_cast_def_default();
  GUARDED(pl_hit, own);
  ray_def.hits = &own.it;
  const pl_hit_result *hits;
  NEED(pl_cast(pl_all(scene), rays, 1, &ray_def, &hits));
  INTACT(own);
  ray_def.hits = NULL;
  ray_def.mode = PL_RAY_MODE_ALL;
  NEED(pl_cast(pl_all(scene), rays, 3, &ray_def, &hits));
  for (size_t i = 0; i < hits->first[3]; ++i)
    printf("hit %.12g member %u %d triangle %u\n", hits->rows[i].t, hits->rows[i].member,
           hits->rows[i].body == bodies[hits->rows[i].member], hits->rows[i].triangle);
}

int main(void)
{
  make_sheets();
  GUARDED(pl_context_def, def);
  def.it = pl_context_def_default();
  INTACT(def);
  def.it.threads = 2;
  NEED(pl_context_create(&def.it, &context));
  pl_body *bodies[4];
  make_bodies(bodies);
  ask_facts(bodies[0]);
  ask_two(bodies[0], bodies[1]);
  ask_two(bodies[2], bodies[1]);
  ask_scene(bodies);
  printf("text %s\n", pl_status_text(PL_ERROR_BUSY));
  pl_context_destroy(context);
  return 0;
}
