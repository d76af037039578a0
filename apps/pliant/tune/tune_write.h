/* What `pliant tune` was asked and what it found, and the writers of it. */
#ifndef TUNE_WRITE_H
#define TUNE_WRITE_H

#include "common/tree_options.h"
#include "tune/tune.h"

typedef struct tune_line {
  tune_options search;
  tree_options tree;
  int query, criterion_word;
  bool measure, rounded, json;
  const char *frames, *scenes; /* NULL: not given */
} tune_line;

typedef struct tune_outcome {
  pl_body_def def[TUNE_WAYS]; /* the defaults, the settings found, the strategy auto */
  tune_counts counts[TUNE_WAYS];
  tune_costs costs;
  tune_fit fit; /* runs: 0 where costs were not measured */
  tune_result result;
  tune_confirmed clock;
  tune_rivals rivals;
  /* of a list: how much better the settings found score in each */
  double by_scene[TUNE_MOST_PARTS];
} tune_outcome;

bool tune_is_better(const tune_outcome *o); /* are the settings worth a file? */

/* before the search: only if one wins */
void tune_write_rivals(const tune_scene *s, const tune_rivals *r);
void tune_write_text(const tune_scene *s, const tune_line *l, const tune_outcome *o);
void tune_write_json(const tune_scene *s, const tune_outcome *o);

#endif
