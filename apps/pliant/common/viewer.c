/* The viewer as one HTML file with meshes inside. A long sequence of mesh files goes in as whole
 * numbers, frame by frame as differences: a tenth of the size. */
#define _XOPEN_SOURCE 700 /* readlink() */
#include "common/viewer.h"

#include "common/output.h"
#include "io/assimp.h"
#include "io/output.h"
#include "io/reader.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, STEPS = 65535, LARGE = 4 << 20 };
static const char marker[] = "<!--pliant:files-->", title_begin[] = "<title>", title_end[] = "</title>";

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool complain(const io_error *error)
{
  output_complain("%s", error->text);
  return false;
}

/* PATH/UP/view.html, from the folder of this program. */
static bool beside_program(const char *up, char out[PATH_ROOM])
{
  char program[PATH_ROOM];
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n <= 0) return false;
  program[n] = '\0';
  char *slash = strrchr(program, '/');
  if (!slash) return false;
  *slash = '\0';
  int length = snprintf(out, PATH_ROOM, "%s/%s/view.html", program, up);
  return length < PATH_ROOM && access(out, R_OK) == 0;
}

static bool find_page(const char *given, char out[PATH_ROOM])
{
  if (given) {
    if (snprintf(out, PATH_ROOM, "%s", given) < PATH_ROOM) return true;
    output_complain("%s: its name is too long", given);
    return false;
  }
  static const char *const ups[] = {"../share/pliant", "../../out/web", "../out/web"};
  for (size_t i = 0; i < sizeof ups / sizeof ups[0]; ++i)
    if (beside_program(ups[i], out)) return true;
  snprintf(out, PATH_ROOM, "%s/view.html", PLIANT_SHARE_DIR);
  if (access(out, R_OK) == 0) return true;
  output_complain("the viewer was not built or not installed: run ./dev web in a checkout (then ./dev install), or "
                  "give its view.html with --page");
  return false;
}

static void write_base64(FILE *file, const char *data, size_t size)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *p = (const unsigned char *)data;
  for (size_t i = 0; i < size; i += 3) {
    unsigned bits = (unsigned)p[i] << 16 | (i + 1 < size ? (unsigned)p[i + 1] << 8 : 0) | (i + 2 < size ? p[i + 2] : 0);
    char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63]};
    if (i + 2 >= size) four[3] = '=';
    if (i + 1 >= size) four[2] = '=';
    fwrite(four, 1, 4, file);
  }
}

static void write_name(FILE *file, const char *name)
{
  for (; *name; ++name) {
    unsigned char c = (unsigned char)*name;
    if (c == '&' || c == '"' || c == '<' || c == '>' || c < ' ')
      fprintf(file, "&#%d;", c);
    else
      fputc(c, file);
  }
}

static bool write_file(FILE *file, const char *path, bool exact)
{
  io_source source = {.name = path};
  io_error error;
  char *made = NULL; /* of a file that the page cannot read: the scene as glTF; or glTF without images */
  bool other = io_assimp_is_scene(path);
  if (!(other ? io_assimp_scene(path, &made, &source.size, &error) : io_file_load(path, &source, &error)))
    return complain(&error);
  size_t size = source.size;
  if (!other && !exact && gltf_is_name(path)) gltf_trim(&source, &made, &size);
  fprintf(file, "<script class=\"pliant-file\" type=\"text/plain\" data-name=\"");
  write_name(file, last_part(path));
  fprintf(file, other ? ".glb\">" : "\">");
  write_base64(file, made ? made : source.data, size);
  fprintf(file, "</script>\n");
  if (!other) io_file_unload(&source);
  free(made);
  return true;
}

/* The first place of a word in a range; NULL: it is not there. */
static const char *find(const char *begin, const char *end, const char *word)
{
  size_t length = strlen(word);
  for (; (size_t)(end - begin) >= length; ++begin)
    if (*begin == *word && memcmp(begin, word, length) == 0) return begin;
  return NULL;
}

/* What comes before the files, with the first file's name as the title. */
static void write_head(FILE *file, const char *begin, const char *end, const char *name)
{
  const char *title = find(begin, end, title_begin), *rest = title ? find(title, end, title_end) : NULL;
  if (rest) {
    fwrite(begin, 1, (size_t)(title - begin) + strlen(title_begin), file);
    write_name(file, name);
    begin = rest;
  }
  fwrite(begin, 1, (size_t)(end - begin), file);
}

/* --------------------------------------------------------------------------------- sequences -- */

/* Bytes that grow. */
typedef struct bytes {
  unsigned char *data;
  size_t size, room;
  bool failed; /* out of memory */
} bytes;

static void put_byte(bytes *b, unsigned value)
{
  if (b->size == b->room) {
    size_t room = 2 * b->room + 65536;
    unsigned char *moved = realloc(b->data, room);
    b->failed = b->failed || !moved;
    if (!moved) return;
    b->data = moved;
    b->room = room;
  }
  b->data[b->size++] = (unsigned char)value;
}

/* Seven bits at a time, the lowest first. */
static void put_number(bytes *b, uint32_t value)
{
  for (; value >= 128; value >>= 7) put_byte(b, (value & 127) | 128);
  put_byte(b, value);
}

/* Small for small differences of either sign. */
static void put_difference(bytes *b, int64_t d) { put_number(b, (uint32_t)(d < 0 ? -2 * d - 1 : 2 * d)); }

typedef struct sequence {
  io_mesh *frames;
  size_t count;
  double lower[3], step[3]; /* position = lower + step * whole number */
} sequence;

/* Reads all frames. false: one differs in its triangles, or cannot be read: then it goes in as it
 * is, and the page says what is wrong. */
static bool read_sequence(char **paths, size_t count, sequence *s)
{
  io_error error;
  double upper[3];
  for (int k = 0; k < 3; ++k) s->lower[k] = INFINITY, upper[k] = -INFINITY;
  s->frames = calloc(count, sizeof *s->frames);
  for (size_t i = 0; s->frames && i < count; ++i) {
    io_mesh *m = &s->frames[i];
    if (!io_mesh_read(paths[i], m, &error)) return false;
    ++s->count;
    const io_mesh *first = &s->frames[0];
    if (m->vertex_count != first->vertex_count || m->triangle_count != first->triangle_count ||
        memcmp(m->triangles, first->triangles, 3 * m->triangle_count * sizeof *m->triangles) != 0)
      return false;
    for (size_t v = 0; v < 3 * m->vertex_count; ++v) {
      s->lower[v % 3] = fmin(s->lower[v % 3], m->xyz[v]);
      upper[v % 3] = fmax(upper[v % 3], m->xyz[v]);
    }
    if (i > 0) { /* only positions are needed */
      free(m->triangles);
      m->triangles = NULL;
    }
  }
  for (int k = 0; k < 3; ++k) s->step[k] = fmax((upper[k] - s->lower[k]) / STEPS, 0);
  return s->count == count && isfinite(s->step[0] + s->step[1] + s->step[2]);
}

static void free_sequence(sequence *s)
{
  for (size_t i = 0; i < s->count; ++i) io_mesh_free(&s->frames[i]);
  free(s->frames);
}

static int64_t whole(const sequence *s, size_t frame, size_t i)
{
  double step = s->step[i % 3];
  return step > 0 ? llround((s->frames[frame].xyz[i] - s->lower[i % 3]) / step) : 0;
}

/* Triangles by differences from corner to corner; then each frame: the first by differences from
 * vertex to vertex, the others from the frame before. */
static void put_sequence(const sequence *s, bytes *b)
{
  const io_mesh *first = &s->frames[0];
  for (size_t i = 0; i < 3 * first->triangle_count; ++i)
    put_difference(b, (int64_t)first->triangles[i] - (i ? (int64_t)first->triangles[i - 1] : 0));
  for (size_t f = 0; f < s->count; ++f)
    for (size_t i = 0; i < 3 * first->vertex_count; ++i)
      put_difference(b, whole(s, f, i) - (f ? whole(s, f - 1, i) : i >= 3 ? whole(s, f, i - 3) : 0));
}

static bool write_sequence(FILE *file, char **paths, size_t count)
{
  sequence s = {0};
  bytes b = {0};
  bool good = read_sequence(paths, count, &s);
  if (good) put_sequence(&s, &b);
  if (good && !b.failed) {
    fprintf(file, "<script class=\"pliant-sequence\" type=\"text/plain\" data-vertices=\"%zu\" data-triangles=\"%zu\"",
            s.frames[0].vertex_count, s.frames[0].triangle_count);
    fprintf(file, " data-box=\"%.17g %.17g %.17g %.17g %.17g %.17g\" data-names=\"", s.lower[0], s.lower[1], s.lower[2],
            s.step[0], s.step[1], s.step[2]);
    for (size_t i = 0; i < count; ++i) {
      if (i) fputc('/', file);
      write_name(file, last_part(paths[i]));
    }
    fputs("\">", file);
    write_base64(file, (const char *)b.data, b.size);
    fputs("</script>\n", file);
  }
  free(b.data);
  free_sequence(&s);
  return good && !b.failed;
}

static size_t file_size(const char *path)
{
  FILE *file = fopen(path, "rb");
  long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  if (file) fclose(file);
  return size > 0 ? (size_t)size : 0;
}

/* How many files from here on are frames of one mesh that are worth it. */
static size_t frames_from(const viewer_def *def, size_t first)
{
  size_t count = 1, size = file_size(def->paths[first]);
  if (def->exact || gltf_is_name(def->paths[first])) return 1;
  while (first + count < def->count && frames_same_but_numbers(def->paths[first], def->paths[first + count]))
    size += file_size(def->paths[first + count++]);
  return size >= LARGE ? count : 1;
}

/* -------------------------------------------------------------------------------------- page -- */

static bool write_files(FILE *file, const viewer_def *def)
{
  for (size_t i = 0; i < def->count;) {
    size_t n = frames_from(def, i);
    if (n > 1 && write_sequence(file, def->paths + i, n)) {
      i += n;
      continue;
    }
    for (size_t end = i + n; i < end; ++i)
      if (!write_file(file, def->paths[i], def->exact)) return false;
  }
  return true;
}

static bool write_page(FILE *file, const io_source *page, const char *split, const viewer_def *def)
{
  size_t after = page->size - (size_t)(split - page->data);
  write_head(file, page->data, split, last_part(def->paths[0]));
  if (def->findings)
    fprintf(file, "<script id=\"pliant-findings\" type=\"application/json\">%s</script>\n", def->findings);
  if (!write_files(file, def)) return false;
  fwrite(split, 1, after, file);
  return true;
}

static bool is_no_viewer(const char *path)
{
  output_complain("%s: not a viewer of pliant; ./dev web builds one", path);
  return false;
}

bool viewer_write(const viewer_def *def, const char *out_path, double *megabytes)
{
  char path[PATH_ROOM];
  io_source page = {0};
  io_output out;
  io_error error = {""};
  if (!find_page(def->page, path)) return false;
  if (!io_file_load(path, &page, &error)) return complain(&error);
  const char *split = find(page.data, page.data + page.size, marker); /* where the files go */
  bool good = split || is_no_viewer(path);
  bool opened = good && (io_output_open(&out, out_path, &error) || complain(&error));
  if (opened) {
    good = write_page(out.file, &page, split, def);
    *megabytes = (double)ftell(out.file) / 1e6;
    bool said = !good;
    good = io_output_close(&out, good, &error);
    if (!good && !said) complain(&error);
  }
  io_file_unload(&page);
  return opened && good;
}

bool viewer_is_there(const char *given)
{
  char path[PATH_ROOM];
  io_source page;
  io_error error;
  if (!find_page(given, path)) return false;
  if (!io_file_load(path, &page, &error)) return complain(&error);
  bool good = find(page.data, page.data + page.size, marker) || is_no_viewer(path);
  io_file_unload(&page);
  return good;
}
