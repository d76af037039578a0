/* Cones of patches without looking at borders, as published: P. Volino, N. Magnenat-Thalmann,
 * Efficient Self-collision Detection on Smoothly Discretized Surface Animations using Geometrical
 * Shape Regularity, 1994; S. C. Schwartzman, J. Gascon, M. A. Otaduy, Bounded Normal Trees for
 * Reduced Deformations of Triangulated Surfaces, 2009. It misses pairs. */
#include "query/pairs/self.h"

const self_method_row pl_inside_self_method_CONES_MAY_MISS = {.cones = true, .normals_alone = true};
