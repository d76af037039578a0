/* What a command found in its frames, for those who want to see it: --out, --report, and the
 * points of contact in JSON. */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "common/contacts_out.h"
#include "common/output.h"
#include "common/play_options.h"
#include "common/report.h"

typedef struct findings {
  bool wanted; /* somebody needs the pairs of triangles, not only their number */
  places where;
  contacts_out *out; /* NULL: not asked for */
  report *report;    /* as well */
  mark *marks;       /* of the current frame: room that the command fills */
  size_t room;
} findings;

/* OPTIONS_GO_ON, or an exit code. */
int findings_check(const play_options *o, const char *command);

/* def: of a report, without its path. false (here and below): stderr says why; close it all the
 * same. */
bool findings_open(findings *f, const play_options *o, const report_def *def);
void findings_close(findings *f);

mark *findings_reserve(findings *f, size_t count); /* NULL: stderr says why */

/* The stage stands in this frame; the first `count` of f->marks are what was found there, sorted
 * by bodies. value: of the frame, and of every two bodies if `nearest`; otherwise theirs is the
 * number of their marks. */
bool findings_frame(findings *f, size_t frame, double value, size_t count);

/* A frame that a shard has answered: its part of the report. */
bool findings_replay(findings *f, const shard_record *record);

/* The points of these marks in JSON, one for each. */
bool findings_put_points(findings *f, json *j, size_t count);

bool findings_finish(findings *f, report_ask ask, void *user);
void findings_write_end(const findings *f, const play_options *o); /* of the summary */

#endif
