/* Two meshes from files, A and B, played frame by frame. */
#ifndef PLAY_H
#define PLAY_H

#include "common/play_options.h"
#include "common/two_bodies.h"

typedef struct play {
  stage stage;           /* of two inputs, each one body */
  two_bodies two_bodies; /* the same bodies */
} play;

/* Reads the first frame of both and makes their bodies. false (here and below): stderr says why;
 * close it all the same. */
bool play_open(play *p, const play_options *o, const input_list *inputs);
void play_close(play *p);

/* The file of A (0) or B (1) in a frame. */
const char *play_file(const play *p, int side, size_t frame);

/* Of the summary: who A and B are. */
void play_write_sides(const play *p);

#endif
