/* A skinned figure of six round limbs that walks: torso, head, and arms and legs that bend in
 * their middle. The limbs are closed surfaces of one mesh; two bones blend over a joint. y is
 * up, and the figure walks along z. Deterministic: the same numbers on every machine. */
#include "web/src/stage.h"

#include "scenes/parts.h"

#include <stdlib.h>
#include <string.h>

enum { TORSO, HEAD, ARM_LEFT, ARM_RIGHT = 4, LEG_LEFT = 6, LEG_RIGHT = 8, LIMBS = 6 };

typedef struct limb {
  int bone;       /* the first of its bones */
  double from[3]; /* the ends of its axis; the joint is in the middle */
  double to[3];
  double thick[3]; /* at the start, the middle and the end */
  bool bends;      /* has a second bone */
  double flat;     /* depth over width */
} limb;

static const limb limbs[LIMBS] = {
    {TORSO, {0, 0.95, 0}, {0, 1.48, 0}, {0.15, 0.14, 0.19}, false, 0.65},
    {HEAD, {0, 1.66, 0.01}, {0, 1.78, 0.02}, {0.1, 0.115, 0.12}, false, 1},
    {ARM_LEFT, {-0.23, 1.46, 0}, {-0.27, 0.86, 0.03}, {0.065, 0.05, 0.045}, true, 1},
    {ARM_RIGHT, {0.23, 1.46, 0}, {0.27, 0.86, 0.03}, {0.065, 0.05, 0.045}, true, 1},
    {LEG_LEFT, {-0.1, 0.92, 0}, {-0.11, 0.08, 0}, {0.1, 0.07, 0.06}, true, 1},
    {LEG_RIGHT, {0.1, 0.92, 0}, {0.11, 0.08, 0}, {0.1, 0.07, 0.06}, true, 1},
};
static const double QUARTER = 1.57079632679489661923;

static double along(const limb *l, int axis, double s) { return l->from[axis] + s * (l->to[axis] - l->from[axis]); }

static double radius_at(const limb *l, double s)
{
  double t = s < 0 ? 0 : s > 1 ? 1 : s;
  return t < 0.5 ? l->thick[0] + 2 * t * (l->thick[1] - l->thick[0])
                 : l->thick[1] + (2 * t - 1) * (l->thick[2] - l->thick[1]);
}

/* Ring `ring` of `rings` + 1: the place on the axis, which reaches beyond both ends, and the
 * radius there; 0 at the poles. */
static void ring_at(const limb *l, int ring, int rings, double *s, double *radius)
{
  double length = 0, u = (double)ring / rings;
  for (int k = 0; k < 3; ++k) length += (l->to[k] - l->from[k]) * (l->to[k] - l->from[k]);
  length = sqrt(length);
  const double cap = 0.22; /* of the rings, at either end */
  if (u <= cap) {
    double a = QUARTER * u / cap, r = l->thick[0];
    *s = -r * scene_wave(a + QUARTER) / length;
    *radius = ring == 0 ? 0 : r * scene_wave(a);
  } else if (u >= 1 - cap) {
    double a = QUARTER * (1 - u) / cap, r = l->thick[2];
    *s = 1 + r * scene_wave(a + QUARTER) / length;
    *radius = ring == rings ? 0 : r * scene_wave(a);
  } else {
    *s = (u - cap) / (1 - 2 * cap);
    *radius = radius_at(l, *s);
  }
}

static void add_vertex(walker_mesh *m, const limb *l, double s, double radius, double angle)
{
  size_t v = m->vertex_count++;
  double across[3] = {scene_wave(angle + QUARTER), 0, l->flat * scene_wave(angle)};
  for (int k = 0; k < 3; ++k) m->rest[3 * v + (size_t)k] = (float)(along(l, k, s) + radius * across[k]);
  double blend = l->bends ? (s - 0.5) / 0.2 + 0.5 : 0; /* over a fifth of the limb */
  blend = blend < 0 ? 0 : blend > 1 ? 1 : blend;
  m->bones[2 * v] = (uint32_t)l->bone;
  m->bones[2 * v + 1] = (uint32_t)(l->bends ? l->bone + 1 : l->bone);
  m->weights[2 * v] = 1 - blend;
  m->weights[2 * v + 1] = blend;
}

static void add_triangle(walker_mesh *m, size_t a, size_t b, size_t c)
{
  uint32_t *to = m->triangles + 3 * m->triangle_count++;
  to[0] = (uint32_t)a;
  to[1] = (uint32_t)b;
  to[2] = (uint32_t)c;
}

/* Facing outward whichever way the axis runs. */
static void add_limb(walker_mesh *m, const limb *l, int rings, int around)
{
  size_t start = m->vertex_count;
  bool up = l->to[1] > l->from[1];
  for (int ring = 0; ring <= rings; ++ring) {
    double s, radius;
    ring_at(l, ring, rings, &s, &radius);
    int count = ring == 0 || ring == rings ? 1 : around;
    for (int i = 0; i < count; ++i) add_vertex(m, l, s, radius, 4 * QUARTER * (up ? -i : i) / around);
  }
  size_t last = m->vertex_count - 1, n = (size_t)around;
  for (size_t i = 0; i < n; ++i) {
    size_t j = (i + 1) % n;
    add_triangle(m, start, start + 1 + i, start + 1 + j);
    for (size_t ring = 0; ring + 2 < (size_t)rings; ++ring) {
      size_t a = start + 1 + ring * n, b = a + n;
      add_triangle(m, a + i, b + i, a + j);
      add_triangle(m, a + j, b + i, b + j);
    }
    add_triangle(m, last, last - n + j, last - n + i);
  }
}

void walker_free(walker_mesh *mesh)
{
  free(mesh->rest);
  free(mesh->triangles);
  free(mesh->bones);
  free(mesh->weights);
  *mesh = (walker_mesh){0};
}

bool walker_make(int detail, walker_mesh *out)
{
  int rings = 8 * detail, around = rings;
  size_t vertices = LIMBS * (2 + (size_t)around * (size_t)(rings - 1));
  size_t triangles = LIMBS * 2 * (size_t)around * (size_t)(rings - 1);
  *out = (walker_mesh){.rest = calloc(3 * vertices, sizeof(float)),
                       .triangles = calloc(3 * triangles, sizeof(uint32_t)),
                       .bones = calloc(WALKER_PER_VERTEX * vertices, sizeof(uint32_t)),
                       .weights = calloc(WALKER_PER_VERTEX * vertices, sizeof(double))};
  if (!out->rest || !out->triangles || !out->bones || !out->weights) {
    walker_free(out);
    return false;
  }
  for (int i = 0; i < LIMBS; ++i) add_limb(out, &limbs[i], rings, around);
  return true;
}

/* ----------------------------------------------------------------------------------- walking -- */

static pl_transform product(const pl_transform *a, const pl_transform *b)
{
  pl_transform c;
  for (int i = 0; i < 3; ++i) {
    c.t[i] = a->t[i];
    for (int k = 0; k < 3; ++k) {
      c.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k];
      c.t[i] += a->m[i][k] * b->t[k];
    }
  }
  return c;
}

/* Turns about a point, by an angle around x. */
static pl_transform swing(const double at[3], double angle)
{
  double c = scene_wave(angle + QUARTER), s = scene_wave(angle);
  pl_transform r = {{{1, 0, 0}, {0, c, -s}, {0, s, c}}, {0, 0, 0}};
  for (int i = 0; i < 3; ++i) r.t[i] = at[i] - (r.m[i][0] * at[0] + r.m[i][1] * at[1] + r.m[i][2] * at[2]);
  return r;
}

static void bend(const pl_transform *root, const limb *l, double upper, double lower, pl_transform *bones)
{
  double middle[3] = {along(l, 0, 0.5), along(l, 1, 0.5), along(l, 2, 0.5)};
  pl_transform first = swing(l->from, upper), second = swing(middle, lower);
  bones[l->bone] = product(root, &first);
  bones[l->bone + 1] = product(&bones[l->bone], &second);
}

void walker_pose(int who, double part, pl_transform bones[WALKER_BONES])
{
  double phase = 4 * QUARTER * 3 * part + 1.3 * who, stride = scene_wave(phase), side = who ? -1 : 1;
  double bounce = 0.02 * scene_wave(2 * phase + QUARTER), way = 1.5 * (2 * part - 1);
  pl_transform root = {{{side, 0, 0}, {0, 1, 0}, {0, 0, side}}, {side * 0.16, bounce, side * way}};
  static const double waist[3] = {0, 0.95, 0}, neck[3] = {0, 1.55, 0};
  pl_transform lean = swing(waist, 0.05 + 0.03 * scene_wave(2 * phase)), nod = swing(neck, 0.06 * stride);
  pl_transform torso = product(&root, &lean);
  bones[TORSO] = torso;
  bones[HEAD] = product(&torso, &nod);
  bend(&torso, &limbs[2], 0.65 * stride, -0.45 - 0.3 * stride, bones);
  bend(&torso, &limbs[3], -0.65 * stride, -0.45 + 0.3 * stride, bones);
  double left = scene_wave(phase + 0.9), right = scene_wave(phase + 0.9 + 2 * QUARTER);
  bend(&root, &limbs[4], -0.55 * stride, 0.45 + 0.45 * left, bones);
  bend(&root, &limbs[5], 0.55 * stride, 0.45 + 0.45 * right, bones);
}
