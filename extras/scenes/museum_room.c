/* The museum around its piece of art: what does not move, the lights and the eye. */
#include "scenes/museum.h"
#include "scenes/parts.h"

#include <string.h>

static const float TURN = 6.28318530717958647692f;
static const float HALF = 7, HEIGHT = 6; /* of the room */

/* A mesh that grows by quads into room that was counted before; without room it only counts. */
typedef struct quads {
  scene_mesh *mesh;
  size_t count;
} quads;

/* Corners in order around; each quad has its own. */
static void quad(quads *q, vec3 a, vec3 b, vec3 c, vec3 d)
{
  if (q->mesh->rest) {
    const vec3 corners[4] = {a, b, c, d};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    for (size_t k = 0; k < 4; ++k) vec3_store(q->mesh->rest, 4 * q->count + k, corners[k]);
    for (size_t k = 0; k < 6; ++k) q->mesh->triangles[6 * q->count + k] = (uint32_t)(4 * q->count) + triangles[k];
  }
  ++q->count;
}

/* A flat rectangle: `from`, and two sides. */
static void slab(quads *q, vec3 from, vec3 x, vec3 y)
{
  quad(q, from, vec3_add(from, x), vec3_add(vec3_add(from, x), y), vec3_add(from, y));
}

static void box(quads *q, vec3 low, vec3 high)
{
  vec3 x = {high.x - low.x, 0, 0}, y = {0, high.y - low.y, 0}, z = {0, 0, high.z - low.z};
  slab(q, low, x, y);
  slab(q, low, y, z);
  slab(q, low, z, x);
  slab(q, high, vec3_scale(y, -1), vec3_scale(x, -1));
  slab(q, high, vec3_scale(z, -1), vec3_scale(y, -1));
  slab(q, high, vec3_scale(x, -1), vec3_scale(z, -1));
}

/* A body of revolution about a vertical line. */
static void turned(quads *q, float x, float z, const float (*profile)[2], int points, int sides)
{
  for (int p = 0; p + 1 < points; ++p)
    for (int i = 0; i < sides; ++i) {
      vec3 c[4];
      for (int k = 0; k < 4; ++k) {
        const float *at = profile[p + (k >= 2)];
        float a = TURN * (float)((i + (k == 1 || k == 2)) % sides) / (float)sides;
        c[k] = vec3_make(x + at[0] * scene_cos(a), at[1], z + at[0] * scene_sin(a));
      }
      quad(q, c[0], c[3], c[2], c[1]);
    }
}

/* ------------------------------------------------------------------------------------- parts -- */

static void tiles(quads *q, int colour)
{
  enum { ACROSS = 14 };
  float side = 2 * HALF / ACROSS;
  for (int i = 0; i < ACROSS; ++i)
    for (int j = 0; j < ACROSS; ++j)
      if ((i + j) % 2 == colour)
        slab(q, vec3_make(-HALF + side * (float)i, 0, -HALF + side * (float)j), vec3_make(0, 0, side),
             vec3_make(side, 0, 0));
}

/* Wall `side` of four, seen from within: from its left lower corner. */
static void wall_frame(int side, vec3 *from, vec3 *right)
{
  const float x[] = {-1, 1, 1, -1}, z[] = {-1, -1, 1, 1};
  *from = vec3_make(HALF * x[side], 0, HALF * z[side]);
  *right = vec3_make(0.5f * (x[(side + 1) % 4] - x[side]), 0, 0.5f * (z[(side + 1) % 4] - z[side]));
}

static void walls(quads *q)
{
  for (int side = 0; side < 4; ++side) {
    vec3 from, right;
    wall_frame(side, &from, &right);
    slab(q, from, vec3_scale(right, 2 * HALF), vec3_make(0, HEIGHT, 0));
  }
}

static void pillars(quads *q)
{
  static const float profile[][2] = {{0.55f, 0},    {0.55f, 0.25f}, {0.45f, 0.32f}, {0.36f, 0.5f}, {0.32f, 3},
                                     {0.30f, 5.3f}, {0.42f, 5.5f},  {0.55f, 5.6f},  {0.55f, 6}};
  for (int i = 0; i < 8; ++i) {
    float a = TURN * ((float)i + 0.5f) / 8;
    turned(q, 5.4f * scene_cos(a), 5.4f * scene_sin(a), profile, (int)(sizeof profile / sizeof *profile), 24);
  }
}

static void plinth(quads *q)
{
  static const float profile[][2] = {{1.3f, 0}, {1.3f, 0.12f}, {1.15f, 0.18f}, {1.1f, 0.45f}, {1.2f, 0.5f}, {0, 0.5f}};
  turned(q, 0, 0, profile, (int)(sizeof profile / sizeof *profile), 48);
}

/* Three pictures on each wall: their frames, or those of one colour. */
static void pictures(quads *q, int colour)
{
  for (int i = 0; i < 12; ++i) {
    vec3 from, right, up = {0, 1, 0};
    wall_frame(i / 3, &from, &right);
    vec3 in = vec3_scale(vec3_cross(up, right), -1); /* into the room */
    float wide = i % 3 == 1 ? 2.6f : 1.6f, high = i % 2 ? 2.2f : 1.8f;
    vec3 corner = vec3_add(from, vec3_add(vec3_scale(right, 2.6f + 4.4f * (float)(i % 3) - 0.5f * wide),
                                          vec3_scale(up, 2.7f - 0.5f * high)));
    vec3 far = vec3_add(vec3_add(corner, vec3_scale(right, wide)), vec3_scale(up, high));
    if (colour < 0) {
      vec3 front = vec3_add(far, vec3_scale(in, 0.08f));
      vec3 low = {fminf(corner.x, front.x), corner.y, fminf(corner.z, front.z)};
      vec3 top = {fmaxf(corner.x, front.x), front.y, fmaxf(corner.z, front.z)};
      box(q, low, top);
    } else if (i % 3 == colour) {
      vec3 at = vec3_add(corner, vec3_add(vec3_scale(vec3_add(right, up), 0.12f), vec3_scale(in, 0.09f)));
      slab(q, at, vec3_scale(right, wide - 0.24f), vec3_scale(up, high - 0.24f));
    }
  }
}

static void fill(museum_part part, quads *q)
{
  switch (part) {
  case MUSEUM_TILES_LIGHT:
  case MUSEUM_TILES_DARK:
    tiles(q, part == MUSEUM_TILES_DARK);
    break;
  case MUSEUM_WALLS:
    walls(q);
    break;
  case MUSEUM_CEILING:
    slab(q, vec3_make(-HALF, HEIGHT, -HALF), vec3_make(2 * HALF, 0, 0), vec3_make(0, 0, 2 * HALF));
    break;
  case MUSEUM_PILLARS:
    pillars(q);
    break;
  case MUSEUM_PLINTH:
    plinth(q);
    break;
  case MUSEUM_PICTURE_FRAMES:
    pictures(q, -1);
    break;
  default:
    pictures(q, (int)part - MUSEUM_PICTURES_RED);
  }
}

bool museum_room(museum_part part, scene_mesh *out)
{
  memset(out, 0, sizeof *out);
  quads q = {out, 0};
  fill(part, &q);
  if (!scene_mesh_alloc(out, 4 * q.count, 2 * q.count)) return false;
  q.count = 0;
  fill(part, &q);
  memcpy(out->xyz, out->rest, 3 * out->vertex_count * sizeof *out->xyz);
  return true;
}

/* ------------------------------------------------------------------------------ how it looks -- */

museum_look museum_room_look(museum_part part)
{
#define PART_LOOK(name, word, red, green, blue, mirror) {word, {red, green, blue}, mirror},
  static const museum_look looks[] = {MUSEUM_PART_LIST(PART_LOOK)};
  return looks[part];
}

museum_look museum_art_look(void) { return (museum_look){"art", {0.82f, 0.62f, 0.35f}, 0.55f}; }

museum_light museum_light_at(int light)
{
  return light ? (museum_light){{-3.6f, 5.4f, 2.6f}, {0.55f, 0.62f, 0.75f}}
               : (museum_light){{3.2f, 5.6f, 3.4f}, {0.95f, 0.88f, 0.75f}};
}

museum_view museum_camera(int frame)
{
  enum { TURN_AWAY = MUSEUM_FRAMES - 30 };
  float t = (float)frame / (MUSEUM_FRAMES - 1), a = TURN * (0.08f + t);
  float away = frame > TURN_AWAY ? (float)(frame - TURN_AWAY) / (MUSEUM_FRAMES - 1 - TURN_AWAY) : 0;
  away = away * away * (3 - 2 * away);
  vec3 eye = {4.6f * scene_cos(a), 2.3f + 0.5f * scene_sin(2 * a), 4.6f * scene_sin(a)};
  vec3 at = vec3_lerp(vec3_make(0, 1.95f, 0), vec3_make(7, 2.5f, -1.2f), away);
  return (museum_view){{eye.x, eye.y, eye.z}, {at.x, at.y, at.z}, 48};
}
