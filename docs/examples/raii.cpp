// C++17 with pliant.hpp: handles destroy themselves, failures are exceptions. Two waving sheets in a scene;
// contacts are found by body, and the body leads back to our own object.
#include <pliant/pliant.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

struct Sheet {
  const char *name;
  std::vector<float> xyz;
  std::vector<std::uint32_t> triangles;
  pliant::body body;

  Sheet(const pliant::context &context, const char *name, int side, float tilt) : name(name)
  {
    for (int i = 0; i < side * side; ++i) {
      float x = static_cast<float>(i % side) / static_cast<float>(side - 1) - 0.5F;
      float y = static_cast<float>(i / side) / static_cast<float>(side - 1) - 0.5F;
      xyz.insert(xyz.end(), {x, y, tilt * x});
    }
    for (int y = 0; y + 1 < side; ++y)
      for (int x = 0; x + 1 < side; ++x) {
        auto v = static_cast<std::uint32_t>(y * side + x), below = v + static_cast<std::uint32_t>(side);
        triangles.insert(triangles.end(), {v, v + 1, below, v + 1, below + 1, below});
      }
    pl_mesh_def mesh = pl_mesh_def_default();
    mesh.positions = pl_positions_f32(xyz.data(), xyz.size() / 3);
    mesh.triangles = triangles.data();
    mesh.triangle_count = triangles.size() / 3;
    body = pliant::create_free(context, mesh);
    pl_body_set_user(body.get(), this);
  }

  void wave(const pliant::context &context, float time)
  {
    for (std::size_t v = 0; v < xyz.size(); v += 3) xyz[v + 2] += 0.02F * std::sin(6 * xyz[v] + time);
    pliant::check(context, pl_body_set_positions(body.get(), pl_positions_f32(xyz.data(), xyz.size() / 3)));
  }
};

int main()
{
  try {
    auto context = pliant::create_context();
    Sheet flat(context, "flat", 30, 0), steep(context, "steep", 30, 0.8F);
    auto scene = pliant::create_scene(context);
    for (Sheet *s : {&flat, &steep}) pliant::check(context, pl_scene_add(scene.get(), s->body.get(), nullptr));

    for (int frame = 0; frame < 3; ++frame) {
      flat.wave(context, static_cast<float>(frame));
      const pl_result &contacts = pliant::ask(context, pl_touching, pl_all(scene.get()), nullptr);
      for (const pl_group &group : pliant::rows(contacts.groups, contacts.group_count)) {
        std::printf("frame %d: %s and %s touch in %s pairs of triangles\n", frame,
                    static_cast<Sheet *>(pl_body_user(group.a))->name,
                    static_cast<Sheet *>(pl_body_user(group.b))->name, group.end - group.begin > 10 ? "many" : "few");
      }
    }
    flat.xyz[5] = NAN;
    flat.wave(context, 0); // throws
  } catch (const pliant::error &e) {
    std::printf("%s\n", e.what());
    return e.status() == PL_ERROR_POSITIONS ? 0 : 1;
  }
  return 1;
}
