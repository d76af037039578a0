/* The pieces of docs/c-api.md as one program. The test suite compiles it as C and as C++, runs
 * it, and holds the page against it. */
#include <pliant/pliant.h>

#include <stdio.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------- a context -- */

static void print_line(void *user, const char *line) { fprintf((FILE *)user, "pliant: %s\n", line); }

static pl_context *make_context(void)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 2;      /* 0, the default: one per core */
  def.log = print_line; /* gets what pl_context_message() returns */
  def.log_user = stderr;
  pl_context *context = NULL;
  pl_status status = pl_context_create(&def, &context);
  /* there is no context yet */
  if (status != PL_OK) fprintf(stderr, "%s\n", pl_context_message(NULL));
  return context;
}

/* ------------------------------------------------------------------------------------ memory -- */

static void *count_allocate(void *user, size_t size)
{
  *(size_t *)user += size;
  return malloc(size); /* NULL is answered with PL_ERROR_MEMORY */
}

static void count_release(void *user, void *memory, size_t size)
{
  *(size_t *)user -= size;
  free(memory);
}

static int use_own_memory(void)
{
  size_t in_use = 0;
  pl_context_def def = pl_context_def_default();
  def.allocator.user = &in_use;
  def.allocator.allocate = count_allocate;
  def.allocator.release = count_release;
  pl_context *context = NULL;
  pl_status status = pl_context_create(&def, &context);
  pl_context_destroy(context);
  return status == PL_OK && in_use == 0 ? 0 : 1;
}

/* ------------------------------------------------------------------------------------ bodies -- */

enum { SIDE = 17, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

/* A square sheet in the plane z = 0, as an application would have it. */
static void make_sheet(float *xyz, uint32_t *triangles)
{
  for (int v = 0; v < VERTICES; ++v) {
    xyz[3 * v] = (float)(v % SIDE);
    xyz[3 * v + 1] = (float)(v / SIDE);
    xyz[3 * v + 2] = 0;
  }
  for (uint32_t row = 0; row + 1 < SIDE; ++row)
    for (uint32_t column = 0; column + 1 < SIDE; ++column) {
      uint32_t v = row * SIDE + column;
      uint32_t square[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
      for (int k = 0; k < 6; ++k) *triangles++ = square[k];
    }
}

static pl_body *make_body(pl_context *context, const float *xyz, const uint32_t *triangles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, VERTICES); /* looked at during this call only */
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;

  pl_body *body = NULL;
  if (pl_body_create_free(context, &mesh, NULL, &body) != PL_OK) fprintf(stderr, "%s\n", pl_context_message(context));
  return body;
}

static pl_status describe(pl_context *context, const float *xyz, const uint32_t *triangles)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;

  pl_mesh_info info;
  pl_status status = pl_mesh_get_info(context, &mesh, &info);
  if (status == PL_OK) printf("%zu edges, %zu of them at the boundary\n", info.edges, info.boundary_edges);

  pl_mesh *connectivity = NULL;
  if (status == PL_OK) status = pl_mesh_create(context, &mesh, &connectivity);
  if (status != PL_OK) return status;
  const uint32_t *fan;
  size_t count = pl_mesh_vertex_triangles(connectivity, 0, &fan);
  for (size_t i = 0; i < count; ++i) printf("vertex 0 is a corner of triangle %u\n", fan[i]);
  pl_mesh_destroy(connectivity);
  return PL_OK;
}

static pl_body *make_tuned_body(pl_context *context, const pl_mesh_def *mesh)
{
  pl_body_def def = pl_body_def_default();
  def.strategy = PL_STRATEGY_BOTTOM_UP; /* many queries per step: refit all at once */
  /* by connectivity: for meshes whose first pose is folded up */
  def.builder = PL_BUILDER_PARTITION;
  def.borrow = true; /* read the caller's array in place */
  pl_body *body = NULL;
  if (pl_body_create_free(context, mesh, &def, &body) != PL_OK) return NULL;

  pl_body_info info;
  if (pl_body_get_info(body, true, &info) == PL_OK)
    printf("%s: depth %d, %zu leaves\n", pl_word(PL_WORDS_STRATEGY, pl_body_strategy(body)), info.depth, info.leaves);
  return body;
}

/* ----------------------------------------------------------------------------- known motions -- */

static pl_status make_morph(pl_context *context, const pl_mesh_def *mesh, const float *flat, const float *bent,
                            pl_body **out)
{
  pl_positions references[2] = {pl_positions_f32(flat, VERTICES), pl_positions_f32(bent, VERTICES)};
  pl_morph_def shapes = pl_morph_def_default();
  shapes.references = references; /* copied */
  shapes.reference_count = 2;
  pl_body *leaf = NULL;
  pl_status status = pl_body_create_morph(context, mesh, &shapes, NULL, &leaf);

  const double weights[2] = {0.25, 0.75}; /* of the references: from 0 to 1, 1 in all */
  pl_transform place = pl_transform_identity();
  place.t[2] = 0.5;
  if (status == PL_OK) status = pl_body_set_weights(leaf, weights, 2);
  if (status == PL_OK) status = pl_body_set_transform(leaf, &place);
  *out = leaf;
  return status;
}

static pl_status make_skin(pl_context *context, const pl_mesh_def *mesh, const float *flat)
{
  enum { BONES = 2 };
  static uint32_t bone[BONES * VERTICES];
  static float weight[BONES * VERTICES];
  pl_transform bones[BONES] = {pl_transform_identity(), pl_transform_identity()};
  for (int v = 0; v < VERTICES; ++v) { /* bone 1 has the more of a vertex the greater its x is */
    bone[BONES * v + 1] = 1;
    weight[BONES * v + 1] = flat[3 * v] > 1 ? 1 : flat[3 * v] < 0 ? 0 : flat[3 * v];
    weight[BONES * v] = 1 - weight[BONES * v + 1];
  }

  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = BONES;
  skin.weights.vertex_count = VERTICES;
  skin.weights.per_vertex = BONES; /* or skin.weights.first: rows of any length */
  skin.weights.governors = bone;
  skin.weights.values = weight;
  skin.weights.type = PL_F32;
  pl_body *arm = NULL;
  pl_status status = pl_body_create_skin(context, mesh, &skin, NULL, &arm);

  bones[1].t[2] = 0.25; /* from the rest pose to where the bone is */
  if (status == PL_OK) status = pl_body_set_bones(arm, bones, BONES);
  pl_body_destroy(arm);
  return status;
}

/* --------------------------------------------------------------------------------- positions -- */

typedef struct vertex {
  double position[3];
  float normal[3], uv[2];
} vertex;

static pl_status move(pl_body *body, float *xyz, const vertex *vertices)
{
  /* All of them. */
  pl_status status = pl_body_set_positions(body, pl_positions_f32(xyz, VERTICES));

  /* All of them, out of the caller's own struct. */
  if (status == PL_OK)
    status = pl_body_set_positions(body, pl_positions_strided(PL_F64, vertices->position, VERTICES, sizeof *vertices));

  /* Two of them: in the type that the body has now. */
  const uint32_t moved[] = {7, 8};
  const double there[] = {7, 0, 0.5, 8, 0, 0.5};
  if (status == PL_OK) status = pl_body_set_vertices(body, moved, 2, pl_positions_f64(there, 2));

  /* Refused whole: the message names the vertex, and the body stands where it stood. */
  xyz[3] = (float)strtod("nan", NULL);
  if (status == PL_OK && pl_body_set_positions(body, pl_positions_f32(xyz, VERTICES)) != PL_ERROR_POSITIONS)
    status = PL_ERROR_MISMATCH;
  xyz[3] = 1;
  return status;
}

/* ----------------------------------------------------------------------------------- queries -- */

static bool not_the_first_row(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)a, (void)b;
  return pair.a >= *(const uint32_t *)user;
}

static bool stop_at_ten(void *user, pl_body *a, pl_body *b, pl_pair pair)
{
  (void)a, (void)b, (void)pair;
  return ++*(int *)user < 10;
}

static pl_status ask(pl_body *a, pl_body *b)
{
  /* All pairs. */
  const pl_result *answer = NULL;
  pl_status status = pl_touching(pl_two(a, b), NULL, &answer);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < answer->count && i < 2; ++i) printf("%u touches %u\n", answer->pairs[i].a, answer->pairs[i].b);
  printf("%llu volumes made, %llu volume tests\n", (unsigned long long)answer->counters.n_u,
         (unsigned long long)answer->counters.n_v);

  /* Is there any? */
  pl_question def = pl_question_default();
  def.first = true;
  status = pl_touching(pl_two(a, b), &def, &answer);
  if (status == PL_OK) printf("%s\n", answer->count ? "in contact" : "apart");

  /* Sorted, without some, and not for longer than about 2 ms. */
  uint32_t from = 32;
  def = pl_question_default();
  def.sorted = true;
  def.filter = not_the_first_row;
  def.user = &from;
  def.budget_ms = 2;
  if (status == PL_OK) status = pl_touching(pl_two(a, b), &def, &answer);
  if (status == PL_OK && answer->partial) printf("complete above level %d only\n", answer->level);

  /* One by one, as they are found. */
  int seen = 0;
  def = pl_question_default();
  def.callback = stop_at_ten;
  def.user = &seen;
  if (status == PL_OK) status = pl_touching(pl_two(a, b), &def, &answer);
  return status;
}

/* ---------------------------------------------------------------------------------- distance -- */

static pl_status measure(pl_body *a, pl_body *b)
{
  /* The least distance, and where it is. */
  const pl_result *nearest = NULL;
  pl_status status = pl_nearest(pl_two(a, b), NULL, &nearest);
  if (status != PL_OK) return status;
  const pl_distance *least = &nearest->distances[0];
  printf("%g apart, triangle %u from triangle %u\n", least->distance, least->triangle_a, least->triangle_b);

  /* To a tenth of a per cent, which is faster. */
  pl_question about = pl_question_default();
  about.relative = 1e-3;
  if (status == PL_OK) status = pl_nearest(pl_two(a, b), &about, &nearest);

  /* Only whether there is room enough. */
  about.margin = 0.25;
  about.first = true;
  if (status == PL_OK) status = pl_nearest(pl_two(a, b), &about, &nearest);
  if (status == PL_OK && nearest->distances[0].distance <= about.margin) printf("too near\n");

  /* All pairs of triangles within a margin. */
  pl_question within = pl_question_default();
  const pl_result *near = NULL;
  within.margin = 0.125;
  if (status == PL_OK) status = pl_near_triangles(pl_two(a, b), &within, &near);
  if (status == PL_OK) printf("%zu pairs within 0.125\n", near->count);
  return status;
}

static pl_status measure_folds(pl_body *a)
{
  pl_question beyond = pl_question_default();
  beyond.margin = 0.125;
  beyond.rings = 2; /* no edge joins them */
  const pl_result *folds = NULL;
  pl_status status = pl_near(pl_self(a), &beyond, &folds);
  if (status == PL_OK) printf("%zu pairs of features\n", folds->count);
  return status;
}

/* -------------------------------------------------------------------------------------- rays -- */

static pl_status look(pl_body *body)
{
  pl_ray rays[16 * 16];
  for (int i = 0; i < 16 * 16; ++i) {
    const double eye[3] = {8, 8, 20}, to[3] = {i % 16 - 7.5, i / 16 - 7.5, -20};
    rays[i] = pl_ray_from(eye, to);
  }
  const pl_result *hits = NULL;
  /* the nearest hit of each, on all threads */
  pl_status status = pl_cast(pl_one(body), rays, 16 * 16, NULL, &hits);
  if (status != PL_OK) return status;
  const pl_hit *hit = &hits->hits[136];
  if (hit->triangle != PL_NONE) printf("ray 136 meets triangle %u at t = %g\n", hit->triangle, hit->t);

  /* Is anything in the way? */
  pl_question def = pl_question_default();
  def.ray_mode = PL_RAY_MODE_ANY;
  return pl_cast(pl_one(body), rays, 16 * 16, &def, &hits);
}

/* ------------------------------------------------------------------------------------- scene -- */

static pl_status play(pl_context *context, pl_body **bodies, int count)
{
  pl_scene *scene = NULL;
  pl_status status = pl_scene_create(context, NULL, &scene);
  pl_member_def member = pl_member_def_default();
  for (int i = 0; i < count && status == PL_OK; ++i) {
    member.group = i == 0 ? 1 : 2; /* the first against all others; */
    member.mask = i == 0 ? 2 : 1;  /* the others not among themselves */
    status = pl_scene_add(scene, bodies[i], &member);
  }

  const pl_result *contacts = NULL;
  /* on all of the context's threads */
  if (status == PL_OK) status = pl_touching(pl_all(scene), NULL, &contacts);
  if (status != PL_OK) return status;
  for (size_t g = 0; g < contacts->group_count; ++g) {
    const pl_group *group = &contacts->groups[g];
    const pl_pair *first = &contacts->pairs[group->begin];
    printf("%zu contacts, triangles %u and %u first\n", group->end - group->begin, first->a, first->b);
  }
  pl_scene_destroy(scene); /* not its bodies */
  return PL_OK;
}

static pl_status nearest_of_scene(pl_context *context, pl_body **bodies, int count)
{
  pl_scene *scene = NULL;
  if (pl_scene_create(context, NULL, &scene) != PL_OK) return PL_ERROR_MEMORY;
  for (int i = 0; i < count; ++i)
    if (pl_scene_add(scene, bodies[i], NULL) != PL_OK) return PL_ERROR_MEMORY;

  const double at[] = {0, 0, 5, 2, 0, 0};
  const pl_result *nearest = NULL;
  pl_status status = pl_closest(pl_all(scene), pl_positions_f64(at, 2), NULL, &nearest);
  if (status != PL_OK) return status;
  for (size_t i = 0; i < nearest->count; ++i)
    printf("body %u, triangle %u, %g away\n", nearest->points[i].member, nearest->points[i].triangle,
           nearest->points[i].distance);
  pl_scene_destroy(scene);
  return PL_OK;
}

/* --------------------------------------------------------------------------------- reference -- */

static pl_status compare(pl_body *a, pl_body *b)
{
  pl_question def = pl_question_default();
  def.sorted = true;
  const pl_result *answer = NULL;
  pl_status status = pl_touching(pl_two(a, b), &def, &answer);
  if (status != PL_OK) return status;
  size_t count = answer->count; /* asking again replaces the result */

  def.reference = true;
  status = pl_touching(pl_two(a, b), &def, &answer);
  if (status == PL_OK && answer->count != count) status = PL_ERROR_MISMATCH;
  if (status == PL_OK) status = pl_body_validate(a);
  return status;
}

int main(void)
{
  static float xyz[3 * VERTICES], other[3 * VERTICES];
  static uint32_t triangles[3 * TRIANGLES];
  static vertex vertices[VERTICES];
  make_sheet(xyz, triangles);
  make_sheet(other, triangles);
  for (int v = 0; v < VERTICES; ++v)
    for (int k = 0; k < 3; ++k) {
      vertices[v].position[k] = xyz[3 * v + k];
      /* a slope that cuts the plane */
      if (k == 2) other[3 * v + k] = (float)(v % SIDE) / 16 - 0.5f;
    }

  pl_context *context = make_context();
  if (!context || use_own_memory() != 0) return 1;
  pl_status status = describe(context, xyz, triangles);
  pl_body *cloth = make_body(context, xyz, triangles), *slope = make_body(context, other, triangles);
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(other, VERTICES);
  mesh.triangles = triangles;
  mesh.triangle_count = TRIANGLES;
  pl_body *bodies[3] = {cloth, slope, make_tuned_body(context, &mesh)};
  if (!cloth || !slope || !bodies[2]) return 1;
  if (status == PL_OK) status = move(cloth, xyz, vertices);
  if (status == PL_OK) status = ask(cloth, slope);
  if (status == PL_OK) status = play(context, bodies, 3);
  if (status == PL_OK) status = nearest_of_scene(context, bodies, 3);
  if (status == PL_OK) status = compare(cloth, slope);
  pl_body *leaf = NULL;
  if (status == PL_OK) status = make_morph(context, &mesh, xyz, other, &leaf);
  if (status == PL_OK) status = make_skin(context, &mesh, xyz);
  if (status == PL_OK) status = ask(leaf, slope);
  if (status == PL_OK) status = measure(leaf, cloth);
  if (status == PL_OK) status = measure_folds(cloth);
  if (status == PL_OK) status = look(leaf);
  if (status != PL_OK) fprintf(stderr, "%s: %s\n", pl_status_text(status), pl_context_message(context));
  pl_context_destroy(context);
  return status != PL_OK;
}
