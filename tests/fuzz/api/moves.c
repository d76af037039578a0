/* New positions, vertices, transforms, weights and key poses; refused ones change nothing. What
 * is between "certainly in the range of double" and "certainly out of it" may be refused or
 * taken. */
#include "world.h"

/* Does any world position, or a sum on the way to it, leave the range of double? 1: yes, 0:
 * perhaps, -1: far from it. */
static int leaves_range(const fuzz_body *b)
{
  double most = 0;
  if (is_controlled(b->motion)) return 0;
  for (size_t i = 0; i < 3 * b->vertex_count; ++i) {
    double x = b->at[i];
    if (!isfinite(x)) return 1;
    most = fmax(most, fabs(x));
  }
  double reach = b->most, sum = 0;
  for (size_t i = 0; b->model && i < 3 * b->vertex_count; ++i) reach = fmax(reach, fabs(b->model[i]));
  if (b->model && b->type == PL_F32) reach = (double)FLT_MAX;
  for (int i = 0; i < 3 * b->bone_count; ++i) {
    const pl_transform *t = &b->bones[i / 3];
    double size = 0;
    for (size_t v = 0; v < 3 * b->vertex_count; ++v) size = fmax(size, fabs(b->model[v]));
    for (int c = 0; c < 3; ++c) sum += 2 * fabs(t->m[i % 3][c]) * size;
    reach = fmax(reach, sum + fabs(t->t[i % 3]));
    sum = 0;
  }
  for (int r = 0; r < b->reference_count; ++r) {
    double size = 0;
    for (size_t i = 0; i < 3 * b->vertex_count; ++i) size = fmax(size, fabs(b->reference[r][i]));
    reach += 2 * size;
  }
  for (int k = 0; b->transformed && k < 3; ++k) {
    sum = fabs(b->transform.t[k]);
    for (int c = 0; c < 3; ++c) sum += 2 * fabs(b->transform.m[k][c]) * reach;
    most = fmax(most, sum);
  }
  return most < 0x1p1020 && reach < 0x1p1020 ? -1 : 0;
}

/* What a setter made of new controls that stand in *b already. `before` holds the old ones. */
static bool settle(world *w, fuzz_body *b, pl_status status, bool wrong, const char *what)
{
  body_evaluate(w, b);
  int out = leaves_range(b);
  if (status == PL_OK) {
    require(w, !wrong, "%s was not refused", what);
    require(w, out != 1, "%s takes positions out of the range of double and was not refused", what);
    for (size_t i = 0; b->model && i < 3 * b->vertex_count; ++i) b->most = fmax(b->most, fabs(b->model[i]));
    return true;
  }
  refused(w, status, what);
  require(w, wrong || status == PL_ERROR_MEMORY || (status == PL_ERROR_POSITIONS && out != -1), "%s was refused: %s",
          what, pl_context_message(w->context));
  return false;
}

void call_positions(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  size_t n = b->vertex_count, bytes = 3 * n * sizeof(double);
  bool wrong = b->motion != PL_MOTION_FREE && b->motion != PL_MOTION_MATCH;
  pl_scalar type = b->type;
  if (chance(w, 5)) b->type = type == PL_F32 ? PL_F64 : PL_F32;
  double *xyz = malloc(bytes);
  pose(w, b, xyz);
  if (chance(w, 8)) {
    xyz[(size_t)pick(w, 256) % (3 * n)] = bad_number(w);
    wrong = true;
  }
  pl_positions p;
  void *data = positions_make(w, xyz, n, b->type, &p);
  if (chance(w, 24)) {
    p.count -= 1;
    wrong = true;
  }
  trace(w, "  {\n");
  trace_positions(w, "p", p);
  trace(w, "  pl_body_set_positions(body[%d], p);\n  }\n", number_of(w, b));
  pl_status status = CALL(w, pl_body_set_positions(b->body, p));
  double *before = b->model, most = b->most;
  if (b->model) b->model = xyz;
  b->most = 0;
  if (settle(w, b, status, wrong, "set_positions")) {
    if (b->borrow) {
      free(b->held);
      b->held = data;
      b->stride = p.stride;
      data = NULL;
    }
    if (b->model) xyz = before;
  } else {
    b->model = before;
    b->most = most;
    b->type = type;
    body_evaluate(w, b);
  }
  free(xyz);
  free(data);
}

/* The array that a borrowing body reads gets the numbers of `model`. */
static void write_held(const fuzz_body *b)
{
  size_t scalar = b->type == PL_F32 ? sizeof(float) : sizeof(double);
  for (size_t i = 0; i < 3 * b->vertex_count; ++i) {
    float x = (float)b->model[i];
    memcpy((char *)b->held + i / 3 * b->stride + i % 3 * scalar, b->type == PL_F32 ? (void *)&x : (void *)&b->model[i],
           scalar);
  }
}

void call_vertices(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  size_t n = b->vertex_count, count = (size_t)pick(w, 9) % (n + 1);
  bool wrong = b->motion != PL_MOTION_FREE;
  uint32_t *vertices = malloc((count + 1) * sizeof *vertices);
  double *xyz = malloc(3 * (count + 1) * sizeof *xyz), *pose_of_all = malloc(3 * n * sizeof *xyz), *before = NULL;
  pose(w, b, pose_of_all);
  uint32_t first = (uint32_t)below(w, (int)n);
  for (size_t i = 0; i < count; ++i) {
    vertices[i] = below(w, 2) ? (uint32_t)((first + i) % n) : (uint32_t)below(w, (int)n);
    memcpy(xyz + 3 * i, pose_of_all + 3 * vertices[i], 3 * sizeof *xyz);
    for (int k = 0; k < 3; ++k) xyz[3 * i + (size_t)k] += below(w, 3) == 0 && w->profile == PROFILE_ORDINARY;
    for (int k = 0; k < 3 && b->type == PL_F32; ++k) xyz[3 * i + (size_t)k] = (double)(float)xyz[3 * i + (size_t)k];
  }
  if (count && chance(w, 8)) {
    xyz[(size_t)pick(w, 256) % (3 * count)] = bad_number(w);
    wrong = true;
  }
  bool outside = count && chance(w, 24);
  if (outside) vertices[count - 1] = (uint32_t)n;
  wrong = wrong || outside;
  pl_positions p;
  void *data = positions_make(w, xyz, count, b->type, &p);
  if (b->model) {
    before = malloc(3 * n * sizeof *before);
    memcpy(before, b->model, 3 * n * sizeof *before);
    for (size_t i = 0; i < count; ++i)
      if (vertices[i] < n) memcpy(b->model + 3 * vertices[i], xyz + 3 * i, 3 * sizeof *xyz);
  }
  trace(w, "  {\n");
  trace_indices(w, "vertices", vertices, count);
  if (b->borrow) {
    /* The last of equal indices stands in the array, so it alone must be finite. */
    wrong = outside || b->motion != PL_MOTION_FREE;
    for (size_t i = 0; i < 3 * n; ++i) wrong = wrong || !isfinite(b->model[i]);
    if (b->motion == PL_MOTION_FREE) write_held(b);
    trace_positions(w, "moved", p);
    trace(w, "  /* the array of body[%d] gets these */\n", number_of(w, b));
    p.data = NULL;
  } else {
    trace_positions(w, "p", p);
  }
  trace(w, "  pl_body_set_vertices(body[%d], vertices, %zu, %s);\n  }\n", number_of(w, b), count,
        b->borrow ? "(pl_positions){0}" : "p");
  pl_status status = CALL(w, pl_body_set_vertices(b->body, vertices, count, p));
  if (!settle(w, b, status, wrong, "set_vertices") && b->model) {
    memcpy(b->model, before, 3 * n * sizeof *before);
    if (b->borrow && b->motion == PL_MOTION_FREE) write_held(b);
    body_evaluate(w, b);
  }
  free(before);
  free(pose_of_all);
  free(xyz);
  free(vertices);
  free(data);
}

static pl_transform transform_make(world *w)
{
  pl_transform t = pl_transform_identity();
  int way = pick(w, 6);
  seed_of(w);
  for (int k = 0; k < 3; ++k) t.t[k] = sized(w, ordinary(w));
  double angle = way == 1 ? 1.5707963267948966 * below(w, 4) : uniform(w, 0, 6.3), c = cos(angle), s = sin(angle);
  int x = below(w, 3), y = (x + 1) % 3;
  if (way == 1 || way == 2) {
    t.m[x][x] = t.m[y][y] = way == 1 ? rint(c) : c;
    t.m[x][y] = way == 1 ? -rint(s) : -s;
    t.m[y][x] = way == 1 ? rint(s) : s;
  }
  if (way == 3) t.m[x][x] = 0;
  if (way == 4)
    for (int i = 0; i < 9; ++i) t.m[i / 3][i % 3] = uniform(w, -1.5, 1.5);
  if (way == 5) t.m[x][x] = -2;
  if (w->profile == PROFILE_MIXED && below(w, 2)) t.m[x][y] = sized(w, t.m[x][y]);
  return t;
}

void call_transform(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  pl_transform t = transform_make(w), old = b->transform;
  bool wrong = !b->takes_transform, had = b->transformed;
  if (chance(w, 10)) {
    int at = pick(w, 12);
    *(at < 9 ? &t.m[at / 3][at % 3] : &t.t[at - 9]) = bad_number(w);
  }
  for (int i = 0; i < 9; ++i) wrong = wrong || !(fabs(t.m[i / 3][i % 3]) <= 1e100);
  for (int i = 0; i < 3; ++i) wrong = wrong || !isfinite(t.t[i]);
  trace(w, "  {\n");
  trace_doubles(w, "m", &t.m[0][0], 9);
  trace_doubles(w, "t", t.t, 3);
  trace(w,
        "  pl_transform x; memcpy(x.m, m, sizeof m); memcpy(x.t, t, sizeof t);\n"
        "  pl_body_set_transform(body[%d], &x);\n  }\n",
        number_of(w, b));
  pl_status status = CALL(w, pl_body_set_transform(b->body, &t));
  b->transform = t;
  b->transformed = true;
  if (settle(w, b, status, wrong, "set_transform")) return;
  b->transform = old;
  b->transformed = had;
  body_evaluate(w, b);
}

void call_weights(world *w)
{
  fuzz_body *b = body_of(w);
  for (int i = 0; b && i < SLOTS; ++i) /* one that morphs, if there is one */
    if (b->motion != PL_MOTION_MORPH && w->bodies[i].motion == PL_MOTION_MORPH && w->bodies[i].body) b = &w->bodies[i];
  if (!b) return;
  bool convex = b->kind == PL_MORPH_CONVEX, wrong = b->motion != PL_MOTION_MORPH;
  int count = b->motion == PL_MOTION_MORPH ? b->reference_count - !convex : 1, way = pick(w, 4);
  double weights[MOST_REFERENCES] = {1}, old[MOST_REFERENCES], sum = 0;
  seed_of(w);
  for (int i = 0; i < count; ++i) {
    weights[i] = way == 0 ? 0 : convex ? uniform(w, 0, 1) : uniform(w, b->weight_low, b->weight_high);
    if (way == 1 && i > 1) weights[i] = 0;
    if (way == 2) weights[i] = below(w, 4) * 0.25;
  }
  if (count && way == 0) weights[below(w, count)] = 1;
  for (int i = 0; i < count; ++i) sum += weights[i];
  for (int i = 0; i < count && convex; ++i) weights[i] = sum > 0 ? weights[i] / sum : i == 0;
  if (count && chance(w, 8)) weights[pick(w, count)] = chance(w, 2) ? 3 : bad_number(w);
  sum = 0;
  for (int i = 0; i < count; ++i) {
    double low = convex ? 0 : b->weight_low, high = convex ? 1 : b->weight_high;
    wrong = wrong || !(weights[i] >= low && weights[i] <= high);
    sum += weights[i];
  }
  int given = count - chance(w, 30);
  wrong = wrong || given != count || (convex && !(fabs(sum - 1) <= 1e-6));
  trace(w, "  {\n");
  trace_doubles(w, "weights", weights, (size_t)count);
  trace(w, "  pl_body_set_weights(body[%d], weights, %d);\n  }\n", number_of(w, b), given);
  pl_status status = CALL(w, pl_body_set_weights(b->body, weights, given));
  memcpy(old, b->coefficient, sizeof old);
  if (b->motion == PL_MOTION_MORPH) memcpy(b->coefficient + !convex, weights, (size_t)count * sizeof *weights);
  if (settle(w, b, status, wrong, "set_weights")) return;
  memcpy(b->coefficient, old, sizeof old);
  body_evaluate(w, b);
}

void call_bones(world *w)
{
  fuzz_body *b = body_of(w);
  for (int i = 0; b && i < SLOTS; ++i) /* one with bones, if there is one */
    if (b->motion != PL_MOTION_SKIN && w->bodies[i].motion == PL_MOTION_SKIN && w->bodies[i].body) b = &w->bodies[i];
  if (!b) return;
  pl_transform bones[MOST_BONES], old[MOST_BONES];
  int count = b->motion == PL_MOTION_SKIN ? b->bone_count : 1;
  bool wrong = b->motion != PL_MOTION_SKIN;
  for (int i = 0; i < count; ++i) bones[i] = i && chance(w, 4) ? bones[0] : transform_make(w);
  if (chance(w, 10)) {
    int at = pick(w, 12), bone = pick(w, count);
    *(at < 9 ? &bones[bone].m[at / 3][at % 3] : &bones[bone].t[at - 9]) = bad_number(w);
  }
  for (int i = 0; i < 9 * count; ++i) wrong = wrong || !(fabs(bones[i / 9].m[i % 9 / 3][i % 3]) <= 1e100);
  for (int i = 0; i < 3 * count; ++i) wrong = wrong || !isfinite(bones[i / 3].t[i % 3]);
  int given = count - chance(w, 30);
  wrong = wrong || given != count;
  trace(w, "  {\n");
  trace_doubles(w, "m", &bones[0].m[0][0], 12 * (size_t)count);
  trace(w, "  pl_body_set_bones(body[%d], (const pl_transform *)m, %d);\n  }\n", number_of(w, b), given);
  pl_status status = CALL(w, pl_body_set_bones(b->body, bones, (size_t)given));
  memcpy(old, b->bones, sizeof old);
  if (b->motion == PL_MOTION_SKIN) memcpy(b->bones, bones, (size_t)count * sizeof *bones);
  if (settle(w, b, status, wrong, "set_bones")) return;
  memcpy(b->bones, old, sizeof old);
  body_evaluate(w, b);
}

void call_key_pose(world *w)
{
  fuzz_body *b = body_of(w);
  for (int i = 0; b && i < SLOTS; ++i)
    if (!b->soup && w->bodies[i].soup) b = &w->bodies[i];
  if (!b) return;
  int index = pick(w, 7) - 2;
  bool wrong = !b->soup || index < -1 || index >= b->key_poses;
  trace(w, "  pl_body_set_key_pose(body[%d], %d);\n", number_of(w, b), index);
  pl_status status = CALL(w, pl_body_set_key_pose(b->body, index));
  if (status != PL_OK) refused(w, status, "set_key_pose");
  require(w, (status != PL_OK) == wrong || status == PL_ERROR_MEMORY, "key pose %d of %d: status %d", index,
          b->key_poses, (int)status);
  if (status == PL_OK && index >= 0)
    require(w, pl_body_key_pose(b->body) == index, "key pose %d instead of %d", pl_body_key_pose(b->body), index);
}

/* ------------------------------------------------------------------------------------- facts -- */

static void check_order(world *w, fuzz_body *b)
{
  uint32_t order[MOST_VERTICES];
  bool seen[MOST_VERTICES] = {false};
  trace(w, "  pl_body_vertex_order(body[%d], order, %zu);\n", number_of(w, b), b->vertex_count);
  pl_status status = CALL(w, pl_body_vertex_order(b->body, order, b->vertex_count));
  if (status == PL_ERROR_MEMORY) return;
  require(w, status == PL_OK, "vertex_order: %s", pl_context_message(w->context));
  for (size_t i = 0; i < b->vertex_count; ++i) {
    require(w, order[i] < b->vertex_count && !seen[order[i]], "vertex_order is no permutation at %zu", i);
    seen[order[i]] = true;
  }
}

/* The least box of floats around all vertices of triangles. */
static void check_box(world *w, const fuzz_body *b, const float lower[3], const float upper[3])
{
  for (size_t k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < 3 * b->triangle_count; ++i) {
      low = fmin(low, b->at[3 * b->triangles[i] + k]);
      high = fmax(high, b->at[3 * b->triangles[i] + k]);
    }
    require(w, (double)lower[k] <= low && (double)nextafterf(lower[k], INFINITY) > low,
            "the box of body %d begins at %a along %c, its vertices at %a", number_of(w, b), (double)lower[k], "xyz"[k],
            low);
    require(w, (double)upper[k] >= high && (double)nextafterf(upper[k], -INFINITY) < high,
            "the box of body %d ends at %a along %c, its vertices at %a", number_of(w, b), (double)upper[k], "xyz"[k],
            high);
  }
}

void call_facts(world *w)
{
  fuzz_body *b = body_of(w);
  if (!b) return;
  float lower[3], upper[3];
  pl_counters counters;
  pl_body_info info;
  pl_body_info inflate;
  pl_status status = PL_OK;
  int number = number_of(w, b);
  switch (pick(w, 6)) {
  case 0:
    trace(w, "  pl_body_update(body[%d], &counters);\n", number);
    status = CALL(w, pl_body_update(b->body, &counters));
    break;
  case 1:
    trace(w, "  pl_body_box(body[%d], lower, upper);\n", number);
    status = CALL(w, pl_body_box(b->body, lower, upper));
    if (status == PL_OK) check_box(w, b, lower, upper);
    break;
  case 2:
    trace(w, "  pl_body_get_info(body[%d], true, &info);\n", number);
    status = CALL(w, pl_body_get_info(b->body, true, &info));
    if (status == PL_OK) require(w, info.leaves >= 1 && info.depth >= 1, "the tree of body %d is empty", number);
    break;
  case 3:
    check_order(w, b);
    break;
  case 4:
    trace(w, "  pl_body_get_info(body[%d], false, &inflate);\n", number);
    status = pl_body_get_info(b->body, false, &inflate);
    break;
  default:
    trace(w, "  pl_body_validate(body[%d]);\n", number);
    status = CALL(w, pl_body_validate(b->body));
    break;
  }
  require(w, status == PL_OK || (status == PL_ERROR_MEMORY && w->memory.failed), "body %d: %s", number,
          pl_context_message(w->context));
  require(w, pl_body_triangle_count(b->body) == b->triangle_count && pl_body_vertex_count(b->body) == b->vertex_count,
          "body %d has other counts", number);
}
