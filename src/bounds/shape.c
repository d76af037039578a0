/* The table of shapes, from the list. */
#include "bounds/shape.h"

#include "bounds/volumes.h"

const shape_kind *shape_kind_of(pl_volume volume)
{
  static const shape_kind kinds[PL_VOLUME_COUNT] = {
#define SHAPE_ROW(name, word) [PL_VOLUME_##name] = name##_ROW,
      SHAPE_LIST(SHAPE_ROW)
#undef SHAPE_ROW
  };
  return (unsigned)volume < PL_VOLUME_COUNT && kinds[volume].fit ? &kinds[volume] : NULL;
}
