#include "mesh/weights.h"

pl_status weights_check_rows(pl_context *context, const pl_weights *w)
{
  if (w->vertex_count == 0 || w->vertex_count >= UINT32_MAX)
    return fail(context, PL_ERROR_ARGUMENT, "weights of %zu vertices: there must be 1 or more, fewer than 2^32",
                w->vertex_count);
  if (!w->governors || !w->values)
    return fail(context, PL_ERROR_ARGUMENT, "weights without %s: the array is NULL",
                w->governors ? "values" : "governors");
  if (w->type != PL_F32 && w->type != PL_F64)
    return fail(context, PL_ERROR_ARGUMENT, "the type of the weights is neither float nor double");
  if (!w->first && (w->per_vertex == 0 || w->per_vertex > UINT32_MAX / w->vertex_count))
    return fail(context, PL_ERROR_ARGUMENT, "%zu weights per vertex: 1 or more, fewer than 2^32 in all", w->per_vertex);
  for (size_t v = 0; w->first && v < w->vertex_count; ++v)
    if (w->first[v] > w->first[v + 1])
      return fail(context, PL_ERROR_ARGUMENT, "the list of weights of vertex %zu ends before it starts", v);
  return PL_OK;
}
