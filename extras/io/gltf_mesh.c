/* Meshes: the triangle primitives of one mesh, of all three modes and with their morph targets,
 * joined into one. First all primitives are measured, then the arrays are made once and filled. */
#include "io/gltf_inside.h"

#include <stdlib.h>
#include <string.h>

enum { MODE_TRIANGLES = 4, MODE_STRIP, MODE_FAN };

typedef struct primitive {
  gltf_place where;
  const gltf_value *attributes, *targets; /* targets: or NULL */
  gltf_accessor positions, indices;
  bool has_indices;
  bool shares;  /* the vertices are those of the triangle primitive before it */
  bool skipped; /* points or lines */
  uint64_t mode;
  uint32_t material; /* or UINT32_MAX: only a name comes of it, so a wrong one is none */
  uint64_t first_vertex;
} primitive;

static bool is_position_type(const gltf_document *d, const gltf_accessor *a)
{
  return a->components == 3 && (a->type == GLTF_F32 || (d->quantized && a->type <= GLTF_U16));
}

static bool open_positions(gltf_document *d, const char *where, const gltf_value *attributes, gltf_accessor *out)
{
  uint64_t index;
  if (!gltf_index(d, where, attributes, "POSITION", GLTF_REQUIRED, gltf_json_length(d->accessors), &index) ||
      !gltf_accessor_open(d, index, out))
    return false;
  if (is_position_type(d, out)) return true;
  return gltf_fail(d, "%s: its positions (accessor %llu) are not VEC3 of floats%s", where, (unsigned long long)index,
                   d->quantized ? " or small integers" : ", and the file does not use KHR_mesh_quantization");
}

static bool open_indices(gltf_document *d, primitive *p, const gltf_value *value)
{
  uint64_t index;
  if (!gltf_index(d, p->where.text, value, "indices", GLTF_NONE, gltf_json_length(d->accessors), &index)) return false;
  p->has_indices = index != GLTF_NONE;
  if (!p->has_indices) return true;
  gltf_accessor *a = &p->indices;
  if (!gltf_accessor_open(d, index, a)) return false;
  if (a->components == 1 && !a->normalized && (a->type == GLTF_U8 || a->type == GLTF_U16 || a->type == GLTF_U32))
    return true;
  return gltf_fail(d, "%s: its indices (accessor %llu) are not unsigned integers", p->where.text,
                   (unsigned long long)index);
}

static uint64_t corner_count(const primitive *p) { return p->has_indices ? p->indices.count : p->positions.count; }

/* At most; a strip loses those that only join its parts. */
static uint64_t triangle_count(const primitive *p)
{
  return p->mode == MODE_TRIANGLES ? corner_count(p) / 3 : corner_count(p) - 2;
}

static bool open_primitive(gltf_document *d, const gltf_value *value, primitive *p)
{
  bool ok = true;
  if (!gltf_integer(d, p->where.text, value, "mode", MODE_TRIANGLES, MODE_FAN, &p->mode)) return false;
  const gltf_value *material = gltf_json_member(value, "material");
  double number = gltf_json_kind(material) == GLTF_NUMBER ? gltf_json_number(material) : -1;
  p->material = number >= 0 && number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
  p->targets = gltf_list(d, p->where.text, value, "targets", &ok);
  p->attributes = gltf_json_member(value, "attributes");
  p->skipped = p->mode < MODE_TRIANGLES;
  if (!ok || p->skipped) return ok;
  if (!gltf_open_draco(d, p->where.text, value)) return false;
  if (!open_positions(d, p->where.text, p->attributes, &p->positions) || !open_indices(d, p, value)) return false;
  uint64_t corners = corner_count(p);
  if (p->mode == MODE_TRIANGLES ? corners % 3 == 0 : corners >= 3) return true;
  return gltf_fail(d, "%s: %llu corners do not make triangles", p->where.text, (unsigned long long)corners);
}

static const gltf_value *target_position(const primitive *p, size_t target)
{
  return gltf_json_member(gltf_json_item(p->targets, target), "POSITION");
}

/* Returns whether both name the same accessors. Exporters cut a mesh by material and let the
 * parts share their vertices. */
static bool same_vertices(const gltf_document *d, const primitive *a, const primitive *b, bool skinned)
{
  if (a->positions.index != b->positions.index) return false;
  if (skinned && !gltf_same_influences(d, a->attributes, b->attributes)) return false;
  for (size_t i = 0; i < gltf_json_length(a->targets); ++i) {
    const gltf_value *x = target_position(a, i), *y = target_position(b, i);
    if (!x != !y || (x && gltf_json_number(x) != gltf_json_number(y))) return false;
  }
  return true;
}

/* Returns whether a primitive's positions, or the deltas of a target, need doubles.
 * Wrong targets are reported when they are read. */
static bool is_normalized(const gltf_document *d, const primitive *p)
{
  bool found = p->positions.normalized;
  for (size_t i = 0; !found && i < gltf_json_length(p->targets); ++i) {
    const gltf_value *position = target_position(p, i);
    double index = gltf_json_kind(position) == GLTF_NUMBER ? gltf_json_number(position) : -1;
    bool there = index >= 0 && index < (double)gltf_json_length(d->accessors);
    const gltf_value *accessor = there ? gltf_json_item(d->accessors, (size_t)index) : NULL;
    found = accessor && gltf_json_true(gltf_json_member(accessor, "normalized"));
  }
  return found;
}

/* Opens all primitives and sets the mesh's counts. */
static bool measure(gltf_document *d, size_t mesh, const gltf_value *list, primitive *primitives, gltf_mesh *out)
{
  const bool skinned = d->scene->meshes[mesh].has_skin;
  uint64_t vertices = 0, triangles = 0;
  const primitive *before = NULL;
  for (size_t i = 0; i < gltf_json_length(list); ++i) {
    primitive *p = &primitives[i];
    p->where = gltf_at("mesh %zu, primitive %zu", mesh, i);
    const gltf_value *value = gltf_object(d, list, "a mesh's primitive", i);
    if (!value || !open_primitive(d, value, p)) return false;
    size_t targets = gltf_json_length(p->targets);
    if (i == 0) out->target_count = targets;
    if (targets != out->target_count)
      return gltf_fail(d, "%s has %zu morph targets, and the first one has %zu", p->where.text, targets,
                       out->target_count);
    d->lines_left_out += p->skipped;
    if (p->skipped) continue;
    size_t sets = skinned ? gltf_influence_sets(d, p->attributes) : 0;
    if (skinned && 4 * (sets ? sets : 1) > out->influences) out->influences = 4 * (sets ? sets : 1);
    p->shares = before && same_vertices(d, before, p, skinned);
    p->first_vertex = p->shares ? before->first_vertex : vertices;
    if (!p->shares) vertices += p->positions.count;
    out->is_double = out->is_double || is_normalized(d, p);
    triangles += triangle_count(p);
    if (vertices >= UINT32_MAX || triangles > ((uint64_t)1 << 30))
      return gltf_fail(d, "mesh %zu has too many vertices or triangles; cut it into parts", mesh);
    before = p;
  }
  out->vertex_count = (size_t)vertices;
  out->triangle_count = (size_t)triangles;
  return true;
}

/* The corners in order, as vertices of the whole mesh. */
static bool read_corners(gltf_document *d, const primitive *p, uint32_t *out)
{
  uint64_t count = corner_count(p);
  if (p->has_indices && !gltf_accessor_indices(d, &p->indices, p->positions.count, out)) return false;
  for (uint64_t i = 0; i < count; ++i) out[i] = (uint32_t)((p->has_indices ? out[i] : i) + p->first_vertex);
  return true;
}

/* A triangle with a vertex twice only leads from one part of a strip to the next: nothing is
 * drawn there, but in a query it would be a segment in mid-air. Returns how many stay. */
static size_t cut_strip(gltf_document *d, const primitive *p, const uint32_t *corners, uint32_t *out)
{
  size_t n = 0, count = (size_t)corner_count(p) - 2;
  for (size_t i = 0; i < count; ++i) {
    size_t odd = i % 2;
    uint32_t a = corners[p->mode == MODE_FAN ? 0 : i], b = corners[i + 1], c = corners[i + 2];
    if (p->mode == MODE_STRIP && odd) b = corners[i + 2], c = corners[i + 1];
    if (a == b || b == c || c == a) {
      ++d->strips_left_out;
      continue;
    }
    out[3 * n] = a;
    out[3 * n + 1] = b;
    out[3 * n + 2] = c;
    ++n;
  }
  return n;
}

/* Adds a primitive's triangles behind *count. */
static bool read_triangles(gltf_document *d, const primitive *p, gltf_mesh *mesh, size_t *count)
{
  uint32_t *to = mesh->triangles + 3 * *count;
  if (p->mode == MODE_TRIANGLES) {
    *count += (size_t)triangle_count(p);
    return read_corners(d, p, to);
  }
  uint32_t *corners = gltf_allocate(d, corner_count(p), sizeof *corners);
  bool ok = corners && read_corners(d, p, corners);
  if (ok) *count += cut_strip(d, p, corners, to);
  free(corners);
  return ok;
}

/* A primitive's part of one target; the target's array is made when the first primitive needs
 * it. */
static bool read_target(gltf_document *d, const primitive *p, size_t target, gltf_mesh *mesh)
{
  const gltf_value *value = gltf_json_item(p->targets, target);
  gltf_place where = gltf_at("%.40s, target %zu", p->where.text, target);
  if (gltf_json_kind(value) != GLTF_OBJECT) return gltf_fail(d, "%s is not an object", where.text);
  if (!gltf_json_member(value, "POSITION")) return true;
  gltf_accessor a;
  if (!open_positions(d, where.text, value, &a)) return false;
  if (a.count != p->positions.count)
    return gltf_fail(d, "%s has %llu positions for %llu vertices", where.text, (unsigned long long)a.count,
                     (unsigned long long)p->positions.count);
  if (!a.data && !a.sparse_count) return true;
  if (mesh->is_double) {
    double **to = &mesh->targets_f64[target];
    if (!*to) *to = gltf_unfold(d, mesh->vertex_count, 3 * sizeof **to);
    return *to && gltf_accessor_doubles(d, &a, *to + 3 * p->first_vertex);
  }
  float **to = &mesh->targets[target];
  if (!*to) *to = gltf_unfold(d, mesh->vertex_count, 3 * sizeof **to);
  return *to && gltf_accessor_floats(d, &a, *to + 3 * p->first_vertex);
}

static bool read_positions(gltf_document *d, const primitive *p, gltf_mesh *mesh)
{
  if (mesh->is_double) return gltf_accessor_doubles(d, &p->positions, mesh->positions_f64 + 3 * p->first_vertex);
  return gltf_accessor_floats(d, &p->positions, mesh->positions + 3 * p->first_vertex);
}

static bool allocate(gltf_document *d, gltf_mesh *mesh)
{
  if (mesh->is_double)
    mesh->positions_f64 = gltf_unfold(d, mesh->vertex_count, 3 * sizeof *mesh->positions_f64);
  else
    mesh->positions = gltf_unfold(d, mesh->vertex_count, 3 * sizeof *mesh->positions);
  if (!mesh->positions && !mesh->positions_f64) return false;
  if (mesh->influences) {
    /* so that the product cannot overflow */
    if (!gltf_charge(d, mesh->vertex_count, mesh->influences)) return false;
    mesh->joints = gltf_unfold(d, mesh->vertex_count, mesh->influences * sizeof *mesh->joints);
    mesh->joint_weights = gltf_unfold(d, mesh->vertex_count, mesh->influences * sizeof *mesh->joint_weights);
    if (!mesh->joints || !mesh->joint_weights) return false;
  }
  return (mesh->triangles = gltf_unfold(d, mesh->triangle_count, 3 * sizeof *mesh->triangles)) != NULL &&
         (mesh->primitives = gltf_allocate(d, mesh->primitive_count, sizeof *mesh->primitives)) != NULL &&
         (mesh->targets = gltf_allocate(d, mesh->target_count, sizeof *mesh->targets)) != NULL &&
         (mesh->targets_f64 = gltf_allocate(d, mesh->target_count, sizeof *mesh->targets_f64)) != NULL;
}

static bool fill(gltf_document *d, const primitive *primitives, size_t count, gltf_mesh *mesh)
{
  size_t triangles = 0;
  mesh->primitive_count = count;
  if (!allocate(d, mesh)) return false;
  mesh->primitive_count = 0;
  for (size_t i = 0; i < count; ++i) {
    const primitive *p = &primitives[i];
    if (p->skipped) continue;
    if (!read_triangles(d, p, mesh, &triangles)) return false;
    mesh->primitives[mesh->primitive_count++] = (gltf_primitive){triangles, (uint32_t)i, p->material};
    if (p->shares) continue;
    if (!read_positions(d, p, mesh)) return false;
    if (mesh->influences &&
        !gltf_read_influences(d, p->where.text, p->attributes, p->first_vertex, p->positions.count, mesh))
      return false;
    for (size_t t = 0; t < mesh->target_count; ++t)
      if (!read_target(d, p, t, mesh)) return false;
  }
  mesh->triangle_count = triangles;
  return true;
}

static bool read_weights(gltf_document *d, const char *where, const gltf_value *value, gltf_mesh_entry *entry)
{
  size_t count = entry->mesh.target_count;
  if (!gltf_json_member(value, "weights")) return true;
  entry->weights = gltf_allocate(d, count, sizeof *entry->weights);
  return entry->weights && gltf_numbers(d, where, value, "weights", count, entry->weights, NULL);
}

bool gltf_read_mesh(gltf_document *d, size_t index)
{
  gltf_mesh_entry *entry = &d->scene->meshes[index];
  if (entry->is_read) return true;
  gltf_place where = gltf_at("mesh %zu", index);
  const gltf_value *value = gltf_object(d, d->meshes, "mesh", index);
  bool ok = true;
  const gltf_value *list = value ? gltf_list(d, where.text, value, "primitives", &ok) : NULL;
  if (!value || !ok) return false;
  size_t count = gltf_json_length(list);
  if (count == 0) return gltf_fail(d, "%s has no primitives", where.text);
  primitive *primitives = gltf_allocate(d, count, sizeof *primitives);
  ok = primitives && measure(d, index, list, primitives, &entry->mesh) && fill(d, primitives, count, &entry->mesh) &&
       read_weights(d, where.text, value, entry) &&
       (entry->name = gltf_copy_text(d, gltf_text_of(value, "name"))) != NULL;
  free(primitives);
  entry->mesh.name = entry->name;
  entry->is_read = true;
  return ok;
}
