#pragma once

#include <microhttpd.h>
#include <sys/socket.h>

// Swift does not import variadic functions.

/// Answers one request; returns what the handler of `energykit_http_start` returned.
typedef enum MHD_Result (*energykit_http_handler)(
    void *context, struct MHD_Connection *connection, const char *path, const char *method, const char *version,
    const char *body, size_t *body_size, void **state);

/// A server with a thread of its own, bounded in connections, memory and time.
static inline struct MHD_Daemon *energykit_http_start(
    const struct sockaddr *address, energykit_http_handler handler, void *context) {
  return MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | (address->sa_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, 0, 0,
      handler, context, MHD_OPTION_SOCK_ADDR, address, MHD_OPTION_CONNECTION_LIMIT, 64u,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, 32u, MHD_OPTION_CONNECTION_TIMEOUT, 10u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)16384, MHD_OPTION_END);
}

/// The port that was picked; 0 where that cannot be told.
static inline unsigned energykit_http_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}
