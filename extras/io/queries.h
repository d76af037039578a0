/* Files of single queries about moving features: text, one point a row, 8 rows a query (four
 * points at the start, the same four at the end), fields divided by commas: x, y and z as
 * numerator and denominator each, and perhaps a label, 1 or 0, that is the same on all rows of a
 * query. */
#ifndef IO_QUERIES_H
#define IO_QUERIES_H

#include "io/io.h"

typedef struct io_query {
  double start[4][3], end[4][3];
} io_query;

typedef struct io_queries {
  io_query *queries;
  bool *labels; /* NULL: the file has none */
  size_t count;
} io_queries;

/* Every coordinate must be exactly a double: anything else is an error, as is a file without
 * queries. */
bool io_queries_read(const char *path, io_queries *out, io_error *error);
void io_queries_free(io_queries *queries); /* leaves it empty */

/* A JSON array of true and false, as many as there are queries, as their labels. */
bool io_queries_read_labels(const char *path, io_queries *queries, io_error *error);

#endif
