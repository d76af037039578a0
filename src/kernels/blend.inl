/* A block as the weighted sum of reference blocks: eq. 6.3 of the thesis, for the boxes of all children at once. A negative weight
 * (additive morphs) takes the other end of an interval.
 *
 * Rounding. With k active references, coefficients rounded to float, every product and every sum: the error of a component is at
 * most (k + 2) u times the sum of |c_i| most_i, u = 2^-24, and vertices evaluated in double add nothing visible; twice that is taken
 * off below and put on above. Cost: 6 multiplications and additions of 8 lanes per reference. */

static uint64_t blend_node(tree *t, const blend *b, uint32_t node)
{
  const recipe *r = &b->now;
  const int width = t->width, half = 3 * width;
  float sum[AABB_COMPONENTS * 8] = {0};
  float size = 0;
  for (int k = 0; k < r->count; ++k) {
    int i = r->stored[k];
    const float *from = blend_block(b, t, node, i);
    float c = (float)r->weight[k];
    const float *lower = c < 0 ? from + half : from, *upper = c < 0 ? from : from + half;
    for (int e = 0; e < half; ++e) {
      sum[e] += c * lower[e];
      sum[e + half] += c * upper[e];
    }
    size += (c < 0 ? -c : c) * b->most[(size_t)node * (size_t)b->stored + (size_t)i];
  }
  float error = 2 * (float)(r->count + 3) * 0x1p-24f * size + 0x1p-126f;
  float *block = tree_block(t, node);
  int count = t->children[node];
  bool finite = error < 0x1p100f; /* otherwise sums may have overflowed: all of space */
  for (int k = 0; k < 3; ++k)
    for (int lane = 0; lane < count; ++lane) {
      block[k * width + lane] = finite ? sum[k * width + lane] - error : -INFINITY;
      block[(k + 3) * width + lane] = finite ? sum[(k + 3) * width + lane] + error : INFINITY;
    }
  return (uint64_t)count;
}
