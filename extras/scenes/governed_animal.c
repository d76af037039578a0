/* A four-legged animal: a long ball from which legs, a neck with a head and a tail are drawn
 * out, with a skeleton. Bones: 4 in the trunk, 7 in each leg, 4 in the neck, 4 in the tail. A
 * vertex follows three bones of its limb, and three of the trunk the more the nearer to it:
 * quadratic B-splines along both. */
#include "scenes/governed.h"
#include "scenes/parts.h"

#include <stdlib.h>
#include <string.h>

enum { LIMBS = 6, TRUNK = 4, LEG = 7, OTHER = 4 };
static const float BALL = 0.5f, REACH = 1.5f, STRETCH = 1.6f, CAP = 0.42f;
static const float way[LIMBS][3] = {{0.55f, -0.75f, 0.38f},   {0.55f, -0.75f, -0.38f}, {-0.55f, -0.75f, 0.38f},
                                    {-0.55f, -0.75f, -0.38f}, {0.9f, 0.45f, 0},        {-0.95f, 0.3f, 0}};

static int bone_count(int limb) { return limb < 4 ? LEG : OTHER; }
static int first_bone(int limb) { return TRUNK + (limb < 4 ? limb * LEG : 4 * LEG + (limb - 4) * OTHER); }
static vec3 limb_way(int limb) { return vec3_normalize(vec3_make(way[limb][0], way[limb][1], way[limb][2])); }

/* A point of the unit sphere on the animal before it is stretched; its limb (or LIMBS), and how
 * far out on it, 0 to 1. */
static vec3 draw_out(vec3 d, int *limb, float *out)
{
  const float thick = BALL * 0.36f, foot = BALL * 0.9f;
  *limb = LIMBS;
  *out = 0;
  for (int i = 0; i < LIMBS; ++i) {
    vec3 axis = limb_way(i);
    float c = vec3_dot(d, axis), away, height;
    vec3 aside = vec3_sub(d, vec3_scale(axis, c));
    float sine = vec3_length(aside), s = (float)atan2(sine, c) / CAP;
    if (s >= 1) continue;
    if (s < 0.12f) {
      float a = 1.5707963f * s / 0.12f;
      away = thick * 0.6f * scene_sin(a);
      height = REACH - thick + thick * scene_cos(a);
    } else { /* a cone with a soft foot on the ball */
      float k = (s - 0.12f) / 0.88f, rise = BALL * scene_cos(CAP), edge = BALL * scene_sin(CAP);
      away = thick * 0.6f + (edge - thick * 0.6f) * k * k * k;
      height = REACH - thick + (rise - REACH + thick) * k;
    }
    *limb = i;
    *out = (height - foot) / (REACH - foot);
    if (*out < 0) *out = 0;
    return sine > 1e-6f ? vec3_add(vec3_scale(axis, height), vec3_scale(aside, away / sine)) : vec3_scale(axis, height);
  }
  return vec3_scale(d, BALL);
}

static float smooth(float x) { return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x); }

/* Quadratic B-spline weights of three bones of `count` at place x in [0, count], times `share`. */
static void spread(float x, int count, int first, float share, uint32_t bones[3], float weights[3])
{
  float at = x < 0 ? 0 : x > (float)count - 1e-4f ? (float)count - 1e-4f : x;
  int k = (int)at;
  float u = at - (float)k;
  const float w[3] = {0.5f * (1 - u) * (1 - u), 0.5f + u * (1 - u), 0.5f * u * u};
  for (int i = 0; i < 3; ++i) {
    int bone = k + i - 1;
    bone = bone < 0 ? 0 : bone >= count ? count - 1 : bone;
    bones[i] = (uint32_t)(first + bone);
    weights[i] = share * w[i];
  }
}

/* The same for five bones: uniform B-splines of degree 4, by Cox and de Boor's recursion. */
static void spread_wide(float x, int count, int first, float share, uint32_t bones[5], float weights[5])
{
  float at = x < 0 ? 0 : x > (float)count - 1e-4f ? (float)count - 1e-4f : x, w[5] = {1};
  int k = (int)at;
  float u = at - (float)k;
  for (int degree = 1; degree < 5; ++degree) {
    float saved = 0;
    for (int r = 0; r < degree; ++r) {
      float part = w[r] / (float)degree;
      w[r] = saved + ((float)(r + 1) - u) * part;
      saved = (u + (float)(degree - r - 1)) * part;
    }
    w[degree] = saved;
  }
  for (int i = 0; i < 5; ++i) {
    int bone = k + i - 2;
    bone = bone < 0 ? 0 : bone >= count ? count - 1 : bone;
    bones[i] = (uint32_t)(first + bone);
    weights[i] = share * w[i];
  }
}

/* All four bones of the trunk, at place t in [0, 1]: Bernstein polynomials. */
static void spread_trunk(float t, float share, uint32_t bones[TRUNK], float weights[TRUNK])
{
  float at = t < 0 ? 0 : t > 1 ? 1 : t, o = 1 - at;
  const float w[TRUNK] = {o * o * o, 3 * at * o * o, 3 * at * at * o, at * at * at};
  for (int i = 0; i < TRUNK; ++i) {
    bones[i] = (uint32_t)i;
    weights[i] = share * w[i];
  }
}

static bool make(int triangles, bool nine, scene_animal *out)
{
  memset(out, 0, sizeof *out);
  out->per_vertex = nine ? TRUNK + 5 : SCENE_ANIMAL_WEIGHTS;
  if (triangles < 1 || !scene_geosphere(scene_geosphere_frequency(triangles), &out->mesh)) return false;
  size_t n = out->mesh.vertex_count;
  out->bones = malloc(n * (size_t)out->per_vertex * sizeof *out->bones);
  out->weights = malloc(n * (size_t)out->per_vertex * sizeof *out->weights);
  if (!out->bones || !out->weights) {
    scene_animal_free(out);
    return false;
  }
  for (size_t v = 0; v < n; ++v) {
    int limb;
    float far;
    vec3 p = draw_out(vec3_load(out->mesh.rest, v), &limb, &far);
    uint32_t *bones = out->bones + (size_t)out->per_vertex * v;
    float *weights = out->weights + (size_t)out->per_vertex * v,
          share = limb < LIMBS ? smooth(far / (nine ? 0.5f : 0.3f)) : 0;
    int bone = bone_count(limb % LIMBS), first = first_bone(limb % LIMBS);
    p.x *= STRETCH;
    vec3_store(out->mesh.rest, v, p);
    if (nine) {
      spread_trunk((p.x / (BALL * STRETCH) + 1) * 0.5f, 1 - share, bones, weights);
      spread_wide(far * (float)bone, bone, first, share, bones + TRUNK, weights + TRUNK);
    } else {
      spread((p.x / (BALL * STRETCH) + 1) * 0.5f * TRUNK, TRUNK, 0, 1 - share, bones, weights);
      spread(far * (float)bone, bone, first, share, bones + 3, weights + 3);
    }
  }
  return true;
}

bool scene_animal_make(int triangles, scene_animal *out) { return make(triangles, false, out); }
bool scene_animal_make_nine(int triangles, scene_animal *out) { return make(triangles, true, out); }

void scene_animal_free(scene_animal *a)
{
  scene_mesh_free(&a->mesh);
  free(a->bones);
  free(a->weights);
  a->bones = NULL;
  a->weights = NULL;
}

/* ------------------------------------------------------------------------------------- poses -- */

typedef struct motion {
  double m[9], t[3];
} motion;

/* parent, then a turn by `angle` about the axis z through (x, y). */
static motion turned(const motion *parent, double angle, double x, double y)
{
  double c = scene_wave(angle + 1.57079632679489661923), s = scene_wave(angle);
  const double turn[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, shift[3] = {x - c * x + s * y, y - s * x - c * y, 0};
  motion out;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out.m[3 * i + j] = 0;
      for (int k = 0; k < 3; ++k) out.m[3 * i + j] += parent->m[3 * i + k] * turn[3 * k + j];
    }
    out.t[i] = parent->t[i];
    for (int k = 0; k < 3; ++k) out.t[i] += parent->m[3 * i + k] * shift[k];
  }
  return out;
}

static void put(const motion *m, int bone, double matrix[SCENE_ANIMAL_BONES][9], double shift[SCENE_ANIMAL_BONES][3])
{
  memcpy(matrix[bone], m->m, sizeof m->m);
  memcpy(shift[bone], m->t, sizeof m->t);
}

/* swing: of the hips; bend: of the joints below them; back: of the trunk. */
static void pose(double time, double swing, double bend, double back, double matrix[SCENE_ANIMAL_BONES][9],
                 double shift[SCENE_ANIMAL_BONES][3])
{
  static const double phase[LIMBS] = {0, 3.14159, 3.14159, 0, 1, 2};
  motion trunk[TRUNK], rest = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  for (int k = 0; k < TRUNK; ++k) {
    double x = (2.0 * k / TRUNK - 1) * (double)BALL * (double)STRETCH;
    trunk[k] = turned(k ? &trunk[k - 1] : &rest, k ? back * scene_wave(time + 0.7 * k) : 0, x, 0);
    put(&trunk[k], k, matrix, shift);
  }
  for (int limb = 0; limb < LIMBS; ++limb) {
    vec3 d = limb_way(limb);
    const int count = bone_count(limb);
    const double foot = 0.9 * (double)BALL, length = (double)REACH - foot;
    motion m = d.x > 0 ? trunk[TRUNK - 1] : trunk[0];
    for (int k = 0; k < count; ++k) {
      double h = foot + length * k / count, wave = scene_wave(time + phase[limb] - 0.5 * k);
      double angle = k == 0 ? swing * scene_wave(time + phase[limb]) : bend * (d.x > 0 ? 1 : -1) * (0.4 + wave) / count;
      m = turned(&m, angle, h * (double)d.x * (double)STRETCH, h * (double)d.y);
      put(&m, first_bone(limb) + k, matrix, shift);
    }
  }
}

void scene_animal_walk(int step, double matrix[SCENE_ANIMAL_BONES][9], double shift[SCENE_ANIMAL_BONES][3])
{
  pose(6.2831853 * 2 * step / SCENE_GOVERNED_STEPS, 0.18, 0.25, 0.03, matrix, shift);
}

void scene_animal_run(int step, double matrix[SCENE_ANIMAL_BONES][9], double shift[SCENE_ANIMAL_BONES][3])
{
  pose(6.2831853 * 8 * step / SCENE_GOVERNED_STEPS, 0.9, 1.9, 0.25, matrix, shift);
}
