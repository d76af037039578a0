/* The last step of a picture: a glow around what touches, and light as bytes. */
#include "common/picture_finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Running means of `reach` to both sides, along rows or columns; three of them are nearly a
 * bell. */
static void blur_row(float *line, const float *copy, int count, int reach)
{
  float sum = 0;
  for (int i = -reach; i < count; ++i) {
    if (i + reach < count) sum += copy[i + reach];
    if (i - reach - 1 >= 0) sum -= copy[i - reach - 1];
    if (i >= 0) line[i] = (sum > 0 ? sum : 0) / (float)(2 * reach + 1);
  }
}

/* All columns at once, row by row. */
static void blur_columns(float *field, const float *copy, float *sum, int width, int height, int reach)
{
  memset(sum, 0, (size_t)width * sizeof *sum);
  for (int y = -reach; y < height; ++y) {
    const float *in = y + reach < height ? copy + (size_t)(y + reach) * (size_t)width : NULL;
    const float *out = y - reach - 1 >= 0 ? copy + (size_t)(y - reach - 1) * (size_t)width : NULL;
    for (int x = 0; in && x < width; ++x) sum[x] += in[x];
    for (int x = 0; out && x < width; ++x) sum[x] -= out[x];
    float *line = y >= 0 ? field + (size_t)y * (size_t)width : NULL;
    for (int x = 0; line && x < width; ++x) line[x] = (sum[x] > 0 ? sum[x] : 0) / (float)(2 * reach + 1);
  }
}

static void blur(float *field, float *copy, float *sum, int width, int height, int reach)
{
  size_t n = (size_t)width * (size_t)height;
  for (int round = 0; round < 3; ++round) {
    memcpy(copy, field, n * sizeof *copy);
    for (int y = 0; y < height; ++y)
      blur_row(field + (size_t)y * (size_t)width, copy + (size_t)y * (size_t)width, width, reach);
    memcpy(copy, field, n * sizeof *copy);
    blur_columns(field, copy, sum, width, height, reach);
  }
}

static uint8_t to_byte(float light)
{
  float t = light < 0 ? 0 : light;
  /* bright parts bend instead of clipping */
  t = t > 0.8f ? 1 - 0.2f * expf(-(t - 0.8f) / 0.2f) : t;
  float s = t <= 0.0031308f ? 12.92f * t : 1.055f * powf(t, 1 / 2.4f) - 0.055f;
  return (uint8_t)(s * 255 + 0.5f);
}

/* The bytes of light from 0 to MOST_LIGHT in equal steps, so fine that each byte begins where it
 * should but for one step. */
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

bool picture_finish(const colour *pixels, float *glows, int width, int height, uint8_t *rgb)
{
  size_t n = (size_t)width * (size_t)height;
  float *copy = malloc((n + (size_t)width) * sizeof *copy);
  if (!copy) return false;
  blur(glows, copy, copy + n, width, height, height / 90 + 1);
  free(copy);
  uint8_t bytes[STEPS];
  make_bytes(bytes);
  for (size_t i = 0; i < n; ++i) {
    float glow = glows[i];
    rgb[3 * i] = byte_of(bytes, pixels[i].r + 0.75f * glow);
    rgb[3 * i + 1] = byte_of(bytes, pixels[i].g + 0.10f * glow);
    rgb[3 * i + 2] = byte_of(bytes, pixels[i].b + 0.07f * glow);
  }
  return true;
}
