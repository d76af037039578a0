/* Checkpoints: the whole state of a world in a file of fixed layout, little-endian on the
 * machines that pliant runs on. A file is read and checked whole before anything changes. */
#include "soft.h"

#include <stdlib.h>

static const char MAGIC[8] = {'P', 'L', 'S', 'I', 'M', '0', '0', '3'};

typedef struct header {
  char magic[8];
  uint32_t order; /* 1, as this machine writes it */
  uint32_t state_size, contact_size;
  int32_t level, level_hold;
  uint32_t unused; /* 0; without it the compiler would put bytes of its own here */
  uint64_t step, bodies, contacts, planes;
  uint64_t values;                   /* numbers of bodies of several clusters */
  double energy_start, energy_least; /* of the governor */
  uint64_t content;                  /* hash of shapes, bodies' definitions and planes */
  uint64_t check;                    /* hash of all else */
} header;

static uint64_t hash_bytes(uint64_t h, const void *data, size_t size)
{
  const unsigned char *p = data;
  for (size_t i = 0; i < size; ++i) h = (h ^ p[i]) * 0x100000001B3u;
  return h;
}

/* Of the header without its own entry, and all that follows. */
static uint64_t check_of(header h, const unsigned char *data, size_t size)
{
  h.check = 0;
  return hash_bytes(hash_bytes(0xCBF29CE484222325u, &h, sizeof h), data, size);
}

/* What a checkpoint belongs to. Settings of the world may differ: somebody may want to go on at
 * another level. */
static uint64_t content_of(const sim_world *world)
{
  uint64_t h = 0xCBF29CE484222325u;
  for (size_t i = 0; i < world->shape_count; ++i) {
    const shape *s = &world->shapes[i];
    h = hash_bytes(h, s->points, 3 * s->point_count * sizeof *s->points);
    h = hash_bytes(h, s->triangles, 3 * s->triangle_count * sizeof *s->triangles);
    h = hash_bytes(h, s->masses, s->point_count * sizeof *s->masses);
  }
  for (size_t i = 0; i < world->body_count; ++i) {
    const body *b = &world->bodies[i];
    h = hash_bytes(h, &b->shape, sizeof b->shape);
    h = hash_bytes(h, &b->columns, sizeof b->columns);
    h = hash_bytes(h, &b->def.clusters, sizeof b->def.clusters);
  }
  for (size_t i = 0; i < world->plane_count; ++i) {
    h = hash_bytes(h, world->planes[i].normal, sizeof world->planes[i].normal);
    h = hash_bytes(h, &world->planes[i].offset, sizeof world->planes[i].offset);
  }
  return h;
}

/* A state with the bytes between its members cleared, so that equal states are equal files. */
static void pack_state(const body *b, body_state *out)
{
  memset(out, 0, sizeof *out);
  memcpy(out->matrix, b->state.matrix, sizeof out->matrix);
  memcpy(out->rate, b->state.rate, sizeof out->rate);
  memcpy(out->centre, b->state.centre, sizeof out->centre);
  memcpy(out->velocity, b->state.velocity, sizeof out->velocity);
  memcpy(out->rotation, b->state.rotation, sizeof out->rotation);
  memcpy(out->plastic, b->state.plastic, sizeof out->plastic);
  out->slow_steps = b->state.slow_steps;
  out->asleep = b->state.asleep;
}

static size_t values_of(const body *b) { return b->set ? soft_values(b->set) : 0; }

static uint64_t all_values(const sim_world *world)
{
  uint64_t count = 0;
  for (size_t i = 0; i < world->body_count; ++i) count += values_of(&world->bodies[i]);
  return count;
}

typedef struct buffer {
  unsigned char *data;
  size_t size;
} buffer;

static size_t payload_size(const header *h)
{
  return h->bodies * (sizeof(body_state) + sizeof(double[3][9])) + h->contacts * sizeof(contact) +
         h->values * sizeof(double);
}

sim_status sim_world_save(sim_world *world, FILE *file)
{
  header h = {.order = 1,
              .state_size = sizeof(body_state),
              .contact_size = sizeof(contact),
              .level = world->level,
              .level_hold = world->level_hold,
              .step = world->step,
              .bodies = world->body_count,
              .contacts = world->contacts.count,
              .planes = world->contacts.planes,
              .values = all_values(world),
              .energy_start = world->account_open ? world->energy_start : -1,
              .energy_least = world->account_open ? world->energy_least : 0,
              .content = content_of(world)};
  memcpy(h.magic, MAGIC, sizeof MAGIC);
  buffer out = {.size = payload_size(&h)};
  out.data = calloc(1, out.size + 1);
  if (!out.data) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a checkpoint");
  unsigned char *at = out.data;
  for (size_t i = 0; i < world->body_count; ++i) {
    body_state state;
    pack_state(&world->bodies[i], &state);
    memcpy(at, &state, sizeof state);
    memcpy(at + sizeof state, world->bodies[i].goal, sizeof(double[3][9]));
    at += sizeof state + sizeof(double[3][9]);
  }
  if (h.contacts) memcpy(at, world->contacts.items, h.contacts * sizeof(contact));
  at += h.contacts * sizeof(contact);
  for (size_t i = 0; i < world->body_count; ++i) {
    size_t size = values_of(&world->bodies[i]) * sizeof(double);
    if (size) memcpy(at, world->bodies[i].coords, size);
    at += size;
  }
  h.check = check_of(h, out.data, out.size);
  bool good = fwrite(&h, sizeof h, 1, file) == 1 && (out.size == 0 || fwrite(out.data, out.size, 1, file) == 1) &&
              fflush(file) == 0;
  free(out.data);
  return good ? SIM_OK : world_fail(world, SIM_ERROR_FILE, "the checkpoint could not be written");
}

static const char *wrong_header(const sim_world *world, const header *h)
{
  if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) return "not a checkpoint of pliant simulate";
  if (h->order != 1 || h->state_size != sizeof(body_state) || h->contact_size != sizeof(contact))
    return "the checkpoint was written by another version of pliant or on another kind of machine";
  if (h->bodies != world->body_count || h->content != content_of(world))
    return "the checkpoint belongs to another scene, or to other bodies";
  if (h->step > 0 && world->def.level == SIM_LEVEL_ALL && h->level != SIM_LEVEL_ALL)
    return "the checkpoint was not written at level all: bodies may be in each other, and level all needs them apart";
  if (h->values != all_values(world) || h->contacts > 1u << 28 || h->planes > h->contacts ||
      !isfinite(h->energy_start) || !isfinite(h->energy_least) || h->level < 0 ||
      (h->level > SIM_LEVEL_MOST && h->level != SIM_LEVEL_ALL))
    return "the checkpoint is damaged";
  return NULL;
}

/* Entries that index other arrays, and numbers that a step relies on. The hash finds accidents;
 * this, files made by hand. */
static bool good_payload(const sim_world *world, const header *h, const unsigned char *data)
{
  for (size_t i = 0; i < h->bodies; ++i, data += sizeof(body_state) + sizeof(double[3][9])) {
    body_state state;
    double sum = 0;
    memcpy(&state, data, sizeof state);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 9; ++c) sum += fabs(state.matrix[r][c]) + fabs(state.rate[r][c]);
    for (int k = 0; k < 3; ++k) sum += fabs(state.centre[k]) + fabs(state.velocity[k]);
    if (!isfinite(sum)) return false;
  }
  for (size_t i = 0; i < h->contacts; ++i, data += sizeof(contact)) {
    contact c;
    memcpy(&c, data, sizeof c);
    bool plane = c.b == PLANES;
    if (c.a >= h->bodies || (plane ? c.node_b >= world->plane_count : c.b >= h->bodies) || plane != (i < h->planes))
      return false;
  }
  for (size_t i = 0; i < h->values; ++i, data += sizeof(double)) {
    double value;
    memcpy(&value, data, sizeof value);
    if (!isfinite(value)) return false;
  }
  return true;
}

static sim_status take(sim_world *world, const header *h, const unsigned char *at)
{
  contact *contacts = malloc((h->contacts ? h->contacts : 1) * sizeof *contacts);
  if (!contacts || !world_reserve(world)) {
    free(contacts);
    return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a checkpoint");
  }
  for (size_t i = 0; i < h->bodies; ++i, at += sizeof(body_state) + sizeof(double[3][9])) {
    body *b = &world->bodies[i];
    memcpy(&b->state, at, sizeof b->state);
    memcpy(b->goal, at + sizeof b->state, sizeof b->goal);
    b->placed = b->energy_known = false;
  }
  memcpy(contacts, at, h->contacts * sizeof *contacts);
  at += h->contacts * sizeof *contacts;
  free(world->contacts.items);
  world->contacts = (contact_list){contacts, h->contacts, h->contacts ? h->contacts : 1, h->planes};
  for (size_t i = 0; i < world->body_count; ++i) {
    size_t size = values_of(&world->bodies[i]) * sizeof(double);
    if (size) memcpy(world->bodies[i].coords, at, size);
    at += size;
  }
  world->step = h->step;
  world->level_hold = h->level_hold;
  world->energy_start = h->energy_start;
  world->energy_least = h->energy_least;
  world->account_open = h->energy_start >= 0;
  if (world->def.budget_ms > 0) world->level = h->level;
  return SIM_OK;
}

sim_status sim_world_load(sim_world *world, FILE *file)
{
  header h;
  if (fread(&h, sizeof h, 1, file) != 1) return world_fail(world, SIM_ERROR_FILE, "the checkpoint is too short");
  const char *why = wrong_header(world, &h);
  if (why) return world_fail(world, SIM_ERROR_FILE, "%s", why);
  size_t size = payload_size(&h);
  unsigned char *data = malloc(size + 1);
  if (!data) return world_fail(world, SIM_ERROR_MEMORY, "out of memory for a checkpoint");
  sim_status status = SIM_OK;
  if (fread(data, 1, size + 1, file) != size)
    status = world_fail(world, SIM_ERROR_FILE, "the checkpoint has not the length that it should have");
  else if (check_of(h, data, size) != h.check || !good_payload(world, &h, data))
    status = world_fail(world, SIM_ERROR_FILE, "the checkpoint is damaged");
  if (status == SIM_OK) status = take(world, &h, data);
  free(data);
  return status;
}
