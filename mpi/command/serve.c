#include "serve.h"

#include "src/wait.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CROWDS = 4096 };

static struct {
  pl_dist **crowds;
  int count;
  char message[600];
} all;

static pl_status open_crowd(void)
{
  pl_dist **moved = all.count < MOST_CROWDS ? realloc(all.crowds, (size_t)(all.count + 1) * sizeof *moved) : NULL;
  if (moved) all.crowds = moved;
  int good = moved != NULL;
  dist_reduce(MPI_COMM_WORLD, &good, 1, MPI_INT, MPI_MIN);
  if (!good) return PL_ERROR_MEMORY;
  pl_status status = pl_dist_create(MPI_COMM_WORLD, NULL, &all.crowds[all.count]);
  if (status == PL_OK) ++all.count;
  return status;
}

/* Work that is uneven is divided anew for the next frame. */
static pl_status ask(pl_dist *d, const order *o, answer_rows *out)
{
  pl_dist_question def = pl_dist_question_default();
  pl_status status;
  def.root = 0;
  def.margin = o->margin;
  switch (o->question) {
  case RANKS_NEAR_TRIANGLES:
    status = pl_dist_near_triangles(d, &def, &out->near);
    break;
  case RANKS_NEAREST:
    status = pl_dist_nearest(d, &def, &out->nearest);
    break;
  case RANKS_IMPACTS:
    status = pl_dist_impacts(d, &def, &out->impacts);
    break;
  default:
    status = pl_dist_touching(d, &def, &out->pairs);
    break;
  }
  bool moved;
  return status == PL_OK ? pl_dist_rebalance(d, 1.5, &moved) : status;
}

static pl_status follow(const order *o, const load *l, answer_rows *out)
{
  if (o->kind == ORDER_OPEN) return open_crowd();
  pl_dist *d = all.crowds[o->crowd];
  uint64_t body;
  pl_status status = PL_OK;
  if (o->kind == ORDER_ADD) status = pl_dist_add_whole(d, 0, l->mesh, o->self, &body);
  if (o->kind == ORDER_SET) status = pl_dist_scatter_positions(d, o->body, 0, l->positions);
  if (o->kind == ORDER_KEEP) status = pl_dist_keep_poses(d);
  if (o->kind == ORDER_ASK) status = ask(d, o, out);
  if (status != PL_OK) snprintf(all.message, sizeof all.message, "%s", pl_dist_message(d));
  return status;
}

pl_status serve_order(const order *o, const load *l, answer_rows *out)
{
  order sent = *o;
  all.message[0] = '\0';
  dist_broadcast(MPI_COMM_WORLD, &sent, sizeof sent, 0);
  return o->kind == ORDER_END ? PL_OK : follow(o, l, out);
}

void serve_others(void)
{
  const load none = {0};
  order o;
  answer_rows found;
  for (;;) {
    dist_broadcast(MPI_COMM_WORLD, &o, sizeof o, 0);
    if (o.kind == ORDER_END) return;
    follow(&o, &none, &found); /* a status is that of all ranks: rank 0 says what is wrong */
  }
}

void serve_close(void)
{
  for (int i = 0; i < all.count; ++i) pl_dist_destroy(all.crowds[i]);
  free(all.crowds);
  all.crowds = NULL;
  all.count = 0;
}

const char *serve_message(void) { return all.message; }
