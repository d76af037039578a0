/* Kinetic images: what a fixed set of rays, such as the pixels of a camera, sees of a body with
 * flight plans. Each pixel keeps the triangles that its ray may hit, with the times at which it
 * does, and a certificate: until when the visible triangle is known to stay the same. An image at
 * any later time costs the pixels whose certificates have failed since the last. */
#ifndef PLIANT_KINETIC_IMAGE_H
#define PLIANT_KINETIC_IMAGE_H

#include "motions.h"
#include "rays.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_kinetic_image pl_kinetic_image;

typedef struct pl_kinetic_image_def {
  size_t struct_size;
  const pl_ray *rays; /* one for each pixel; copied. Neighbours should be near each other */
  size_t ray_count;
} pl_kinetic_image_def;

static inline pl_kinetic_image_def pl_kinetic_image_def_default(void)
{
  pl_kinetic_image_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The image at the body's present time. Valid until the next call with the same image. */
typedef struct pl_kinetic_image_result {
  /* By pixel: the triangle that pl_body_cast() reports as the closest, the caller's index; PL_NONE:
   * the ray hits nothing. */
  const uint32_t *triangles;
  size_t count;
  const uint32_t *changed; /* the pixels that differ from the image before, ascending */
  size_t changed_count;    /* the first time: all */
  double time;             /* of the body */
} pl_kinetic_image_result;

/* Creates the image of a body with linear flight plans.
 *   body  in world space: its strategy may be any but bergen
 *   def   the rays
 * The image ends with its body: it is destroyed when that is. It is for one thread at a time.
 * Fails if a ray is not one (see pl_body_cast()), with PL_ERROR_UNSUPPORTED if the body has no
 * linear flight plans. Memory: about 130 bytes per ray, 50 per triangle, and 32 for each time a
 * triangle comes to or leaves a ray. */
PL_API pl_status pl_kinetic_image_create(pl_body *body, const pl_kinetic_image_def *def,
                                         pl_kinetic_image **out);
PL_API void pl_kinetic_image_destroy(pl_kinetic_image *image); /* NULL is allowed */

/* Reports the image at the body's present time (pl_body_set_time()): exactly what casting every ray
 * would, whatever has happened to the body in between.
 * Cost: forward in time the pixels whose certificates have failed; in another segment, back in
 * time, and after a change of plans or triangles all rays are traced again, at some ten times the
 * cost of casting them. Long ways are cut: after a way of some triangles' lengths, too. */
PL_API pl_status pl_kinetic_image_update(pl_kinetic_image *image,
                                         const pl_kinetic_image_result **out);

typedef struct pl_kinetic_image_info {
  size_t spans; /* times at which a ray hits or may hit a triangle, now kept */
  /* Since the image was created: */
  uint64_t starts;  /* how often all rays were traced */
  uint64_t events;  /* certificates that failed */
  uint64_t decided; /* pixels that were decided by exact tests of triangles */
  size_t bytes;
} pl_kinetic_image_info;

PL_API pl_status pl_kinetic_image_info_sized(const pl_kinetic_image *image,
                                             pl_kinetic_image_info *out, size_t out_size);
static inline pl_status pl_kinetic_image_get_info(const pl_kinetic_image *image,
                                                  pl_kinetic_image_info *out)
{
  return pl_kinetic_image_info_sized(image, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
