/* One coordinate of a moving vertex over one segment of its flight plan: a polynomial of degree
 * 1 or 2 of the parameter s in [0, 1], in Bernstein form, c[0] at s = 0 and c[degree] at s = 1,
 * as real numbers.
 *
 * A position is the real value rounded to the nearest double (ties to even). Rounding is
 * monotone: where one path is above another in real numbers, its position is not below the
 * other's. So code that knows the highest path knows the greatest position, and comparing paths
 * exactly is enough to know both.
 *
 * Parameters stand on a grid: doubles that are multiples of 2^-60. All coordinates must be
 * finite. */
#ifndef EXACT_PATH_H
#define EXACT_PATH_H

enum { PATH_MOST_DEGREE = 2 };

/* The parameter of the grid nearest to x of [0, 1], and the next one after s. */
double path_parameter(double x);
double path_next(double s);

/* The position at s. */
double path_value(const double *c, int degree, double s);

/* The sign of p(s) - q(s), exactly. */
int path_order(const double *p, const double *q, int degree, double s);

/* The same, inline where one is above the other on the whole segment. */
static inline int path_compare(const double *p, const double *q, int degree, double s)
{
  if (p[0] > q[0] && p[1] > q[1] && p[degree] > q[degree]) return 1;
  if (p[0] < q[0] && p[1] < q[1] && p[degree] < q[degree]) return -1;
  return path_order(p, q, degree, s);
}

/* p(s) >= q(s). A parameter after s, such that p >= q at all parameters from s up to it, without
 * itself; INFINITY if that holds for all of [s, 1]. Linear paths: within 2^-49 of the moment at
 * which q passes p, relatively, or within 2^-60. */
double path_until(const double *p, const double *q, int degree, double s);

#endif
