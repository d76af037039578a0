/* What the command writes: JSON, CSV, numbers for people, and complaints. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "pliant/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One line on stderr after "pliant: ", control characters made harmless. Returns EXIT_ERROR. */
int output_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is no error: after "pliant: note: ", at the end of a run that goes well. An
 * error is one line, with no other around it. */
void output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A note on something of the input that is not looked at. */
void output_unchecked(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit code of a run without errors. fail: contact is to be seen in it; it then has to be
 * certain that there is none: whatever output_unchecked() has named is an error unless
 * `allowed`, and stderr says so. found: there is contact. */
int output_verdict(bool fail, bool allowed, bool found);

/* Writes the notes so far as lines that begin with "-", or "?" for something unchecked. */
void output_write_notes(FILE *file);

/* Prints the notes so far, or drops them. */
void output_end_notes(bool print);

/* Hands all of stdout on. false: it could not be written, and stderr says so. */
bool output_finish(void);

/* For a run that ends early: hands on what there is. Says that it could not be written if that
 * is why; what else was wrong has been told. Returns EXIT_ERROR. */
int output_give_up(void);

/* The shortest decimal that reads back as the same double. */
enum { OUTPUT_NUMBER_SIZE = 32 };
const char *output_number(double value, char text[OUTPUT_NUMBER_SIZE]);

/* Milliseconds to the nanosecond: clocks tell no more. */
double output_ms(double ms);

/* 20480 as "20 480", for people. */
const char *output_count(uint64_t value, char text[OUTPUT_NUMBER_SIZE]);

/* -------------------------------------------------------------------------------------- JSON -- */

/* Commas and quotes in the right places; the caller opens and closes. A number that is not
 * finite becomes null. */
typedef struct json {
  FILE *file;
  bool comma; /* something stands before on this level */
} json;

void json_open(json *j, char bracket);  /* { or [ */
void json_close(json *j, char bracket); /* } or ] */
void json_key(json *j, const char *key);
void json_text(json *j, const char *text); /* bytes that are not UTF-8 become U+FFFD */
void json_real(json *j, double value);
void json_whole(json *j, uint64_t value);
void json_bool(json *j, bool value);

/* A key and its value, or the bracket that begins it. */
void json_put_open(json *j, const char *key, char bracket);
void json_put_text(json *j, const char *key, const char *text);
void json_put_real(json *j, const char *key, double value);
void json_put_whole(json *j, const char *key, uint64_t value);
void json_put_bool(json *j, const char *key, bool value);

/* The same for times and counts of work, which --no-costs leaves out. */
void json_put_ms(json *j, const char *key, double ms);
void json_put_work(json *j, const char *key, uint64_t count);

/* --------------------------------------------------------------------------------------- CSV -- */

/* The columns of times and counts of work, which --no-costs leaves out, and their names; each
 * with a comma before it. ms_set negative: there is no such column. */
void csv_costs(const pl_counters *c, double ms_set);
const char *csv_costs_head(bool has_set);

/* A field, in quotes where RFC 4180 wants them. */
void csv_text(FILE *file, const char *text);

#endif
