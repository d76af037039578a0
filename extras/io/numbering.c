/* Numbers that are missing from a sequence, and names that do not fit its numbering. Most names
 * of a sequence are equal but for one number; its usual step is the least difference between two
 * neighbours, so that every tenth frame of a simulation has no gaps. */
#include "io/paths.h"
#include "io/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 100 }; /* bytes of a name in a note */

/* A name without its number. */
typedef struct stem {
  const char *path;
  size_t before, after; /* where the number begins and ends; the same: there is none */
} stem;

static stem stem_of(const char *path)
{
  size_t length;
  const char *number = io_last_number(path, &length);
  size_t before = (size_t)(number - path);
  return (stem){path, before, before + length};
}

static bool same_stem(const stem *a, const stem *b)
{
  bool numbered = a->after > a->before && b->after > b->before;
  return numbered && a->before == b->before && memcmp(a->path, b->path, a->before) == 0 &&
         strcmp(a->path + a->after, b->path + b->after) == 0;
}

/* The stem of more than half of the names; false: there is none. */
static bool usual_stem(const io_sequence *list, stem *usual)
{
  size_t lead = 0, count = 0;
  for (size_t i = 0; i < list->count; ++i) {
    stem s = stem_of(list->paths[i]);
    if (lead == 0) *usual = s;
    lead += lead == 0 || same_stem(usual, &s) ? 1 : (size_t)-1;
  }
  for (size_t i = 0; i < list->count; ++i) {
    stem s = stem_of(list->paths[i]);
    count += same_stem(usual, &s);
  }
  return count > list->count / 2;
}

/* Numbers beyond 18 digits are left alone. */
static bool number_of(const stem *s, unsigned long long *number)
{
  if (s->after - s->before > 18) return false;
  *number = strtoull(s->path + s->before, NULL, 10);
  return true;
}

typedef struct numbering {
  unsigned long long step; /* 0: not known */
  size_t missing;
  size_t first_gap; /* the frame before it; meaningful where missing > 0 */
  size_t odd;       /* names that do not fit, and the first of them */
  size_t first_odd;
  size_t first_usual; /* a name that does */
} numbering;

/* Frames i and i + 1 are both numbered as usual: their difference. */
static unsigned long long difference(const io_sequence *list, const stem *usual, size_t i)
{
  unsigned long long a, b;
  stem x = stem_of(list->paths[i]), y = stem_of(list->paths[i + 1]);
  if (!same_stem(usual, &x) || !same_stem(usual, &y) || !number_of(&x, &a) || !number_of(&y, &b)) return 0;
  return b > a ? b - a : 0;
}

static numbering look(const io_sequence *list, const stem *usual)
{
  numbering n = {0};
  size_t usual_seen = 0;
  for (size_t i = 0; i + 1 < list->count; ++i) {
    unsigned long long d = difference(list, usual, i);
    if (d > 0 && (n.step == 0 || d < n.step)) n.step = d;
  }
  for (size_t i = 0; i < list->count; ++i) {
    stem s = stem_of(list->paths[i]);
    bool fits = same_stem(usual, &s);
    if (!fits && n.odd++ == 0) n.first_odd = i;
    if (fits && usual_seen++ == 0) n.first_usual = i;
    unsigned long long d = i + 1 < list->count ? difference(list, usual, i) : 0;
    if (n.step == 0 || d <= n.step) continue;
    if (n.missing == 0) n.first_gap = i;
    n.missing += (size_t)((d - 1) / n.step);
  }
  return n;
}

/* The name that should stand after frame `i`. */
static void missing_name(const io_sequence *list, size_t i, unsigned long long step, char *text, size_t size)
{
  stem s = stem_of(list->paths[i]);
  unsigned long long number = 0;
  number_of(&s, &number);
  bool padded = s.path[s.before] == '0';
  snprintf(text, size, "%.*s%0*llu%s", (int)s.before, s.path, padded ? (int)(s.after - s.before) : 1, number + step,
           s.path + s.after);
}

static void cut(io_sequence *list, size_t count)
{
  for (size_t i = count; i < list->count; ++i) free(list->paths[i]);
  list->count = count;
}

static void show_end(char shown[SHOWN], const char *path) { io_show_into(shown, SHOWN, path); }

static void add_note(io_sequence *list, const char *sentence)
{
  size_t used = strlen(list->note);
  snprintf(list->note + used, sizeof list->note - used, "%s%s", used ? "; " : "", sentence);
}

static void note_odd(io_sequence *list, const numbering *n)
{
  char sentence[1024], odd[SHOWN], like[SHOWN], more[48] = "";
  show_end(odd, list->paths[n->first_odd]);
  show_end(like, list->paths[n->first_usual]);
  if (n->odd > 1) snprintf(more, sizeof more, " (nor do %zu others)", n->odd - 1);
  snprintf(sentence, sizeof sentence, "%s does not fit the numbering of %s%s: it is frame %zu", odd, like, more,
           n->first_odd);
  add_note(list, sentence);
}

static bool handle_gap(io_sequence *list, const numbering *n, io_gaps gaps, io_error *error)
{
  char name[4096], sentence[1024], missing[SHOWN], before[SHOWN], after[SHOWN], more[48] = "";
  missing_name(list, n->first_gap, n->step, name, sizeof name);
  show_end(missing, name);
  show_end(before, list->paths[n->first_gap]);
  show_end(after, list->paths[n->first_gap + 1]);
  if (n->missing > 1) snprintf(more, sizeof more, " (%zu numbers in all)", n->missing);
  if (gaps == IO_GAPS_REFUSE) {
    snprintf(error->text, sizeof error->text,
             "%s is missing between %s and %s%s; put it back, or skip it with --gaps skip", missing, before, after,
             more);
    io_sequence_free(list);
    return false;
  }
  if (gaps == IO_GAPS_STOP) cut(list, n->first_gap + 1);
  snprintf(sentence, sizeof sentence, "%s is missing between %s and %s%s: %s", missing, before, after, more,
           gaps == IO_GAPS_STOP ? "the sequence ends there" : "the frames go on without it");
  add_note(list, sentence);
  return true;
}

bool io_sequence_number(io_sequence *list, io_gaps gaps, io_error *error)
{
  stem usual;
  list->note[0] = '\0';
  if (list->count < 3 || !usual_stem(list, &usual)) return true;
  numbering n = look(list, &usual);
  if (n.odd > 0) note_odd(list, &n);
  return n.missing == 0 || handle_gap(list, &n, gaps, error);
}
