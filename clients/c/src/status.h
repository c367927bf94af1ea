// Makes an ek_status from what came with a call.
#ifndef EK_STATUS_H
#define EK_STATUS_H

#include <energykit/energykit.h>

// Clears `status`, then sets code and message (cut to fit). Returns the code.
ek_code ek_status_set(ek_status *status, ek_code code, const char *message);

// The value of `grpc-status`; EK_UNKNOWN where it is none.
ek_code ek_code_of_text(const uint8_t *text, size_t length);
// The code for an HTTP status that came without `grpc-status`.
ek_code ek_code_of_http(int http_status);
// The code for a stream that was reset with an HTTP/2 error code.
ek_code ek_code_of_reset(uint32_t error_code);

// Puts the value of `grpc-message` (percent-encoded) into the status, cut to fit.
void ek_status_set_encoded_message(ek_status *status, const uint8_t *text, size_t length);
// Reads the value of `grpc-status-details-bin` (base64 of a google.rpc.Status) into the status. What cannot be read is
// left out.
void ek_status_add_details(ek_status *status, const uint8_t *text, size_t length);

#endif
