/* The graph of a mesh's triangles: linked where they share edges, weighed by the length of these. */
#ifndef BUILD_LINKS_H
#define BUILD_LINKS_H

#include "build/build.h"
#include "build/pairing.h"
#include "mesh/mesh.h"

/* Room for a graph. false: out of memory; free it all the same. */
bool link_graph_create(const pl_allocator *allocator, size_t nodes, size_t links, link_graph *out);
void link_graph_free(const pl_allocator *allocator, link_graph *g);

/* At most 6 links a triangle: an edge of more than two triangles joins them one to the next, in their order. Weights of any number of
 * edges of the mesh can be added up. false: out of memory; free it all the same. */
bool links_create(const build_input *in, const mesh_edges *edges, link_graph *out);

#endif
