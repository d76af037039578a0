/* `pliant impact --queries`: single labelled queries about moving features. */
#ifndef IMPACT_QUERIES_H
#define IMPACT_QUERIES_H

#include <stdbool.h>

enum { IMPACT_BY_NAME, IMPACT_VERTEX_FACE, IMPACT_EDGE_EDGE }; /* words of --kind */

typedef struct impact_queries {
  const char *path;
  const char *labels; /* a JSON file, or NULL */
  int kind;
  bool json;
} impact_queries;

/* Prints how they came out; an exit code. */
int impact_queries_run(const impact_queries *o);

#endif
