/* What ends the command from outside: no output is left half written. */
#ifndef INTERRUPTS_H
#define INTERRUPTS_H

/* From here on SIGINT (Ctrl-C), SIGTERM and SIGHUP remove the temporary files of open outputs
 * before they end the command, as they would without it; those that the caller ignores (nohup)
 * stay ignored. A file that grows beyond the limit of its size is an error like a full disk, not
 * a signal. */
void interrupts_watch(void);

/* The same in a process that was forked from the command, for the files that it opens itself;
 * SIGTERM always ends it. */
void interrupts_watch_worker(void);

#endif
