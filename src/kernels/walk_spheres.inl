/* Walks of spheres. Their own test comes first, and what it leaves is tested as boxes: spheres alone are so much larger that a walk makes
 * two and a half times the tests (measured on larsson-b1). Between two spaces a centre is carried over, and the radius grows by the
 * map's greatest stretch.
 *
 * Rounding. With u = 2^-24, the squared distance and the squared sum of radii are right to 8 u of themselves; the radii are taken
 * 2^-18 larger. What the map loses is in its margin, once per axis, so less than 2 margins of a distance. Squares that are
 * too small for float lose at most 2^-145. */

typedef struct sphere_lane {
  float c[3], r;
  aabb box;
} sphere_lane;

static KERNEL_INLINE sphere_lane sphere_of(const tree *t, uint32_t node, int lane)
{
  const float *s = tree_shapes(t, node) + lane;
  const int width = t->width;
  return (sphere_lane){{s[0], s[width], s[2 * width]}, s[3 * width], BOX_OF(t, node, lane)};
}

/* Spheres of a block that come within r of c; not a number: they do. */
static KERNEL_INLINE unsigned ball_hits_of(const float *s, const int width, const float c[3], float r)
{
  v8 x = v8_sub(v8_load_lanes(s, width), v8_set(c[0])), y = v8_sub(v8_load_lanes(s + width, width), v8_set(c[1])),
     z = v8_sub(v8_load_lanes(s + 2 * width, width), v8_set(c[2]));
  v8 reach = v8_mul(v8_add(v8_load_lanes(s + 3 * width, width), v8_set(r)), v8_set(1 + 0x1p-18f));
  v8m apart = v8_lt(v8_add(v8_mul(reach, reach), v8_set(0x1p-126f)), v8_dot(x, x, y, y, z, z));
  return ~v8m_bits(apart) & 0xff;
}
static KERNEL_INLINE unsigned ball_hits(const float *s, int width, const float c[3], float r)
{
  return width == 8 ? ball_hits_of(s, 8, c, r) : width == 4 ? ball_hits_of(s, 4, c, r) : ball_hits_of(s, 2, c, r);
}

static KERNEL_INLINE unsigned sphere_hits(const tree *t, uint32_t node, const sphere_lane *q)
{
  unsigned left = ball_hits(tree_shapes(t, node), t->width, q->c, q->r) & ((1u << t->children[node]) - 1);
  return left ? left & box_hits(tree_block(t, node), t->width, &q->box) : 0;
}

#define WALK walk_spheres
#define VOLUME sphere_lane
#define VOLUME_OF sphere_of
#define HITS(w, side, t, node, q) sphere_hits(t, node, q)
#include "kernels/walk.inl"

/* ------------------------------------------------------------------------------------------ between two spaces -- */

static inline unsigned placed_sphere_hits(const walk *w, int side, const tree *t, uint32_t node, const sphere_lane *q)
{
  const frame_change *f = TO_BLOCK(w, side);
  float c[3];
  for (int k = 0; k < 3; ++k) c[k] = f->m[k][0] * q->c[0] + f->m[k][1] * q->c[1] + f->m[k][2] * q->c[2] + f->t[k];
  unsigned left =
      ball_hits(tree_shapes(t, node), t->width, c, f->stretch * q->r + 2 * f->margin) & ((1u << t->children[node]) - 1);
  return left ? left & oriented_hits(f, TO_QUERY(w, side), tree_block(t, node), t->width, &q->box) : 0;
}

/* Two nodes: a's spheres in b's space, made once and kept, and the boxes of both. */
typedef struct sphere_pair {
  const float *b; /* the spheres */
  int width_b;
  unsigned valid; /* lanes of b with a child */
  const carried_shape *a_there;
  oriented_pair boxes;
} sphere_pair;

static KERNEL_INLINE const carried_shape *carry_spheres(walk *w, uint32_t node)
{
  carried_shape *c = &w->carried_shapes[0][node & (CARRIED_SHAPES - 1)];
  uint64_t key = w->serial << 32 | node;
  if (c->key == key) return c;
  const tree *t = w->side[0].t;
  const frame_change *f = &w->to_b;
  const float *s = tree_shapes(t, node);
  const int width = t->width;
  v8 x = v8_load_lanes(s, width), y = v8_load_lanes(s + width, width), z = v8_load_lanes(s + 2 * width, width);
  c->key = key;
  for (int k = 0; k < 3; ++k) {
    v8 at = v8_dot(x, v8_set(f->m[k][0]), y, v8_set(f->m[k][1]), z, v8_set(f->m[k][2]));
    v8_store(c->part[k], v8_add(at, v8_set(f->t[k])));
  }
  v8 r = v8_mul(v8_load_lanes(s + 3 * width, width), v8_set(f->stretch));
  v8_store(c->part[3], v8_add(r, v8_set(2 * f->margin)));
  return c;
}

static KERNEL_INLINE void spheres_open(walk *w, uint32_t a, uint32_t b, sphere_pair *p)
{
  const tree *tb = w->side[1].t;
  *p = (sphere_pair){tree_shapes(tb, b), tb->width, (1u << tb->children[b]) - 1, carry_spheres(w, a), {0}};
  oriented_open(w, a, b, &p->boxes);
}
static KERNEL_INLINE void spheres_open_b(walk *w, uint32_t b, sphere_pair *p) { oriented_open_b(w, b, &p->boxes); }

static KERNEL_INLINE unsigned spheres_left(const sphere_pair *p, const sphere_lane *q)
{
  unsigned left = ball_hits_of(p->a_there->part[0], 8, q->c, q->r);
  return left ? left & oriented_left(&p->boxes, &q->box) : 0;
}
static KERNEL_INLINE unsigned spheres_lanes(const sphere_pair *p, int i)
{
  const float(*a)[8] = p->a_there->part, c[3] = {a[0][i], a[1][i], a[2][i]};
  unsigned left = ball_hits(p->b, p->width_b, c, a[3][i]) & p->valid;
  return left ? left & oriented_lanes(&p->boxes, i) : 0;
}

#define WALK walk_placed_spheres
#define VOLUME sphere_lane
#define VOLUME_OF sphere_of
#define HITS(w, side, t, node, q) placed_sphere_hits(w, side, t, node, q)
#define PAIR sphere_pair
#define OPEN_PAIR spheres_open
#define OPEN_PAIR_B spheres_open_b
#define LEFT_OF_A spheres_left
#define PAIR_HITS spheres_lanes
#include "kernels/walk.inl"
