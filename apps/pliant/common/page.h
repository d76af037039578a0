/* Parts of an HTML page that needs nothing beside it: curves as SVG, pictures as base64. */
#ifndef PAGE_H
#define PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct page_curve {
  const char *label;
  const char *style; /* class of the style sheet: "ours", "other", "third" or "count" */
  const double *values;
} page_curve;

typedef struct page_chart {
  const char *title, *unit;
  const double *x; /* ascending */
  size_t count;    /* of x and of every curve's values */
  page_curve curves[3];
  size_t curve_count;
} page_chart;

void page_begin(FILE *file, const char *title); /* head and style sheet, up to <main> */
void page_end(FILE *file);

/* A figure with axes, curves and a legend; a slider of the page moves the line over it. */
void page_chart_write(FILE *file, const page_chart *chart);

/* src of an image. false: the picture cannot be read. */
bool page_embed(FILE *file, const char *path);
void page_embed_bytes(FILE *file, const uint8_t *png, size_t size);

#endif
