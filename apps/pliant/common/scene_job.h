/* The bodies of a stage in a pl_scene, without the pairs that are not asked for; shared by the
 * commands that ask about many bodies. */
#ifndef SCENE_JOB_H
#define SCENE_JOB_H

#include "common/pair_choice.h"
#include "common/stage.h"

typedef struct scene_job {
  stage stage;
  pair_choice choice;
  bool only_new;
  pl_scene *scene; /* of the bodies that some pair is asked of */
  /* the same for the reference, so that neither answer ends the other; NULL: it is not asked */
  pl_scene *truth;
} scene_job;

/* The bodies of the stage, which is open, and the choice among them. false (here and below):
 * stderr says why; end the job all the same. */
bool scene_job_start(scene_job *job, const pair_choice_options *o, bool with_truth);
void scene_job_end(scene_job *job); /* the stage too */

/* --only-new: the pairs of bodies that touch in the current frame are left out from here on, and
 * from now on bodies that stand still are not tested against each other. */
bool scene_job_settle(scene_job *job, const pl_result *contacts);

#endif
