/* B2: how twelve dolphins swim as a group. Three rows of four behind each other; the middle row
 * is wider and turned by an eighth, so that noses come between the tails in front. Everyone
 * wanders about its place, rolls, and beats its tail in its own time. The distances are such
 * that fins meet bodies and trunks only graze each other. */
#include "scenes/morph_parts.h"

void morph_b2_pose(int dolphin, int step, morph_pose *out)
{
  const double turn = 6.28318530717958647693, behind = 1.45, radius[3] = {0.54, 0.94, 0.54};
  double u = step / (MORPH_B2_STEPS - 1.0), k = dolphin;
  int row = dolphin / 4;
  double a = turn * (dolphin % 4 / 4.0 + row / 8.0 + 0.125);
  double wander[3]; /* about the place in the group, each -1 .. 1 */
  for (int i = 0; i < 3; ++i) wander[i] = morph_sin(turn * (2 + i) * u + (1.3 + 0.9 * i) * k + i);
  out->shift[0] = 8 * u - behind * (row - 1) + 0.15 * wander[0];
  out->shift[1] = radius[row] * morph_cos(a) + 0.05 * wander[1];
  out->shift[2] = radius[row] * morph_sin(a) + 0.05 * wander[2];
  double roll = (dolphin % 2 ? 1 : -1) * turn * (1 + 0.25 * (dolphin % 3)) * u + 2.4 * k;
  morph_rotation(0.06 * morph_sin(turn * 3 * u + 2.1 * k), 0.06 * morph_sin(turn * 2 * u + 1.7 * k), roll,
                 out->rotation);
  morph_weights(1 + morph_sin(turn * 8 * u + 2.7 * k), out->weight);
}
