/* The morphing bodies of the experiments larsson-b1 and larsson-b2: reference shapes over one
 * connectivity, and how they are blended and placed at every step. After T. Larsson, T.
 * Akenine-Möller, Efficient Collision Detection for Models Deformed by Morphing, 2003; the
 * models are ours, since theirs are known from pictures only. Deterministic: the same floats on
 * every run and machine. */
#ifndef SCENES_MORPH_H
#define SCENES_MORPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MORPH_REFERENCES = 3 }; /* start, middle, end */

typedef struct morph_mesh {
  size_t vertex_count, triangle_count;
  int reference_count; /* MORPH_REFERENCES; 0: empty */
  /* 3 * vertex_count (+ 1 spare float) each: the shapes, in model space */
  float *references[MORPH_REFERENCES];
  uint32_t *triangles; /* 3 * triangle_count, facing outward */
} morph_mesh;

/* world = rotation * (sum of weight[i] * reference[i]) + shift. */
typedef struct morph_pose {
  double weight[MORPH_REFERENCES]; /* each in [0, 1], at most two not 0, which are neighbours; the sum is exactly 1, and
                                      each is a float */
  double rotation[9];              /* row-major */
  double shift[3];
} morph_pose;

void morph_mesh_free(morph_mesh *mesh); /* NULL and empty ones are allowed */

/* World positions of all vertices in this pose: 3 * vertex_count floats, rounded once from
 * double. */
void morph_blend(const morph_mesh *mesh, const morph_pose *pose, float *xyz);

/* B1: two bodies of 20 f^2 triangles, 1 <= f <= 5000: a bumpy ball becomes a flat star, and the
 * star a twisted bar. They start apart, pass right through each other over 400 steps and end
 * apart. Both are posed with one mesh. false (here and below): out of memory, or a number out of
 * range; *out is then empty. */
enum { MORPH_B1_STEPS = 400, MORPH_B1_BODIES = 2, MORPH_B1_FREQUENCY = 32 };
bool morph_b1_body(int frequency, morph_mesh *out);
/* body in [0, 2), step in [0, 400). */
void morph_b1_pose(int body, int step, morph_pose *out);

/* B2: twelve dolphins of 564 * 4^level triangles swim closely together, roll, and beat their
 * tails (up, straight, down) over 400 steps. All levels are samples of one smooth surface: the
 * vertices of a level are the first of the next. */
enum { MORPH_B2_STEPS = 400, MORPH_B2_DOLPHINS = 12, MORPH_DOLPHIN_LEVELS = 5, MORPH_DOLPHIN_TRIANGLES = 564 };
bool morph_dolphin(int level, morph_mesh *out);
/* dolphin in [0, 12), step in [0, 400). */
void morph_b2_pose(int dolphin, int step, morph_pose *out);

#ifdef __cplusplus
}
#endif
#endif
