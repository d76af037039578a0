/* Which scenes a search plays: the two meshes of the command line, or those of every line of a
 * file. */
#include "common/command.h"
#include "common/frame_range.h"
#include "common/output.h"
#include "common/two_inputs.h"
#include "io/reader.h"
#include "io/show.h"
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 4096, MOST_BYTES = 1 << 20 };

static int open_part(tune_part *p, const arguments *files, bool rounded, const char *range)
{
  file_lists lists;
  size_t count, end;
  bool shortened;
  int code = two_inputs_divide("tune", "two meshes", files, &lists);
  if (code != OPTIONS_GO_ON) return code;
  if (!two_inputs_open(p->files, &lists, rounded, &count, &shortened) ||
      !frame_range_choose(range, count, &p->begin, &end))
    return EXIT_ERROR;
  p->frame_count = end - p->begin;
  if (p->frame_count < 2)
    return output_complain("%s: nothing moves, and a still scene needs no updates: give a sequence of files%s",
                           frames_path(&p->files[0], 0), range ? ", or more --frames" : "");
  return OPTIONS_GO_ON;
}

int tune_scene_add(tune_scene *s, const arguments *files, bool rounded, const char *range)
{
  tune_part *grown = realloc(s->parts, (s->part_count + 1) * sizeof *grown);
  if (!grown) return output_complain("out of memory");
  s->parts = grown;
  tune_part *p = &s->parts[s->part_count++];
  *p = (tune_part){.weight = 1};
  int code = open_part(p, files, rounded, range);
  s->frame_count += p->frame_count;
  s->weighted = (double)s->frame_count;
  return code;
}

/* ---------------------------------------------------------------------------------- the file -- */

/* Cuts a line into words, in place: at blanks that do not stand in quotes. # begins a comment.
 * false: too many, or an unterminated quote. */
static bool cut_line(char *at, char **words, arguments *out)
{
  *out = (arguments){.values = words, .divider = -1};
  while (*(at += strspn(at, " \t\r")) && *at != '#') {
    char end = *at == '\'' || *at == '"' ? *at++ : '\0', *word = at;
    at += end ? strcspn(at, end == '"' ? "\"" : "'") : strcspn(at, " \t\r");
    if ((end && !*at) || out->count == MOST_WORDS) return false;
    if (*at) *at++ = '\0';
    if (!end && strcmp(word, "--") == 0 && out->divider < 0)
      out->divider = out->count;
    else
      words[out->count++] = word;
  }
  return true;
}

static int read_lines(tune_scene *s, const char *path, char *text, char **words, bool rounded, const char *range)
{
  size_t line = 0;
  for (char *at = text, *next; at; at = next) {
    arguments files;
    next = strchr(at, '\n');
    if (next) *next++ = '\0';
    ++line;
    if (!cut_line(at, words, &files))
      return output_complain("%s:%zu: an unterminated quote, or too many files", io_show(path).text, line);
    if (files.count == 0) continue;
    if (files.divider < 0 && files.count != 2)
      return output_complain("%s:%zu: every line needs A and B, or files of A, --, files of B; this one has %d",
                             io_show(path).text, line, files.count);
    if (s->part_count == TUNE_MOST_PARTS)
      return output_complain("%s:%zu: more than %d scenes", io_show(path).text, line, TUNE_MOST_PARTS);
    int code = tune_scene_add(s, &files, rounded, range);
    if (code != OPTIONS_GO_ON) return code;
  }
  return s->part_count ? OPTIONS_GO_ON : output_complain("%s: there is no scene in it", io_show(path).text);
}

int tune_scene_read(tune_scene *s, const char *path, bool rounded, const char *range)
{
  io_source file;
  io_error error;
  if (!io_file_load(path, &file, &error)) return output_complain("%s", error.text);
  bool is_text = file.size <= MOST_BYTES && !memchr(file.data, '\0', file.size);
  char *text = is_text ? malloc(file.size + 1) : NULL, **words = malloc(MOST_WORDS * sizeof *words);
  int code = EXIT_ERROR;
  if (!is_text)
    output_complain("%s: not a list of scenes: every line needs A and B", io_show(path).text);
  else if (!text || !words)
    output_complain("out of memory");
  else {
    memcpy(text, file.data, file.size);
    text[file.size] = '\0';
    code = read_lines(s, path, text, words, rounded, range);
  }
  free(text);
  free(words);
  io_file_unload(&file);
  return code;
}
