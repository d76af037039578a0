/* Hashes of queries that need a motion of their own: windows and images of flight plans,
 * touching spheres, self pairs of governed patches, and contacts of a cloth with itself on its
 * way. Poses are made of +, -, * and / alone: libraries of other machines have other sines. */
#include "hash.h"

#include "scenes/scenes.h"

#include <stdlib.h>

enum { KEYS = 3, FLIGHT_STEPS = 5, PIXELS = 12, CLOTH = 14, CONTROL = 3 };

static double *new_pose(const scene_mesh *mesh)
{
  double *pose = malloc(3 * mesh->vertex_count * sizeof *pose);
  if (!pose) exit(1);
  return pose;
}

/* Point `v` of a sphere that has moved, is squeezed along one axis and bent. */
static void bend(const scene_mesh *mesh, size_t v, double amount, const double shift[3], double out[3])
{
  const float *rest = &mesh->rest[3 * v];
  double x = rest[0], y = rest[1], z = rest[2];
  out[0] = x * (1 - 0.25 * amount) + shift[0];
  out[1] = y + 0.375 * amount * x * x + shift[1];
  out[2] = z * (1 + 0.5 * amount * y) + shift[2];
}

static double *bent(const scene_mesh *mesh, double amount, double along)
{
  double *pose = new_pose(mesh);
  const double shift[3] = {along, 0.25 * amount, 0.125 * along};
  for (size_t v = 0; v < mesh->vertex_count; ++v) bend(mesh, v, amount, shift, &pose[3 * v]);
  return pose;
}

static pl_mesh_def mesh_of(const scene_mesh *mesh)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f32(mesh->rest, mesh->vertex_count);
  def.triangles = mesh->triangles;
  def.triangle_count = mesh->triangle_count;
  return def;
}

/* ------------------------------------------------------------------------------ flight plans -- */

static pl_body *new_flight(sums *s, const scene_mesh *mesh, int which, pl_strategy strategy)
{
  static const double times[KEYS] = {0, 1, 2.5};
  double *poses[KEYS];
  pl_positions keys[KEYS];
  for (int i = 0; i < KEYS; ++i) {
    poses[i] = bent(mesh, 0.5 * i - 0.25 * which, (which ? 1 : -1) * (1.5 - 0.875 * i));
    keys[i] = pl_positions_f64(poses[i], mesh->vertex_count);
  }
  pl_mesh_def given = mesh_of(mesh);
  pl_flight_def flight = pl_flight_def_default();
  flight.times = times;
  flight.key_count = KEYS;
  flight.poses = keys;
  flight.pose_count = KEYS;
  pl_body_def def = pl_body_def_default();
  def.strategy = strategy;
  pl_body *body = NULL;
  hash_check(s, pl_body_create_flight(s->context, &given, &flight, &def, &body));
  for (int i = 0; i < KEYS; ++i) free(poses[i]);
  return body;
}

static void add_windows(sums *s, pl_body *a, pl_body *b)
{
  const pl_result *found = NULL;
  pl_question how = pl_question_default();
  how.sorted = true;
  hash_check(s, pl_windows(pl_two(a, b), &how, &found));
  for (size_t i = 0; i < found->count; ++i) {
    ADD(s, KIND_WINDOWS, found->windows[i].time);
    ADD(s, KIND_WINDOWS, found->windows[i].a);
    ADD(s, KIND_WINDOWS, found->windows[i].b);
  }
  hash_add_counters(s, KIND_WINDOWS, &found->counters);
  s->count[KIND_WINDOWS] += found->count;
}

static pl_kinetic_image *new_image(sums *s, pl_body *body)
{
  pl_ray rays[PIXELS * PIXELS];
  for (int i = 0; i < PIXELS * PIXELS; ++i) {
    const double from[3] = {(i % PIXELS - 5.75) / 4, (i / PIXELS - 5.75) / 4, -4}, along[3] = {0.125, -0.0625, 1};
    rays[i] = pl_ray_from(from, along);
  }
  pl_kinetic_image *image = NULL;
  hash_check(s, pl_kinetic_image_create(body, rays, PIXELS * PIXELS, &image));
  return image;
}

static void add_image(sums *s, pl_kinetic_image *image)
{
  const pl_result *seen = NULL;
  hash_check(s, pl_kinetic_image_update(image, &seen));
  hash_add(s, KIND_IMAGES, seen->triangles, seen->count * sizeof *seen->triangles);
  hash_add(s, KIND_IMAGES, seen->changed, seen->changed_count * sizeof *seen->changed);
  s->count[KIND_IMAGES] += seen->changed_count;
}

/* Two spheres that fly through each other, and pixels that look at one of them. */
void hash_flight(sums *s)
{
  static const pl_strategy strategies[] = {PL_STRATEGY_KINETIC, PL_STRATEGY_HYBRID};
  scene_mesh mesh;
  if (!scene_geosphere(5, &mesh)) exit(1);
  for (int k = 0; k < 2; ++k) {
    pl_body *body[2] = {new_flight(s, &mesh, 0, strategies[k]), new_flight(s, &mesh, 1, strategies[k])};
    pl_kinetic_image *image = new_image(s, body[0]);
    for (int step = 0; step < FLIGHT_STEPS; ++step) {
      for (int i = 0; i < 2; ++i) hash_check(s, pl_body_set_time(body[i], 0.5 * step));
      add_windows(s, body[0], body[1]);
      add_image(s, image);
    }
    pl_kinetic_image_destroy(image);
    for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  }
  scene_mesh_free(&mesh);
}

/* -------------------------------------------------------------------------- touching spheres -- */

static void add_touches(sums *s, pl_body *a, pl_body *b, int level, bool with_margins)
{
  static const pl_plane floor[1] = {{{0, 1, 0}, -0.75}};
  static const double margins[2] = {0.0625, 0.01};
  pl_question def = pl_question_default();
  def.level = level;
  def.planes = floor;
  def.plane_count = 1;
  if (with_margins) {
    def.margins = margins;
    def.margin_count = 2;
  }
  const pl_result *found = NULL;
  hash_check(s, pl_sphere_contacts(pl_two(a, b), &def, &found));
  hash_add(s, KIND_TOUCHES, found->spheres, found->count * sizeof *found->spheres);
  hash_add(s, KIND_TOUCHES, found->sphere_points, found->sphere_point_count * sizeof *found->sphere_points);
  hash_add_counters(s, KIND_TOUCHES, &found->counters);
  s->count[KIND_TOUCHES] += found->count + found->sphere_point_count;
}

static pl_body *new_match(sums *s, const scene_mesh *mesh, int kind, bool triangles)
{
  pl_mesh_def given = mesh_of(mesh);
  if (!triangles) given.triangles = NULL, given.triangle_count = 0;
  pl_match_def match = pl_match_def_default();
  match.kind = (pl_match_kind)kind;
  match.cluster_count = 1 + kind;
  pl_body *body = NULL;
  hash_check(s, pl_body_create_match(s->context, &given, &match, NULL, &body));
  return body;
}

/* Two bodies of every kind of matching, one of triangles and one of points, that sink into each
 * other and onto a floor. */
void hash_match(sums *s)
{
  scene_mesh mesh;
  if (!scene_geosphere(4, &mesh)) exit(1);
  for (int kind = 0; kind < PL_MATCH_COUNT; ++kind) {
    pl_body *body[2] = {new_match(s, &mesh, kind, true), new_match(s, &mesh, kind, false)};
    for (int step = 0; step < 3; ++step) {
      for (int i = 0; i < 2; ++i) {
        double *pose = bent(&mesh, 0.25 * step - 0.125 * i, (i ? 1 : -1) * (1 - 0.125 * step));
        hash_check(s, pl_body_set_goals(body[i], PL_F64, pose, 0, NULL));
        hash_add(s, KIND_TOUCHES, pose, 3 * mesh.vertex_count * sizeof *pose);
        hash_check(s, pl_body_set_positions(body[i], pl_positions_f64(pose, mesh.vertex_count)));
        free(pose);
      }
      add_touches(s, body[0], body[1], 3, step % 2);
      add_touches(s, body[0], body[1], PL_LEVEL_ALL, step % 2 == 0);
    }
    for (int i = 0; i < 2; ++i) pl_body_destroy(body[i]);
  }
  scene_mesh_free(&mesh);
}

/* --------------------------------------------------------------------- a body against itself -- */

/* A cloth that is folded over itself like a letter: the more, the deeper its ends pass through
 * each other. */
static void fold(const scene_mesh *mesh, double amount, double *pose)
{
  double low = mesh->rest[0], high = low;
  for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
    low = mesh->rest[i] < low ? mesh->rest[i] : low;
    high = mesh->rest[i] > high ? mesh->rest[i] : high;
  }
  for (size_t v = 0; v < mesh->vertex_count; ++v) {
    const float *rest = &mesh->rest[3 * v];
    double u = 2 * (rest[0] - low) / (high - low) - 1, w = rest[1] + rest[2], bow = 2 * u / (1 + 4 * u * u);
    pose[3 * v] = (1 - amount) * u + amount * bow * (1 - 1.25 * amount * u * u);
    pose[3 * v + 1] = w;
    pose[3 * v + 2] = amount * (1 - u * u) + 0.0625 * u * amount;
  }
}

void hash_swept(sums *s)
{
  scene_mesh mesh;
  if (!scene_cloth(CLOTH, &mesh)) exit(1);
  double *pose = new_pose(&mesh);
  fold(&mesh, 0.25, pose);
  pl_mesh_def given = mesh_of(&mesh);
  given.positions = pl_positions_f64(pose, mesh.vertex_count);
  pl_body *body = NULL;
  hash_check(s, pl_body_create_free(s->context, &given, NULL, &body));
  for (int step = 0; step < 4; ++step) {
    hash_check(s, pl_body_keep_pose(body));
    fold(&mesh, 0.5 + 0.25 * step, pose);
    hash_check(s, pl_body_set_positions(body, pl_positions_f64(pose, mesh.vertex_count)));
    for (int all = 0; all < 2; ++all) {
      pl_question def = pl_question_default();
      def.all = all;
      const pl_result *found = NULL;
      hash_check(s, pl_impacts(pl_self(body), &def, &found));
      hash_add_impacts(s, KIND_SWEPT, found, all);
      hash_add_counters(s, KIND_SWEPT, &found->counters);
    }
  }
  pl_body_destroy(body);
  free(pose);
  scene_mesh_free(&mesh);
}

/* A subdivided sphere that is squeezed flat, with patches bounded by its control points. */
void hash_subdivided(sums *s)
{
  scene_mesh mesh;
  if (!scene_geosphere(CONTROL, &mesh)) exit(1);
  pl_mesh_def given = mesh_of(&mesh);
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_GOVERNED;
  pl_body *body = NULL;
  hash_check(s, pl_body_create_subdivide(s->context, &given, NULL, &def, &body));
  for (int step = 0; step < 4; ++step) {
    double *pose = bent(&mesh, 1.25 * step, 0);
    hash_check(s, pl_body_set_controls(body, pl_positions_f64(pose, mesh.vertex_count)));
    free(pose);
    for (int neighbours = 0; neighbours < 2; ++neighbours) {
      pl_question self = pl_question_default();
      self.self_method = PL_SELF_METHOD_CONES;
      self.rings = (neighbours) ? 0 : 1;
      const pl_result *found = NULL;
      hash_check(s, pl_touching(pl_self(body), &self, &found));
      hash_add(s, KIND_SUBDIVIDED, found->pairs, found->count * sizeof *found->pairs);
      hash_add_counters(s, KIND_SUBDIVIDED, &found->counters);
      s->count[KIND_SUBDIVIDED] += found->count;
    }
  }
  pl_body_destroy(body);
  scene_mesh_free(&mesh);
}

/* The nearest of both bodies, and what a ball meets of them. */
void hash_scene_points(sums *s, pl_scene *scene)
{
  static const double points[] = {0.1, 0.2, 0.3, -1.5, 0.25, 0, 1, 0.75, -0.5, 0, 0, 2.5};
  const pl_result *nearest = NULL;
  hash_check(s, pl_closest(pl_all(scene), pl_positions_f64(points, 4), NULL, &nearest));
  for (size_t i = 0; i < nearest->count; ++i) {
    const pl_point *r = &nearest->points[i];
    ADD(s, KIND_POINTS, r->distance);
    ADD(s, KIND_POINTS, r->point);
    ADD(s, KIND_POINTS, r->u);
    ADD(s, KIND_POINTS, r->v);
    ADD(s, KIND_POINTS, r->triangle);
    ADD(s, KIND_POINTS, r->member);
  }
  hash_add_counters(s, KIND_POINTS, &nearest->counters);
  const pl_zone ball = pl_zone_sphere(points + 6, 0.75);
  const pl_result *met = NULL;
  hash_check(s, pl_overlap(pl_all(scene), &ball, NULL, &met));
  for (size_t i = 0; i < met->group_count; ++i) {
    const pl_group *g = &met->groups[i];
    const uint32_t member = g->a != pl_scene_member_body(scene, 0);
    for (size_t k = g->begin; k < g->end; ++k) {
      ADD(s, KIND_POINTS, member);
      ADD(s, KIND_POINTS, met->triangles[k]);
    }
  }
  hash_add_counters(s, KIND_POINTS, &met->counters);
}
