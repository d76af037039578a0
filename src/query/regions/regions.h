/* Regions: what the stages of the question share.
 *
 * A piece is the common points of two triangles: a convex set whose corners are named by
 * features (exact/tri_tri_corners.h). Features are vertices, edges and faces of the two meshes,
 * by indices: pieces that have a name in common meet there, and those that meet have one. For
 * let (A, B) and (A', B') be pairs of triangles, f what A and A' share as meshes (a vertex, an
 * edge, all) and g the same of B and B'. The pieces meet if f and g have a common point. f x g
 * is a face of A x B: so the corners of what f and g have in common are corners of both pieces,
 * with the same names.
 *
 *   join      pairs of triangles    -> pieces, names, regions
 *   contours  names                 -> points, lengths, boxes, contours
 *   cuts      names on edges        -> which vertices are behind the other surface, by region
 *   slits     vertices              -> contours that cut nothing off
 *   fill      vertices              -> patches and areas
 *   depth     patches               -> the deepest points */
#ifndef QUERY_REGIONS_H
#define QUERY_REGIONS_H

#include "exact/tri_tri_corners.h"
#include "pliant/regions.h"
#include "query/query.h"
#include "query/store.h"

enum { PIECE_CORNERS = 6, NO_INDEX = UINT32_MAX };

/* A feature of a mesh as one number: vertex (v, v), edge (low, high), face (UINT32_MAX,
 * triangle). */
static inline uint64_t feature_key(uint32_t x, uint32_t y) { return (uint64_t)x << 32 | y; }
static inline uint32_t feature_low(uint64_t feature) { return (uint32_t)(feature >> 32); }
static inline uint32_t feature_high(uint64_t feature) { return (uint32_t)feature; }
static inline bool feature_is_vertex(uint64_t feature) { return feature_low(feature) == feature_high(feature); }
static inline bool feature_is_edge(uint64_t feature) { return feature_low(feature) < feature_high(feature); }

/* The surface of a body: positions of the vertices that were needed, and marks. */
typedef struct region_surface {
  pl_body *body;
  const mesh_fans *fans;
  const closure *closure;   /* NULL: patches are not wanted */
  ARRAY(double) xyz;        /* by vertex: 3 */
  ARRAY(uint32_t) known;    /* by vertex: the turn in which xyz was computed */
  ARRAY(uint64_t) part;     /* by vertex: turn << 32 | part, or PART_ON */
  ARRAY(uint64_t) touched;  /* by triangle: turn << 32 | its place among the touched ones */
  ARRAY(uint32_t) vertices; /* to be evaluated */
} region_surface;

enum { PART_ON = UINT32_MAX };

typedef struct region_piece {
  uint32_t a, b;
  uint8_t count; /* corners; more than PIECE_CORNERS: they are found again when needed */
  bool flat;
  int8_t side[2][3]; /* of the vertices of a to the plane of b, and of b to that of a */
  tri_corner at[PIECE_CORNERS];
  uint32_t names; /* the first of its names, in name_ids */
  uint32_t region;
} region_piece;

typedef struct region_name {
  uint64_t feature[2]; /* of a and b; within one body the lesser first */
  uint32_t piece;      /* the first one that has it */
  bool turned;         /* feature[0] is that piece's b */
  int8_t side[2];  /* an edge: where its lower vertex is to the other surface; 0: not known yet, SIDE_UNCLEAR: both or
                      neither */
  uint32_t degree; /* segments that end here */
  uint32_t links;  /* the first of them, in `links` */
  double at[3];
  double part[2]; /* an edge: where on it, from its lower to its higher vertex */
} region_name;

enum { SIDE_UNCLEAR = 2 };

typedef struct region_segment {
  uint32_t name[2], piece;
  bool walked;
} region_segment;

/* A point where an edge of side `side` of a region meets the other surface. */
typedef struct region_cut {
  uint32_t edge; /* in `edges` */
  uint32_t region;
  double part;
  int8_t lower; /* where the lower vertex is: 1 in front, -1 behind, SIDE_UNCLEAR */
  uint8_t side;
} region_cut;

typedef struct region_edge {
  uint64_t feature;
  uint32_t surface;
  uint32_t first, count; /* in `cuts`, by part */
  double behind;         /* fraction of it that is behind the other surface */
} region_edge;

/* A vertex at the end of a cut edge. */
typedef struct region_seed {
  uint32_t owner; /* region * 2 + side */
  uint32_t vertex;
  bool behind;
} region_seed;

/* A piece of an edge between two cuts. */
typedef struct region_span {
  uint32_t owner;
  uint32_t edge;
  double middle;
  bool behind;
} region_span;

/* A triangle that touches another. */
typedef struct region_touched {
  uint32_t surface, triangle;
  int exponent;        /* the unit of what follows is 2^exponent; 0 but for extreme lengths */
  double area, behind; /* in all, and behind the other surface */
  double normal[3];    /* of twice its area in length */
} region_touched;

/* Vertices that uncut edges join. */
typedef struct region_part {
  uint32_t surface, side;
  size_t vertex_begin, vertex_end;     /* in part_vertices */
  size_t triangle_begin, triangle_end; /* in part_triangles */
  double area;
  bool behind;   /* as the first seed says */
  bool torn;     /* both sides of a region's contour: it is neither behind nor in front */
  bool measured; /* depth, deepest and nearest are known */
  double depth, deepest[3], nearest[3];
  uint32_t mark;   /* 1 + the owner that asked last */
  uint32_t number; /* of the patch in the result; NO_INDEX: none */
} region_part;

typedef struct regions_scratch {
  uint32_t turn; /* of marks */
  region_surface surface[2];
  ring_search rings;
  result_store touching; /* all pairs */

  ARRAY(pl_pair) pairs;
  ARRAY(region_piece) pieces;
  ARRAY(uint32_t) name_ids; /* of the pieces' corners: name << 1 | its features are turned */
  ARRAY(region_name) names;
  ARRAY(uint32_t) slots, segment_slots, edge_slots; /* hash tables: 1 + index */
  ARRAY(uint32_t) parent;
  ARRAY(uint8_t) odd; /* the piece's a is side 1 of its parent's */
  ARRAY(region_segment) segments;
  ARRAY(uint32_t) links;
  ARRAY(uint64_t) keys, sorting;

  ARRAY(region_cut) cuts, sorted_cuts;
  ARRAY(region_edge) edges;
  ARRAY(region_seed) seeds, sorted_seeds;
  ARRAY(region_span) spans;
  ARRAY(uint32_t) first_seed; /* by owner */
  ARRAY(uint8_t) slit;        /* by owner: both sides of its contour were found to be connected */
  ARRAY(region_part) parts;
  ARRAY(uint32_t) part_vertices, part_triangles;
  ARRAY(region_touched) touched;

  ARRAY(double) plain[2]; /* by vertex: positions, for the reference */

  ARRAY(pl_region) rows;
  ARRAY(pl_group) groups;
  ARRAY(pl_pair) out_pairs;
  ARRAY(pl_contour) contours;
  ARRAY(double) points;
  ARRAY(uint32_t) triangles;
  ARRAY(pl_patch) patches;
  ARRAY(uint32_t) patch_ids, patch_triangles;
} regions_scratch;

/* The regions of one pair of bodies, or of one body. */
typedef struct regions_run {
  pl_context *context;
  regions_scratch *q;
  const pl_question *def;
  pl_body *body[2];
  bool self;
  size_t first_row; /* of this group */
  pl_counters *counters;
} regions_run;

static inline pl_status regions_no_memory(const regions_run *r)
{
  return fail(r->context, PL_ERROR_MEMORY, "no memory for regions");
}

#define regions_reserve(r, array, need) array_reserve(&(r)->context->def.allocator, (array), (need))

/* The surface of side s. */
static inline uint32_t surface_index(const regions_run *r, unsigned s) { return r->self ? 0 : s; }
static inline region_surface *surface_of(const regions_run *r, unsigned s)
{
  return &r->q->surface[surface_index(r, s)];
}
static inline const double *surface_vertex(const region_surface *s, uint32_t v) { return s->xyz.data + 3 * (size_t)v; }
static inline const uint32_t *surface_corners(const region_surface *s, uint32_t triangle)
{
  return s->fans->corner + 3 * (size_t)triangle;
}
void surface_triangle(const region_surface *s, uint32_t triangle, double out[3][3]);

/* Makes the positions of s->vertices known; surface_want() adds to them. */
bool surface_want(const regions_run *r, region_surface *s, uint32_t vertex);
pl_status surface_evaluate(const regions_run *r, region_surface *s);

/* The name of corner c of a piece. */
static inline uint32_t piece_name_id(const regions_scratch *q, const region_piece *p, uint32_t c)
{
  return q->name_ids.data[p->names + c] >> 1;
}
static inline region_name *piece_name(const regions_scratch *q, const region_piece *p, uint32_t c)
{
  return &q->names.data[piece_name_id(q, p, c)];
}

/* Marks of triangles: those that touch have a number, those of parts that are filled have none. */
enum { TRIANGLE_FILLED = UINT32_MAX };

static inline bool is_touched(const regions_scratch *q, const region_surface *s, uint32_t triangle)
{
  uint64_t mark = s->touched.data[triangle];
  return mark >> 32 == q->turn && (uint32_t)mark != TRIANGLE_FILLED;
}

/* The part of a vertex; NO_INDEX: none yet, which PART_ON is, too. */
static inline uint32_t part_of(const regions_scratch *q, const region_surface *s, uint32_t vertex)
{
  uint64_t part = s->part.data[vertex];
  return part >> 32 == q->turn ? (uint32_t)part : NO_INDEX;
}

static inline bool is_marked(const regions_scratch *q, const region_surface *s, uint32_t vertex)
{
  return s->part.data[vertex] >> 32 == q->turn;
}

/* The side of the region that feature s of a name is on. */
static inline unsigned name_side(const regions_scratch *q, const region_name *n, unsigned s)
{
  return s ^ n->turned ^ q->odd.data[n->piece];
}

/* Hash tables of indices: a power of two of slots, at least twice as many as entries; cleared. */
#define regions_table(r, table, entries) regions_table_((r), ROWS(table), (entries))
bool regions_table_(const regions_run *r, row_list table, size_t entries);
static inline size_t regions_hash(uint64_t x, uint64_t y)
{
  uint64_t h = (x ^ (y << 29 | y >> 35)) * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return (size_t)(h ^ h >> 32);
}

/* The edge if it is cut; NULL: it is not. */
static inline const region_edge *regions_cut_edge(const regions_scratch *q, uint32_t u, uint32_t v, uint32_t surface)
{
  const uint64_t feature = u < v ? feature_key(u, v) : feature_key(v, u);
  const size_t mask = q->edge_slots.count - 1;
  for (size_t at = regions_hash(feature, surface) & mask; q->edge_slots.data[at]; at = (at + 1) & mask) {
    const region_edge *e = &q->edges.data[q->edge_slots.data[at] - 1];
    if (e->feature == feature && e->surface == surface) return e;
  }
  return NULL;
}

/* The stages; q->pairs are the sorted pairs of the group. */
pl_status regions_join(regions_run *r);
pl_status regions_contours(regions_run *r);
pl_status regions_cut(regions_run *r);
pl_status regions_fill(regions_run *r);

/* query/regions/areas.c: the area of a triangle, and its normal of twice that length; numbers
 * the triangles that touch; and finds how much of each is behind the other surface. turned: what
 * is behind has not been filled. */
double regions_triangle_area(const double t[3][3], double normal[3], int *exponent);

/* 0, unless products of five such lengths could leave the range of double; then the exponent of a
 * unit in which they do not. */
int regions_exponent(double most);
pl_status regions_number_touched(regions_run *r);

/* query/regions/slits.c: fills q->slit. */
pl_status regions_find_slits(regions_run *r, const bool closed[2], uint32_t owners);
void regions_cut_triangles(regions_run *r, const bool turned[2]);

/* query/regions/depth.c: the greatest depth of a part, and of the middle of a span. */
pl_status regions_measure(regions_run *r, region_part *part);
pl_status regions_measure_span(regions_run *r, const region_span *span, double point[3], double nearest[3],
                               double *depth);

/* Is the vertex of side s inside of the other body, which is closed? */
pl_status regions_inside(regions_run *r, unsigned s, uint32_t vertex, bool *inside);

/* Joins without names: by the features that two triangles of each body share. For the reference;
 * O(pairs^2). */
pl_status regions_join_plainly(regions_run *r);

/* Joins the sets of two pieces; `turn`: 1 if one has its triangles the other way round. */
void regions_unite(regions_scratch *q, uint32_t piece, uint32_t other, unsigned turn);

/* Begins and ends a result; groups are added in between. */
void regions_begin(regions_scratch *q);
pl_status regions_add(regions_run *r, const pl_pair *pairs, size_t count);
/* with the pairs that the definition asks for, found without trees */
pl_status regions_add_plainly(regions_run *r);
pl_status regions_publish(pl_context *context, const regions_scratch *q, result_store *s, bool partial,
                          const pl_counters *counters, const pl_result **out);

#endif
