/* Two parts of a fan or of a book on their way. Features with a common vertex are never tested,
 * so:
 *
 * Fan: of two features of triangles that all have a tip, at most one has it; the other lies in
 * the rim, the box without it. The parts are apart if the rim of each is apart from the box of
 * the other.
 *
 * Book: all triangles have the spine from p to q and a third vertex each, x in one part and y in
 * the other. Features without a common vertex are x and a triangle p q y, the edges p x and q y,
 * and the same with the parts or the ends of the spine exchanged. Let n (q - p) < 0, n (x - p) >
 * 0 and n (y - q) < 0 for all x and y. Then p x is not below n p and q y below it; and x is
 * above n p and p q y not above. With another n and p and q exchanged the other cases follow.
 * The normal n turns with the pages: it goes from n0 to n1 linearly, as the vertices do, so each
 * of the three is a quadratic in time, and it is positive at all times if its Bernstein
 * coefficients are. Rounding: boxes contain their vertices; sums in double are right to 2^-48 of
 * their terms. */
#include "query/time/impact.h"

#include <math.h>
#include <string.h>

static bool boxes_apart(const float x[SWEEP_BOX], const float y[SWEEP_BOX], float separation)
{
  for (int i = 0; i < 6; ++i) {
    const int other = i < 3 ? i + 3 : i - 3;
    if (x[i] + y[other] + separation < 0 && x[i + 6] + y[other + 6] + separation < 0) return true;
  }
  return false;
}

static bool ways_apart(const float x[SWEEP_BOX], const float y[SWEEP_BOX], float separation)
{
  for (int i = 0; i < 6; ++i) {
    const int other = i < 3 ? i + 3 : i - 3;
    if (fmaxf(x[i], x[i + 6]) + fmaxf(y[other], y[other + 6]) + separation < 0) return true;
  }
  return false;
}

/* The rim of a part without one of its hubs alone. */
static void rim_of(const impact_view *view, size_t at, uint32_t hub, float out[SWEEP_BOX])
{
  const uint32_t *hubs = view->over->of->hubs[at], other = hubs[hubs[0] == hub];
  memcpy(out, view->over->rim[at], sizeof view->over->rim[at]);
  if (other != HUB_NONE) sweep_merge(out, view->sweep->reach[other], out);
}

static bool fan_apart(const impact_view *view, int32_t a, int32_t b, uint32_t hub, float separation,
                      bool (*apart)(const float[SWEEP_BOX], const float[SWEEP_BOX], float))
{
  float box[SWEEP_BOX], rim[SWEEP_BOX];
  rim_of(view, hubs_place(view->over->of, a), hub, rim);
  impact_box(view, b, box);
  if (!apart(rim, box, separation)) return false;
  rim_of(view, hubs_place(view->over->of, b), hub, rim);
  impact_box(view, a, box);
  return apart(box, rim, separation);
}

/* ------------------------------------------------------------------------------------- books -- */

/* No n (x - y), x in one box and y in another, is less than this at one end of time. */
static double least_along(const double n[3], const float x[SWEEP_BOX], const float y[SWEEP_BOX], int end)
{
  double least = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    const int low = 6 * end + k, high = low + 3; /* a lower end is there by its negative */
    const double from = n[k] > 0 ? -(double)x[low] : (double)x[high], to = n[k] > 0 ? (double)y[high] : -(double)y[low];
    least += n[k] * (from - to);
    size += fabs(n[k]) * (fabs(from) + fabs(to));
  }
  return least - 0x1p-48 * size;
}

/* Is n (x - y) > 0 at all times, for a normal that goes from n[0] to n[1]? */
static bool is_above(double n[2][3], const float x[SWEEP_BOX], const float y[SWEEP_BOX])
{
  return least_along(n[0], x, y, 0) > 0 && least_along(n[1], x, y, 1) > 0 &&
         least_along(n[0], x, y, 1) + least_along(n[1], x, y, 0) > 0;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* The middle of a box at one end of time. */
static void middle_of(const float box[SWEEP_BOX], int end, double out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = ((double)box[6 * end + k + 3] - (double)box[6 * end + k]) / 2;
}

/* A part of a book at one end of time, seen from the spine. */
typedef struct page {
  double toward[3];    /* perpendicular to the spine, of length 1 if it has a direction */
  double reach, along; /* from the spine; along it, from its first end */
} page;

static page page_of(const float box[SWEEP_BOX], int end, const double at[3], const double spine[3])
{
  page r;
  middle_of(box, end, r.toward);
  for (int k = 0; k < 3; ++k) r.toward[k] -= at[k];
  r.along = dot(r.toward, spine);
  for (int k = 0; k < 3; ++k) r.toward[k] -= r.along * spine[k];
  r.reach = sqrt(dot(r.toward, r.toward));
  for (int k = 0; k < 3; ++k) r.toward[k] /= r.reach;
  return r;
}

/* The normals of one end of time: between both pages, and tilted a little, one toward each end
 * of the spine. The tilt takes up to an eighth of what the pages are above the plane between
 * them. NaN and infinities divide nothing. */
static void normals_of(const float *const spine_ends[2], const float *const rim[2], int end, double n[2][2][3])
{
  double at[3], spine[3], between[3];
  middle_of(spine_ends[0], end, at);
  middle_of(spine_ends[1], end, spine);
  for (int k = 0; k < 3; ++k) spine[k] -= at[k];
  const double length = sqrt(dot(spine, spine));
  for (int k = 0; k < 3; ++k) spine[k] /= length;
  const page x = page_of(rim[0], end, at, spine), y = page_of(rim[1], end, at, spine);
  for (int k = 0; k < 3; ++k) between[k] = x.toward[k] - y.toward[k];
  const double span = length + fabs(x.along) + fabs(y.along);
  const double tilt = dot(between, between) * fmin(x.reach, y.reach) / (16 * span);
  for (int k = 0; k < 3; ++k) {
    n[0][end][k] = between[k] - tilt * spine[k];
    n[1][end][k] = between[k] + tilt * spine[k];
  }
}

static bool book_apart(const impact_view *view, size_t a, size_t b, const uint32_t hubs[2])
{
  const float *const ends[2] = {view->sweep->reach[hubs[0]], view->sweep->reach[hubs[1]]};
  const float *const rim[2] = {view->over->rim[a], view->over->rim[b]};
  double n[2][2][3]; /* toward which end of the spine, at which end of time */
  for (int end = 0; end < 2; ++end) normals_of(ends, rim, end, n);
  for (int i = 0; i < 2; ++i) {
    const float *p = ends[i], *q = ends[1 - i];
    if (!(is_above(n[i], p, q) && is_above(n[i], rim[0], p) && is_above(n[i], q, rim[1]))) return false;
  }
  return true;
}

/* -------------------------------------------------------------------------------------- both -- */

/* The hubs that two different parts have in common; false: none. */
static bool have_hubs(const impact_view *view, int32_t a, int32_t b, uint32_t hubs[2])
{
  const tree *t = view->over->of;
  hubs_common(t->hubs[hubs_place(t, a)], t->hubs[hubs_place(t, b)], hubs);
  return a != b && hubs[0] != HUB_NONE;
}

bool impact_hub_apart(const impact_view *view, int32_t a, int32_t b, float separation)
{
  const tree *t = view->over->of;
  uint32_t hubs[2];
  if (!have_hubs(view, a, b, hubs)) return false;
  if (hubs[1] != HUB_NONE && !(separation > 0)) return book_apart(view, hubs_place(t, a), hubs_place(t, b), hubs);
  return fan_apart(view, a, b, hubs[0], separation, boxes_apart);
}

bool impact_hub_boxes_apart(const impact_view *view, int32_t a, int32_t b, float separation)
{
  uint32_t hubs[2];
  return have_hubs(view, a, b, hubs) && fan_apart(view, a, b, hubs[0], separation, ways_apart);
}
