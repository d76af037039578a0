/* Colours: the sky, the ground, and how surfaces answer to light (Lambert, with highlights after
 * J. Blinn, Models of Light Reflection for Computer Synthesized Pictures, 1977, and mirrors that
 * grow at grazing angles after C. Schlick, An Inexpensive BRDF Model, 1994). */
#include "trace/inside.h"

static double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* --------------------------------------------------------------------------------------- sky -- */

/* Around the first light: a wide veil and a small bright core. */
static double glow_at(const trace_world *world, vec direction)
{
  if (world->light_count == 0) return 0;
  vec to = vec_unit(vec_sub(vec_of(world->lights[0].at), vec_of(world->ground.middle)));
  double c = vec_dot(direction, to);
  if (c <= 0) return 0;
  double c2 = c * c, c4 = c2 * c2, c16 = c4 * c4 * c4 * c4;
  return 0.25 * c4 + 0.75 * c16 * c16;
}

vec sky_colour(const trace_world *world, vec direction)
{
  const trace_sky *sky = &world->sky;
  double height = vec_axis(direction, world->up_axis), down = 1 - clamp01(fabs(height));
  double f = 1 - down * down * down * down;
  vec far = vec_of_float(height < 0 ? sky->nadir : sky->zenith);
  vec colour = vec_mix(vec_of_float(sky->horizon), far, f);
  if (sky->glow[0] + sky->glow[1] + sky->glow[2] == 0) return colour;
  return vec_mad(colour, vec_of_float(sky->glow), glow_at(world, direction));
}

/* ------------------------------------------------------------------------------------ ground -- */

double ground_presence(const trace_world *world, vec point)
{
  const trace_ground *g = &world->ground;
  double d = vec_length(vec_sub(point, vec_of(g->middle))) / g->fade;
  return d < 1 ? (1 - d * d) * (1 - d * d) : 0;
}

/* The mean over [x - w/2, x + w/2] of a wave that is 1 on even squares and -1 on odd ones: its
 * integral is a wave of triangles. */
static double stripes(double x, double w)
{
  double a = x - 0.5 * w, b = x + 0.5 * w;
  double from = fabs(a - 2 * floor(0.5 * a) - 1), to = fabs(b - 2 * floor(0.5 * b) - 1);
  return w > 0 ? (from - to) / w : 0;
}

/* Squares are averaged over the pixel's footprint, an ellipse that is long where one looks along
 * the ground: crisp edges nearby and no glitter far away, with one ray. */
vec ground_colour(const trace_ground *ground, int up_axis, vec point, vec direction, double width)
{
  vec one = vec_of_float(ground->material.colour);
  if (ground->kind != TRACE_GROUND_CHECKER) return one;
  int a = up_axis == 1 ? 2 : 0, b = up_axis == 1 ? 0 : 1;
  double along[2] = {vec_axis(direction, a), vec_axis(direction, b)}, steep = fabs(vec_axis(direction, up_axis));
  double flat = sqrt(along[0] * along[0] + along[1] * along[1]), w = width / ground->square;
  double c = flat > 0 ? along[0] / flat : 1, s = flat > 0 ? along[1] / flat : 0;
  double stretch = steep > 1e-4 ? 1 / steep : 1e4;
  double wa = w * sqrt(c * c * stretch * stretch + s * s), wb = w * sqrt(s * s * stretch * stretch + c * c);
  vec local = vec_scale(vec_sub(point, vec_of(ground->middle)), 1 / ground->square);
  double even = stripes(vec_axis(local, a), wa + 1e-9) * stripes(vec_axis(local, b), wb + 1e-9);
  return vec_mix(vec_of_float(ground->other), one, 0.5 + 0.5 * even);
}

/* ---------------------------------------------------------------------------------- surfaces -- */

double mirror_part(const trace_material *material, double cos_angle)
{
  double c = 1 - clamp01(cos_angle), c2 = c * c;
  return material->mirror + (1 - material->mirror) * material->fresnel * c2 * c2 * c;
}

static vec ambient(const trace_world *world, vec normal)
{
  const trace_sky *sky = &world->sky;
  double up = 0.5 + 0.5 * vec_axis(normal, world->up_axis);
  vec above = vec_mix(vec_of_float(sky->horizon), vec_of_float(sky->zenith), 0.5);
  vec below = world->ground.kind == TRACE_GROUND_NONE
                  ? vec_mix(vec_of_float(sky->horizon), vec_of_float(sky->nadir), 0.5)
                  : vec_mix(vec_of_float(world->ground.material.colour), vec_of_float(world->ground.other), 0.5);
  return vec_scale(vec_mix(vec_scale(below, 0.6), above, up), sky->ambient);
}

vec surface_colour(const trace_world *world, const surface *s, uint32_t lit)
{
  vec normal = vec_of_float(s->normal), eye = vec_of_float(s->to_eye), base = vec_of_float(s->colour);
  vec diffuse = ambient(world, normal), shine = vec_make(0, 0, 0);
  for (int i = 0; i < world->light_count; ++i) {
    if (!(lit >> i & 1)) continue;
    vec to = vec_unit(vec_sub(vec_of(world->lights[i].at), vec_of(s->origin)));
    vec colour = vec_of_float(world->lights[i].colour);
    double c = vec_dot(normal, to);
    if (c <= 0) continue;
    diffuse = vec_mad(diffuse, colour, c);
    double h = vec_dot(normal, vec_unit(vec_add(to, eye)));
    if (h > 0 && s->material->specular > 0)
      shine = vec_mad(shine, colour, s->material->specular * pow(h, s->material->gloss));
  }
  return vec_add(vec_scale(vec_mul(base, diffuse), 1 - s->mirror), shine);
}
