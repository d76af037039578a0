/* The graph of a mesh's triangles: links between triangles that share edges, with the lengths of
 * these as weights. */
#ifndef BUILD_LINKS_H
#define BUILD_LINKS_H

#include "build/build.h"
#include "build/pairing.h"
#include "mesh/mesh.h"

/* Allocates a graph. false: out of memory; it must be freed all the same. */
bool link_graph_create(const pl_allocator *allocator, size_t nodes, size_t links, link_graph *out);
void link_graph_free(const pl_allocator *allocator, link_graph *g);

/* At most 6 links per triangle: an edge of more than two triangles links each to the next, in
 * their order. The sum of the weights of any number of edges of the mesh fits. false: out of
 * memory; it must be freed all the same. */
bool links_create(const build_input *in, const mesh_edges *edges, link_graph *out);

#endif
