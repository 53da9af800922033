// The baseline: the instance that is in use today. 8 rows a block, 32 threads a row.
#include "softmax.hpp"

KFORGE_RUNNER((softmax<Softmax<256, 8, 32, 1, 8, 4, 4>>))
