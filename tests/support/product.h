/* The product of axes (each a list of kinds) as a list of rows, one kind of every axis each: so
 * few that a test can play them all, and none thinned out by accident.
 *
 *   product p = {.supported = goes_together};
 *   product_axis(&p, "volume", PL_VOLUME_COUNT) ...
 *   product_group(&p, 1u << STRATEGY | 1u << VOLUME | 1u << ARITY);
 *   product_make(&p);
 *   for (size_t i = 0; i < p.row_count; ++i) { play(p.rows[i]); product_saw(&p, p.rows[i]); }
 *   product_assert_seen(&p);
 *   product_free(&p);
 *
 * Rows hold every supported pair of kinds of two axes, and every supported combination of the
 * kinds of each group. A group of all axes is the full product. product_assert_seen() counts
 * again, from what was played, and not from how the rows were made. Cost: rows close to the size
 * of the largest group or of the two longest axes, whichever is more. */
#ifndef TESTS_PRODUCT_H
#define TESTS_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PRODUCT_AXES = 16, PRODUCT_KINDS = 16, PRODUCT_GROUPS = 4 };

typedef struct product_row {
  int8_t kind[PRODUCT_AXES];
} product_row;

typedef struct product {
  /* May kind x of axis a be in a row with kind y of axis b? Called with a < b, and with a == b,
   * x == y for a kind by itself. NULL: all. */
  bool (*supported)(const void *user, int a, int x, int b, int y);
  const void *user;

  int axes;
  const char *name[PRODUCT_AXES];
  int count[PRODUCT_AXES]; /* kinds */
  int groups;
  uint32_t group[PRODUCT_GROUPS]; /* bit i: axis i is in it */

  product_row *rows;
  size_t row_count, row_capacity;
  /* of two kinds, in the rows; a < b */
  uint32_t (*uses)[PRODUCT_KINDS][PRODUCT_AXES][PRODUCT_KINDS];
  product_row *seen;
  size_t seen_count;
} product;

int product_axis(product *p, const char *name, int kinds); /* returns its index */
/* small groups first: the rows of one count for the next */
void product_group(product *p, uint32_t axes);

/* Fills in the rows: the same for the same axes. */
void product_make(product *p);
void product_free(product *p);

void product_saw(product *p, product_row row);

/* How many supported pairs and combinations were not seen; the first is reported in `what`, if that
 * is not NULL. */
enum { PRODUCT_TEXT = 256 };
size_t product_missing(const product *p, char what[PRODUCT_TEXT]);
void product_assert_seen(const product *p);

#endif
