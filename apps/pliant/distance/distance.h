/* What `pliant distance` knows while it runs, and the writers of its answers. */
#ifndef DISTANCE_H
#define DISTANCE_H

#include "common/play.h"
#include "common/results_out.h"
#include "common/scene_job.h"
#include "scenes/ask.h"

typedef struct distance_options {
  play_options common;
  bool fail_if_closer;
  double relative, absolute;
  double closer, margin; /* negative: not given */
  const char *plot;      /* NULL: no plot */
} distance_options;

typedef struct distance_frame {
  size_t index;
  double time;              /* of a glTF scene; negative: none */
  size_t body_a, body_b;    /* where a is not NULL */
  const char *a, *b;        /* files, or bodies; NULL: no two bodies within the limit */
  double ms_set;            /* handing the positions to the library */
  least_row answer;         /* with --closer: of any pair that is nearer */
  bool closer;              /* --closer: is it? */
  const char *animation;    /* until the next frame; NULL: not several are played */
  size_t near_count;        /* --margin */
  const pl_near_pair *near; /* valid until the next question */
} distance_frame;

/* Over all frames so far. */
typedef struct distance_totals {
  size_t frames, closer_frames, first_closer, partial_frames, measured;
  /* frames of the least and of the greatest distance; answers are copies */
  distance_frame least, most;
  double sum, ms_set, ms_update, ms_query, ms_longest;
  size_t near_most, near_most_at;
} distance_totals;

/* The curve of --plot. */
typedef struct distance_curve {
  double *values; /* infinite: a gap */
  size_t count, capacity;
  bool full; /* memory was out */
} distance_curve;

void distance_totals_add(distance_totals *t, const distance_options *o, const distance_frame *frame);
void distance_curve_add(distance_curve *c, double value);

/* The frames of files, or of a glTF scene: asks each, writes it and adds it up. false: stderr says
 * why. */
typedef struct distance_run {
  const distance_options *options;
  const stage *on;
  bool lines, has_time, has_clips; /* of what is written */
  results_out *found;
  distance_curve *curve;
  distance_totals *totals;
  bool (*answer)(void *job, size_t frame, distance_frame *out);
  void *job;
} distance_run;
bool distance_frames(const distance_run *r);

/* Files, or a glTF scene: writes all that belongs to one frame. */
void distance_write_head(const distance_options *o, bool is_scene, bool has_clips);
void distance_write_frame(const distance_options *o, const distance_frame *frame);
/* The end of the summary, after what is said of the bodies. */
void distance_write_totals(const distance_options *o, const distance_totals *t, const stage *s);

/* The definition of the query that the options ask for. */
pl_question distance_def(const distance_options *o);

/* Returns whether a result agrees with the reference. false: `difference` says how not. */
enum { DISTANCE_TEXT = 200 };
bool distance_agrees(const distance_options *o, const distance_frame *frame, const least_row *truth,
                     char difference[DISTANCE_TEXT]);

/* Writes the curve as .svg, or as .png through gnuplot. false: stderr says why. */
bool distance_plot_fits(const char *path); /* is its ending one of the two? */
bool distance_plot(const char *path, const distance_curve *curve, const char *title);

/* The nearest triangles of a frame, for those who show them; and what a picture shows of it. */
bool distance_found(results_out *f, const distance_options *o, const distance_frame *frame);
void distance_shot(const results_out *f, const distance_frame *frame, report_shot *out);

/* Many bodies: returns the exit code. */
int distance_scene_run(const distance_options *options, const input_list *inputs);

/* The two nearest of the bodies whose pairs are asked for; distance_pairs.c. false: the context
 * says why. */
bool distance_pairs(const scene_job *job, const pl_question *def, bool reference, least_row *out);

#endif
