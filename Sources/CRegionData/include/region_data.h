#pragma once

#include <stddef.h>
#include <stdint.h>

// The outlines and points of the United States that the program carries with it (data/README.md, Regions).

typedef struct {
  const uint8_t *start;
  size_t byte_count;
} energykit_region_data;

// Lines of code, tab, geometry as GeoJSON.
energykit_region_data energykit_region_conus(void);
energykit_region_data energykit_region_states(void);
energykit_region_data energykit_region_avert(void);
// Three lists of names, then lines of latitude, longitude and three places in those.
energykit_region_data energykit_region_places(void);
