/* The program `pliant`. */
#include "common/command.h"

int main(int argc, char **argv) { return command_main(argc, argv); }
