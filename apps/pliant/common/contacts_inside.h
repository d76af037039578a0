/* Inside contacts_out: what was gathered, for the writers of its two kinds of files. */
#ifndef CONTACTS_INSIDE_H
#define CONTACTS_INSIDE_H

#include "common/contacts_out.h"

#include <stdio.h>

/* A triangle that is shown in a frame. */
typedef struct found {
  uint32_t frame, body, triangle;
  double xyz[3][3];
} found;

struct contacts_out {
  const char *path;
  const stage *stage;
  bool numbered, is_glb;
  found *list;
  size_t count, room;
  size_t triangles, files; /* written */
  uint64_t *keys;          /* of one frame: body and triangle */
  size_t key_room;
};

/* The k-th of some colours, as bytes: reds and yellows, so that two bodies can be told apart. */
enum { CONTACTS_COLOURS = 6 };
const uint8_t *contacts_colour(uint32_t body);

void contacts_put_little(FILE *file, uint64_t bits, int bytes);
bool contacts_complain_memory(const contacts_out *o); /* false */

/* contacts_glb.c: a node for each frame and body; of several frames an animation that shows one
 * frame after the other. false: stderr says why. */
bool contacts_write_glb(const contacts_out *o, FILE *file);

#endif
