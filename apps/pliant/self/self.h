/* What `pliant self` knows while it runs, and the writers of its answers. */
#ifndef SELF_H
#define SELF_H

#include "collide/collide.h"
#include "common/results_out.h"

typedef struct self_options {
  bool json, csv, list, check;
  bool no_weld, neighbours, fail_on_contact;
  int limit; /* -1: all */
  int method;
  int threads;
  double budget_ms; /* of a frame; 0: none */
  play_options see; /* --out and --report alone */
  stage_options stage;
} self_options;

/* A body of the stage. */
typedef struct self_body {
  /* The present frame. */
  pl_pair *pairs; /* with --list: sorted; also where they are shown */
  size_t room, count;
  bool partial; /* the budget ended its query */
  pl_counters counters;
  /* Over all frames. */
  size_t contact_frames, first, most;
} self_body;

typedef struct self_job {
  self_options options;
  stage stage;
  self_body *bodies;
  results_out found;
  collide_totals totals;
} self_job;

typedef struct self_frame {
  size_t index;
  double ms_set; /* handing the positions to the library */
  size_t pairs;  /* of all bodies */
  bool partial;  /* of any of them */
  pl_counters counters;
} self_frame;

void self_write_head(const self_job *job);
void self_write_frame(const self_job *job, const self_frame *frame);
void self_write_end(const self_job *job);

#endif
