/* Callers whose structs are shorter or longer than the library's: every size of every definition
 * and result, in memory of just that size, with guards around it. */
#include "scenes/ask.h"
#include "support/support.h"

#include "pliant/pliant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, LONGER = 40, FILL = 0xA5 };

static const float blade[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float needle[] = {0.2f, 0.2f, -1, 0.2f, 0.2f, 1, 0.3f, 0.2f, 1};
static const uint32_t one_triangle[] = {0, 1, 2};

typedef struct world {
  pl_context *context;
  pl_body *a, *b;
  pl_scene *scene;
} world;

static pl_mesh_def mesh_of(const float *xyz)
{
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f32(xyz, 3);
  mesh.triangles = one_triangle;
  mesh.triangle_count = 1;
  return mesh;
}

static world world_open(void)
{
  world w;
  pl_mesh_def a = mesh_of(blade), b = mesh_of(needle);
  assert_int_equal(pl_context_create(NULL, &w.context), PL_OK);
  assert_int_equal(pl_body_create_free(w.context, &a, NULL, &w.a), PL_OK);
  assert_int_equal(pl_body_create_free(w.context, &b, NULL, &w.b), PL_OK);
  assert_int_equal(pl_scene_create(w.context, NULL, &w.scene), PL_OK);
  assert_int_equal(pl_scene_add(w.scene, w.a, NULL), PL_OK);
  assert_int_equal(pl_scene_add(w.scene, w.b, NULL), PL_OK);
  return w;
}

/* ------------------------------------------------------------------------------- definitions -- */

/* Each of these uses a definition that may have any size and holds defaults, but for what the
 * library must have from the caller. */
static pl_status use_context(world *w, void *def)
{
  (void)w;
  pl_context *context;
  pl_status status = pl_context_create(def, &context);
  pl_context_destroy(context);
  return status;
}

static pl_status use_mesh(world *w, void *def) { return pl_mesh_check(w->context, def); }

static pl_status create_with(world *w, const void *mesh, const void *def)
{
  pl_body *body;
  pl_status status = pl_body_create_free(w->context, mesh, def, &body);
  if (status == PL_OK) assert_int_equal(pl_body_strategy(body), PL_STRATEGY_HYBRID);
  pl_body_destroy(body);
  return status;
}

static pl_status use_body(world *w, void *def)
{
  pl_mesh_def mesh = mesh_of(blade);
  return create_with(w, &mesh, def);
}

static pl_status use_settings(world *w, void *def) { return pl_body_def_parse(w->context, "{\"arity\": 4}", def); }

static pl_status use_morph(world *w, void *def)
{
  pl_mesh_def mesh = mesh_of(blade);
  pl_body *body;
  pl_status status = pl_body_create_morph(w->context, &mesh, def, NULL, &body);
  pl_body_destroy(body);
  return status;
}

static pl_status use_soup(world *w, void *def)
{
  pl_mesh_def mesh = mesh_of(blade);
  pl_body *body;
  pl_status status = pl_body_create_soup(w->context, &mesh, def, NULL, &body);
  pl_body_destroy(body);
  return status;
}

static pl_status use_scene(world *w, void *def)
{
  pl_scene *scene;
  pl_status status = pl_scene_create(w->context, def, &scene);
  pl_scene_destroy(scene);
  return status;
}

/* With another default of group and mask the two would not meet. */
static pl_status use_member(world *w, void *def)
{
  assert_int_equal(pl_scene_remove(w->scene, w->b), PL_OK);
  pl_status status = pl_scene_add(w->scene, w->b, def);
  if (status != PL_OK) {
    assert_int_equal(pl_scene_add(w->scene, w->b, NULL), PL_OK);
    return status;
  }
  const pl_result *contacts;
  assert_int_equal(pl_touching(pl_all(w->scene), NULL, &contacts), PL_OK);
  assert_int_equal(contacts->count, 1);
  return status;
}

static pl_status use_touching(world *w, void *def)
{
  const pl_result *pairs;
  pl_status status = pl_touching(pl_two(w->a, w->b), def, &pairs);
  if (status == PL_OK) assert_true(pairs->count == 1 && !pairs->partial);
  return status;
}

/* With another default of the margin nothing would be found. */
static pl_status use_nearest(world *w, void *def)
{
  const pl_result *found;
  pl_status status = pl_nearest(pl_two(w->a, w->b), def, &found);
  if (status == PL_OK) assert_true(found->count == 1 && found->distances[0].distance == 0);
  return status;
}

static pl_status use_near(world *w, void *def)
{
  const pl_result *near;
  pl_status status = pl_near_triangles(pl_two(w->a, w->b), def, &near);
  if (status == PL_OK) assert_int_equal(near->count, 1);
  return status;
}

static pl_status use_rays(world *w, void *def)
{
  const pl_result *hits;
  pl_ray ray = {{0.2, 0.2, 5}, {0, 0, -1}, 0, INFINITY};
  pl_status status = pl_cast(pl_one(w->a), &ray, 1, def, &hits);
  if (status == PL_OK) assert_true(hits->hits[0].t == 5 && hits->hits[0].body == w->a);
  return status;
}

static pl_status use_impact(world *w, void *def)
{
  const pl_result *found;
  pl_status status = pl_impacts(pl_two(w->a, w->b), def, &found);
  /* an edge in a face at rest */
  if (status == PL_OK) assert_true(found->count == 0 && found->safe_step == 1);
  return status;
}

/* The defaults as a program with headers of another size has them: cut off, or with 0 behind. */
static void fill(void *def, size_t size, const void *full, size_t full_size)
{
  memset(def, 0, size);
  memcpy(def, full, size < full_size ? size : full_size);
  memcpy(def, &size, sizeof size);
}

typedef void (*init_function)(void *def, size_t struct_size);

typedef struct kind {
  const char *name;
  size_t size;
  size_t least; /* what the caller must set ends here */
  init_function init;
  pl_status (*use)(world *w, void *def);
} kind;

#define INIT(type)                                                                                                     \
  static void init_##type(void *def, size_t size)                                                                      \
  {                                                                                                                    \
    const pl_##type##_def full = pl_##type##_def_default();                                                            \
    assert_int_equal(full.struct_size, sizeof full);                                                                   \
    fill(def, size, &full, sizeof full);                                                                               \
  }
INIT(context)
INIT(mesh)
INIT(body)
INIT(morph)
INIT(soup)
INIT(scene)
INIT(member)

static void init_question(void *def, size_t size)
{
  const pl_question full = pl_question_default();
  assert_int_equal(full.struct_size, sizeof full);
  fill(def, size, &full, sizeof full);
}

#define KIND(type, least, use)                                                                                         \
  {                                                                                                                    \
    "pl_" #type "_def", sizeof(pl_##type##_def), least, init_##type, use                                               \
  }

#define QUESTION(use)                                                                                                  \
  {                                                                                                                    \
    "pl_question", sizeof(pl_question), sizeof(size_t), init_question, use                                             \
  }

static const kind kinds[] = {
    KIND(context, sizeof(size_t), use_context),
    KIND(mesh, sizeof(pl_mesh_def), use_mesh),
    KIND(body, sizeof(size_t), use_body),
    KIND(body, offsetof(pl_body_def, leaf_size), use_settings),
    KIND(morph, offsetof(pl_morph_def, weight_low), use_morph),
    KIND(soup, sizeof(size_t), use_soup),
    KIND(scene, sizeof(size_t), use_scene),
    KIND(member, sizeof(size_t), use_member),
    QUESTION(use_touching),
    QUESTION(use_nearest),
    QUESTION(use_near),
    QUESTION(use_rays),
    QUESTION(use_impact),
};

/* What has no default. */
static void set_needed(const kind *k, void *def)
{
  static const pl_positions shape = {blade, 3, 12, PL_F32};
  if (k->use == use_mesh) {
    pl_mesh_def *mesh = def;
    mesh->positions = shape;
    mesh->triangles = one_triangle;
    mesh->triangle_count = 1;
  }
  if (k->use == use_morph) {
    pl_morph_def *morph = def;
    morph->references = &shape;
    morph->reference_count = 1;
  }
}

/* A definition as a program with headers of `size` bytes has it: on the heap, with nothing
 * behind it, and watched. */
static pl_status try_size(world *w, const kind *k, size_t size, int tail)
{
  unsigned char *block = malloc(GUARD + size + GUARD);
  memset(block, FILL, GUARD + size + GUARD);
  unsigned char *def = block + GUARD;
  k->init(def, size);
  size_t written;
  memcpy(&written, def, sizeof written);
  assert_int_equal(written, size);
  for (size_t i = k->size; i < size; ++i) assert_int_equal(def[i], 0);
  set_needed(k, def);
  if (tail) def[size - 1] = (unsigned char)tail;
  unsigned char *bare = malloc(size); /* the sanitizer sees what is read beyond it */
  memcpy(bare, def, size);
  pl_status status = k->use(w, bare);
  if (k->use == use_settings && status == PL_OK) assert_int_equal(((pl_body_def *)(void *)bare)->arity, 4);
  memcpy(&written, bare, sizeof written);
  assert_int_equal(written, size);
  for (int i = 0; i < GUARD; ++i) assert_true(block[i] == FILL && block[GUARD + size + (size_t)i] == FILL);
  free(bare);
  free(block);
  return status;
}

static void definitions_of_every_size(void **state)
{
  (void)state;
  world w = world_open();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    const kind *k = &kinds[i];
    for (size_t size = k->least; size <= k->size + LONGER; size += size < k->size ? 4 : 8)
      if (try_size(&w, k, size, 0) != PL_OK) fail_msg("%s of %zu bytes is refused", k->name, size);
  }
  pl_context_destroy(w.context);
}

static void newer_members_are_refused(void **state)
{
  (void)state;
  world w = world_open();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    const kind *k = &kinds[i];
    if (try_size(&w, k, k->size + 8, 1) != PL_ERROR_ARGUMENT) fail_msg("%s: an unknown member is accepted", k->name);
    if (k->use == use_context) continue;
    assert_non_null(strstr(pl_context_message(w.context), k->name));
    assert_non_null(strstr(pl_context_message(w.context), "newer library"));
  }
  pl_context_destroy(w.context);
}

static void absurd_sizes_are_refused(void **state)
{
  (void)state;
  static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 65537, SIZE_MAX};
  world w = world_open();
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      const kind *k = &kinds[i];
      unsigned char *def = malloc(k->size);
      k->init(def, k->size);
      memcpy(def, &sizes[s], sizeof sizes[s]);
      assert_int_equal(k->use(&w, def), PL_ERROR_ARGUMENT);
      if (k->use != use_context) assert_non_null(strstr(pl_context_message(w.context), "_default()"));
      free(def);
    }
  pl_context_destroy(w.context);
}

/* ----------------------------------------------------------------------------------- results -- */

static pl_status ask_tree(world *w, void *out, size_t size) { return pl_body_get_info_sized(w->a, true, out, size); }
static pl_status ask_facts(world *w, void *out, size_t size) { return pl_body_get_info_sized(w->a, false, out, size); }
static pl_status ask_mesh(world *w, void *out, size_t size)
{
  pl_mesh_def mesh = mesh_of(blade);
  return pl_mesh_get_info_sized(w->context, &mesh, out, size);
}

static void results_of_every_size(void **state)
{
  (void)state;
  static const struct {
    pl_status (*ask)(world *w, void *out, size_t size);
    size_t size, timed; /* from `timed` on the result has times, which differ */
  } results[] = {
      {ask_tree, sizeof(pl_body_info), sizeof(pl_body_info)},
      {ask_facts, sizeof(pl_body_info), sizeof(pl_body_info)},
      {ask_mesh, sizeof(pl_mesh_info), sizeof(pl_mesh_info)},
  };
  world w = world_open();
  for (size_t r = 0; r < sizeof results / sizeof *results; ++r) {
    unsigned char *whole = calloc(1, results[r].size);
    assert_int_equal(results[r].ask(&w, whole, results[r].size), PL_OK);
    for (size_t size = 0; size <= results[r].size + LONGER; size += 4) {
      unsigned char *out = malloc(size + GUARD);
      memset(out, FILL, size + GUARD);
      assert_int_equal(results[r].ask(&w, out, size), PL_OK);
      assert_memory_equal(out, whole, size < results[r].timed ? size : results[r].timed);
      for (size_t i = results[r].size; i < size; ++i) assert_int_equal(out[i], 0);
      for (size_t i = size; i < size + GUARD; ++i) assert_int_equal(out[i], FILL);
      free(out);
    }
    free(whole);
  }
  pl_context_destroy(w.context);
}

/* ------------------------------------------------------------------------------- the context -- */

static void keep_line(void *user, const char *line) { snprintf(user, 256, "%s", line); }

static void a_context_that_fails_says_why(void **state)
{
  (void)state;
  char line[256] = "";
  pl_context *context;
  pl_context_def def = pl_context_def_default();
  def.log = keep_line;
  def.log_user = line;
#define REFUSED(change, status, part)                                                                                  \
  {                                                                                                                    \
    pl_context_def bad = def;                                                                                          \
    line[0] = '\0';                                                                                                    \
    change;                                                                                                            \
    assert_int_equal(pl_context_create(&bad, &context), status);                                                       \
    assert_null(context);                                                                                              \
    if (!strstr(line, part)) fail_msg("\"%s\" does not say \"%s\"", line, part);                                       \
  }
  REFUSED(bad.threads = -1, PL_ERROR_ARGUMENT, "-1 threads");
  REFUSED(bad.threads = 257, PL_ERROR_ARGUMENT, "257 threads");
  REFUSED(bad.allocator.allocate = (void *(*)(void *, size_t))(void (*)(void))keep_line, PL_ERROR_ARGUMENT, "release");
  REFUSED(bad.simd = "mmx", PL_ERROR_UNSUPPORTED, "mmx");
  assert_int_equal(pl_context_create(&def, NULL), PL_ERROR_ARGUMENT);
  assert_non_null(strstr(line, "out is NULL"));
  struct {
    pl_context_def def;
    size_t newer;
  } longer = {def, 1};
  longer.def.struct_size = sizeof longer;
  assert_int_equal(pl_context_create(&longer.def, &context), PL_ERROR_ARGUMENT);
  assert_non_null(strstr(line, "newer library"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definitions_of_every_size),     cmocka_unit_test(newer_members_are_refused),
      cmocka_unit_test(absurd_sizes_are_refused),      cmocka_unit_test(results_of_every_size),
      cmocka_unit_test(a_context_that_fails_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
