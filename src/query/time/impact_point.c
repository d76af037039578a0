/* Bodies that shrink to a point: all their vertices are at one place at one time, the meeting.
 * Until then they only shrink, as seen from there. So any two features touch at the start, or
 * first at the meeting; and there every two do, n^2 of them. The contact at the meeting that
 * comes first in the order of contacts is found by indices alone, and the walk is left with the
 * pairs that overlap at the start. Cost: a pass over the vertices and one over the faces, unless
 * the caller's filter refuses what they find. */
#include "query/time/impact.h"

#include <math.h>

/* The least vertex of a body that is not less than `from` and has a triangle; UINT32_MAX: none. */
static uint32_t next_vertex(const sweep_tree *over, uint32_t from)
{
  const size_t lanes = 8 * (size_t)over->vertices.first[over->of->nodes.leaf_count];
  uint32_t next = UINT32_MAX;
  for (size_t i = 0; i < lanes; ++i) {
    const uint32_t v = over->vertices.number[i];
    if (v >= from && v < next) next = v;
  }
  return next;
}

/* Makes the pair of a vertex of a and the first face of b that has not this vertex and that the
 * filter lets pass. */
static bool take_first_face(impact_search *s, impact_pair *p)
{
  const impact_job *j = &s->jobs[p->job];
  const sweep_groups *faces = &j->view_b.over->faces;
  const size_t lanes = 8 * (size_t)faces->first[j->view_b.over->of->nodes.leaf_count];
  impact_pair next = *p;
  p->id_b = UINT32_MAX;
  for (size_t i = 0; i < lanes; ++i) {
    next.id_b = faces->number[i];
    if (next.id_b >= p->id_b) continue;
    impact_corners(faces, i / 8, (unsigned)(i % 8), next.b);
    const bool joined = j->a == j->b && (next.b[0] == p->a[0] || next.b[1] == p->a[0] || next.b[2] == p->a[0]);
    if (!joined && impact_wanted(s, &next)) *p = next;
  }
  return p->id_b != UINT32_MAX;
}

static bool take_first_pair(impact_search *s, impact_pair *p)
{
  const sweep_tree *over = s->jobs[p->job].view_a.over;
  for (uint32_t v = next_vertex(over, 0); v != UINT32_MAX; v = next_vertex(over, v + 1)) {
    p->a[0] = p->id_a = v;
    if (take_first_face(s, p)) return true;
  }
  return false;
}

/* Do both bodies of a job come to the same point at the same time? */
static bool shrinks(const impact_job *j)
{
  const sweep *a = j->a->sweep, *b = j->b->sweep;
  const uint32_t v = j->a->tree->prims.tri[0], w = j->b->tree->prims.tri[0];
  if (!(a->meeting > 0) || a->meeting != b->meeting) return false;
  const unsigned when = crossing_meetings(a->start[v], a->end[v], b->start[w], b->end[w]);
  return when & (a->meeting == 1 ? CROSSING_AT_END : CROSSING_IN_MIDDLE);
}

void impact_shrink(impact_scratch *q)
{
  impact_search *s = &q->searches[0];
  for (size_t i = 0; i < q->jobs.count; ++i) {
    impact_job *j = &q->jobs.data[i];
    if (j->wide > 0) continue;
    impact_pair p = {.job = (uint32_t)i, .kind = PL_FEATURE_VERTEX_FACE};
    j->shrinks = shrinks(j) && take_first_pair(s, &p);
    if (!j->shrinks) continue;
    impact_lower(s, 1);
    s->found.count = 0;
    impact_test(s, &p);
    const impact_found *f = &s->found.data[0];
    /* at the start: the walk finds one there */
    if (!s->found.count || f->impact.time == 0) continue;
    if (q->found.count && !impact_first(f, &q->found.data[0])) continue;
    q->found.data[0] = *f;
    q->found.count = 1;
    q->most = f->impact.time;
  }
  s->found.count = 0;
  impact_lower(s, q->most);
}
