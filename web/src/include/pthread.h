/* wasi-libc has no threads: what the library names of them, for a context with one worker, which
 * starts none. */
#ifndef WEB_PTHREAD_H
#define WEB_PTHREAD_H

#include <errno.h>
#include <stddef.h>

typedef int pthread_t;
typedef int pthread_mutex_t;
typedef int pthread_cond_t;

static inline int pthread_mutex_init(pthread_mutex_t *m, const void *a) { return *m = 0, (void)a, 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_mutex_trylock(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *m) { return (void)m, 0; }
static inline int pthread_cond_init(pthread_cond_t *c, const void *a) { return *c = 0, (void)a, 0; }
static inline int pthread_cond_destroy(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return (void)c, (void)m, 0; }
static inline int pthread_cond_signal(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_cond_broadcast(pthread_cond_t *c) { return (void)c, 0; }
static inline int pthread_create(pthread_t *t, const void *a, void *(*f)(void *), void *data)
{
  return (void)t, (void)a, (void)f, (void)data, EAGAIN;
}
static inline int pthread_join(pthread_t t, void **result) { return (void)t, (void)result, 0; }

#endif
