#!/usr/bin/env bash
# tidy.sh FILE...: clang-tidy with the checks of .clang-tidy, from the project's folder. Without a build tree: the sources need no
# generated header to be read, and the lab's strategies are those of its extension.
exec clang-tidy --quiet "$@" -- -std=c17 -D_GNU_SOURCE -DPLIANT_SHARE_DIR='""' -DPLIANT_EXTENSION='"lab/lab.h"' \
  -Iinclude -Isrc -I. -Iextras -Iapps/pliant
