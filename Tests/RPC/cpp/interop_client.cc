// Runs one of the published interoperability cases by gRPC C++: interop_client ADDRESS CASE
//
// Exit code 0 where everything is as the case wants it; else 1, and a line that says what was not.

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grpc/testing/test.grpc.pb.h"

using namespace grpc::testing;

namespace {

constexpr int kLargeRequest = 271828;
constexpr int kLargeAnswer = 314159;
const std::vector<int> kRequestSizes = {27182, 8, 1828, 45904};
const std::vector<int> kAnswerSizes = {31415, 9, 2653, 58979};

void Check(bool holds, const std::string &what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what.c_str());
  std::exit(1);
}

void CheckOK(const grpc::Status &status) {
  Check(status.ok(), "OK, but " + std::to_string(status.error_code()) + " " + status.error_message());
}

void CheckCode(const grpc::Status &status, grpc::StatusCode code) {
  Check(status.error_code() == code, "code " + std::to_string(code) + ", but " +
                                         std::to_string(status.error_code()) + " " + status.error_message());
}

// A call of ten seconds.
std::unique_ptr<grpc::ClientContext> Context() {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  return context;
}

SimpleRequest Large() {
  SimpleRequest request;
  request.set_response_size(kLargeAnswer);
  request.mutable_payload()->set_body(std::string(kLargeRequest, '\0'));
  return request;
}

void CheckLarge(const SimpleResponse &answer) {
  Check(answer.payload().body() == std::string(kLargeAnswer, '\0'), "an answer of so many zeros");
}

struct Client {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<TestService::Stub> stub;

  void EmptyUnary() {
    auto context = Context();
    Empty answer;
    CheckOK(stub->EmptyCall(context.get(), Empty(), &answer));
    Check(answer.ByteSizeLong() == 0, "an empty answer");
  }

  void LargeUnary() {
    auto context = Context();
    SimpleResponse answer;
    CheckOK(stub->UnaryCall(context.get(), Large(), &answer));
    CheckLarge(answer);
  }

  void ClientCompressedUnary() {
    for (bool expected : {true, false}) {
      for (bool compressed : {true, false}) {
        auto context = Context();
        if (compressed) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
        SimpleRequest request = Large();
        request.mutable_expect_compressed()->set_value(expected);
        SimpleResponse answer;
        grpc::Status status = stub->UnaryCall(context.get(), request, &answer);
        if (expected != compressed) {
          CheckCode(status, grpc::StatusCode::INVALID_ARGUMENT);
        } else {
          CheckOK(status);
          CheckLarge(answer);
        }
      }
    }
  }

  void ServerCompressedUnary() {
    for (bool wanted : {true, false}) {
      auto context = Context();
      SimpleRequest request = Large();
      request.mutable_response_compressed()->set_value(wanted);
      SimpleResponse answer;
      CheckOK(stub->UnaryCall(context.get(), request, &answer));
      CheckLarge(answer);
    }
  }

  void ClientStreaming() {
    auto context = Context();
    StreamingInputCallResponse answer;
    auto stream = stub->StreamingInputCall(context.get(), &answer);
    int sum = 0;
    for (int size : kRequestSizes) {
      StreamingInputCallRequest request;
      request.mutable_payload()->set_body(std::string(size, '\0'));
      Check(stream->Write(request), "a write");
      sum += size;
    }
    stream->WritesDone();
    CheckOK(stream->Finish());
    Check(answer.aggregated_payload_size() == sum, "the sum of the sizes");
  }

  void ClientCompressedStreaming() {
    auto context = Context();
    context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    StreamingInputCallResponse answer;
    auto stream = stub->StreamingInputCall(context.get(), &answer);
    for (bool compressed : {true, false}) {
      StreamingInputCallRequest request;
      request.mutable_expect_compressed()->set_value(compressed);
      request.mutable_payload()->set_body(std::string(compressed ? 27182 : 45904, '\0'));
      grpc::WriteOptions options;
      if (!compressed) options.set_no_compression();
      Check(stream->Write(request, options), "a write");
    }
    stream->WritesDone();
    CheckOK(stream->Finish());
    Check(answer.aggregated_payload_size() == 27182 + 45904, "the sum of the sizes");
  }

  void Receive(const StreamingOutputCallRequest &request, const std::vector<int> &sizes) {
    auto context = Context();
    auto stream = stub->StreamingOutputCall(context.get(), request);
    StreamingOutputCallResponse answer;
    size_t count = 0;
    while (stream->Read(&answer)) {
      Check(count < sizes.size(), "no more answers than were asked for");
      Check(static_cast<int>(answer.payload().body().size()) == sizes[count], "the size asked for");
      count += 1;
    }
    Check(count == sizes.size(), "as many answers as were asked for");
    CheckOK(stream->Finish());
  }

  void ServerStreaming() {
    StreamingOutputCallRequest request;
    for (int size : kAnswerSizes) request.add_response_parameters()->set_size(size);
    Receive(request, kAnswerSizes);
  }

  void ServerCompressedStreaming() {
    StreamingOutputCallRequest request;
    for (bool compressed : {true, false}) {
      auto *parameters = request.add_response_parameters();
      parameters->set_size(compressed ? 31415 : 92653);
      parameters->mutable_compressed()->set_value(compressed);
    }
    Receive(request, {31415, 92653});
  }

  void PingPong() {
    auto context = Context();
    auto stream = stub->FullDuplexCall(context.get());
    for (size_t index = 0; index < kRequestSizes.size(); ++index) {
      StreamingOutputCallRequest request;
      request.add_response_parameters()->set_size(kAnswerSizes[index]);
      request.mutable_payload()->set_body(std::string(kRequestSizes[index], '\0'));
      Check(stream->Write(request), "a write");
      StreamingOutputCallResponse answer;
      Check(stream->Read(&answer), "an answer");
      Check(static_cast<int>(answer.payload().body().size()) == kAnswerSizes[index], "the size asked for");
    }
    stream->WritesDone();
    StreamingOutputCallResponse answer;
    Check(!stream->Read(&answer), "no answer more");
    CheckOK(stream->Finish());
  }

  void EmptyStream() {
    auto context = Context();
    auto stream = stub->FullDuplexCall(context.get());
    stream->WritesDone();
    StreamingOutputCallResponse answer;
    Check(!stream->Read(&answer), "no answer");
    CheckOK(stream->Finish());
  }

  void AddMetadata(grpc::ClientContext *context) {
    context->AddMetadata("x-grpc-test-echo-initial", "test_initial_metadata_value");
    context->AddMetadata("x-grpc-test-echo-trailing-bin", "\xab\xab\xab");
  }

  void CheckMetadata(grpc::ClientContext *context) {
    const auto &headers = context->GetServerInitialMetadata();
    auto header = headers.find("x-grpc-test-echo-initial");
    Check(header != headers.end() && header->second == "test_initial_metadata_value", "the header comes back");
    const auto &trailers = context->GetServerTrailingMetadata();
    auto trailer = trailers.find("x-grpc-test-echo-trailing-bin");
    Check(trailer != trailers.end() && trailer->second == "\xab\xab\xab", "the trailer comes back");
  }

  void CustomMetadata() {
    auto unary = Context();
    AddMetadata(unary.get());
    SimpleResponse answer;
    CheckOK(stub->UnaryCall(unary.get(), Large(), &answer));
    CheckMetadata(unary.get());
    auto context = Context();
    AddMetadata(context.get());
    auto stream = stub->FullDuplexCall(context.get());
    StreamingOutputCallRequest request;
    request.add_response_parameters()->set_size(kLargeAnswer);
    Check(stream->Write(request), "a write");
    stream->WritesDone();
    StreamingOutputCallResponse streamed;
    while (stream->Read(&streamed)) {
    }
    CheckOK(stream->Finish());
    CheckMetadata(context.get());
  }

  void Status(const std::string &text) {
    auto context = Context();
    SimpleRequest request;
    request.mutable_response_status()->set_code(2);
    request.mutable_response_status()->set_message(text);
    SimpleResponse answer;
    grpc::Status status = stub->UnaryCall(context.get(), request, &answer);
    CheckCode(status, grpc::StatusCode::UNKNOWN);
    Check(status.error_message() == text, "the message asked for");
    auto streaming = Context();
    auto stream = stub->FullDuplexCall(streaming.get());
    StreamingOutputCallRequest output;
    *output.mutable_response_status() = request.response_status();
    stream->Write(output);
    stream->WritesDone();
    StreamingOutputCallResponse streamed;
    Check(!stream->Read(&streamed), "no answer");
    status = stream->Finish();
    CheckCode(status, grpc::StatusCode::UNKNOWN);
    Check(status.error_message() == text, "the message asked for");
  }

  void UnimplementedMethod() {
    auto context = Context();
    Empty answer;
    CheckCode(stub->UnimplementedCall(context.get(), Empty(), &answer), grpc::StatusCode::UNIMPLEMENTED);
  }

  void UnimplementedService() {
    auto context = Context();
    Empty answer;
    auto other = grpc::testing::UnimplementedService::NewStub(channel);
    CheckCode(other->UnimplementedCall(context.get(), Empty(), &answer), grpc::StatusCode::UNIMPLEMENTED);
  }

  void CancelAfterBegin() {
    auto context = Context();
    StreamingInputCallResponse answer;
    auto stream = stub->StreamingInputCall(context.get(), &answer);
    context->TryCancel();
    CheckCode(stream->Finish(), grpc::StatusCode::CANCELLED);
  }

  void CancelAfterFirstResponse() {
    auto context = Context();
    auto stream = stub->FullDuplexCall(context.get());
    StreamingOutputCallRequest request;
    request.add_response_parameters()->set_size(31415);
    request.mutable_payload()->set_body(std::string(27182, '\0'));
    Check(stream->Write(request), "a write");
    StreamingOutputCallResponse answer;
    Check(stream->Read(&answer), "an answer");
    context->TryCancel();
    CheckCode(stream->Finish(), grpc::StatusCode::CANCELLED);
  }

  void TimeoutOnSleepingServer() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(50));
    auto stream = stub->FullDuplexCall(&context);
    StreamingOutputCallRequest request;
    auto *parameters = request.add_response_parameters();
    parameters->set_size(31415);
    parameters->set_interval_us(5000000);
    stream->Write(request);
    StreamingOutputCallResponse answer;
    while (stream->Read(&answer)) {
    }
    CheckCode(stream->Finish(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
};

}  // namespace

int main(int count, char **arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: interop_client ADDRESS CASE\n");
    return 2;
  }
  auto channel = grpc::CreateChannel(arguments[1], grpc::InsecureChannelCredentials());
  Client client{channel, TestService::NewStub(channel)};
  const std::map<std::string, std::function<void()>> cases = {
      {"empty_unary", [&] { client.EmptyUnary(); }},
      {"large_unary", [&] { client.LargeUnary(); }},
      {"client_compressed_unary", [&] { client.ClientCompressedUnary(); }},
      {"server_compressed_unary", [&] { client.ServerCompressedUnary(); }},
      {"client_streaming", [&] { client.ClientStreaming(); }},
      {"client_compressed_streaming", [&] { client.ClientCompressedStreaming(); }},
      {"server_streaming", [&] { client.ServerStreaming(); }},
      {"server_compressed_streaming", [&] { client.ServerCompressedStreaming(); }},
      {"ping_pong", [&] { client.PingPong(); }},
      {"empty_stream", [&] { client.EmptyStream(); }},
      {"custom_metadata", [&] { client.CustomMetadata(); }},
      {"status_code_and_message", [&] { client.Status("test status message"); }},
      {"special_status_message",
       [&] { client.Status("\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"); }},
      {"unimplemented_method", [&] { client.UnimplementedMethod(); }},
      {"unimplemented_service", [&] { client.UnimplementedService(); }},
      {"cancel_after_begin", [&] { client.CancelAfterBegin(); }},
      {"cancel_after_first_response", [&] { client.CancelAfterFirstResponse(); }},
      {"timeout_on_sleeping_server", [&] { client.TimeoutOnSleepingServer(); }},
  };
  auto found = cases.find(arguments[2]);
  Check(found != cases.end(), std::string("a case that is known: ") + arguments[2]);
  found->second();
  return 0;
}
