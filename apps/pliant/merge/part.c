#include "merge/part.h"

#include "common/output.h"
#include "common/shard_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more of `size` bytes. false: out of memory. */
static bool reserve(void **array, size_t *room, size_t count, size_t size)
{
  if (count < *room) return true;
  size_t more = 2 * *room + 64;
  void *moved = realloc(*array, more * size);
  if (!moved) return false;
  *array = moved;
  *room = more;
  return true;
}

static void refuse(part *p, part_state state, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(p->why, sizeof p->why, format, list);
  va_end(list);
  p->state = state;
}

/* ------------------------------------------------------------------------------------- lines -- */

/* Each takes the rest of a line. false: it is not as it should be, or memory is out. */

static bool take_head(part *p, const char *line)
{
  return sscanf(line, "%31s %zu %zu %" SCNx64 " %" SCNx64 " %zu %zu %zu %zu", p->command, &p->index, &p->count, &p->key,
                &p->words_key, &p->begin, &p->end, &p->whole[0], &p->whole[1]) == 9 &&
         p->index >= 1 && p->index <= p->count && p->begin <= p->end;
}

static bool take_word(part *p, char *line)
{
  void *words = p->words;
  bool room = reserve(&words, &p->word_room, p->word_count, sizeof *p->words);
  p->words = words;
  char *word = room ? strdup(line) : NULL;
  if (!word) return false;
  shard_take_word(word);
  p->words[p->word_count++] = word;
  return true;
}

static bool take_text(part *p, const char *line)
{
  size_t size;
  uint64_t want, hash = SHARD_HASH_BEGIN;
  if (sscanf(line, "%zu %" SCNx64, &size, &want) != 2) return false;
  void *texts = p->texts;
  bool room = reserve(&texts, &p->text_room, p->text_count, sizeof *p->texts);
  p->texts = texts;
  if (!room) return false;
  p->texts[p->text_count++] = (part_text){ftell(p->file), size};
  for (size_t left = size; left > 0;) {
    char bytes[16384];
    size_t got = fread(bytes, 1, left < sizeof bytes ? left : sizeof bytes, p->file);
    if (got == 0) return false;
    hash = shard_hash(hash, bytes, got);
    left -= got;
  }
  return hash == want;
}

static bool take_pair(part *p, const char *line)
{
  shard_pair pair;
  if (sscanf(line, "%zu %zu %la %" SCNx64, &pair.a, &pair.b, &pair.value, &pair.look) != 4) return false;
  void *pairs = p->pairs;
  bool room = reserve(&pairs, &p->pair_room, p->pair_count, sizeof *p->pairs);
  p->pairs = pairs;
  if (room) p->pairs[p->pair_count++] = pair;
  return room;
}

static bool take_frame(part *p, const char *line)
{
  shard_record r = {0};
  if (sscanf(line, "%zu %la %la %la %la", &r.frame, &r.value, &r.extra[0], &r.extra[1], &r.extra[2]) != 5) return false;
  if (r.frame != p->begin + p->record_count || r.frame >= p->end) return false;
  void *records = p->records;
  bool room = reserve(&records, &p->record_room, p->record_count, sizeof *p->records);
  p->records = records;
  if (!room) return false;
  r.pair_count = p->pair_count; /* their end; part_read() turns it into a number */
  r.kept = p->kept;
  p->kept = NULL;
  p->records[p->record_count++] = r;
  return true;
}

static bool take_kept(part *p, char *line)
{
  shard_take_word(line);
  free(p->kept);
  p->kept = strdup(line);
  return p->kept != NULL;
}

/* true: all is there. */
static bool take_end(part *p, const char *line)
{
  int replay;
  size_t frames;
  if (sscanf(line, "%d %zu %d", &p->code, &frames, &replay) != 3) return false;
  p->wants_replay = replay;
  return frames == p->record_count && p->begin + frames == p->end;
}

/* -------------------------------------------------------------------------------------- read -- */

static bool is_line(const char *line, const char *word, char **rest)
{
  static const char mark[] = "#pliant ";
  size_t length = strlen(word);
  if (strncmp(line, mark, sizeof mark - 1) != 0 || strncmp(line + sizeof mark - 1, word, length) != 0) return false;
  if (line[sizeof mark - 1 + length] != ' ') return false;
  *rest = (char *)line + sizeof mark + length;
  return true;
}

/* One line after the head. 0: go on; 1: the end; -1: it is not a line of a part. */
static int take_line(part *p, char *line)
{
  char *rest;
  if (is_line(line, "word", &rest)) return take_word(p, rest) ? 0 : -1;
  if (is_line(line, "text", &rest)) return take_text(p, rest) ? 0 : -1;
  if (is_line(line, "pair", &rest)) return take_pair(p, rest) ? 0 : -1;
  if (is_line(line, "kept", &rest)) return take_kept(p, rest) ? 0 : -1;
  if (is_line(line, "frame", &rest)) return take_frame(p, rest) ? 0 : -1;
  if (is_line(line, "end", &rest)) return take_end(p, rest) ? 1 : -1;
  return -1;
}

/* A line without its newline, which a line that was cut off does not have. */
static bool next_line(part *p, char **line, size_t *room)
{
  ssize_t length = getline(line, room, p->file);
  if (length <= 0 || (*line)[length - 1] != '\n') return false;
  (*line)[length - 1] = '\0';
  return true;
}

static void read_lines(part *p, char **line, size_t *room)
{
  char *rest;
  if (!next_line(p, line, room) || !is_line(*line, "part", &rest) || !take_head(p, rest)) {
    bool empty = ftell(p->file) <= 0;
    refuse(p, PART_NONE,
           empty ? "is empty: its shard has not begun; run it again" : "is not a part that --shard has written");
    return;
  }
  int state = 0;
  while (state == 0 && next_line(p, line, room)) state = take_line(p, *line);
  if (state == 0 || (state < 0 && feof(p->file)))
    refuse(p, PART_BROKEN, "is incomplete; run it again with --shard %zu/%zu", p->index, p->count);
  else if (state < 0)
    refuse(p, PART_BROKEN, "is damaged; run it again with --shard %zu/%zu", p->index, p->count);
  else if (fgetc(p->file) != EOF)
    refuse(p, PART_BROKEN, "goes on after its end: two runs have written to it; run it again with --shard %zu/%zu",
           p->index, p->count);
}

/* From ends of pairs to pairs. */
static void divide_pairs(part *p)
{
  size_t begin = 0;
  for (size_t i = 0; i < p->record_count; ++i) {
    shard_record *r = &p->records[i];
    size_t end = r->pair_count;
    r->pairs = p->pairs ? p->pairs + begin : NULL;
    r->pair_count = end - begin;
    begin = end;
  }
}

void part_read(const char *path, part *out)
{
  *out = (part){.path = path, .file = fopen(path, "rb")};
  if (!out->file) {
    refuse(out, PART_NONE, "cannot be read: %s", strerror(errno));
    return;
  }
  char *line = NULL;
  size_t room = 0;
  read_lines(out, &line, &room);
  free(line);
  divide_pairs(out);
}

void part_close(part *p)
{
  if (p->file) fclose(p->file);
  for (size_t i = 0; i < p->word_count; ++i) free(p->words[i]);
  free(p->words);
  free(p->texts);
  for (size_t i = 0; i < p->record_count; ++i) free((char *)p->records[i].kept);
  free(p->kept);
  free(p->records);
  free(p->pairs);
  *p = (part){0};
}

static bool copy_text(const part *p, const part_text *text)
{
  if (fseek(p->file, text->offset, SEEK_SET) != 0) return false;
  for (size_t left = text->size; left > 0;) {
    char bytes[16384];
    size_t got = fread(bytes, 1, left < sizeof bytes ? left : sizeof bytes, p->file);
    if (got == 0) return false;
    fwrite(bytes, 1, got, stdout);
    left -= got;
  }
  return true;
}

bool part_copy(const part *p)
{
  for (size_t i = 0; i < p->text_count; ++i) {
    if (copy_text(p, &p->texts[i])) continue;
    output_complain("%s: could not be read to its end", p->path);
    return false;
  }
  return true;
}
