/* --baseline: what was accepted before, a text file that versions well. An asset is named by its
 * path from the folder of the baseline. A finding of it is found again by what an export keeps:
 * the animation, the names of its bodies and bones, and its place in the reference pose, not by
 * numbers of triangles. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "check/check.h"
#include "common/output.h"
#include "io/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "# pliant check: accepted intersections, version ";
enum { VERSION = 1 };

/* How far a place may have moved, in diagonals of the asset: between the same bones, and between
 * others of the same bodies, as a finding near a joint may change its bone. */
static const double far_same_bones = 0.1, far_other_bones = 0.02;

/* ------------------------------------------------------------------------------------- paths -- */

/* The whole path of a file that may not exist; NULL: out of memory, or its folder is not there. */
static char *whole_path(const char *path)
{
  char *found = realpath(path, NULL);
  if (found) return found;
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  char *above = folder ? realpath(folder, NULL) : NULL;
  size_t room = above ? strlen(above) + strlen(path) + 2 : 0;
  found = above ? malloc(room) : NULL;
  if (found) snprintf(found, room, "%s/%s", above, slash ? slash + 1 : path);
  free(folder);
  free(above);
  return found;
}

/* From the folder of the baseline to the asset: "../characters/fox.glb". */
static char *path_from(const char *baseline, const char *asset)
{
  char *from = whole_path(baseline), *to = whole_path(asset), *out = NULL;
  if (from && to) {
    size_t same = 0, ups = 0;
    for (size_t i = 0; from[i] && from[i] == to[i]; ++i)
      if (from[i] == '/') same = i + 1;
    for (const char *c = from + same; *c; ++c) ups += *c == '/';
    size_t room = 3 * ups + strlen(to + same) + 1;
    out = malloc(room);
    for (size_t i = 0; out && i < ups; ++i) memcpy(out + 3 * i, "../", 3);
    if (out) memcpy(out + 3 * ups, to + same, room - 3 * ups);
  }
  free(from);
  free(to);
  return out;
}

/* -------------------------------------------------------------------------------------- read -- */

static bool add_asset(check_job *job, char *at)
{
  size_t n = job->accepted_count;
  if ((n & (n - 1)) == 0) {
    check_accepted *moved = realloc(job->accepted, (n ? 2 * n : 1) * sizeof *moved);
    if (!moved) return false;
    job->accepted = moved;
  }
  job->accepted[n] = (check_accepted){0};
  ++job->accepted_count;
  return check_take_text(&at, &job->accepted[n].asset);
}

static bool add_entry(check_accepted *to, char *at)
{
  if (to->count == to->room) {
    size_t room = to->room ? 2 * to->room : 8;
    check_entry *moved = realloc(to->entries, room * sizeof *moved);
    if (!moved) return false;
    to->entries = moved;
    to->room = room;
  }
  check_entry *e = &to->entries[to->count++];
  *e = (check_entry){0};
  bool good = check_take_real(&at, &e->depth) && check_take_text(&at, &e->animation);
  for (int i = 0; good && i < 2; ++i) {
    for (int k = 0; good && k < 3; ++k) good = check_take_text(&at, &e->name[i][k]);
    for (int k = 0; good && k < 3; ++k) good = check_take_real(&at, &e->rest[i][k]);
  }
  return good;
}

static bool take_line(check_job *job, char *line)
{
  char *at = line;
  if (!*line || *line == '#') return true;
  if (check_take_word(&at, "asset")) return add_asset(job, at);
  return job->accepted_count && check_take_word(&at, "finding") &&
         add_entry(&job->accepted[job->accepted_count - 1], at);
}

static int compare_accepted(const void *a, const void *b)
{
  return strcmp(((const check_accepted *)a)->asset, ((const check_accepted *)b)->asset);
}

/* There is none yet: it will be written, if there is a folder for it. */
static bool begin_baseline(check_job *job)
{
  char *place = whole_path(job->options.baseline);
  if (!place) output_complain("%s: cannot be written: its folder is not there", job->options.baseline);
  job->writes_baseline = place != NULL;
  free(place);
  return job->writes_baseline;
}

static const char foreign[] = "is no baseline that pliant check has written; move it away to write a new one";

/* The first line: "", or what is wrong with it. */
static const char *head_fault(const char *line, char text[120])
{
  if (strncmp(line, head, sizeof head - 1) != 0) return foreign;
  char *end;
  const unsigned long version = strtoul(line + (sizeof head - 1), &end, 10);
  if (!version || *end) return foreign;
  if (version == VERSION) return "";
  snprintf(text, 120, "is a baseline of version %lu, and this pliant reads version %d; use the one that wrote it",
           version, VERSION);
  return text;
}

bool check_baseline_read(check_job *job)
{
  const char *path = job->options.baseline;
  if (!path) return true;
  FILE *file = fopen(path, "r");
  if (!file && errno == ENOENT) return begin_baseline(job);
  if (!file) return output_complain("%s: %s", path, strerror(errno)), false;
  char *line = NULL, text[120];
  const char *fault = "";
  size_t room = 0, number = 0;
  for (ssize_t n; !*fault && (n = getline(&line, &room, file)) > 0;) {
    if (line[n - 1] == '\n') line[--n] = '\0';
    if (n > 0 && line[n - 1] == '\r') line[n - 1] = '\0';
    if (++number == 1)
      fault = head_fault(line, text);
    else if (!take_line(job, line))
      fault = "is damaged: take the last good version of it, or move it away to write a new one";
  }
  if (!*fault && ferror(file))
    output_complain("%s: %s", path, strerror(errno));
  else if (*fault && number > 1)
    output_complain("%s, line %zu: %s", path, number, fault);
  else if (*fault || !number)
    output_complain("%s: %s", path, *fault ? fault : foreign);
  const bool good = !*fault && number > 0 && !ferror(file);
  free(line);
  fclose(file);
  if (job->accepted_count) qsort(job->accepted, job->accepted_count, sizeof *job->accepted, compare_accepted);
  job->has_baseline = good;
  job->writes_baseline = job->options.update_baseline;
  return good;
}

void check_baseline_free(check_job *job)
{
  for (size_t i = 0; i < job->accepted_count; ++i) {
    check_accepted *a = &job->accepted[i];
    for (size_t k = 0; k < a->count; ++k) {
      for (int n = 0; n < 6; ++n) free(a->entries[k].name[n / 3][n % 3]);
      free(a->entries[k].animation);
    }
    free(a->entries);
    free(a->asset);
  }
  free(job->accepted);
}

/* ------------------------------------------------------------------------------------- match -- */

check_accepted *check_baseline_of(const check_job *job, const check_asset *asset)
{
  if (!job->has_baseline || !job->accepted_count) return NULL;
  check_accepted wanted = {.asset = path_from(job->options.baseline, asset->name)};
  check_accepted *found =
      wanted.asset ? bsearch(&wanted, job->accepted, job->accepted_count, sizeof *job->accepted, compare_accepted)
                   : NULL;
  free(wanted.asset);
  return found;
}

static double apart(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Is it the same place, with the sides in this order or turned round? */
static bool is_same(const check_entry *e, const check_asset *asset, const check_finding *f, bool turned)
{
  bool bones = true;
  double distance = 0;
  for (int i = 0; i < 2; ++i) {
    const check_side *s = &f->side[turned ? 1 - i : i];
    if (strcmp(e->name[i][0], s->body) != 0) return false;
    bones = bones && strcmp(e->name[i][1], s->bone) == 0;
    distance = fmax(distance, apart(e->rest[i], s->rest));
  }
  return distance <= (bones ? far_same_bones : far_other_bones) * asset->diagonal;
}

double check_baseline_depth(check_accepted *accepted, const check_asset *asset, const check_finding *f)
{
  double depth = -1;
  for (size_t i = 0; i < accepted->count; ++i) {
    check_entry *e = &accepted->entries[i];
    if (strcmp(e->animation, f->animation) != 0) continue;
    if (!is_same(e, asset, f, false) && !is_same(e, asset, f, true)) continue;
    e->seen = true;
    depth = fmax(depth, e->depth);
  }
  return depth;
}

/* ------------------------------------------------------------------------------------- write -- */

static void put_head(FILE *file, double depth, const char *animation)
{
  fputs("finding", file);
  check_put_real(file, depth);
  check_put_text(file, animation);
}

static void put_side(FILE *file, const char *body, const char *bone, const char *material, const double rest[3])
{
  check_put_text(file, body);
  check_put_text(file, bone);
  check_put_text(file, material);
  for (int k = 0; k < 3; ++k) check_put_real(file, (double)(float)rest[k]);
}

static void put_asset(FILE *file, const char *name)
{
  fputs("asset", file);
  check_put_text(file, name);
  fputc('\n', file);
}

static void put_found(FILE *file, const check_asset *a, const char *name)
{
  put_asset(file, name);
  for (size_t i = 0; i < a->finding_count; ++i) {
    const check_finding *f = &a->findings[i];
    put_head(file, f->depth, f->animation);
    for (int k = 0; k < 2; ++k) put_side(file, f->side[k].body, f->side[k].bone, f->side[k].material, f->side[k].rest);
    fputc('\n', file);
  }
}

static void put_kept(FILE *file, const check_accepted *a)
{
  put_asset(file, a->asset);
  for (size_t i = 0; i < a->count; ++i) {
    const check_entry *e = &a->entries[i];
    put_head(file, e->depth, e->animation);
    for (int k = 0; k < 2; ++k) put_side(file, e->name[k][0], e->name[k][1], e->name[k][2], e->rest[k]);
    fputc('\n', file);
  }
}

typedef struct row {
  char *name;
  const check_asset *asset; /* NULL: `kept` */
  const check_accepted *kept;
} row;

static int compare_rows(const void *a, const void *b)
{
  const row *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->asset == NULL) - (y->asset == NULL);
}

static bool write_rows(const check_job *job, row *rows, size_t count)
{
  io_output out;
  io_error error = {""};
  if (!io_output_open(&out, job->options.baseline, &error)) return output_complain("%s", error.text), false;
  fprintf(out.file, "%s%d\n", head, VERSION);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && strcmp(rows[i].name, rows[i - 1].name) == 0) continue;
    rows[i].asset ? put_found(out.file, rows[i].asset, rows[i].name) : put_kept(out.file, rows[i].kept);
  }
  bool good = io_output_close(&out, !ferror(out.file), &error);
  if (!good) output_complain("%s", error.text);
  return good;
}

/* What was found in this run; of assets that are not in it, or could not be read, what was
 * accepted before. */
bool check_baseline_write(const check_job *job)
{
  row *rows = calloc(job->asset_count + job->accepted_count + 1, sizeof *rows);
  size_t count = 0;
  bool good = rows != NULL;
  for (size_t i = 0; good && i < job->asset_count; ++i) {
    if (!job->assets[i].readable) continue;
    rows[count].name = path_from(job->options.baseline, job->assets[i].name);
    rows[count].asset = &job->assets[i];
    good = rows[count++].name != NULL;
  }
  for (size_t i = 0; good && i < job->accepted_count; ++i) {
    rows[count].name = strdup(job->accepted[i].asset);
    rows[count].kept = &job->accepted[i];
    good = rows[count++].name != NULL;
  }
  if (!good) output_complain("%s: cannot be written: out of memory", job->options.baseline);
  if (good) qsort(rows, count, sizeof *rows, compare_rows);
  good = good && write_rows(job, rows, count);
  for (size_t i = 0; i < count; ++i) free(rows[i].name);
  free(rows);
  return good;
}
