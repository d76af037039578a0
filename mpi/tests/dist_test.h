/* What the parts of pliant_mpi_dist share. */
#ifndef DIST_TEST_H
#define DIST_TEST_H

#include "pliant_mpi.h"
#include "world.h"

extern int rank, size;
extern uint64_t first_id;                /* of the vertices and triangles of every body that comes in parts */
void check(bool good, const char *what); /* false ends the job */

/* serial.c: the library on one rank, and its rows as those of a distributed scene. */
typedef struct serial {
  pl_context *context;
  pl_body *bodies[WORLD_BODIES];
} serial;

typedef struct list {
  char *data;
  size_t size, count;
} list;

void *list_add(list *l, size_t bytes);
void serial_make(serial *s, const world *w);
void serial_move(serial *s, const world *w);
/* Calls `ask` for each body with itself and each two bodies, in order. */
void each_two(const world *w, serial *s, double margin, list *out,
              void (*ask)(serial *s, size_t a, size_t b, double margin, list *out));
void serial_touching(serial *s, size_t a, size_t b, double margin, list *out);
void serial_near(serial *s, size_t a, size_t b, double margin, list *out);
void serial_features(serial *s, size_t a, size_t b, double margin, list *out);
void serial_impacts(serial *s, size_t a, size_t b, double margin, list *out);
int compare_impacts(const void *x, const void *y);

/* dist.c: bodies of a world, each as a whole from another rank. */
void add_bodies(const world *w, pl_dist *d);

/* wrong.c: bad input, lack of memory, ranks that end. */
void fail_input(void);
void fail_memory(void);
void fail_hungry(void);
void fail_rank(const char *how);
bool is_end(const char *what);

#endif
