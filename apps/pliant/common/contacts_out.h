/* --out: the triangles that a command has found, as a file that other programs open. A .ply has
 * every triangle with its frame, body, number and a colour; a .glb has a node for every frame
 * and body, and an animation that shows one frame after the other. One file for all frames, or
 * one for each if its name has a number in it (contacts_%04d.ply), where a frame without any
 * writes none. */
#ifndef CONTACTS_OUT_H
#define CONTACTS_OUT_H

#include "common/world_positions.h"

typedef struct contacts_out contacts_out;

/* Checks that the name is of one of the two kinds and has at most one number. OPTIONS_GO_ON, or
 * an exit code. */
int contacts_out_check(const char *command, const char *path);

/* false (here and below): stderr says why. */
bool contacts_out_create(const char *path, const stage *s, contacts_out **out);
void contacts_out_free(contacts_out *o); /* NULL is allowed */

/* The triangles of these pairs, each once, as they are in this frame. */
bool contacts_out_frame(contacts_out *o, size_t frame, world_positions *where, const mark *marks, size_t count);

/* Writes what has been gathered. */
bool contacts_out_finish(contacts_out *o);

/* Of the summary. */
void contacts_out_write_end(const contacts_out *o);

#endif
