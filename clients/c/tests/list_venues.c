// Lists the venues once for each line of standard input and prints the status, on one client. For tests that start and
// stop the server meanwhile. usage: list_venues ADDRESS API_KEY
#include <energykit/energykit.h>
#include <stdio.h>
#include <stdlib.h>

#include "energykit/v1/venue.pb-c.h"

static void list(ek_client *client) {
  Energykit__V1__ListVenuesRequest request = ENERGYKIT__V1__LIST_VENUES_REQUEST__INIT;
  ProtobufCMessage *answer;
  ek_status status;
  if (ek_call(client, &energykit__v1__energy_venue_service__descriptor, "ListVenues", &request.base, &answer, 5000,
              &status) != EK_OK) {
    printf("%s\n", ek_code_name(status.code));
    return;
  }
  printf("OK %zu\n", ((const Energykit__V1__ListVenuesResponse *)answer)->n_venues);
  protobuf_c_message_free_unpacked(answer, NULL);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  ek_options options = {.address = argv[1], .api_key = argv[2], .connect_timeout_ms = 2000};
  ek_status status;
  ek_client *client = ek_open(&options, &status);
  if (client == NULL) {
    printf("%s\n", ek_code_name(status.code));
    return EXIT_FAILURE;
  }
  char line[16];
  while (fgets(line, sizeof line, stdin) != NULL) {
    list(client);
    fflush(stdout);
  }
  ek_close(client);
  return EXIT_SUCCESS;
}
