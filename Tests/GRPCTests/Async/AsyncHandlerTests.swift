import GRPC
import TestSupport
import Testing

/// A place for what a handler does, on the call's executor.
private final class Notes {
  var texts: [String] = []
}

private struct Malformed: Error {}

private func decodeText(_ bytes: UnsafeRawBufferPointer) throws -> String {
  if bytes.first == UInt8(ascii: "!") { throw Malformed() }
  if bytes.first == UInt8(ascii: "?") { throw Status(.invalidArgument, "?") }
  return String(decoding: bytes, as: UTF8.self)
}

/// Calls a handler that takes one request, and lets all work run that follows.
private func call(_ handler: MethodHandler, _ request: String, _ call: RecordedCall = RecordedCall()) -> RecordedCall {
  call.manualExecutor.run {
    guard case .oneRequest(let body) = handler else { return }
    withBytes(request) { body(call, $0) }
  }
  return call
}

/// The client's side of a stream of requests.
private final class Stream {
  let call = RecordedCall()
  private var consumer: (any RequestConsumer)?
  private(set) var readyCount = 0

  init(_ handler: MethodHandler) {
    call.manualExecutor.run {
      if case .manyRequests(let start) = handler { consumer = start(call) }
    }
  }

  @discardableResult
  func send(_ text: String) -> Bool {
    call.manualExecutor.run { deliver(text) }
  }

  /// Delivers before the handler gets to run.
  @discardableResult
  func deliver(_ text: String) -> Bool {
    withBytes(text) { consumer?.receive($0) { self.readyCount += 1 } } ?? false
  }

  func halfClose() {
    call.manualExecutor.run { consumer?.receiveEnd() }
  }

  func end(_ end: CallEnd) {
    call.manualExecutor.run { call.end(end) }
  }
}

@Suite struct `An async unary handler` {
  @Test func `answers with its result`() {
    let handler = MethodHandler.asyncUnary(decoding: decodeText) { _, text in
      await Task.yield()
      return Array("hello \(text)".utf8)
    }
    let call = call(handler, "you")
    #expect(call.messages == [Array("hello you".utf8)])
    #expect(call.status == .ok)
  }

  @Test func `starts within the transport's call`() {
    let notes = Notes()
    let handler = MethodHandler.asyncUnary(decoding: decodeText) { call, text in
      notes.texts.append("\(call.serverCall.executor.isCurrent)")
      return [UInt8]()
    }
    let call = RecordedCall()
    call.manualExecutor.run {
      guard case .oneRequest(let body) = handler else { return }
      withBytes("x") { body(call, $0) }
      notes.texts.append("returned")
    }
    #expect(notes.texts == ["true", "returned"])
    #expect(call.status == .ok)
  }

  @Test func `gives its thrown status to the client`() {
    let status = Status(.notFound, "no such venue", details: [1])
    let handler = MethodHandler.asyncUnary(decoding: decodeText) { _, _ -> [UInt8] in throw status }
    #expect(call(handler, "x").status == status)
  }

  // G-073
  @Test func `keeps any other error from the client but not from the log`() {
    let notes = Notes()
    let handler = MethodHandler.asyncUnary(decoding: decodeText, onFailure: { notes.texts.append("\($0)") }) {
      _, _ -> [UInt8] in throw Malformed()
    }
    #expect(call(handler, "x").status == Status(.unknown, "the method failed"))
    #expect(notes.texts == ["Malformed()"])
  }

  // G-060
  @Test(arguments: [("!", StatusCode.internal), ("?", .invalidArgument)])
  func `is not called for a malformed request`(request: String, code: StatusCode) {
    let notes = Notes()
    let handler = MethodHandler.asyncUnary(decoding: decodeText) { _, text in
      notes.texts.append(text)
      return [UInt8]()
    }
    #expect(call(handler, request).status?.code == code)
    #expect(notes.texts.isEmpty)
  }
}

@Suite struct `An async server stream` {
  // G-091
  @Test func `waits while the client takes nothing`() {
    let notes = Notes()
    let call = RecordedCall()
    call.peerTakes = false
    let message = [UInt8](repeating: 7, count: 40 << 10)
    let handler = MethodHandler.asyncServerStream(decoding: decodeText) { call, _ in
      for index in 0..<5 {
        try await call.send(message)
        notes.texts.append("\(index)")
      }
    }
    _ = GRPCTests.call(handler, "x", call)
    #expect(notes.texts == ["0", "1"])
    call.manualExecutor.run { call.drain() }
    #expect(notes.texts == ["0", "1", "2", "3"])
    call.manualExecutor.run { call.drain() }
    #expect(call.messages.count == 5)
    #expect(call.status == .ok)
  }

  // G-086
  @Test(arguments: [.cancelled(errorCode: 8), .deadlineExceeded, .connectionLost] as [CallEnd])
  func `stops waiting to write when the call ends`(end: CallEnd) {
    let notes = Notes()
    let call = RecordedCall()
    call.peerTakes = false
    let handler = MethodHandler.asyncServerStream(decoding: decodeText, onFailure: { notes.texts.append("\($0)") }) {
      call, _ in
      defer { notes.texts.append("cancelled: \(Task.isCancelled)") }
      while true { try await call.send([UInt8](repeating: 7, count: 100_000)) }
    }
    _ = GRPCTests.call(handler, "x", call)
    #expect(notes.texts.isEmpty)
    call.manualExecutor.run { call.end(end) }
    #expect(notes.texts == ["cancelled: true"])
    #expect(call.status == nil)
  }

  @Test func `lets one of two writers go on where there is room for one message`() {
    let call = RecordedCall()
    call.peerTakes = false
    let handler = MethodHandler.asyncServerStream(decoding: decodeText) { call, _ in
      let write: @Sendable () async throws -> Void = {
        for _ in 0..<3 { try await call.send([UInt8](repeating: 7, count: 100_000)) }
      }
      let first = Task.immediate(executorPreference: call.serverCall.executor, operation: write)
      try await write()
      try await first.value
    }
    _ = GRPCTests.call(handler, "x", call)
    for count in 1...6 {
      #expect(call.messages.count == count)
      call.manualExecutor.run { call.drain() }
    }
    #expect(call.status == .ok)
  }

  @Test func `wakes a writer whose own task is cancelled while the call goes on`() {
    let call = RecordedCall()
    call.peerTakes = false
    let handler = MethodHandler.asyncServerStream(decoding: decodeText) { call, _ in
      let writer = Task.immediate(executorPreference: call.serverCall.executor) {
        while true { try await call.send([UInt8](repeating: 7, count: 100_000)) }
      }
      await Task.yield()
      writer.cancel()
      _ = await writer.result
      throw Status(.aborted, "writer gave up")
    }
    #expect(GRPCTests.call(handler, "x", call).status == Status(.aborted, "writer gave up"))
  }
}

@Suite struct `An async client stream` {
  private let joining = MethodHandler.asyncClientStream(decoding: decodeText) { _, requests in
    var texts: [String] = []
    for try await text in requests { texts.append(text) }
    return Array(texts.joined(separator: ",").utf8)
  }

  // G-085
  @Test func `reads all requests up to the half-close`() {
    let stream = Stream(joining)
    for text in ["a", "b", "c"] { #expect(stream.send(text)) }
    stream.halfClose()
    #expect(stream.call.messages == [Array("a,b,c".utf8)])
    #expect(stream.call.status == .ok)
  }

  @Test func `reads what came before the half-close also where both come at once`() {
    let stream = Stream(joining)
    stream.call.manualExecutor.run {
      for text in ["a", "b", "c"] { stream.deliver(text) }
      stream.halfClose()
    }
    #expect(stream.call.messages == [Array("a,b,c".utf8)])
  }

  // G-092
  @Test func `holds at most a bounded number of requests`() {
    let stream = Stream(joining)
    var taken = 0
    stream.call.manualExecutor.run {
      while taken < 1_000, stream.deliver("x") { taken += 1 }
    }
    #expect(taken == 16)
    #expect(stream.readyCount == 1)
  }

  // G-092
  @Test func `holds at most a bounded number of bytes`() {
    let stream = Stream(joining)
    var taken = 0
    stream.call.manualExecutor.run {
      while taken < 1_000, stream.deliver(String(repeating: "x", count: 10_000)) { taken += 1 }
    }
    #expect(taken == 4)
    #expect(stream.readyCount == 1)
  }

  @Test(arguments: [("!", StatusCode.internal), ("?", .invalidArgument)])
  func `ends at a malformed request`(request: String, code: StatusCode) {
    let stream = Stream(joining)
    stream.send("a")
    #expect(!stream.send(request))
    #expect(stream.call.status?.code == code)
    #expect(stream.call.messages.isEmpty)
  }

  // G-086
  @Test func `tells its reader of the end of the call`() {
    let notes = Notes()
    let stream = Stream(
      .asyncClientStream(decoding: decodeText) { _, requests in
        do {
          for try await text in requests { notes.texts.append(text) }
        } catch {
          notes.texts.append("\(error is CancellationError) \(Task.isCancelled)")
        }
        return [UInt8]()
      })
    stream.send("a")
    stream.end(.cancelled(errorCode: 8))
    #expect(notes.texts == ["a", "true true"])
    #expect(!stream.send("b"))
    #expect(stream.call.messages.isEmpty)
  }
}

@Suite struct `An async bidirectional stream` {
  // G-085
  @Test func `answers while it reads`() {
    let stream = Stream(
      .asyncBidirectional(decoding: decodeText) { call, requests in
        for try await text in requests { try await call.send(Array(text.utf8)) }
      })
    stream.send("a")
    #expect(stream.call.messages == [Array("a".utf8)])
    stream.send("b")
    #expect(stream.call.messages == [Array("a".utf8), Array("b".utf8)])
    stream.halfClose()
    #expect(stream.call.status == .ok)
  }

  // G-085
  @Test func `may end before the client does`() {
    let stream = Stream(.asyncBidirectional(decoding: decodeText) { _, _ in throw Status(.aborted) })
    #expect(stream.call.status == Status(.aborted))
    #expect(!stream.send("late"))
  }

  @Test func `lets another reader go on after one was cancelled`() {
    let stream = Stream(
      .asyncBidirectional(decoding: decodeText) { call, requests in
        let reader = Task.immediate(executorPreference: call.serverCall.executor) {
          for try await _ in requests {}
        }
        await Task.yield()
        reader.cancel()
        if case .success = await reader.result { throw Status(.internal) }
        for try await text in requests { try await call.send(Array(text.utf8)) }
      })
    stream.send("a")
    stream.halfClose()
    #expect(stream.call.messages == [Array("a".utf8)])
    #expect(stream.call.status == .ok)
  }

  @Test func `loses nothing in a thousand requests`() {
    let stream = Stream(
      .asyncBidirectional(decoding: decodeText) { call, requests in
        for try await text in requests {
          if text.count > 2 { await Task.yield() }
          try await call.send(Array(text.utf8))
        }
      })
    for index in 0..<1_000 { stream.send("\(index)") }
    stream.halfClose()
    #expect(stream.call.messages.map { String(decoding: $0, as: UTF8.self) } == (0..<1_000).map { "\($0)" })
  }
}
