#include "query/run.h"

#include "core/sort.h"

#include <string.h>

bool rows_reserve(const pl_allocator *allocator, row_list list, size_t need)
{
  return need <= *list.capacity || array_grow(allocator, list.data, *list.count, list.capacity, need, list.size);
}

bool rows_append(const pl_allocator *allocator, row_list list, const void *rows, size_t count)
{
  if (!rows_reserve(allocator, list, *list.count + count)) return false;
  if (count) memcpy(rows_at(list, *list.count), rows, count * list.size);
  *list.count += count;
  return true;
}

bool runner_create(runner *r, pl_context *context, const question *asked, void *state)
{
  *r = (runner){.context = context, .asked = asked, .state = state};
  r->workers = mem_new(&context->def.allocator, (size_t)context->threads, sizeof *r->workers);
  return r->workers != NULL;
}

void runner_destroy(runner *r)
{
  if (!r->workers) return;
  const pl_allocator *allocator = &r->context->def.allocator;
  for (int i = 0; i < r->context->threads; ++i) array_free(allocator, &r->workers[i].left);
  mem_free(allocator, r->workers);
  array_free_all(allocator, &r->pieces, &r->items);
  for (int k = 0; k < RUNNER_LISTS; ++k) array_free(allocator, &r->shared[k]);
  array_free_all(allocator, &r->sorted, &r->keys, &r->sorting, &r->places);
}

/* ----------------------------------------------------------------------------------- a piece -- */

/* With several workers, moves the rows that a piece has found to the shared lists. */
static bool share_rows(runner *r, int worker, runner_range own[])
{
  for (int k = 0; k < r->asked->lists; ++k) {
    row_list list = r->asked->found(r, worker, k);
    const size_t n = *list.count - own[k].begin;
    own[k].end = *list.count;
    if (r->context->threads == 1) continue;
    size_t *most = &r->workers[worker].most_rows[k];
    if (n > *most) *most = n;
    const char *from = n ? rows_at(list, own[k].begin) : NULL;
    *list.count = own[k].begin;
    own[k] = (runner_range){.worker = RUNNER_SHARED};
    if (n && !shared_append(r->context, &r->shared[k], from, n * list.size, &own[k].begin)) return false;
    own[k].begin /= list.size;
    own[k].end = own[k].begin + n;
  }
  return true;
}

/* Moves the rest of the stack to the worker's list, the top first. */
static bool leave_rest(runner *r, int worker, runner_range *left)
{
  runner_worker *w = &r->workers[worker];
  row_list stack = r->asked->stack(r, worker);
  const size_t n = *stack.count, begin = w->left.count;
  *left = (runner_range){worker, begin / stack.size, begin / stack.size + n};
  *stack.count = 0;
  if (!array_reserve(&r->context->locked, &w->left, begin + n * stack.size)) return false;
  for (size_t i = 0; i < n; ++i) memcpy(w->left.data + begin + i * stack.size, rows_at(stack, n - 1 - i), stack.size);
  w->left.count = begin + n * stack.size;
  return true;
}

static void push_items(runner *r, const runner_piece *p, row_list stack)
{
  for (size_t i = p->item_end; i-- > p->item; ++*stack.count)
    memcpy(rows_at(stack, *stack.count), r->items.data + i * stack.size, stack.size);
}

/* One worker alone need not stop, unless the next round depends on what this one has found. */
static uint64_t tests_of(const runner *r, bool first)
{
  if (r->context->threads == 1 && !r->asked->between) return UINT64_MAX;
  return first ? r->asked->first_tests : r->part_tests;
}

static void runner_task(void *data, int task, int worker)
{
  runner *r = data;
  const question *asked = r->asked;
  const size_t index = r->round + (size_t)task;
  runner_piece *p = &r->pieces.data[index];
  runner_worker *w = &r->workers[worker];
  const bool first = index < r->jobs;
  for (int k = 0; k < asked->lists; ++k) {
    const size_t at = *asked->found(r, worker, k).count;
    p->own[k] = (runner_range){worker, at, at};
  }
  p->left = (runner_range){.worker = worker};
  row_list stack = asked->stack ? asked->stack(r, worker) : (row_list){0};
  bool room = !asked->stack || rows_reserve(&r->context->locked, stack, asked->step + (p->item_end - p->item));
  pl_status status = room ? PL_OK : PL_ERROR_MEMORY;
  if (room) {
    if (asked->begin) asked->begin(r, p->job, first, worker);
    if (!first) push_items(r, p, stack);
    status = asked->walk(r, index, worker, tests_of(r, first));
    if (!share_rows(r, worker, p->own)) status = PL_ERROR_MEMORY;
    if (status == PL_OK && asked->stack && !leave_rest(r, worker, &p->left)) status = PL_ERROR_MEMORY;
  }
  if (status != PL_OK) w->status = status;
}

/* ------------------------------------------------------------------------------------ rounds -- */

static pl_status status_of(const runner *r, pl_status status)
{
  for (int i = 0; i < r->context->threads; ++i)
    if (r->workers[i].status != PL_OK) status = r->workers[i].status;
  return status;
}

/* Moves what the pieces [begin, end) have left, in order, to `items`. */
static bool take_items(runner *r, size_t begin, size_t end)
{
  const size_t size = r->asked->stack(r, 0).size;
  r->left = 0;
  for (size_t i = begin; i < end; ++i) r->left += r->pieces.data[i].left.end - r->pieces.data[i].left.begin;
  if (!array_reserve(&r->context->def.allocator, &r->items, r->left * size)) return false;
  r->items.count = 0;
  for (size_t i = begin; i < end; ++i) {
    const runner_range *left = &r->pieces.data[i].left;
    const size_t bytes = (left->end - left->begin) * size;
    if (bytes) memcpy(r->items.data + r->items.count, r->workers[left->worker].left.data + left->begin * size, bytes);
    r->items.count += bytes;
  }
  for (int i = 0; i < r->context->threads; ++i) r->workers[i].left.count = 0;
  return true;
}

/* Makes a piece of each item, or of runs of them. */
static bool cut(runner *r, size_t begin, size_t end)
{
  const size_t most = r->asked->most_pieces, pieces = most && r->left > most ? most : r->left;
  if (!array_reserve(&r->context->def.allocator, &r->pieces, end + pieces)) return false;
  size_t at = 0;
  for (size_t i = begin; i < end && !most; ++i) {
    runner_piece *p = &r->pieces.data[i];
    p->child = r->pieces.count;
    for (size_t k = p->left.begin; k < p->left.end; ++k, ++at)
      r->pieces.data[r->pieces.count++] = (runner_piece){.job = p->job, .item = at, .item_end = at + 1};
  }
  for (size_t i = 0; i < pieces && most; ++i)
    r->pieces.data[r->pieces.count++] = (runner_piece){
        .job = r->pieces.data[begin].job, .item = i * r->left / pieces, .item_end = (i + 1) * r->left / pieces};
  return true;
}

static pl_status run_round(runner *r, size_t begin, size_t end)
{
  const int count = (int)(end - begin);
  const bool first = begin == 0;
  r->round = begin;
  return status_of(
      r, r->asked->short_pieces && !(first && (r->wake || r->asked->stack))
             ? parallel_for_short(r->context, runner_task, r, count)
             : parallel_for(r->context, first ? r->wake : end - begin >= r->asked->wake_from, runner_task, r, count));
}

static pl_status start(runner *r)
{
  if (!array_reserve(&r->context->def.allocator, &r->pieces, r->jobs)) return PL_ERROR_MEMORY;
  for (r->pieces.count = 0; r->pieces.count < r->jobs; ++r->pieces.count)
    r->pieces.data[r->pieces.count] = (runner_piece){.job = (uint32_t)r->pieces.count};
  for (int i = 0; i < r->context->threads; ++i) {
    runner_worker *w = &r->workers[i];
    w->counters = (pl_counters){0};
    w->status = PL_OK;
    w->left.count = 0;
    for (int k = 0; k < r->asked->lists; ++k) *r->asked->found(r, i, k).count = 0;
  }
  for (int k = 0; k < RUNNER_LISTS; ++k) r->shared[k].count = 0;
  r->items.count = r->left = 0;
  r->part_tests = r->asked->part_tests;
  return PL_OK;
}

/* One past the last piece of the round that begins with `begin`. */
static size_t round_end(const runner *r, size_t begin)
{
  const size_t more = 1 + begin / 4, left = r->pieces.count - begin;
  return begin + (r->asked->in_turn && more < left ? more : left);
}

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

/* Gives every worker the room that any one of them has needed; `items`: most that a round has
 * left. */
static bool level(runner *r, size_t items)
{
  if (r->context->threads == 1) return true;
  size_t stack = 0, most[RUNNER_LISTS] = {0};
  for (int i = 0; i < r->context->threads; ++i) {
    if (r->asked->stack) stack = greater(stack, *r->asked->stack(r, i).capacity);
    for (int k = 0; k < r->asked->lists; ++k) most[k] = greater(most[k], r->workers[i].most_rows[k]);
  }
  bool room = true;
  for (int i = 0; i < r->context->threads && room; ++i) {
    row_list list = r->asked->stack ? r->asked->stack(r, i) : (row_list){0};
    if (r->asked->stack)
      room = rows_reserve(&r->context->locked, list, stack) &&
             array_reserve(&r->context->locked, &r->workers[i].left, items * list.size);
    for (int k = 0; k < r->asked->lists && room; ++k)
      room = rows_reserve(&r->context->locked, r->asked->found(r, i, k), most[k] + r->asked->ahead);
  }
  return room;
}

/* One piece that is neither cut nor gathered: a single ray or point. */
static pl_status run_single(runner *r, pl_counters *counters)
{
  r->workers[0].counters = (pl_counters){0};
  pl_status status = r->asked->walk(r, 0, 0, UINT64_MAX);
  counters_add(counters, &r->workers[0].counters);
  return status;
}

pl_status runner_run(runner *r, pl_counters *counters)
{
  if (r->jobs == 1 && !r->asked->stack && !r->asked->lists && !r->asked->begin) return run_single(r, counters);
  size_t begin = 0, most = 0;
  bool goes_on = true;
  pl_status status = start(r);
  for (size_t end; status == PL_OK && goes_on && begin < r->pieces.count; begin = end) {
    end = round_end(r, begin);
    status = run_round(r, begin, end);
    if (!r->asked->stack) break;
    if (status == PL_OK && !take_items(r, begin, end)) status = PL_ERROR_MEMORY;
    most = r->left > most ? r->left : most;
    if (status == PL_OK && r->asked->between) goes_on = r->asked->between(r, begin, end);
    if (status == PL_OK && goes_on && !r->asked->in_turn && !cut(r, begin, end)) status = PL_ERROR_MEMORY;
  }
  if (status == PL_OK && !level(r, most)) status = PL_ERROR_MEMORY;
  if (status != PL_OK) return status;
  for (int i = 0; i < r->context->threads; ++i) counters_add(counters, &r->workers[i].counters);
  return PL_OK;
}

/* --------------------------------------------------------------------------------- gathering -- */

static bool append(const runner *r, const runner_range *own, int list, row_list out)
{
  const size_t n = own->end - own->begin;
  if (!n) return true;
  if (!rows_reserve(&r->context->def.allocator, out, *out.count + n)) return false;
  const char *from = own->worker == RUNNER_SHARED ? r->shared[list].data : *r->asked->found(r, own->worker, list).data;
  memcpy(rows_at(out, *out.count), from + own->begin * out.size, n * out.size);
  *out.count += n;
  return true;
}

/* Appends the rows of a piece, then those of its pieces, in order. Recursion depth: the number
 * of rounds. */
static bool append_piece(const runner *r, size_t piece, int list, row_list out)
{
  const runner_piece *p = &r->pieces.data[piece];
  const size_t children = p->left.end - p->left.begin;
  bool room = append(r, &p->own[list], list, out);
  for (size_t i = 0; room && i < children; ++i) room = append_piece(r, p->child + i, list, out);
  return room;
}

bool runner_gather(const runner *r, size_t job, int list, row_list out) { return append_piece(r, job, list, out); }

/* ----------------------------------------------------------------------------------- sorting -- */

/* One past the last row with the key of row i. */
static size_t equal_end(row_list list, size_t i, size_t end, runner_key *key)
{
  const uint64_t of_i = key(rows_at(list, i));
  do ++i;
  while (i < end && key(rows_at(list, i)) == of_i);
  return i;
}

/* The place of a key among n ascending ones. */
static size_t place_of(const uint64_t *keys, size_t n, uint64_t key)
{
  size_t low = 0;
  for (size_t high = n; high - low > 1;) {
    size_t middle = low + (high - low) / 2;
    *(keys[middle] <= key ? &low : &high) = middle;
  }
  return low;
}

bool runner_sort_keys(runner *r, row_list out, size_t begin, size_t end, runner_key *key, runner_row *row)
{
  const pl_allocator *allocator = &r->context->def.allocator;
  const size_t n = end - begin;
  if (!array_reserve(allocator, &r->keys, n) || !array_reserve(allocator, &r->sorting, n)) return false;
  for (size_t i = 0; i < n; ++i) r->keys.data[i] = key(rows_at(out, begin + i));
  sort_keys(r->keys.data, r->sorting.data, n);
  for (size_t i = 0; i < n; ++i) row(r->keys.data[i], rows_at(out, begin + i));
  return true;
}

/* Sorts the keys, one for all rows that have it, and copies the rows to the places of their
 * keys. */
bool runner_sort(runner *r, row_list out, size_t begin, size_t end, runner_key *key)
{
  const pl_allocator *allocator = &r->context->def.allocator;
  size_t n = end - begin, keys = 0;
  if (!array_reserve(allocator, &r->keys, n) || !array_reserve(allocator, &r->sorting, n) ||
      !array_reserve(allocator, &r->places, n + 1) || !array_reserve(allocator, &r->sorted, n * out.size))
    return false;
  for (size_t i = begin; i < end; i = equal_end(out, i, end, key)) r->keys.data[keys++] = key(rows_at(out, i));
  sort_keys(r->keys.data, r->sorting.data, keys);
  for (size_t i = begin, next; i < end; i = next) {
    next = equal_end(out, i, end, key);
    r->places.data[place_of(r->keys.data, keys, key(rows_at(out, i)))] = next - i;
  }
  for (size_t i = 0, at = 0; i < keys; ++i) {
    const size_t length = r->places.data[i];
    r->places.data[i] = at;
    at += length;
  }
  for (size_t i = begin, next; i < end; i = next) {
    next = equal_end(out, i, end, key);
    const size_t to = r->places.data[place_of(r->keys.data, keys, key(rows_at(out, i)))];
    memcpy(r->sorted.data + to * out.size, rows_at(out, i), (next - i) * out.size);
  }
  if (n) memcpy(rows_at(out, begin), r->sorted.data, n * out.size);
  return true;
}
