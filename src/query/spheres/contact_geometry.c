/* Contact geometry of spheres: inner spheres, their line of centres, and how deep they are in
 * each other (docs/shape-matching.md). In float: none of this decides whether spheres touch. */
#include "query/spheres/contacts.h"

/* The inner sphere of a node, and its bounding sphere, whose block must be current. */
static void inner_of(const contact_body *b, int level, uint32_t node, float inner[4], float bound[4])
{
  spheres *s = b->spheres;
  const uint32_t lane = contact_lane(s, level, node);
  spheres_ensure(s, LAYER_TANGENTS, level, lane / 8);
  const float *at = s->level[level].tangent + (size_t)(lane / 8) * BALL_TANGENT + lane % 8;
  for (int k = 0; k < 4; ++k) inner[k] = at[8 * k];
  spheres_get(s, level, lane, bound);
}

static pl_sphere sphere_of(const float s[4]) { return (pl_sphere){{s[0], s[1], s[2]}, s[3]}; }

/* Squares of ordinary numbers are floats; others are divided by a power of two first, as
 * match_length() of the kernels does it. */
static inline bool is_ordinary(float number) { return number > 1e-18f && number < 1e18f; }

static float unit_of(const float d[3], float other)
{
  float most = fabsf(other);
  for (int k = 0; k < 3; ++k) most = fabsf(d[k]) > most ? fabsf(d[k]) : most;
  return most > 1 ? 0x1p100f : 0x1p-100f;
}

static float root_of_squares(const float d[3]) { return sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]); }

/* The direction of d, of any length; along x if it is 0 or not finite. Returns the length. */
static float far_direction(const float d[3], float out[3])
{
  const float unit = unit_of(d, 0), x[3] = {d[0] / unit, d[1] / unit, d[2] / unit}, length = root_of_squares(x);
  const bool good = length > 0 && length < INFINITY;
  const float by = good ? 1 / length : 0;
  for (int k = 0; k < 3; ++k) out[k] = good ? x[k] * by : (float)(k == 0);
  return good ? length * unit : 0;
}

/* The direction from q to p; along x if they are the same or not finite. Returns the distance. */
static inline float direction(const float p[3], const float q[3], float out[3])
{
  const float d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, length = root_of_squares(d);
  if (!is_ordinary(length)) return far_direction(d, out);
  const float by = 1 / length;
  for (int k = 0; k < 3; ++k) out[k] = d[k] * by;
  return length;
}

static bool within(const float bound[4], const float point[3], float reach, float depth)
{
  const float d[3] = {point[0] - bound[0], point[1] - bound[1], point[2] - bound[2]};
  const float most = reach * bound[3] + depth;
  if (is_ordinary(most)) return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= most * most;
  const float unit = unit_of(d, most), x[3] = {d[0] / unit, d[1] / unit, d[2] / unit};
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <= most / unit * (most / unit);
}

bool contact_describe(const contact_body *a, int level_a, uint32_t node_a, const contact_body *b, int level_b,
                      uint32_t node_b, const pl_question *def, pl_sphere_contact *out)
{
  float in[2][4], bound[2][4];
  inner_of(a, level_a, node_a, in[0], bound[0]);
  inner_of(b, level_b, node_b, in[1], bound[1]);
  *out =
      (pl_sphere_contact){.a = node_a, .b = node_b, .sphere_a = sphere_of(bound[0]), .sphere_b = sphere_of(bound[1])};
  float length = direction(in[0], in[1], out->normal);
  out->depth = in[0][3] + in[1][3] - length;
  for (int k = 0; k < 3; ++k)
    out->point[k] = 0.5f * ((in[0][k] - in[0][3] * out->normal[k]) + (in[1][k] + in[1][3] * out->normal[k]));
  float reach = (float)def->reach, deep = fabsf(out->depth);
  out->contact = out->depth >= -(a->margin + b->margin) && within(bound[0], out->point, reach, deep) &&
                 within(bound[1], out->point, reach, deep);
  return out->contact;
}

bool contact_describe_plane(const contact_body *a, int level, uint32_t node, const pl_question *def, size_t plane,
                            pl_sphere_contact *out)
{
  const pl_plane *p = &def->planes[plane];
  float in[4], bound[4];
  inner_of(a, level, node, in, bound);
  *out = (pl_sphere_contact){.a = node, .b = (uint32_t)plane, .sphere_a = sphere_of(bound)};
  double height =
      p->normal[0] * (double)in[0] + p->normal[1] * (double)in[1] + p->normal[2] * (double)in[2] - p->offset;
  double depth = (double)in[3] - height;
  for (int k = 0; k < 3; ++k) {
    out->normal[k] = (float)p->normal[k];
    out->point[k] = (float)((double)in[k] - p->normal[k] * 0.5 * (height + (double)in[3]));
  }
  out->depth = (float)depth;
  out->contact = depth >= -(double)a->margin && within(bound, out->point, (float)def->reach, fabsf(out->depth));
  return out->contact;
}

void contact_describe_point(const contact_body *of, int level, uint32_t node, const double p[3], uint32_t side,
                            pl_sphere_point *out)
{
  float in[4], bound[4], at[3] = {(float)p[0], (float)p[1], (float)p[2]};
  inner_of(of, level, node, in, bound);
  float length = direction(at, in, out->normal);
  out->depth = in[3] - length;
  for (int k = 0; side && k < 3; ++k) out->normal[k] = -out->normal[k]; /* the point is b's */
}
