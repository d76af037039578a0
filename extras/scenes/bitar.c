/* Plates, sheet and cable; which parts meet, and where they stand. rest: where on the part a
 * vertex is, from -1 to 1 along both sides of a plate, along and around a cable. */
#include "scenes/bitar.h"

#include "scenes/bitar_parts.h"

static const struct {
  const char *text;
  int triangles, frames;
} parts[BITAR_PARTS] = {
#define PART(name, text, triangles, frames) {text, triangles, frames},
    BITAR_PART_LIST(PART)
#undef PART
};

const char *bitar_part_text(bitar_part part) { return (unsigned)part < BITAR_PARTS ? parts[part].text : NULL; }
int bitar_part_frames(bitar_part part) { return parts[part].frames; }

/* ------------------------------------------------------------------------------------ meshes -- */

enum { PLATE_QUADS = 9, CABLE_ALONG = 9, CABLE_AROUND = 10 };

/* along x across quads, each in two; `closed`: the last column is joined to the first. */
static bool make_quads(int along, int across, bool closed, scene_mesh *out)
{
  int columns = closed ? across : across + 1;
  if (!scene_mesh_alloc(out, (size_t)(along + 1) * (size_t)columns, 2 * (size_t)along * (size_t)across)) return false;
  for (int i = 0; i <= along; ++i)
    for (int j = 0; j < columns; ++j)
      vec3_store(out->rest, (size_t)i * (size_t)columns + (size_t)j,
                 vec3_make(2 * (float)i / (float)along - 1, 2 * (float)j / (float)across - 1, 0));
  uint32_t *corner = out->triangles;
  for (int i = 0; i < along; ++i)
    for (int j = 0; j < across; ++j) {
      uint32_t a = (uint32_t)(i * columns + j), b = (uint32_t)(i * columns + (j + 1) % columns);
      uint32_t c = a + (uint32_t)columns, d = b + (uint32_t)columns;
      *corner++ = a, *corner++ = c, *corner++ = d;
      *corner++ = a, *corner++ = d, *corner++ = b;
    }
  return true;
}

bool bitar_part_make(bitar_part part, int detail, scene_mesh *out)
{
  *out = (scene_mesh){0};
  if ((unsigned)part >= BITAR_PARTS || detail < 1 || detail > BITAR_MOST_DETAIL) return false;
  bool made = part == BITAR_HELMET  ? bitar_helmet_make(detail, out)
              : part == BITAR_CABLE ? make_quads(CABLE_ALONG * detail, CABLE_AROUND * detail, true, out)
                                    : make_quads(PLATE_QUADS * detail, PLATE_QUADS * detail, false, out);
  if (made) bitar_part_pose(out, part, 0);
  return made;
}

/* ------------------------------------------------------------------------------------- poses -- */

/* An arc of the same length, up and then down. */
static point plate_point(double u, double v, double time)
{
  double bend = 0.9 * wave_sin(6.2831853 * time), a = bend * u;
  if (bend * bend < 1e-12) return (point){u, v, 0};
  return (point){wave_sin(a) / bend, v, (1 - wave_cos(a)) / bend};
}

static point twisting_plate_point(double u, double v, double time)
{
  double a =
      (0.2 + 1.3 * time) * u; /* twisted a little from the start: flat plates face to face are equally far everywhere */
  return (point){u, v * wave_cos(a), v * wave_sin(a)};
}

/* Beyond a strip in the middle, the right half turns up and over. */
static point folding_sheet_point(double u, double v, double time)
{
  const double strip = 0.3; /* half of its width */
  double fold = 3.0 * time, r = 2 * strip / (fold > 1e-6 ? fold : 1e-6);
  if (u <= -strip || fold <= 1e-6) return (point){u, v, 0};
  double turned = u < strip ? fold * (u + strip) / (2 * strip) : fold, beyond = u < strip ? 0 : u - strip;
  return (point){-strip + r * wave_sin(turned) + beyond * wave_cos(turned), v,
                 r * (1 - wave_cos(turned)) + beyond * wave_sin(turned)};
}

/* A tube around a line that hangs between its ends. */
static point cable_point(double u, double v, double time)
{
  const double radius = 0.08, half = 1.5, pi = 3.14159265358979323846;
  double sag = 0.6 * time, swing = 0.25 * wave_sin(2 * 6.2831853 * time), hang = 1 - u * u;
  double slope_y = -2 * u * swing / half, slope_z = 2 * u * sag / half; /* of the line, by x */
  double length = sqrt(1 + slope_y * slope_y + slope_z * slope_z);
  point along = {1 / length, slope_y / length, slope_z / length};
  double flat = sqrt(along.x * along.x + along.y * along.y);
  point side = {-along.y / flat, along.x / flat, 0}; /* level, and square to the line */
  point up = {-along.z * side.y, along.z * side.x, along.x * side.y - along.y * side.x};
  double c = radius * wave_cos(pi * v), s = radius * wave_sin(pi * v);
  return (point){half * u + c * side.x + s * up.x, swing * hang + c * side.y + s * up.y, -sag * hang + s * up.z};
}

void bitar_part_pose(scene_mesh *mesh, bitar_part part, int frame)
{
  static point (*const points[BITAR_PARTS])(double, double, double) = {[BITAR_PLATE] = plate_point,
                                                                       [BITAR_TWISTING_PLATE] = twisting_plate_point,
                                                                       [BITAR_CABLE] = cable_point,
                                                                       [BITAR_HELMET] = bitar_helmet_point,
                                                                       [BITAR_FOLDING_SHEET] = folding_sheet_point};
  int last = parts[part].frames - 1;
  double time = frame < last ? (double)frame / last : 1;
  for (size_t i = 0; i < mesh->vertex_count; ++i) {
    point p = points[part](mesh->rest[3 * i], mesh->rest[3 * i + 1], time);
    vec3_store(mesh->xyz, i, vec3_make((float)p.x, (float)p.y, (float)p.z));
  }
}

/* --------------------------------------------------------------------------------- scenarios -- */

bitar_scenario bitar_scenario_of(int scenario)
{
  static const bitar_scenario list[BITAR_SCENARIOS] = {
      {{BITAR_PLATE, BITAR_TWISTING_PLATE}, {{0, 0, 0}, {0, 0, 1.35f}}, 0},
      {{BITAR_CABLE, BITAR_PLATE}, {{0, 0, 0.85f}, {0, 0, 0}}, 0},
      {{BITAR_HELMET, BITAR_FOLDING_SHEET}, {{0, 0, 0}, {0, 0, 1.3f}}, 0},
      {{BITAR_HELMET, BITAR_CABLE}, {{0, 0, 0}, {0, 0, 1.95f}}, 0},
      {{BITAR_HELMET, BITAR_PLATE}, {{0, 0, 0}, {0, 0, 1.45f}}, 0},
  };
  bitar_scenario s = list[scenario];
  int a = parts[s.part[0]].frames, b = parts[s.part[1]].frames;
  s.frames = a > b ? a : b;
  return s;
}

bool bitar_scenario_make(int scenario, int detail, scene_mesh out[2])
{
  out[0] = out[1] = (scene_mesh){0};
  if (scenario < 0 || scenario >= BITAR_SCENARIOS) return false;
  bitar_scenario s = bitar_scenario_of(scenario);
  if (bitar_part_make(s.part[0], detail, &out[0]) && bitar_part_make(s.part[1], detail, &out[1])) {
    bitar_scenario_pose(scenario, out, 0);
    return true;
  }
  scene_mesh_free(&out[0]);
  return false;
}

void bitar_scenario_pose(int scenario, scene_mesh meshes[2], int frame)
{
  bitar_scenario s = bitar_scenario_of(scenario);
  for (int b = 0; b < 2; ++b) {
    bitar_part_pose(&meshes[b], s.part[b], frame);
    for (size_t i = 0; i < 3 * meshes[b].vertex_count; ++i) meshes[b].xyz[i] += s.shift[b][i % 3];
  }
}
