/* Contexts, memory, words and messages. */
#include "web/src/web.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double web_out_numbers[WEB_OUT_COUNT];
static char message[640];

double *WEB_EXPORT(web_out)(void) { return web_out_numbers; }
const char *WEB_EXPORT(web_message)(void) { return message; }
void *WEB_EXPORT(web_allocate)(size_t size) { return malloc(size ? size : 1); }
void WEB_EXPORT(web_release)(void *memory) { free(memory); }
const char *WEB_EXPORT(web_version)(void) { return pl_version(); }

bool web_fail(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return false;
}

bool web_check(const pl_context *context, pl_status status)
{
  return status == PL_OK || web_fail("%s", context ? pl_context_message(context) : pl_status_text(status));
}

pl_context *WEB_EXPORT(web_context)(const char *simd)
{
  pl_context_def def = pl_context_def_default();
  def.threads = 1; /* a page has no threads without the headers of a server */
  def.simd = simd;
  pl_context *context = NULL;
  if (pl_context_create(&def, &context) != PL_OK) web_fail("no context: out of memory, or no such instruction set");
  return context;
}

void WEB_EXPORT(web_context_destroy)(pl_context *context) { pl_context_destroy(context); }
const char *WEB_EXPORT(web_context_simd)(const pl_context *context) { return pl_context_simd(context); }

/* A word of a kind; NULL after the last, and for an unknown kind. */
const char *WEB_EXPORT(web_word)(const char *kind, int value)
{
  int words;
  return pl_word_parse(PL_WORDS_KIND, kind, &words) ? pl_word((pl_words)words, value) : NULL;
}

bool web_settings(pl_context *context, const char *text, pl_body_def *out)
{
  *out = pl_body_def_default();
  return !text || !*text || web_check(context, pl_body_def_parse(context, text, out));
}

int web_put_counters(int at, const pl_counters *counters)
{
  double *out = web_out_numbers + at;
  out[0] = (double)counters->n_v;
  out[1] = (double)counters->n_p;
  out[2] = (double)counters->n_u;
  out[3] = counters->ms_update;
  out[4] = counters->ms_query;
  return at + 5;
}

pl_positions web_positions(const void *data, size_t count, int is_double)
{
  return is_double ? pl_positions_f64(data, count) : pl_positions_f32(data, count);
}
