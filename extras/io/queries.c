#include "io/queries.h"

#include "io/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, MOST_FIELDS = 7 };

typedef struct row {
  double field[MOST_FIELDS];
  int count;
} row;

/* The fields of one line. */
static bool read_row(io_text *t, const io_source *source, row *out, io_error *error)
{
  out->count = 0;
  for (bool more = true; more;) {
    io_text_blanks(t);
    const char *stop = t->at;
    while (stop < t->end && *stop != t->eol && *stop != ',') ++stop;
    const char *last = stop;
    while (last > t->at && io_is_space(last[-1])) --last;
    if (out->count == MOST_FIELDS) return io_fail(error, source->name, t->line, "a row has 6 or 7 fields, not more");
    double *field = &out->field[out->count++];
    const char *word = t->at;
    if (io_parse_double(&t->at, last, field) != IO_NUMBER_OK || t->at != last)
      return io_fail(error, source->name, t->line, "'%s' stands where a number should be",
                     io_text_word(word, last).text);
    more = stop < t->end && *stop == ',';
    t->at = more ? stop + 1 : stop;
  }
  if (out->count < 6) return io_fail(error, source->name, t->line, "a row has %d of 6 or 7 fields", out->count);
  io_text_next_line(t);
  return true;
}

static bool is_power_of_two(double x)
{
  int exponent;
  return x > 0 && frexp(x, &exponent) == 0.5;
}

/* A row as a point of its query. */
static bool take_row(const io_source *source, size_t line, const row *r, io_query *query, size_t index, io_error *error)
{
  double *to = index < 4 ? query->start[index] : query->end[index - 4];
  for (int k = 0; k < 3; ++k) {
    double over = r->field[2 * k], under = r->field[2 * k + 1];
    to[k] = over / under;
    if (!is_power_of_two(under) || !isfinite(to[k]) || to[k] * under != over)
      return io_fail(error, source->name, line, "%.17g / %.17g is not exactly a double; denominators are powers of two",
                     over, under);
  }
  return true;
}

static bool grow(io_queries *out, size_t *room)
{
  if (out->count < *room) return true;
  size_t more = *room ? 2 * *room : 256;
  io_query *queries = realloc(out->queries, more * sizeof *queries);
  if (queries) out->queries = queries;
  bool *labels = queries ? realloc(out->labels, more * sizeof *labels) : NULL;
  if (labels) out->labels = labels;
  *room = labels ? more : *room;
  return labels != NULL;
}

static bool read_query(io_text *t, const io_source *source, io_queries *out, int *fields, io_error *error)
{
  size_t first = t->line;
  double label = 0;
  for (size_t i = 0; i < ROWS; ++i, io_text_space(t, 0)) {
    row r;
    size_t line = t->line;
    if (io_text_ended(t)) return io_fail(error, source->name, first, "the last query has %zu of 8 rows", i);
    if (!read_row(t, source, &r, error)) return false;
    if (*fields == 0) *fields = r.count;
    if (r.count != *fields)
      return io_fail(error, source->name, line, "a row of %d fields among rows of %d", r.count, *fields);
    if (i == 0) label = r.count == 7 ? r.field[6] : 0;
    if (r.count == 7 && ((r.field[6] != 0 && r.field[6] != 1) || r.field[6] != label))
      return io_fail(error, source->name, line, "the label %g is not 0 or 1, or not that of the query's first row",
                     r.field[6]);
    if (!take_row(source, line, &r, &out->queries[out->count], i, error)) return false;
  }
  out->labels[out->count++] = label == 1;
  return true;
}

static bool read_all(const io_source *source, io_queries *out, io_error *error)
{
  io_text t = io_text_open(source);
  size_t room = 0;
  int fields = 0;
  io_text_space(&t, 0);
  while (!io_text_ended(&t)) {
    if (!grow(out, &room)) return io_fail(error, source->name, 0, "out of memory");
    if (!read_query(&t, source, out, &fields, error)) return false;
  }
  if (!out->count) return io_fail(error, source->name, 0, "there are no queries in it");
  if (fields == 6) {
    free(out->labels);
    out->labels = NULL;
  }
  return true;
}

bool io_queries_read(const char *path, io_queries *out, io_error *error)
{
  io_source source;
  *out = (io_queries){0};
  if (!io_file_load(path, &source, error)) return false;
  bool good = read_all(&source, out, error);
  if (!good) io_queries_free(out);
  io_file_unload(&source);
  return good;
}

void io_queries_free(io_queries *queries)
{
  free(queries->queries);
  free(queries->labels);
  *queries = (io_queries){0};
}

/* ------------------------------------------------------------------------------------ labels -- */

static bool take_word(io_text *t, const char *word)
{
  size_t length = strlen(word);
  io_text_space(t, 0);
  if ((size_t)(t->end - t->at) < length || memcmp(t->at, word, length) != 0) return false;
  t->at += length;
  return true;
}

static bool read_labels(const io_source *source, bool *labels, size_t count, io_error *error)
{
  io_text t = io_text_open(source);
  bool good = take_word(&t, "[");
  for (size_t i = 0; i < count && good; ++i) {
    labels[i] = take_word(&t, "true");
    good = (labels[i] || take_word(&t, "false")) && take_word(&t, i + 1 < count ? "," : "]");
  }
  io_text_space(&t, 0);
  if (good && io_text_ended(&t)) return true;
  return io_fail(error, source->name, t.line, "not an array of true and false, one for each of the %zu queries", count);
}

bool io_queries_read_labels(const char *path, io_queries *queries, io_error *error)
{
  io_source source;
  if (!io_file_load(path, &source, error)) return false;
  bool *labels = calloc(queries->count, sizeof *labels);
  bool good = labels ? read_labels(&source, labels, queries->count, error) : io_fail(error, path, 0, "out of memory");
  io_file_unload(&source);
  if (good) {
    free(queries->labels);
    queries->labels = labels;
  } else {
    free(labels);
  }
  return good;
}
