/* The family `impact`: when moving boxes overlap, and which moving features certainly do not
 * meet. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/impact.inl"
#include "kernels/impact_filter.inl"
#include "kernels/impact_sides.inl"

const moving_kernels KERNEL_TABLE(moving_kernels) = {.window = {overlap_windows, cross_windows},
                                                     .swept = {overlap_swept, cross_swept},
                                                     .reach = reach_of_vertices,
                                                     .refit = moving_refit,
                                                     .leaf = moving_leaf,
                                                     .open = open_groups,
                                                     .box = box_groups,
                                                     .windows = window_sides,
                                                     .pairs = pair_sides,
                                                     .apart = {vertex_faces_apart, edge_edges_apart}};
#endif
