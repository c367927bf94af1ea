package import GRPC
import NetworkIO

/// What a call with one answer has brought.
package struct ClientResponse: Hashable, Sendable {
  package var message: [UInt8]
  /// Of the headers; empty unless the call keeps metadata (`CallOptions.keepsMetadata`). So are the trailers.
  package var metadata: Metadata
  package var trailers: Metadata
}

/// Calls for tasks, on whatever executor. A cancelled task cancels its call, which then fails with CANCELLED.
extension ClientChannel {
  /// A call with one message each way.
  ///
  /// - Throws: how the call ended, where that is not OK.
  package func unary(
    _ path: String, _ request: [UInt8], _ options: CallOptions = CallOptions()
  ) async throws(Status) -> ClientResponse {
    let stream = open(ClientMethod(path, .unary), options, request)
    return try await stream.response()
  }

  /// A call with one message out and many back.
  package func serverStream(
    _ path: String, _ request: [UInt8], _ options: CallOptions = CallOptions()
  ) -> ResponseSequence {
    open(ClientMethod(path, .serverStream), options, request).responses
  }

  /// A call with many messages out and one back, which `ClientStream.response` gives.
  package func clientStream(_ path: String, _ options: CallOptions = CallOptions()) -> ClientStream {
    open(ClientMethod(path, .clientStream), options)
  }

  /// A call with many messages each way.
  package func bidirectionalStream(_ path: String, _ options: CallOptions = CallOptions()) -> ClientStream {
    open(ClientMethod(path, .bidirectional), options)
  }

  /// Starts a call, and sends its request if it is there already.
  private func open(_ method: ClientMethod, _ options: CallOptions, _ request: [UInt8]? = nil) -> ClientStream {
    let state = StreamState(on: loop)
    loop.onLoop { state.start(self, method, options, request) }
    return ClientStream(state)
  }
}
