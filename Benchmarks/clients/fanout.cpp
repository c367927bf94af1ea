// Subscribes to guidance many times, publishes forecasts, and times each until the last subscriber has it.
//
//   fanout PORT PID CONNECTIONS STREAMS GAP VENUE KEY ADMIN_KEY PUBLISHES
//
// PUBLISHES is a file of PublishGridSignal requests, each with gRPC's prefix of 5 bytes, the first three of which warm
// up. GAP is the wait between two, in milliseconds. Prints one line of JSON: memory of the server per connection and
// per waiting subscription, milliseconds from the publishing call's first byte to the last subscriber's last one, the
// server's processor time per publish.
#include <fstream>
#include <iterator>

#include "http2.hpp"

namespace {

// The messages of one stream, counted as they come.
struct Stream {
  uint32_t left = 0;
  uint8_t prefix[5];
  uint8_t prefixCount = 0;
  uint32_t messages = 0;
};

struct Subscriptions {
  std::vector<std::vector<Stream>> streams;  // by connection and stream; the last connection publishes
  uint64_t messages = 0, bytes = 0, over = 0, published = 0;
  size_t publisher = 0;

  void data(Connection& c, uint32_t id, const char* p, size_t n) {
    if (c.index == publisher) return;
    Stream& s = streams[c.index][(id - 1) / 2];
    bytes += n;
    while (n > 0) {
      if (s.prefixCount < 5) {
        s.prefix[s.prefixCount++] = uint8_t(*p++), n--;
        if (s.prefixCount < 5) continue;
        s.left = uint32_t(s.prefix[1]) << 24 | uint32_t(s.prefix[2]) << 16 | uint32_t(s.prefix[3]) << 8 | s.prefix[4];
      }
      const size_t part = std::min<size_t>(n, s.left);
      p += part, n -= part, s.left -= uint32_t(part);
      if (s.left == 0) s.prefixCount = 0, s.messages++, messages++;
    }
  }
  void ended(Connection& c, uint32_t) { (c.index == publisher ? published : over)++; }
  void reset(Connection& c, uint32_t id) { ended(c, id); }
};

std::vector<std::string> readPublishes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> list;
  for (size_t at = 0; at + 5 <= all.size();) {
    size_t length = 5;
    for (size_t i = 1; i < 5; i++) length += size_t(uint8_t(all[at + i])) << (8 * (4 - i));
    list.push_back(all.substr(at, length));
    at += length;
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 10) fail("usage: fanout PORT PID CONNECTIONS STREAMS GAP VENUE KEY ADMIN_KEY PUBLISHES");
  const int pid = atoi(argv[2]), gap = atoi(argv[5]);
  const size_t connections = size_t(atoi(argv[3])), perConnection = size_t(atoi(argv[4]));
  const uint64_t total = connections * perConnection;
  const auto publishes = readPublishes(argv[9]);
  if (publishes.size() < 4) fail("three publishes warm up: give at least four");

  Subscriptions handler;
  handler.publisher = connections;
  handler.streams.assign(connections, std::vector<Stream>(perConnection));
  const long atStart = resident(pid);
  Client<Subscriptions> client(uint16_t(atoi(argv[1])), connections + 1, handler);
  client.idle(300);
  const long withConnections = resident(pid);

  const CallHeaders subscribe("/energykit.v1.ElectricityGuidanceService/StreamGuidance", argv[7]);
  std::string request;
  putBytes(request, 1, argv[6]);
  putNumber(request, 2, 1);  // SHIFT
  const std::string body = framed(request);
  const uint64_t subscribeStart = nanoseconds();
  for (size_t k = 0; k < perConnection; k++) {
    for (size_t i = 0; i < connections; i++) {
      Connection& c = client.connections[i];
      c.put(HEADERS, END_HEADERS, c.nextStream, subscribe.block(c, k == 0));
      c.put(DATA, END_STREAM, c.nextStream, body);
      c.nextStream += 2;
    }
    client.turn(0);
  }
  auto await = [&](uint64_t wanted) {
    const uint64_t end = nanoseconds() + 30000000000u;
    while (handler.messages < wanted) {
      client.turn(100);
      if (handler.over > 0) fail("a subscription ended");
      if (nanoseconds() > end) {
        fprintf(stderr, "%llu of %llu messages: ", (unsigned long long)handler.messages, (unsigned long long)wanted);
        fail("not all within 30 seconds");
      }
    }
  };
  await(total);
  const double subscribed = double(nanoseconds() - subscribeStart) / 1e6;
  client.idle(300);
  const long withSubscriptions = resident(pid);

  const CallHeaders publish("/energykit.v1.AdminService/PublishGridSignal", argv[8]);
  std::vector<double> times;
  double before = 0;
  uint64_t bytes = 0;
  for (size_t round = 0; round < publishes.size(); round++) {
    if (round == 3) before = processor(pid);
    Connection& c = client.connections[connections];
    bytes = handler.bytes;
    const uint64_t start = nanoseconds();
    c.put(HEADERS, END_HEADERS, c.nextStream, publish.block(c, round == 0));
    c.put(DATA, END_STREAM, c.nextStream, publishes[round]);
    c.nextStream += 2;
    c.flush();
    await(total * (round + 2));
    if (round >= 3) times.push_back(double(nanoseconds() - start) / 1e6);
    client.idle(gap);
    if (handler.messages > total * (round + 2)) fail("more messages than publishes");
    if (handler.published != round + 1) fail("a publish was not answered");
  }
  const double used = processor(pid) - before;
  const double n = double(times.size());
  std::sort(times.begin(), times.end());
  printf("{\"subscriptions\": %llu, \"connections\": %zu, \"subscribe_ms\": %.1f, \"kib_per_connection\": %.2f, \"kib_per_subscription\": %.3f, "
         "\"message_bytes\": %.0f, \"min_ms\": %.2f, \"median_ms\": %.2f, \"p90_ms\": %.2f, \"max_ms\": %.2f, \"cpu_ms\": %.2f, \"rss_end_kib\": %ld}\n",
         (unsigned long long)total, connections, subscribed, double(withConnections - atStart) / double(connections + 1),
         double(withSubscriptions - withConnections) / double(total), double(handler.bytes - bytes) / double(total), times.front(),
         times[times.size() / 2], times[size_t(double(times.size()) * 0.9)], times.back(), used / n, resident(pid));
}
