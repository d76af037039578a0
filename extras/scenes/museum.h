/* The museum of the experiment larsson-c2: a room with a piece of art in its middle, a soup of
 * loose triangles that is a vase, a knot, a cube of cubes, a sheet and a braid by turns. After
 * the Museum of BART (J. Lext, U. Assarsson, T. Moeller, A Benchmark for Animated Ray Tracing,
 * 2001) as T. Larsson's thesis uses it in section 7.4: 65 536 triangles, key poses at 0, 1, 2, 3
 * and 4 seconds, linear between, two lights, 300 frames. The shapes and the room are ours. The
 * soup is cut into 256 shards whose neighbours in one key pose are far away in the next: no tree
 * fits two of them. Deterministic: the same floats on every run and machine. y is up. */
#ifndef SCENES_MUSEUM_H
#define SCENES_MUSEUM_H

#include "scenes/scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MUSEUM_TRIANGLES = 65536, MUSEUM_KEYS = 5, MUSEUM_FRAMES = 300, MUSEUM_LIGHTS = 2, MUSEUM_SHARDS = 256 };

/* Corners 3 i, 3 i + 1 and 3 i + 2 are those of triangle i: no vertex is shared. */
typedef struct museum_art {
  size_t vertex_count, triangle_count;
  /* 3 * vertex_count (+ 1 spare float) each: the key poses, in world space */
  float *key[MUSEUM_KEYS];
  float *xyz;          /* the same for the current pose */
  uint32_t *triangles; /* 0, 1, 2, ... */
} museum_art;

/* About `triangles` of them, 1000 .. 20 000 000: the same for each shard. false: out of memory,
 * or out of range; *out is then empty. */
bool museum_art_make(int triangles, museum_art *out);
void museum_art_free(museum_art *art); /* NULL and empty ones are allowed */

/* The pose of a frame in [0, MUSEUM_FRAMES), into art->xyz. */
void museum_art_pose(museum_art *art, int frame);
double museum_time(int frame); /* seconds: 0 .. 4 */

/* What does not move: X(NAME, word, red, green, blue, mirror). */
#define MUSEUM_PART_LIST(X)                                                                                            \
  X(TILES_LIGHT, "light tiles", 0.78f, 0.74f, 0.66f, 0.12f)                                                            \
  X(TILES_DARK, "dark tiles", 0.20f, 0.19f, 0.20f, 0.16f)                                                              \
  X(WALLS, "walls", 0.72f, 0.68f, 0.60f, 0.0f)                                                                         \
  X(CEILING, "ceiling", 0.85f, 0.85f, 0.83f, 0.0f)                                                                     \
  X(PILLARS, "pillars", 0.86f, 0.82f, 0.74f, 0.05f)                                                                    \
  X(PLINTH, "plinth", 0.25f, 0.24f, 0.26f, 0.2f)                                                                       \
  X(PICTURE_FRAMES, "picture frames", 0.55f, 0.38f, 0.10f, 0.1f)                                                       \
  X(PICTURES_RED, "red pictures", 0.70f, 0.12f, 0.10f, 0.0f)                                                           \
  X(PICTURES_BLUE, "blue pictures", 0.10f, 0.22f, 0.60f, 0.0f)                                                         \
  X(PICTURES_GREEN, "green pictures", 0.10f, 0.48f, 0.24f, 0.0f)

typedef enum museum_part {
#define MUSEUM_PART_NAME(name, word, red, green, blue, mirror) MUSEUM_##name,
  MUSEUM_PART_LIST(MUSEUM_PART_NAME)
#undef MUSEUM_PART_NAME
      MUSEUM_PARTS
} museum_part;

/* How something looks: colours are linear light; mirror: the part of its colour that is the
 * mirror image. */
typedef struct museum_look {
  const char *name;
  float colour[3];
  float mirror;
} museum_look;

bool museum_room(museum_part part, scene_mesh *out); /* false: out of memory */
museum_look museum_room_look(museum_part part);
museum_look museum_art_look(void);

typedef struct museum_light {
  float at[3], colour[3];
} museum_light;
museum_light museum_light_at(int light); /* 0, 1 */

/* Once around the art; in the last 30 frames the eye turns away to a picture on the wall. 48
 * degrees from bottom to top. */
typedef struct museum_view {
  float eye[3], at[3], degrees;
} museum_view;
museum_view museum_camera(int frame);

#ifdef __cplusplus
}
#endif
#endif
