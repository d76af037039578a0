/* Assets are played by processes of their own, as many as there are cores: a file that makes one
 * of them crash is an asset that could not be read, and the others go on. A worker takes the next
 * asset from a counter that all share, writes its number and then its record into a pipe; what it
 * has to say goes into a file that outlives it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check/check.h"
#include "common/interrupts.h"
#include "common/output.h"
#include "common/progress.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MOST_WORKERS = 256, MOST_MESSAGE = 4000 };

typedef struct worker {
  pid_t pid;
  int from;           /* the pipe; -1: it has ended */
  FILE *said;         /* its stderr */
  check_asset *asset; /* that it plays now; NULL: none */
  char *text;         /* of the pipe, up to a line that is not complete */
  size_t used, room;
} worker;

/* Memory that all processes share. */
typedef struct board {
  _Atomic size_t next; /* the next asset */
  check_ticks ticks[MOST_WORKERS];
} board;

typedef struct crew {
  check_job *job;
  board *board;
  worker workers[MOST_WORKERS];
  size_t count, threads;
  bool pages; /* pictures and players instead of records */
  size_t done;
  progress bar;
} crew;

/* ------------------------------------------------------------------------------------ worker -- */

/* What was said on stderr since the last time, each line after "!", and the notes. */
static char *take_messages(FILE *said, bool readable)
{
  char *text = NULL, line[MOST_MESSAGE];
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fflush(stderr);
  rewind(said);
  while (ftell(out) < MOST_MESSAGE && fgets(line, sizeof line, said)) {
    static const char prefix[] = "pliant: ";
    line[strcspn(line, "\n")] = '\0';
    bool ours = strncmp(line, prefix, sizeof prefix - 1) == 0;
    if (line[0]) fprintf(out, "!%s\n", line + (ours ? sizeof prefix - 1 : 0));
  }
  if (readable) output_write_notes(out);
  fclose(out);
  rewind(said);
  if (ftruncate(fileno(said), 0) != 0) return text;
  return text;
}

_Noreturn static void work(crew *c, worker *self, FILE *to)
{
  check_job *job = c->job;
  output_end_notes(false); /* those of the command itself, which prints them */
  if (!c->pages) dup2(fileno(self->said), 2);
  job->ticks = &c->board->ticks[self - c->workers];
  for (size_t i; (i = atomic_fetch_add(&c->board->next, 1)) < job->end;) {
    check_asset *a = &job->assets[i];
    if (c->pages ? !a->place : a->done) continue;
    fprintf(to, "begin %zu\n", i);
    fflush(to);
    if (c->pages) {
      bool good = check_index_asset(job, a, (int)c->threads);
      fputs(good ? "end\n" : "failed\n", to);
      if (fflush(to) != 0 || !good) break;
      continue;
    }
    check_play(job, a, (int)c->threads);
    a->messages = take_messages(self->said, a->readable);
    output_end_notes(false);
    check_record_write(to, a, check_key(job, a));
    if (fflush(to) != 0) break; /* nobody reads any more */
    atomic_store(&job->ticks->part, 0);
    check_forget(a);
  }
  _exit(0);
}

static bool start(crew *c, worker *w)
{
  int ends[2];
  *w = (worker){.from = -1, .said = tmpfile()};
  if (!w->said || pipe(ends) != 0) return output_complain("no worker can be started: %s", strerror(errno)), false;
  fflush(NULL);
  w->pid = fork();
  if (w->pid == 0) {
    interrupts_watch_worker();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    close(ends[0]);
    FILE *to = fdopen(ends[1], "wb");
    if (!to) _exit(1);
    work(c, w, to);
  }
  close(ends[1]);
  w->from = w->pid > 0 ? ends[0] : -1;
  if (w->pid > 0) return true;
  close(ends[0]);
  return output_complain("no worker can be started: %s", strerror(errno)), false;
}

/* ----------------------------------------------------------------------------------- command -- */

static bool finish(crew *c, check_asset *a)
{
  a->done = true;
  progress_step(&c->bar, ++c->done);
  return check_log_add(a, check_key(c->job, a));
}

/* One line of a worker. */
static bool take_line(crew *c, worker *w, char *line)
{
  size_t number;
  if (sscanf(line, "begin %zu", &number) == 1 && number < c->job->end) {
    w->asset = &c->job->assets[number];
    return true;
  }
  if (c->pages) {
    w->asset = NULL;
    progress_step(&c->bar, ++c->done);
    return strcmp(line, "end") == 0;
  }
  int state = w->asset ? check_record_take(w->asset, line) : -1;
  if (state < 0) return output_complain("a worker's record cannot be read"), false;
  if (state == 0) return true;
  check_asset *a = w->asset;
  w->asset = NULL;
  return finish(c, a);
}

static bool take_lines(crew *c, worker *w)
{
  size_t begin = 0;
  for (char *end; (end = memchr(w->text + begin, '\n', w->used - begin)); begin = (size_t)(end - w->text) + 1) {
    *end = '\0';
    if (!take_line(c, w, w->text + begin)) return false;
  }
  memmove(w->text, w->text + begin, w->used - begin);
  w->used -= begin;
  return true;
}

/* The bar: whole assets, and what the workers have played of the others. */
static void draw_bar(crew *c)
{
  size_t played = 0, parts = 0;
  for (size_t i = 0; i < c->count; ++i) {
    const worker *w = &c->workers[i];
    played += atomic_load(&c->board->ticks[i].frames);
    if (w->asset && w->from >= 0) parts += atomic_load(&c->board->ticks[i].part);
  }
  c->bar.frames = played;
  c->bar.part = (double)parts / 1000;
  progress_step(&c->bar, c->done);
}

/* The process has gone: if it was at work, the asset broke it, and another one takes its place. */
static bool bury(crew *c, worker *w)
{
  int status = 0;
  close(w->from);
  w->from = -1;
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
  }
  check_asset *a = w->asset;
  w->asset = NULL;
  atomic_store(&c->board->ticks[w - c->workers].part, 0);
  bool good = true;
  if (c->pages) a = NULL; /* the index does without these pictures */
  if (a) {
    char *said = take_messages(w->said, false);
    check_forget(a);
    size_t room = (said ? strlen(said) : 0) + strlen(a->name) + 200;
    a->messages = malloc(room);
    if (a->messages)
      snprintf(a->messages, room,
               "%s!%s: reading or checking it broke off (%s %d); the file is damaged, or too large\n", said ? said : "",
               a->name, WIFSIGNALED(status) ? "signal" : "exit code",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    free(said);
    good = finish(c, a);
  }
  fclose(w->said);
  free(w->text);
  w->text = NULL;
  return good && (!a || start(c, w));
}

static bool listen_to(crew *c, worker *w)
{
  if (w->room - w->used < 4096) {
    size_t room = 2 * w->room + 65536;
    char *moved = realloc(w->text, room);
    if (!moved) return output_complain("out of memory"), false;
    w->text = moved;
    w->room = room;
  }
  ssize_t n = read(w->from, w->text + w->used, w->room - w->used);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return bury(c, w);
  w->used += (size_t)n;
  return take_lines(c, w);
}

/* true: somebody is still there. */
static bool step(crew *c, bool *good)
{
  struct pollfd watch[MOST_WORKERS];
  worker *of[MOST_WORKERS];
  nfds_t count = 0;
  for (size_t i = 0; i < c->count; ++i)
    if (c->workers[i].from >= 0) {
      of[count] = &c->workers[i];
      watch[count++] = (struct pollfd){.fd = c->workers[i].from, .events = POLLIN};
    }
  if (!count) return false;
  int ready = poll(watch, count, c->bar.possible ? 200 : -1);
  if (ready < 0) return errno == EINTR || (*good = false);
  draw_bar(c);
  for (nfds_t i = 0; i < count && *good; ++i)
    if (watch[i].revents) *good = listen_to(c, of[i]);
  return *good;
}

/* After an error: nobody is left behind. */
static void dismiss(crew *c)
{
  for (size_t i = 0; i < c->count; ++i) {
    worker *w = &c->workers[i];
    if (w->from < 0) continue;
    kill(w->pid, SIGTERM);
    close(w->from);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    fclose(w->said);
    free(w->text);
  }
}

/* As many workers as cores, or assets; few assets have several threads each. */
static void choose_size(crew *c, size_t assets)
{
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t all = c->job->options.threads > 0 ? (size_t)c->job->options.threads : cores > 0 ? (size_t)cores : 1;
  if (all > MOST_WORKERS) all = MOST_WORKERS;
  c->count = all < assets ? all : assets;
  c->threads = c->count ? (all + c->count - 1) / c->count : 1;
}

static bool run_crew(check_job *job, bool pages)
{
  crew *c = calloc(1, sizeof *c);
  size_t left = 0;
  for (size_t i = job->begin; i < job->end; ++i) left += pages ? job->assets[i].place > 0 : !job->assets[i].done;
  if (!c) return output_complain("out of memory"), false;
  c->job = job;
  c->pages = pages;
  choose_size(c, left);
  c->board = mmap(NULL, sizeof *c->board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bool good = c->board != MAP_FAILED || (output_complain("out of memory"), false);
  if (good) atomic_store(&c->board->next, job->begin);
  for (size_t i = 0; i < c->count; ++i) c->workers[i].from = -1;
  c->bar = progress_begin(pages ? "pages" : "assets", left, false);
  for (size_t i = 0; good && i < c->count; ++i) good = start(c, &c->workers[i]);
  while (good && step(c, &good)) {
  }
  progress_end(&c->bar);
  if (!good) dismiss(c);
  if (c->board != MAP_FAILED) munmap((void *)c->board, sizeof *c->board);
  free(c);
  return good;
}

bool check_run(check_job *job) { return run_crew(job, false); }

bool check_run_pages(check_job *job) { return run_crew(job, true); }
