/* `pliant impact` on files: first contacts from frame to frame. */
#ifndef IMPACT_H
#define IMPACT_H

#include "common/report.h"
#include "common/stage.h"
#include "common/tree_options.h"
#include "impact/impact_queries.h"

#include <stdio.h>

typedef struct impact_options {
  impact_queries queries;
  bool json, list, first, self, no_weld, check, fail_on_contact, turning;
  double margin;
  double budget_ms; /* of an interval; 0: none */
  int threads;
  const char *report;
  stage_options stage;
  tree_options tree;
} impact_options;

/* What became of one interval. */
typedef struct impact_interval {
  size_t index; /* it begins with this frame */
  double ms_set;
  const pl_result *found;
} impact_interval;

/* A row of the report. */
typedef struct impact_row {
  size_t index;
  double time; /* infinite: no contact */
  size_t vertex_face, edge_edge;
} impact_row;

typedef struct impact_job {
  impact_options options;
  stage stage;
  pl_scene *scene;
  bool *is_member; /* of each body: it is in the scene */
  report *page;    /* NULL: none was asked for */
  mark *marks;     /* of the current interval */
  size_t mark_room;
  uint32_t *
      *fans; /* by body: where the triangles of each vertex begin, then these triangles; NULL before they are needed */
  impact_row *rows; /* of all intervals */
  size_t intervals, with_contact, contacts, partial;
  double (**before)[3]; /* with --turning: poses that were kept; NULL for bodies with transforms */
} impact_job;

/* An exit code. */
int impact_run(const impact_options *options, const input_list *inputs);

/* impact_write.c */
void impact_write_interval(const impact_job *job, const impact_interval *interval);
void impact_write_summary(const impact_job *job);

/* impact_report.c: an interval for the page, and the page itself. false: stderr says why. */
bool impact_report_open(impact_job *job);
bool impact_report_interval(impact_job *job, const impact_interval *interval);
bool impact_report_finish(impact_job *job);
void impact_report_free(impact_job *job);

/* impact_turn.c: with --turning, after poses were kept, and after bodies have moved on. false:
 * stderr says why. */
bool impact_turn_keep(impact_job *job);
bool impact_turn(impact_job *job);
void impact_turn_free(impact_job *job);

/* impact_run.c: goes to an interval and asks again. */
bool impact_again(impact_job *job, size_t frame, const pl_result **out);

/* The number of a body of the stage. */
size_t impact_body(const impact_job *job, const pl_body *body);

#endif
