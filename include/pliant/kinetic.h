/* Bodies with flight plans over time: which triangles come near each other until the next key
 * (windows), which features meet when (separation lists), and what a fixed set of rays sees
 * (kinetic images). Lists and images are maintained by events. Plans are in motions.h;
 * question.h explains options and results. */
#ifndef PLIANT_KINETIC_H
#define PLIANT_KINETIC_H

#include "impacts.h"
#include "motions.h"
#include "probes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------- windows --
 * The broad phase of continuous collision between two keys. Boxes are computed at both ends
 * only, and move linearly in between: extents are convex functions of time, so these boxes
 * contain everything at every time. Two boxes overlap during one window of time. */

/* Two triangles, and a time of the flight plans before which their boxes are apart. */
typedef struct pl_window {
  double time;
  uint32_t a, b; /* the caller's indices */
} pl_window;

/* Reports the pairs of triangles whose boxes overlap between the present time and the end of the
 * present segment. Triangles that come into contact are always among them, with a time that is not
 * after their first contact.
 *   who  two bodies, one, or a scene. All have linear flight plans, the same keys and the same
 *        time, and are in world space (any strategy except bergen)
 *   out  windows, each pair of triangles once. sorted: rows of a group by time; at equal times in
 *        an order that depends on the trees only. Counters: n_v boxes of nodes, n_p boxes of
 *        triangles, n_u volumes computed
 * Apart from the order at equal times, rows depend neither on the trees nor on the instruction set.
 * Fails with PL_ERROR_UNSUPPORTED for other bodies, and with PL_ERROR_MISMATCH if their keys or
 * times differ.
 * Cost: O(vertices) for the boxes, and the pairs of boxes that overlap. */
PL_API pl_status pl_windows(pl_who who, const pl_question *how, const pl_result **out);

/* ----------------------------------------------------------------------------- separation lists --
 * Continuous collision detection by events. The list holds the pairs of volumes at which a walk
 * over two trees would stop now. Two events maintain it: two volumes begin to overlap, and the
 * parents of a pair cease to. Volumes are boxes that move linearly from key to key, so nothing
 * happens within a tree. Between events nothing changes, so the cost does not depend on how often
 * you ask; it follows the pairs, but for the boxes of a segment. */

typedef struct pl_separation pl_separation;

/* Creates the list of two bodies with linear flight plans, at their present time.
 *   a, b  of one context, with the same key times, at the same time, in world space (their
 *         strategy may be any but bergen). a == b: the body against itself, except vertices of
 *         the same triangle and edges with a common vertex
 *   leaves_only  true: features are not tested; only the pairs of leaves that come to overlap are
 *                counted
 * The list is destroyed with either of its bodies. One thread at a time may use it. Cost: O(n)
 * for the boxes of both trees, and a walk. Memory: about 100 bytes per volume and 48 per vertex. */
PL_API pl_status pl_separation_create(pl_body *a, pl_body *b, bool leaves_only,
                                      pl_separation **out);
PL_API void pl_separation_destroy(pl_separation *list); /* NULL is allowed */

/* Advances the list to a time and reports the contacts until then, each pair of features once per
 * segment, and once more after the plan of one of their vertices has changed. Contacts before the
 * list was created, before a triangle was inserted or before a plan changed do not count; features
 * that touch at that time do. A triangle that is replaced by one with the same vertices is the same
 * feature. The list has its own time, independent of that of its bodies. Before plans or triangles
 * of a body change, its lists are advanced to the body's time, and their contacts are reported by
 * the next call; the change fails if a list is already later than that.
 *   time  not before the list's own; within the plans of both bodies
 *   out   impacts in the order of time; at equal times by kind and indices. from, to: the time that
 *         was covered. impact.time is a time of the flight plans: that of the first contact of two
 *         features within a segment, since the list has known both; never late. If the segment is
 *         from 0 to 1, it is the exact time rounded down, otherwise early by at most 4 units in the
 *         last place of its start or end. Valid until the next call with the same list, or until
 *         plans or triangles of its bodies change
 * Fails with PL_ERROR_MISMATCH if the keys that were added to the two bodies differ.
 * Cost: O(log n) for each event; O(n) and a walk at the start of a segment, and after a change of
 * plans or triangles. */
PL_API pl_status pl_separation_advance(pl_separation *list, double time, const pl_result **out);

/* The cost of maintaining a separation list or a kinetic image. Counts are since it was created;
 * those of the other kind are 0. */
typedef struct pl_kinetic_info {
  double time; /* of the list, or of the body of the image */
  size_t kept; /* list: pairs now, apart or two leaves that overlap. image: spans, the times at
                * which a ray hits or may hit a triangle */
  size_t bytes;
  uint64_t events;      /* image: certificates of pixels that failed */
  uint64_t tests;       /* pairs of features, or pixels, that were decided exactly */
  uint64_t starts;      /* image: how often all rays were traced */
  uint64_t overlaps;    /* list: pairs that began to overlap */
  uint64_t separations; /* list: pairs that ceased to, with all pairs below them */
  uint64_t leaf_pairs;  /* list: pairs of leaves that came to overlap */
} pl_kinetic_info;

PL_API pl_status pl_separation_get_info_sized(const pl_separation *list, pl_kinetic_info *out,
                                              size_t out_size);
static inline pl_status pl_separation_get_info(const pl_separation *list, pl_kinetic_info *out)
{
  return pl_separation_get_info_sized(list, out, sizeof *out);
}

/* ------------------------------------------------------------------------------- kinetic images --
 * What a fixed set of rays, such as the pixels of a camera, sees of a body with flight plans.
 * Each pixel keeps the triangles that its ray may hit, with the times at which it does, and a
 * certificate: until when the visible triangle is known to stay the same. The cost of a later
 * image follows the number of certificates that have failed since the last. */

typedef struct pl_kinetic_image pl_kinetic_image;

/* Creates the image of a body with linear flight plans.
 *   body  in world space: any strategy except bergen
 *   rays  one for each pixel; copied. Neighbours should be near each other
 * The image is destroyed with its body. One thread at a time may use it. Fails like pl_cast()
 * for invalid rays, and with PL_ERROR_UNSUPPORTED if the body has no linear flight plans.
 * Memory: about 130 bytes per ray, 50 per triangle, and 32 for each time that a triangle enters
 * or leaves a ray. */
PL_API pl_status pl_kinetic_image_create(pl_body *body, const pl_ray *rays, size_t count,
                                         pl_kinetic_image **out);
PL_API void pl_kinetic_image_destroy(pl_kinetic_image *image); /* NULL is allowed */

/* Reports the image at the body's present time (pl_body_set_time()): exactly what casting every ray
 * would report, whatever has changed in between.
 *   out  triangles, by pixel: the one that pl_cast() reports as the closest; PL_NONE: the ray hits
 *        nothing. changed: the pixels that differ from the last image; the first time all. Valid
 *        until the next call with the same image
 * Cost: forward in time, the pixels whose certificates have failed. All rays are traced again, at
 * about ten times the cost of casting them, in another segment, back in time, after a change of
 * plans or triangles, and after the body has moved by a few triangle sizes. */
PL_API pl_status pl_kinetic_image_update(pl_kinetic_image *image, const pl_result **out);

PL_API pl_status pl_kinetic_image_get_info_sized(const pl_kinetic_image *image,
                                                 pl_kinetic_info *out, size_t out_size);
static inline pl_status pl_kinetic_image_get_info(const pl_kinetic_image *image,
                                                  pl_kinetic_info *out)
{
  return pl_kinetic_image_get_info_sized(image, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
