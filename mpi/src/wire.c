/* Patches in messages: a header (number, flags, vertices, triangles), then arrays of 8-byte words:
 * ids of vertices and triangles, least ids, corners, positions, kept positions. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- put -- */

uint64_t dist_wire_words(const patch *p, int flags)
{
  uint64_t v = p->vertex_count, t = p->triangle_count, words = WIRE_HEADER + 3 * v;
  if (flags & HAS_SHAPE) words += v + t + (3 * t + 1) / 2;
  if (flags & HAS_LEAST) words += v + 3 * t;
  return words + (flags & HAS_START ? 3 * v : 0);
}

static uint64_t *put_shape(const pl_dist *d, const patch *p, int flags, uint64_t *to)
{
  const piece *of = &d->parts[p->part].piece;
  for (size_t i = 0; i < p->vertex_count; ++i) *to++ = of->vertices[p->vertices[i]];
  for (size_t i = 0; i < p->triangle_count; ++i) *to++ = of->triangle_ids[p->triangles[i]];
  if (flags & HAS_LEAST) {
    for (size_t i = 0; i < p->vertex_count; ++i) *to++ = of->vertex_least[p->vertices[i]];
    for (size_t i = 0; i < p->triangle_count; ++i, to += 3)
      memcpy(to, of->edge_least + 3 * (size_t)p->triangles[i], 3 * sizeof *to);
  }
  uint32_t *corner = (uint32_t *)to;
  for (size_t i = 0; i < p->triangle_count; ++i)
    for (int k = 0; k < 3; ++k) {
      uint32_t v = of->triangles[3 * (size_t)p->triangles[i] + (size_t)k];
      size_t begin = 0, end = p->vertex_count; /* its place among the patch's vertices */
      while (end - begin > 1) {
        size_t middle = begin + (end - begin) / 2;
        if (p->vertices[middle] <= v)
          begin = middle;
        else
          end = middle;
      }
      *corner++ = (uint32_t)begin;
    }
  if (p->triangle_count % 2) *corner = 0; /* 3 corners each: an odd number of them */
  return to + (3 * p->triangle_count + 1) / 2;
}

static uint64_t *put_positions(const patch *p, const double *xyz, uint64_t *to)
{
  for (size_t i = 0; i < p->vertex_count; ++i, to += 3) memcpy(to, xyz + 3 * (size_t)p->vertices[i], 3 * sizeof *xyz);
  return to;
}

uint64_t *dist_wire_put(const pl_dist *d, size_t i, int flags, uint64_t *to)
{
  const patch *p = &d->patches[i];
  const piece *of = &d->parts[p->part].piece;
  *to++ = d->first[d->rank] + i;
  *to++ = (uint64_t)flags;
  *to++ = p->vertex_count;
  *to++ = p->triangle_count;
  if (flags & HAS_SHAPE) to = put_shape(d, p, flags, to);
  to = put_positions(p, of->xyz, to);
  return flags & HAS_START ? put_positions(p, piece_start(of), to) : to;
}

/* -------------------------------------------------------------------------------------- take -- */

static const uint64_t *take(void *to, const uint64_t *from, size_t bytes)
{
  memcpy(to, from, bytes);
  return from + (bytes + 7) / 8;
}

static const uint64_t *take_shape(piece *p, int flags, const uint64_t *from)
{
  from = take(p->vertices, from, p->vertex_count * sizeof *p->vertices);
  from = take(p->triangle_ids, from, p->triangle_count * sizeof *p->triangle_ids);
  if (flags & HAS_LEAST) {
    from = take(p->vertex_least, from, p->vertex_count * sizeof *p->vertex_least);
    from = take(p->edge_least, from, 3 * p->triangle_count * sizeof *p->edge_least);
  }
  return take(p->triangles, from, 3 * p->triangle_count * sizeof *p->triangles);
}

bool dist_wire_alloc(piece *p, const uint64_t *header)
{
  if (!dist_piece_alloc(p, header[2], header[3])) return false;
  if (!(header[1] & HAS_LEAST)) return true;
  p->vertex_least = malloc((p->vertex_count + 1) * sizeof *p->vertex_least);
  p->edge_least = malloc((3 * p->triangle_count + 1) * sizeof *p->edge_least);
  return p->vertex_least && p->edge_least;
}

const uint64_t *dist_wire_take(piece *p, const uint64_t *header)
{
  const uint64_t *at = header + WIRE_HEADER;
  int flags = (int)header[1];
  if (flags & HAS_SHAPE) at = take_shape(p, flags, at);
  at = take(p->xyz, at, 3 * p->vertex_count * sizeof *p->xyz);
  p->kept = flags & HAS_START;
  return flags & HAS_START ? take(p->start, at, 3 * p->vertex_count * sizeof *p->start) : at;
}
