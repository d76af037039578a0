/* Frames: rays in the order of tiles, samples, budget, and the picture at its full size. */
#include "trace/inside.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Without a budget a frame is traced in waves of so many rays, whose arrays stay in the cache;
 * with one it is a single wave, so that all primary rays come before all others. */
enum { WAVE = 1 << 15, ROWS = 8, COARSEST = 16 };

double trace_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

trace_settings trace_settings_default(void)
{
  return (trace_settings){
      .width = 640, .height = 480, .subsample = 1, .samples = 1, .bounces = 1, .shadows = true, .crease = 50};
}

pl_status tracer_create(pl_context *context, tracer **out)
{
  *out = calloc(1, sizeof **out);
  if (!*out) return PL_ERROR_MEMORY;
  (*out)->context = context;
  tone_table((*out)->tones);
  return PL_OK;
}

void tracer_destroy(tracer *t)
{
  if (!t) return;
  wave_free(&t->wave);
  free(t->order);
  free(t->light);
  free(t->seen);
  free(t);
}

/* ------------------------------------------------------------------------------------- order -- */

/* Rectangles of pixels, each cut into those after it: tiles, groups of packets, packets. What is
 * near in the batch is near in the scene. */
enum { LEVELS = 3 };
static const int block_width[LEVELS] = {32, 8, 4}, block_height[LEVELS] = {32, 8, 2};

typedef struct rectangle {
  int left, top, right, bottom;
} rectangle;

static int lesser(int a, int b) { return a < b ? a : b; }

/* Returns the end of what it has written. The depth is LEVELS. */
static uint32_t *fill_order(rectangle r, int level, int width, uint32_t *order)
{
  if (level == LEVELS) {
    for (int y = r.top; y < r.bottom; ++y)
      for (int x = r.left; x < r.right; ++x) *order++ = (uint32_t)(y * width + x);
    return order;
  }
  for (int y = r.top; y < r.bottom; y += block_height[level])
    for (int x = r.left; x < r.right; x += block_width[level]) {
      rectangle part = {x, y, lesser(x + block_width[level], r.right), lesser(y + block_height[level], r.bottom)};
      order = fill_order(part, level + 1, width, order);
    }
  return order;
}

static bool grow(void *array, size_t *have, size_t want, size_t size)
{
  void **at = array;
  if (want <= *have) return true;
  free(*at);
  *at = calloc(want, size);
  *have = *at ? want : 0;
  return *at != NULL;
}

static pl_status prepare(tracer *t, const trace_shot *shot)
{
  const trace_settings *o = &shot->settings;
  int width = (o->width + o->subsample - 1) / o->subsample, height = (o->height + o->subsample - 1) / o->subsample;
  size_t rays = (size_t)width * (size_t)height;
  if (width != t->grid[0] || height != t->grid[1]) {
    size_t none = 0;
    t->grid[0] = t->grid[1] = 0;
    if (!grow(&t->order, &none, rays, sizeof *t->order)) return PL_ERROR_MEMORY;
    fill_order((rectangle){0, 0, width, height}, 0, width, t->order);
    t->grid[0] = width;
    t->grid[1] = height;
  }
  if (!grow(&t->light, &t->light_size, 3 * rays, sizeof *t->light)) return PL_ERROR_MEMORY;
  if (!grow(&t->seen, &t->seen_size, shot->body_count + 1, sizeof *t->seen)) return PL_ERROR_MEMORY;
  memset(t->light, 0, 3 * rays * sizeof *t->light);
  memset(t->seen, 0, shot->body_count * sizeof *t->seen);
  return PL_OK;
}

/* ----------------------------------------------------------------------------------- samples -- */

static pl_status trace_sample(pass *p, size_t rays)
{
  size_t most = p->deadline < INFINITY ? rays : WAVE;
  for (size_t first = 0; first < rays; first += most) {
    p->first = first;
    p->count = rays - first < most ? rays - first : most;
    pl_status status = wave_trace(p);
    if (status != PL_OK) return status;
  }
  return PL_OK;
}

/* A further sample is begun only if the mean of those before would fit. */
static bool time_for_sample(const pass *p, double begin)
{
  if (p->sample == 0 || p->deadline == INFINITY) return true;
  double now = trace_clock();
  return now + (now - begin) / p->sample <= p->deadline;
}

/* ----------------------------------------------------------------------------------- picture -- */

typedef struct painting {
  const tracer *tracer;
  const trace_settings *settings;
  uint8_t *rgb;
  float scale; /* of the sums of samples */
} painting;

static void display_task(void *data, int task, int worker)
{
  const painting *p = data;
  float *light = p->tracer->light;
  size_t columns = 3 * (size_t)p->tracer->grid[0], begin = columns * ROWS * (size_t)task;
  size_t end = begin + columns * ROWS, all = columns * (size_t)p->tracer->grid[1];
  for (size_t i = begin; i < end && i < all; ++i) light[i] = tone(p->tracer->tones, light[i] * p->scale);
}

/* The ray of cell i stands for its middle; a pixel is between two of them, or beyond the last. */
static float between(int pixel, int step, int cells, int *cell)
{
  float at = ((float)pixel + 0.5f) / (float)step - 0.5f;
  if (at <= 0 || cells == 1) return *cell = 0, 0;
  if (at >= (float)(cells - 1)) return *cell = cells - 2, 1;
  *cell = (int)at;
  return at - (float)*cell;
}

static void scale_row(const painting *p, int y)
{
  const tracer *t = p->tracer;
  int step = p->settings->subsample, columns = t->grid[0], cx, cy;
  float fy = between(y, step, t->grid[1], &cy);
  const float *above = t->light + 3 * (size_t)cy * (size_t)columns;
  const float *below = t->grid[1] > 1 ? above + 3 * (size_t)columns : above;
  uint8_t *to = p->rgb + 3 * (size_t)p->settings->width * (size_t)y;
  for (int x = 0; x < p->settings->width; ++x) {
    float fx = between(x, step, columns, &cx);
    size_t a = 3 * (size_t)cx, b = columns > 1 ? a + 3 : a;
    for (size_t k = 0; k < 3; ++k) {
      float up = above[a + k] + fx * (above[b + k] - above[a + k]);
      float down = below[a + k] + fx * (below[b + k] - below[a + k]);
      *to++ = (uint8_t)(up + fy * (down - up) + 0.5f);
    }
  }
}

static void scale_task(void *data, int task, int worker)
{
  const painting *p = data;
  for (int y = task * ROWS; y < (task + 1) * ROWS && y < p->settings->height; ++y) scale_row(p, y);
}

static pl_status paint(const tracer *t, const trace_settings *settings, int samples, uint8_t *rgb)
{
  painting p = {t, settings, rgb, 1 / (float)samples};
  pl_status status = pl_context_run(t->context, display_task, &p, (t->grid[1] + ROWS - 1) / ROWS);
  if (status != PL_OK) return status;
  return pl_context_run(t->context, scale_task, &p, (settings->height + ROWS - 1) / ROWS);
}

/* ------------------------------------------------------------------------------------- frame -- */

pl_status trace_frame(tracer *t, const trace_shot *shot, uint8_t *rgb, trace_stats *stats)
{
  double begin = trace_clock();
  const trace_settings *o = &shot->settings;
  *stats = (trace_stats){0};
  pl_status status = prepare(t, shot);
  if (status != PL_OK) return status;
  pass p = {.tracer = t, .shot = shot, .stats = stats};
  p.deadline = o->budget_ms > 0 ? begin + o->budget_ms : INFINITY;
  p.cos_crease = cos(o->crease * RADIANS);
  p.pixel_width = 2 * vec_length(vec_of(shot->camera->up)) * o->subsample / o->height;
  size_t rays = (size_t)t->grid[0] * (size_t)t->grid[1];
  for (; p.sample < o->samples && time_for_sample(&p, begin); ++p.sample)
    if ((status = trace_sample(&p, rays)) != PL_OK) return status;
  stats->samples = p.sample;
  for (size_t i = 0; i < shot->body_count; ++i) stats->bodies += t->seen[i];
  double shaded = trace_clock();
  stats->ms_shade = shaded - begin - stats->ms_update - stats->ms_cast;
  if (rgb) status = paint(t, o, p.sample, rgb);
  stats->ms_paint = trace_clock() - shaded;
  return status;
}

int trace_next_subsample(const trace_settings *last, const trace_stats *stats, int finest)
{
  double ms = stats->ms_update + stats->ms_cast + stats->ms_shade + stats->ms_paint, budget = last->budget_ms;
  int s = last->subsample;
  if (!(budget > 0)) return finest;
  bool left = stats->left_shadow + stats->left_reflected > 0 || stats->samples < last->samples;
  if (left || ms > budget) {
    double next = s * sqrt(ms > budget ? ms / budget : 1);
    s = next > s + 1 ? (int)ceil(next) : s + 1;
  } else {
    while (s > finest && ms * s * s / ((s - 1.0) * (s - 1.0)) < 0.8 * budget) { /* rays grow by that much */
      ms *= s * s / ((s - 1.0) * (s - 1.0));
      --s;
    }
  }
  return s < finest ? finest : s > COARSEST ? COARSEST : s;
}
