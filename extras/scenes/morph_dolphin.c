/* A dolphin: a control mesh of 564 triangles in three poses, refined as often as asked and put
 * on its limit surface. 24 rings of 8 vertices between the tips of beak and tail; the fins are
 * drawn out of the body: the two quads of one segment between three rings are moved outward in
 * three layers. Triangles: 16 * 24 + 5 fins * 3 layers * 12. Model space: nose towards +x, back
 * towards +z, left side towards +y; about two and a half units long. */
#include "scenes/morph_parts.h"

enum { RINGS = 24, SEGMENTS = 8, FINS = 5, LAYERS = 3, LOOP = 6, FIN_VERTICES = LAYERS * LOOP };
enum { NOSE = RINGS * SEGMENTS, TAIL, FIRST_FIN, VERTICES = FIRST_FIN + FINS * FIN_VERTICES };

/* Behind the nose, half width, half height, height of the centre. */
typedef struct ring {
  double behind, width, height, centre;
} ring;

static const ring BODY[RINGS] = {
    {0.02, 0.036, 0.026, -0.045}, {0.14, 0.052, 0.042, -0.042}, {0.25, 0.066, 0.062, -0.034},
    {0.31, 0.132, 0.138, 0.012},  {0.42, 0.178, 0.188, 0.018},  {0.55, 0.208, 0.222, 0.012},
    {0.66, 0.224, 0.240, 0.006},  {0.76, 0.232, 0.250, 0.002},  {0.86, 0.236, 0.256, 0.000},
    {0.96, 0.236, 0.258, 0.000},  {1.05, 0.232, 0.256, 0.002},  {1.14, 0.226, 0.250, 0.004},
    {1.25, 0.214, 0.240, 0.006},  {1.36, 0.198, 0.226, 0.008},  {1.48, 0.176, 0.206, 0.010},
    {1.60, 0.150, 0.182, 0.012},  {1.73, 0.120, 0.154, 0.012},  {1.86, 0.092, 0.124, 0.010},
    {1.98, 0.068, 0.096, 0.008},  {2.10, 0.052, 0.070, 0.004},  {2.20, 0.046, 0.050, 0.002},
    {2.28, 0.046, 0.038, 0.000},  {2.36, 0.042, 0.030, 0.000},  {2.41, 0.026, 0.022, 0.000},
};
static const double NOSE_BEHIND = 0.0, TAIL_BEHIND = 2.42, MIDDLE = 1.15; /* MIDDLE is the origin */

/* A layer of a fin: where its edges run, how far from the body's axis, how thick. */
typedef struct layer {
  double leading, trailing, out, thick;
} layer;
typedef struct fin {
  int ring, segment; /* grows from rings [ring, ring + 2] */
  double angle;      /* of its direction about the body: 0 left, pi/2 up */
  layer layers[LAYERS];
} fin;

#define DORSAL                                                                                                         \
  {                                                                                                                    \
    {1.13, 1.42, 0.290, 0.040}, {1.26, 1.47, 0.400, 0.024}, { 1.45, 1.53, 0.520, 0.012 }                               \
  }
#define FLIPPER                                                                                                        \
  {                                                                                                                    \
    {0.66, 0.88, 0.300, 0.040}, {0.77, 0.97, 0.430, 0.026}, { 0.98, 1.06, 0.580, 0.012 }                               \
  }
#define FLUKE                                                                                                          \
  {                                                                                                                    \
    {2.18, 2.41, 0.130, 0.032}, {2.27, 2.47, 0.270, 0.022}, { 2.47, 2.55, 0.450, 0.010 }                               \
  }

static const fin FIN[FINS] = {
    {11, 1, 1.5707963267948966, DORSAL},         {6, 6, -0.65, FLIPPER},
    {6, 4, 3.14159265358979324 + 0.65, FLIPPER}, {20, 7, 0, FLUKE},
    {20, 3, 3.14159265358979324, FLUKE},
};

/* A point of the straight body: how far behind the nose, to the left, up. */
typedef struct place {
  double behind, left, up;
} place;

/* How the body is bent at its end; tail up, straight, tail down, with a little to the side. */
typedef struct bend {
  double pitch, yaw;
} bend;
static const bend BENDS[MORPH_REFERENCES] = {{0.65, 0.16}, {0, 0}, {-0.65, -0.16}};

/* ------------------------------------------------------------------------------ connectivity -- */

static uint32_t body_vertex(int r, int segment) { return (uint32_t)(r * SEGMENTS + segment % SEGMENTS); }

static bool fin_grows_from(int r, int segment)
{
  for (int f = 0; f < FINS; ++f)
    if (FIN[f].segment == segment && (FIN[f].ring == r || FIN[f].ring + 1 == r)) return true;
  return false;
}

static uint32_t *put_triangle(uint32_t *out, uint32_t a, uint32_t b, uint32_t c)
{
  out[0] = a, out[1] = b, out[2] = c;
  return out + 3;
}
static uint32_t *put_quad(uint32_t *out, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  return put_triangle(put_triangle(out, a, b, c), a, c, d);
}

/* Around a fin, anticlockwise seen from outside: three vertices down one side, three up the
 * other. Layer 0 is the body's own vertices. */
static uint32_t fin_vertex(int f, int depth, int i)
{
  i %= LOOP;
  if (depth) return (uint32_t)(FIRST_FIN + f * FIN_VERTICES + (depth - 1) * LOOP + i);
  return body_vertex(FIN[f].ring + (i < 3 ? i : 5 - i), FIN[f].segment + (i >= 3));
}

static uint32_t *connect_fin(int f, uint32_t *out)
{
  uint32_t tip[LOOP];
  for (int depth = 0; depth < LAYERS; ++depth)
    for (int i = 0; i < LOOP; ++i)
      out = put_quad(out, fin_vertex(f, depth, i), fin_vertex(f, depth, i + 1), fin_vertex(f, depth + 1, i + 1),
                     fin_vertex(f, depth + 1, i));
  for (int i = 0; i < LOOP; ++i) tip[i] = fin_vertex(f, LAYERS, i);
  out = put_quad(out, tip[0], tip[1], tip[4], tip[5]);
  return put_quad(out, tip[1], tip[2], tip[3], tip[4]);
}

static void connect_all(uint32_t *out)
{
  for (int s = 0; s < SEGMENTS; ++s) {
    out = put_triangle(out, NOSE, body_vertex(0, s), body_vertex(0, s + 1));
    out = put_triangle(out, TAIL, body_vertex(RINGS - 1, s + 1), body_vertex(RINGS - 1, s));
    for (int r = 0; r + 1 < RINGS; ++r)
      if (!fin_grows_from(r, s))
        out = put_quad(out, body_vertex(r, s), body_vertex(r + 1, s), body_vertex(r + 1, s + 1), body_vertex(r, s + 1));
  }
  for (int f = 0; f < FINS; ++f) out = connect_fin(f, out);
}

/* ------------------------------------------------------------------------------------- shape -- */

static place body_place(uint32_t v)
{
  if (v == NOSE) return (place){NOSE_BEHIND, 0, BODY[0].centre};
  if (v == TAIL) return (place){TAIL_BEHIND, 0, 0};
  const ring *r = &BODY[v / SEGMENTS];
  double a = (v % SEGMENTS + 0.5) * 0.78539816339744831;
  return (place){r->behind, r->width * morph_cos(a), r->centre + r->height * morph_sin(a)};
}

/* Thickest in front of the middle, thin at the trailing edge. */
static place fin_place(int f, int depth, int i)
{
  static const double CHORD[3] = {0, 0.4, 1}, THICK[3] = {0.5, 1, 0.3};
  const layer *l = &FIN[f].layers[depth];
  int along = i < 3 ? i : 5 - i;
  double aside = (i < 3 ? -1 : 1) * l->thick * THICK[along], c = morph_cos(FIN[f].angle), s = morph_sin(FIN[f].angle);
  return (place){l->leading + (l->trailing - l->leading) * CHORD[along], l->out * c - aside * s,
                 l->out * s + aside * c};
}

/* Rotation of the body's cross-section so far behind the nose: the tail bends, and the head nods
 * along a little. */
static void bend_at(bend b, double behind, double rotation[9])
{
  const double start = 0.95;
  double far = behind > start ? (behind - start) / (TAIL_BEHIND - start) : 0.4 * (start - behind) / start;
  double amount = behind > start ? far * far : -far * far;
  morph_rotation(b.yaw * amount, b.pitch * amount, 0, rotation);
}

/* The axis is followed from the middle in short straight pieces. */
static void bend_place(bend b, place p, double out[3])
{
  enum { PIECES = 48 };
  double piece = (p.behind - MIDDLE) / PIECES, m[9];
  out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < PIECES; ++i) {
    bend_at(b, MIDDLE + (i + 0.5) * piece, m);
    for (int k = 0; k < 3; ++k) out[k] -= m[3 * k] * piece;
  }
  bend_at(b, p.behind, m);
  for (int k = 0; k < 3; ++k) out[k] += m[3 * k + 1] * p.left + m[3 * k + 2] * p.up;
}

static void shape(double *xyz)
{
  for (uint32_t v = 0; v < VERTICES; ++v) {
    int f = v < FIRST_FIN ? 0 : (int)(v - FIRST_FIN), in_fin = f % FIN_VERTICES;
    place p = v < FIRST_FIN ? body_place(v) : fin_place(f / FIN_VERTICES, in_fin / LOOP, in_fin % LOOP);
    for (int r = 0; r < MORPH_REFERENCES; ++r) bend_place(BENDS[r], p, xyz + LOOP_VALUES * v + 3 * r);
  }
}

static bool take_over(const loop_mesh *from, morph_mesh *out)
{
  if (!morph_mesh_alloc(out, from->vertex_count, from->triangle_count)) return false;
  for (size_t v = 0; v < from->vertex_count; ++v)
    for (size_t k = 0; k < LOOP_VALUES; ++k)
      out->references[k / 3][3 * v + k % 3] = (float)from->xyz[LOOP_VALUES * v + k];
  for (size_t i = 0; i < 3 * from->triangle_count; ++i) out->triangles[i] = from->triangles[i];
  return true;
}

bool morph_dolphin(int level, morph_mesh *out)
{
  loop_mesh mesh = {0};
  *out = (morph_mesh){0};
  if (level < 0 || level >= MORPH_DOLPHIN_LEVELS) return false;
  bool ok = loop_mesh_alloc(&mesh, VERTICES, MORPH_DOLPHIN_TRIANGLES);
  if (ok) {
    connect_all(mesh.triangles);
    shape(mesh.xyz);
  }
  for (int i = 0; ok && i < level; ++i) ok = loop_mesh_refine(&mesh);
  ok = ok && loop_mesh_limit(&mesh) && take_over(&mesh, out);
  loop_mesh_free(&mesh);
  return ok;
}
