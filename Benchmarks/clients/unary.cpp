// Loads a server with unary calls: CONNECTIONS connections with STREAMS calls in flight on each.
//
//   unary PORT PID METHOD CONNECTIONS STREAMS REQUESTS VENUE KEY
//
// METHOD is submit (SubmitLoadEvents with a whole session of 10 EV events, new ids and times in every request) or guidance
// (GetGuidance). Prints one line of JSON: calls, what went wrong, calls per second, the server's processor time per call
// and the latency. A call counts as good where its answer says so: all 10 events stored, or a guidance.
#include "http2.hpp"

namespace {

constexpr int eventCount = 10;
constexpr int secondsLength = 5, nanosLength = 5;

std::string path(const char* method) { return std::string("/energykit.v1.") + method; }

// MARK: - Requests

std::string guidanceRequest(const std::string& venue) {
  std::string message;
  putBytes(message, 1, venue);
  putNumber(message, 2, 1);  // SHIFT
  return framed(message);
}

// A session of 10 events: begin, eight in between, end. Ids and times lie at fixed places, to be written over.
class SessionRequest {
 public:
  SessionRequest(const std::string& venue, const std::string& token) {
    std::string message;
    putBytes(message, 1, venue);
    const std::string uuid(36, '0');
    for (int i = 0; i < eventCount; i++) {
      const bool isFirst = i == 0, isLast = i == eventCount - 1;
      std::string time, event, measurement;
      putVarint(time, 1 << 3);
      time.append(secondsLength, '\0');
      putVarint(time, 2 << 3);
      time.append(nanosLength, '\0');
      putBytes(event, 1, uuid);
      idAt_.push_back(event.size() - uuid.size());
      putBytes(event, 2, time);
      timeAt_.push_back(event.size() - time.size() + 1);
      putBytes(event, 3, uuid);
      sessionAt_.push_back(event.size() - uuid.size());
      putNumber(event, 4, isFirst ? 1 : isLast ? 3 : 2);
      putNumber(event, 5, 1);
      putBytes(event, 6, token);
      putBytes(event, 7, "wallbox 17");
      putNumber(measurement, 1, uint64_t(40 + i));
      putNumber(measurement, 2, 1);  // imported
      if (!isFirst && !isLast) putNumber(measurement, 3, 7200000);
      if (!isFirst) putNumber(measurement, 4, uint64_t(i) * 1800000);
      putBytes(event, 9, measurement);
      putBytes(message, 2, event);
      for (auto* place : {&idAt_, &timeAt_, &sessionAt_}) place->back() += message.size() - event.size();
    }
    bytes_ = framed(message);
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    base_ = uint64_t(now.tv_sec) - 7200;
    snprintf(run_, sizeof run_, "%08x", unsigned(uint64_t(now.tv_nsec) ^ uint64_t(now.tv_sec) << 13 ^ uint64_t(getpid()) << 20));
  }

  const std::string& next() {
    const uint64_t request = count_++;
    const uint64_t second = base_ + request % 7000, millisecond = 300 + request % 600;
    for (int i = 0; i < eventCount; i++) {
      writeID(idAt_[size_t(i)], request * 16 + uint64_t(i) + 1);
      writeID(sessionAt_[size_t(i)], request * 16);
      writeVarint(timeAt_[size_t(i)], second + uint64_t(i), secondsLength);
      writeVarint(timeAt_[size_t(i)] + secondsLength + 1, millisecond * 1000000, nanosLength);
    }
    return bytes_;
  }

 private:
  std::string bytes_;
  std::vector<size_t> idAt_, timeAt_, sessionAt_;
  uint64_t base_ = 0, count_ = 0;
  char run_[9];

  void writeID(size_t at, uint64_t number) {
    char* p = &bytes_[at + 5];
    memcpy(p, run_, 8);
    memcpy(p + 8, "-0000-4000-8000-", 16);
    for (int digit = 11; digit >= 0; digit--, number >>= 4) p[24 + digit] = "0123456789abcdef"[number & 15];
  }
  void writeVarint(size_t at, uint64_t value, int length) {
    for (int i = 0; i < length; i++, value >>= 7) bytes_[at + 5 + size_t(i)] = char((value & 127) | (i < length - 1 ? 128 : 0));
  }
};

// MARK: - Calls

struct Call {
  uint64_t start = 0;
  std::string answer;
};

struct Load {
  std::vector<std::vector<Call>> calls;  // by connection and stream
  uint64_t begun = 0, good = 0, bad = 0, resets = 0, live = 0;
  bool (*isGood)(const std::string&) = nullptr;
  std::vector<double> latencies;
  std::string last;

  void data(Connection& c, uint32_t stream, const char* bytes, size_t count) { call(c, stream).answer.append(bytes, count); }
  void ended(Connection& c, uint32_t stream) {
    Call& call = this->call(c, stream);
    latencies.push_back(double(nanoseconds() - call.start) / 1e3);
    (isGood(call.answer) ? good : bad)++;
    live--;
    last.swap(call.answer);
    std::string().swap(call.answer);
    inFlight[c.index]--;
  }
  void reset(Connection& c, uint32_t) {
    resets++;
    live--;
    inFlight[c.index]--;
  }
  std::vector<int> inFlight;

  Call& call(Connection& c, uint32_t stream) { return calls[c.index][(stream - 1) / 2]; }
};

template <typename Next>
void run(Client<Load>& client, Load& load, const CallHeaders& headers, int streams, uint64_t count, Next next) {
  const uint64_t end = nanoseconds() + 60000000000u;
  load.begun = load.good = load.bad = load.resets = 0;
  load.latencies.clear();
  do {
    for (bool isBusy = true; isBusy;) {
      isBusy = false;
      for (auto& c : client.connections) {
        if (load.begun == count) break;
        if (load.inFlight[c.index] >= streams || c.out.size() > 256 << 10) continue;
        const std::string& body = next();
        if (body.size() > c.streamWindow) fail("the server's stream window is smaller than a request");
        if (c.sendWindow < int64_t(body.size())) continue;
        c.sendWindow -= int64_t(body.size());
        c.put(HEADERS, END_HEADERS, c.nextStream, headers.block(c, c.nextStream == 1));
        c.put(DATA, END_STREAM, c.nextStream, body);
        load.calls[c.index].push_back({nanoseconds(), {}});
        c.nextStream += 2;
        load.begun++;
        load.live++;
        load.inFlight[c.index]++;
        isBusy = true;
      }
    }
    for (auto& c : client.connections) c.flush();
    client.turn(1000);
    if (nanoseconds() > end) fail("not done within 60 seconds");
  } while (load.live > 0 || load.begun < count);
}

bool isStored(const std::string& answer) {
  return answer.size() >= 7 && answer.compare(5, 2, std::string("\x08") + char(eventCount)) == 0;
}
bool isGuidance(const std::string& answer) { return answer.size() > 205; }

double quantile(const std::vector<double>& sorted, double q) {
  return sorted.empty() ? 0 : sorted[std::min(sorted.size() - 1, size_t(q * double(sorted.size())))];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) fail("usage: unary PORT PID submit|guidance CONNECTIONS STREAMS REQUESTS VENUE KEY");
  const int pid = atoi(argv[2]), connections = atoi(argv[4]), streams = atoi(argv[5]);
  const std::string method = argv[3], venue = argv[7], key = argv[8];
  const uint64_t count = strtoull(argv[6], nullptr, 10), warmUp = count / 10 + 1;
  Load load;
  load.calls.resize(size_t(connections));
  load.inFlight.resize(size_t(connections));
  Client<Load> client(uint16_t(atoi(argv[1])), size_t(connections), load);

  // Every connection speaks one method only, so that its headers are in the table; the token comes over another one.
  const std::string wanted = guidanceRequest(venue);
  std::string token;
  {
    Load one;
    one.calls.resize(1);
    one.inFlight.resize(1);
    one.isGood = isGuidance;
    Client<Load> asking(uint16_t(atoi(argv[1])), 1, one);
    run(asking, one, CallHeaders(path("ElectricityGuidanceService/GetGuidance"), key), 1, 1, [&]() -> const std::string& { return wanted; });
    if (one.good != 1) fail("no guidance");
    token = bytesField(bytesField(one.last.substr(5), 1), 1);
  }

  double before = 0;
  uint64_t start = 0;
  size_t bytes = 0;
  auto measure = [&](const CallHeaders& headers, auto next) {
    run(client, load, headers, streams, warmUp, next);
    before = processor(pid);
    start = nanoseconds();
    run(client, load, headers, streams, count, next);
  };
  if (method == "submit") {
    load.isGood = isStored;
    SessionRequest request(venue, token);
    bytes = request.next().size();
    measure(CallHeaders(path("LoadEventService/SubmitLoadEvents"), key), [&]() -> const std::string& { return request.next(); });
  } else if (method == "guidance") {
    load.isGood = isGuidance;
    bytes = wanted.size();
    measure(CallHeaders(path("ElectricityGuidanceService/GetGuidance"), key), [&]() -> const std::string& { return wanted; });
  } else {
    fail("unknown method");
  }
  const double seconds = double(nanoseconds() - start) / 1e9, used = processor(pid) - before;
  std::sort(load.latencies.begin(), load.latencies.end());
  printf("{\"requests\": %llu, \"good\": %llu, \"bad\": %llu, \"resets\": %llu, \"request_bytes\": %zu, \"answer_bytes\": %zu, "
         "\"per_second\": %.0f, \"cpu_us\": %.3f, \"p50_us\": %.0f, \"p99_us\": %.0f, \"rss_kib\": %ld}\n",
         (unsigned long long)count, (unsigned long long)load.good, (unsigned long long)load.bad, (unsigned long long)load.resets, bytes, load.last.size(),
         double(count) / seconds, used * 1e3 / double(count), quantile(load.latencies, 0.5), quantile(load.latencies, 0.99), resident(pid));
}
