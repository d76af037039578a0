/* Pictures of bodies in contact, painted in software: no display, no graphics library. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct picture_camera {
  float eye[3], at[3], up[3];
  float angle; /* of view from bottom to top, in degrees */
} picture_camera;

typedef struct picture_body {
  const float *xyz;
  size_t vertex_count;
  const uint32_t *triangles;
  size_t triangle_count;
  const uint8_t *touching; /* per triangle, 1: painted red and glowing; NULL: none */
  float colour[3];         /* linear light, 0 .. 1 */
  bool flat;               /* one paint for each triangle, which is much quicker */
  bool glass;              /* one can look through; what touches stays solid */
} picture_body;

/* Paints the bodies, rows from the top, three bytes per pixel, with four samples per pixel.
 * false: out of memory. */
bool picture_paint(const picture_camera *camera, const picture_body *bodies, size_t count, int width, int height,
                   uint8_t *rgb);

#endif
