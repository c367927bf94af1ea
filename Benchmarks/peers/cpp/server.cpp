// A C++ gRPC server of the contract, to compare with: callback API, in the clear. It decodes, looks at the shape, answers,
// and does nothing else: no keys, no venues, no token, no store.
//
//   peer-cpp PORT
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <time.h>

#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "energykit/v1/admin.grpc.pb.h"
#include "energykit/v1/guidance.grpc.pb.h"
#include "energykit/v1/load_event.grpc.pb.h"

using namespace energykit::v1;

namespace {

// MARK: - Load events

struct Event {
  uint8_t id[16], session[16], token[16];
  int64_t milliseconds;
  SessionState state;
  std::string device;
  int64_t power, energy;
};

bool parseUUID(const std::string& text, uint8_t out[16]) {
  if (text.size() != 36) return false;
  int n = 0;
  for (size_t i = 0; i < 36; i++) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return false;
      continue;
    }
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return false;
    out[n / 2] = uint8_t(n % 2 ? out[n / 2] << 4 | digit : digit);
    n++;
  }
  return true;
}

bool hasShape(const LoadEvent& event, Event& out) {
  if (!parseUUID(event.id(), out.id) || !parseUUID(event.session_id(), out.session)) return false;
  if (!parseUUID(event.guidance_token(), out.token) || !event.has_timestamp()) return false;
  if (event.session_state() < SESSION_STATE_BEGIN || event.session_state() > SESSION_STATE_END) return false;
  if (event.identity_case() == LoadEvent::kDeviceId) {
    out.device = event.device_id();
  } else {
    out.device = event.device().id();
  }
  if (out.device.empty() || out.device.size() > 64) return false;
  switch (event.measurement_case()) {
    case LoadEvent::kElectricVehicle: {
      const auto& vehicle = event.electric_vehicle();
      if (vehicle.state_of_charge_percent() < 0 || vehicle.state_of_charge_percent() > 100) return false;
      if (vehicle.direction() < 1 || vehicle.direction() > 2) return false;
      if (vehicle.power_milliwatts() < 0 || vehicle.energy_milliwatt_hours() < 0) return false;
      out.power = vehicle.power_milliwatts();
      out.energy = vehicle.energy_milliwatt_hours();
      break;
    }
    case LoadEvent::kHvac:
      if (event.hvac().stage_percent() < 0 || event.hvac().stage_percent() > 100) return false;
      break;
    case LoadEvent::MEASUREMENT_NOT_SET: return false;
  }
  out.milliseconds = event.timestamp().seconds() * 1000 + event.timestamp().nanos() / 1000000;
  out.state = event.session_state();
  return true;
}

class LoadEvents final : public LoadEventService::WithCallbackMethod_SubmitLoadEvents<LoadEventService::Service> {
  grpc::ServerUnaryReactor* SubmitLoadEvents(grpc::CallbackServerContext* context, const SubmitLoadEventsRequest* request,
                                             SubmitLoadEventsResponse* response) override {
    std::vector<Event> events;
    events.reserve(size_t(request->load_events_size()));
    bool isGood = true;
    for (const auto& message : request->load_events()) {
      Event event;
      isGood = isGood && hasShape(message, event);
      events.push_back(std::move(event));
    }
    auto* reactor = context->DefaultReactor();
    if (isGood) {
      response->set_stored_count(int(events.size()));
      reactor->Finish(grpc::Status::OK);
    } else {
      reactor->Finish(grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "an event without its shape"));
    }
    return reactor;
  }
};

// MARK: - Guidance

constexpr int valueCount = 24;
const char* const token = "5f6b2c1e-9a40-4a52-8f5b-0c7d3e21a964";

ElectricityGuidance makeGuidance(const std::string& venue, double offset) {
  ElectricityGuidance guidance;
  const int64_t start = time(nullptr) / 3600 * 3600;
  guidance.set_guidance_token(token);
  guidance.set_venue_id(venue);
  guidance.set_suggested_action(SUGGESTED_ACTION_SHIFT);
  guidance.mutable_interval()->mutable_start()->set_seconds(start);
  guidance.mutable_interval()->mutable_end()->set_seconds(start + valueCount * 3600);
  guidance.add_options(GUIDANCE_OPTION_LOCATION_HAS_RATE_PLAN);
  guidance.add_options(GUIDANCE_OPTION_GUIDANCE_INCORPORATES_RATE_PLAN);
  for (int hour = 0; hour < valueCount; hour++) {
    auto* value = guidance.add_values();
    value->mutable_interval()->mutable_start()->set_seconds(start + hour * 3600);
    value->mutable_interval()->mutable_end()->set_seconds(start + (hour + 1) * 3600);
    value->set_rating((hour * 37 % 100 + offset) / 101);
  }
  guidance.mutable_issue_time()->set_seconds(time(nullptr));
  guidance.set_grid_region("CISO");
  guidance.mutable_next_update_time()->set_seconds(start + 3600);
  return guidance;
}

class Guidance;

// One subscriber: a write reactor with a queue of shared, already serialised messages.
class Subscriber final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
 public:
  Subscriber(Guidance* service, const grpc::ByteBuffer& first);
  void push(const grpc::ByteBuffer& message) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (isDone_) return;
      if (isWriting_) {
        queue_.push_back(message);  // slices are counted references: no copy of the bytes
        return;
      }
      isWriting_ = true;
      current_ = message;
    }
    StartWrite(&current_);
  }
  void OnWriteDone(bool isGood) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!isGood || queue_.empty()) {
        isWriting_ = false;
        return;
      }
      current_ = std::move(queue_.front());
      queue_.pop_front();
    }
    StartWrite(&current_);
  }
  void OnCancel() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (isDone_) return;
      isDone_ = true;
    }
    Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override;

 private:
  Guidance* service_;
  std::mutex mutex_;
  std::deque<grpc::ByteBuffer> queue_;
  grpc::ByteBuffer current_;
  bool isWriting_ = false, isDone_ = false;
};

// StreamGuidance is a raw method, so that all streams share one serialised message.
using GuidanceBase = ElectricityGuidanceService::WithCallbackMethod_GetGuidance<
    ElectricityGuidanceService::WithRawCallbackMethod_StreamGuidance<ElectricityGuidanceService::Service>>;

class Guidance final : public GuidanceBase {
 public:
  Guidance() { change(0); }

  grpc::ServerUnaryReactor* GetGuidance(grpc::CallbackServerContext* context, const GetGuidanceRequest* request,
                                        GetGuidanceResponse* response) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      *response->mutable_guidance() = guidance_;
    }
    response->mutable_guidance()->set_venue_id(request->venue_id());
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerWriteReactor<grpc::ByteBuffer>* StreamGuidance(grpc::CallbackServerContext*, const grpc::ByteBuffer*) override {
    std::lock_guard<std::mutex> lock(mutex_);
    auto* subscriber = new Subscriber(this, message_);
    subscribers_.insert(subscriber);
    return subscriber;
  }

  size_t publish(double offset) {
    std::lock_guard<std::mutex> lock(mutex_);
    change(offset);
    for (auto* subscriber : subscribers_) subscriber->push(message_);
    return subscribers_.size();
  }

  void drop(Subscriber* subscriber) {
    std::lock_guard<std::mutex> lock(mutex_);
    subscribers_.erase(subscriber);
  }

 private:
  std::mutex mutex_;
  std::set<Subscriber*> subscribers_;
  ElectricityGuidance guidance_;
  grpc::ByteBuffer message_;

  void change(double offset) {
    guidance_ = makeGuidance("3c0e9d52-7b1f-4f6a-9f0d-2a6f5b8c1e47", offset);
    StreamGuidanceResponse response;
    *response.mutable_guidance() = guidance_;
    const grpc::Slice slice(response.SerializeAsString());
    message_ = grpc::ByteBuffer(&slice, 1);
  }
};

Subscriber::Subscriber(Guidance* service, const grpc::ByteBuffer& first) : service_(service) { push(first); }

void Subscriber::OnDone() {
  service_->drop(this);
  delete this;
}

class Admin final : public AdminService::WithCallbackMethod_PublishGridSignal<AdminService::Service> {
 public:
  explicit Admin(Guidance* guidance) : guidance_(guidance) {}

  grpc::ServerUnaryReactor* PublishGridSignal(grpc::CallbackServerContext* context, const PublishGridSignalRequest* request,
                                              PublishGridSignalResponse* response) override {
    const size_t count = guidance_->publish(double(++count_ % 2));
    response->set_stored_count(request->points_size());
    response->set_guidance_changed(true);
    response->set_subscribers_notified(int64_t(count));
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  Guidance* guidance_;
  std::atomic<unsigned> count_{0};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before any thread starts
  Guidance guidance;
  LoadEvents events;
  Admin admin(&guidance);
  grpc::ServerBuilder builder;
  const std::string address = std::string("127.0.0.1:") + argv[1];
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&guidance);
  builder.RegisterService(&events);
  builder.RegisterService(&admin);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1000);
  auto server = builder.BuildAndStart();
  if (!server) return 1;
  printf("listening on %s\n", address.c_str());
  fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server->Shutdown(std::chrono::system_clock::now());
}
