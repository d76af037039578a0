/* What `pliant collide` knows while it runs, and the writers of its answers. */
#ifndef COLLIDE_H
#define COLLIDE_H

#include "common/play.h"
#include "common/results_out.h"

typedef struct collide_options {
  play_options common;
  bool fail_on_contact, first;
  int limit;      /* -1: all */
  int inbetweens; /* of morphing bodies of a scene */
} collide_options;

typedef struct collide_frame {
  size_t index;
  double ms_set; /* handing the positions to the library: its check and its copy */
  two_bodies_answer answer;
} collide_frame;

/* Over all frames so far. */
typedef struct collide_totals {
  size_t frames, contact_frames, partial_frames;
  size_t first_contact, most_at; /* frames */
  size_t least, most;            /* pairs */
  double pairs, ms_set, ms_update, ms_query, ms_longest;
} collide_totals;

typedef struct collide_job {
  collide_options options;
  play play;
  collide_totals totals;
  results_out found;
} collide_job;

void collide_totals_add(collide_totals *t, const collide_frame *frame);
void collide_write_head(const collide_job *job);
bool collide_write_frame(collide_job *job, const collide_frame *frame); /* false: stderr says why */
void collide_write_end(const collide_job *job);

/* "pairs     0 least, 1.5 mean, 9 most (frame 40, cloth_0041.obj)", and a remark at the end. */
void collide_write_most(const collide_totals *t, const stage *s, const char *remark);

#endif
