/* Which triangles of a body a box, a sphere or a frustum meets. */
#ifndef PLIANT_REGION_H
#define PLIANT_REGION_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pl_region_kind {
  PL_REGION_BOX = 0,    /* lower <= x <= upper along every axis */
  PL_REGION_SPHERE = 1, /* at most `radius` from `centre` */
  /* n.x + d >= 0 for every plane (n, d): any intersection of half-spaces */
  PL_REGION_FRUSTUM = 2,
  PL_REGION_COUNT = 3
} pl_region_kind;

enum { PL_REGION_PLANES = 8 };

/* A closed region of the world. Its numbers are exact, as positions are. */
typedef struct pl_region {
  pl_region_kind kind;
  int plane_count;                    /* frustum: 1 .. PL_REGION_PLANES */
  double lower[3], upper[3];          /* box */
  double centre[3], radius;           /* sphere; radius 0: a point */
  double planes[PL_REGION_PLANES][4]; /* frustum: the normal, any length but 0, and d */
} pl_region;

PL_API pl_region pl_region_box(const double lower[3], const double upper[3]);
PL_API pl_region pl_region_sphere(const double centre[3], double radius);

/* Returns a region of planes. */
PL_API pl_region pl_region_frustum(const double (*planes)[4], int count);

/* Returns the frustum of a camera: all points p with -w <= x, y, z <= w, or with 0 <= z <= w if
 * `zero_to_one`, where (x, y, z, w) = m (p, 1). The matrix m is row-major, for column vectors. The
 * planes are sums and differences of its rows, rounded once. */
PL_API pl_region pl_region_camera(const double m[4][4], bool zero_to_one);

typedef struct pl_region_def {
  size_t struct_size;
  bool sorted; /* true: by index; false: in the order of the tree */
  /* The caller's array; NULL: the context's. If it is too small, the call fails with
   * PL_ERROR_BUFFER; *out then has the true count and the first `capacity` of the triangles. */
  uint32_t *triangles;
  size_t capacity;
} pl_region_def;

static inline pl_region_def pl_region_def_default(void)
{
  pl_region_def def = PL_ZERO;
  def.struct_size = sizeof def;
  return def;
}

/* The result. The context owns it; it is valid until the context's next query. */
typedef struct pl_triangles {
  const uint32_t *triangles; /* by the caller's indices */
  size_t count;
  pl_counters counters; /* n_v: boxes tested; n_p: triangles tested; n_u: volumes refitted */
} pl_triangles;

/* Reports all triangles of a body that have a point in common with a region; touching counts. The
 * decision is exact for all finite numbers. Triangles below a volume that lies in the region are
 * reported without a test.
 *   region  a box with lower > upper is empty and meets nothing
 *   def     NULL: defaults
 * Fails with PL_ERROR_ARGUMENT if a number of the region is not finite, the radius is negative or a
 * normal has length 0.
 * Cost: O(k + m log n) for k triangles found and m at the region's border. */
PL_API pl_status pl_body_region(pl_body *body, const pl_region *region, const pl_region_def *def,
                                const pl_triangles **out);

/* Returns whether a closed triangle meets a region. Exact. Needs no context; the region must be as
 * pl_body_region() accepts it. */
PL_API bool pl_triangle_meets(const double triangle[3][3], const pl_region *region);

#ifdef __cplusplus
}
#endif
#endif
