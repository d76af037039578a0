/* Small builds may leave out files of methods that nothing in the program asks for. Rows of
 * tables that stand in such files are declared LEFT_OUT: their addresses are NULL where the file
 * is not linked, so that nothing it needs is linked either. A strategy without its source is
 * refused when a body is created; kernels and motions that are not there are only named by files
 * that are left out with them. */
#ifndef CORE_PARTS_H
#define CORE_PARTS_H

#if defined(PLIANT_SMALL)
#define LEFT_OUT __attribute__((weak))
#else
#define LEFT_OUT
#endif

#endif
