/* Two pictures of a frame: everything, and the place where the marks are. Bodies that are marked
 * are glass in colours, all others grey glass; marked triangles are solid and red. Positions are
 * moved and scaled into a box of size 1 first, so that any coordinates fit the rasteriser's
 * floats. */
#include "common/report_inside.h"

#include "common/output.h"
#include "common/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FLAT = 200000 }; /* triangles of a body that is painted with a normal for each */

typedef struct canvas {
  picture_body *bodies; /* of the stage, and one for the line */
  picture_body *closer; /* the same for the second picture; only its line is its own */
  size_t count;
  double centre[3], scale;        /* painted = (world - centre) * scale */
  double all[2][3], marked[2][3]; /* boxes in world space */
  uint8_t *rgb;
} canvas;

static bool complain_memory(const report *r)
{
  output_complain("%s: out of memory for a picture", r->def.path);
  return false;
}

static void box_clear(double box[2][3])
{
  for (int k = 0; k < 3; ++k) {
    box[0][k] = INFINITY;
    box[1][k] = -INFINITY;
  }
}

static void box_add(double box[2][3], const double p[3])
{
  for (int k = 0; k < 3; ++k) {
    box[0][k] = fmin(box[0][k], p[k]);
    box[1][k] = fmax(box[1][k], p[k]);
  }
}

/* Half of a box's diagonal, and its middle; halves first, so that nothing overflows. */
static double box_radius(double box[2][3], double middle[3])
{
  double square = 0, most = 0;
  for (int k = 0; k < 3; ++k) {
    middle[k] = box[0][k] / 2 + box[1][k] / 2;
    most = fmax(most, box[1][k] / 2 - box[0][k] / 2);
  }
  for (int k = 0; k < 3 && most > 0; ++k) {
    double side = (box[1][k] / 2 - box[0][k] / 2) / most;
    square += side * side;
  }
  return most * sqrt(square);
}

/* ------------------------------------------------------------------------------------ bodies -- */

static bool mark_triangle(const report *r, canvas *c, size_t body, uint32_t triangle, world_positions *where)
{
  picture_body *b = &c->bodies[body];
  double corners[3][3];
  uint8_t *touching = (uint8_t *)(uintptr_t)b->touching;
  if (!touching) {
    touching = calloc(r->def.stage->bodies[body].triangle_count, 1);
    if (!touching) return complain_memory(r);
    b->touching = touching;
  }
  touching[triangle] = 1;
  if (!world_positions_triangle(where, body, triangle, corners)) return false;
  for (int k = 0; k < 3; ++k) box_add(c->marked, corners[k]);
  return true;
}

static bool mark_all(const report *r, canvas *c, const report_shot *shot, world_positions *where)
{
  for (size_t i = 0; i < shot->count; ++i) {
    const mark *m = &shot->marks[i];
    if (!mark_triangle(r, c, m->a, m->triangle_a, where) || !mark_triangle(r, c, m->b, m->triangle_b, where))
      return false;
  }
  return true;
}

static bool measure(const report *r, canvas *c, world_positions *where)
{
  const stage *s = r->def.stage;
  box_clear(c->all);
  for (size_t i = 0; i < s->body_count; ++i) {
    const double *xyz = world_positions_of(where, i);
    if (!xyz) return false;
    for (size_t v = 0; v < s->bodies[i].vertex_count; ++v) box_add(c->all, xyz + 3 * v);
  }
  double radius = box_radius(c->all, c->centre);
  c->scale = radius > 0 ? 1 / radius : 1;
  return true;
}

static void put_point(const canvas *c, const double p[3], float out[3])
{
  for (int k = 0; k < 3; ++k) out[k] = (float)((p[k] - c->centre[k]) * c->scale);
}

/* With a normal for each triangle vertices are repeated; huge bodies share them. */
static bool fill_body(const report *r, canvas *c, size_t i, world_positions *where)
{
  const stage_body *from = &r->def.stage->bodies[i];
  picture_body *to = &c->bodies[i];
  const double *xyz = world_positions_of(where, i);
  bool flat = from->triangle_count <= MOST_FLAT;
  size_t vertices = flat ? 3 * from->triangle_count : from->vertex_count;
  float *out = malloc(3 * vertices * sizeof *out);
  uint32_t *triangles = malloc(3 * from->triangle_count * sizeof *triangles);
  to->xyz = out;
  to->triangles = triangles;
  to->flat = flat;
  to->vertex_count = vertices;
  to->triangle_count = from->triangle_count;
  if (!xyz || !out || !triangles) return complain_memory(r);
  for (size_t v = 0; v < vertices; ++v) put_point(c, xyz + 3 * (flat ? (size_t)from->triangles[v] : v), out + 3 * v);
  for (size_t k = 0; k < 3 * from->triangle_count; ++k) triangles[k] = flat ? (uint32_t)k : from->triangles[k];
  return true;
}

/* Marked bodies in colours, one after the other; the others step back. */
static void colour_bodies(canvas *c, size_t count)
{
  static const float colours[6][3] = {{0.055f, 0.25f, 0.50f}, {1.00f, 0.48f, 0.10f}, {0.10f, 0.45f, 0.20f},
                                      {0.45f, 0.20f, 0.60f},  {0.70f, 0.60f, 0.10f}, {0.10f, 0.50f, 0.50f}};
  static const float grey[3] = {0.13f, 0.14f, 0.16f};
  int next = 0;
  for (size_t i = 0; i < count; ++i) {
    picture_body *b = &c->bodies[i];
    b->glass = true;
    memcpy(b->colour, b->touching ? colours[next++ % 6] : grey, sizeof b->colour);
  }
}

/* A thin prism between the two points, all red. */
static bool fill_line(const report *r, const canvas *c, picture_body *b, const report_shot *shot, double width)
{
  static const uint32_t faces[24] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4, 2, 0, 3, 2, 3, 5, 0, 2, 1, 3, 4, 5};
  float *xyz = malloc(18 * sizeof *xyz), ends[2][3], along[3], u[3], v[3];
  uint32_t *triangles = malloc(sizeof faces);
  uint8_t *touching = malloc(8);
  b->xyz = xyz;
  b->triangles = triangles;
  b->touching = touching;
  if (!xyz || !triangles || !touching) return complain_memory(r);
  for (int k = 0; k < 2; ++k) put_point(c, shot->line[k], ends[k]);
  for (int k = 0; k < 3; ++k) along[k] = ends[1][k] - ends[0][k];
  int least = fabsf(along[0]) < fabsf(along[1]) ? 0 : 1;
  if (fabsf(along[2]) < fabsf(along[least])) least = 2;
  float axis[3] = {least == 0, least == 1, least == 2};
  for (int k = 0; k < 3; ++k) u[k] = along[(k + 1) % 3] * axis[(k + 2) % 3] - along[(k + 2) % 3] * axis[(k + 1) % 3];
  for (int k = 0; k < 3; ++k) v[k] = along[(k + 1) % 3] * u[(k + 2) % 3] - along[(k + 2) % 3] * u[(k + 1) % 3];
  float nu = sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), nv = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 6; ++i) {
    float angle = 2.0943951f * (float)(i % 3);
    for (int k = 0; k < 3; ++k)
      xyz[3 * i + k] = ends[i / 3][k] + (float)width * (nu > 0 ? cosf(angle) * u[k] / nu : 0) +
                       (float)width * (nv > 0 ? sinf(angle) * v[k] / nv : 0);
  }
  memcpy(triangles, faces, sizeof faces);
  memset(touching, 1, 8);
  b->vertex_count = 6;
  b->triangle_count = 8;
  return true;
}

static void free_body(picture_body *b)
{
  free((void *)(uintptr_t)b->xyz);
  free((void *)(uintptr_t)b->triangles);
  free((void *)(uintptr_t)b->touching);
  *b = (picture_body){0};
}

/* ------------------------------------------------------------------------------------ camera -- */

static const double picture_angle = 26;

static double product(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* From the front, right and above, y up: the nearest eye that sees the whole box, which is in
 * painted units. */
static picture_camera camera_on(double box[2][3])
{
  static const double azimuth = 0.6, elevation = 0.42, room = 1.06;
  double back[3] = {sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation)};
  double right[3] = {cos(azimuth), 0, -sin(azimuth)};
  double up[3] = {-sin(azimuth) * sin(elevation), cos(elevation), -cos(azimuth) * sin(elevation)};
  double tall = tan(picture_angle / 2 * 3.14159265358979323846 / 180), wide = tall * REPORT_WIDTH / REPORT_HEIGHT;
  double middle[3], distance = 0;
  for (int k = 0; k < 3; ++k) middle[k] = (box[0][k] + box[1][k]) / 2;
  for (int i = 0; i < 8; ++i) {
    double p[3];
    for (int k = 0; k < 3; ++k) p[k] = box[i >> k & 1][k] - middle[k];
    double reach = fmax(fabs(product(p, right)) / wide, fabs(product(p, up)) / tall) * room;
    distance = fmax(distance, reach + product(p, back));
  }
  picture_camera camera = {.up = {0, 1, 0}, .angle = (float)picture_angle};
  for (int k = 0; k < 3; ++k) {
    camera.at[k] = (float)middle[k];
    camera.eye[k] = (float)(middle[k] + fmax(distance, 1e-2) * back[k]);
  }
  return camera;
}

/* One of the two pictures. */
typedef struct shot_job {
  const report *report;
  picture_body *bodies; /* the canvas's, with a line of its own at the end */
  size_t count;
  double box[2][3];
  uint8_t *rgb;
  char **png;
  size_t *size;
  bool good;
} shot_job;

static void shoot(void *data, int index, int worker)
{
  (void)worker;
  shot_job *job = (shot_job *)data + index;
  picture_camera camera = camera_on(job->box);
  job->good = picture_paint(&camera, job->bodies, job->count, REPORT_WIDTH, REPORT_HEIGHT, job->rgb);
  FILE *memory = job->good ? open_memstream(job->png, job->size) : NULL;
  job->good = memory && io_png_stream(memory, job->rgb, REPORT_WIDTH, REPORT_HEIGHT);
  if (memory && fclose(memory) != 0) job->good = false;
}

/* Everything, and 0.75 times more than the marks to each side; in painted units. Returns half of
 * the greatest side of the second. */
static double frame_boxes(const canvas *c, double whole[2][3], double near[2][3])
{
  double most = 0;
  for (int i = 0; i < 6; ++i) {
    double centre = c->centre[i % 3], sign = i / 3 ? 1 : -1;
    whole[i / 3][i % 3] = (c->all[i / 3][i % 3] - centre) * c->scale;
    double half = fmax(0.75 * (c->marked[1][i % 3] - c->marked[0][i % 3]) * c->scale, 0.03);
    near[i / 3][i % 3] = (c->marked[0][i % 3] / 2 + c->marked[1][i % 3] / 2 - centre) * c->scale + sign * half;
    most = fmax(most, half);
  }
  return most;
}

static bool fill(const report *r, canvas *c, const report_shot *shot, world_positions *where)
{
  const stage *s = r->def.stage;
  box_clear(c->marked);
  if (!measure(r, c, where) || !mark_all(r, c, shot, where)) return false;
  for (int k = 0; k < 2 && shot->has_line; ++k) box_add(c->marked, shot->line[k]);
  for (size_t i = 0; i < s->body_count; ++i)
    if (!fill_body(r, c, i, where)) return false;
  colour_bodies(c, s->body_count);
  return true;
}

/* Both pictures at once, where there are threads for it. */
static bool shoot_both(const report *r, canvas *c, report_picture *picture, const report_shot *shot)
{
  size_t count = r->def.stage->body_count;
  shot_job jobs[2] = {{.report = r, .bodies = c->bodies, .png = &picture->whole, .size = &picture->whole_size},
                      {.report = r, .bodies = c->closer, .png = &picture->near, .size = &picture->near_size}};
  double most = frame_boxes(c, jobs[0].box, jobs[1].box);
  int pictures = (shot->count > 0 || shot->has_line) && most < 0.5 ? 2 : 1;
  bool good = true;
  memcpy(c->closer, c->bodies, count * sizeof *c->closer);
  for (int i = 0; i < pictures; ++i) {
    jobs[i].count = c->count;
    jobs[i].rgb = c->rgb + (size_t)i * 3 * REPORT_WIDTH * REPORT_HEIGHT;
    if (good && shot->has_line) good = fill_line(r, c, &jobs[i].bodies[count], shot, i ? 0.012 * most : 0.008);
  }
  if (!good) return false;
  if (pl_context_run(r->def.stage->context, shoot, jobs, pictures) != PL_OK) good = false;
  for (int i = 0; i < pictures; ++i) good = good && jobs[i].good;
  if (!good)
    output_complain("%s: no picture could be painted: out of memory, or this build has no libpng", r->def.path);
  return good;
}

bool report_paint(report *r, report_picture *picture, const report_shot *shot, world_positions *where)
{
  size_t count = r->def.stage->body_count;
  canvas c = {.count = count + (shot->has_line ? 1 : 0)};
  c.bodies = calloc(count + 1, sizeof *c.bodies);
  c.closer = calloc(count + 1, sizeof *c.closer);
  c.rgb = malloc((size_t)2 * 3 * REPORT_WIDTH * REPORT_HEIGHT);
  bool good =
      c.bodies && c.closer && c.rgb ? fill(r, &c, shot, where) && shoot_both(r, &c, picture, shot) : complain_memory(r);
  for (size_t i = 0; c.bodies && i <= count; ++i) free_body(&c.bodies[i]);
  if (c.closer) free_body(&c.closer[count]);
  free(c.bodies);
  free(c.closer);
  free(c.rgb);
  return good;
}
