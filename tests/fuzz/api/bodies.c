/* Bodies of every kind: all motions and settings, and where their vertices are. */
#include "world.h"

/* ---------------------------------------------------------------------------------- choosing -- */

int number_of(const world *w, const fuzz_body *b) { return (int)(b - w->bodies); }

fuzz_body *body_of(world *w)
{
  int first = pick(w, SLOTS);
  for (int i = 0; i < SLOTS; ++i) {
    fuzz_body *b = &w->bodies[(first + i) % SLOTS];
    if (b->body) return b;
  }
  return NULL;
}

bool two_bodies(world *w, fuzz_body **a, fuzz_body **b)
{
  *a = body_of(w);
  if (!*a) return false;
  int first = number_of(w, *a) + 1 + pick(w, SLOTS - 1);
  for (int i = 0; i < SLOTS; ++i) {
    *b = &w->bodies[(first + i) % SLOTS];
    if (*b != *a && (*b)->body) return true;
  }
  return false;
}

void body_forget(world *w, fuzz_body *b)
{
  for (int s = 0; s < SCENES; ++s)
    for (int i = 0; i < w->scenes[s].count; ++i)
      if (w->scenes[s].members[i].slot == number_of(w, b)) {
        memmove(&w->scenes[s].members[i], &w->scenes[s].members[i + 1],
                (size_t)(w->scenes[s].count - i - 1) * sizeof(fuzz_member));
        --w->scenes[s].count;
      }
  pl_body_destroy(b->twin);
  free(b->triangles);
  free(b->base);
  free(b->model);
  free(b->held);
  free(b->at);
  free(b->bone);
  free(b->weight);
  for (int i = 0; i < MOST_REFERENCES; ++i) free(b->reference[i]);
  memset(b, 0, sizeof *b);
}

/* --------------------------------------------------------------------------------- positions -- */

static double as_type(double x, pl_scalar type)
{
  if (type == PL_F64 || !isfinite(x)) return x;
  return fabs(x) > (double)FLT_MAX ? copysign((double)FLT_MAX, x) : (double)(float)x;
}

/* The base shape somewhere near, deformed in one of several ways. */
void pose(world *w, const fuzz_body *b, double *xyz)
{
  int way = pick(w, 6);
  seed_of(w);
  double shift[3], scale[3] = {1, 1, 1};
  for (int k = 0; k < 3; ++k) shift[k] = way ? ordinary(w) : 0;
  if (way == 2) scale[below(w, 3)] = 0; /* flat */
  if (way == 3) scale[0] = scale[1] = scale[2] = 0.125 * below(w, 16) - 1;
  for (size_t i = 0; i < 3 * b->vertex_count; ++i) {
    double x = b->base[i] * scale[i % 3] + shift[i % 3];
    if (way == 4) x += uniform(w, -0.3, 0.3);
    if (way == 5 && below(w, 4) == 0) x = ordinary(w);
    xyz[i] = as_type(sized(w, x), b->type);
  }
}

/* A copy with a stride of its own and nothing readable behind the last number. */
void *positions_make(world *w, const double *xyz, size_t count, pl_scalar type, pl_positions *out)
{
  size_t scalar = type == PL_F32 ? sizeof(float) : sizeof(double);
  size_t stride = scalar * (size_t)(chance(w, 3) ? 3 + pick(w, 4) : 3);
  char *data = fuzz_array(count ? (count - 1) * stride + 3 * scalar : 0, 1);
  for (size_t v = 0; v < count; ++v)
    for (size_t k = 0; k < 3; ++k) {
      float x = (float)xyz[3 * v + k];
      if (type == PL_F32)
        memcpy(data + v * stride + k * scalar, &x, scalar);
      else
        memcpy(data + v * stride + k * scalar, &xyz[3 * v + k], scalar);
    }
  *out = pl_positions_strided(type, data, count, stride);
  return data;
}

/* As motions.h defines it. */
static void skin_vertex(const fuzz_body *b, size_t v, double out[3])
{
  const double *p = b->model + 3 * v;
  for (size_t e = v * MOST_WEIGHTS; e < (v + 1) * MOST_WEIGHTS; ++e) {
    const pl_transform *t = &b->bones[b->bone[e]];
    for (int i = 0; i < 3 && b->weight[e] != 0; ++i)
      out[i] += b->weight[e] * (t->m[i][0] * p[0] + t->m[i][1] * p[1] + t->m[i][2] * p[2] + t->t[i]);
  }
}

void body_evaluate(world *w, fuzz_body *b)
{
  b->twin_stale = true;
  if (is_controlled(b->motion)) {
    read_positions(w, b);
    return;
  }
  const pl_transform *t = b->transformed ? &b->transform : NULL;
  for (size_t v = 0; v < b->vertex_count; ++v) {
    double q[3] = {0, 0, 0};
    if (b->motion != PL_MOTION_MORPH && b->motion != PL_MOTION_SKIN) memcpy(q, b->model + 3 * v, sizeof q);
    if (b->motion == PL_MOTION_SKIN) skin_vertex(b, v, q);
    for (int i = 0; i < b->reference_count; ++i)
      for (size_t k = 0; k < 3 && b->coefficient[i] != 0; ++k) q[k] += b->coefficient[i] * b->reference[i][3 * v + k];
    for (size_t k = 0; k < 3; ++k)
      b->at[3 * v + k] = t ? t->m[k][0] * q[0] + t->m[k][1] * q[1] + t->m[k][2] * q[2] + t->t[k] : q[k];
  }
}

pl_body *twin_of(world *w, fuzz_body *b)
{
  if (b->twin_stale)
    require(w, pl_body_set_positions(b->twin, pl_positions_f64(b->at, b->vertex_count)) == PL_OK,
            "body %d has world positions that are not finite: %s", number_of(w, b), pl_context_message(w->oracle));
  b->twin_stale = false;
  return b->twin;
}

bool used_within(const fuzz_body *b, const float lower[3], const float upper[3])
{
  for (size_t i = 0; i < 9 * b->triangle_count; ++i) {
    double x = b->at[3 * b->triangles[i / 3] + i % 3];
    if (!((double)lower[i % 3] <= x && x <= (double)upper[i % 3])) return false;
  }
  return true;
}

/* ---------------------------------------------------------------------------------- creating -- */

static const char *bool_text(bool x) { return x ? "true" : "false"; }

static pl_body_def settings(world *w, pl_motion motion)
{
  pl_body_def d = pl_body_def_default();
  d.builder = (pl_builder)pick(w, PL_BUILDER_COUNT);
  d.cut = (pl_cut)pick(w, PL_CUT_COUNT);
  d.arity = 2 << pick(w, 3);
  d.leaf_size = 1 + pick(w, 8);
  d.volume = (pl_volume)pick(w, PL_VOLUME_COUNT);
  d.strategy = motion == PL_MOTION_MORPH ? PL_STRATEGY_BLEND : (pl_strategy)pick(w, PL_STRATEGY_BLEND);
  if (motion == PL_MOTION_SKIN && chance(w, 2)) d.strategy = PL_STRATEGY_GOVERNED;
  if (is_controlled(motion) && chance(w, 2)) d.strategy = PL_STRATEGY_AUTO;
  if (motion == PL_MOTION_FLIGHT && chance(w, 2)) d.strategy = chance(w, 2) ? PL_STRATEGY_KINETIC : PL_STRATEGY_BOXTREE;
  d.eager_levels = pick(w, 6) - 1;
  d.lazy_levels = 1 + pick(w, 4);
  d.inflate.criterion = (pl_criterion)pick(w, PL_CRITERION_COUNT);
  d.inflate.growth = (pl_growth)pick(w, PL_GROWTH_COUNT);
  d.inflate.p_max = 0.25 * pick(w, 8);
  d.inflate.gamma = 0.1 * pick(w, 8);
  d.borrow = (motion == PL_MOTION_FREE || motion == PL_MOTION_RIGID) && chance(w, 4);
  trace(w,
        "  pl_body_def d = pl_body_def_default();\n"
        "  d.builder = %d; d.cut = %d; d.arity = %d; d.leaf_size = %d; d.volume = %d; /* %s */\n"
        "  d.strategy = %d; /* %s */ d.eager_levels = %d; d.lazy_levels = %d; d.inflate.criterion = %d;\n"
        "  d.inflate.growth = %d; d.inflate.p_max = %g; d.inflate.gamma = %g; d.borrow = %s;\n",
        (int)d.builder, (int)d.cut, d.arity, d.leaf_size, (int)d.volume, pl_word(PL_WORDS_VOLUME, d.volume),
        (int)d.strategy, pl_word(PL_WORDS_STRATEGY, d.strategy), d.eager_levels, d.lazy_levels,
        (int)d.inflate.criterion, (int)d.inflate.growth, d.inflate.p_max, d.inflate.gamma, bool_text(d.borrow));
  return d;
}

/* Sets what must be refused wrong; returns false for a definition that is left right. */
static bool spoil(world *w, fuzz_body *b, pl_body_def *d, pl_mesh_def *mesh, double *xyz)
{
  if (!chance(w, 12)) return false;
  switch (pick(w, 6)) {
  case 0:
    d->arity = 3;
    break;
  case 1:
    d->leaf_size = 9;
    break;
  case 2:
    d->lazy_levels = 0;
    break;
  case 3:
    mesh->triangle_count = 0;
    break;
  case 4:
    b->triangles[(size_t)pick(w, 256) % (3 * b->triangle_count)] = (uint32_t)b->vertex_count;
    break;
  default:
    xyz[(size_t)pick(w, 256) % (3 * b->vertex_count)] = bad_number(w);
    break;
  }
  return true;
}

static pl_status create_stored(world *w, fuzz_body *b, pl_mesh_def *mesh, pl_body_def *d, bool *wrong)
{
  b->model = fuzz_array(3 * b->vertex_count, sizeof(double));
  pose(w, b, b->model);
  *wrong = spoil(w, b, d, mesh, b->model);
  b->held = positions_make(w, b->model, b->vertex_count, b->type, &mesh->positions);
  b->stride = mesh->positions.stride;
  trace_positions(w, "p", mesh->positions);
  trace_indices(w, "triangles", b->triangles, 3 * b->triangle_count);
  trace(w,
        "  pl_mesh_def mesh = pl_mesh_def_default(); mesh.positions = p; mesh.triangles = triangles;\n"
        "  mesh.triangle_count = %zu;\n",
        mesh->triangle_count);
  if (b->soup) {
    pl_soup_def soup = pl_soup_def_default();
    pl_positions keys[MOST_REFERENCES];
    void *data[MOST_REFERENCES];
    double *xyz = fuzz_array(3 * b->vertex_count, sizeof(double));
    soup.method = (pl_soup_method)pick(w, PL_SOUP_COUNT);
    b->key_poses = soup.key_pose_count = pick(w, MOST_REFERENCES);
    for (int i = 0; i < soup.key_pose_count; ++i) {
      pose(w, b, xyz);
      data[i] = positions_make(w, xyz, b->vertex_count, b->type, &keys[i]);
      char name[] = {'k', (char)('0' + i), 0};
      trace_positions(w, name, keys[i]);
    }
    soup.key_poses = keys;
    trace(w,
          "  pl_positions keys[4]%s%s%s%s;\n  pl_soup_def soup = pl_soup_def_default(); soup.method = %d;"
          " soup.key_poses = keys; soup.key_pose_count = %d;\n  pl_body_create_soup(context, &mesh, &soup, &d, "
          "&body[%d]);\n",
          soup.key_pose_count ? " = {k0" : "", soup.key_pose_count > 1 ? ", k1" : "",
          soup.key_pose_count > 2 ? ", k2" : "", soup.key_pose_count ? "}" : "", (int)soup.method, soup.key_pose_count,
          number_of(w, b));
    if (soup.method == PL_SOUP_GRID && d->strategy == PL_STRATEGY_BERGEN) *wrong = true;
    pl_status status = CALL(w, pl_body_create_soup(w->context, mesh, &soup, d, &b->body));
    for (int i = 0; i < soup.key_pose_count; ++i) free(data[i]);
    if (!b->key_poses) b->key_poses = 1;
    free(xyz);
    return status;
  }
  trace(w, "  pl_body_create_%s(context, &mesh, &d, &body[%d]);\n", pl_word(PL_WORDS_MOTION, b->motion),
        number_of(w, b));
  if (b->motion == PL_MOTION_RIGID) return CALL(w, pl_body_create_rigid(w->context, mesh, d, &b->body));
  return CALL(w, pl_body_create_free(w->context, mesh, d, &b->body));
}

static pl_status create_morph(world *w, fuzz_body *b, pl_mesh_def *mesh, pl_body_def *d, bool *wrong)
{
  static const double parameters[] = {0.25, 0.5, 0.875};
  pl_positions references[MOST_REFERENCES];
  void *data[MOST_REFERENCES];
  pl_morph_def m = pl_morph_def_default();
  b->kind = m.kind = (pl_morph_kind)pick(w, PL_MORPH_COUNT);
  b->reference_count = m.reference_count = 1 + pick(w, MOST_REFERENCES);
  m.references = references;
  m.build_reference = pick(w, m.reference_count + 1) - 1;
  m.inbetweens = pick(w, 4);
  if (chance(w, 2)) m.inbetween_parameters = parameters;
  if (m.kind == PL_MORPH_ADDITIVE && chance(w, 3)) {
    m.weight_low = -1;
    m.weight_high = 2;
  }
  b->weight_low = m.weight_low;
  b->weight_high = m.weight_high;
  for (int i = 0; i < m.reference_count; ++i) {
    b->reference[i] = fuzz_array(3 * b->vertex_count, sizeof(double));
    pose(w, b, b->reference[i]);
  }
  *wrong = spoil(w, b, d, mesh, b->reference[m.reference_count - 1]);
  for (int i = 0; i < m.reference_count; ++i) {
    data[i] = positions_make(w, b->reference[i], b->vertex_count, b->type, &references[i]);
    char name[] = {'r', (char)('0' + i), 0};
    trace_positions(w, name, references[i]);
  }
  mesh->positions = (pl_positions){.type = PL_F32};
  trace_indices(w, "triangles", b->triangles, 3 * b->triangle_count);
  if (m.inbetween_parameters) trace_doubles(w, "parameters", parameters, 3);
  trace(w,
        "  pl_mesh_def mesh = pl_mesh_def_default(); mesh.triangles = triangles; mesh.triangle_count = %zu;\n"
        "  pl_positions references[] = {r0%s%s%s};\n"
        "  pl_morph_def m = pl_morph_def_default(); m.kind = %d; m.references = references; m.reference_count = %d;\n"
        "  m.build_reference = %d; m.inbetweens = %d;%s m.weight_low = %g; m.weight_high = %g;\n"
        "  pl_body_create_morph(context, &mesh, &m, &d, &body[%d]);\n",
        mesh->triangle_count, m.reference_count > 1 ? ", r1" : "", m.reference_count > 2 ? ", r2" : "",
        m.reference_count > 3 ? ", r3" : "", (int)m.kind, m.reference_count, m.build_reference, m.inbetweens,
        m.inbetween_parameters ? " m.inbetween_parameters = parameters;" : "", m.weight_low, m.weight_high,
        number_of(w, b));
  pl_status status = CALL(w, pl_body_create_morph(w->context, mesh, &m, d, &b->body));
  for (int i = 0; i < m.reference_count; ++i) free(data[i]);
  b->coefficient[0] = 1;
  return status;
}

/* Quarters that add up to 1, on bones that may be the same. */
static void make_weights(world *w, fuzz_body *b)
{
  b->bone_count = 1 + pick(w, MOST_BONES);
  b->bone = fuzz_array(MOST_WEIGHTS * b->vertex_count, sizeof *b->bone);
  b->weight = fuzz_array(MOST_WEIGHTS * b->vertex_count, sizeof *b->weight);
  for (size_t v = 0; v < b->vertex_count; ++v) {
    int first = below(w, 5), second = below(w, 5 - first);
    const int quarters[MOST_WEIGHTS] = {first, second, 4 - first - second};
    for (size_t k = 0; k < MOST_WEIGHTS; ++k) {
      b->bone[MOST_WEIGHTS * v + k] = (uint32_t)below(w, b->bone_count);
      b->weight[MOST_WEIGHTS * v + k] = 0.25 * quarters[k];
    }
  }
  for (int i = 0; i < MOST_BONES; ++i) b->bones[i] = pl_transform_identity();
}

static bool spoil_weights(world *w, fuzz_body *b)
{
  if (!chance(w, 12)) return false;
  size_t at = (size_t)pick(w, 256) % (MOST_WEIGHTS * b->vertex_count);
  switch (pick(w, 3)) {
  case 0:
    b->weight[at] = bad_number(w);
    break;
  case 1:
    b->weight[at] -= 2;
    break;
  default:
    b->bone[at] = (uint32_t)b->bone_count;
    break;
  }
  return true;
}

static pl_status create_skin(world *w, fuzz_body *b, pl_mesh_def *mesh, pl_body_def *d, bool *wrong)
{
  b->model = fuzz_array(3 * b->vertex_count, sizeof(double));
  pose(w, b, b->model);
  make_weights(w, b);
  *wrong = spoil(w, b, d, mesh, b->model) || spoil_weights(w, b);
  void *data = positions_make(w, b->model, b->vertex_count, b->type, &mesh->positions);
  pl_skin_def skin = pl_skin_def_default();
  skin.bone_count = (size_t)b->bone_count;
  skin.weights = (pl_weights){b->vertex_count, NULL, MOST_WEIGHTS, b->bone, b->weight, PL_F64, false};
  trace_positions(w, "p", mesh->positions);
  trace_indices(w, "triangles", b->triangles, 3 * b->triangle_count);
  trace_indices(w, "bones", b->bone, MOST_WEIGHTS * b->vertex_count);
  trace_doubles(w, "weights", b->weight, MOST_WEIGHTS * b->vertex_count);
  trace(w,
        "  pl_mesh_def mesh = pl_mesh_def_default(); mesh.positions = p; mesh.triangles = triangles;\n"
        "  mesh.triangle_count = %zu;\n"
        "  pl_skin_def skin = pl_skin_def_default(); skin.bone_count = %d;\n"
        "  skin.weights = (pl_weights){%zu, NULL, %d, bones, weights, PL_F64, false};\n"
        "  pl_body_create_skin(context, &mesh, &skin, &d, &body[%d]);\n",
        mesh->triangle_count, b->bone_count, b->vertex_count, MOST_WEIGHTS, number_of(w, b));
  pl_status status = CALL(w, pl_body_create_skin(w->context, mesh, &skin, d, &b->body));
  free(data);
  return status;
}

static void make_twin(world *w, fuzz_body *b)
{
  b->at = fuzz_array(3 * b->vertex_count, sizeof(double));
  body_evaluate(w, b);
  for (size_t i = 0; b->model && i < 3 * b->vertex_count; ++i) b->most = fmax(b->most, fabs(b->model[i]));
  pl_mesh_def mesh = pl_mesh_def_default();
  mesh.positions = pl_positions_f64(b->at, b->vertex_count);
  mesh.triangles = b->triangles;
  mesh.triangle_count = b->triangle_count;
  require(w, pl_body_create_free(w->oracle, &mesh, NULL, &b->twin) == PL_OK, "no twin: %s",
          pl_context_message(w->oracle));
  b->twin_stale = false;
}

static void create(world *w, fuzz_body *b, pl_motion motion, size_t most)
{
  bool wrong = false;
  pl_mesh_def mesh = pl_mesh_def_default();
  b->motion = motion;
  b->type = chance(w, 2) ? PL_F64 : PL_F32;
  mesh_make(w, b, most);
  trace(w, "  {\n");
  pl_body_def d = settings(w, motion);
  mesh.triangles = b->triangles;
  mesh.triangle_count = b->triangle_count;
  b->borrow = d.borrow;
  b->soup = motion == PL_MOTION_FREE && chance(w, 4);
  const bool plain = motion == PL_MOTION_FREE || motion == PL_MOTION_FLIGHT || motion == PL_MOTION_MATCH;
  b->takes_transform = !plain || d.strategy == PL_STRATEGY_BERGEN;
  pl_status status = motion == PL_MOTION_MORPH  ? create_morph(w, b, &mesh, &d, &wrong)
                     : motion == PL_MOTION_SKIN ? create_skin(w, b, &mesh, &d, &wrong)
                     : is_controlled(motion)    ? create_controlled(w, b, &mesh, &d, &wrong)
                                                : create_stored(w, b, &mesh, &d, &wrong);
  trace(w, "  }\n");
  if (status == PL_OK && !wrong) {
    require(w, b->body != NULL, "a body that was made is NULL");
    if (!b->borrow) {
      free(b->held);
      b->held = NULL;
    }
    make_twin(w, b);
    return;
  }
  refused(w, status, "a body");
  require(w, !b->body, "a body that was refused is there");
  /* there are bounds of coordinates */
  const bool far = is_controlled(motion) && w->profile != PROFILE_ORDINARY;
  double furthest = 0; /* the end of double's range is near: bones may leave it */
  for (size_t i = 0; motion == PL_MOTION_SKIN && i < 3 * b->vertex_count; ++i)
    furthest = fmax(furthest, fabs(b->model[i]));
  require(w,
          wrong || status == PL_ERROR_MEMORY || status == PL_ERROR_UNSUPPORTED ||
              (status == PL_ERROR_POSITIONS && (far || furthest >= 0x1p1020)),
          "a right body was refused: %s", pl_context_message(w->context));
  body_forget(w, b);
}

void call_create(world *w)
{
  static const pl_motion motions[] = {PL_MOTION_FREE,   PL_MOTION_FREE,  PL_MOTION_RIGID, PL_MOTION_MORPH,
                                      PL_MOTION_SKIN,   PL_MOTION_FREE,  PL_MOTION_EMBED, PL_MOTION_SUBDIVIDE,
                                      PL_MOTION_POINTS, PL_MOTION_MATCH, PL_MOTION_FLIGHT};
  fuzz_body *b = &w->bodies[pick(w, SLOTS)];
  for (int i = 0; i < SLOTS && b->body; ++i) b = &w->bodies[i];
  if (b->body) {
    call_destroy(w);
    return;
  }
  /* Distances of extreme numbers are measured in long integers, by the reference pair by pair. */
  const pl_motion motion = motions[pick(w, (int)(sizeof motions / sizeof *motions))];
  size_t most = w->profile == PROFILE_MIXED ? 10 : w->profile == PROFILE_ORDINARY ? MOST_TRIANGLES : 24;
  if (motion == PL_MOTION_SUBDIVIDE) most = MOST_TRIANGLES / 4;
  create(w, b, motion, most);
}

void create_crowd(world *w, fuzz_scene *s)
{
  (void)s;
  for (int i = SLOTS; i < SLOTS + CROWD; ++i)
    if (!w->bodies[i].body) create(w, &w->bodies[i], PL_MOTION_FREE, 2);
}

void call_destroy(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  trace(w, "  pl_body_destroy(body[%d]);\n", number_of(w, b));
  pl_body_destroy(b->body);
  body_forget(w, b);
}
