/* The arrays of waves: they grow to the largest wave seen and stay. */
#include "trace/inside.h"

#include <stdlib.h>

/* Contents are not kept. */
static bool renew(void *array, size_t count, size_t size)
{
  void **at = array;
  free(*at);
  *at = count <= SIZE_MAX / size ? malloc(count * size) : NULL;
  return *at != NULL;
}

static void free_generations(wave *w)
{
  for (int i = 0; i < 2; ++i) {
    free(w->rays[i]);
    free(w->paths[i]);
    w->rays[i] = NULL;
    w->paths[i] = NULL;
  }
  free(w->hits);
  free(w->surfaces);
  free(w->begin_next);
  free(w->begin_shadow);
  w->hits = NULL;
  w->surfaces = NULL;
  w->begin_next = NULL;
  w->begin_shadow = NULL;
  w->capacity = 0;
}

pl_status wave_reserve(wave *w, size_t rays, int lights, size_t task)
{
  if (rays <= w->capacity && lights <= w->lights) return PL_OK;
  size_t n = rays > w->capacity ? rays : w->capacity, tasks = n / task + 1;
  int l = lights > w->lights ? lights : w->lights;
  free_generations(w);
  bool good = true;
  for (int i = 0; i < 2; ++i)
    good = good && renew(&w->rays[i], n, sizeof *w->rays[i]) && renew(&w->paths[i], n, sizeof *w->paths[i]);
  good = good && renew(&w->hits, n, sizeof *w->hits) && renew(&w->surfaces, n, sizeof *w->surfaces) &&
         renew(&w->begin_next, tasks, sizeof *w->begin_next) &&
         renew(&w->begin_shadow, tasks * (size_t)(l + 1), sizeof *w->begin_shadow);
  if (!good) {
    free_generations(w);
    return PL_ERROR_MEMORY;
  }
  w->capacity = n;
  w->lights = l;
  return PL_OK;
}

pl_status wave_reserve_shadows(wave *w, size_t rays)
{
  if (rays <= w->shadow_capacity) return PL_OK;
  size_t n = rays + rays / 4; /* some air, so that it seldom grows again */
  w->shadow_capacity = 0;
  if (!renew(&w->shadow_rays, n, sizeof *w->shadow_rays) || !renew(&w->shadow_hits, n, sizeof *w->shadow_hits))
    return PL_ERROR_MEMORY;
  w->shadow_capacity = n;
  return PL_OK;
}

void wave_free(wave *w)
{
  free_generations(w);
  free(w->shadow_rays);
  free(w->shadow_hits);
  *w = (wave){0};
}
