/* pliant view: one HTML file with the viewer, the library and the given files inside. Files are
 * read once here, so that a broken one is told at once; the page reads their bytes again with
 * the same readers. */
#define _XOPEN_SOURCE 700 /* readlink() */
#include "common/command.h"
#include "common/inputs.h"
#include "common/options.h"
#include "common/output.h"

#include "io/gltf.h"
#include "io/output.h"
#include "io/reader.h"
#include "io/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };
static const char marker[] = "<!--pliant:files-->", title_begin[] = "<title>", title_end[] = "</title>";

typedef struct view_options {
  const char *out, *page;
  bool allow_outside;
} view_options;

static const option table[] = {
    {.name = "out",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(view_options, out),
     .value = "OUT.html",
     .help = "the page to write; view.html if not given"},
    {.name = "page",
     .kind = OPTION_TEXT,
     .offset = offsetof(view_options, page),
     .value = "PAGE.html",
     .help = "the viewer without files, as ./dev web makes it (out/web/view.html); found by itself in a checkout and "
             "where it was installed"},
    {.name = "allow-outside",
     .kind = OPTION_FLAG,
     .offset = offsetof(view_options, allow_outside),
     .help = "also put files into the page that a .gltf names outside of its folder"},
};

static const command_text text = {
    .name = "view",
    .usage = "pliant view [OPTIONS] FILE...",
    .about = "Writes one HTML file that plays the meshes in any current browser, with triangles that touch in red, and "
             "needs neither a server nor a network: open it by double-click, or send it to someone.\n\n"
             "FILE is OBJ, PLY, STL, OFF or glTF (.glb, .gltf; its buffers come along), a directory or a pattern in "
             "quotes. Files whose names differ in numbers only are the frames of one mesh; others are bodies of one "
             "scene.",
    .examples = "  pliant view scene.glb\n"
                "  pliant view 'cloth_*.obj' table.obj --out cloth.html\n",
};

/* The files that go into the page. */
typedef struct file_list {
  char **paths;
  size_t count;
  bool failed; /* out of memory */
} file_list;

static void list_add(void *user, const char *path)
{
  file_list *list = user;
  char **paths = realloc(list->paths, (list->count + 1) * sizeof *paths);
  char *copy = paths ? strdup(path) : NULL;
  if (paths) list->paths = paths;
  if (copy)
    list->paths[list->count++] = copy;
  else
    list->failed = true;
}

static void list_free(file_list *list)
{
  for (size_t i = 0; i < list->count; ++i) free(list->paths[i]);
  free(list->paths);
}

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

/* ------------------------------------------------------------------------------------ inputs -- */

static bool add_gltf(const view_options *o, const char *path, file_list *list)
{
  gltf_options how = {.allow_outside = o->allow_outside, .buffer_file = list_add, .user = list};
  gltf_scene *scene = NULL;
  io_error error;
  list_add(list, path);
  if (!gltf_read_with(path, &how, &scene, &error)) return complain(&error);
  if (gltf_note(scene)[0]) output_note("%s: %s", path, gltf_note(scene));
  gltf_free(scene);
  return true;
}

static bool add_mesh(const char *path, file_list *list)
{
  static const char *const endings[] = {"obj", "ply", "stl", "off"};
  bool known = false;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) known = known || io_ending_is(path, endings[i]);
  if (!known) {
    output_complain("%s: the page reads OBJ, PLY, STL, OFF and glTF; export one of these", path);
    return false;
  }
  io_mesh mesh;
  io_error error;
  if (!io_mesh_read(path, &mesh, &error)) return complain(&error);
  io_mesh_free(&mesh);
  list_add(list, path);
  return true;
}

static bool add_meshes(const char *name, file_list *list)
{
  io_sequence files;
  io_error error;
  if (!io_sequence_open(name, &files, &error)) return complain(&error);
  bool good = true;
  for (size_t i = 0; good && i < files.count; ++i) good = add_mesh(files.paths[i], list);
  if (good && files.note[0]) output_note("%s: %s", name, files.note);
  io_sequence_free(&files);
  return good;
}

static bool add_input(const view_options *o, const char *name, file_list *list)
{
  io_sequence names = {0};
  bool good = inputs_add_names(name, &names);
  for (size_t i = 0; good && i < names.count; ++i)
    good = gltf_is_name(names.paths[i]) ? add_gltf(o, names.paths[i], list) : add_meshes(names.paths[i], list);
  io_sequence_free(&names);
  return good;
}

/* A page has no folders. */
static bool names_differ(const file_list *list)
{
  for (size_t i = 0; i < list->count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (strcmp(last_part(list->paths[i]), last_part(list->paths[j])) == 0) {
        output_complain("%s and %s have the same name, and a page has no folders; rename one", list->paths[j],
                        list->paths[i]);
        return false;
      }
  return true;
}

/* -------------------------------------------------------------------------------------- page -- */

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

static bool find_page(const view_options *o, char out[PATH_ROOM])
{
  if (o->page) {
    if (snprintf(out, PATH_ROOM, "%s", o->page) < PATH_ROOM) return true;
    output_complain("%s: its name is too long", o->page);
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

static bool write_file(FILE *file, const char *path)
{
  io_source source;
  io_error error;
  if (!io_file_load(path, &source, &error)) return complain(&error);
  fprintf(file, "<script class=\"pliant-file\" type=\"text/plain\" data-name=\"");
  write_name(file, last_part(path));
  fprintf(file, "\">");
  write_base64(file, source.data, source.size);
  fprintf(file, "</script>\n");
  io_file_unload(&source);
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

static bool write_page(FILE *file, const io_source *page, const char *split, const file_list *list)
{
  size_t after = page->size - (size_t)(split - page->data);
  write_head(file, page->data, split, last_part(list->paths[0]));
  for (size_t i = 0; i < list->count; ++i)
    if (!write_file(file, list->paths[i])) return false;
  fwrite(split, 1, after, file);
  return true;
}

static int save(const char *path, const io_source *page, const file_list *list)
{
  const char *split = find(page->data, page->data + page->size, marker); /* where the files go */
  if (!split) return output_complain("%s: is no viewer of pliant; ./dev web makes one", page->name);
  io_output out;
  io_error error = {""};
  if (!io_output_open(&out, path, &error)) return output_complain("%s", error.text);
  bool said = !write_page(out.file, page, split, list);
  double size = (double)ftell(out.file);
  if (!io_output_close(&out, !said, &error)) return said ? EXIT_ERROR : output_complain("%s", error.text);
  printf("%s: %.1f MB with %zu %s inside; open it in a browser\n", io_show(path).text, size / 1e6, list->count,
         list->count == 1 ? "file" : "files");
  return output_finish() ? EXIT_DONE : EXIT_ERROR;
}

static int view(const view_options *o, const arguments *files)
{
  file_list list = {0};
  bool good = true;
  for (int i = 0; good && i < files->count; ++i) good = add_input(o, files->values[i], &list);
  if (good && list.failed) good = false, output_complain("out of memory");
  char path[PATH_ROOM];
  io_source page = {0};
  io_error error;
  int code = EXIT_ERROR;
  if (good && names_differ(&list) && find_page(o, path)) {
    if (io_file_load(path, &page, &error)) {
      code = save(o->out ? o->out : "view.html", &page, &list);
      io_file_unload(&page);
    } else
      complain(&error);
  }
  list_free(&list);
  return code;
}

int cmd_view(int argc, char **argv)
{
  view_options o = {0};
  const option_group groups[] = {{"Options", table, OPTION_COUNT(table), &o}};
  arguments files;
  int code = options_parse(&text, groups, 1, argc, argv, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (files.divider >= 0)
    return options_refuse("view", "there is no -- here: files whose names differ in numbers only are frames");
  if (files.count == 0) return options_refuse("view", "a mesh file is wanted");
  return view(&o, &files);
}
