/* Ready worlds: a sky, a ground and lights that go together, placed around what is to be seen;
 * and colours for bodies. */
#include "trace/inside.h"

typedef struct mood {
  trace_sky sky;
  float even[3], odd[3]; /* squares of the ground */
  float ground_mirror;
  float light[3][3];
} mood;

static const mood moods[TRACE_MOOD_COUNT] = {
    [TRACE_MOOD_DAY] =
        {.sky = {{0.60f, 0.72f, 0.84f}, {0.10f, 0.24f, 0.54f}, {0.46f, 0.58f, 0.72f}, {0.34f, 0.26f, 0.14f}, 0.34f, 0},
         .even = {0.66f, 0.64f, 0.60f},
         .odd = {0.11f, 0.15f, 0.21f},
         .ground_mirror = 0.05f,
         .light = {{1.02f, 0.92f, 0.76f}, {0.12f, 0.16f, 0.24f}, {0.14f, 0.14f, 0.16f}}},
    [TRACE_MOOD_DUSK] =
        {.sky = {{0.86f, 0.42f, 0.22f}, {0.05f, 0.06f, 0.20f}, {0.40f, 0.20f, 0.16f}, {0.70f, 0.30f, 0.08f}, 0.30f, 0},
         .even = {0.50f, 0.40f, 0.36f},
         .odd = {0.085f, 0.065f, 0.11f},
         .ground_mirror = 0.10f,
         .light = {{1.10f, 0.70f, 0.40f}, {0.12f, 0.16f, 0.38f}, {0.24f, 0.08f, 0.12f}}},
    [TRACE_MOOD_STUDIO] =
        {.sky = {{0.70f, 0.70f, 0.69f}, {0.36f, 0.38f, 0.41f}, {0.60f, 0.60f, 0.60f}, {0.10f, 0.10f, 0.10f}, 0.42f, 0},
         .even = {0.60f, 0.60f, 0.59f},
         .odd = {0.40f, 0.41f, 0.42f},
         .ground_mirror = 0.07f,
         .light = {{0.74f, 0.71f, 0.66f}, {0.22f, 0.24f, 0.28f}, {0.16f, 0.16f, 0.16f}}},
    [TRACE_MOOD_NIGHT] = {.sky = {{0.040f, 0.060f, 0.110f},
                                  {0.005f, 0.007f, 0.020f},
                                  {0.020f, 0.030f, 0.060f},
                                  {0.06f, 0.07f, 0.10f},
                                  0.8f,
                                  0},
                          .even = {0.34f, 0.37f, 0.44f},
                          .odd = {0.05f, 0.06f, 0.10f},
                          .ground_mirror = 0.14f,
                          .light = {{0.95f, 0.84f, 0.68f}, {0.20f, 0.28f, 0.60f}, {0.36f, 0.10f, 0.22f}}},
    [TRACE_MOOD_SEA] = {.sky = {{0.04f, 0.24f, 0.36f},
                                {0.22f, 0.62f, 0.68f},
                                {0.004f, 0.035f, 0.085f},
                                {0.30f, 0.42f, 0.36f},
                                0.45f,
                                0.11f},
                        .even = {0.30f, 0.42f, 0.40f},
                        .odd = {0.14f, 0.24f, 0.26f},
                        .ground_mirror = 0,
                        .light = {{1.15f, 1.30f, 1.15f}, {0.04f, 0.16f, 0.24f}, {0.04f, 0.14f, 0.20f}}},
};

/* In the light's own frame: to the right of the viewer, up, and towards the viewer; in radii of
 * the scene. */
static const double light_places[3][3] = {{-2.2, 3.4, 1.8}, {3.2, 1.6, 1.6}, {0.6, 2.2, -3.4}};

static void place_lights(trace_world *world, const mood *m, vec middle, vec eye, double radius, int lights)
{
  vec up = vec_unit_axis(world->up_axis), toward = vec_sub(eye, middle);
  toward = vec_mad(toward, up, -vec_dot(toward, up));
  if (!(vec_length(toward) > 0)) toward = vec_unit_axis(world->up_axis == 1 ? 2 : 0);
  toward = vec_unit(toward);
  vec right = vec_cross(up, toward);
  for (int i = 0; i < lights && i < 3; ++i) {
    vec at = vec_mad(middle, right, light_places[i][0] * radius);
    at = vec_mad(at, up, light_places[i][1] * radius);
    trace_light *light = &world->lights[world->light_count++];
    *light = (trace_light){.radius = (float)(0.35 * radius)};
    vec_put(light->at, vec_mad(at, toward, light_places[i][2] * radius));
    for (int k = 0; k < 3; ++k) light->colour[k] = m->light[i][k];
  }
}

void trace_world_make(trace_world *world, trace_mood mood_index, int up_axis, const double lower[3],
                      const double upper[3], const double eye[3], int lights)
{
  const mood *m = &moods[mood_index];
  vec low = vec_of(lower), high = vec_of(upper), middle = vec_scale(vec_add(low, high), 0.5);
  double radius = 0.5 * vec_length(vec_sub(high, low));
  if (!(radius > 0)) radius = 1;
  *world = (trace_world){.up_axis = up_axis, .sky = m->sky};
  world->sky.fog = m->sky.fog / (float)radius;
  trace_ground *g = &world->ground;
  *g = (trace_ground){.kind = TRACE_GROUND_CHECKER, .height = vec_axis(low, up_axis), .square = 0.4 * radius};
  vec_put(g->middle, vec_mad(middle, vec_unit_axis(up_axis), g->height - vec_axis(middle, up_axis)));
  g->fade = 14 * radius;
  g->material = (trace_material){.mirror = m->ground_mirror, .fresnel = 0.35f, .gloss = 1};
  for (int k = 0; k < 3; ++k) {
    g->material.colour[k] = m->even[k];
    g->other[k] = m->odd[k];
  }
  place_lights(world, m, middle, vec_of(eye), radius, lights);
}

trace_material trace_palette(int k)
{
  static const float colours[][3] = {{0.07f, 0.33f, 0.60f}, {0.88f, 0.50f, 0.06f}, {0.56f, 0.62f, 0.68f},
                                     {0.06f, 0.42f, 0.28f}, {0.42f, 0.12f, 0.42f}, {0.86f, 0.72f, 0.42f},
                                     {0.04f, 0.44f, 0.52f}, {0.62f, 0.34f, 0.52f}, {0.32f, 0.40f, 0.12f}};
  const int count = (int)(sizeof colours / sizeof *colours);
  const float *c = colours[k % count];
  return (trace_material){
      .colour = {c[0], c[1], c[2]}, .mirror = 0.12f, .fresnel = 0.6f, .tint = 0.2f, .specular = 0.45f, .gloss = 70};
}
