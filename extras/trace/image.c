/* From linear light to bytes, and from few rays to all pixels. */
#include "trace/inside.h"

static const double tone_most = 4; /* brighter is white */

/* Straight up to 0.7, then bending towards 1, so that highlights keep their colour; then the
 * curve of sRGB (IEC 61966-2-1). */
static double display(double light)
{
  const double knee = 0.7;
  double x = light <= knee ? light : knee + (1 - knee) * (1 - exp(-(light - knee) / (1 - knee)));
  double s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
  return 255 * (s < 1 ? s : 1);
}

void tone_table(float table[TONE_STEPS + 1])
{
  for (int i = 0; i <= TONE_STEPS; ++i) table[i] = (float)display(tone_most * i / TONE_STEPS);
}

float tone(const float *table, float light)
{
  float x = light * (float)(TONE_STEPS / tone_most);
  if (!(x > 0)) return table[0];
  if (x >= TONE_STEPS) return table[TONE_STEPS];
  int i = (int)x;
  return table[i] + (x - (float)i) * (table[i + 1] - table[i]);
}
