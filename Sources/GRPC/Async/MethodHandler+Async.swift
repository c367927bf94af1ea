/// Handlers that may wait. Each call costs a task, about 1.4 kB while it is suspended: what can answer at once is
/// better a plain `oneRequest`, and what goes to thousands a `Broadcast`.
///
/// A handler starts within the transport's call and stays on the call's executor, except inside actors that it enters,
/// so it may use what belongs to that executor. When the call ends, its task is cancelled (G-086). A thrown `Status` is
/// the call's status, any other error is UNKNOWN with a fixed text; `onFailure` gets it for the log (G-073).
///
/// `decode` makes a value of a message's bytes, which are valid during the call only. A `Status` that it throws is the
/// call's; any other error is INTERNAL (G-060).
extension MethodHandler {
  package static func asyncUnary<Request, Response: OutgoingMessage>(
    decoding decode: @escaping (UnsafeRawBufferPointer) throws -> Request,
    onFailure: @escaping (any Error) -> Void = { _ in },
    _ handle: @escaping (AsyncCall, Request) async throws -> Response
  ) -> MethodHandler {
    asyncServerStream(decoding: decode, onFailure: onFailure) { call, request in
      call.serverCall.send(try await handle(call, request))
    }
  }

  package static func asyncServerStream<Request>(
    decoding decode: @escaping (UnsafeRawBufferPointer) throws -> Request,
    onFailure: @escaping (any Error) -> Void = { _ in },
    _ handle: @escaping (AsyncCall, Request) async throws -> Void
  ) -> MethodHandler {
    .oneRequest { call, message in
      let request: Request
      do {
        request = try decode(message)
      } catch {
        call.finish(statusOfMalformed(error))
        return
      }
      let task = CallTask(call, onFailure: onFailure)
      call.observer = task
      task.run { try await handle(AsyncCall(task), request) }
    }
  }

  package static func asyncClientStream<Request: Sendable, Response: OutgoingMessage>(
    decoding decode: @escaping (UnsafeRawBufferPointer) throws -> Request,
    onFailure: @escaping (any Error) -> Void = { _ in },
    _ handle: @escaping (AsyncCall, RequestSequence<Request>) async throws -> Response
  ) -> MethodHandler {
    asyncBidirectional(decoding: decode, onFailure: onFailure) { call, requests in
      call.serverCall.send(try await handle(call, requests))
    }
  }

  package static func asyncBidirectional<Request: Sendable>(
    decoding decode: @escaping (UnsafeRawBufferPointer) throws -> Request,
    onFailure: @escaping (any Error) -> Void = { _ in },
    _ handle: @escaping (AsyncCall, RequestSequence<Request>) async throws -> Void
  ) -> MethodHandler {
    .manyRequests { call in
      let queue = RequestQueue(on: call.executor, decoding: decode) { call.finish(statusOfMalformed($0)) }
      let task = CallTask(call, requests: queue, onFailure: onFailure)
      call.observer = task
      task.run { try await handle(AsyncCall(task), RequestSequence(queue)) }
      return queue
    }
  }
}

private func statusOfMalformed(_ error: any Error) -> Status {
  error as? Status ?? Status(.internal, "the request message is malformed")
}
