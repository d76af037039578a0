/* Creating kinetic images and keeping them up to date, tile by tile on all workers. */
#include "query/time/kinetic_image.h"

#include "query/probe/rays.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 64, SAMPLES = 4096, LENGTHS = 3 };

/* ------------------------------------------------------------------------------------ rounds -- */

/* How far corners move from key to key, in lengths of edges. Measured on a sample of triangles
 * that depends on the body only. */
static double lengths_to_go(const pl_kinetic_image *image)
{
  const flight *f = image_plans(image);
  const primitives *p = &image->body->tree->prims;
  const size_t step = p->triangle_count / SAMPLES + 1;
  double way = 0, edges = 0;
  for (size_t t = 0; t < p->triangle_count; t += step) {
    const uint32_t *v = p->tri + 3 * t;
    double far = 0, edge = 0;
    if (prims_hole(p, t)) continue;
    for (int k = 0; k < 3; ++k) {
      const double *a = flight_path(f, v[0], k), *b = flight_path(f, v[1], k), *c = flight_path(f, v[2], k);
      far = fmax(far, fabs(a[1] - a[0]));
      edge = fmax(edge, fmax(fabs(b[0] - a[0]), fabs(c[0] - a[0])));
    }
    way += far;
    edges += edge;
  }
  return way / edges; /* NaN or infinite: one round */
}

static double round_end(const pl_kinetic_image *image, double s)
{
  const double lengths = lengths_to_go(image);
  if (!(lengths > LENGTHS && isfinite(lengths))) return 1;
  const double parts = fmin(ceil(lengths / LENGTHS), MOST_ROUNDS), end = s + 1 / parts;
  return end < 1 ? end : 1;
}

/* Decides a pixel and records it if it has changed. */
static void take_pixel(pl_kinetic_image *image, image_tile *tile, size_t pixel, double s)
{
  const uint32_t sees = image_decide(image, tile, pixel, s, &image->until[pixel]);
  ++tile->events;
  if (sees == image->triangle[pixel] && !image->everything) return;
  image->triangle[pixel] = sees;
  image->changed[pixel - pixel % IMAGE_TILE + tile->changed++] = (uint32_t)pixel;
}

static size_t tile_end(const pl_kinetic_image *image, int tile)
{
  const size_t end = ((size_t)tile + 1) * IMAGE_TILE;
  return end < image->count ? end : image->count;
}

static void update_tile(void *data, int task, int worker)
{
  pl_kinetic_image *image = data;
  image_tile *tile = &image->tiles[task];
  const double s = image_plans(image)->s;
  (void)worker;
  tile->changed = 0;
  if (tile->next >= s) return;
  tile->next = INFINITY;
  for (size_t i = (size_t)task * IMAGE_TILE; i < tile_end(image, task); ++i) {
    if (image->until[i] < s) take_pixel(image, tile, i, s);
    tile->next = image->until[i] < tile->next ? image->until[i] : tile->next;
  }
}

static void start_tile(void *data, int task, int worker)
{
  pl_kinetic_image *image = data;
  image_tile *tile = &image->tiles[task];
  const size_t begin = (size_t)task * IMAGE_TILE, end = tile_end(image, task);
  image_trace(image, tile, begin, end);
  if (tile->failed) return;
  for (size_t i = begin; i < end; ++i) image->until[i] = -1;
  tile->next = -1;
  update_tile(data, task, worker);
}

static bool is_stale(const pl_kinetic_image *image)
{
  const flight *f = image_plans(image);
  return !image->begun || image->version != f->version || image->changes != f->changes ||
         image->tree_version != image->body->tree->nodes.version || f->s > image->to;
}

static pl_status start(pl_kinetic_image *image)
{
  const flight *f = image_plans(image);
  image->begun = false;
  image->from = f->s;
  image->to = round_end(image, f->s);
  pl_status status = image_make_boxes(image);
  if (status == PL_OK) status = parallel_for(image->context, true, start_tile, image, image->tile_count);
  for (int i = 0; i < image->tile_count && status == PL_OK; ++i)
    if (image->tiles[i].failed) status = fail(image->context, PL_ERROR_MEMORY, "no memory for a kinetic image");
  if (status != PL_OK) return status;
  image->version = f->version;
  image->changes = f->changes;
  image->tree_version = image->body->tree->nodes.version;
  image->begun = true;
  ++image->starts;
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ update -- */

static void publish(pl_kinetic_image *image, bool started)
{
  size_t count = 0;
  for (int i = 0; i < image->tile_count; ++i) {
    image_tile *tile = &image->tiles[i];
    memmove(image->changed + count, image->changed + (size_t)i * IMAGE_TILE, tile->changed * sizeof *image->changed);
    count += tile->changed;
    if (!started) image->events += tile->events;
    image->decided += tile->decided;
    tile->events = tile->decided = 0;
  }
  image->everything = false;
  image->answer = (pl_result){.triangles = image->triangle,
                              .count = image->count,
                              .changed = image->changed,
                              .changed_count = count,
                              .time = image_plans(image)->time};
}

pl_status pl_kinetic_image_update(pl_kinetic_image *image, const pl_result **out)
{
  if (out) *out = NULL;
  if (!image) return fail_null("image");
  if (!out) return query_refuse_null(image->context, "out");
  call c;
  pl_status status = body_query(&c, image->body);
  if (status != PL_OK) return status;
  const bool stale = is_stale(image);
  status = stale ? start(image) : parallel_for(image->context, true, update_tile, image, image->tile_count);
  if (status == PL_OK) {
    publish(image, stale);
    *out = &image->answer;
  } else {
    image->begun = false;
    image->everything = true; /* earlier changes are lost */
  }
  call_query_end(&c);
  return status;
}

/* ------------------------------------------------------------------------------------ create -- */

static void destroy(pl_kinetic_image *image)
{
  const pl_allocator *allocator = &image->context->def.allocator;
  for (int i = 0; image->tiles && i < image->tile_count; ++i)
    array_free(&image->context->locked, &image->tiles[i].spans);
  mem_free(allocator, image->tiles);
  mem_free(allocator, image->rays);
  mem_free(allocator, image->triangle);
  mem_free(allocator, image->until);
  mem_free(allocator, image->changed);
  mem_free(allocator, image->blocks);
  mem_free(allocator, image);
}

static pl_status before_change(listener *l, double time, bool change)
{
  (void)l;
  (void)time;
  (void)change;
  return PL_OK; /* the counts of the plans report it */
}

static void body_ends(listener *l) { destroy((pl_kinetic_image *)(void *)l); }

void pl_kinetic_image_destroy(pl_kinetic_image *image)
{
  if (!image) return;
  flight_unlisten(image->body->motion.controls, &image->listener);
  destroy(image);
}

static pl_status check(const pl_body *body, const pl_ray *rays, size_t count)
{
  pl_context *context = body->context;
  if (!(body->motion.kind->traits & MOTION_PLANS) || ((const flight *)body->motion.controls)->degree != 1)
    return fail(context, PL_ERROR_UNSUPPORTED, "a kinetic image is for bodies with linear flight plans");
  if (body->motion.transforms)
    return fail(context, PL_ERROR_UNSUPPORTED, "a kinetic image needs a body in world space: not bergen");
  if (count && !rays) return fail(context, PL_ERROR_ARGUMENT, "count is %zu, but rays is NULL", count);
  if (count > INT32_MAX / 2)
    return fail(context, PL_ERROR_ARGUMENT, "%zu rays are more than a kinetic image can have", count);
  return rays_refuse(context, rays, count);
}

static pl_status create(pl_body *body, const pl_ray *rays, size_t n, pl_kinetic_image **out)
{
  const pl_allocator *allocator = &body->context->def.allocator;
  pl_kinetic_image *image = mem_new(allocator, 1, sizeof *image);
  const size_t room = n + 1;
  if (image) {
    image->context = body->context;
    image->body = body;
    image->listener = (listener){.before = before_change, .end = body_ends};
    image->count = n;
    image->everything = true;
    image->tile_count = (int)((n + IMAGE_TILE - 1) / IMAGE_TILE);
    image->rays = mem_raw(allocator, room, sizeof *image->rays);
    image->triangle = mem_raw(allocator, room, sizeof *image->triangle);
    image->until = mem_raw(allocator, room, sizeof *image->until);
    image->changed = mem_raw(allocator, room, sizeof *image->changed);
    image->tiles = mem_new(allocator, (size_t)image->tile_count + 1, sizeof *image->tiles);
  }
  if (!image || !image->rays || !image->triangle || !image->until || !image->changed || !image->tiles) {
    if (image) destroy(image);
    return fail(body->context, PL_ERROR_MEMORY, "no memory for a kinetic image of %zu rays", n);
  }
  if (n) memcpy(image->rays, rays, n * sizeof *image->rays);
  flight_listen(body->motion.controls, &image->listener);
  *out = image;
  return PL_OK;
}

/* Images are linked to their bodies, so that creating one is a change of its body. */
pl_status pl_kinetic_image_create(pl_body *body, const pl_ray *rays, size_t count, pl_kinetic_image **out)
{
  if (out) *out = NULL;
  if (!body || !out) return query_refuse_null(body ? body->context : NULL, body ? "out" : "body");
  pl_status status = body_change(body);
  if (status != PL_OK) return status;
  status = check(body, rays, count);
  if (status == PL_OK) status = create(body, rays, count, out);
  body_change_end(body);
  return status;
}

pl_status pl_kinetic_image_get_info_sized(const pl_kinetic_image *image, pl_kinetic_info *out, size_t out_size)
{
  if (!image) return fail_null("image");
  if (!out) return query_refuse_null(image->context, "out");
  pl_kinetic_info info = {
      .time = image_plans(image)->time, .starts = image->starts, .events = image->events, .tests = image->decided};
  info.bytes = sizeof *image + image->block_room * sizeof *image->blocks +
               image->count * (sizeof *image->rays + 2 * sizeof *image->triangle + sizeof *image->until);
  for (int i = 0; i < image->tile_count; ++i) {
    info.kept += image->tiles[i].spans.count;
    info.bytes += sizeof *image->tiles + image->tiles[i].spans.capacity * sizeof *image->tiles[i].spans.data;
  }
  result_give(out, out_size, &info, sizeof info);
  return PL_OK;
}
