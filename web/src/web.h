/* The library as JavaScript calls it: functions of numbers and addresses. pliant.mjs is the only
 * caller, and knows the layout of what they write. A function that can fail returns 0 (or NULL)
 * on failure; web_message() then returns one line. Results are numbers in web_out(), in the
 * order that each function states; lists are addresses of the library's own. */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "pliant/pliant.h"

#ifdef __wasm__
#define WEB_EXPORT(name) __attribute__((export_name(#name))) name
#else
#define WEB_EXPORT(name) name
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* who calls them is JavaScript */
#endif

enum { WEB_OUT_COUNT = 64 };

/* Where results are written, from the start on. */
extern double web_out_numbers[WEB_OUT_COUNT];

/* Keeps a sentence for web_message(); returns false. */
__attribute__((format(printf, 1, 2))) bool web_fail(const char *format, ...);
/* true: PL_OK. Otherwise the context's sentence is kept. */
bool web_check(const pl_context *context, pl_status status);

/* A body definition from the text of its settings; "" or NULL: the defaults. */
bool web_settings(pl_context *context, const char *text, pl_body_def *out);
/* n_v, n_p, n_u, ms_update, ms_query from place `at` of web_out() on. Returns the place behind
 * them. */
int web_put_counters(int at, const pl_counters *counters);
pl_positions web_positions(const void *data, size_t count, int is_double);

#endif
