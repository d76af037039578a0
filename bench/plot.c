/* Plots through gnuplot, as a child process in the folder of the files, so that scripts have no paths in them: names of
 * experiments, methods and columns are our own. */
#include "bench/plot.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

/* Colours that stay apart for the colour-blind (after Okabe and Ito); the baseline is grey. */
static const char head[] = "set datafile separator ','\n"
                           "set datafile missing ''\n"
                           "set terminal pngcairo size 1300,%d font 'sans,11' background '#ffffff'\n"
                           "set output '%s.png'\n"
                           "set lmargin 10\n"
                           "set grid lc rgb '#dddddd' lt 1\n"
                           "set border 3 lc rgb '#555555'\n"
                           "set tics nomirror textcolor rgb '#333333'\n"
                           "set key outside right top Left reverse spacing 1.3 samplen 3.5\n"
                           "set style line 1 lc rgb '#555555' lw 2.5 pt 4\n"
                           "set style line 2 lc rgb '#999999' lw 1.5 dt 2 pt 6\n"
                           "set style line 3 lc rgb '#e69f00' lw 1.5 pt 8\n"
                           "set style line 4 lc rgb '#56b4e9' lw 1.5 pt 10\n"
                           "set style line 5 lc rgb '#009e73' lw 1.5 pt 12\n"
                           "set style line 6 lc rgb '#d55e00' lw 1.5 dt 2 pt 5\n"
                           "set style line 7 lc rgb '#cc79a7' lw 1.5 dt 2 pt 9\n"
                           "set style line 8 lc rgb '#0050b0' lw 3 pt 7\n"
                           "set style line 9 lc rgb '#88bb22' lw 1.5 pt 11\n";

void bench_plot_curves(FILE *gp, const bench_report *report, const bench_curve *curves, int count)
{
  fputs("plot ", gp);
  for (int i = 0; i < count; ++i) {
    const bench_curve *c = &curves[i];
    fprintf(gp,
            "'%s-steps.csv' using (strcol('group') eq '%s' && strcol('method') eq '%s' && strcol('query') eq '%s' ? "
            "column('step') : NaN):(column('%s')) with lines ls %d title '%s'%s\n",
            report->experiment, c->group, c->method, c->query, c->column, c->style, c->title,
            i + 1 < count ? ", \\" : "");
  }
}

/* The exit code of gnuplot, NOT_FOUND where there is none. */
static int run_gnuplot(const char *folder, const char *script)
{
  pid_t child = fork();
  if (child < 0) return NOT_FOUND;
  if (child == 0) {
    if (chdir(folder) == 0) execlp("gnuplot", "gnuplot", "-d", script, (char *)NULL);
    _exit(NOT_FOUND);
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return NOT_FOUND;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool bench_plot(const bench_experiment *experiment, bench_report *report)
{
  if (!experiment->plot) return true;
  char path[4200], script[128];
  snprintf(script, sizeof script, "%s.gp", experiment->name);
  snprintf(path, sizeof path, "%s/%s", report->out, script);
  FILE *gp = fopen(path, "w");
  if (!gp) return bench_fail(report, "%s: cannot be written: %s", path, strerror(errno));
  fprintf(gp, head, experiment->plot_height, experiment->name);
  experiment->plot(report, gp);
  bool bad = ferror(gp);
  if (fclose(gp) != 0 || bad) return bench_fail(report, "%s: cannot be written: %s", path, strerror(errno));

  bench_progress(report, "%s: plotting", experiment->name);
  int code = run_gnuplot(report->out, script);
  if (code == NOT_FOUND)
    bench_note(report, "No plot: gnuplot is not installed. Later, in that folder: gnuplot %s", script);
  else if (code != 0)
    bench_note(report, "No plot: gnuplot ended with code %d on %s", code, path);
  return true;
}
