/* Bodies with long arms that wave: a ball from which round arms of even thickness stick out, two
 * and a half times as far as its surface. The mesh is a geosphere: around each arm's direction a
 * cap of it is drawn out along the arm's outline, so that most of the triangles are on the arms.
 * Each ray from the centre leaves the body once, and waving turns every sphere about the centre
 * as a whole: the surface, but for its facets, never meets itself. Cost: O(vertices * arms) to
 * make, O(vertices) to pose. */
#include "scenes/parts.h"

enum { ARMS_MOST = 64 };

static const float BALL = 0.5f, REACH = 1.25f; /* radii of the ball and of the arms' tips */

/* Evenly spread over the sphere: equal steps of height, turned by the golden angle. */
static vec3 arm_direction(int i, int arms)
{
  float y = 1 - (2 * (float)i + 1) / (float)arms, r = sqrtf(1 - y * y), a = 2.3999632f * (float)i;
  return vec3_make(r * scene_cos(a), y, r * scene_sin(a));
}

/* Half the least angle between two arms, at most 0.75: the caps that become arms do not meet. */
static float cap_angle(const vec3 *direction, int arms)
{
  float most = -1;
  for (int i = 0; i < arms; ++i)
    for (int j = 0; j < i; ++j) {
      float c = vec3_dot(direction[i], direction[j]);
      if (c > most) most = c;
    }
  float half = 0.48f * (float)acos(most);
  return half < 0.75f ? half : 0.75f;
}

/* The outline of an arm in the half-plane (distance from the arm's axis, height along it), s in
 * [0, 1] from the tip down to the edge of the cap: a round end, the straight side, and the
 * ball's surface. */
static void outline(float s, float cap, float *away, float *height)
{
  float angle = 0.45f * cap, thick = BALL * scene_sin(angle), foot = BALL * scene_cos(angle);
  const float end = 0.12f, side = 0.8f; /* where the side begins and ends, in s */
  if (s < end) {
    float a = 1.5707963f * s / end;
    *away = thick * scene_sin(a);
    *height = REACH - thick + thick * scene_cos(a);
  } else if (s < side) {
    *away = thick;
    *height = REACH - thick + (foot - REACH + thick) * (s - end) / (side - end);
  } else {
    float a = angle + (cap - angle) * (s - side) / (1 - side);
    *away = BALL * scene_sin(a);
    *height = BALL * scene_cos(a);
  }
}

static vec3 draw_out(vec3 d, const vec3 *direction, int arms, float cap)
{
  for (int i = 0; i < arms; ++i) {
    float c = vec3_dot(d, direction[i]);
    vec3 aside = vec3_sub(d, vec3_scale(direction[i], c));
    float sine = vec3_length(aside), angle = (float)atan2(sine, c), away, height;
    if (angle >= cap) continue;
    outline(angle / cap, cap, &away, &height);
    vec3 axial = vec3_scale(direction[i], height);
    return sine > 1e-6f ? vec3_add(axial, vec3_scale(aside, away / sine)) : axial;
  }
  return vec3_scale(d, BALL);
}

bool scene_armed_body(int triangles, int arms, scene_mesh *out)
{
  *out = (scene_mesh){0};
  if (arms < 1 || arms > ARMS_MOST || triangles < 1 || !scene_geosphere(scene_geosphere_frequency(triangles), out))
    return false;
  vec3 direction[ARMS_MOST];
  for (int i = 0; i < arms; ++i) direction[i] = arm_direction(i, arms);
  float cap = cap_angle(direction, arms);
  for (size_t i = 0; i < out->vertex_count; ++i)
    vec3_store(out->rest, i, draw_out(vec3_load(out->rest, i), direction, arms, cap));
  return true;
}

static vec3 turn_x(vec3 p, float c, float s) { return vec3_make(p.x, c * p.y - s * p.z, s * p.y + c * p.z); }
static vec3 turn_z(vec3 p, float c, float s) { return vec3_make(c * p.x - s * p.y, s * p.x + c * p.y, p.z); }

/* Breathing, different in every direction, then the wave: turns about two axes that grow with
 * the distance beyond the ball and run out along the arms. */
static void shape_arms(scene_mesh *mesh, float time, float phase)
{
  for (size_t i = 0; i < mesh->vertex_count; ++i) {
    vec3 p = vec3_load(mesh->rest, i);
    vec3 d = vec3_normalize(p);
    p = vec3_scale(p, 1 + 0.03f * scene_sin(5 * (d.x + d.y) - 4 * d.z + 2.3f * time + phase));
    float out = (vec3_length(p) - BALL) / (REACH - BALL), far = out > 0 ? out : 0;
    float a = 0.7f * far * scene_sin(2.9f * time - 2 * far + phase);
    float b = 0.7f * far * scene_sin(2.3f * time - 2 * far + 1.7f * phase + 1);
    p = turn_x(p, scene_cos(a), scene_sin(a));
    vec3_store(mesh->xyz, i, turn_z(p, scene_cos(b), scene_sin(b)));
  }
}

void scene_s2_arms_pose_model(scene_mesh *mesh, int body, int step, float rotation[9], float shift[3])
{
  shape_arms(mesh, 5 * scene_progress(step, SCENE_S2_STEPS), 1.9f * (float)body);
  scene_placement_matrix(scene_s2_placement(body, step), rotation, shift);
}

void scene_s2_arms_pose(scene_mesh *mesh, int body, int step)
{
  shape_arms(mesh, 5 * scene_progress(step, SCENE_S2_STEPS), 1.9f * (float)body);
  scene_place(mesh, scene_s2_placement(body, step));
}
