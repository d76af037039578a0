/* A scene at a time: keys are sampled as the specification's appendix C says, local transforms
 * are multiplied down the tree, all in double. Costs O(nodes + channels * log keys), and
 * allocates nothing. */
#include "io/gltf_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gltf_transform gltf_transform_of(const double trs[10])
{
  double x = trs[3], y = trs[4], z = trs[5], w = trs[6];
  const double *s = trs + 7;
  gltf_transform out = {
      .m = {{(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y - z * w) * s[1], 2 * (x * z + y * w) * s[2]},
            {2 * (x * y + z * w) * s[0], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z - x * w) * s[2]},
            {2 * (x * z - y * w) * s[0], 2 * (y * z + x * w) * s[1], (1 - 2 * (x * x + y * y)) * s[2]}},
      .t = {trs[0], trs[1], trs[2]}};
  return out;
}

gltf_transform gltf_transform_product(const gltf_transform *a, const gltf_transform *b)
{
  gltf_transform out;
  for (int i = 0; i < 3; ++i) {
    const double *row = a->m[i];
    for (int k = 0; k < 3; ++k) out.m[i][k] = row[0] * b->m[0][k] + row[1] * b->m[1][k] + row[2] * b->m[2][k];
    out.t[i] = row[0] * b->t[0] + row[1] * b->t[1] + row[2] * b->t[2] + a->t[i];
  }
  return out;
}

/* ----------------------------------------------------------------------------------- samples -- */

/* The last key that is not after the time; the time must not be before the first. */
static size_t find_key(const gltf_sampler *s, double time)
{
  size_t low = 0, high = s->keys;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if ((double)s->times[middle] <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static bool normalize(double q[4])
{
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0) || isinf(length)) return false;
  for (int i = 0; i < 4; ++i) q[i] /= length;
  return true;
}

/* On the shorter of the two arcs. The angle comes from the chords: an arc cosine is blind near
 * 0. */
static void slerp(const double *from, const double *to, double u, double out[4])
{
  double a[4], b[4], near = 0, far = 0;
  for (int i = 0; i < 4; ++i) a[i] = from[i], b[i] = to[i];
  normalize(a);
  normalize(b);
  double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = dot < 0 ? -1 : 1;
  for (int i = 0; i < 4; ++i) {
    b[i] *= sign;
    near += (a[i] - b[i]) * (a[i] - b[i]);
    far += (a[i] + b[i]) * (a[i] + b[i]);
  }
  double angle = 2 * atan2(sqrt(near), sqrt(far)), v = 1 - u;
  double p = angle < 1e-9 ? v : sin(v * angle) / sin(angle), q = angle < 1e-9 ? u : sin(u * angle) / sin(angle);
  for (int i = 0; i < 4; ++i) out[i] = p * a[i] + q * b[i];
  normalize(out);
}

/* from, to: a key's tangent before, value and tangent after. */
static void hermite(const double *from, const double *to, size_t n, double u, double step, double *out)
{
  double u2 = u * u, u3 = u2 * u;
  for (size_t i = 0; i < n; ++i)
    out[i] = (2 * u3 - 3 * u2 + 1) * from[n + i] + step * (u3 - 2 * u2 + u) * from[2 * n + i] +
             (3 * u2 - 2 * u3) * to[n + i] + step * (u3 - u2) * to[i];
}

/* At a key, and before the first one and after the last one, the key's own value. */
static void copy_key(const gltf_sampler *s, bool is_rotation, size_t key, double *out)
{
  size_t n = s->width, parts = s->interpolation == GLTF_CUBIC ? 3 : 1;
  const double *value = s->values + (key * parts + parts / 2) * n;
  for (size_t i = 0; i < n; ++i) out[i] = value[i];
  if (is_rotation) normalize(out);
}

void gltf_sample(const gltf_sampler *s, bool is_rotation, double time, double *out)
{
  size_t n = s->width, key = find_key(s, time);
  double start = s->times[key];
  if (time <= start || key + 1 == s->keys || s->interpolation == GLTF_STEP) {
    copy_key(s, is_rotation, key, out);
    return;
  }
  double step = (double)s->times[key + 1] - start, u = (time - start) / step;
  if (s->interpolation == GLTF_CUBIC) {
    const double *from = s->values + key * 3 * n;
    hermite(from, from + 3 * n, n, u, step, out);
    if (is_rotation && !normalize(out)) copy_key(s, true, key, out);
    return;
  }
  const double *from = s->values + key * n, *to = from + n;
  if (is_rotation) {
    slerp(from, to, u, out);
    return;
  }
  for (size_t i = 0; i < n; ++i) out[i] = (1 - u) * from[i] + u * to[i];
}

/* -------------------------------------------------------------------------------------- pose -- */

struct gltf_pose {
  const gltf_scene *scene;
  double (*trs)[10];     /* of each node of the file */
  gltf_transform *world; /* the same */
  double *weights;       /* as rest_weights */
  gltf_transform *bones; /* of all bodies with a skin */
};

void gltf_pose_free(gltf_pose *pose)
{
  if (!pose) return;
  free(pose->trs);
  free(pose->world);
  free(pose->weights);
  free(pose->bones);
  free(pose);
}

bool gltf_pose_create(const gltf_scene *scene, gltf_pose **out, io_error *error)
{
  gltf_pose *pose = *out = calloc(1, sizeof *pose);
  if (pose) {
    pose->scene = scene;
    pose->trs = calloc(scene->node_count, sizeof *pose->trs);
    pose->world = calloc(scene->node_count, sizeof *pose->world);
    pose->weights = calloc(scene->weight_count + 1, sizeof *pose->weights);
    pose->bones = calloc(scene->bone_count + 1, sizeof *pose->bones);
  }
  bool ok = pose && pose->trs && pose->world && pose->weights && pose->bones;
  if (!ok) io_fail(error, "glTF", 0, "out of memory");
  if (ok && gltf_evaluate(pose, GLTF_REST, 0, error)) return true;
  gltf_pose_free(pose);
  *out = NULL;
  return false;
}

static void apply(gltf_pose *pose, const gltf_animation *a, double time)
{
  static const size_t offset[] = {[GLTF_TRANSLATION] = 0, [GLTF_ROTATION] = 3, [GLTF_SCALE] = 7};
  const gltf_scene *s = pose->scene;
  for (size_t i = 0; i < a->channel_count; ++i) {
    const gltf_channel *c = &a->channels[i];
    uint32_t body = s->nodes[c->node].body;
    if (c->path != GLTF_WEIGHTS)
      gltf_sample(c->sampler, c->path == GLTF_ROTATION, time, pose->trs[c->node] + offset[c->path]);
    else if (body != GLTF_NO_NODE) /* a mesh of lines may morph too, and nobody minds */
      gltf_sample(c->sampler, false, time, pose->weights + s->first_weight[body]);
  }
}

static void multiply_down(gltf_pose *pose)
{
  const gltf_scene *s = pose->scene;
  for (size_t i = 0; i < s->order_count; ++i) {
    uint32_t n = s->order[i];
    const gltf_node *node = &s->nodes[n];
    gltf_transform local = node->has_matrix ? node->local : gltf_transform_of(pose->trs[n]);
    pose->world[n] = node->parent == GLTF_NO_NODE ? local : gltf_transform_product(&pose->world[node->parent], &local);
  }
}

static bool all_finite(const double *x, size_t n)
{
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

static bool all_finite_transforms(const gltf_transform *t, size_t n)
{
  for (size_t i = 0; i < n; ++i)
    if (!all_finite(t[i].m[0], 9) || !all_finite(t[i].t, 3)) return false;
  return true;
}

bool gltf_evaluate(gltf_pose *pose, int animation, double time, io_error *error)
{
  const gltf_scene *s = pose->scene;
  if (!isfinite(time)) return io_fail(error, "glTF", 0, "the time is not finite");
  if (animation < GLTF_ALL_ANIMATIONS || (animation >= 0 && (size_t)animation >= s->animation_count))
    return io_fail(error, "glTF", 0, "there is no animation %d", animation);
  for (size_t i = 0; i < s->order_count; ++i)
    memcpy(pose->trs[s->order[i]], s->nodes[s->order[i]].trs, sizeof pose->trs[0]);
  memcpy(pose->weights, s->rest_weights, s->weight_count * sizeof *pose->weights);
  for (size_t i = 0; i < s->animation_count; ++i)
    if (animation == GLTF_ALL_ANIMATIONS || i == (size_t)animation) apply(pose, &s->animations[i], time);
  multiply_down(pose);
  gltf_pose_make_bones(s, pose->world, pose->bones);
  for (size_t i = 0; i < s->body_count; ++i) {
    bool skin = s->bodies[i].has_skin;
    if (!all_finite_transforms(skin ? gltf_pose_bones(pose, i) : &pose->world[s->bodies[i].node],
                               skin ? s->bodies[i].bone_count : 1))
      return io_fail(error, s->bodies[i].name, 0, "its transform is too large for a double at %g s", time);
    if (!all_finite(pose->weights + s->first_weight[i], s->bodies[i].mesh->target_count))
      return io_fail(error, s->bodies[i].name, 0, "a weight is too large for a double at %g s", time);
  }
  return true;
}

const gltf_transform *gltf_pose_transform(const gltf_pose *pose, size_t body)
{
  static const gltf_transform identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
  const gltf_body *b = &pose->scene->bodies[body];
  return b->has_skin ? &identity : &pose->world[b->node];
}

const gltf_transform *gltf_pose_bones(const gltf_pose *pose, size_t body)
{
  return pose->bones + pose->scene->first_bone[body];
}

const double *gltf_pose_weights(const gltf_pose *pose, size_t body)
{
  return pose->weights + pose->scene->first_weight[body];
}

bool gltf_pose_positions(const gltf_pose *pose, size_t body, double *xyz, io_error *error)
{
  const gltf_mesh *mesh = pose->scene->bodies[body].mesh;
  const gltf_transform *world = gltf_pose_transform(pose, body);
  const double *weights = gltf_pose_weights(pose, body);
  size_t n = 3 * mesh->vertex_count;
  for (size_t i = 0; i < n; ++i) xyz[i] = mesh->is_double ? mesh->positions_f64[i] : (double)mesh->positions[i];
  for (size_t k = 0; k < mesh->target_count; ++k) {
    const float *target = mesh->targets[k];
    const double *target_f64 = mesh->targets_f64[k];
    double w = weights[k];
    if (w == 0) continue;
    for (size_t i = 0; target && i < n; ++i) xyz[i] += w * target[i];
    for (size_t i = 0; target_f64 && i < n; ++i) xyz[i] += w * target_f64[i];
  }
  bool skin = pose->scene->bodies[body].has_skin;
  for (size_t i = 0; skin && i < n; i += 3) gltf_skin_point(mesh, gltf_pose_bones(pose, body), i / 3, xyz + i);
  for (size_t i = 0; !skin && i < n; i += 3) {
    double x = xyz[i], y = xyz[i + 1], z = xyz[i + 2];
    for (int r = 0; r < 3; ++r) {
      const double *row = world->m[r];
      xyz[i + (size_t)r] = row[0] * x + row[1] * y + row[2] * z + world->t[r];
    }
  }
  return all_finite(xyz, n) ||
         io_fail(error, pose->scene->bodies[body].name, 0, "a vertex is too far out for a double");
}
