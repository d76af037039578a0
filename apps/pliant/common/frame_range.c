#include "common/frame_range.h"

#include "common/command.h"
#include "common/options.h"
#include "common/output.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool take_number(const char **text, size_t *out)
{
  char *end;
  if (**text < '0' || **text > '9') return false;
  errno = 0;
  unsigned long long number = strtoull(*text, &end, 10);
  if (errno || number >= SIZE_MAX) return false;
  *out = (size_t)number;
  *text = end;
  return true;
}

static bool parse(const char *text, frame_range *out)
{
  *out = (frame_range){0, SIZE_MAX};
  bool begins = take_number(&text, &out->begin);
  if (begins && *text == '\0') {
    out->end = out->begin + 1;
    return true;
  }
  if (strncmp(text, "..", 2) != 0) return false;
  text += 2;
  if (*text == '\0') return begins;
  if (!take_number(&text, &out->end) || *text || out->end < out->begin) return false;
  ++out->end;
  return true;
}

int frame_range_parse(const char *command, const char *text, frame_range *out)
{
  *out = (frame_range){0, SIZE_MAX};
  if (!text || parse(text, out)) return OPTIONS_GO_ON;
  return options_refuse(command, "--frames %s: give numbers from 0, as in 10..20, 10.. or 10", text);
}

bool frame_range_choose(const char *text, size_t count, size_t *begin, size_t *end)
{
  frame_range range = {0, SIZE_MAX};
  if (text) parse(text, &range);
  if (range.begin >= count || (range.end != SIZE_MAX && range.end > count)) {
    output_complain("--frames %s: there %s %zu frame%s, numbered from 0", text, count == 1 ? "is" : "are", count,
                    count == 1 ? "" : "s");
    return false;
  }
  *begin = range.begin;
  *end = range.end == SIZE_MAX ? count : range.end;
  return true;
}
