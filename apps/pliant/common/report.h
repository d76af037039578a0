/* --report: one HTML page that needs nothing beside it. It shows a curve over the frames,
 * pictures of the worst frames with what was found in red, and a table of the bodies that were
 * found together. Any command that finds pairs of triangles can write one:
 *
 *   report_create(&(report_def){...}, &r); for every frame: report_frame(r, frame, value), and
 *   report_pair(r, a, b, value) for each two bodies report_finish(r, ask, user): poses the worst
 *   frames again through `ask`, paints them and writes the page. */
#ifndef REPORT_H
#define REPORT_H

#include "common/pair_choice.h"
#include "common/shard.h"
#include "common/world_positions.h"

#include <stdio.h>

typedef struct report report;

typedef struct report_def {
  const char *path;
  const char *command; /* "collide" */
  const char *found;   /* what the value counts or measures: "touching pairs", "distance" */
  const char *step;    /* what has a value: "interval"; NULL: "frame" */
  /* the least value is the worst, and an infinite one is none; otherwise the greatest, and 0 is
   * none */
  bool nearest;
  bool alone; /* every body was looked at alone: pairs have a == b */
  const stage *stage;
  const pair_choice *choice; /* NULL: no bodies were left out */
  /* writes a section of its own behind the table; NULL: none */
  void (*more)(FILE *page, const void *user);
  const void *user;
} report_def;

/* What is shown of a frame. */
typedef struct report_shot {
  const mark *marks; /* valid until the next question */
  size_t count;
  bool has_line; /* between two points, as of a distance */
  double line[2][3];
} report_shot;

/* Brings the stage to a frame again and finds its marks. false: stderr says why. */
typedef bool (*report_ask)(void *user, size_t frame, report_shot *out);

int report_check(const char *command, const char *path); /* OPTIONS_GO_ON, or an exit code */

/* false (here and below): stderr says why. */
bool report_create(const report_def *def, report **out);
void report_free(report *r); /* NULL is allowed */
/* Of one pair of triangles; the sum over all pairs is the look of two bodies. */
uint64_t report_look(uint32_t triangle_a, uint32_t triangle_b);
bool report_frame(report *r, size_t frame, double value);
/* Of the last frame; a == b: a body with itself. look: a hash of what was found, in whatever
 * order; frames that look alike are shown once. */
bool report_pair(report *r, size_t a, size_t b, double value, uint64_t look);
bool report_replay(report *r, const shard_record *record); /* a frame with its pairs, from a part */
bool report_is_nearest(const report *r);
bool report_finish(report *r, report_ask ask, void *user);

#endif
