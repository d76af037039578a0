/* Plots through gnuplot, as a child process in the folder of the files, so that scripts have no
 * paths in them: names of experiments, methods and columns are our own. */
#include "bench/plot.h"

#include "io/gnuplot.h"
#include "io/output.h"

/* Colours that stay apart for the colour-blind (after Okabe and Ito); the baseline is grey. */
static const char head[] = "set datafile separator ','\n"
                           "set datafile missing ''\n"
                           "set terminal pngcairo size 1300,%d font 'sans,11' background '#ffffff'\n"
                           "if (!exists('to_stdout')) set output '%s.png'\n"
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

bool bench_plot(const bench_experiment *experiment, bench_report *report)
{
  if (!experiment->plot) return true;
  char path[4200], script[128];
  io_output out;
  io_error error = {""};
  snprintf(script, sizeof script, "%s.gp", experiment->name);
  snprintf(path, sizeof path, "%s/%s", report->out, script);
  if (!io_output_open(&out, path, &error)) return bench_fail(report, "%s", error.text);
  fprintf(out.file, head, experiment->plot_height, experiment->name);
  experiment->plot(report, out.file);
  if (!io_output_close(&out, true, &error)) return bench_fail(report, "%s", error.text);

  bench_progress(report, "%s: plotting", experiment->name);
  snprintf(path, sizeof path, "%s/%s.png", report->out, experiment->name);
  if (!io_output_open(&out, path, &error)) return bench_fail(report, "%s", error.text);
  int code = io_gnuplot(report->out, script, NULL, out.file);
  bool kept = io_output_close(&out, code == 0, &error);
  if (code == IO_GNUPLOT_MISSING)
    bench_note(report, "No plot: gnuplot is not installed. Later, in that folder: gnuplot %s", script);
  else if (code != 0)
    bench_note(report, "No plot: gnuplot ended with code %d on %s", code, script);
  return kept || code != 0 || bench_fail(report, "%s", error.text);
}
