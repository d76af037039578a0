// Optional, for C++17 and later: handles that destroy themselves, and statuses as exceptions. No logic of its
// own: every function of pliant.h is used as it is, with get().
//
//   auto context = pliant::create_context();
//   auto body = pliant::create_free(context, mesh);
//   const pl_pair_result *pairs;
//   pliant::check(context, pl_touching(pl_two(body.get(), other.get()), nullptr, &pairs));
//
// A context destroys what was created in it: handles of bodies, scenes and meshes must end before it. Members
// of a class and local variables do so if the context is declared first.
#ifndef PLIANT_PLIANT_HPP
#define PLIANT_PLIANT_HPP

#include "pliant.h"

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
};

using context = std::unique_ptr<pl_context, deleter>;
using body = std::unique_ptr<pl_body, deleter>;
using scene = std::unique_ptr<pl_scene, deleter>;
using mesh = std::unique_ptr<pl_mesh, deleter>;

// Throws unless the status is PL_OK.
inline void check(const context &in, pl_status status)
{
  if (status != PL_OK)
    throw error(status, in ? pl_context_message(in.get()) : pl_status_text(status));
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

inline scene create_scene(const context &in, const pl_scene_def *def = nullptr)
{
  return create_as<pl_scene>(in, pl_scene_create, def);
}

inline mesh create_mesh(const context &in, const pl_mesh_def &shape)
{
  return create_as<pl_mesh>(in, pl_mesh_create, &shape);
}

} // namespace pliant

#endif
