/* Inside io: a glTF document while it is read, and the scene that comes of it. gltf_json.c alone
 * knows the JSON library; gltf_buffer.c and gltf_accessor.c alone touch the file's bytes. */
#ifndef IO_GLTF_INSIDE_H
#define IO_GLTF_INSIDE_H

#include "io/gltf.h"
#include "io/reader.h"

/* ------------------------------------------------------------------------------------- scene -- */

#define GLTF_NO_NODE UINT32_MAX

typedef struct gltf_node {
  char *name;      /* or "node 7"; NULL: no skin has it as a joint */
  uint32_t parent; /* or GLTF_NO_NODE */
  uint32_t mesh;   /* or GLTF_NO_NODE */
  uint32_t body;   /* or GLTF_NO_NODE */
  bool in_scene;
  bool is_evaluated; /* in the scene, a joint of it, or above one */
  uint32_t skin;     /* or GLTF_NO_NODE */
  bool has_matrix;   /* local is the file's matrix; otherwise it is made from trs */
  gltf_transform local;
  double trs[10];  /* translation, rotation (x y z w, a unit quaternion), scale */
  double *weights; /* of the node itself, or NULL: those of its mesh */
  size_t weight_count;
} gltf_node;

typedef enum gltf_path { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_WEIGHTS } gltf_path;
typedef enum gltf_interpolation { GLTF_STEP, GLTF_LINEAR, GLTF_CUBIC } gltf_interpolation;

/* Keys. With GLTF_CUBIC a key has three values: tangent before, value, tangent after. */
typedef struct gltf_sampler {
  gltf_interpolation interpolation;
  size_t keys;    /* 0: not read yet */
  size_t width;   /* numbers in a value */
  int components; /* of the output's elements: 1, 3 or 4 */
  float *times;   /* ascending */
  double *values; /* normalised integers are no floats */
  bool varies;    /* some value is not the first */
} gltf_sampler;

typedef struct gltf_channel {
  const gltf_sampler *sampler;
  uint32_t node;
  gltf_path path;
} gltf_channel;

typedef struct gltf_animation {
  char *name;
  gltf_sampler *samplers;
  size_t sampler_count;
  gltf_channel *channels; /* those of nodes of the scene */
  size_t channel_count;
  double duration;
} gltf_animation;

enum { GLTF_MOVES = 1, GLTF_MORPHS = 2, GLTF_BENDS = 4 };

typedef struct gltf_skin {
  uint32_t *joints; /* nodes; NULL: not read */
  size_t joint_count;
  gltf_transform *inverse; /* from the mesh to each joint at rest */
} gltf_skin;

/* A mesh with what only the reader needs. */
typedef struct gltf_mesh_entry {
  gltf_mesh mesh;
  char *name;
  double *weights; /* target_count, or NULL: all 0 */
  bool is_read;
  bool has_skin; /* some node of the scene bends it */
} gltf_mesh_entry;

struct gltf_scene {
  gltf_mesh_entry *meshes; /* as in the file; empty where the scene does not need them */
  size_t mesh_count;
  char **material_names; /* as in the file, or "" */
  size_t material_count;
  gltf_node *nodes; /* all of the file */
  size_t node_count;
  gltf_skin *skins; /* as in the file; empty where the scene does not need them */
  size_t skin_count;
  /* the scene's nodes, parents first; then joints outside of it, and those above them */
  uint32_t *order;
  size_t order_count;
  gltf_body *bodies;
  char **body_names;
  size_t *first_weight; /* of each body, in rest_weights */
  size_t body_count;
  double *rest_weights;
  size_t weight_count;
  size_t *first_bone; /* of each body, in the bones of a pose */
  size_t bone_count;
  gltf_animation *animations;
  size_t animation_count;
  uint8_t *motion;    /* animation_count x node_count: GLTF_MOVES, GLTF_MORPHS, GLTF_BENDS */
  char **scene_names; /* of all scenes of the file, or "scene 3" */
  size_t scene_count;
  int scene_used; /* -1: all nodes, because the file has no scenes */
  char note[512];
};

/* The bones of all bodies, from the nodes in the world; and a rest position, or one that has
 * morphed, moved by them. */
void gltf_pose_make_bones(const gltf_scene *s, const gltf_transform *world, gltf_transform *bones);
void gltf_skin_point(const gltf_mesh *mesh, const gltf_transform *bones, size_t vertex, double xyz[3]);

/* The matrix of translation, rotation and scale; a * b. */
gltf_transform gltf_transform_of(const double trs[10]);
gltf_transform gltf_transform_product(const gltf_transform *a, const gltf_transform *b);
/* out: width numbers. A rotation comes out as a unit quaternion. */
void gltf_sample(const gltf_sampler *sampler, bool is_rotation, double time, double *out);

/* -------------------------------------------------------------------------------------- JSON -- */

typedef struct gltf_value gltf_value; /* of the JSON library */
typedef enum gltf_kind {
  GLTF_ABSENT,
  GLTF_OBJECT,
  GLTF_ARRAY,
  GLTF_STRING,
  GLTF_NUMBER,
  GLTF_BOOLEAN,
  GLTF_NULL
} gltf_kind;

/* source: the JSON text, its name for messages. Depth is bounded by the library (2 048). */
bool gltf_json_parse(const io_source *source, gltf_value **out, io_error *error);
void gltf_json_free(gltf_value *root);
gltf_kind gltf_json_kind(const gltf_value *value); /* NULL: absent */
/* NULL: absent, or not an object */
const gltf_value *gltf_json_member(const gltf_value *object, const char *key);
const gltf_value *gltf_json_item(const gltf_value *array, size_t index);
size_t gltf_json_length(const gltf_value *array); /* 0 where it is none */
const char *gltf_json_text(const gltf_value *string);
double gltf_json_number(const gltf_value *number);
bool gltf_json_true(const gltf_value *value);

/* ---------------------------------------------------------------------------------- document -- */

typedef struct gltf_buffer {
  const unsigned char *data; /* NULL: not loaded yet */
  size_t size;
  char *owned; /* to free, or NULL: a part of the file */
} gltf_buffer;

/* Bytes that were decoded, which live as long as the document. */
typedef struct gltf_block {
  void *bytes;
  struct gltf_block *next;
} gltf_block;

typedef struct gltf_document {
  const char *name;   /* for messages */
  const char *folder; /* with its slash, or "": where files beside it lie; NULL: there are none */
  gltf_value *root;
  const gltf_value *accessors, *animations, *buffers, *materials, *meshes, *nodes, *scenes, *skins, *views;
  const char *bin; /* the binary chunk of a .glb, or NULL */
  size_t bin_size;
  gltf_buffer *loaded;
  size_t loaded_count;
  gltf_block *blocks;
  const void **decoded_accessors;                    /* packed elements, by accessor; NULL: none has any */
  const void **decoded_views;                        /* the same of buffer views */
  bool allow_outside;                                /* files may be outside the folder */
  void (*buffer_file)(void *user, const char *path); /* as in gltf_options */
  void *user;
  bool quantized; /* KHR_mesh_quantization */
  /* bytes that gltf_unfold may still take: a small file must not become a huge scene */
  uint64_t allowed;
  size_t lines_left_out, strips_left_out, pointers_left_out;
  size_t weights_left_out, vertices_not_skinned, joints_missing;
  gltf_scene *scene; /* under construction */
  io_error *error;
} gltf_document;

#define gltf_fail(document, ...) io_fail((document)->error, (document)->name, 0, __VA_ARGS__)

/* Zeroed, never NULL for a count of 0; NULL: the error is set. For what grows with the JSON
 * only. */
void *gltf_allocate(gltf_document *d, uint64_t count, size_t size);
/* The same for what may be much larger than the file: one accessor may be named, and so
 * unfolded, a thousand times. */
void *gltf_unfold(gltf_document *d, uint64_t count, size_t size);
/* Takes it from what is allowed: work as well as bytes. */
bool gltf_charge(gltf_document *d, uint64_t count, size_t size);
char *gltf_copy_text(gltf_document *d, const char *text); /* control characters become ? */

/* "accessor 3": whom a message is about. */
typedef struct gltf_place {
  char text[72];
} gltf_place;
__attribute__((format(printf, 1, 2))) gltf_place gltf_at(const char *format, ...);

/* A printable excerpt of the file's own words. */
gltf_place gltf_shown(const char *text);

#define GLTF_REQUIRED UINT64_MAX            /* as `missing`: it must be there */
#define GLTF_NONE (UINT64_MAX - 1)          /* as `missing`: it need not */
#define GLTF_SIZE_LIMIT ((uint64_t)1 << 48) /* sizes and counts above are nonsense, and sums below cannot overflow */

/* An integer member up to `last`, or `missing`. */
bool gltf_integer(gltf_document *d, const char *where, const gltf_value *object, const char *key, uint64_t missing,
                  uint64_t last, uint64_t *out);
/* An index into a list of `count`, named in the message by `what`. */
bool gltf_index(gltf_document *d, const char *where, const gltf_value *object, const char *key, uint64_t missing,
                size_t count, uint64_t *out);
/* An array of exactly `count` finite numbers; *there says whether the member exists, and it may
 * be NULL: it must. */
bool gltf_numbers(gltf_document *d, const char *where, const gltf_value *object, const char *key, size_t count,
                  double *out, bool *there);
/* A member that is a list, or NULL with *ok true where it is missing. */
const gltf_value *gltf_list(gltf_document *d, const char *where, const gltf_value *object, const char *key, bool *ok);
/* The text of a member, or "" where it is missing or no string. */
const char *gltf_text_of(const gltf_value *object, const char *key);
/* Item i of a list, which must be an object. */
const gltf_value *gltf_object(gltf_document *d, const gltf_value *list, const char *what, size_t i);

/* The bytes [offset, offset + length) of a buffer view, checked; loads its buffer first if need
 * be. */
typedef struct gltf_view {
  const unsigned char *data;
  uint64_t length;
  uint64_t stride; /* 0: packed */
} gltf_view;
bool gltf_view_open(gltf_document *d, const char *where, uint64_t index, gltf_view *out);
void gltf_buffers_free(gltf_document *d);
/* The bytes that "buffer", "byteOffset" and "byteLength" of an object name. user: for whom. */
bool gltf_range_open(gltf_document *d, const char *where, const char *user, const gltf_value *value, gltf_view *out);

/* Compressed geometry (gltf_compressed.c). A primitive's Draco stream takes the place of its
 * accessors; *found: the view is compressed, and *out has it decoded. */
bool gltf_has_meshopt(void);
bool gltf_open_draco(gltf_document *d, const char *where, const gltf_value *primitive);
bool gltf_open_meshopt(gltf_document *d, const char *where, uint64_t index, const gltf_value *view, gltf_view *out,
                       bool *found);
void gltf_blocks_free(gltf_document *d);

/* An accessor whose elements have all been checked to be in their buffer. */
typedef struct gltf_accessor {
  uint64_t index, count;
  int type;       /* component type: 5120 .. 5126 */
  int components; /* 1 to 4; 16: a matrix */
  bool normalized;
  const unsigned char *data; /* NULL: zeros */
  size_t stride;
  uint64_t sparse_count;
  int sparse_type;
  const unsigned char *sparse_indices, *sparse_values;
} gltf_accessor;

enum { GLTF_I8 = 5120, GLTF_U8, GLTF_I16, GLTF_U16, GLTF_U32 = 5125, GLTF_F32 };

bool gltf_accessor_open(gltf_document *d, uint64_t index, gltf_accessor *out);
/* 4 x 4 floats, by columns */
bool gltf_accessor_open_matrices(gltf_document *d, uint64_t index, gltf_accessor *out);
/* All elements, components * count; must be finite. */
/* exact, unless normalised */
bool gltf_accessor_floats(gltf_document *d, const gltf_accessor *a, float *out);
bool gltf_accessor_doubles(gltf_document *d, const gltf_accessor *a, double *out);
/* Unsigned integers below `limit`. */
bool gltf_accessor_indices(gltf_document *d, const gltf_accessor *a, uint64_t limit, uint32_t *out);

/* How many sets of joints and weights a primitive's attributes have; whether two primitives name
 * the same ones; and the reading of them for vertices [first, first + count) of a mesh, whose
 * arrays are there. */
size_t gltf_influence_sets(const gltf_document *d, const gltf_value *attributes);
bool gltf_same_influences(const gltf_document *d, const gltf_value *a, const gltf_value *b);
bool gltf_read_influences(gltf_document *d, const char *where, const gltf_value *attributes, uint64_t first,
                          uint64_t count, gltf_mesh *mesh);

/* The stages of gltf_read, in this order. */
bool gltf_read_nodes(gltf_document *d);                      /* hierarchy, transforms */
bool gltf_choose_scene(gltf_document *d, const char *scene); /* order */
bool gltf_read_skins(gltf_document *d);                      /* joints, in the order too */
bool gltf_read_mesh(gltf_document *d, size_t mesh);          /* for every node that has one */
bool gltf_make_bodies(gltf_document *d);                     /* names, weights */
bool gltf_make_bones(gltf_document *d);                      /* of bodies with a skin */
bool gltf_read_names(gltf_document *d);                      /* of joints and materials */
bool gltf_read_animations(gltf_document *d);                 /* motion */

/* The whole reader over bytes in memory. folder: NULL: files beside it do not exist. */
bool gltf_read_memory(const io_source *source, const char *folder, const gltf_options *options, gltf_scene **out,
                      io_error *error);
bool gltf_read_source(const io_source *source, const char *folder, const char *scene, gltf_scene **out,
                      io_error *error); /* the same with a scene only */

#endif
