/* The five flexible parts of F. Bitar, Adaptive Bounding Volume Hierarchies for Deformable
 * Surface Models, 2011, and the five pairs of them whose distance is asked for in every frame
 * (section IV, figures 2 to 6, table 1). The thesis shows pictures and counts; shapes and
 * motions are ours, the numbers of vertices, triangles and frames are its own. Surfaces are
 * open; each part is one connected piece. Parts of a pair come close and never touch.
 * Deterministic. */
#ifndef SCENES_BITAR_H
#define SCENES_BITAR_H

#include "scenes/scenes.h"

/* X(NAME, name, triangles, frames) */
#define BITAR_PART_LIST(X)                                                                                             \
  X(PLATE, "plate", 162, 62)                    /* bends up and down */                                                \
  X(TWISTING_PLATE, "twisting plate", 162, 218) /* its ends turn against each other */                                 \
  X(CABLE, "cable", 180, 127)                   /* sags and swings */                                                  \
  X(HELMET, "helmet", 710, 20)                  /* is squeezed, with a dent that runs over it */                       \
  X(FOLDING_SHEET, "folding sheet", 162, 29)    /* one half comes to lie over the other */

typedef enum bitar_part {
#define BITAR_PART_NAME(name, text, triangles, frames) BITAR_##name,
  BITAR_PART_LIST(BITAR_PART_NAME)
#undef BITAR_PART_NAME
      BITAR_PARTS
} bitar_part;

enum { BITAR_SCENARIOS = 5, BITAR_MOST_DETAIL = 100 };

const char *bitar_part_text(bitar_part part);
int bitar_part_frames(bitar_part part);

/* detail: 1 for the thesis' size, n for n^2 times as many triangles (10: a hundred times).
 * false: out of memory, or a number out of range; *out is then empty. */
bool bitar_part_make(bitar_part part, int detail, scene_mesh *out);

/* The pose of a frame, about the part's own origin; a part stays as it is after its last frame. */
void bitar_part_pose(scene_mesh *mesh, bitar_part part, int frame);

/* Scenario s has two parts and lasts until both have ended their motion. */
typedef struct bitar_scenario {
  bitar_part part[2];
  float shift[2][3]; /* where their origins stand */
  int frames;
} bitar_scenario;

bitar_scenario bitar_scenario_of(int scenario);
bool bitar_scenario_make(int scenario, int detail, scene_mesh out[2]);
void bitar_scenario_pose(int scenario, scene_mesh meshes[2], int frame);

#endif
