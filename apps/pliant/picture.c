/* A small rasteriser: edge functions, a depth buffer, smooth normals, three lights. Order of painting: solid bodies
 * and touching triangles, then the nearest layer of the glass bodies over them, then the mean of 2 x 2 samples, then
 * a glow around what touches. Cost: O(triangles + pixels). */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2 }; /* per pixel and axis */

typedef struct colour {
  float r, g, b;
} colour;

typedef struct corner {
  float x, y;      /* in samples */
  float w;         /* 1 / distance along the view; 0: behind the eye */
  float normal[3]; /* unit */
  float place[3];
} corner;

typedef struct canvas {
  int width, height;  /* in samples */
  colour *light;      /* width * height */
  float *depth;       /* 1 / distance, greatest is nearest */
  float *glow;        /* 1 where a touching triangle shows */
  colour *glass;      /* the nearest layer of glass */
  float *glass_alpha; /* its cover */
  float *glass_depth;
} canvas;

typedef struct view {
  const picture_camera *camera;
  float right[3], up[3], forward[3];
  float scale; /* samples per unit at distance 1 */
} view;

/* ------------------------------------------------------------------------------------------------------ vectors -- */

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

/* ------------------------------------------------------------------------------------------------------ corners -- */

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

/* ------------------------------------------------------------------------------------------------------ shading -- */

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

/* ----------------------------------------------------------------------------------------------------- painting -- */

static float edge(const corner *a, const corner *b, float x, float y)
{
  return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
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

static int clamp(float x, int high) { return x < 0 ? 0 : x > (float)high ? high : (int)x; }

static void paint_triangle(canvas *c, const view *v, const corner *const q[3], const picture_body *body, pass which)
{
  if (q[0]->w <= 0 || q[1]->w <= 0 || q[2]->w <= 0) return;
  float area = edge(q[0], q[1], q[2]->x, q[2]->y);
  if (area == 0) return;
  float left = fminf(q[0]->x, fminf(q[1]->x, q[2]->x)), right = fmaxf(q[0]->x, fmaxf(q[1]->x, q[2]->x));
  float top = fminf(q[0]->y, fminf(q[1]->y, q[2]->y)), bottom = fmaxf(q[0]->y, fmaxf(q[1]->y, q[2]->y));
  if (right < 0 || bottom < 0 || left > (float)c->width || top > (float)c->height) return;
  int x1 = clamp(right + 1, c->width - 1), y1 = clamp(bottom + 1, c->height - 1);
  paint one;
  bool ready = false; /* a flat body has one paint for a triangle */
  for (int y = clamp(top, c->height - 1); y <= y1; ++y)
    for (int x = clamp(left, c->width - 1); x <= x1; ++x) {
      float px = (float)x + 0.5f, py = (float)y + 0.5f;
      float f[3] = {edge(q[1], q[2], px, py) / area, edge(q[2], q[0], px, py) / area, edge(q[0], q[1], px, py) / area};
      if (f[0] < 0 || f[1] < 0 || f[2] < 0) continue;
      size_t at = (size_t)y * (size_t)c->width + (size_t)x;
      float w = depth_of(f[0] * q[0]->w + f[1] * q[1]->w + f[2] * q[2]->w, which);
      if (is_hidden(c, at, w, which)) continue;
      if (!ready) {
        corner p = blend(q, f);
        one = make_paint(v, &p, body->colour, which);
        ready = body->flat;
      }
      put(c, at, w, &one, which);
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
    paint_triangle(c, v, q, body, which);
  }
}

/* Darker to the corners and to the bottom. */
static void paint_background(canvas *c)
{
  for (int y = 0; y < c->height; ++y)
    for (int x = 0; x < c->width; ++x) {
      float u = (float)x / (float)c->width - 0.5f, w = (float)y / (float)c->height - 0.42f;
      float t = fminf(1, 2.0f * sqrtf(u * u + w * w));
      colour centre = {0.062f, 0.078f, 0.108f}, rim = {0.010f, 0.013f, 0.021f};
      c->light[(size_t)y * (size_t)c->width + (size_t)x] = mix(centre, rim, t * t * (3 - 2 * t));
    }
}

static void lay_glass(canvas *c)
{
  for (size_t i = 0; i < (size_t)c->width * (size_t)c->height; ++i) {
    if (c->glass_alpha[i] <= 0) continue;
    c->light[i] = mix(c->light[i], c->glass[i], c->glass_alpha[i] * (c->glow[i] > 0 ? 0.35f : 1.0f));
  }
}

/* ------------------------------------------------------------------------------------------------------- finish -- */

/* Running means of `reach` to both sides, along rows or columns; three of them are nearly a bell. */
static void blur_line(float *line, float *copy, int count, size_t stride, int reach)
{
  for (int i = 0; i < count; ++i) copy[i] = line[(size_t)i * stride];
  float sum = 0;
  for (int i = -reach; i < count; ++i) {
    if (i + reach < count) sum += copy[i + reach];
    if (i - reach - 1 >= 0) sum -= copy[i - reach - 1];
    if (i >= 0) line[(size_t)i * stride] = fmaxf(0, sum) / (float)(2 * reach + 1);
  }
}

static void blur(float *field, float *copy, int width, int height, int reach)
{
  for (int round = 0; round < 3; ++round) {
    for (int y = 0; y < height; ++y) blur_line(field + (size_t)y * (size_t)width, copy, width, 1, reach);
    for (int x = 0; x < width; ++x) blur_line(field + x, copy, height, (size_t)width, reach);
  }
}

static uint8_t to_byte(float light)
{
  float t = light < 0 ? 0 : light;
  t = t > 0.8f ? 1 - 0.2f * expf(-(t - 0.8f) / 0.2f) : t; /* bright parts bend instead of clipping */
  float s = t <= 0.0031308f ? 12.92f * t : 1.055f * powf(t, 1 / 2.4f) - 0.055f;
  return (uint8_t)(s * 255 + 0.5f);
}

/* The bytes of light from 0 to MOST_LIGHT in equal steps, so fine that each byte begins where it should but for one step. */
enum { STEPS = 1 << 14 };
static const float MOST_LIGHT = 2;

static void make_bytes(uint8_t bytes[STEPS])
{
  for (int i = 0; i < STEPS; ++i) bytes[i] = to_byte(((float)i + 0.5f) * (MOST_LIGHT / STEPS));
}

static uint8_t byte_of(const uint8_t bytes[STEPS], float light)
{
  float at = light * (STEPS / MOST_LIGHT);
  return bytes[at < 0 ? 0 : at < STEPS - 1 ? (int)at : STEPS - 1];
}

/* Mean of the samples of a pixel, into the first pixels of the same arrays. */
static void shrink(canvas *c, int width, int height)
{
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      colour sum = {0, 0, 0};
      float glow = 0;
      for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
        size_t at = (size_t)(y * SAMPLES + k / SAMPLES) * (size_t)c->width + (size_t)(x * SAMPLES + k % SAMPLES);
        sum = (colour){sum.r + c->light[at].r, sum.g + c->light[at].g, sum.b + c->light[at].b};
        glow += c->glow[at];
      }
      float share = 1.0f / (SAMPLES * SAMPLES);
      size_t to = (size_t)y * (size_t)width + (size_t)x; /* never after what is still to be read */
      c->light[to] = (colour){sum.r * share, sum.g * share, sum.b * share};
      c->glow[to] = glow * share;
    }
}

static void finish(canvas *c, int width, int height, uint8_t *rgb)
{
  shrink(c, width, height);
  blur(c->glow, c->depth, width, height, height / 90 + 1); /* depth is no longer needed */
  uint8_t bytes[STEPS];
  make_bytes(bytes);
  for (size_t i = 0; i < (size_t)width * (size_t)height; ++i) {
    float glow = c->glow[i];
    rgb[3 * i] = byte_of(bytes, c->light[i].r + 0.75f * glow);
    rgb[3 * i + 1] = byte_of(bytes, c->light[i].g + 0.10f * glow);
    rgb[3 * i + 2] = byte_of(bytes, c->light[i].b + 0.07f * glow);
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
}

static bool canvas_create(canvas *c, int width, int height)
{
  *c = (canvas){.width = width, .height = height};
  size_t n = (size_t)width * (size_t)height;
  c->light = calloc(n, sizeof *c->light);
  c->depth = calloc(n, sizeof *c->depth);
  c->glow = calloc(n, sizeof *c->glow);
  c->glass = calloc(n, sizeof *c->glass);
  c->glass_alpha = calloc(n, sizeof *c->glass_alpha);
  c->glass_depth = calloc(n, sizeof *c->glass_depth);
  return c->light && c->depth && c->glow && c->glass && c->glass_alpha && c->glass_depth;
}

bool picture_paint(const picture_camera *camera, const picture_body *bodies, size_t count, int width, int height,
                   uint8_t *rgb)
{
  canvas c;
  view v = make_view(camera, height * SAMPLES);
  corner **corners = calloc(count, sizeof *corners);
  bool good = canvas_create(&c, width * SAMPLES, height * SAMPLES) && corners;
  for (size_t i = 0; i < count && good; ++i) {
    corners[i] = make_corners(&bodies[i], &v, &c);
    good = corners[i] != NULL;
  }
  if (good) {
    paint_background(&c);
    for (pass which = PASS_SOLID; which <= PASS_GLASS; ++which)
      for (size_t i = 0; i < count; ++i) paint_body(&c, &v, &bodies[i], corners[i], which);
    lay_glass(&c);
    finish(&c, width, height, rgb);
  }
  for (size_t i = 0; corners && i < count; ++i) free(corners[i]);
  free(corners);
  canvas_free(&c);
  return good;
}
