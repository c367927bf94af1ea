// The client's half of HTTP/2 (RFC 9113), in the clear with prior knowledge, as far as a load client needs it: framing,
// flow control both ways, and headers that are written but never decoded. It costs little, so that a server on one core
// can be loaded from another one.
#pragma once

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

[[noreturn]] inline void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

inline uint64_t nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

// Resident memory of a process, in KiB; -1 where it cannot be read.
inline long resident(int pid) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE* file = fopen(path, "r");
  long value = -1;
  if (!file) return value;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "VmRSS: %ld", &value) == 1) break;
  }
  fclose(file);
  return value;
}

// Processor time of all threads of a process, in milliseconds, by the scheduler's own clock, which is finer than the
// ticks of /proc/PID/stat.
inline double processor(int pid) {
  char path[320];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR* directory = opendir(path);
  if (!directory) return -1;
  double sum = 0;
  while (dirent* entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, entry->d_name);
    FILE* file = fopen(path, "r");
    unsigned long long time = 0;
    if (!file) continue;
    if (fscanf(file, "%llu", &time) == 1) sum += double(time);
    fclose(file);
  }
  closedir(directory);
  return sum / 1e6;
}

// MARK: - protobuf

inline void putVarint(std::string& out, uint64_t value) {
  for (; value > 127; value >>= 7) out += char(value | 128);
  out += char(value);
}
inline void putNumber(std::string& out, int field, uint64_t value) {
  putVarint(out, uint64_t(field) << 3);
  putVarint(out, value);
}
inline void putBytes(std::string& out, int field, const std::string& value) {
  putVarint(out, uint64_t(field) << 3 | 2);
  putVarint(out, value.size());
  out += value;
}
inline std::string framed(const std::string& message) {
  const uint32_t n = uint32_t(message.size());
  const char prefix[5] = {0, char(n >> 24), char(n >> 16), char(n >> 8), char(n)};
  return std::string(prefix, 5) + message;
}
// The first length-delimited field of that number; empty where there is none.
inline std::string bytesField(const std::string& message, uint64_t wanted) {
  size_t at = 0;
  auto varint = [&]() {
    uint64_t value = 0;
    for (int shift = 0; at < message.size() && shift < 64; shift += 7) {
      const uint8_t byte = uint8_t(message[at++]);
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < message.size()) {
    const uint64_t tag = varint();
    switch (tag & 7) {
      case 0: varint(); break;
      case 1: at += 8; break;
      case 5: at += 4; break;
      case 2: {
        const uint64_t length = varint();
        if (length > message.size() - std::min(at, message.size())) return "";
        if (tag >> 3 == wanted) return message.substr(at, length);
        at += length;
        break;
      }
      default: return "";
    }
  }
  return "";
}

// MARK: - A connection

enum FrameType : uint8_t { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8 };
enum : uint8_t { ACK = 1, END_STREAM = 1, END_HEADERS = 4, PADDED = 8 };

struct Connection {
  int socket = -1;
  uint32_t index = 0;
  uint32_t nextStream = 1;
  std::string out;
  size_t sent = 0;
  int64_t sendWindow = 65535;
  uint32_t streamWindow = 65535;
  uint32_t headerTable = 4096;
  bool hasSettings = false;
  uint32_t unreported = 0;
  // The frame that comes in.
  uint8_t head[9];
  int headCount = 0;
  uint32_t left = 0;
  std::string control;

  uint8_t type() const { return head[3]; }
  uint8_t flags() const { return head[4]; }
  uint32_t stream() const { return uint32_t(head[5] & 127) << 24 | uint32_t(head[6]) << 16 | uint32_t(head[7]) << 8 | head[8]; }

  void put(uint8_t type, uint8_t flags, uint32_t stream, const std::string& payload) {
    const size_t n = payload.size();
    const char header[9] = {char(n >> 16), char(n >> 8), char(n), char(type), char(flags), char(stream >> 24), char(stream >> 16), char(stream >> 8), char(stream)};
    out.append(header, 9);
    out += payload;
  }

  void flush() {
    while (sent < out.size()) {
      const ssize_t n = send(socket, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
      if (n < 0) {
        if (errno == EAGAIN || errno == EINTR) break;
        fail("a connection broke while it was written to");
      }
      sent += size_t(n);
    }
    if (sent == out.size()) {
      out.clear();
      sent = 0;
    }
  }
};

// The header block of a call. The first call of a connection puts its fields into the table of the peer (RFC 7541
// §6.2.1), later ones name them by number, as gRPC's own clients do.
class CallHeaders {
 public:
  CallHeaders(const std::string& path, const std::string& key) {
    const std::string fields[5][2] = {{"\x44", path}, {"\x41", "localhost"}, {"\x5f", "application/grpc"}, {"te", "trailers"}, {"\x57", "Bearer " + key}};
    first_ = later_ = plain_ = "\x83\x86";  // :method POST, :scheme http
    for (const auto& field : fields) {
      const bool isNew = field[0] == "te";
      std::string name = isNew ? std::string(1, char(2)) + "te" : std::string();
      first_ += (isNew ? std::string("\x40") : field[0]) + name + char(field[1].size()) + field[1];
      if (isNew) {
        plain_ += std::string(1, 0) + name;
      } else {
        // Without indexing the number of the name has four bits, then a byte more.
        const int number = field[0][0] & 63;
        plain_ += number < 15 ? std::string(1, char(number)) : std::string("\x0f") + char(number - 15);
      }
      plain_ += char(field[1].size()) + field[1];
    }
    for (int number = 66; number >= 62; number--) later_ += char(128 | number);
  }
  const std::string& block(const Connection& connection, bool isFirst) const {
    if (connection.headerTable < 4096) return plain_;
    return isFirst ? first_ : later_;
  }
  const std::string& plain() const { return plain_; }

 private:
  std::string first_, later_, plain_;
};

// Connections over one epoll. `Handler` has data(connection, stream, bytes, count), ended(connection, stream) and
// reset(connection, stream).
template <typename Handler>
class Client {
 public:
  std::vector<Connection> connections;

  Client(uint16_t port, size_t count, Handler& handler) : connections(count), handler_(handler), poll_(epoll_create1(0)) {
    for (size_t i = 0; i < count; i++) open(connections[i], uint32_t(i), port);
    const uint64_t end = nanoseconds() + 10000000000u;
    auto hasAll = [&] { return std::all_of(connections.begin(), connections.end(), [](auto& c) { return c.hasSettings; }); };
    while (!hasAll()) {
      turn(100);
      if (nanoseconds() > end) fail("no SETTINGS from the server within 10 seconds");
    }
  }

  ~Client() {
    for (auto& connection : connections) close(connection.socket);
    close(poll_);
  }

  // Handles what has come, waiting up to that long for it.
  void turn(int milliseconds) {
    epoll_event events[256];
    const int n = epoll_wait(poll_, events, 256, milliseconds);
    for (int i = 0; i < n; i++) read(connections[events[i].data.u32]);
    for (auto& connection : connections) {
      if (!connection.out.empty()) connection.flush();
    }
  }

  // As turn, over and over.
  void idle(int milliseconds) {
    const uint64_t end = nanoseconds() + uint64_t(milliseconds) * 1000000u;
    for (uint64_t t = nanoseconds(); t < end; t = nanoseconds()) turn(int((end - t) / 1000000u) + 1);
  }

 private:
  Handler& handler_;
  int poll_;
  std::vector<char> buffer_ = std::vector<char>(1 << 18);

  void open(Connection& c, uint32_t index, uint16_t port) {
    c.index = index;
    c.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(c.socket, reinterpret_cast<sockaddr*>(&address), sizeof address)) fail("cannot connect");
    int yes = 1;
    setsockopt(c.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(c.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = index;
    epoll_ctl(poll_, EPOLL_CTL_ADD, c.socket, &event);
    c.out = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    std::string settings;
    auto set = [&](uint16_t id, uint32_t v) {
      const char entry[6] = {char(id >> 8), char(id), char(v >> 24), char(v >> 16), char(v >> 8), char(v)};
      settings.append(entry, 6);
    };
    set(2, 0);  // no push
    set(4, 0x7fffffff);
    c.put(SETTINGS, 0, 0, settings);
    windowUpdate(c, 0x7fffffff - 65535);
    c.flush();
  }

  static void windowUpdate(Connection& c, uint32_t n) {
    const char payload[4] = {char(n >> 24), char(n >> 16), char(n >> 8), char(n)};
    c.put(WINDOW_UPDATE, 0, 0, std::string(payload, 4));
  }

  void read(Connection& c) {
    for (;;) {
      const ssize_t n = recv(c.socket, buffer_.data(), buffer_.size(), 0);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (n <= 0) fail("the server closed a connection");
      feed(c, buffer_.data(), size_t(n));
      if (size_t(n) < buffer_.size()) return;
    }
  }

  void feed(Connection& c, const char* bytes, size_t count) {
    while (count > 0) {
      if (c.headCount < 9) {
        while (c.headCount < 9 && count > 0) c.head[c.headCount++] = uint8_t(*bytes++), count--;
        if (c.headCount < 9) return;
        c.left = uint32_t(c.head[0]) << 16 | uint32_t(c.head[1]) << 8 | c.head[2];
        c.control.clear();
      }
      const size_t part = std::min<size_t>(count, c.left);
      if (c.type() == DATA) {
        if (c.flags() & PADDED) fail("padded DATA");
        if (part > 0) handler_.data(c, c.stream(), bytes, part);
        c.unreported += uint32_t(part);
      } else if (c.type() != HEADERS) {
        c.control.append(bytes, part);
      }
      bytes += part;
      count -= part;
      c.left -= uint32_t(part);
      if (c.left == 0) {
        c.headCount = 0;
        frame(c);
      }
    }
  }

  void frame(Connection& c) {
    auto number = [&](size_t at) {
      const auto* p = reinterpret_cast<const uint8_t*>(c.control.data()) + at;
      return uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 | p[3];
    };
    switch (c.type()) {
      case DATA:
      case HEADERS:
        if (c.unreported > 1u << 30) windowUpdate(c, c.unreported), c.unreported = 0;
        if (c.flags() & END_STREAM) handler_.ended(c, c.stream());
        break;
      case RST_STREAM: handler_.reset(c, c.stream()); break;
      case SETTINGS:
        if (c.flags() & ACK) break;
        for (size_t i = 0; i + 6 <= c.control.size(); i += 6) {
          const uint16_t id = uint16_t(uint8_t(c.control[i]) << 8 | uint8_t(c.control[i + 1]));
          if (id == 1) c.headerTable = number(i + 2);
          if (id == 4) c.streamWindow = number(i + 2);
        }
        c.hasSettings = true;
        c.put(SETTINGS, ACK, 0, "");
        break;
      case PING:
        if (!(c.flags() & ACK)) c.put(PING, ACK, 0, c.control);
        break;
      case WINDOW_UPDATE:
        if (c.stream() == 0) c.sendWindow += number(0) & 0x7fffffff;
        break;
      case GOAWAY: fail("the server sent GOAWAY");
      default: break;
    }
  }
};
