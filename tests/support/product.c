/* Rows are made greedily: what a row must hold is fixed, and the other axes take the kind that
 * meets most others for the first time, or else those it has met least often. After AETG: D. M.
 * Cohen, S. R. Dalal, M. L. Fredman and G. C. Patton, IEEE Transactions on Software Engineering
 * 23 (1997), without its random choices. */
#include "support/product.h"

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPEN = -1 }; /* an axis of a row that has no kind yet */

int product_axis(product *p, const char *name, int kinds)
{
  assert_true(p->axes < PRODUCT_AXES && kinds > 0 && kinds <= PRODUCT_KINDS);
  p->name[p->axes] = name;
  p->count[p->axes] = kinds;
  return p->axes++;
}

void product_group(product *p, uint32_t axes)
{
  assert_true(p->groups < PRODUCT_GROUPS && axes && axes < 1u << p->axes);
  p->group[p->groups++] = axes;
}

static bool goes(const product *p, int a, int x, int b, int y)
{
  if (!p->supported) return true;
  return a < b ? p->supported(p->user, a, x, b, y) : p->supported(p->user, b, y, a, x);
}

/* Does kind x of axis a go with all that the row has? */
static bool fits(const product *p, const product_row *r, int a, int x)
{
  if (!goes(p, a, x, a, x)) return false;
  for (int b = 0; b < p->axes; ++b)
    if (b != a && r->kind[b] != OPEN && !goes(p, a, x, b, r->kind[b])) return false;
  return true;
}

static uint32_t *use_of(const product *p, int a, int x, int b, int y)
{
  return a < b ? &p->uses[a][x][b][y] : &p->uses[b][y][a][x];
}

/* More is better: kinds met for the first time, then those met seldom. */
static double worth(const product *p, const product_row *r, int a, int x)
{
  double sum = 0;
  for (int b = 0; b < p->axes; ++b) {
    if (b == a || r->kind[b] == OPEN) continue;
    uint32_t uses = *use_of(p, a, x, b, r->kind[b]);
    sum += uses ? -1e-6 * uses : 1;
  }
  return sum;
}

/* Gives the open axes their kinds; false, and the row as it was, if none go together. */
static bool fill(const product *p, product_row *r)
{
  int a = 0;
  while (a < p->axes && r->kind[a] != OPEN) ++a;
  if (a == p->axes) return true;
  bool tried[PRODUCT_KINDS] = {false};
  for (;;) {
    int best = OPEN;
    double most = 0;
    for (int x = 0; x < p->count[a]; ++x) {
      if (tried[x] || !fits(p, r, a, x)) continue;
      double w = worth(p, r, a, x);
      if (best == OPEN || w > most) best = x, most = w;
    }
    if (best == OPEN) return false;
    tried[best] = true;
    r->kind[a] = (int8_t)best;
    if (fill(p, r)) return true;
    r->kind[a] = OPEN;
  }
}

static void add_row(product *p, const product_row *r)
{
  if (p->row_count == p->row_capacity) {
    p->row_capacity = p->row_capacity ? 2 * p->row_capacity : 64;
    p->rows = realloc(p->rows, p->row_capacity * sizeof *p->rows);
    assert_non_null(p->rows);
  }
  p->rows[p->row_count++] = *r;
  for (int a = 0; a < p->axes; ++a)
    for (int b = a + 1; b < p->axes; ++b) ++*use_of(p, a, r->kind[a], b, r->kind[b]);
}

static product_row open_row(void)
{
  product_row r;
  memset(&r, OPEN, sizeof r);
  return r;
}

/* ----------------------------------------------------------------- combinations of some axes -- */

static size_t combinations(const product *p, uint32_t axes)
{
  size_t n = 1;
  for (int a = 0; a < p->axes; ++a)
    if (axes >> a & 1) n *= (size_t)p->count[a];
  return n;
}

static size_t number_of(const product *p, uint32_t axes, const product_row *r)
{
  size_t n = 0;
  for (int a = 0; a < p->axes; ++a)
    if (axes >> a & 1) n = n * (size_t)p->count[a] + (size_t)r->kind[a];
  return n;
}

/* Combination number n, the other axes open; false if its kinds do not go together. */
static bool combination(const product *p, uint32_t axes, size_t n, product_row *r)
{
  *r = open_row();
  for (int a = p->axes; a-- > 0;)
    if (axes >> a & 1) {
      int x = (int)(n % (size_t)p->count[a]);
      n /= (size_t)p->count[a];
      if (!fits(p, r, a, x)) return false;
      r->kind[a] = (int8_t)x;
    }
  return true;
}

static bool *mark_rows(const product *p, uint32_t axes, const product_row *rows, size_t count)
{
  bool *held = calloc(combinations(p, axes), sizeof *held);
  assert_non_null(held);
  for (size_t i = 0; i < count; ++i) held[number_of(p, axes, &rows[i])] = true;
  return held;
}

/* Rows for all combinations that none holds yet. */
static void cover(product *p, uint32_t axes)
{
  bool *held = mark_rows(p, axes, p->rows, p->row_count);
  for (size_t n = 0; n < combinations(p, axes); ++n) {
    product_row r;
    if (held[n] || !combination(p, axes, n, &r)) continue;
    if (fill(p, &r)) add_row(p, &r);
  }
  free(held);
}

void product_make(product *p)
{
  p->uses = calloc(PRODUCT_AXES, sizeof *p->uses);
  assert_non_null(p->uses);
  for (int g = 0; g < p->groups; ++g) cover(p, p->group[g]);
  for (int a = 0; a < p->axes; ++a)
    for (int b = a + 1; b < p->axes; ++b) cover(p, 1u << a | 1u << b);
}

void product_free(product *p)
{
  free(p->rows);
  free(p->uses);
  free(p->seen);
  *p = (product){0};
}

/* ----------------------------------------------------------------------------- what was seen -- */

void product_saw(product *p, product_row row)
{
  if ((p->seen_count & (p->seen_count - 1)) == 0) {
    p->seen = realloc(p->seen, 2 * (p->seen_count + 1) * sizeof *p->seen);
    assert_non_null(p->seen);
  }
  p->seen[p->seen_count++] = row;
}

/* Some rows cannot be filled up although their own kinds go together: those are not supported
 * either. */
static size_t missing_of(const product *p, uint32_t axes, char *what)
{
  bool *held = mark_rows(p, axes, p->seen, p->seen_count);
  size_t missing = 0;
  for (size_t n = 0; n < combinations(p, axes); ++n) {
    product_row r, whole;
    if (held[n] || !combination(p, axes, n, &r)) continue;
    whole = r;
    if (!fill(p, &whole) || missing++ || !what) continue;
    size_t at = 0;
    for (int a = 0; a < p->axes && at < PRODUCT_TEXT; ++a)
      if (r.kind[a] != OPEN)
        at += (size_t)snprintf(what + at, PRODUCT_TEXT - at, "%s%s %d", at ? ", " : "", p->name[a], r.kind[a]);
  }
  free(held);
  return missing;
}

size_t product_missing(const product *p, char what[PRODUCT_TEXT])
{
  size_t missing = 0;
  for (int g = 0; g < p->groups; ++g) missing += missing_of(p, p->group[g], missing ? NULL : what);
  for (int a = 0; a < p->axes; ++a)
    for (int b = a + 1; b < p->axes; ++b) missing += missing_of(p, 1u << a | 1u << b, missing ? NULL : what);
  return missing;
}

void product_assert_seen(const product *p)
{
  char what[PRODUCT_TEXT] = "";
  size_t missing = product_missing(p, what);
  if (missing) fail_msg("%zu combinations were never run; the first: %s", missing, what);
}
