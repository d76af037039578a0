/* The body of a mesh with morph targets, for the command and the page. */
#include "io/gltf_positions.h"

#include <stdlib.h>

/* Cubic splines may go beyond their keys, so the range of weights is wide. */
static const double most_weight = 1e6;

pl_status gltf_create_morph(pl_context *context, const gltf_mesh *from, const pl_mesh_def *mesh, int inbetweens,
                            const pl_body_def *def, pl_body **out)
{
  const size_t count = from->target_count + 1;
  pl_positions *references = calloc(count, sizeof *references);
  double *zeros = calloc(3 * from->vertex_count, sizeof *zeros); /* for targets that move nothing */
  pl_status status = references && zeros ? PL_OK : PL_ERROR_MEMORY;
  if (status == PL_OK) {
    references[0] = mesh->positions;
    for (size_t i = 1; i < count; ++i) references[i] = gltf_deltas(from, i - 1, zeros);
    pl_morph_def morph = pl_morph_def_default();
    morph.kind = PL_MORPH_ADDITIVE;
    morph.references = references;
    /* the library has a limit, far below, and says so */
    morph.reference_count = count < 1000 ? (int)count : 1000;
    morph.weight_low = -most_weight;
    morph.weight_high = most_weight;
    morph.inbetweens = inbetweens;
    status = pl_body_create_morph(context, mesh, &morph, def, out);
  }
  free(references);
  free(zeros);
  return status;
}
