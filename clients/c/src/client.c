#include <energykit/energykit.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "status.h"
#include "transport.h"

enum { DEFAULT_CONNECT_TIMEOUT_MS = 10000, DEFAULT_MAX_MESSAGE_BYTES = 1 << 20, MAX_HEADER_LIST_BYTES = 16384 };

struct ek_client {
  char *address;
  char *authorization;  // the value of that header
  uint32_t connect_timeout_ms;
  size_t max_message_bytes;

  int fd;  // -1: not connected; then there is no session either
  nghttp2_session *session;
  const uint8_t *output;  // bytes that nghttp2 has made and the socket has not taken; nghttp2's memory
  size_t output_length;
  bool going_away;      // the server takes no further calls on this connection
  ek_call_state *call;  // the one that is running
};

// MARK: What nghttp2 calls

static ek_call_state *call_of(void *context, int32_t stream_id) {
  const ek_client *client = context;
  return client->call != NULL && client->call->stream_id == stream_id ? client->call : NULL;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
                     const uint8_t *value, size_t value_length, uint8_t flags, void *context) {
  (void)session;
  (void)flags;
  ek_call_state *call = call_of(context, frame->hd.stream_id);
  if (call != NULL) ek_call_add_header(call, name, name_length, value, value_length);
  return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream_id, const uint8_t *bytes, size_t length,
                   void *context) {
  (void)session;
  (void)flags;
  ek_call_state *call = call_of(context, stream_id);
  if (call != NULL) ek_call_add_data(call, bytes, length);
  return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  (void)session;
  ek_client *client = context;
  if (frame->hd.type == NGHTTP2_GOAWAY) client->going_away = true;
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  ek_call_state *call = call_of(context, frame->hd.stream_id);
  if (call != NULL && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) call->ended = true;
  return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream_id, uint32_t error_code, void *context) {
  (void)session;
  ek_call_state *call = call_of(context, stream_id);
  if (call == NULL) return 0;
  call->closed = true;
  call->reset_code = error_code;
  return 0;
}

static ssize_t read_request(nghttp2_session *session, int32_t stream_id, uint8_t *bytes, size_t length,
                            uint32_t *flags, nghttp2_data_source *source, void *context) {
  (void)session;
  (void)source;
  ek_call_state *call = call_of(context, stream_id);
  if (call == NULL) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  size_t left = call->request_length - call->request_sent;
  size_t count = left < length ? left : length;
  memcpy(bytes, call->request + call->request_sent, count);
  call->request_sent += count;
  if (count == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)count;
}

// MARK: Connection

static void disconnect(ek_client *client) {
  nghttp2_session_del(client->session);
  client->session = NULL;
  client->output = NULL;
  client->output_length = 0;
  client->going_away = false;
  if (client->fd >= 0) close(client->fd);
  client->fd = -1;
}

static int make_session(ek_client *client) {
  nghttp2_session_callbacks *callbacks = NULL;
  int result = nghttp2_session_callbacks_new(&callbacks);
  if (result != 0) return result;
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
  result = nghttp2_session_client_new(&client->session, callbacks, client);
  nghttp2_session_callbacks_del(callbacks);
  if (result != 0) return result;
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, MAX_HEADER_LIST_BYTES},
  };
  return nghttp2_submit_settings(client->session, NGHTTP2_FLAG_NONE, settings, sizeof settings / sizeof settings[0]);
}

static ek_code connect_client(ek_client *client, ek_status *status) {
  char cause[256] = "";
  int64_t deadline = ek_deadline_after(client->connect_timeout_ms);
  client->fd = ek_transport_connect(client->address, deadline, cause, sizeof cause);
  if (client->fd < 0) return ek_status_set(status, EK_UNAVAILABLE, cause);
  int result = make_session(client);
  if (result == 0) return ek_status_set(status, EK_OK, "");
  disconnect(client);
  return ek_status_set(status, EK_RESOURCE_EXHAUSTED, nghttp2_strerror(result));
}

// Writes what the socket takes. Returns false where the connection is lost, or given up since the server broke HTTP/2.
static bool flush(ek_client *client) {
  for (;;) {
    if (client->output_length == 0) {
      ssize_t made = nghttp2_session_mem_send(client->session, &client->output);
      if (made < 0) return false;
      if (made == 0) return nghttp2_session_want_read(client->session) || nghttp2_session_want_write(client->session);
      client->output_length = (size_t)made;
    }
    ssize_t sent = ek_transport_send(client->fd, client->output, client->output_length);
    if (sent <= 0) return sent == 0;
    client->output += sent;
    client->output_length -= (size_t)sent;
  }
}

// Reads once. Returns false where the connection is lost.
static bool receive(ek_client *client) {
  uint8_t bytes[16384];
  ssize_t count = ek_transport_receive(client->fd, bytes, sizeof bytes);
  if (count <= 0) return count == 0;
  return nghttp2_session_mem_recv(client->session, bytes, (size_t)count) == count;
}

// Takes in what came between the calls, a PING or the end of the connection, and connects again where it has ended.
static ek_code ensure_connected(ek_client *client, ek_status *status) {
  while (client->fd >= 0 && !client->going_away && ek_transport_is_readable(client->fd)) {
    if (!receive(client) || !flush(client)) disconnect(client);
  }
  if (client->going_away) disconnect(client);
  return client->fd >= 0 ? EK_OK : connect_client(client, status);
}

// MARK: Call

static nghttp2_nv header(const char *name, const char *value, uint8_t flags) {
  // nghttp2 takes pointers to non-const for both, copies what they point to, and changes nothing.
  return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name,
                      .value = (uint8_t *)(uintptr_t)value,
                      .namelen = strlen(name),
                      .valuelen = strlen(value),
                      .flags = flags};
}

// Hands the call to nghttp2. Returns false, with the cause in the call, where it cannot be made.
static bool begin(ek_client *client, ek_call_state *call, const char *path, int64_t deadline) {
  const char *authority = strncmp(client->address, "unix:", 5) == 0 ? "localhost" : client->address;
  nghttp2_nv headers[9] = {
      header(":method", "POST", 0),
      header(":scheme", "http", 0),
      header(":path", path, 0),
      header(":authority", authority, 0),
      header("te", "trailers", 0),
      header("content-type", "application/grpc", 0),
      header("user-agent", "energykit-c/0.1", 0),
      header("authorization", client->authorization, NGHTTP2_NV_FLAG_NO_INDEX),
  };
  size_t count = 8;
  char timeout[16];
  if (deadline != INT64_MAX) {
    int64_t left = deadline - ek_now_ms();
    if (left > 99999999) left = 99999999;  // eight digits at most
    (void)snprintf(timeout, sizeof timeout, "%dm", left > 0 ? (int)left : 0);
    headers[count++] = header("grpc-timeout", timeout, 0);
  }
  const nghttp2_data_provider body = {.read_callback = read_request};
  client->call = call;
  int32_t stream_id = nghttp2_submit_request(client->session, NULL, headers, count, &body, NULL);
  if (stream_id < 0) {
    ek_call_fail(call, EK_UNAVAILABLE, nghttp2_strerror(stream_id));
    return false;
  }
  call->stream_id = stream_id;
  return true;
}

// Reads and writes until the call is over.
static void carry_out(ek_client *client, ek_call_state *call, int64_t deadline) {
  while (!ek_call_is_over(call)) {
    if (!flush(client)) {
      ek_call_fail(call, EK_UNAVAILABLE, "the connection is lost");
    } else if (!ek_transport_wait(client->fd, client->output_length > 0, deadline)) {
      ek_call_fail(call, EK_DEADLINE_EXCEEDED, "the server has not answered in time");
    } else if (!receive(client) && !ek_call_is_over(call)) {
      ek_call_fail(call, EK_UNAVAILABLE, "the connection is lost");
    }
  }
}

// Leaves nothing of the call behind in the session; gives the connection up where that cannot be done at once.
static void end(ek_client *client, ek_call_state *call) {
  if (!call->closed) {
    (void)nghttp2_submit_rst_stream(client->session, NGHTTP2_FLAG_NONE, call->stream_id, NGHTTP2_CANCEL);
  }
  bool is_open = flush(client);
  client->call = NULL;
  if (!is_open || !call->closed) disconnect(client);
}

// The method, if the service has it and the request is of its type.
static const ProtobufCMethodDescriptor *find_method(const ProtobufCServiceDescriptor *service, const char *name,
                                                    const ProtobufCMessage *request) {
  const ProtobufCMethodDescriptor *method = protobuf_c_service_descriptor_get_method_by_name(service, name);
  return method != NULL && method->input == request->descriptor ? method : NULL;
}

static ek_code run(ek_client *client, const ProtobufCServiceDescriptor *service, const char *method_name,
                   const ProtobufCMessage *request, ek_taker take, void *context, uint32_t timeout_ms,
                   ek_status *status) {
  int64_t deadline = ek_deadline_after(timeout_ms);
  if (client->call != NULL) return ek_status_set(status, EK_FAILED_PRECONDITION, "another call is running");
  const ProtobufCMethodDescriptor *method = find_method(service, method_name, request);
  char path[256];
  int path_length = snprintf(path, sizeof path, "/%s/%s", service->name, method_name);
  if (method == NULL || path_length < 0 || (size_t)path_length >= sizeof path) {
    return ek_status_set(status, EK_UNIMPLEMENTED, "no such method, or it takes another message");
  }
  ek_code code = ensure_connected(client, status);
  if (code != EK_OK) return code;

  ek_call_state *call = calloc(1, sizeof *call);
  size_t length = 0;
  uint8_t *bytes = ek_pack(request, &length);
  if (call == NULL || bytes == NULL) {
    free(call);
    free(bytes);
    return ek_status_set(status, EK_RESOURCE_EXHAUSTED, "out of memory");
  }
  call->request = bytes;
  call->request_length = length;
  call->response_type = method->output;
  call->assembler.limit = client->max_message_bytes;
  call->take = take;
  call->context = context;
  if (begin(client, call, path, deadline)) {
    carry_out(client, call, deadline);
    end(client, call);
  } else {
    client->call = NULL;
    disconnect(client);
  }
  code = ek_call_finish(call, status);
  ek_assembler_free(&call->assembler);
  free(bytes);
  free(call);
  return code;
}

typedef struct single_answer {
  ProtobufCMessage *message;
  size_t count;
} single_answer;

static bool take_single(ProtobufCMessage *message, void *context) {
  single_answer *answer = context;
  answer->count++;
  if (answer->message != NULL) protobuf_c_message_free_unpacked(answer->message, NULL);
  answer->message = message;
  return true;
}

ek_code ek_call(ek_client *client, const ProtobufCServiceDescriptor *service, const char *method,
                const ProtobufCMessage *request, ProtobufCMessage **response, uint32_t timeout_ms, ek_status *status) {
  single_answer answer = {0};
  *response = NULL;
  ek_code code = run(client, service, method, request, take_single, &answer, timeout_ms, status);
  if (code == EK_OK && answer.count != 1) {
    code = ek_status_set(status, EK_INTERNAL, "the answer is not one message");
  }
  if (code == EK_OK) {
    *response = answer.message;
  } else if (answer.message != NULL) {
    protobuf_c_message_free_unpacked(answer.message, NULL);
  }
  return code;
}

typedef struct stream_answer {
  ek_message_handler handler;
  void *context;
} stream_answer;

static bool take_next(ProtobufCMessage *message, void *context) {
  const stream_answer *answer = context;
  bool wants_more = answer->handler(message, answer->context);
  protobuf_c_message_free_unpacked(message, NULL);
  return wants_more;
}

ek_code ek_stream(ek_client *client, const ProtobufCServiceDescriptor *service, const char *method,
                  const ProtobufCMessage *request, ek_message_handler handler, void *context, uint32_t timeout_ms,
                  ek_status *status) {
  stream_answer answer = {.handler = handler, .context = context};
  return run(client, service, method, request, take_next, &answer, timeout_ms, status);
}

// MARK: Life

static char *join(const char *a, const char *b) {
  size_t a_length = strlen(a), b_length = strlen(b);
  char *both = malloc(a_length + b_length + 1);
  if (both == NULL) return NULL;
  memcpy(both, a, a_length);
  memcpy(both + a_length, b, b_length + 1);
  return both;
}

ek_client *ek_open(const ek_options *options, ek_status *status) {
  ek_client *client = calloc(1, sizeof *client);
  if (client == NULL) {
    ek_status_set(status, EK_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  client->fd = -1;
  client->address = join("", options->address);
  client->authorization = join("Bearer ", options->api_key);
  client->connect_timeout_ms =
      options->connect_timeout_ms == 0 ? DEFAULT_CONNECT_TIMEOUT_MS : options->connect_timeout_ms;
  client->max_message_bytes = options->max_message_bytes == 0 ? DEFAULT_MAX_MESSAGE_BYTES : options->max_message_bytes;
  if (client->address == NULL || client->authorization == NULL) {
    ek_status_set(status, EK_RESOURCE_EXHAUSTED, "out of memory");
  } else if (connect_client(client, status) == EK_OK) {
    return client;
  }
  ek_close(client);
  return NULL;
}

void ek_close(ek_client *client) {
  if (client == NULL) return;
  if (client->session != NULL) {
    (void)nghttp2_session_terminate_session(client->session, NGHTTP2_NO_ERROR);
    (void)flush(client);
  }
  disconnect(client);
  free(client->address);
  free(client->authorization);
  free(client);
}
