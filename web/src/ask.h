/* The questions of a module: a row for each. pliant.wasm has those of ask.c, pliant-full.wasm also
 * those of ask_more.c. */
#ifndef WEB_ASK_H
#define WEB_ASK_H

#include "core/parts.h"
#include "web/src/web.h"

/* What a probe is asked about. */
typedef struct web_probe {
  const void *data;
  size_t count;
  int is_double;
} web_probe;

/* What a filter of the question sees, and so its type in the library. */
typedef enum web_filter_kind {
  WEB_NO_FILTER,
  WEB_PAIRS,
  WEB_FEATURES,
  WEB_HITS,
  WEB_POINTS,
  WEB_BODIES
} web_filter_kind;

typedef struct web_question {
  const char *name;
  pl_status (*ask)(pl_who, const pl_question *, const pl_result **); /* NULL: it is a probe */
  pl_status (*probe)(pl_who, const web_probe *, const pl_question *, const pl_result **);
  size_t rows; /* where pl_result has the pointer to its rows */
  web_filter_kind filter;
} web_question;

#define WEB_ROWS(member) offsetof(pl_result, member)

/* Ends with a row that has no name. */
extern const web_question web_more_questions[] LEFT_OUT;

#endif
