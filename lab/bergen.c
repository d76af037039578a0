/* Boxes in model space, all refitted bottom-up; boxes of two spaces are tested on their six face
 * normals. After G. van den Bergen, Efficient Collision Detection of Complex Deformable Models
 * using AABB Trees, 1997. A free body with this strategy takes a transform: its positions are in
 * model space. */
#include "update/update.h"

extern const strategy_row pl_inside_strategy_BERGEN;
const strategy_row pl_inside_strategy_BERGEN = {&schedule_all, &source_children, 0, true};
