/* Which triangles a ray may hit in a round, and when.
 *
 * Corners move linearly: the box around both ends of a corner's way contains it. Boxes are
 * rounded outward to floats; a ray is tested against them in double with a margin of 2^-48
 * relative to its entry and exit, whose relative errors are below 2^-50. Cost per ray: a walk
 * like that of a cast, but of all layers up to the first triangle that is hit during the whole
 * round. */
#include "query/time/kinetic_image.h"

#include "math/round.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STACK = 8 * TREE_MOST_DEPTH };

void image_path(const pl_kinetic_image *image, size_t pixel, uint32_t triangle, ray_path *out)
{
  const flight *f = image_plans(image);
  const uint32_t *v = image->body->tree->prims.tri + 3 * (size_t)triangle;
  const double *const corner[3] = {flight_path(f, v[0], 0), flight_path(f, v[1], 0), flight_path(f, v[2], 0)};
  ray_path_make(&image->rays[pixel], corner, out);
}

/* ------------------------------------------------------------------------------------- boxes -- */

/* The least and greatest of both ends of a coordinate's way, rounded outward. */
static inline void extent_of(const double c[2], double from, double to, float *low, float *high)
{
  const double x = (1 - from) * c[0] + from * c[1], y = (1 - to) * c[0] + to * c[1];
  const double error = 0x1p-50 * (fabs(c[0]) + fabs(c[1])) + DBL_MIN;
  const float least = round_down((x < y ? x : y) - error), most = round_up((x > y ? x : y) + error);
  *low = least < *low ? least : *low;
  *high = most > *high ? most : *high;
}

static void clear_lane(float *block, int lane)
{
  for (int c = 0; c < 6; ++c) block[8 * c + lane] = c < 3 ? INFINITY : -INFINITY; /* never hit */
}

static void merge_block(const float *block, float box[6])
{
  for (int c = 0; c < 6; ++c) {
    box[c] = block[8 * c];
    for (int i = 1; i < 8; ++i) {
      const float x = block[8 * c + i];
      box[c] = c < 3 ? (x < box[c] ? x : box[c]) : (x > box[c] ? x : box[c]);
    }
  }
}

static float *leaf_block(const pl_kinetic_image *image, uint32_t leaf)
{
  return image->blocks + (size_t)IMAGE_BLOCK * (image->body->tree->nodes.inner_count + leaf);
}

static void box_leaf(void *data, int task, int worker)
{
  const pl_kinetic_image *image = data;
  const flight *f = image_plans(image);
  const primitives *p = &image->body->tree->prims;
  enum { LEAVES = 256 };
  const uint32_t end = (uint32_t)(task + 1) * LEAVES;
  (void)worker;
  for (uint32_t leaf = (uint32_t)task * LEAVES; leaf < end && leaf < image->body->tree->nodes.leaf_count; ++leaf) {
    float *block = leaf_block(image, leaf);
    for (int i = 0; i < 8; ++i) clear_lane(block, i);
    for (uint32_t t = p->tri_first[leaf]; t < p->tri_end[leaf]; ++t)
      for (int c = 0; c < 3; ++c)
        for (int k = 0; k < 3; ++k) {
          float *at = block + 8 * k + (t - p->tri_first[leaf]);
          extent_of(flight_path(f, p->tri[3 * (size_t)t + (size_t)c], k), image->from, image->to, at, at + 24);
        }
  }
}

pl_status image_make_boxes(pl_kinetic_image *image)
{
  const structure *n = &image->body->tree->nodes;
  const size_t need = (size_t)IMAGE_BLOCK * (n->inner_count + n->leaf_count);
  if (need > image->block_room) {
    float *blocks = mem_raw(&image->context->def.allocator, need, sizeof *blocks);
    if (!blocks) return fail(image->context, PL_ERROR_MEMORY, "no memory for the volumes of a kinetic image");
    mem_free(&image->context->def.allocator, image->blocks);
    image->blocks = blocks;
    image->block_room = need;
  }
  pl_status status = parallel_for(image->context, true, box_leaf, image, (int)((n->leaf_count + 255) / 256));
  for (uint32_t node = n->inner_count; node-- > 0;) {
    float *block = image->blocks + (size_t)IMAGE_BLOCK * node, box[6];
    for (int i = 0; i < 8; ++i) {
      clear_lane(block, i);
      if (i >= n->children[node]) continue;
      const int32_t child = tree_children(image->body->tree, node)[i];
      merge_block(child < 0 ? leaf_block(image, (uint32_t)~child) : image->blocks + IMAGE_BLOCK * (size_t)child, box);
      for (int c = 0; c < 6; ++c) block[8 * c + i] = box[c];
    }
  }
  return status;
}

/* -------------------------------------------------------------------------------------- rays -- */

/* A ray on its walk. */
typedef struct tracing {
  const pl_ray *ray;
  double inverse[3]; /* of the direction; 0 where that is 0 */
  double square;     /* d . d */
  double cut;        /* something certain hides everything beyond this t */
} tracing;

/* Which of the first `count` boxes the ray may enter before the cut, and where. Comparisons are
 * such that NaN counts as entered. */
static unsigned entered(const tracing *r, const float *block, unsigned count, double enter[8])
{
  double near[8], far[8];
  for (int i = 0; i < 8; ++i) near[i] = r->ray->t_min, far[i] = r->cut;
  unsigned apart = 0;
  for (int k = 0; k < 3; ++k) {
    const double origin = r->ray->origin[k], inverse = r->inverse[k];
    const float *low = block + 8 * k, *high = block + 24 + 8 * k;
    if (inverse == 0) {
      for (int i = 0; i < 8; ++i) apart |= (unsigned)((double)low[i] > origin || (double)high[i] < origin) << i;
      continue;
    }
    for (int i = 0; i < 8; ++i) {
      const double x = ((double)low[i] - origin) * inverse, y = ((double)high[i] - origin) * inverse;
      const double first = inverse > 0 ? x : y, last = inverse > 0 ? y : x;
      near[i] = first > near[i] ? first : near[i];
      far[i] = last < far[i] ? last : far[i];
    }
  }
  for (int i = 0; i < 8; ++i) {
    enter[i] = near[i];
    apart |= (unsigned)(near[i] > far[i] + 0x1p-48 * (fabs(near[i]) + fabs(far[i])) + DBL_MIN) << i;
  }
  return ~apart & ((1u << count) - 1);
}

static bool add_spans(const pl_kinetic_image *image, image_tile *tile, size_t pixel, uint32_t triangle, tracing *r)
{
  ray_path path;
  path_piece pieces[RAY_PIECES];
  image_path(image, pixel, triangle, &path);
  if (ray_path_cover(r->ray, &path, image->from, image->to) == RAY_MISSES) return true;
  const int count = ray_path_pieces(r->ray, &path, image->from, image->to, pieces);
  if (!array_reserve(&image->context->locked, &tile->spans, tile->spans.count + RAY_PIECES)) return false;
  for (int i = 0; i < count; ++i) {
    if (pieces[i].cover == RAY_MISSES) continue;
    double low, high;
    ray_path_range(&path, pieces[i].from, pieces[i].to, &low, &high);
    tile->spans.data[tile->spans.count++] = (image_span){.from = pieces[i].from,
                                                         .to = pieces[i].to,
                                                         .low = round_down(low),
                                                         .high = round_up(high),
                                                         .triangle = triangle,
                                                         .sure = pieces[i].cover == RAY_HITS};
    if (count > 1 || pieces[i].cover != RAY_HITS) continue;
    const double cut = high / r->square;
    if (cut + 0x1p-40 * fabs(cut) < r->cut) r->cut = cut + 0x1p-40 * fabs(cut);
  }
  return true;
}

/* The children that the ray enters, the nearest last. */
static int push_children(const pl_kinetic_image *image, const tracing *r, uint32_t node, int32_t *stack, int top)
{
  double enter[8];
  int32_t near[8] = {0};
  double at[8] = {0};
  int count = 0;
  const int32_t *child = tree_children(image->body->tree, node);
  const float *block = image->blocks + (size_t)IMAGE_BLOCK * node;
  for (unsigned open = entered(r, block, image->body->tree->nodes.children[node], enter); open; open &= open - 1) {
    const int i = __builtin_ctz(open);
    int k = count++;
    for (; k && at[k - 1] < enter[i]; --k) at[k] = at[k - 1], near[k] = near[k - 1];
    at[k] = enter[i];
    near[k] = child[i];
  }
  memcpy(stack + top, near, (size_t)count * sizeof *near);
  return top + count;
}

static bool trace_pixel(const pl_kinetic_image *image, image_tile *tile, size_t pixel)
{
  const primitives *p = &image->body->tree->prims;
  tracing r = {.ray = &image->rays[pixel], .cut = image->rays[pixel].t_max};
  if (r.ray->t_min > r.ray->t_max) return true;
  for (int k = 0; k < 3; ++k) {
    r.inverse[k] = r.ray->direction[k] != 0 ? 1 / r.ray->direction[k] : 0;
    r.square += r.ray->direction[k] * r.ray->direction[k];
  }
  int32_t stack[STACK];
  int top = push_children(image, &r, TREE_ROOT, stack, 0);
  while (top) {
    const int32_t next = stack[--top];
    if (next >= 0) {
      top = push_children(image, &r, (uint32_t)next, stack, top);
      continue;
    }
    double enter[8];
    const uint32_t first = p->tri_first[~next], count = p->tri_end[~next] - first;
    for (unsigned open = entered(&r, leaf_block(image, (uint32_t)~next), count, enter); open; open &= open - 1)
      if (!add_spans(image, tile, pixel, first + (uint32_t)__builtin_ctz(open), &r)) return false;
  }
  return true;
}

void image_trace(pl_kinetic_image *image, image_tile *tile, size_t begin, size_t end)
{
  tile->spans.count = 0;
  tile->failed = false;
  for (size_t i = begin; i < end && !tile->failed; ++i) {
    tile->first[i - begin] = (uint32_t)tile->spans.count;
    tile->failed = !trace_pixel(image, tile, i);
  }
  tile->first[end - begin] = (uint32_t)tile->spans.count;
}
