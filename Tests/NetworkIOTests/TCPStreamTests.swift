import Glibc
import Locking
import NetworkIO
import TestSupport
import Testing

@Suite struct `A TCP stream` {
  /// Adopts one end of a connection, with `recorder` as its delegate, and begins to read.
  private func adopt(
    _ descriptor: CInt, on loop: EventLoop, _ recorder: StreamRecorder,
    _ use: @escaping @Sendable (TCPStream) -> Void = { _ in }
  ) async throws {
    try await loop.run {
      let stream = try TCPStream(loop: loop, adopting: descriptor)
      stream.delegate = recorder
      stream.startReading()
      use(stream)
    }
  }

  @Test func `queues what a slow reader does not take, and tells when it has gone`() async throws {
    let (descriptor, peer) = try connectedSockets()
    let sent = patterned(10 << 20)
    let recorder = StreamRecorder()
    let queued = Lock(0)
    try await withEventLoop { loop in
      recorder.onDrain = { stream in
        queued.withLock { $0 = stream.queuedByteCount }
        stream.close()
      }
      try await adopt(descriptor, on: loop, recorder) { stream in
        sent.withUnsafeBytes { bytes in
          stream.write(UnsafeRawBufferPointer(rebasing: bytes[..<6_000_000]))
          stream.write(UnsafeRawBufferPointer(rebasing: bytes[6_000_000...]))
        }
        queued.withLock { $0 = stream.queuedByteCount }
      }
      #expect(queued.withLock { $0 } > 1 << 20)
      #expect(recorder.drains == 0)
      var received: [UInt8] = []
      while let bytes = peer.read(256 << 10), !bytes.isEmpty {
        received += bytes
        usleep(500)
      }
      // Not within #expect, which would take minutes to show ten million bytes.
      let isSame = received == sent
      #expect(isSame)
      #expect(recorder.drains == 1)
      #expect(queued.withLock { $0 } == 0)
      peer.close()
    }
    #expect(recorder.closings == ["closed"])
  }

  @Test func `does not tell of a drain where nothing was queued`() async throws {
    let (descriptor, peer) = try connectedSockets()
    let recorder = StreamRecorder()
    recorder.onEnd = { $0.close() }
    try await withEventLoop { loop in
      try await adopt(descriptor, on: loop, recorder) { stream in
        for _ in 0..<10 { [UInt8](repeating: 7, count: 1_000).withUnsafeBytes { stream.write($0) } }
      }
      var count = 0
      while count < 10_000, let bytes = peer.read(10_000), !bytes.isEmpty { count += bytes.count }
      peer.close()
      #expect(await eventually { recorder.closings == ["closed"] })
    }
    #expect(recorder.drains == 0)
  }

  @Test func `tells a FIN from a reset`() async throws {
    let (oneDescriptor, onePeer) = try connectedSockets()
    let (twoDescriptor, twoPeer) = try connectedSockets()
    let finished = StreamRecorder()
    let reset = StreamRecorder()
    finished.onEnd = { stream in
      // The peer has finished writing only: it still reads.
      [UInt8]("bye".utf8).withUnsafeBytes { stream.write($0) }
      stream.finishWriting()
      stream.startReading()
      let holder = Holder(stream)
      stream.loop.execute { holder.value?.close() }
    }
    try await withEventLoop { loop in
      try await adopt(oneDescriptor, on: loop, finished)
      try await adopt(twoDescriptor, on: loop, reset)
      onePeer.finishWriting()
      twoPeer.reset()
      #expect(onePeer.read(10) == [UInt8]("bye".utf8))
      #expect(onePeer.read(10) == [])
      onePeer.close()
      #expect(await eventually { !finished.closings.isEmpty && !reset.closings.isEmpty })
    }
    #expect(finished.ends == 1)
    #expect(finished.closings == ["closed"])
    #expect(reset.ends == 0)
    #expect(reset.closings == ["ECONNRESET"])
  }

  @Test func `survives writing to a peer that is gone`() async throws {
    let (descriptor, peer) = try connectedSockets()
    let recorder = StreamRecorder()
    try await withEventLoop { loop in
      let stream = Holder<TCPStream>()
      try await loop.run {
        stream.value = try TCPStream(loop: loop, adopting: descriptor)
        stream.value?.delegate = recorder
      }
      // Bytes that nobody has read make the kernel answer the close with a reset, and the next write with SIGPIPE.
      peer.close()
      _ = await eventually {
        loop.execute { [UInt8](repeating: 1, count: 100).withUnsafeBytes { stream.value?.write($0) } }
        return !recorder.closings.isEmpty
      }
      try await loop.run { stream.value = nil }
    }
    #expect(recorder.closings.count == 1)
    #expect(["EPIPE", "ECONNRESET"].contains(recorder.closings.first))
  }

  @Test func `may be closed in the middle of a callback, more than once`() async throws {
    let (descriptor, peer) = try connectedSockets()
    let recorder = StreamRecorder()
    recorder.onRead = { stream, _ in
      stream.close()
      #expect(recorder.closings.isEmpty)
      stream.close()
      stream.startReading()
      stream.stopReading()
      stream.finishWriting()
      [UInt8](repeating: 1, count: 10).withUnsafeBytes { stream.write($0) }
    }
    try await withEventLoop { loop in
      try await adopt(descriptor, on: loop, recorder)
      // More than one read buffer: nothing may be told after the first.
      let writer = Task.detached { peer.write(patterned(200_000)) }
      #expect(await eventually { recorder.closings == ["closed"] })
      _ = await writer.value
    }
    #expect(recorder.bytes.count <= 64 << 10)
    peer.close()
  }

  @Test func `with bytes queued is closed without a drain`() async throws {
    let (descriptor, peer) = try connectedSockets()
    let recorder = StreamRecorder()
    try await withEventLoop { loop in
      try await adopt(descriptor, on: loop, recorder) { stream in
        patterned(20 << 20).withUnsafeBytes { stream.write($0) }
        stream.close()
      }
      #expect(await eventually { recorder.closings == ["closed"] })
    }
    #expect(recorder.drains == 0)
    peer.close()
  }

  @Test func `leaves bytes in the kernel while it does not read`() async throws {
    let (descriptor, peer) = try connectedSockets()
    let recorder = StreamRecorder()
    recorder.onRead = { stream, _ in stream.stopReading() }
    recorder.onEnd = { $0.close() }
    try await withEventLoop { loop in
      let stream = Holder<TCPStream>()
      try await adopt(descriptor, on: loop, recorder) { stream.value = $0 }
      peer.write(patterned(150_000))
      peer.close()
      #expect(await eventually { !recorder.bytes.isEmpty })
      let first = recorder.bytes.count
      try await Task.sleep(for: .milliseconds(30))
      #expect(recorder.bytes.count == first)
      #expect(
        await eventually {
          loop.execute { stream.value?.startReading() }
          return !recorder.closings.isEmpty
        })
      try await loop.run { stream.value = nil }
    }
    let isSame = recorder.bytes == patterned(150_000)
    #expect(isSame)
    #expect(recorder.maximumRead <= 64 << 10)
  }

  @Test func `refuses a descriptor that is not open`() async throws {
    try await withEventLoop { loop in
      let error = try await loop.run {
        do throws(NetworkError) {
          _ = try TCPStream(loop: loop, adopting: 1_000_000)
          return nil as NetworkError?
        } catch {
          return error
        }
      }
      #expect(error?.description == "uv_tcp_open: EBADF")
    }
  }

  @Test func `and its delegate are freed once closed`() async throws {
    let (descriptor, peer) = try connectedSockets()
    weak var recorder: StreamRecorder?
    let freed = Holder<WeakReference<TCPStream>>()
    try await withEventLoop { loop in
      let strong = StreamRecorder()
      recorder = strong
      strong.onEnd = { $0.close() }
      try await adopt(descriptor, on: loop, strong) { stream in
        freed.value = WeakReference(stream)
        // A delegate that owns its stream.
        strong.onDrain = { [stream] _ in stream.stopReading() }
      }
      peer.close()
      #expect(await eventually { !strong.closings.isEmpty })
    }
    #expect(recorder == nil)
    #expect(freed.value?.object == nil)
  }
}

@Suite struct `Connecting` {
  @Test func `gives a stream to an echo server`() async throws {
    let sent = patterned(1 << 20)
    let recorder = StreamRecorder()
    try await withEventLoop { loop in
      let address = try #require(SocketAddress("127.0.0.1:0"))
      let listener = try TCPListener(loop: loop, address: address, backlog: 16) { descriptor, peer in
        #expect(peer.isLoopback)
        let stream = try? TCPStream(loop: loop, adopting: descriptor)
        stream?.delegate = Echo()
        stream?.startReading()
      }
      recorder.onRead = { stream, _ in if recorder.bytes.count == sent.count { stream.close() } }
      try await loop.run {
        TCPStream.connect(loop: loop, to: listener.localAddress) { result in
          guard case .success(let stream) = result else { return }
          stream.delegate = recorder
          stream.startReading()
          sent.withUnsafeBytes { stream.write($0) }
        }
      }
      #expect(await eventually { !recorder.closings.isEmpty })
      listener.close()
    }
    let isSame = recorder.bytes == sent
    #expect(isSame)
    #expect(recorder.closings == ["closed"])
  }

  @Test func `to a port that nobody listens on fails, later`() async throws {
    let outcome = Lock<String?>(nil)
    try await withEventLoop { loop in
      // A port that was free a moment ago.
      let address = try #require(SocketAddress("127.0.0.1:0"))
      let listener = try TCPListener(loop: loop, address: address, backlog: 1) { descriptor, _ in close(descriptor) }
      let port = listener.localAddress
      try await loop.run { listener.close() }
      try await loop.run {
        TCPStream.connect(loop: loop, to: port) { result in
          switch result {
          case .success(let stream): stream.close()
          case .failure(let error): outcome.withLock { $0 = error.description }
          }
        }
        #expect(outcome.withLock { $0 } == nil)
      }
      #expect(await eventually { outcome.withLock { $0 } != nil })
    }
    #expect(outcome.withLock { $0 } == "connect: ECONNREFUSED")
  }
}

/// Sends back what it reads; stops reading while the peer does not take it.
private final class Echo: TCPStreamDelegate {
  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {
    stream.write(bytes)
    if stream.queuedByteCount > 0 { stream.stopReading() }
  }

  func streamDidReachEnd(_ stream: TCPStream) { stream.close() }
  func streamDidDrain(_ stream: TCPStream) { stream.startReading() }
  func streamDidClose(_ stream: TCPStream, error: NetworkError?) {}
}
