/* How the demo looks: the second body comes from the right and is of glass, so that the ring
 * where they touch shows. */
#include "common/picture.h"
#include "demo/demo.h"

bool demo_paint(const scene_mesh *a, const scene_mesh *b, const uint8_t *touching_a, const uint8_t *touching_b,
                uint8_t *rgb)
{
  static const picture_camera camera = {.eye = {9.616f, -3.113f, 5.708f},
                                        .at = {0.678f, 0.636f, 0.509f},
                                        .up = {-0.081f, -0.076f, 1.079f},
                                        .angle = 16.5f};
  picture_body bodies[2] = {
      {.xyz = a->xyz,
       .vertex_count = a->vertex_count,
       .triangles = a->triangles,
       .triangle_count = a->triangle_count,
       .touching = touching_a,
       .colour = {0.055f, 0.25f, 0.50f}},
      {.xyz = b->xyz,
       .vertex_count = b->vertex_count,
       .triangles = b->triangles,
       .triangle_count = b->triangle_count,
       .touching = touching_b,
       .colour = {1.00f, 0.48f, 0.10f},
       .glass = true},
  };
  return picture_paint(&camera, bodies, 2, DEMO_WIDTH, DEMO_HEIGHT, rgb);
}
