/* The frame's messages: patches of higher ranks go to the lower ranks that have something near
 * them. Both sides compute the same list from the boxes, so that nobody has to ask. A message is
 * a sequence of patches (wire.c). */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* Differences round monotonically: one that is rounded to more than the margin is more.
 * Distances are correct to some units in the last place, which the last factor allows for. */
bool dist_boxes_near(const double *x, const double *y, double margin)
{
  double wide = margin * (1 + 0x1p-48);
  for (int k = 0; k < 3; ++k)
    if (x[k] - y[3 + k] > wide || y[k] - x[3 + k] > wide) return false;
  return true;
}

bool dist_patches_near(const pl_dist *d, size_t i, size_t g, const need *n)
{
  size_t own = d->first[d->rank] + i;
  uint64_t a = d->all[own].body, b = d->all[g].body;
  if (a == b && (n->apart || !d->parts[a].self)) return false;
  return dist_boxes_near(d->boxes + 6 * own, d->boxes + 6 * g, n->margin);
}

/* Is own patch i near any patch of the rank? */
static bool is_near_rank(const pl_dist *d, size_t i, int rank, const need *n)
{
  const double *own = d->boxes + 6 * (d->first[d->rank] + i);
  if (!dist_boxes_near(own, d->rank_boxes + 6 * (size_t)rank, n->margin)) return false;
  for (size_t g = d->first[rank]; g < d->first[rank + 1]; ++g)
    if (dist_patches_near(d, i, g, n)) return true;
  return false;
}

/* --------------------------------------------------------------------------------- transport -- */

void dist_all_to_all(pl_dist *d, char *const *send, const uint64_t *send_size, char *const *receive,
                     const uint64_t *receive_size)
{
  bool more = true;
  for (uint64_t from = 0; more; from += DIST_MOST_BYTES) {
    int count = 0;
    more = false;
    for (int r = 0; r < d->size; ++r) {
      int out = dist_chunk(send_size[r], from), in = dist_chunk(receive_size[r], from);
      if (r == d->rank && in) memcpy(receive[r] + from, send[r] + from, (size_t)in);
      if (r == d->rank) in = out = 0;
      if (in) MPI_Irecv(receive[r] + from, in, MPI_BYTE, r, 4, d->comm, &d->requests[count++]);
      if (out) MPI_Isend(send[r] + from, out, MPI_BYTE, r, 4, d->comm, &d->requests[count++]);
      more = more || send_size[r] > from + DIST_MOST_BYTES || receive_size[r] > from + DIST_MOST_BYTES;
    }
    for (int i = 0; i < count; ++i) dist_wait(&d->requests[i]);
  }
}

/* -------------------------------------------------------------------------------------- pack -- */

/* Messages of one exchange; index: the other rank. */
typedef struct mail {
  char **send, **receive;
  uint64_t *send_size, *receive_size;
} mail;

static void mail_free(const pl_dist *d, mail *m)
{
  for (int r = 0; r < d->size; ++r) {
    if (m->send) free(m->send[r]);
    if (m->receive) free(m->receive[r]);
  }
  free(m->send);
  free(m->receive);
  free(m->send_size);
  free(m->receive_size);
}

static bool mail_alloc(const pl_dist *d, mail *m)
{
  size_t n = (size_t)d->size;
  *m = (mail){calloc(n, sizeof *m->send), calloc(n, sizeof *m->receive), calloc(n, sizeof *m->send_size),
              calloc(n, sizeof *m->receive_size)};
  return m->send && m->receive && m->send_size && m->receive_size;
}

/* What a rank lacks of own patch i; -1: nothing. */
static int missing_flags(const pl_dist *d, size_t i, int rank, const need *n)
{
  size_t at = i * (size_t)d->size + (size_t)rank;
  uint64_t version = d->parts[d->patches[i].part].piece.version, sent = d->sent_version[at];
  int flags = n->swept ? HAS_START : 0;
  if (d->sent_shape[at] < (n->least ? 2 : 1)) flags |= HAS_SHAPE | (n->least ? HAS_LEAST : 0);
  bool current = sent / 2 == version && (sent & 1 || !n->swept);
  return current && !(flags & HAS_SHAPE) ? -1 : flags;
}

static uint64_t *put_patch(pl_dist *d, size_t i, int rank, int flags, uint64_t *to)
{
  const piece *of = &d->parts[d->patches[i].part].piece;
  size_t at = i * (size_t)d->size + (size_t)rank;
  if (flags & HAS_SHAPE) d->sent_shape[at] = flags & HAS_LEAST ? 2 : 1;
  d->sent_version[at] = 2 * of->version + (flags & HAS_START ? 1 : 0);
  ++d->counters.patches_sent;
  return dist_wire_put(d, i, flags, to);
}

static pl_status pack(pl_dist *d, const need *n, mail *m)
{
  for (int r = 0; r < d->rank; ++r) {
    uint64_t words = 0;
    for (size_t i = 0; i < d->patch_count; ++i) {
      int flags = missing_flags(d, i, r, n);
      if (flags >= 0 && is_near_rank(d, i, r, n)) words += dist_wire_words(&d->patches[i], flags);
    }
    m->send_size[r] = 8 * words;
    m->send[r] = words ? malloc(8 * words) : NULL;
    if (words && !m->send[r])
      return dist_fail(d, PL_ERROR_MEMORY, "out of memory for a message of %zu bytes", (size_t)(8 * words));
    uint64_t *to = (uint64_t *)(void *)m->send[r];
    for (size_t i = 0; words && i < d->patch_count; ++i) {
      int flags = missing_flags(d, i, r, n);
      if (flags >= 0 && is_near_rank(d, i, r, n)) to = put_patch(d, i, r, flags, to);
    }
    d->counters.bytes_sent += 8 * words;
    d->counters.ranks += words > 0;
  }
  return PL_OK;
}

/* ------------------------------------------------------------------------------------ unpack -- */

/* A ghost for triangles that come for the first time, or again with more. */
static piece *fresh_ghost(pl_dist *d, const uint64_t *header)
{
  piece **at = &d->ghosts[header[0]];
  if (*at) dist_piece_free(*at);
  free(*at);
  piece *p = *at = calloc(1, sizeof *p);
  return p && dist_wire_alloc(p, header) ? p : NULL;
}

static pl_status take_patch(pl_dist *d, const uint64_t **from)
{
  const uint64_t *header = *from;
  piece *p = header[1] & HAS_SHAPE ? fresh_ghost(d, header) : d->ghosts[header[0]];
  if (p && header[1] & HAS_START && !dist_piece_start(p)) p = NULL;
  if (!p) return dist_fail(d, PL_ERROR_MEMORY, "out of memory for a patch of another rank");
  *from = dist_wire_take(p, header);
  p->body = d->all[header[0]].body;
  ++d->counters.patches_received;
  p->pose_version = 0;
  if (!p->handle) return dist_piece_create_body(d, p);
  pl_status status = pl_body_set_positions(p->handle, pl_positions_f64(p->xyz, p->vertex_count));
  return status == PL_OK ? PL_OK : dist_failed(d, status);
}

static pl_status unpack(pl_dist *d, const mail *m)
{
  for (int r = 0; r < d->size; ++r) {
    const uint64_t *at = (const uint64_t *)(const void *)m->receive[r], *end = at + m->receive_size[r] / 8;
    d->counters.bytes_received += m->receive_size[r];
    while (at < end) {
      pl_status status = take_patch(d, &at);
      if (status != PL_OK) return status;
    }
  }
  return PL_OK;
}

static pl_status make_room(pl_dist *d, mail *m)
{
  for (int r = 0; r < d->size; ++r) {
    if (!m->receive_size[r]) continue;
    m->receive[r] = malloc(m->receive_size[r]);
    if (!m->receive[r]) return dist_fail(d, PL_ERROR_MEMORY, "out of memory for messages");
  }
  return PL_OK;
}

static pl_status deliver(pl_dist *d, const need *n, mail *m)
{
  pl_status status = mail_alloc(d, m) ? pack(d, n, m) : dist_fail(d, PL_ERROR_MEMORY, "out of memory for messages");
  status = dist_agree(d, status);
  if (status != PL_OK) return status;
  dist_swap_numbers(d->comm, m->send_size, m->receive_size);
  status = dist_agree(d, make_room(d, m));
  if (status != PL_OK) return status;
  dist_all_to_all(d, m->send, m->send_size, m->receive, m->receive_size);
  return dist_agree(d, unpack(d, m));
}

pl_status dist_exchange(pl_dist *d, const need *n)
{
  mail m = {0};
  pl_status status = n->least ? dist_least(d) : PL_OK;
  if (status == PL_OK) status = dist_all_boxes(d, n->swept);
  if (status != PL_OK) return status;
  status = deliver(d, n, &m);
  mail_free(d, &m);
  if (status != PL_OK) d->committed = false; /* what was sent may not have arrived: begin again */
  return status;
}
