/* Files, and where they stand. Scale comes first, then rotation, then translation, in whatever
 * order the options stand. */
#include "common/inputs.h"

#include "common/command.h"
#include "common/frames.h"
#include "common/output.h"
#include "io/gltf.h"
#include "io/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRANSLATE, ROTATE, SCALE };

static const option table[] = {
    [TRANSLATE] = {.name = "translate",
                   .kind = OPTION_INPUT,
                   .value = "X,Y,Z",
                   .help = "move the file before this option, after its rotation"},
    [ROTATE] = {.name = "rotate",
                .kind = OPTION_INPUT,
                .value = "X,Y,Z",
                .help = "turn the file before this option about the origin: degrees about x, then y, then z"},
    [SCALE] = {.name = "scale",
               .kind = OPTION_INPUT,
               .value = "S|X,Y,Z",
               .help = "scale the file before this option about the origin, before its rotation"},
};

option_group inputs_group(void) { return (option_group){"Inputs", table, OPTION_COUNT(table), NULL}; }

bool inputs_vector(const char *text, double out[3], const char **end)
{
  for (int k = 0; k < 3; ++k) {
    char *stop;
    if (k > 0 && *text++ != ',') return false;
    if (*text == ' ' || *text == '\0') return false;
    out[k] = strtod(text, &stop);
    if (stop == text || !isfinite(out[k])) return false;
    text = stop;
  }
  *end = text;
  return true;
}

/* -------------------------------------------------------------------------------- transforms -- */

/* A quarter turn is exact. */
static void sine_cosine(double degrees, double *s, double *c)
{
  double turn = fmod(degrees, 360);
  if (turn < 0) turn += 360;
  double quarter = turn / 90;
  if (quarter == floor(quarter)) {
    static const double sines[] = {0, 1, 0, -1, 0, 1};
    *s = sines[(int)quarter % 4];
    *c = sines[(int)quarter % 4 + 1];
    return;
  }
  double angle = turn * (3.14159265358979323846 / 180);
  *s = sin(angle);
  *c = cos(angle);
}

pl_transform inputs_compose(const pl_transform *place, const pl_transform *inner)
{
  pl_transform out;
  for (int i = 0; i < 3; ++i) {
    out.t[i] = place->t[i];
    for (int k = 0; k < 3; ++k) out.t[i] += place->m[i][k] * inner->t[k];
    for (int j = 0; j < 3; ++j) {
      out.m[i][j] = 0;
      for (int k = 0; k < 3; ++k) out.m[i][j] += place->m[i][k] * inner->m[k][j];
    }
  }
  return out;
}

static pl_transform turn_about(int axis, double degrees)
{
  pl_transform turn = pl_transform_identity();
  int a = (axis + 1) % 3, b = (axis + 2) % 3;
  double s, c;
  sine_cosine(degrees, &s, &c);
  turn.m[a][a] = turn.m[b][b] = c;
  turn.m[a][b] = -s;
  turn.m[b][a] = s;
  return turn;
}

static pl_transform make_transform(const double translate[3], const double rotate[3], const double scale[3])
{
  pl_transform out = pl_transform_identity();
  for (int k = 0; k < 3; ++k) out.m[k][k] = scale[k];
  for (int axis = 0; axis < 3; ++axis) {
    if (rotate[axis] == 0) continue;
    pl_transform turn = turn_about(axis, rotate[axis]);
    out = inputs_compose(&turn, &out);
  }
  for (int k = 0; k < 3; ++k) out.t[k] = translate[k];
  return out;
}

/* ------------------------------------------------------------------------------------- marks -- */

static bool parse_scale(const char *text, double out[3])
{
  const char *end;
  char *stop;
  if (!strchr(text, ',')) {
    out[0] = out[1] = out[2] = strtod(text, &stop);
    end = stop == text ? "x" : stop;
  } else if (!inputs_vector(text, out, &end)) {
    return false;
  }
  if (*end != '\0' || *text == ' ') return false;
  for (int k = 0; k < 3; ++k)
    if (!isfinite(out[k]) || out[k] == 0) return false;
  return true;
}

/* The marks that follow the files from `first` up to `end`. */
static int place_input(const char *command, const arguments *files, int first, int end, input_def *input)
{
  double given[3][3] = {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
  for (int i = 0; i < files->mark_count; ++i) {
    const argument_mark *mark = &files->marks[i];
    if (mark->file < first || mark->file >= end) continue;
    int which = (int)(mark->option - table);
    const char *rest;
    if (which == SCALE) {
      if (!parse_scale(mark->value, given[SCALE]))
        return options_refuse(command, "--scale %s: give a number other than 0, or three as in 1,2,1", mark->value);
    } else if (!inputs_vector(mark->value, given[which], &rest) || *rest) {
      return options_refuse(command, "--%s %s: give three numbers, as in 1,2.5,-3", mark->option->name, mark->value);
    }
    input->is_placed = true;
  }
  input->place = make_transform(given[TRANSLATE], given[ROTATE], given[SCALE]);
  return OPTIONS_GO_ON;
}

/* --------------------------------------------------------------------------------- expansion -- */

void inputs_free(input_list *inputs)
{
  io_sequence_free(&inputs->names);
  inputs->count = 0;
}

static bool is_directory(const char *name)
{
  struct stat s;
  return stat(name, &s) == 0 && S_ISDIR(s.st_mode);
}

/* A directory, or no file but a pattern. */
static bool is_list(const char *name)
{
  return is_directory(name) || (access(name, F_OK) != 0 && strpbrk(name, "*?[%"));
}

/* Folders inside a directory are not read. */
static void tell_of_folders(const char *name)
{
  char *inner = is_directory(name) ? io_inner_folder(name) : NULL;
  if (inner)
    output_unchecked("%s: the folder %s in it has mesh files, too, which are not read: name it as well, or use pliant "
                     "check, which reads all folders",
                     name, inner);
  free(inner);
}

bool inputs_add_names(const char *name, io_sequence *out)
{
  io_sequence found = {0};
  io_error error;
  if (is_list(name) && !io_sequence_open_with(name, IO_GAPS_SKIP, &found, &error)) {
    output_complain("%s", error.text);
    return false;
  }
  tell_of_folders(name);
  bool scenes = found.count > 0 && gltf_is_name(found.paths[0]), good = true;
  for (size_t i = 0; good && i < (scenes ? found.count : 1); ++i)
    good = io_paths_add(out, strdup(scenes ? found.paths[i] : name));
  io_sequence_free(&found);
  if (!good) output_complain("%s: out of memory", name);
  return good;
}

/* The arguments with the names of out->names. */
static int expand(const char *command, const arguments *files, input_list *out, arguments *expanded)
{
  *expanded = *files;
  expanded->mark_count = 0;
  out->count = 0;
  out->names = (io_sequence){0};
  for (int i = 0; i < files->count; ++i) {
    size_t first = out->names.count;
    for (int k = 0; k < files->divider_count; ++k)
      if (files->dividers[k] == i) expanded->dividers[k] = (int)first;
    if (!inputs_add_names(files->values[i], &out->names)) return EXIT_ERROR;
    for (int m = 0; m < files->mark_count; ++m)
      for (size_t n = first; files->marks[m].file == i && n < out->names.count; ++n) {
        if (expanded->mark_count == OPTIONS_MOST_VALUES)
          return options_refuse(command, "more than %d options of single files", OPTIONS_MOST_VALUES);
        argument_mark *mark = &expanded->marks[expanded->mark_count++];
        *mark = files->marks[m];
        mark->file = (int)n;
      }
  }
  expanded->values = out->names.paths;
  expanded->count = (int)out->names.count;
  for (int k = 0; k < files->divider_count; ++k)
    if (files->dividers[k] == files->count) expanded->dividers[k] = expanded->count;
  if (files->divider_count > 0) expanded->divider = expanded->dividers[0];
  return OPTIONS_GO_ON;
}

/* ---------------------------------------------------------------------------------- division -- */

static int add_input(const char *command, const arguments *files, int first, int end, input_list *out)
{
  if (out->count == OPTIONS_MOST_VALUES)
    return options_refuse(command, "more than %d inputs: put their meshes into fewer files", OPTIONS_MOST_VALUES);
  input_def *input = &out->values[out->count++];
  *input = (input_def){.names = files->values + first, .count = end - first};
  for (int i = first; i < end; ++i) input->is_gltf = input->is_gltf || gltf_is_name(files->values[i]);
  if (input->is_gltf && input->count > 1)
    return options_refuse(command, "a glTF scene moves by itself and cannot be a frame of %s: put -- around it",
                          files->values[first]);
  return place_input(command, files, first, end, input);
}

/* The files between two --: scenes, each an input, or the frames of one. */
static int add_group(const char *command, const arguments *files, int first, int end, input_list *out)
{
  bool scenes = true;
  for (int i = first; i < end; ++i) scenes = scenes && gltf_is_name(files->values[i]);
  if (!scenes) return add_input(command, files, first, end, out);
  int code = OPTIONS_GO_ON;
  for (int i = first; i < end && code == OPTIONS_GO_ON; ++i) code = add_input(command, files, i, i + 1, out);
  return code;
}

static int divide(const char *command, const arguments *files, input_list *out)
{
  for (int i = 0, first = 0; i <= files->divider_count; ++i) {
    int end = i < files->divider_count ? files->dividers[i] : files->count;
    if (end == first) return options_refuse(command, "no file on one side of --");
    int code = add_group(command, files, first, end, out);
    if (code != OPTIONS_GO_ON) return code;
    first = end;
  }
  return OPTIONS_GO_ON;
}

/* The same file twice is two bodies. */
static bool are_frames(const char *a, const char *b)
{
  return !gltf_is_name(a) && strcmp(a, b) != 0 && frames_same_but_numbers(a, b);
}

static int take_each(const char *command, const arguments *files, input_list *out)
{
  for (int i = 1; i < files->count && files->count > 2; ++i)
    if (are_frames(files->values[i - 1], files->values[i]))
      return options_refuse(command,
                            "%d files, and it is unclear whether %s and %s are two frames or two bodies: quote "
                            "patterns ('cloth_*.obj'), or "
                            "put -- between bodies",
                            files->count, files->values[i - 1], files->values[i]);
  for (int i = 0; i < files->count; ++i) {
    int code = add_input(command, files, i, i + 1, out);
    if (code != OPTIONS_GO_ON) return code;
  }
  return OPTIONS_GO_ON;
}

int inputs_find(const char *command, const char *wanted, int least, const arguments *given, input_list *out)
{
  arguments expanded, *files = &expanded;
  int code = expand(command, given, out, files);
  if (code != OPTIONS_GO_ON) return code;
  /* `-- A B`: the usual meaning, no more options */
  bool leading = files->divider_count == 1 && files->divider == 0;
  bool divided = files->divider_count > 0 && !(leading && files->count > 1);
  code = divided ? divide(command, files, out) : take_each(command, files, out);
  if (code != OPTIONS_GO_ON) return code;
  if (out->count >= least || inputs_have_gltf(out)) return OPTIONS_GO_ON;
  return options_refuse(command, "name %s; %s", wanted, out->count == 0 ? "none was given" : "one was given");
}

/* Neighbours for which `are_one` holds are one input. */
typedef bool (*neighbours)(const char *a, const char *b);

static int join(const char *command, const arguments *files, neighbours are_one, input_list *out)
{
  for (int i = 0, end; i < files->count; i = end) {
    end = i + 1;
    while (end < files->count && are_one(files->values[end - 1], files->values[end])) ++end;
    int code = add_input(command, files, i, end, out);
    if (code != OPTIONS_GO_ON) return code;
  }
  return OPTIONS_GO_ON;
}

/* The same file twice is two frames. */
static bool same_sequence(const char *a, const char *b) { return !gltf_is_name(b) && frames_same_but_numbers(a, b); }
static bool both_meshes(const char *a, const char *b) { return !gltf_is_name(a) && !gltf_is_name(b); }

static int find_joined(const char *command, const char *wanted, const arguments *given, neighbours are_one,
                       input_list *out)
{
  arguments files;
  int code = expand(command, given, out, &files);
  if (code != OPTIONS_GO_ON) return code;
  if (files.divider_count > 0 && files.divider > 0) return divide(command, &files, out);
  code = join(command, &files, are_one, out);
  if (code != OPTIONS_GO_ON || out->count > 0 || !wanted) return code;
  return options_refuse(command, "name %s", wanted);
}

int inputs_find_frames(const char *command, const char *wanted, const arguments *files, input_list *out)
{
  return find_joined(command, wanted, files, same_sequence, out);
}

int inputs_find_mesh(const char *command, const char *wanted, const arguments *files, input_list *out)
{
  return find_joined(command, wanted, files, both_meshes, out);
}

int inputs_find_runs(const char *command, const arguments *files, input_list *out)
{
  return find_joined(command, NULL, files, are_frames, out);
}

bool inputs_have_gltf(const input_list *inputs)
{
  for (int i = 0; i < inputs->count; ++i)
    if (inputs->values[i].is_gltf) return true;
  return false;
}
