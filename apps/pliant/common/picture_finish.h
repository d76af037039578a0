/* The last step of a picture (picture.c). */
#ifndef PICTURE_FINISH_H
#define PICTURE_FINISH_H

#include <stdbool.h>
#include <stdint.h>

/* Linear light. */
typedef struct colour {
  float r, g, b;
} colour;

/* Spreads the glows (by pixel, 1: all of it touches; overwritten) and writes three bytes per
 * pixel. false: out of memory. */
bool picture_finish(const colour *pixels, float *glows, int width, int height, uint8_t *rgb);

#endif
