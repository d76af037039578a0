/* Sorting, arrays, memory blocks, the pool of threads, and the definition of a context. */
#include "core/context.h"
#include "core/sort.h"
#include "pliant/tuning.h"

#include "support/support.h" /* after our headers: cmocka has a macro named fail */
#undef fail
#define fail pl_inside_fail /* as the library has it (src/names.cmake) */

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- sort -- */

static int compare_keys(const void *x, const void *y)
{
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

/* Keys that differ in all digits, in some, in one, or not at all. */
static uint64_t key_of_kind(test_rng *rng, int kind)
{
  switch (kind) {
  case 0:
    return test_random(rng);
  case 1:
    return test_random(rng) & 0xff;
  case 2:
    return test_random(rng) << 56;
  case 3:
    return 42;
  case 4:
    return UINT64_MAX - (test_random(rng) & 3);
  case 5:
    return (test_random(rng) & 0xffff) << 32 | (test_random(rng) & 0xff);
  default:
    return test_random(rng) & 0x00ff00ff00ff00ffu;
  }
}

static void sorting(void **state)
{
  (void)state;
  enum { MOST = 3000 };
  static const size_t counts[] = {0, 1, 2, 31, 32, 33, 255, 1000, MOST};
  static uint64_t keys[MOST + 1], wanted[MOST], scratch[MOST + 1];
  test_rng rng = {.state = 3};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    for (int kind = 0; kind < 7; ++kind) {
      size_t n = counts[c];
      for (size_t i = 0; i < n; ++i) wanted[i] = keys[i] = key_of_kind(&rng, kind);
      keys[n] = scratch[n] = 0x1234; /* not touched */
      qsort(wanted, n, sizeof *wanted, compare_keys);
      sort_keys(keys, scratch, n);
      for (size_t i = 0; i < n; ++i) assert_true(keys[i] == wanted[i]);
      assert_true(keys[n] == 0x1234 && scratch[n] == 0x1234);
      /* places rise */
      for (size_t i = 0; i < n; ++i) wanted[i] = keys[i] = key_of_kind(&rng, kind) >> 32 << 32 | i;
      qsort(wanted, n, sizeof *wanted, compare_keys);
      sort_keys_high(keys, scratch, n);
      for (size_t i = 0; i < n; ++i) assert_true(keys[i] == wanted[i]);
      assert_true(keys[n] == 0x1234 && scratch[n] == 0x1234);
    }
}

/* ------------------------------------------------------------------------------------ memory -- */

typedef struct purse {
  size_t given, taken_back; /* bytes */
  size_t left;              /* calls until there is no more */
} purse;

static void *purse_allocate(void *user, size_t size)
{
  purse *p = user;
  if (p->left == 0) return NULL;
  --p->left;
  p->given += size;
  return malloc(size);
}

static void purse_release(void *user, void *memory, size_t size)
{
  ((purse *)user)->taken_back += size;
  free(memory);
}

static void blocks_of_memory(void **state)
{
  (void)state;
  purse p = {.left = 1000};
  pl_allocator allocator = {&p, purse_allocate, purse_release};
  for (size_t n = 0; n < 200; ++n) {
    unsigned char *block = mem_new(&allocator, n, 3), *raw = mem_raw(&allocator, 1, n);
    assert_non_null(block);
    assert_true((uintptr_t)block % 64 == 0 && (uintptr_t)raw % 64 == 0);
    for (size_t i = 0; i < 3 * n; ++i) assert_int_equal(block[i], 0);
    memset(raw, 1, n);
    mem_free(&allocator, block);
    mem_free(&allocator, raw);
  }
  assert_int_equal(p.given, p.taken_back); /* release is reported the size that was asked for */
  size_t left = p.left;
  /* overflow is seen before the allocator is asked */
  assert_null(mem_raw(&allocator, SIZE_MAX, 1));
  assert_null(mem_new(&allocator, SIZE_MAX / 2, 3));
  assert_null(mem_raw(&allocator, (size_t)1 << 40, (size_t)1 << 40));
  assert_int_equal(p.left, left);
  mem_free(&allocator, NULL);
}

static void arrays(void **state)
{
  (void)state;
  purse p = {.left = 1000};
  pl_allocator allocator = {&p, purse_allocate, purse_release};
  ARRAY(uint32_t) a = {0};
  for (uint32_t i = 0; i < 100000; ++i) {
    assert_true(array_reserve(&allocator, &a, a.count + 1));
    a.data[a.count++] = i * 7;
  }
  for (uint32_t i = 0; i < 100000; ++i) assert_int_equal(a.data[i], i * 7);
  assert_true(1000 - p.left < 20); /* doubling */
  p.left = 0;
  uint32_t *data = a.data;
  size_t capacity = a.capacity;
  assert_true(array_reserve(&allocator, &a, capacity)); /* there is room: nobody is asked */
  assert_false(array_reserve(&allocator, &a, capacity + 1));
  assert_false(array_reserve(&allocator, &a, SIZE_MAX));
  assert_true(a.data == data && a.capacity == capacity && a.count == 100000); /* nothing changed */
  array_free(&allocator, &a);
  assert_true(!a.data && !a.count && !a.capacity);
  assert_int_equal(p.given, p.taken_back);
}

/* -------------------------------------------------------------------------------------- pool -- */

typedef struct round_state {
  atomic_int *times;    /* per task */
  atomic_int inside[8]; /* per worker */
  atomic_int wrong;
  int workers;
} round_state;

static void count_task(void *data, int task, int worker)
{
  round_state *r = data;
  if (worker < 0 || worker >= r->workers || atomic_fetch_add(&r->inside[worker], 1) != 0) atomic_store(&r->wrong, 1);
  atomic_fetch_add(&r->times[task], 1);
  atomic_fetch_sub(&r->inside[worker], 1);
}

static void many_rounds(void **state)
{
  (void)state;
  enum { ROUNDS = 600, MOST = 97 };
  static atomic_int times[MOST];
  purse p = {.left = 1000};
  pl_allocator allocator = {&p, purse_allocate, purse_release};
  for (int workers = 1; workers <= 5; ++workers) {
    pool *threads;
    assert_int_equal(pool_create(&allocator, workers, &threads), PL_OK);
    round_state r = {.times = times, .workers = workers};
    for (int round = 0; round < ROUNDS; ++round) {
      int count = round % MOST;
      for (int i = 0; i < MOST; ++i) atomic_store(&times[i], 0);
      pool_run(threads, count_task, &r, count, count % 4 - 1);
      for (int i = 0; i < MOST; ++i) assert_int_equal(atomic_load(&times[i]), i < count);
    }
    assert_false(atomic_load(&r.wrong));
    pool_destroy(threads);
  }
  pool_destroy(NULL);
  assert_int_equal(p.given, p.taken_back);
  for (size_t left = 0; left < 2; ++left) {
    p.left = left;
    pool *threads;
    assert_int_equal(pool_create(&allocator, 3, &threads), PL_ERROR_MEMORY);
    assert_null(threads);
    assert_int_equal(p.given, p.taken_back);
  }
}

/* ----------------------------------------------------------------------------------- context -- */

static pl_status create(pl_context_def def)
{
  pl_context *context = (pl_context *)&def; /* anything but NULL */
  pl_status status = pl_context_create(&def, &context);
  assert_true((status == PL_OK) == (context != NULL));
  pl_context_destroy(context);
  return status;
}

static void context_definitions(void **state)
{
  (void)state;
  pl_context_def d = pl_context_def_default();
  assert_int_equal(create(d), PL_OK);
  assert_int_equal(pl_context_create(&d, NULL), PL_ERROR_ARGUMENT);
  d.struct_size = sizeof(size_t) - 1;
  assert_int_equal(create(d), PL_ERROR_ARGUMENT);
  d = pl_context_def_default();
  for (int threads = -1; threads <= 257; threads += 86) {
    d.threads = threads;
    assert_int_equal(create(d), threads < 0 || threads > 256 ? PL_ERROR_ARGUMENT : PL_OK);
  }
  d.threads = 257;
  assert_int_equal(create(d), PL_ERROR_ARGUMENT);
  d.threads = 256;
  assert_int_equal(create(d), PL_OK);
  d = pl_context_def_default();
  static const char *const wrong[] = {"", "avx", "AVX2", "scalar ", "neon!"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    d.simd = wrong[i];
    assert_int_equal(create(d), PL_ERROR_UNSUPPORTED);
  }
  d.simd = "scalar";
  assert_int_equal(create(d), PL_OK);
  purse p = {.left = 100};
  d = pl_context_def_default();
  d.allocator = (pl_allocator){&p, purse_allocate, NULL};
  assert_int_equal(create(d), PL_ERROR_ARGUMENT);
  d.allocator = (pl_allocator){&p, NULL, purse_release};
  assert_int_equal(create(d), PL_ERROR_ARGUMENT);
  d.allocator = (pl_allocator){&p, purse_allocate, purse_release};
  assert_int_equal(create(d), PL_OK);
  assert_true(p.given > 0);
  assert_int_equal(p.given, p.taken_back);
}

static void context_facts(void **state)
{
  (void)state;
  pl_context *context;
  assert_int_equal(pl_context_create(NULL, &context), PL_OK);
  assert_true(pl_context_threads(context) >= 1);
  assert_string_equal(pl_context_message(context), "");
  assert_non_null(pl_context_message(NULL));
  pl_context_destroy(context);
  pl_context_destroy(NULL);
  for (int i = 0; i < ISA_COUNT; ++i) {
    pl_context_def d = pl_context_def_default();
    d.simd = isa_text((isa)i);
    d.threads = i + 1;
    if (!isa_present((isa)i)) continue;
    assert_int_equal(pl_context_create(&d, &context), PL_OK);
    assert_string_equal(pl_context_simd(context), isa_text((isa)i));
    assert_int_equal(pl_context_threads(context), i + 1);
    pl_context_destroy(context);
  }
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", PL_VERSION_MAJOR, PL_VERSION_MINOR, PL_VERSION_PATCH);
  assert_string_equal(pl_version(), version);
}

static void log_line(void *user, const char *line) { snprintf(user, 256, "%s", line); }

static void messages(void **state)
{
  (void)state;
  char logged[256] = "";
  pl_context_def d = pl_context_def_default();
  d.log = log_line;
  d.log_user = logged;
  pl_context *context;
  assert_int_equal(pl_context_create(&d, &context), PL_OK);
  assert_int_equal(fail(context, PL_ERROR_MESH, "triangle %d", 7), PL_ERROR_MESH);
  assert_string_equal(pl_context_message(context), "triangle 7");
  assert_string_equal(logged, "triangle 7");
  fail(context, PL_ERROR_MESH, "%0500d", 1); /* cut, not written past the end */
  assert_int_equal(strlen(pl_context_message(context)), MESSAGE_SIZE - 1);
  pl_context_destroy(context);
}

static void status_texts(void **state)
{
  (void)state;
  for (int i = 0; i < PL_STATUS_COUNT; ++i) {
    const char *text = pl_status_text((pl_status)i);
    assert_true(text && strlen(text) >= 2);
    for (int k = 0; k < i; ++k) assert_string_not_equal(text, pl_status_text((pl_status)k));
  }
  assert_string_equal(pl_status_text(PL_OK), "ok");
  assert_string_equal(pl_status_text(PL_ERROR_MEMORY), "out of memory");
  assert_string_equal(pl_status_text(PL_STATUS_COUNT), "unknown status");
  assert_string_equal(pl_status_text((pl_status)-1), "unknown status");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorting),     cmocka_unit_test(blocks_of_memory),    cmocka_unit_test(arrays),
      cmocka_unit_test(many_rounds), cmocka_unit_test(context_definitions), cmocka_unit_test(context_facts),
      cmocka_unit_test(messages),    cmocka_unit_test(status_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
