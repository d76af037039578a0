/* Who is asked: two bodies, one, or a scene. */
#include "scene/scene.h"

pl_status who_check(pl_who who, const void *out, pl_context **context)
{
  *context = who.scene ? who.scene->context : who.a ? who.a->context : who.b ? who.b->context : NULL;
  if (!*context) return fail_null("the body or the scene that is asked");
  if (!who.scene && (!who.a || !who.b)) return query_refuse_null(*context, who.a ? "body b" : "body a");
  if (!who.scene && who.a->context != who.b->context)
    return fail(*context, PL_ERROR_MISMATCH, "the bodies belong to different contexts");
  return out ? PL_OK : query_refuse_null(*context, "out");
}

pl_status who_enter(call *c, pl_who who)
{
  return who.scene ? call_query(c, who.scene->context, &who.scene->guard, NULL) : query_enter(c, who.a, who.b);
}

bool who_has(pl_who who, const pl_body *a, const pl_body *b)
{
  if (!a || !b) return false;
  if (who.scene) return scene_member(who.scene, a) && scene_member(who.scene, b);
  return a == who.a && b == who.b;
}
