#include "transport.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int64_t ek_now_ms(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t ek_deadline_after(uint32_t timeout_ms) {
  return timeout_ms == 0 ? INT64_MAX : ek_now_ms() + timeout_ms;
}

// What poll takes: -1 for ever, 0 where the deadline has passed.
static int remaining_ms(int64_t deadline) {
  if (deadline == INT64_MAX) return -1;
  int64_t left = deadline - ek_now_ms();
  if (left <= 0) return 0;
  return left > INT_MAX ? INT_MAX : (int)left;
}

bool ek_transport_wait(int fd, bool for_writing, int64_t deadline) {
  struct pollfd entry = {.fd = fd, .events = (short)(POLLIN | (for_writing ? POLLOUT : 0))};
  for (;;) {
    int timeout = remaining_ms(deadline);
    int count = poll(&entry, 1, timeout);
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return true;  // the next read or write reports it
    if (timeout == 0) return false;
  }
}

bool ek_transport_is_readable(int fd) {
  struct pollfd entry = {.fd = fd, .events = POLLIN};
  return poll(&entry, 1, 0) > 0;
}

ssize_t ek_transport_send(int fd, const uint8_t *bytes, size_t length) {
  for (;;) {
    ssize_t count = send(fd, bytes, length, MSG_NOSIGNAL);
    if (count >= 0) return count;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
  }
}

ssize_t ek_transport_receive(int fd, uint8_t *bytes, size_t length) {
  for (;;) {
    ssize_t count = recv(fd, bytes, length, 0);
    if (count > 0) return count;
    if (count == 0) return -1;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
  }
}

// Connects one socket; -1 and errno otherwise.
static int connect_one(int family, const struct sockaddr *address, socklen_t length, int64_t deadline) {
  int fd = socket(family, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  int error = 0;
  socklen_t error_size = sizeof error;
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
    error = errno;
  } else if (connect(fd, address, length) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) {
      error = errno;
    } else {
      struct pollfd entry = {.fd = fd, .events = POLLOUT};
      int count;
      do count = poll(&entry, 1, remaining_ms(deadline));
      while (count < 0 && errno == EINTR);
      if (count == 0) error = ETIMEDOUT;
      else if (count < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size) != 0) error = errno;
    }
  }
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

static int connect_unix(const char *path, int64_t deadline, char *cause, size_t cause_size) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) {
    snprintf(cause, cause_size, "the socket's path is empty or too long");
    return -1;
  }
  memcpy(address.sun_path, path, length + 1);
  int fd = connect_one(AF_UNIX, (const struct sockaddr *)&address, sizeof address, deadline);
  if (fd < 0) snprintf(cause, cause_size, "%s: %s", path, strerror(errno));
  return fd;
}

// Splits "host:port" and "[host]:port". Returns false where there is no port or a part is too long.
static bool split(const char *address, char *host, size_t host_size, const char **port) {
  const char *colon = strrchr(address, ':');
  if (colon == NULL || colon[1] == '\0') return false;
  size_t length = (size_t)(colon - address);
  if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
    address++;
    length -= 2;
  }
  if (length == 0 || length >= host_size) return false;
  memcpy(host, address, length);
  host[length] = '\0';
  *port = colon + 1;
  return true;
}

int ek_transport_connect(const char *address, int64_t deadline, char *cause, size_t cause_size) {
  if (strncmp(address, "unix:", 5) == 0) return connect_unix(address + 5, deadline, cause, cause_size);
  char host[256];
  const char *port;
  if (!split(address, host, sizeof host, &port)) {
    snprintf(cause, cause_size, "%s is no address: want host:port or unix:/path", address);
    return -1;
  }
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
  int result = getaddrinfo(host, port, &hints, &found);
  if (result != 0) {
    snprintf(cause, cause_size, "%s: %s", address, gai_strerror(result));
    return -1;
  }
  int fd = -1;
  for (struct addrinfo *each = found; each != NULL && fd < 0; each = each->ai_next)
    fd = connect_one(each->ai_family, each->ai_addr, each->ai_addrlen, deadline);
  if (fd < 0) snprintf(cause, cause_size, "%s: %s", address, strerror(errno));
  freeaddrinfo(found);
  if (fd >= 0) {
    // Small calls leave at once. That it fails costs time only.
    int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  return fd;
}
