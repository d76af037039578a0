/* A walk over the lines of a text file. Lines end with \n, \r\n, or, where a file has no \n at
 * all, \r. */
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "io/number.h"
#include "io/reader.h"

#include <string.h>

typedef struct io_text {
  const char *at, *end;
  size_t line; /* of *at, from 1 */
  char eol;    /* the byte that ends a line */
} io_text;

static inline io_text io_text_open(const io_source *source)
{
  bool lf = source->size && memchr(source->data, '\n', source->size);
  return (io_text){source->data, source->data + source->size, 1, lf ? '\n' : '\r'};
}

static inline bool io_text_ended(const io_text *t) { return t->at == t->end; }
static inline bool io_text_at_eol(const io_text *t) { return t->at == t->end || *t->at == t->eol; }

static inline bool io_is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Blanks within the line. */
static inline void io_text_blanks(io_text *t)
{
  while (t->at < t->end && *t->at != t->eol && io_is_space(*t->at)) ++t->at;
}

/* To the start of the next line, or to the end. */
static inline void io_text_next_line(io_text *t)
{
  const char *found = t->at == t->end ? NULL : memchr(t->at, t->eol, (size_t)(t->end - t->at));
  t->at = found ? found + 1 : t->end;
  t->line += found != NULL;
}

/* Past blanks, line ends and, when `comment` is not 0, comments from that character to the end
 * of their line. */
static inline void io_text_space(io_text *t, char comment)
{
  for (;;) {
    io_text_blanks(t);
    if (t->at == t->end || (*t->at != t->eol && (!comment || *t->at != comment))) return;
    io_text_next_line(t);
  }
}

/* To the end of a word: all that is not space, control characters too, so that a walk over words
 * always gets on. */
static inline const char *io_text_word_end(const io_text *t)
{
  const char *p = t->at;
  while (p < t->end && !io_is_space(*p)) ++p;
  return p;
}

/* A printable excerpt of the word at `at` for a message. */
typedef struct io_word {
  char text[28];
} io_word;

static inline io_word io_text_word(const char *at, const char *end)
{
  io_word word;
  size_t n = 0;
  for (; at < end && !io_is_space(*at) && n < sizeof word.text - 4; ++at)
    word.text[n++] = *at < 127 && *at > ' ' ? *at : '?';
  bool cut = at < end && !io_is_space(*at);
  memcpy(word.text + n, cut ? "..." : "", cut ? 4 : 1);
  return word;
}

/* A coordinate; the failure names what stands there instead. Blanks before it must be skipped
 * already. */
bool io_text_coordinate(io_text *t, const io_source *source, double *out, io_error *error);

#endif
