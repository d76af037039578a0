#include "common/two_inputs.h"

#include "common/output.h"

int two_inputs_divide(const char *command, const char *wanted, const arguments *files, file_lists *out)
{
  int n = files->count, divider = files->divider;
  if (divider == 0 && n == 2) divider = -1; /* `-- A B`: the usual meaning, no more options */
  if (divider < 0 && n > 2)
    return options_refuse(
        command,
        "%d files, and it is unclear which are A and which are B: quote patterns ('cloth_*.obj'), or put -- "
        "between the files of A and of B",
        n);
  if (divider < 0 && n < 2)
    return options_refuse(command, "name %s; %s", wanted, n == 0 ? "none was given" : "one was given");
  if (divider == 0 || divider == n) return options_refuse(command, "no file on one side of --");
  int first = divider < 0 ? 1 : divider;
  *out = (file_lists){{files->values, files->values + first}, {first, n - first}};
  return OPTIONS_GO_ON;
}

bool two_inputs_open(frames side[2], const file_lists *lists, bool rounded, size_t *frame_count, bool *shortened)
{
  io_error error;
  for (int i = 0; i < 2; ++i) {
    if (frames_open(&side[i], lists->names[i], lists->count[i], &(frames_def){.rounded = rounded}, &error)) {
      frames_note(&side[i]);
      continue;
    }
    output_complain("%s", error.text);
    return false;
  }
  size_t a = side[0].files.count, b = side[1].files.count;
  *frame_count = a == 1 ? b : b == 1 ? a : a < b ? a : b;
  *shortened = a != 1 && b != 1 && a != b;
  if (*shortened)
    output_note("A has %zu frames and B has %zu: only frames 0 to %zu were checked", a, b, *frame_count - 1);
  return true;
}
