/* Running worlds: the doors of fuzz_api.c. */
#ifndef FUZZ_API_RUN_H
#define FUZZ_API_RUN_H

#include "world.h"

/* The calls up to number `stop_at`, printed as C while they are made. */
void run_traced(const uint8_t *bytes, size_t size, variant how, int stop_at);

#endif
