/* The dynamics of bodies of several clusters, on the coordinates of their maps (clusters.h). */
#ifndef SIM_SOFT_H
#define SIM_SOFT_H

#include "clusters.h"

/* The state of such a body is one array: coordinates (3 * size), their rates, rotations (4 each)
 * and plastic shapes (9 each) of clusters. */
static inline size_t soft_values(const cluster_set *set) { return 6 * (size_t)set->size + 13 * (size_t)set->count; }
static inline double *soft_rates(const body *b) { return b->coords + 3 * b->set->size; }
static inline double *soft_rotation(const body *b, int k) { return b->coords + 6 * b->set->size + 4 * k; }
static inline double *soft_plastic(const body *b, int k)
{
  return b->coords + 6 * b->set->size + 4 * b->set->count + 9 * k;
}

bool soft_open(body *b); /* from the body's `state`; false: out of memory */
void soft_set(body *b, double matrix[3][9], const double centre[3]);
void soft_note(body *b); /* centre and velocity of the body's `state`, which others read */
void soft_deform(const sim_world *world, body *b);
void soft_move(const sim_world *world, body *b);
double soft_kinetic(const body *b);
double soft_elastic(const body *b, double step);
void soft_slow(body *b, double part, const double mean[3]); /* v = mean + part (v - mean) */
void soft_stop(body *b);                                    /* all rates are 0 */
/* Velocity, spin about the centre, and rates, added to the rates. */
void soft_push(body *b, const double velocity[3], const double spin[3], const double *rates);
/* moves the whole body */
void soft_turn(body *b, const double move[3], const double rotation[3][3]);
/* Where terms are: coordinates, plus `ahead` times their rates. */
void soft_place(const body *b, const double *terms, double ahead, double out[3]);

#endif
