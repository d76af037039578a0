/* All kinds of shapes: an include for each line of SHAPE_LIST. */
#ifndef BOUNDS_VOLUMES_H
#define BOUNDS_VOLUMES_H

#include "bounds/kdop.h"
#include "bounds/obb.h"
#include "bounds/rss.h"
#include "bounds/sphere.h"
#include "core/kinds.h"

#ifdef PLIANT_EXTENSION_VOLUMES
#include PLIANT_EXTENSION_VOLUMES
#endif

#endif
