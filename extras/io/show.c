/* Text of others (names of files and nodes) for people's eyes: whatever could move a cursor,
 * change colours, turn the direction of writing or begin a line becomes a question mark. */
#include "io/show.h"

#include <stdio.h>
#include <string.h>

int io_utf8_length(const char *text)
{
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  int n = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
  for (int i = 1; i < n; ++i)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if (s[0] == 0xE0 && s[1] < 0xA0) return 0; /* overlong */
  if (s[0] == 0xED && s[1] > 0x9F) return 0; /* surrogates */
  if (s[0] == 0xF0 && s[1] < 0x90) return 0;
  if (s[0] == 0xF4 && s[1] > 0x8F) return 0; /* beyond U+10FFFF */
  return n;
}

/* A well-formed sequence of n bytes that is no letter, digit or sign but an order to the
 * terminal. */
static bool is_order(const unsigned char *s, int n)
{
  if (n == 1) return s[0] < ' ' || s[0] == 127;
  if (n == 2) return s[0] == 0xC2 && s[1] < 0xA0; /* U+0080 to U+009F: 8-bit escape codes */
  if (n != 3 || s[0] != 0xE2) return false;
  /* U+2028 to U+202E: ends of lines, directions of writing; U+2066 to U+2069: directions again */
  return (s[1] == 0x80 && s[2] >= 0xA8 && s[2] <= 0xAE) || (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9);
}

void io_show_into(char *out, size_t room, const char *text)
{
  size_t length = strlen(text), n = 0;
  if (length >= room) { /* the end of a path says more than its beginning */
    text += length - (room - 1) + 3;
    while (((unsigned char)*text & 0xC0) == 0x80) ++text;
    n = (size_t)snprintf(out, room, "...");
  }
  while (*text && n + 1 < room) {
    int bytes = io_utf8_length(text);
    if (bytes == 0 || is_order((const unsigned char *)text, bytes)) {
      out[n++] = '?';
      text += bytes ? bytes : 1;
      continue;
    }
    if (n + (size_t)bytes >= room) break;
    memcpy(out + n, text, (size_t)bytes);
    n += (size_t)bytes;
    text += bytes;
  }
  out[n] = '\0';
}

io_shown io_show(const char *text)
{
  io_shown shown = {""};
  io_show_into(shown.text, sizeof shown.text, text);
  return shown;
}
