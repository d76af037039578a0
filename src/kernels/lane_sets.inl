/* Numbers of the lanes of a set, without a branch: sets are bits, lists are bytes. */
#ifndef KERNELS_LANE_SETS_INL
#define KERNELS_LANE_SETS_INL

#include <stdint.h>
#include <string.h>

/* By a set of lanes: their numbers, from the lowest byte on. */
#define BITS_BELOW(set, lane) (__builtin_popcount((set) & ((1u << (lane)) - 1)))
#define LANE_OF(set, lane) ((set) >> (lane)&1 ? (uint64_t)(lane) << 8 * BITS_BELOW(set, lane) : 0)
#define LANES_1(set)                                                                                                   \
  (LANE_OF(set, 0) | LANE_OF(set, 1) | LANE_OF(set, 2) | LANE_OF(set, 3) | LANE_OF(set, 4) | LANE_OF(set, 5) |         \
   LANE_OF(set, 6) | LANE_OF(set, 7))
#define LANES_4(set) LANES_1((set)), LANES_1((set) + 1), LANES_1((set) + 2), LANES_1((set) + 3)
#define LANES_16(set) LANES_4((set)), LANES_4((set) + 4), LANES_4((set) + 8), LANES_4((set) + 12)
#define LANES_64(set) LANES_16((set)), LANES_16((set) + 16), LANES_16((set) + 32), LANES_16((set) + 48)
static const uint64_t lanes_of_set[256] = {LANES_64(0u), LANES_64(64u), LANES_64(128u), LANES_64(192u)};

/* Writes the numbers of the lanes of a set, plus `more`, and up to 8 bytes in all. */
static KERNEL_INLINE void store_lanes(uint8_t *out, unsigned set, unsigned more)
{
  uint64_t lanes = lanes_of_set[set] + 0x0101010101010101u * more;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  lanes = __builtin_bswap64(lanes);
#endif
  memcpy(out, &lanes, sizeof lanes);
}

#endif
