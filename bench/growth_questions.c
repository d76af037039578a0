#include "bench/growth_questions.h"
#include "scenes/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROBES = 256, CLUSTERS = 8, BONES = 8 };

static double cpu_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ----------------------------------------------------------------------------------- answers -- */

static void put(growth_answer *out, const void *bytes, size_t size)
{
  if (out->size + size > out->capacity) {
    size_t capacity = 2 * (out->size + size) + 64;
    unsigned char *grown = realloc(out->bytes, capacity);
    if (!grown) {
      out->failed = true;
      return;
    }
    out->bytes = grown;
    out->capacity = capacity;
  }
  if (size) memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
}

static void put_number(growth_answer *out, double number) { put(out, &number, sizeof number); }
static void put_index(growth_answer *out, uint64_t index) { put(out, &index, sizeof index); }

void growth_answer_free(growth_answer *answer)
{
  free(answer->bytes);
  *answer = (growth_answer){0};
}

/* ------------------------------------------------------------------------------------- stage -- */

static pl_mesh_def mesh_of(const growth_mesh *m)
{
  pl_mesh_def def = pl_mesh_def_default();
  def.positions = pl_positions_f64(m->xyz, m->vertex_count);
  def.triangles = m->triangles;
  def.triangle_count = m->triangle_count;
  return def;
}

/* The bodies stand where the step begins, and know where it ends. */
static bool place(pl_context *context, const growth_mesh *m, pl_body **out)
{
  pl_mesh_def mesh = mesh_of(m);
  return pl_body_create_free(context, &mesh, NULL, out) == PL_OK;
}

bool growth_stage_open(growth_stage *stage, pl_context *context, const growth_input *input)
{
  *stage = (growth_stage){.context = context, .input = input};
  return place(context, &input->a, &stage->a) && place(context, &input->b, &stage->b);
}

void growth_stage_close(growth_stage *stage)
{
  pl_body *bodies[] = {stage->a, stage->b, stage->made};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; ++i)
    if (bodies[i]) pl_body_destroy(bodies[i]);
  *stage = (growth_stage){0};
}

static bool make_step(growth_stage *s)
{
  const growth_mesh *a = &s->input->a, *b = &s->input->b;
  return pl_body_keep_pose(s->a) == PL_OK && pl_body_keep_pose(s->b) == PL_OK &&
         pl_body_set_positions(s->a, pl_positions_f64(a->end, a->vertex_count)) == PL_OK &&
         pl_body_set_positions(s->b, pl_positions_f64(b->end, b->vertex_count)) == PL_OK;
}

/* -------------------------------------------------------------------------------- two bodies -- */

static bool take_pairs(const pl_result *pairs, double start, growth_answer *out)
{
  out->ms = cpu_ms() - start;
  out->count = pairs->count;
  out->counters = pairs->counters;
  put(out, pairs->pairs, pairs->count * sizeof *pairs->pairs);
  return !out->failed;
}

static bool touching(growth_stage *s, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.sorted = true;
  double start = cpu_ms();
  def.reference = reference;
  if (pl_touching(pl_two(s->a, s->b), &def, &pairs) != PL_OK) return false;
  return take_pairs(pairs, start, out);
}

/* Those of all touching pairs, whose search is not timed. */
static bool segments(growth_stage *s, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.sorted = true;
  if (pl_touching(pl_two(s->a, s->b), &def, &pairs) != PL_OK) return false;
  pl_segment *found = calloc(pairs->count + 1, sizeof *found);
  pl_question given = pl_question_default();
  const pl_result *cut;
  given.given = pairs;
  double start = cpu_ms();
  bool good = found && (reference || pl_segments(pl_two(s->a, s->b), &given, &cut) == PL_OK);
  out->ms = cpu_ms() - start;
  if (good && !reference && cut->count) memcpy(found, cut->segments, cut->count * sizeof *found);
  for (size_t i = 0; good && reference && i < pairs->count; ++i) {
    double p[2][3][3];
    for (size_t b = 0; b < 2; ++b) {
      const growth_mesh *m = b ? &s->input->b : &s->input->a;
      const uint32_t *corner = m->triangles + 3 * (size_t)(b ? pairs->pairs[i].b : pairs->pairs[i].a);
      for (size_t c = 0; c < 3; ++c) memcpy(p[b][c], m->xyz + 3 * (size_t)corner[c], sizeof p[b][c]);
    }
    pl_triangles_segment((const double(*)[3])p[0], (const double(*)[3])p[1], &found[i]);
  }
  for (size_t i = 0; good && i < pairs->count; ++i) {
    put(out, found[i].from, sizeof found[i].from);
    put(out, found[i].to, sizeof found[i].to);
  }
  out->count = pairs->count;
  free(found);
  return good && !out->failed;
}

/* Depths are found to a tolerance: the regions and their sides are compared. */
static bool penetration(growth_stage *s, bool reference, growth_answer *out)
{
  const pl_result *found = NULL;
  double start = cpu_ms();
  pl_question def = pl_question_default();
  def.reference = reference;
  if (pl_penetrations(pl_two(s->a, s->b), &def, &found) != PL_OK) return false;
  out->ms = cpu_ms() - start;
  out->count = found->count;
  out->counters = found->counters;
  size_t of_a = 0;
  for (size_t i = 0; i < found->count; ++i) of_a += found->penetrations[i].body == s->a;
  put_index(out, found->count);
  put_index(out, of_a);
  return !out->failed;
}

static bool take_near(const pl_result *pairs, double start, growth_answer *out)
{
  out->ms = cpu_ms() - start;
  out->count = pairs->count;
  out->counters = pairs->counters;
  put(out, pairs->near_pairs, pairs->count * sizeof *pairs->near_pairs);
  return !out->failed;
}

static bool near(growth_stage *s, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.sorted = true;
  double start = cpu_ms();
  def.margin = s->input->margin;
  def.reference = reference;
  if (pl_near_triangles(pl_two(s->a, s->b), &def, &pairs) != PL_OK) return false;
  return take_near(pairs, start, out);
}

/* By their indices; normals are in double. */
static bool take_features(const pl_result *pairs, double start, growth_answer *out)
{
  out->ms = cpu_ms() - start;
  out->count = pairs->count;
  out->counters = pairs->counters;
  for (size_t i = 0; i < pairs->count; ++i) {
    const pl_feature_pair *p = &pairs->features[i];
    put(out, p->vertex_a, sizeof p->vertex_a);
    put(out, p->vertex_b, sizeof p->vertex_b);
    put_number(out, p->distance);
  }
  return !out->failed;
}

static bool features(growth_stage *s, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.sorted = true;
  double start = cpu_ms();
  def.margin = s->input->margin;
  def.reference = reference;
  if (pl_near(pl_two(s->a, s->b), &def, &pairs) != PL_OK) return false;
  return take_features(pairs, start, out);
}

static bool take_distance(const least_row *d, double start, growth_answer *out)
{
  out->ms = cpu_ms() - start;
  out->counters = d->counters;
  put_number(out, d->distance);
  put_index(out, (uint64_t)d->triangle_a << 32 | d->triangle_b);
  return !out->failed;
}

static bool distance(growth_stage *s, bool reference, growth_answer *out)
{
  least_row d;
  double start = cpu_ms();
  pl_status status = reference ? refer_least(pl_two(s->a, s->b), NULL, &d) : ask_least(pl_two(s->a, s->b), NULL, &d);
  return status == PL_OK && take_distance(&d, start, out);
}

/* The time of the first contact: which of several at that time is reported first may depend on
 * the tree. */
static bool ask_contact(growth_stage *s, bool own, double margin, bool reference, growth_answer *out)
{
  const pl_result *found = NULL;
  pl_question def = pl_question_default();
  def.margin = margin;
  def.reference = reference;
  if (!make_step(s)) return false;
  pl_body *b = own ? s->a : s->b;
  double start = cpu_ms();
  if (pl_impacts(pl_two(s->a, b), &def, &found) != PL_OK) return false;
  out->ms = cpu_ms() - start;
  out->count = found->count;
  out->counters = found->counters;
  put_number(out, found->time);
  return !out->failed;
}

static bool contact(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_contact(s, false, 0, reference, out);
}

static bool apart(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_contact(s, false, s->input->margin, reference, out);
}

static bool self_contact(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_contact(s, true, 0, reference, out);
}

static bool self_apart(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_contact(s, true, s->input->margin, reference, out);
}

static bool ask_candidates(growth_stage *s, bool own, bool reference, growth_answer *out)
{
  const pl_result *found = NULL;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.reference = reference;
  if (!make_step(s)) return false;
  pl_body *b = own ? s->a : s->b;
  double start = cpu_ms();
  if (pl_candidates(pl_two(s->a, b), &def, &found) != PL_OK) return false;
  out->ms = cpu_ms() - start;
  out->count = found->count;
  out->counters = found->counters;
  put(out, found->candidates, found->count * sizeof *found->candidates);
  /* and how they are divided */
  put(out, &found->lists->vertex_face, 4 * sizeof found->lists->vertex_face);
  return !out->failed;
}

static bool candidates(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_candidates(s, false, reference, out);
}

static bool self_candidates(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_candidates(s, true, reference, out);
}

/* ---------------------------------------------------------------------------------- one body -- */

static bool ask_self(pl_body *body, pl_self_method method, bool with_neighbours, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.self_method = method;
  def.rings = (with_neighbours) ? 0 : 1;
  def.sorted = true;
  double start = cpu_ms();
  def.reference = reference;
  if (pl_touching(pl_self(body), &def, &pairs) != PL_OK) return false;
  return take_pairs(pairs, start, out);
}

static bool self(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self(s->a, PL_SELF_METHOD_AUTO, false, reference, out);
}

static bool boxes(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self(s->a, PL_SELF_METHOD_BOXES, false, reference, out);
}

static bool hash(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self(s->a, PL_SELF_METHOD_HASH, false, reference, out);
}

static bool neighbours(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self(s->a, PL_SELF_METHOD_AUTO, true, reference, out);
}

static bool ask_self_near(growth_stage *s, uint32_t rings, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.rings = rings;
  def.sorted = true;
  double start = cpu_ms();
  def.margin = s->input->margin;
  def.reference = reference;
  if (pl_near_triangles(pl_self(s->a), &def, &pairs) != PL_OK) return false;
  return take_near(pairs, start, out);
}

static bool self_near(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self_near(s, 1, reference, out);
}

static bool self_near_3(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self_near(s, 3, reference, out);
}

static bool self_features(growth_stage *s, bool reference, growth_answer *out)
{
  const pl_result *pairs = NULL;
  pl_question def = pl_question_default();
  def.sorted = true;
  double start = cpu_ms();
  def.margin = s->input->margin;
  def.reference = reference;
  if (pl_near(pl_self(s->a), &def, &pairs) != PL_OK) return false;
  return take_features(pairs, start, out);
}

static bool ask_self_distance(growth_stage *s, uint32_t rings, bool reference, growth_answer *out)
{
  least_row d;
  pl_question def = pl_question_default();
  def.rings = rings;
  double start = cpu_ms();
  pl_status status = reference ? refer_least(pl_self(s->a), &def, &d) : ask_least(pl_self(s->a), &def, &d);
  return status == PL_OK && take_distance(&d, start, out);
}

static bool self_distance(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self_distance(s, 1, reference, out);
}

static bool self_distance_all(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_self_distance(s, UINT32_MAX, reference, out);
}

/* ------------------------------------------------------------------------------ rays, points -- */

/* Places around vertices of a body, the same for every size up to where its vertices are. */
static void probe_places(const growth_mesh *m, double margin, double (*out)[3])
{
  for (size_t i = 0; i < PROBES; ++i) {
    const double *v = m->xyz + 3 * (i * 7919 % m->vertex_count);
    for (size_t k = 0; k < 3; ++k) out[i][k] = v[k] + 10 * margin * sin((double)(3 * i + k));
  }
}

static bool rays(growth_stage *s, bool reference, growth_answer *out)
{
  pl_ray list[PROBES];
  double at[PROBES][3];
  const pl_result *hits = NULL;
  pl_question def = pl_question_default();
  def.reference = reference;
  probe_places(&s->input->a, s->input->margin, at);
  for (size_t i = 0; i < PROBES; ++i) {
    const double along[3] = {sin((double)i), cos(2 * (double)i), 0.5 + sin(5 * (double)i)};
    list[i] = pl_ray_from(at[i], along);
  }
  double start = cpu_ms();
  if (pl_cast(pl_one(s->a), list, PROBES, &def, &hits) != PL_OK) return false;
  out->ms = cpu_ms() - start;
  out->counters = hits->counters;
  for (size_t i = 0; i < PROBES; ++i) {
    put_number(out, hits->hits[i].t);
    put_index(out, hits->hits[i].triangle);
  }
  return !out->failed;
}

typedef pl_status point_function(pl_who, pl_positions, const pl_question *, const pl_result **);

static bool ask_points(growth_stage *s, point_function *run, bool sides, bool reference, growth_answer *out)
{
  double at[PROBES][3];
  const pl_result *found = NULL;
  pl_question def = pl_question_default();
  def.reference = reference;
  probe_places(&s->input->a, s->input->margin, at);
  double start = cpu_ms();
  if (run(pl_one(s->a), pl_positions_f64(at[0], PROBES), &def, &found) != PL_OK) return false;
  out->ms = cpu_ms() - start;
  out->counters = found->counters;
  for (size_t i = 0; i < PROBES; ++i) {
    put_index(out, sides ? (uint64_t)found->points[i].side : found->points[i].triangle);
    put_number(out, sides ? 0 : found->points[i].distance);
  }
  return !out->failed;
}

static bool closest(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_points(s, pl_closest, false, reference, out);
}

static bool inside(growth_stage *s, bool reference, growth_answer *out)
{
  return ask_points(s, pl_inside, true, reference, out);
}

/* Small boxes around some of the vertices. */
static bool overlap(growth_stage *s, bool reference, growth_answer *out)
{
  double at[PROBES][3];
  pl_question def = pl_question_default();
  def.sorted = true;
  def.reference = reference;
  probe_places(&s->input->a, s->input->margin, at);
  for (size_t i = 0; i < PROBES / 8; ++i) {
    double lower[3], upper[3];
    for (int k = 0; k < 3; ++k) {
      lower[k] = at[i][k] - s->input->margin;
      upper[k] = at[i][k] + s->input->margin;
    }
    const pl_zone box = pl_zone_box(lower, upper);
    const pl_result *found = NULL;
    double start = cpu_ms();
    if (pl_overlap(pl_one(s->a), &box, &def, &found) != PL_OK) return false;
    out->ms += cpu_ms() - start;
    out->count += found->count;
    out->counters.n_v += found->counters.n_v;
    out->counters.n_p += found->counters.n_p;
    out->counters.n_u += found->counters.n_u;
    put(out, found->triangles, found->count * sizeof *found->triangles);
  }
  return !out->failed;
}

/* ---------------------------------------------------------------------------------- creation -- */

/* A created body is checked by its own contacts; the time is that of its creation. */
static bool take_body(growth_stage *s, pl_status status, double start, bool reference, growth_answer *out)
{
  double ms = cpu_ms() - start;
  if (status != PL_OK) return false;
  const size_t few = 1000; /* triangles: others are created, not asked */
  bool good = pl_body_triangle_count(s->made) > few || ask_self(s->made, PL_SELF_METHOD_AUTO, false, reference, out);
  out->ms = ms;
  out->count = 0;
  out->counters = (pl_counters){0};
  return good;
}

static bool create_free(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  double start = cpu_ms();
  return take_body(s, pl_body_create_free(s->context, &mesh, NULL, &s->made), start, reference, out);
}

static bool create_rigid(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  double start = cpu_ms();
  return take_body(s, pl_body_create_rigid(s->context, &mesh, NULL, &s->made), start, reference, out);
}

static bool create_morph(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  const growth_mesh *m = &s->input->a;
  const pl_positions shapes[2] = {mesh.positions, pl_positions_f64(m->end, m->vertex_count)};
  pl_morph_def def = pl_morph_def_default();
  def.references = shapes;
  def.reference_count = 2;
  double start = cpu_ms();
  return take_body(s, pl_body_create_morph(s->context, &mesh, &def, NULL, &s->made), start, reference, out);
}

/* Weights by two governors per vertex. */
static bool make_weights(const growth_mesh *m, uint32_t **governors, float **values, pl_weights *out)
{
  *governors = malloc(2 * m->vertex_count * sizeof **governors);
  *values = malloc(2 * m->vertex_count * sizeof **values);
  for (size_t v = 0; *governors && *values && v < m->vertex_count; ++v) {
    (*governors)[2 * v] = (uint32_t)(v * BONES / m->vertex_count);
    (*governors)[2 * v + 1] = ((*governors)[2 * v] + 1) % BONES;
    (*values)[2 * v] = 0.75f;
    (*values)[2 * v + 1] = 0.25f;
  }
  *out = (pl_weights){
      .vertex_count = m->vertex_count, .per_vertex = 2, .governors = *governors, .values = *values, .type = PL_F32};
  return *governors && *values;
}

static bool create_skin(growth_stage *s, bool reference, growth_answer *out)
{
  uint32_t *governors;
  float *values;
  pl_mesh_def mesh = mesh_of(&s->input->a);
  pl_skin_def def = pl_skin_def_default();
  def.bone_count = BONES;
  bool good = make_weights(&s->input->a, &governors, &values, &def.weights);
  double start = cpu_ms();
  good = good && take_body(s, pl_body_create_skin(s->context, &mesh, &def, NULL, &s->made), start, reference, out);
  free(governors);
  free(values);
  return good;
}

static bool create_embed(growth_stage *s, bool reference, growth_answer *out)
{
  uint32_t *governors;
  float *values;
  double controls[BONES][3];
  for (int i = 0; i < BONES; ++i)
    for (int k = 0; k < 3; ++k) controls[i][k] = i >> k & 1;
  pl_mesh_def mesh = mesh_of(&s->input->a);
  pl_embed_def def = pl_embed_def_default();
  def.controls = pl_positions_f64(controls[0], BONES);
  bool good = make_weights(&s->input->a, &governors, &values, &def.weights);
  double start = cpu_ms();
  good = good && take_body(s, pl_body_create_embed(s->context, &mesh, &def, NULL, &s->made), start, reference, out);
  free(governors);
  free(values);
  return good;
}

/* Two levels: 16 times the triangles. */
static bool create_subdivide(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  double start = cpu_ms();
  return take_body(s, pl_body_create_subdivide(s->context, &mesh, NULL, NULL, &s->made), start, reference, out);
}

static bool create_points(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  pl_particles_def def = pl_particles_def_default();
  def.particles = mesh.positions;
  double start = cpu_ms();
  return take_body(s, pl_body_create_points(s->context, &mesh, &def, NULL, &s->made), start, reference, out);
}

static bool create_match(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  pl_match_def def = pl_match_def_default();
  def.cluster_count = CLUSTERS;
  double start = cpu_ms();
  return take_body(s, pl_body_create_match(s->context, &mesh, &def, NULL, &s->made), start, reference, out);
}

static bool create_flight(growth_stage *s, bool reference, growth_answer *out)
{
  static const double times[2] = {0, 1};
  const growth_mesh *m = &s->input->a;
  pl_mesh_def mesh = mesh_of(m);
  const pl_positions poses[2] = {mesh.positions, pl_positions_f64(m->end, m->vertex_count)};
  pl_flight_def def = pl_flight_def_default();
  def.times = times;
  def.key_count = def.pose_count = 2;
  def.poses = poses;
  double start = cpu_ms();
  return take_body(s, pl_body_create_flight(s->context, &mesh, &def, NULL, &s->made), start, reference, out);
}

static bool create_soup(growth_stage *s, bool reference, growth_answer *out)
{
  pl_mesh_def mesh = mesh_of(&s->input->a);
  double start = cpu_ms();
  return take_body(s, pl_body_create_soup(s->context, &mesh, NULL, NULL, &s->made), start, reference, out);
}

const growth_question growth_questions[GROWTH_QUESTIONS] = {
#define GROWTH_QUESTION_ROW(name, function, what) {what, function},
    GROWTH_QUESTION_LIST(GROWTH_QUESTION_ROW)
#undef GROWTH_QUESTION_ROW
};
