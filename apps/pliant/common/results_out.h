/* What a command found in its frames, for those who want to see it: --out, --report, and the
 * points of contact in JSON. */
#ifndef RESULTS_OUT_H
#define RESULTS_OUT_H

#include "common/contacts_out.h"
#include "common/output.h"
#include "common/play_options.h"
#include "common/report.h"

typedef struct results_out {
  bool wanted; /* somebody needs the pairs of triangles, not only their number */
  world_positions where;
  contacts_out *out; /* NULL: not asked for */
  report *report;    /* as well */
  mark *marks;       /* of the current frame: room that the command fills */
  size_t room;
} results_out;

/* OPTIONS_GO_ON, or an exit code. */
int results_out_check(const play_options *o, const char *command);

/* def: of a report, without its path. false (here and below): stderr says why; close it all the
 * same. */
bool results_out_open(results_out *f, const play_options *o, const report_def *def);
void results_out_close(results_out *f);

mark *results_out_reserve(results_out *f, size_t count); /* NULL: stderr says why */

/* The stage stands in this frame; the first `count` of f->marks are what was found there, sorted
 * by bodies. value: of the frame, and of every two bodies if `nearest`; otherwise theirs is the
 * number of their marks. */
bool results_out_frame(results_out *f, size_t frame, double value, size_t count);

/* A frame that a shard has answered: its part of the report. */
bool results_out_replay(results_out *f, const shard_record *record);

/* The points of these marks in JSON, one for each. */
bool results_out_put_points(results_out *f, json *j, size_t count);

bool results_out_finish(results_out *f, report_ask ask, void *user);
void results_out_write_end(const results_out *f, const play_options *o); /* of the summary */

#endif
