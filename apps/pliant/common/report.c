/* Values of frames and rows of body pairs; the worst frames are posed again at the end, so that
 * no positions are kept. */
#include "common/report_inside.h"

#include "common/command.h"
#include "common/number_name.h"
#include "common/output.h"
#include "common/shard.h"
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int report_check(const char *command, const char *path)
{
  if (!path || name_ends_with(path, ".html") || name_ends_with(path, ".htm")) return OPTIONS_GO_ON;
  return options_refuse(command, "--report %s: the name must end in .html", path);
}

static bool complain_memory(const char *path)
{
  output_complain("%s: out of memory for the report", path);
  return false;
}

bool report_create(const report_def *def, report **out)
{
  report *r = *out = calloc(1, sizeof *r);
  if (!r) return complain_memory(def->path);
  r->def = *def;
  shard_want_replay();
  return true;
}

void report_free(report *r)
{
  if (!r) return;
  for (size_t i = 0; i < r->row_count; ++i) free(r->rows[i].ranges);
  for (size_t i = 0; i < r->picture_count; ++i) {
    free(r->pictures[i].whole);
    free(r->pictures[i].near);
  }
  free(r->rows);
  free(r->slots);
  free(r->frames);
  free(r->values);
  free(r->marks);
  free(r);
}

bool report_is_nearest(const report *r) { return r->def.nearest; }

bool report_shows(const report *r, double value) { return r->def.nearest ? isfinite(value) : value > 0; }

bool report_is_worse(const report *r, double value, double than)
{
  return r->def.nearest ? value < than : value > than;
}

/* ------------------------------------------------------------------------------------ gather -- */

bool report_frame(report *r, size_t frame, double value)
{
  if (r->count == r->room) {
    size_t room = 2 * r->room + 256;
    size_t *numbers = realloc(r->frames, room * sizeof *numbers);
    if (numbers) r->frames = numbers;
    double *values = numbers ? realloc(r->values, room * sizeof *values) : NULL;
    if (values) r->values = values;
    uint64_t *marks = values ? realloc(r->marks, room * sizeof *marks) : NULL;
    if (!marks) return complain_memory(r->def.path);
    r->marks = marks;
    r->room = room;
  }
  r->frames[r->count] = frame;
  r->marks[r->count] = 0;
  r->values[r->count++] = value;
  return true;
}

static size_t hash(size_t a, size_t b)
{
  uint64_t h = ((uint64_t)a << 32 ^ (uint64_t)b) * 0x9e3779b97f4a7c15u;
  return (size_t)(h ^ h >> 29);
}

static bool grow_slots(report *r)
{
  size_t room = r->slot_room ? 2 * r->slot_room : 64;
  size_t *slots = calloc(room, sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < r->row_count; ++i) {
    size_t at = hash(r->rows[i].a, r->rows[i].b) & (room - 1);
    while (slots[at]) at = (at + 1) & (room - 1);
    slots[at] = i + 1;
  }
  free(r->slots);
  r->slots = slots;
  r->slot_room = room;
  return true;
}

static report_row *find_row(report *r, size_t a, size_t b)
{
  if (2 * (r->row_count + 1) > r->slot_room && !grow_slots(r)) return NULL;
  size_t at = hash(a, b) & (r->slot_room - 1);
  for (; r->slots[at]; at = (at + 1) & (r->slot_room - 1)) {
    report_row *row = &r->rows[r->slots[at] - 1];
    if (row->a == a && row->b == b) return row;
  }
  if (r->row_count == r->row_room) {
    size_t room = 2 * r->row_room + 16;
    report_row *moved = realloc(r->rows, room * sizeof *moved);
    if (!moved) return NULL;
    r->rows = moved;
    r->row_room = room;
  }
  r->slots[at] = ++r->row_count;
  report_row *row = &r->rows[r->row_count - 1];
  *row = (report_row){.a = a, .b = b};
  return row;
}

static bool add_range(report_row *row, size_t frame)
{
  report_range *last = row->range_count ? &row->ranges[row->range_count - 1] : NULL;
  if (last && last->last + 1 == frame) {
    last->last = frame;
    return true;
  }
  if ((row->range_count & (row->range_count - 1)) == 0) {
    report_range *moved = realloc(row->ranges, (row->range_count ? 2 * row->range_count : 1) * sizeof *moved);
    if (!moved) return false;
    row->ranges = moved;
  }
  row->ranges[row->range_count++] = (report_range){frame, frame};
  return true;
}

uint64_t report_look(uint32_t triangle_a, uint32_t triangle_b)
{
  uint64_t h = ((uint64_t)triangle_a << 32 | triangle_b) + 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
  return (h ^ h >> 27) * 0x94d049bb133111ebu;
}

bool report_pair(report *r, size_t a, size_t b, double value, uint64_t look)
{
  size_t frame = r->frames[r->count - 1];
  shard_pair_found(a, b, value, look);
  report_row *row = find_row(r, a < b ? a : b, a < b ? b : a);
  if (!row || !add_range(row, frame)) return complain_memory(r->def.path);
  r->marks[r->count - 1] = (r->marks[r->count - 1] ^ hash(row->a, row->b) ^ look) * 1099511628211u;
  if (row->frames++ == 0 || report_is_worse(r, value, row->worst)) {
    row->worst = value;
    row->worst_at = frame;
  }
  return true;
}

bool report_replay(report *r, const shard_record *record)
{
  bool good = report_frame(r, record->frame, record->value);
  for (size_t i = 0; i < record->pair_count && good; ++i) {
    const shard_pair *p = &record->pairs[i];
    good = report_pair(r, p->a, p->b, p->value, p->look);
  }
  return good;
}

/* ---------------------------------------------------------------------------------- pictures -- */

/* The worst frame that is not near one that was chosen before; SIZE_MAX: there is none. */
static size_t next_worst(const report *r, size_t apart)
{
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < r->count; ++i) {
    if (!report_shows(r, r->values[i]) || (best != SIZE_MAX && !report_is_worse(r, r->values[i], r->values[best])))
      continue;
    bool taken = false;
    for (size_t k = 0; k < r->picture_count; ++k) {
      size_t other = r->pictures[k].frame, frame = r->frames[i];
      taken = taken || (frame > other ? frame - other : other - frame) < apart ||
              (r->values[i] == r->pictures[k].value && r->marks[i] == r->pictures[k].marks);
    }
    if (!taken) best = i;
  }
  return best;
}

static int compare_pictures(const void *x, const void *y)
{
  const report_picture *a = x, *b = y;
  return (a->frame > b->frame) - (a->frame < b->frame);
}

static bool make_pictures(report *r, report_ask ask, void *user)
{
  world_positions where;
  size_t apart = r->count / (2 * REPORT_MOST_PICTURES) + 1;
  bool good = world_positions_create(&where, r->def.stage);
  while (good && r->picture_count < REPORT_MOST_PICTURES) {
    size_t i = next_worst(r, apart);
    if (i == SIZE_MAX) break;
    report_picture *picture = &r->pictures[r->picture_count++];
    *picture = (report_picture){.frame = r->frames[i], .value = r->values[i], .marks = r->marks[i]};
    report_shot shot = {0};
    good = ask(user, picture->frame, &shot);
    world_positions_next(&where);
    good = good && report_paint(r, picture, &shot, &where);
  }
  qsort(r->pictures, r->picture_count, sizeof *r->pictures, compare_pictures);
  world_positions_free(&where);
  return good;
}

/* The most frames first. */
static int compare_rows(const void *x, const void *y)
{
  const report_row *a = x, *b = y;
  if (a->frames != b->frames) return a->frames > b->frames ? -1 : 1;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return (a->b > b->b) - (a->b < b->b);
}

bool report_finish(report *r, report_ask ask, void *user)
{
  if (shard_is_on() && !shard_replays()) return true; /* `pliant merge` writes the page */
  if (!make_pictures(r, ask, user)) return false;
  if (r->row_count) qsort(r->rows, r->row_count, sizeof *r->rows, compare_rows);
  io_error error = {""};
  io_output out;
  bool good = io_output_open(&out, r->def.path, &error);
  if (good) {
    good = report_write_page(r, out.file);
    if (!io_output_close(&out, good, &error)) good = false;
  }
  if (!good) output_complain("%s", error.text[0] ? error.text : r->def.path);
  return good;
}
