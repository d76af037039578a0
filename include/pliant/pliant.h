/* pliant: exact queries on deforming triangle meshes. Include this header.
 *
 *   pl_context *context;                                    // owns everything, no globals
 *   pl_context_create(NULL, &context);
 *
 *   pl_mesh_def mesh = pl_mesh_def_default();
 *   mesh.positions = pl_positions_f32(xyz, vertex_count);   // or _f64, or _strided
 *   mesh.triangles = indices;
 *   mesh.triangle_count = triangle_count;
 *
 *   pl_body *cloth;
 *   if (pl_body_create_free(context, &mesh, NULL, &cloth) != PL_OK)
 *     fprintf(stderr, "%s\n", pl_context_message(context)); // "triangle 812 names vertex 9 of 8"
 *
 *   for (;;) {
 *     simulate(xyz);
 *     pl_body_set_positions(cloth, pl_positions_f32(xyz, vertex_count)); // no update call needed
 *     const pl_result *touching;
 *     pl_touching(pl_two(cloth, table), NULL, &touching);   // refits only what it needs
 *   }
 *   pl_context_destroy(context);                            // and everything created in it
 *
 * Every function that can fail returns a pl_status; pl_context_message() then returns what
 * happened, where, and what to do. */
#ifndef PLIANT_PLIANT_H
#define PLIANT_PLIANT_H

#include "base.h"
#include "body.h"
#include "impacts.h"
#include "kinetic.h"
#include "mesh.h"
#include "motions.h"
#include "near.h"
#include "probes.h"
#include "question.h"
#include "regions.h"
#include "scene.h"
#include "touching.h"
#include "tuning.h"

#endif
