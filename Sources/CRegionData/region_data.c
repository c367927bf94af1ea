#include "include/region_data.h"

// Of C23, which Clang has in earlier modes too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t conus[] = {
#embed "data/conus.txt"
};
static const uint8_t states[] = {
#embed "data/states.txt"
};
static const uint8_t avert[] = {
#embed "data/avert.txt"
};
static const uint8_t places[] = {
#embed "data/places.txt"
};

energykit_region_data energykit_region_conus(void) { return (energykit_region_data){conus, sizeof conus}; }
energykit_region_data energykit_region_states(void) { return (energykit_region_data){states, sizeof states}; }
energykit_region_data energykit_region_avert(void) { return (energykit_region_data){avert, sizeof avert}; }
energykit_region_data energykit_region_places(void) { return (energykit_region_data){places, sizeof places}; }
