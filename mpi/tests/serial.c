/* What the distributed scene must report: the library on one rank, asked in the same words. */
#include "dist_test.h"

void *list_add(list *l, size_t bytes)
{
  l->data = realloc(l->data, (l->count + 1) * bytes);
  check(l->data != NULL, "memory");
  return memset(l->data + bytes * l->count++, 0, bytes);
}

void serial_make(serial *s, const world *w)
{
  check(pl_context_create(NULL, &s->context) == PL_OK, "context");
  for (size_t i = 0; i < w->count; ++i) {
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count);
    mesh.triangles = w->meshes[i].triangles;
    mesh.triangle_count = w->meshes[i].triangle_count;
    bool rigid = w->rigid && i == 0;
    if (w->skin && i == 0) {
      s->bodies[i] = world_make_skin(w, s->context);
      check(s->bodies[i] != NULL, "skin");
      continue;
    }
    if (rigid) mesh.positions = pl_positions_f32(w->meshes[i].rest, w->meshes[i].vertex_count);
    check((rigid ? pl_body_create_rigid : pl_body_create_free)(s->context, &mesh, NULL, &s->bodies[i]) == PL_OK,
          pl_context_message(s->context));
  }
}

static pl_status move_body(pl_body *body, const world *w, size_t i)
{
  pl_transform place;
  memcpy(place.m, w->place, sizeof place.m);
  memcpy(place.t, w->place + 9, sizeof place.t);
  if (w->rigid && i == 0) return pl_body_set_transform(body, &place);
  if (w->skin && i == 0) return pl_body_set_bones(body, w->bones, WORLD_BONES);
  return pl_body_set_positions(body, pl_positions_f64(w->xyz[i], w->meshes[i].vertex_count));
}

void serial_move(serial *s, const world *w)
{
  for (size_t i = 0; i < w->count; ++i) check(move_body(s->bodies[i], w, i) == PL_OK, "set");
}

void each_two(const world *w, serial *s, double margin, list *out,
              void (*ask)(serial *s, size_t a, size_t b, double margin, list *out))
{
  for (size_t a = 0; a < w->count; ++a)
    for (size_t b = a; b < w->count; ++b)
      if (a != b || w->self[a]) ask(s, a, b, margin, out);
}

void serial_touching(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  (void)margin;
  def.sorted = true;
  check(pl_touching(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial touching");
  for (size_t i = 0; i < found->count; ++i) {
    pl_dist_pair *row = list_add(out, sizeof *row);
    *row = (pl_dist_pair){a, b, found->pairs[i].a + first_id, found->pairs[i].b + first_id};
  }
}

void serial_near(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.margin = margin;
  check(pl_near_triangles(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial near");
  for (size_t i = 0; i < found->count; ++i) {
    const pl_near_pair *p = &found->near_pairs[i];
    pl_dist_near_pair *row = list_add(out, sizeof *row);
    *row = (pl_dist_near_pair){a, b, p->a + first_id, p->b + first_id, .distance = p->distance};
    memcpy(row->point_a, p->point_a, sizeof row->point_a);
    memcpy(row->point_b, p->point_b, sizeof row->point_b);
  }
}

void serial_features(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.sorted = true;
  def.margin = margin;
  check(pl_near(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial features");
  for (size_t i = 0; i < found->count; ++i) {
    const pl_feature_pair *p = &found->features[i];
    pl_dist_feature *row = list_add(out, sizeof *row);
    *row = (pl_dist_feature){
        a, b, p->triangle_a + first_id, p->triangle_b + first_id, .kind = p->kind, .distance = p->distance};
    for (int k = 0; k < 3; ++k) {
      row->vertex_a[k] = p->vertex_a[k] + first_id;
      row->vertex_b[k] = p->vertex_b[k] + first_id;
    }
    memcpy(row->weight_a, p->weight_a, sizeof row->weight_a);
    memcpy(row->weight_b, p->weight_b, sizeof row->weight_b);
    memcpy(row->normal, p->normal, sizeof row->normal);
  }
}

void serial_impacts(serial *s, size_t a, size_t b, double margin, list *out)
{
  const pl_result *found;
  pl_question def = pl_question_default();
  def.all = true;
  def.margin = margin;
  check(pl_impacts(pl_two(s->bodies[a], s->bodies[b]), &def, &found) == PL_OK, "serial impacts");
  for (size_t i = 0; i < found->count; ++i) {
    const pl_impact *p = &found->impacts[i];
    pl_dist_impact *row = list_add(out, sizeof *row);
    *row = (pl_dist_impact){a, b, .time = p->time, .kind = p->kind};
    for (int k = 0; k < 2; ++k) {
      row->feature_a[k] = p->feature_a[k] + first_id;
      row->feature_b[k] = p->feature_b[k] + first_id;
    }
    memcpy(row->normal, p->normal, sizeof row->normal);
    memcpy(row->point, p->point, sizeof row->point);
  }
}

/* Times are not negative: their bits have the order of the numbers. */
static void impact_key(const pl_dist_impact *i, uint64_t key[8])
{
  const double time = i->time + 0.;
  memcpy(key, &time, sizeof time);
  key[1] = i->body_a;
  key[2] = i->body_b;
  key[3] = i->kind;
  memcpy(key + 4, i->feature_a, sizeof i->feature_a);
  memcpy(key + 6, i->feature_b, sizeof i->feature_b);
}

int compare_impacts(const void *x, const void *y)
{
  uint64_t p[8], q[8];
  int at = 0;
  impact_key(x, p);
  impact_key(y, q);
  while (at < 7 && p[at] == q[at]) ++at;
  return (p[at] > q[at]) - (p[at] < q[at]);
}
