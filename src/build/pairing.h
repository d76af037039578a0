/* A graph whose nodes may be paired, and a pairing of nearly all of them. Knows nothing about
 * triangles. */
#ifndef BUILD_PAIRING_H
#define BUILD_PAIRING_H

#include "core/context.h"

/* Undirected: every link is listed at both of its nodes. No node is linked to itself, or twice
 * to the same node. */
typedef struct link_graph {
  uint32_t count;  /* nodes */
  uint32_t *first; /* count + 1: the links of node u are [first[u], first[u + 1]) */
  uint32_t *to;
  uint64_t *weight; /* the same in both directions: exact, so that sums of them stay so */
} link_graph;

enum { NO_MATE = UINT32_MAX };

/* Scratch for the largest graph, and the result. */
typedef struct pairing {
  uint32_t *mate;  /* by node: its partner, or NO_MATE */
  uint32_t *root;  /* of searches: the single node whose tree a node is in */
  uint32_t *from;  /* of searches: the node that a node was reached from */
  uint32_t *queue; /* of searches */
  uint32_t *next;  /* of the last resort: lists of nodes that wait for a partner */
  uint8_t *mark;   /* of searches: what is known of a node */
} pairing;

/* The result of a pairing. */
typedef struct pairing_facts {
  uint32_t single; /* nodes with neighbours and no partner */
  uint32_t apart;  /* pairs of nodes that are no neighbours, but have one in common */
} pairing_facts;

bool pairing_create(const pl_allocator *allocator, size_t most, pairing *out);
void pairing_free(const pl_allocator *allocator, pairing *p);

/* Pairs neighbours, heavy links first; nodes that are `favoured` (by node, no two of them
 * neighbours) choose before all others and do not stay single. Of every connected part at most
 * one node stays single, and so do nodes without neighbours. If no pairing of neighbours leaves
 * so few (a node with three neighbours that have no others), some pairs are apart. */
pairing_facts pairing_find(pairing *p, const link_graph *g, const bool *favoured);

#endif
