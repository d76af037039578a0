/* pliant view: one HTML file with the viewer, the library and the given files inside. Files are
 * read once here, so that a broken one is reported at once; the page reads their bytes again with
 * the same readers. */
#include "check/check.h"
#include "common/command.h"
#include "common/inputs.h"
#include "common/options.h"
#include "common/output.h"
#include "common/viewer.h"

#include "io/reader.h"
#include "io/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct view_options {
  const char *out, *page;
  bool allow_outside, exact, no_places;
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
    {.name = "exact",
     .kind = OPTION_FLAG,
     .offset = offsetof(view_options, exact),
     .help = "put files into the page as they are; otherwise positions of sequences of more than 4 MB are rounded to "
             "1/65535 of their box, which makes a tenth of the size, and glTF has no images, normals and texture "
             "coordinates there"},
    {.name = "no-places",
     .kind = OPTION_FLAG,
     .offset = offsetof(view_options, no_places),
     .help = "do not look for places that intersect: the page has no list of them with names and depths, and counts "
             "contacts while it plays"},
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
  /* by input: its first path, how many there are, and what it is */
  size_t first[OPTIONS_MOST_VALUES], own[OPTIONS_MOST_VALUES];
  bool is_gltf[OPTIONS_MOST_VALUES];
  size_t input_count;
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
  for (size_t i = 0; good && i < names.count; ++i) {
    bool is_gltf = gltf_is_name(names.paths[i]);
    size_t first = list->count, input = list->input_count++;
    good = is_gltf ? add_gltf(o, names.paths[i], list) : add_meshes(names.paths[i], list);
    if (input >= OPTIONS_MOST_VALUES) continue;
    list->first[input] = first;
    list->own[input] = is_gltf ? 1 : list->count - first; /* without buffers */
    list->is_gltf[input] = is_gltf;
  }
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

/* Places that intersect, for the page: of one glTF scene, or of mesh files; *good: stderr says why
 * not. Several scenes have animations of their own, and the page plays them in its own way. */
static char *find_places(const view_options *o, const file_list *list, bool *good)
{
  bool any_gltf = false;
  for (size_t i = 0; i < list->input_count && i < OPTIONS_MOST_VALUES; ++i) any_gltf = any_gltf || list->is_gltf[i];
  if (o->no_places || list->input_count > OPTIONS_MOST_VALUES || (any_gltf && list->input_count > 1)) return NULL;
  input_list *inputs = calloc(1, sizeof *inputs);
  char *places = NULL;
  if (inputs) {
    inputs->count = (int)list->input_count;
    for (size_t i = 0; i < list->input_count; ++i)
      inputs->values[i] =
          (input_def){.names = list->paths + list->first[i], .count = (int)list->own[i], .is_gltf = list->is_gltf[i]};
    places = check_places_of(inputs, o->allow_outside);
  }
  free(inputs);
  *good = places != NULL;
  return places;
}

static int view(const view_options *o, const arguments *files)
{
  file_list list = {0};
  bool good = true;
  for (int i = 0; good && i < files->count; ++i) good = add_input(o, files->values[i], &list);
  if (good && list.failed) good = false, output_complain("out of memory");
  const char *out = o->out ? o->out : "view.html";
  double size;
  good = good && names_differ(&list) && viewer_is_there(o->page);
  char *places = good ? find_places(o, &list, &good) : NULL;
  viewer_def def = {.page = o->page, .paths = list.paths, .count = list.count, .exact = o->exact, .findings = places};
  good = good && viewer_write(&def, out, &size);
  free(places);
  if (good)
    printf("%s: %.1f MB with %zu %s inside; open it in a browser\n", io_show(out).text, size, list.count,
           list.count == 1 ? "file" : "files");
  list_free(&list);
  return good && output_finish() ? EXIT_DONE : EXIT_ERROR;
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
  if (files.count == 0) return options_refuse("view", "name a mesh file");
  return view(&o, &files);
}
