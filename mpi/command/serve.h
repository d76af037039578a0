/* The ranks of `pliant-mpi`: rank 0 runs the command and gives orders, the others follow them; each
 * order is a collective call of pliant_mpi on all ranks. */
#ifndef SERVE_H
#define SERVE_H

#include "common/ranks.h"
#include "pliant_mpi.h"

typedef enum order_kind { ORDER_END, ORDER_OPEN, ORDER_ADD, ORDER_SET, ORDER_KEEP, ORDER_ASK } order_kind;

/* What all ranks do next. */
typedef struct order {
  int kind, question;
  int crowd; /* which distributed scene */
  int self;
  uint64_t body;
  double margin;
} order;

/* What rank 0 alone has for it. */
typedef struct load {
  const pl_mesh_def *mesh; /* ORDER_ADD */
  pl_positions positions;  /* ORDER_SET */
} load;

/* The rows of a question, on rank 0. */
typedef union found {
  pl_dist_pairs pairs;
  pl_dist_near_pairs near;
  pl_dist_nearest_result nearest;
  pl_dist_impact_result impacts;
} answer_rows;

/* Rank 0 gives an order and follows it. */
pl_status serve_order(const order *o, const load *l, answer_rows *out);
/* The other ranks, until ORDER_END. */
void serve_others(void);
void serve_close(void);
const char *serve_message(void);

/* Sets ranks_used. */
void ranks_open(void);
void ranks_close(void);

#endif
