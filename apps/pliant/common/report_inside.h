/* Inside the report: what has been gathered, its pictures, its page. */
#ifndef REPORT_INSIDE_H
#define REPORT_INSIDE_H

#include "common/report.h"

#include <stdio.h>

enum { REPORT_MOST_PICTURES = 6, REPORT_WIDTH = 560, REPORT_HEIGHT = 360 };

typedef struct report_range {
  size_t first, last; /* frames, both of them in it */
} report_range;

/* Two bodies that were found together. */
typedef struct report_row {
  size_t a, b;
  size_t frames, worst_at;
  double worst;
  report_range *ranges; /* of frames in a row */
  size_t range_count;
} report_row;

typedef struct report_picture {
  size_t frame;
  double value;
  uint64_t marks;
  char *whole, *near; /* PNG files in memory */
  size_t whole_size, near_size;
} report_picture;

struct report {
  report_def def;
  size_t *frames; /* of each value */
  double *values;
  uint64_t *marks; /* a hash of the bodies that were found: frames that look alike are shown once */
  size_t count, room;
  report_row *rows;
  size_t row_count, row_room;
  size_t *slots; /* row + 1, by hash; 0: free */
  size_t slot_room;
  report_picture pictures[REPORT_MOST_PICTURES];
  size_t picture_count;
};

/* Is a value worth showing, and is it worse than another? */
bool report_shows(const report *r, double value);
bool report_is_worse(const report *r, double value, double than);

bool report_paint(report *r, report_picture *picture, const report_shot *shot, world_positions *where);
bool report_write_page(const report *r, FILE *file);

#endif
