/* What every test uses: cmocka with its headers in the right order, and the real data where it
 * is there. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The path of a file of the real data, in a buffer that the next four calls leave alone; skips
 * the running test, and says so, where the data is not there. */
const char *data_path(const char *relative);

/* Is the real data there? */
bool data_present(void);

/* Skips the running test, and says so, where it is not; to be called before anything is made. */
void data_needed(void);

/* Is this a long run (./dev soak)? Some tests then play more of the same: more rounds, every
 * combination. */
bool test_soaks(void);

/* How many of `all` rounds this run plays: all in a long run, else a quarter, or an eighth under
 * the address sanitizer. */
int test_rounds(int all);

/* A small generator with the same numbers everywhere. */
typedef struct test_rng {
  uint64_t state;
} test_rng;

uint64_t test_random(test_rng *rng);
double test_uniform(test_rng *rng, double low, double high); /* in [low, high) */
int test_below(test_rng *rng, int bound);                    /* in [0, bound) */

/* Memory that fails at the n-th request, and knows how many blocks have not been given back. */
typedef struct failing {
  long until; /* requests that succeed; negative: all */
  long live;
  long requests; /* so far */
} failing;

void *failing_allocate(void *user, size_t size);
void failing_release(void *user, void *memory, size_t size);

#endif
