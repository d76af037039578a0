/* A small rasteriser: edge functions, a depth buffer, smooth normals, three lights. Order of
 * painting: solid bodies and touching triangles, then the nearest layer of the glass bodies over
 * them, then the mean of 2 x 2 samples, then a glow around what touches. Samples are painted in
 * bands of some rows, so that they stay in the cache. Cost: O(triangles * bands + samples
 * painted). */
#include "common/picture.h"
#include "common/picture_finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2, BAND = 48 * SAMPLES /* rows of samples */ }; /* SAMPLES: per pixel and axis */

typedef struct corner {
  float x, y;      /* in samples */
  float w;         /* 1 / distance along the view; 0: behind the eye */
  float normal[3]; /* unit */
  float place[3];
} corner;

typedef struct canvas {
  int width, height;  /* in samples */
  int top, bottom;    /* rows of the band: the arrays below have these, the first of them first */
  colour *light;      /* width * BAND */
  float *depth;       /* 1 / distance, greatest is nearest */
  float *glow;        /* 1 where a touching triangle shows */
  colour *glass;      /* the nearest layer of glass */
  float *glass_alpha; /* its cover */
  float *glass_depth;
  colour *pixels; /* of the whole picture */
  float *glows;   /* the same: how much of a pixel is touching */
} canvas;

typedef struct view {
  const picture_camera *camera;
  float right[3], up[3], forward[3];
  float scale; /* samples per unit at distance 1 */
} view;

/* ----------------------------------------------------------------------------------- vectors -- */

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void subtract(const float a[3], const float b[3], float out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

static void cross(const float a[3], const float b[3], float out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(float a[3])
{
  float length = sqrtf(dot(a, a));
  for (int k = 0; k < 3 && length > 0; ++k) a[k] /= length;
}

static colour mix(colour a, colour b, float t)
{
  return (colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/* ----------------------------------------------------------------------------------- corners -- */

static view make_view(const picture_camera *camera, int height)
{
  view v = {.camera = camera};
  subtract(camera->at, camera->eye, v.forward);
  normalise(v.forward);
  cross(v.forward, camera->up, v.right);
  normalise(v.right);
  cross(v.right, v.forward, v.up);
  v.scale = 0.5f * (float)height / tanf(camera->angle * 0.5f * 3.14159265f / 180);
  return v;
}

/* Normals are the sum over a vertex's triangles, each weighing as much as its area. */
static void add_normals(const picture_body *body, corner *corners)
{
  for (size_t t = 0; t < body->triangle_count; ++t) {
    const uint32_t *v = body->triangles + 3 * t;
    float e[3], f[3], n[3];
    subtract(body->xyz + 3 * v[1], body->xyz + 3 * v[0], e);
    subtract(body->xyz + 3 * v[2], body->xyz + 3 * v[0], f);
    cross(e, f, n);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) corners[v[i]].normal[k] += n[k];
  }
}

static corner *make_corners(const picture_body *body, const view *v, const canvas *c)
{
  corner *corners = calloc(body->vertex_count, sizeof *corners);
  if (!corners) return NULL;
  add_normals(body, corners);
  for (size_t i = 0; i < body->vertex_count; ++i) {
    corner *p = &corners[i];
    float d[3];
    normalise(p->normal);
    memcpy(p->place, body->xyz + 3 * i, sizeof p->place);
    subtract(p->place, v->camera->eye, d);
    float distance = dot(d, v->forward);
    if (distance < 1e-3f) continue;
    p->w = 1 / distance;
    p->x = 0.5f * (float)c->width + v->scale * dot(d, v->right) * p->w;
    p->y = 0.5f * (float)c->height - v->scale * dot(d, v->up) * p->w;
  }
  return corners;
}

/* ----------------------------------------------------------------------------------- shading -- */

typedef struct surface {
  float normal[3]; /* towards the eye */
  float eye[3];    /* unit, from the place to the eye */
  float facing;    /* their product, 0 at the rim */
} surface;

static surface make_surface(const view *v, const corner *p)
{
  surface s;
  memcpy(s.normal, p->normal, sizeof s.normal);
  normalise(s.normal);
  subtract(v->camera->eye, p->place, s.eye);
  normalise(s.eye);
  s.facing = dot(s.normal, s.eye);
  if (s.facing < 0)
    for (int k = 0; k < 3; ++k) s.normal[k] = -s.normal[k];
  s.facing = fabsf(s.facing);
  return s;
}

/* A direction given in the view's own axes, so that the light stays with the observer. */
static void light_direction(const view *v, float right, float up, float back, float out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = right * v->right[k] + up * v->up[k] - back * v->forward[k];
  normalise(out);
}

static float highlight(const surface *s, const float light[3], float sharpness)
{
  float half[3];
  for (int k = 0; k < 3; ++k) half[k] = light[k] + s->eye[k];
  normalise(half);
  float h = dot(s->normal, half);
  return h > 0 ? powf(h, sharpness) : 0;
}

/* A warm key from the upper left, a cool fill from the right, sky above and ground below, a rim. */
static colour shade(const view *v, const surface *s, const float base[3])
{
  float key[3], fill[3];
  light_direction(v, -0.55f, 0.75f, 0.6f, key);
  light_direction(v, 0.85f, -0.05f, 0.35f, fill);
  float k = fmaxf(0, dot(s->normal, key)), f = fmaxf(0, dot(s->normal, fill));
  float sky = 0.5f + 0.5f * dot(s->normal, v->up), rim = powf(1 - s->facing, 3);
  float shine = 0.22f * highlight(s, key, 40);
  colour light = {0.95f * k + 0.10f * f + 0.10f * sky + 0.05f, 0.90f * k + 0.14f * f + 0.12f * sky + 0.055f,
                  0.80f * k + 0.22f * f + 0.16f * sky + 0.07f};
  return (colour){base[0] * light.r + shine + 0.05f * rim, base[1] * light.g + shine + 0.07f * rim,
                  base[2] * light.b + shine + 0.10f * rim};
}

typedef enum pass { PASS_SOLID, PASS_TOUCHING, PASS_GLASS } pass;

/* What a sample gets. */
typedef struct paint {
  colour light;
  float alpha; /* of glass */
} paint;

static paint make_paint(const view *v, const corner *p, const float base[3], pass which)
{
  surface s = make_surface(v, p);
  if (which == PASS_TOUCHING) {
    float bright = 0.65f + 0.35f * s.facing;
    return (paint){{1.0f * bright, 0.055f * bright, 0.05f * bright}, 1};
  }
  colour lit = shade(v, &s, base);
  if (which == PASS_SOLID) return (paint){lit, 1};
  /* more than a solid would send: thin glass is lit from behind too */
  return (paint){{1.5f * lit.r + 0.16f * base[0], 1.5f * lit.g + 0.16f * base[1], 1.5f * lit.b + 0.16f * base[2]},
                 0.20f + 0.66f * powf(1 - s.facing, 1.6f)};
}

/* A little nearer than it is, so that the other body's skin does not hide the red that it cuts. */
static float depth_of(float w, pass which) { return which == PASS_TOUCHING ? w * 1.004f : w; }

static bool is_hidden(const canvas *c, size_t at, float w, pass which)
{
  return w <= c->depth[at] || (which == PASS_GLASS && w <= c->glass_depth[at]);
}

static void put(canvas *c, size_t at, float w, const paint *p, pass which)
{
  if (which == PASS_GLASS) {
    c->glass_depth[at] = w;
    c->glass[at] = p->light;
    c->glass_alpha[at] = p->alpha;
    return;
  }
  c->depth[at] = w;
  c->light[at] = p->light;
  c->glow[at] = which == PASS_TOUCHING;
}

/* ---------------------------------------------------------------------------------- painting -- */

/* A number that is a x + b y + c at (x, y). */
typedef struct slope {
  float x, y, at;
} slope;

/* 0 on the line from a to b, 1 at the third corner; area: edge function of all three. */
static slope slope_of(const corner *a, const corner *b, float area)
{
  float x = (a->y - b->y) / area, y = (b->x - a->x) / area;
  return (slope){x, y, -(x * a->x + y * a->y)};
}

/* The point with barycentric weights f, which become right in space by 1 / distance. */
static corner blend(const corner *const q[3], const float f[3])
{
  corner p = {.w = f[0] * q[0]->w + f[1] * q[1]->w + f[2] * q[2]->w};
  for (int i = 0; i < 3; ++i) {
    float share = f[i] * q[i]->w / p.w;
    for (int k = 0; k < 3; ++k) {
      p.normal[k] += share * q[i]->normal[k];
      p.place[k] += share * q[i]->place[k];
    }
  }
  return p;
}

static int clamp(float x, int low, int high) { return x < (float)low ? low : x > (float)high ? high : (int)x; }

static bool is_inside(const slope f[3], const float row[3], int x)
{
  float px = (float)x + 0.5f;
  return row[0] + f[0].x * px >= 0 && row[1] + f[1].x * px >= 0 && row[2] + f[2].x * px >= 0;
}

/* The samples of a row that are in the triangle, whose weights are `row` at x = 0: all from
 * *first to *last. */
static void narrow(const slope f[3], const float row[3], int *first, int *last)
{
  for (int i = 0; i < 3; ++i) { /* one sample more to both sides, for rounding */
    if (f[i].x == 0) continue;
    float x = -row[i] / f[i].x - 0.5f;
    if (f[i].x > 0)
      *first = clamp(x - 1, *first, *last + 1);
    else
      *last = clamp(x + 2, *first - 1, *last);
  }
  while (*first <= *last && !is_inside(f, row, *first)) ++*first;
  while (*first < *last && !is_inside(f, row, *last)) --*last;
}

/* A flat body has one paint for a triangle, which is made when it is first needed. */
typedef struct brush {
  const view *view;
  const corner *const *corner;
  const picture_body *body;
  pass which;
  bool ready;
  paint paint;
} brush;

static void touch_sample(canvas *c, brush *b, const slope f[3], const float row[3], int x, size_t at, float w)
{
  if (!b->ready) {
    float px = (float)x + 0.5f;
    const float share[3] = {row[0] + f[0].x * px, row[1] + f[1].x * px, row[2] + f[2].x * px};
    corner p = blend(b->corner, share);
    b->paint = make_paint(b->view, &p, b->body->colour, b->which);
    b->ready = b->body->flat;
  }
  put(c, at, w, &b->paint, b->which);
}

static void paint_triangle(canvas *c, const corner *const q[3], brush *b)
{
  if (q[0]->w <= 0 || q[1]->w <= 0 || q[2]->w <= 0) return;
  float top = fminf(q[0]->y, fminf(q[1]->y, q[2]->y)), bottom = fmaxf(q[0]->y, fmaxf(q[1]->y, q[2]->y));
  if (bottom < (float)c->top || top > (float)c->bottom) return;
  float left = fminf(q[0]->x, fminf(q[1]->x, q[2]->x)), right = fmaxf(q[0]->x, fmaxf(q[1]->x, q[2]->x));
  if (right < 0 || left > (float)c->width) return;
  float area = (q[1]->x - q[0]->x) * (q[2]->y - q[0]->y) - (q[1]->y - q[0]->y) * (q[2]->x - q[0]->x);
  if (area == 0) return;
  const slope f[3] = {slope_of(q[1], q[2], area), slope_of(q[2], q[0], area), slope_of(q[0], q[1], area)};
  float wx = depth_of(f[0].x * q[0]->w + f[1].x * q[1]->w + f[2].x * q[2]->w, b->which);
  int y1 = clamp(bottom + 1, c->top, c->bottom - 1);
  for (int y = clamp(top, c->top, c->bottom - 1); y <= y1; ++y) {
    float py = (float)y + 0.5f, row[3];
    for (int i = 0; i < 3; ++i) row[i] = f[i].y * py + f[i].at;
    float w0 = depth_of(row[0] * q[0]->w + row[1] * q[1]->w + row[2] * q[2]->w, b->which);
    int first = clamp(left, 0, c->width - 1), last = clamp(right + 1, 0, c->width - 1);
    narrow(f, row, &first, &last);
    size_t start = (size_t)(y - c->top) * (size_t)c->width;
    for (int x = first; x <= last; ++x) {
      float w = w0 + wx * ((float)x + 0.5f);
      size_t at = start + (size_t)x;
      if (!is_hidden(c, at, w, b->which)) touch_sample(c, b, f, row, x, at, w);
    }
  }
}

static void paint_body(canvas *c, const view *v, const picture_body *body, const corner *corners, pass which)
{
  if (which != PASS_TOUCHING && body->glass != (which == PASS_GLASS)) return;
  for (size_t t = 0; t < body->triangle_count; ++t) {
    bool touching = body->touching && body->touching[t];
    if (touching != (which == PASS_TOUCHING)) continue;
    const uint32_t *i = body->triangles + 3 * t;
    const corner *q[3] = {&corners[i[0]], &corners[i[1]], &corners[i[2]]};
    brush b = {.view = v, .corner = q, .body = body, .which = which};
    paint_triangle(c, q, &b);
  }
}

/* Darker to the corners and to the bottom; nothing else is there yet. */
static void paint_background(canvas *c)
{
  size_t n = (size_t)c->width * (size_t)(c->bottom - c->top);
  memset(c->depth, 0, n * sizeof *c->depth);
  memset(c->glow, 0, n * sizeof *c->glow);
  memset(c->glass_alpha, 0, n * sizeof *c->glass_alpha);
  memset(c->glass_depth, 0, n * sizeof *c->glass_depth);
  for (int y = c->top; y < c->bottom; ++y)
    for (int x = 0; x < c->width; ++x) {
      float u = (float)x / (float)c->width - 0.5f, w = (float)y / (float)c->height - 0.42f;
      float t = fminf(1, 2.0f * sqrtf(u * u + w * w));
      colour centre = {0.062f, 0.078f, 0.108f}, rim = {0.010f, 0.013f, 0.021f};
      c->light[(size_t)(y - c->top) * (size_t)c->width + (size_t)x] = mix(centre, rim, t * t * (3 - 2 * t));
    }
}

static void lay_glass(canvas *c)
{
  for (size_t i = 0; i < (size_t)c->width * (size_t)(c->bottom - c->top); ++i) {
    if (c->glass_alpha[i] <= 0) continue;
    c->light[i] = mix(c->light[i], c->glass[i], c->glass_alpha[i] * (c->glow[i] > 0 ? 0.35f : 1.0f));
  }
}

/* ------------------------------------------------------------------------------------- bands -- */

/* Mean of the samples of each pixel of the band. */
static void shrink(canvas *c)
{
  int width = c->width / SAMPLES;
  for (int y = c->top / SAMPLES; y < c->bottom / SAMPLES; ++y)
    for (int x = 0; x < width; ++x) {
      colour sum = {0, 0, 0};
      float glow = 0;
      for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
        size_t row = (size_t)(y * SAMPLES + k / SAMPLES - c->top);
        size_t at = row * (size_t)c->width + (size_t)(x * SAMPLES + k % SAMPLES);
        sum = (colour){sum.r + c->light[at].r, sum.g + c->light[at].g, sum.b + c->light[at].b};
        glow += c->glow[at];
      }
      float share = 1.0f / (SAMPLES * SAMPLES);
      size_t to = (size_t)y * (size_t)width + (size_t)x;
      c->pixels[to] = (colour){sum.r * share, sum.g * share, sum.b * share};
      c->glows[to] = glow * share;
    }
}

static void canvas_free(canvas *c)
{
  free(c->light);
  free(c->depth);
  free(c->glow);
  free(c->glass);
  free(c->glass_alpha);
  free(c->glass_depth);
  free(c->pixels);
  free(c->glows);
}

static bool canvas_create(canvas *c, int width, int height)
{
  *c = (canvas){.width = width * SAMPLES, .height = height * SAMPLES};
  size_t n = (size_t)c->width * BAND, pixels = (size_t)width * (size_t)height;
  c->light = malloc(n * sizeof *c->light);
  c->depth = malloc(n * sizeof *c->depth);
  c->glow = malloc(n * sizeof *c->glow);
  c->glass = malloc(n * sizeof *c->glass);
  c->glass_alpha = malloc(n * sizeof *c->glass_alpha);
  c->glass_depth = malloc(n * sizeof *c->glass_depth);
  c->pixels = malloc(pixels * sizeof *c->pixels);
  c->glows = malloc(pixels * sizeof *c->glows);
  return c->light && c->depth && c->glow && c->glass && c->glass_alpha && c->glass_depth && c->pixels && c->glows;
}

static void paint_band(canvas *c, const view *v, const picture_body *bodies, size_t count, corner *const *corners)
{
  paint_background(c);
  for (pass which = PASS_SOLID; which <= PASS_GLASS; ++which)
    for (size_t i = 0; i < count; ++i) paint_body(c, v, &bodies[i], corners[i], which);
  lay_glass(c);
  shrink(c);
}

bool picture_paint(const picture_camera *camera, const picture_body *bodies, size_t count, int width, int height,
                   uint8_t *rgb)
{
  canvas c;
  view v = make_view(camera, height * SAMPLES);
  corner **corners = calloc(count, sizeof *corners);
  bool good = canvas_create(&c, width, height) && corners;
  for (size_t i = 0; i < count && good; ++i) {
    corners[i] = make_corners(&bodies[i], &v, &c);
    good = corners[i] != NULL;
  }
  for (c.top = 0; good && c.top < c.height; c.top += BAND) {
    c.bottom = c.top + BAND < c.height ? c.top + BAND : c.height;
    paint_band(&c, &v, bodies, count, corners);
  }
  good = good && picture_finish(c.pixels, c.glows, width, height, rgb);
  for (size_t i = 0; corners && i < count; ++i) free(corners[i]);
  free(corners);
  canvas_free(&c);
  return good;
}
