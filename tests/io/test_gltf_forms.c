/* Small glTF documents made here: every form of a number, a buffer and a tree that glTF allows,
 * and every way to get one wrong, each told in one line. */
#include "io/gltf_support.h"

/* The sample with one edit, and a part of what the reader must say; NULL: it must read it. */
typedef struct edit {
  const char *from, *to, *says;
} edit;

static const edit EDITS[] = {
    {NULL, NULL, NULL},
    /* container and versions */
    {"{'asset'", "['asset'", "test:1: its JSON is broken: "},
    {"'scene':0,", "'scene':0,'scene':0,", "its JSON is broken: duplicate object key"},
    {"'2.0'", "'1.0'", "test: is glTF 1.0; export glTF 2.0"},
    {"'2.0'", "'2.0','minVersion':'2.1'", "is glTF 2.1"},
    {"'asset':{'version':'2.0'},", "", "has no asset version; it is not glTF"},
    {"{'asset'", "{'meshes':7,'asset'", "JSON"},
    {"'scene':0,", "'extensionsRequired':['KHR_meshopt_compression'],",
     "is compressed with KHR_meshopt_compression, which meshoptimizer 0.18 cannot decode"},
    {"'scene':0,", "'extensionsRequired':['EXT_structural_metadata'],",
     "needs the extension 'EXT_structural_metadata', which is not read; export it without"},
    {"'scene':0,", "'extensionsRequired':['KHR_materials_unlit','KHR_texture_transform'],", NULL},
    {"'scene':0,", "'extensionsUsed':['KHR_draco_mesh_compression'],", NULL},
    {"'scene':0,", "'extensionsRequired':[1],", "'extensionsRequired' has an entry that is not a name"},
    {"'scene':0,", "'extensionsRequired':{},", "the file: 'extensionsRequired' is not a list"},
    /* buffers */
    {"'byteLength':256,", "'byteLength':257,", "buffer 0 should have 257 bytes and has 256"},
    {"'byteLength':256,", "'byteLength':4294967296,", "buffer 0 should have 4294967296 bytes and has 256"},
    {"'byteLength':256,", "'byteLength':1e300,", "buffer 0: 'byteLength' is 1"},
    {"'byteLength':256,", "'byteLength':-1,", "buffer 0: 'byteLength' is not a whole number"},
    {"'byteLength':256,", "'byteLength':255.5,", "buffer 0: 'byteLength' is not a whole number"},
    {"'byteLength':256,", "'byteLength':'256',", "buffer 0: 'byteLength' is not a whole number"},
    {"'byteLength':256,", "'byteLength':0,", "buffer 0 is empty"},
    {"'byteLength':256,", "", "buffer 0 has no 'byteLength'"},
    {"base64,@", "base64,@!", "buffer 0: its data: URI is not base64"},
    {"octet-stream;base64,@", "octet-stream,@", "buffer 0: its data: URI is not base64"},
    {"'data:application/octet-stream;base64,@'", "7", "buffer 0: 'uri' is not a text"},
    {",'uri':'data:application/octet-stream;base64,@'", "", "buffer 0 has neither a URI nor the binary chunk"},
    {"data:application/octet-stream;base64,@", "a.bin", "buffer 0 is the file 'a.bin', but there is no folder"},
    /* buffer views */
    {"'byteOffset':232,'byteLength':24", "'byteOffset':233,'byteLength':24",
     "buffer view 5 (for accessor 7) reaches to byte 257"},
    {"'byteOffset':232,'byteLength':24", "'byteOffset':257,'byteLength':0", "buffer view 5 (for accessor 7) reaches"},
    {"'byteOffset':232,", "'byteOffset':281474976710656,", "buffer view 5 (for accessor 7) reaches"},
    {"'byteOffset':232,", "'byteOffset':18446744073709551615,", "buffer view 5: 'byteOffset' is"},
    {"{'buffer':0,'byteLength':48}", "{'buffer':1,'byteLength':48}", "buffer view 0: 'buffer' is 1, and there are 1"},
    {"{'buffer':0,'byteLength':48}", "{'buffer':0,'byteLength':48,'byteStride':0}", "'byteStride' is 0"},
    {"{'buffer':0,'byteLength':48}", "{'buffer':0,'byteLength':48,'byteStride':8}",
     "accessor 0: its elements of 12 bytes are only 8 apart"},
    {"{'buffer':0,'byteLength':48}", "{'buffer':0,'byteLength':48,'byteStride':16}",
     "accessor 0: its 4 elements do not fit into the 48 bytes"},
    {"{'buffer':0,'byteLength':48}", "{'buffer':0,'byteLength':60,'byteStride':16}", NULL},
    {"{'buffer':0,'byteLength':48}", "3", "buffer view 0 is not an object"},
    /* accessors */
    {"'count':4,'type':'VEC3'}", "'count':5,'type':'VEC3'}", "accessor 0: its 5 elements do not fit"},
    {"'count':4,'type':'VEC3'}", "'count':4294967294,'type':'VEC3'}", "accessor 0: its 4294967294 elements do not fit"},
    {"'count':4,'type':'VEC3'}", "'count':4294967295,'type':'VEC3'}", "accessor 0: 'count' is 4294967295"},
    {"'count':4,'type':'VEC3'}", "'count':0,'type':'VEC3'}", "accessor 0 has no elements"},
    {"'count':4,'type':'VEC3'}", "'count':4,'type':'VEC2'}", "its positions (accessor 0) are not VEC3 of floats"},
    {"'count':4,'type':'VEC3'}", "'count':4,'type':'MAT4'}", "accessor 0: type 'MAT4' is not SCALAR or VEC2"},
    {"'count':4,'type':'VEC3'}", "'count':4,'type':'VEC3','byteOffset':49}", "accessor 0: its 4 elements do not fit"},
    {"'componentType':5126,'count':4", "'componentType':5124,'count':4", "accessor 0: component type 5124 is unknown"},
    {"'componentType':5126,'count':4", "'normalized':true,'componentType':5126,'count':4", "can be normalised"},
    {"{'bufferView':0,'componentType'", "{'bufferView':6,'componentType'",
     "accessor 0: 'bufferView' is 6, and there are 6"},
    {"{'bufferView':0,'componentType':5126,'count':4,", "{'componentType':5126,'count':4294967294,",
     "unfolds to far more than the bytes it has"},
    {"{'bufferView':0,'componentType'", "{'componentType'", NULL}, /* all zero */
    {"'sparse':{'count':2", "'sparse':{'count':5", "accessor 7: 'count' is 5, more than 4"},
    {"'sparse':{'count':2", "'sparse':{'count':3", "accessor 7: its 3 sparse elements do not fit into buffer view 4"},
    {"'sparse':{'count':2", "'sparse':{'count':0", "accessor 7: its sparse list is empty"},
    {"'bufferView':4,'componentType':5121", "'bufferView':4,'componentType':5126", "sparse indices are not unsigned"},
    {"'values':{'bufferView':5}", "'values':{'bufferView':4}",
     "accessor 7: its 2 sparse elements do not fit into buffer view 4"},
    {"'values':{'bufferView':5}", "'values':7", "accessor 7 has no 'bufferView'"},
    /* meshes */
    {"'attributes':{'POSITION':0}", "'attributes':{}", "mesh 0, primitive 0 has no 'POSITION'"},
    {"'attributes':{'POSITION':0}", "'attributes':{'POSITION':8}",
     "mesh 0, primitive 0: 'POSITION' is 8, and there are 8"},
    {"'indices':1,", "'indices':0,", "mesh 0, primitive 0: its indices (accessor 0) are not unsigned integers"},
    {"'indices':1,", "", "mesh 0, primitive 0: 4 corners do not make triangles"},
    {"'indices':1,", "'mode':7,", "mesh 0, primitive 0: 'mode' is 7, more than 6"},
    {"'indices':1,", "'mode':1,", "its scene has no triangles"},
    {"'targets':[{'POSITION':2}", "'targets':[{'POSITION':4}",
     "mesh 0, primitive 0, target 0 has 3 positions for 4 vertices"},
    {"'targets':[{'POSITION':2}", "'targets':[1", "mesh 0, primitive 0, target 0 is not an object"},
    {"'targets':[{'POSITION':2}", "'targets':[{'NORMAL':2}", NULL},
    {"{'POSITION':7}]}]", "{'POSITION':7}]},{'attributes':{'POSITION':0}}]", "mesh 0, primitive 1: 4 corners"},
    {"{'POSITION':7}]}]", "{'POSITION':7}]},{'attributes':{'POSITION':0},'mode':5}]",
     "mesh 0, primitive 1 has 0 morph targets, and the first one has 2"},
    {"'weights':[0.25,0]}", "'weights':[0.25]}", "mesh 0: 'weights' is not a list of 2 numbers"},
    {"'weights':[0.25,0]}", "'weights':[0.25,null]}", "mesh 0: 'weights' has something that is not a number"},
    {"'primitives':[{", "'primitives':[],'x':[{", "mesh 0 has no primitives"},
    {"'primitives':[{", "'primitives':[3,{", "a mesh's primitive 0 is not an object"},
    /* nodes and scenes */
    {"'children':[1]", "'children':[1,1]", "node 1 is a child of node 0 and of node 0; glTF requires a tree"},
    {"'children':[1]", "'children':[1,2]", "scene 0 names node 2, which is a child of node 0"},
    {"'children':[1]", "'children':[3]", "node 0: child 0 is not one of the 3 nodes"},
    {"'children':[1]", "'children':[0.5]", "node 0: child 0 is not one of the 3 nodes"},
    {"'translation':[1,2,3]", "'children':[0]", "node 0 is below itself; glTF requires a tree"},
    {"'children':[1]", "'children':[0]", "node 0 is below itself"},
    {"'mesh':0,'translation'", "'mesh':1,'translation'", "node 1: 'mesh' is 1, and there are 1"},
    {"'mesh':0,'translation'", "'mesh':0,'skin':1,'translation'", "node 1: 'skin' is 1, and there are 1"},
    {"'translation':[1,2,3]", "'translation':[1,2]", "node 1: 'translation' is not a list of 3 numbers"},
    {"'translation':[1,2,3]", "'translation':[1,2,1e999]", "JSON"},
    {"'translation':[1,2,3]", "'rotation':[0,0,0,0]", "node 1: its rotation is not a unit quaternion"},
    {"'translation':[1,2,3]", "'rotation':[0,0,0,2]", "node 1: its rotation is not a unit quaternion"},
    {"'translation':[1,2,3]", "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,2]",
     "the last row of its matrix is not 0 0 0 1"},
    {"'translation':[1,2,3]", "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1],'scale':[1,1,1]",
     "both a matrix and a scale"},
    {"'scale':[2,1,1]", "'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1]", "node 0 has a matrix, which glTF does not let"},
    {"'weights':[0,0]}]", "'weights':[0]}]", "node 2 has 1 weights, and its mesh 2 morph targets"},
    {"'nodes':[0,2]", "'nodes':[0,2,0]", "scene 0 names node 0 twice"},
    {"'nodes':[0,2]", "'nodes':[3]", "scene 0: entry 0 is not one of the 3 nodes"},
    {"'nodes':[0,2]", "'nodes':[]", "its scene has no triangles"},
    {"'scene':0,", "'scene':2,", "the file: 'scene' is 2, and there are 2"},
    {"'nodes':[{", "'nodes':[null,{", "node 0 is not an object"},
    /* animations */
    {"'LINEAR'", "'QUADRATIC'", "animation 0, channel 0: interpolation 'QUADRATIC' is unknown"},
    {"'LINEAR'", "'CUBICSPLINE'", "animation 0, channel 0: a key has 1 numbers, and node 0 needs 3"},
    {"'path':'translation'", "'path':'colour'", "animation 0, channel 0: path 'colour' is unknown"},
    {"'path':'translation'", "'path':'pointer'", NULL},
    {"'path':'translation'", "'path':'rotation'", "animation 0, channel 0: a key has 3 numbers, and node 0 needs 4"},
    {"'path':'translation'", "'path':'weights'", "animation 0, channel 0: node 0 has no morph targets to weigh"},
    {"'node':2,'path':'rotation'", "'node':3,'path':'rotation'",
     "animation 0, channel 1: 'node' is 3, and there are 3"},
    {"'node':2,'path':'rotation'", "'path':'rotation'", NULL},
    {"{'sampler':1,", "{'sampler':3,", "animation 0, channel 1: 'sampler' is 3, and there are 3"},
    {"{'input':3,'output':5}", "{'input':0,'output':5}",
     "animation 0, channel 1: its times (accessor 0) are not single floats"},
    {"{'input':3,'output':5}", "{'input':3,'output':1}", "(accessor 1) are neither floats nor normalised integers"},
    /* VEC3 x 4 */
    {"{'input':3,'output':5}", "{'input':3,'output':0}", "animation 0, channel 1: a key has 4 numbers"},
    {"{'input':3,'output':5}", "{'input':6,'output':5}", "time 1 is 0; times must ascend from 0 or more"},
    {"{'node':2,'path':'rotation'}", "{'node':0,'path':'translation'}", "animation 0, channel 1: a key has 4 numbers"},
    {"{'sampler':1,'target':{'node':2,'path':'rotation'}}", "{'sampler':0,'target':{'node':0,'path':'translation'}}",
     "animation 0 moves node 0 twice in the same way"},
    {"{'sampler':1,'target':{'node':2,'path':'rotation'}}", "5", "animation 0, channel 1 has no target"},
};

static void test_edits(void **state)
{
  (void)state;
  unsigned char bytes[256];
  sample_bytes(bytes);
  for (size_t i = 0; i < sizeof EDITS / sizeof EDITS[0]; ++i) {
    char *text = gltf_text(SAMPLE, EDITS[i].from, EDITS[i].to, bytes);
    gltf_scene *s;
    io_error error;
    bool ok = gltf_read_bytes(text, strlen(text), NULL, &s, &error);
    if (ok != !EDITS[i].says || (!ok && !strstr(error.text, EDITS[i].says)))
      fail_msg("%s -> %s: %s", EDITS[i].from, EDITS[i].to, ok ? "was read" : error.text);
    if (ok) exercise(s);
    gltf_free(s);
    free(text);
  }
}

/* The same for the bytes: a float, an index or a time that must not be. */
static void test_bytes(void **state)
{
  (void)state;
  static const struct {
    size_t at;
    unsigned char bytes[4];
    const char *says;
  } cases[] = {
      {16, {0, 0, 0xc0, 0x7f}, "accessor 0: element 1 is not finite"},
      {44, {0, 0, 0x80, 0xff}, "accessor 0: element 3 is not finite"},
      {48, {4, 0, 1, 0}, "accessor 1: index 0 names vertex 4 of 4"},
      {60, {0, 0, 0x80, 0x7f}, "accessor 2: element 0 is not finite"},
      {108, {0, 0, 0x80, 0xbf}, "time 0 is -1"},
      {108, {0, 0, 0x80, 0x3f}, "time 1 is 1; times must ascend"},
      {168, {0, 0, 0, 0}, "the rotation of key 0 is not a unit quaternion"},
      {204, {0, 0, 0xc0, 0xff}, "accessor 6: element 0 is not finite"},
      {228, {3, 3, 0, 0}, "accessor 7: sparse index 1 is 3; they must ascend and stay below 4"},
      {228, {3, 1, 0, 0}, "accessor 7: sparse index 1 is 1"},
      {228, {3, 4, 0, 0}, "accessor 7: sparse index 1 is 4"},
      {252, {0, 0, 0xc0, 0x7f}, "accessor 7: element 3 is not finite"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    unsigned char bytes[256];
    sample_bytes(bytes);
    memcpy(bytes + cases[i].at, cases[i].bytes, 4);
    char *text = gltf_text(SAMPLE, NULL, NULL, bytes);
    gltf_scene *s;
    io_error error;
    assert_false(gltf_read_bytes(text, strlen(text), NULL, &s, &error));
    if (!strstr(error.text, cases[i].says)) fail_msg("%s", error.text);
    free(text);
  }
}

/* ------------------------------------------------------------------------------ what it says -- */

static void test_sample(void **state)
{
  (void)state;
  gltf_scene *s = read_sample(NULL, NULL, NULL);
  assert_int_equal(gltf_body_count(s), 2);
  const gltf_body *b0 = gltf_body_at(s, 0), *b1 = gltf_body_at(s, 1);
  assert_string_equal(b0->name, "b");
  assert_string_equal(b1->name, "b (node 2)");
  assert_true(b0->mesh == b1->mesh && strcmp(b0->mesh->name, "quad") == 0 && b0->node == 1 && b1->node == 2);
  assert_true(b0->moves && b0->morphs && b1->moves && !b1->morphs && !b0->has_skin && !b0->mirrored);
  for (int i = 0; i < 6; ++i) assert_int_equal(b0->mesh->triangles[i], SAMPLE_INDICES[i]);
  assert_memory_equal(b0->mesh->positions, SAMPLE_POSITIONS, sizeof SAMPLE_POSITIONS);
  assert_memory_equal(b0->mesh->targets[0], SAMPLE_DELTAS, sizeof SAMPLE_DELTAS);
  static const float sparse[12] = {0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6};
  assert_memory_equal(b0->mesh->targets[1], sparse, sizeof sparse);

  gltf_pose *pose = pose_of(s);
  assert_true(gltf_pose_weights(pose, 0)[0] == 0.25 && gltf_pose_weights(pose, 1)[0] == 0);
  evaluate(pose, 0, 2); /* half way between the second and the third key */
  assert_true(gltf_pose_weights(pose, 0)[0] == 0 && gltf_pose_weights(pose, 0)[1] == 1.25);
  const gltf_transform *t = gltf_pose_transform(pose, 0);
  assert_true(t->m[0][0] == 2 && t->m[1][1] == 1 && t->t[0] == 2 * 1 + 4 && t->t[1] == 2 + 4 && t->t[2] == 3);
  double xyz[12];
  io_error error;
  assert_true(gltf_pose_positions(pose, 0, xyz, &error));
  assert_true(xyz[9] == 2 * (1 + 1.25 * 4) + 6 && xyz[10] == 1 + 1.25 * 5 + 6 && xyz[11] == 0.5 + 1.25 * 6 + 3);
  /* From a quarter turn to -1 times half a turn, on the shorter arc: 135 degrees. */
  t = gltf_pose_transform(pose, 1);
  assert_near(t->m[0][0], cos(0.75 * acos(-1)), 1e-7);
  assert_near(t->m[1][0], sin(0.75 * acos(-1)), 1e-7);
  assert_false(gltf_evaluate(pose, 1, 0, &error));
  assert_false(gltf_evaluate(pose, -3, 0, &error));
  assert_false(gltf_evaluate(pose, 0, NAN, &error));
  gltf_pose_free(pose);
  gltf_free(s);
}

static void test_scenes(void **state)
{
  (void)state;
  static const char *const names[] = {"other", "1"};
  for (int i = 0; i < 2; ++i) {
    gltf_scene *s = read_sample(NULL, NULL, names[i]);
    assert_int_equal(gltf_body_count(s), 1);
    assert_string_equal(gltf_body_at(s, 0)->name, "b");
    exercise(s);
    gltf_free(s);
  }
  gltf_scene *s = read_sample("'scene':0,", "", NULL); /* no default: the first */
  assert_int_equal(gltf_body_count(s), 2);
  gltf_free(s);
  /* none at all */
  s = read_sample("'scenes':[{'nodes':[0,2]},{'name':'other','nodes':[2]}],'scene':0,", "", NULL);
  assert_int_equal(gltf_body_count(s), 2);
  gltf_free(s);
  static const char *const wrong[] = {"2", "", "nobody", "1x", "-1"};
  unsigned char bytes[256];
  sample_bytes(bytes);
  char *text = gltf_text(SAMPLE, NULL, NULL, bytes);
  for (int i = 0; i < 5; ++i) {
    io_error error;
    assert_false(gltf_read_bytes(text, strlen(text), wrong[i], &s, &error));
    assert_non_null(strstr(error.text, "give a name, or a number up to 1"));
  }
  free(text);
}

static void test_step_and_matrix(void **state)
{
  (void)state;
  gltf_scene *s = read_sample("'LINEAR'", "'STEP'", NULL);
  gltf_pose *pose = pose_of(s);
  evaluate(pose, 0, 2.9999);
  assert_true(gltf_pose_transform(pose, 0)->t[1] == 2);
  evaluate(pose, 0, 3);
  assert_true(gltf_pose_transform(pose, 0)->t[1] == 10);
  gltf_pose_free(pose);
  gltf_free(s);
  s = read_sample("'translation':[1,2,3]", "'matrix':[1,2,3,0,4,5,6,0,7,8,-9,0,10,11,12,1]", NULL);
  pose = pose_of(s);
  const gltf_transform *t = gltf_pose_transform(pose, 0);
  double m[3][4] = {{2, 8, 14, 20}, {2, 5, 8, 11}, {3, 6, -9, 12}}; /* x doubled by the parent */
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) assert_true((k < 3 ? t->m[i][k] : t->t[i]) == m[i][k]);
  gltf_pose_free(pose);
  gltf_free(s);
}

/* Shapes that only move where they are put once are no motion, and huge transforms are reported. */
static void test_motion(void **state)
{
  (void)state;
  /* all translations are 0 */
  gltf_scene *s = read_sample("{'bufferView':3,'byteOffset':12,", "{", NULL);
  assert_true(!gltf_body_at(s, 0)->moves && gltf_body_at(s, 0)->morphs);
  gltf_free(s);
  /* A child moves with its parent, but does not morph with it. */
  s = read_sample("'translation':[1,2,3]},{'name':'b','mesh':0,'weights':[0,0]}],\n'scenes':[{'nodes':[0,2]},"
                  "{'name':'other','nodes':[2]}]",
                  "'children':[2]},{'name':'c','mesh':0,'weights':[0,0]}],\n'scenes':[{'nodes':[0]}]", NULL);
  assert_true(gltf_body_at(s, 1)->moves && !gltf_body_at(s, 1)->morphs && !gltf_body_morphs(s, 1, 0));
  gltf_free(s);
  s = read_sample("'scale':[2,1,1]", "'scale':[1e308,1,1]", NULL);
  gltf_pose *pose = pose_of(s);
  io_error error;
  double xyz[12];
  assert_false(gltf_pose_positions(pose, 0, xyz, &error)); /* 1e308 + 1e308 */
  assert_non_null(strstr(error.text, "b: a vertex is too far out for a double"));
  gltf_pose_free(pose);
  gltf_free(s);
  s = read_sample("'scale':[2,1,1]},\n {'name':'b','mesh':0,'translation':[1,2,3]}",
                  "'scale':[1e200,1,1]},\n {'name':'b','mesh':0,'scale':[1e200,1,1]}", NULL);
  assert_false(gltf_pose_create(s, &pose, &error));
  assert_null(pose);
  assert_non_null(strstr(error.text, "b: its transform is too large for a double"));
  gltf_free(s);
}

static void test_skin_is_told(void **state)
{
  (void)state;
  gltf_scene *s = read_sample("'mesh':0,'translation'", "'mesh':0,'skin':0,'translation'", NULL);
  assert_true(gltf_body_at(s, 0)->has_skin && !gltf_body_at(s, 1)->has_skin);
  gltf_free(s);
}

/* ----------------------------------------------------------------------------------- numbers -- */

static gltf_document document(io_error *error)
{
  return (gltf_document){.name = "test", .allowed = 1 << 20, .error = error};
}

static void test_normalised(void **state)
{
  (void)state;
  static const unsigned char bytes[] = {0x80, 0x81, 0x7f, 0xff, 0, 0x80, 1, 0x80, 0xff, 0x7f, 0xff, 0xff};
  static const struct {
    int type;
    bool normalized;
    uint64_t count;
    size_t at, stride;
    double expected[3];
  } cases[] = {
      {GLTF_I8, true, 3, 0, 1, {-1, -1, 1}},           {GLTF_I8, false, 3, 0, 1, {-128, -127, 127}},
      {GLTF_U8, true, 2, 2, 1, {127 / 255.0, 1}},      {GLTF_U8, false, 3, 1, 2, {129, 255, 128}},
      {GLTF_I16, true, 3, 4, 2, {-1, -1, 1}},          {GLTF_I16, false, 3, 4, 2, {-32768, -32767, 32767}},
      {GLTF_U16, true, 2, 8, 2, {32767 / 65535.0, 1}}, {GLTF_U16, false, 1, 10, 2, {65535}},
      {GLTF_U32, false, 1, 8, 4, {4294934527.0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    io_error error;
    gltf_document d = document(&error);
    gltf_accessor a = {.count = cases[i].count,
                       .type = cases[i].type,
                       .components = 1,
                       .normalized = cases[i].normalized,
                       .data = bytes + cases[i].at,
                       .stride = cases[i].stride};
    double out[3];
    float rounded[3];
    assert_true(gltf_accessor_doubles(&d, &a, out) && gltf_accessor_floats(&d, &a, rounded));
    for (uint64_t k = 0; k < cases[i].count; ++k)
      assert_true(out[k] == cases[i].expected[k] && rounded[k] == (float)cases[i].expected[k]);
  }
}

static void test_indices(void **state)
{
  (void)state;
  static const unsigned char bytes[] = {255, 255, 255, 255};
  io_error error;
  gltf_document d = document(&error);
  gltf_accessor a = {.count = 1, .type = GLTF_U8, .components = 1, .data = bytes, .stride = 1};
  uint32_t out;
  assert_false(gltf_accessor_indices(&d, &a, 1000, &out)); /* the restart value */
  assert_non_null(strstr(error.text, "is 255, which glTF forbids"));
  a.type = GLTF_U16;
  assert_false(gltf_accessor_indices(&d, &a, 1 << 20, &out));
  a.type = GLTF_U32;
  assert_false(gltf_accessor_indices(&d, &a, UINT32_MAX, &out));
}

/* Hermite by hand: keys at 1 and 3; in-tangent, value, out-tangent. */
static void test_cubic(void **state)
{
  (void)state;
  float times[] = {1, 3};
  double values[] = {100, 2, 5, -4, 10, 100};
  gltf_sampler s = {GLTF_CUBIC, 2, 1, 1, times, values, true};
  double out;
  gltf_sample(&s, false, 0, &out);
  assert_true(out == 2);
  gltf_sample(&s, false, 3, &out);
  assert_true(out == 10);
  gltf_sample(&s, false, 2, &out); /* u = 1/2: (v0 + v1) / 2 + 2 (b0 - a1) / 8 */
  assert_true(out == 6 + 2 * (5 + 4) / 8.0);
  gltf_sample(&s, false, 1.5, &out); /* u = 1/4: 27/32, 5/32, and 2 * 9/64, 2 * -3/64 */
  assert_near(out, 2 * 27 / 32.0 + 10 * 5 / 32.0 + 2 * 5 * 9 / 64.0 + 2 * 4 * 3 / 64.0, 1e-14);
}

static void test_slerp(void **state)
{
  (void)state;
  float times[] = {0, 1};
  double same[] = {0, 0, 0, 1, 0, 0, 0, -1}, close[] = {0, 0, 0, 1, 1e-6f, 0, 0, 1};
  gltf_sampler s = {GLTF_LINEAR, 2, 4, 4, times, same, true};
  double q[4];
  gltf_sample(&s, true, 0.5, q); /* the same rotation with the other sign: nothing turns */
  assert_true(q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 1);
  s.values = close;
  gltf_sample(&s, true, 0.25, q);
  assert_near(q[0], 0.25 * (double)1e-6f, 1e-18);
  assert_near(q[3], 1, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edits),        cmocka_unit_test(test_bytes),           cmocka_unit_test(test_sample),
      cmocka_unit_test(test_scenes),       cmocka_unit_test(test_step_and_matrix), cmocka_unit_test(test_motion),
      cmocka_unit_test(test_skin_is_told), cmocka_unit_test(test_normalised),      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_cubic),        cmocka_unit_test(test_slerp),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
