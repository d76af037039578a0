/* The family `impact`: when moving boxes overlap, and which moving features certainly do not meet. */
#ifdef KERNEL_SET /* the machine has this instruction set */
#define KERNEL_LANES
#include "kernels/impact.inl"
#include "kernels/impact_filter.inl"

const impact_kernels KERNEL_TABLE(impact_kernels) = {overlap_windows};
const moving_kernels KERNEL_TABLE(moving_kernels) = {
    reach_of_vertices, moving_refit, window_sides, overlap_swept, swept_sides, {vertex_faces_apart, edge_edges_apart}};
#endif
