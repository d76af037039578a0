/* Two meshes from files, played frame by frame: one frame is held at a time, so that memory does not grow with their number. */
#ifndef PLAY_H
#define PLAY_H

#include "duo.h"
#include "play_options.h"

typedef struct play {
  frames side[2];
  size_t frame_count;
  bool shortened; /* two sequences of different length */
  pl_body_def def;
  duo duo;
} play;

/* Reads frame 0 of both and makes their bodies. false (here and below): stderr says why; close it all the same. */
bool play_open(play *p, const play_options *o, const file_lists *lists);
void play_close(play *p);

/* Brings the bodies to a frame, in ascending order from 0; *ms: the library's part of it. */
bool play_move(play *p, size_t index, double *ms);

/* Of the summary: who A and B are, and that one of them is longer. */
void play_write_sides(const play *p);
void play_write_shortened(const play *p);

#endif
