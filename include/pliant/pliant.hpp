// Optional, for C++17 and later: handles that destroy themselves, statuses as exceptions, and rows as ranges. No
// logic of its own: every function of pliant.h is used as it is, with get().
//
//   auto context = pliant::create_context();
//   auto body = pliant::create_free(context, mesh);
//   const pl_result &found = pliant::ask(context, pl_touching, pl_two(body.get(), other.get()), nullptr);
//   for (const pl_pair &pair : pliant::rows(found.pairs, found.count)) ...
//
// A context destroys what was created in it: all other handles must end before it. Members of a class and local
// variables do so if the context is declared first.
#ifndef PLIANT_PLIANT_HPP
#define PLIANT_PLIANT_HPP

#include "pliant.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace pliant
{

// A call that failed: the sentence of pl_context_message(), and the status.
class error : public std::runtime_error
{
public:
  error(pl_status status, const std::string &sentence)
      : std::runtime_error(sentence), status_(status)
  {
  }
  pl_status status() const noexcept { return status_; }

private:
  pl_status status_;
};

struct deleter {
  void operator()(pl_context *context) const noexcept { pl_context_destroy(context); }
  void operator()(pl_body *body) const noexcept { pl_body_destroy(body); }
  void operator()(pl_scene *scene) const noexcept { pl_scene_destroy(scene); }
  void operator()(pl_mesh *mesh) const noexcept { pl_mesh_destroy(mesh); }
  void operator()(pl_holder *holder) const noexcept { pl_holder_destroy(holder); }
  void operator()(pl_tracker *tracker) const noexcept { pl_tracker_destroy(tracker); }
  void operator()(pl_separation *list) const noexcept { pl_separation_destroy(list); }
  void operator()(pl_kinetic_image *image) const noexcept { pl_kinetic_image_destroy(image); }
};

using context = std::unique_ptr<pl_context, deleter>;
using body = std::unique_ptr<pl_body, deleter>;
using scene = std::unique_ptr<pl_scene, deleter>;
using mesh = std::unique_ptr<pl_mesh, deleter>;
using holder = std::unique_ptr<pl_holder, deleter>;
using tracker = std::unique_ptr<pl_tracker, deleter>;
// These two end with their bodies: let go of them first.
using separation = std::unique_ptr<pl_separation, deleter>;
using kinetic_image = std::unique_ptr<pl_kinetic_image, deleter>;

// Throws unless the status is PL_OK.
inline void check(const context &in, pl_status status)
{
  if (status != PL_OK)
    throw error(status, in ? pl_context_message(in.get()) : pl_status_text(status));
}

// Asks a question, such as pl_touching or pl_cast, with all its arguments but the last.
template <class... Parameters, class... Arguments>
const pl_result &ask(const context &in, pl_status (*question)(Parameters...), Arguments &&...arguments)
{
  const pl_result *found = nullptr;
  check(in, question(std::forward<Arguments>(arguments)..., &found));
  return *found;
}

// `count` rows of a result, for range-based loops.
template <class T> struct row_range {
  const T *first;
  std::size_t count;
  const T *begin() const noexcept { return first; }
  const T *end() const noexcept { return first + count; }
  std::size_t size() const noexcept { return count; }
  const T &operator[](std::size_t i) const noexcept { return first[i]; }
};

template <class T> row_range<T> rows(const T *first, std::size_t count) noexcept { return {first, count}; }

// The rows of one group.
template <class T> row_range<T> rows(const T *first, const pl_group &group) noexcept
{
  return {first + group.begin, group.end - group.begin};
}

inline context create_context(const pl_context_def *def = nullptr)
{
  pl_context *made = nullptr;
  check(context(), pl_context_create(def, &made));
  return context(made);
}

// Calls a function pl_..._create...(context, ..., &handle); for those that have no function below.
template <class T, class... Parameters, class... Arguments>
std::unique_ptr<T, deleter> create_as(const context &in,
                                      pl_status (*function)(pl_context *, Parameters...),
                                      Arguments &&...arguments)
{
  T *made = nullptr;
  check(in, function(in.get(), std::forward<Arguments>(arguments)..., &made));
  return std::unique_ptr<T, deleter>(made);
}

inline body create_free(const context &in, const pl_mesh_def &shape,
                        const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_free, &shape, def);
}

inline body create_rigid(const context &in, const pl_mesh_def &shape,
                         const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_rigid, &shape, def);
}

inline body create_morph(const context &in, const pl_mesh_def &shape, const pl_morph_def &morph,
                         const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_morph, &shape, &morph, def);
}

inline body create_soup(const context &in, const pl_mesh_def &shape,
                        const pl_soup_def *soup = nullptr, const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_soup, &shape, soup, def);
}

inline body create_skin(const context &in, const pl_mesh_def &shape, const pl_skin_def &skin,
                        const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_skin, &shape, &skin, def);
}

inline body create_embed(const context &in, const pl_mesh_def &shape, const pl_embed_def &embed,
                         const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_embed, &shape, &embed, def);
}

inline body create_subdivide(const context &in, const pl_mesh_def &control, const pl_subdivide_def *subdivide = nullptr,
                             const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_subdivide, &control, subdivide, def);
}

inline body create_points(const context &in, const pl_mesh_def &shape, const pl_particles_def &particles,
                          const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_points, &shape, &particles, def);
}

inline body create_match(const context &in, const pl_mesh_def *shape, const pl_match_def &match,
                         const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_match, shape, &match, def);
}

inline body create_flight(const context &in, const pl_mesh_def &shape, const pl_flight_def &flight,
                          const pl_body_def *def = nullptr)
{
  return create_as<pl_body>(in, pl_body_create_flight, &shape, &flight, def);
}

inline scene create_scene(const context &in, const pl_scene_def *def = nullptr)
{
  return create_as<pl_scene>(in, pl_scene_create, def);
}

inline mesh create_mesh(const context &in, const pl_mesh_def &shape)
{
  return create_as<pl_mesh>(in, pl_mesh_create, &shape);
}

inline holder create_holder(const context &in) { return create_as<pl_holder>(in, pl_holder_create); }

inline tracker create_tracker(const context &in) { return create_as<pl_tracker>(in, pl_tracker_create); }

inline separation create_separation(const context &in, const body &a, const body &b, bool leaves_only = false)
{
  pl_separation *made = nullptr;
  check(in, pl_separation_create(a.get(), b.get(), leaves_only, &made));
  return separation(made);
}

inline kinetic_image create_kinetic_image(const context &in, const body &of, const pl_ray *rays, std::size_t count)
{
  pl_kinetic_image *made = nullptr;
  check(in, pl_kinetic_image_create(of.get(), rays, count, &made));
  return kinetic_image(made);
}

} // namespace pliant

#endif
