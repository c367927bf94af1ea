import Glibc
import Locking
import NetworkIO
import TestSupport
import Testing

@Suite struct `A TCP listener` {
  // G-029
  @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
  func `says which port it has got`(text: String) async throws {
    let address = try #require(SocketAddress(text))
    try await withEventLoop { loop in
      let listener = try TCPListener(loop: loop, address: address, backlog: 1) { descriptor, _ in close(descriptor) }
      #expect(listener.localAddress.port != 0)
      #expect(listener.localAddress.description.hasPrefix(text.dropLast()))
      listener.close()
      listener.close()
    }
  }

  // G-028
  @Test func `does not share a port`() async throws {
    let address = try #require(SocketAddress("127.0.0.1:0"))
    try await withEventLoop { loop in
      let listener = try TCPListener(loop: loop, address: address, backlog: 1) { descriptor, _ in close(descriptor) }
      do throws(NetworkError) {
        _ = try TCPListener(loop: loop, address: listener.localAddress, backlog: 1) { descriptor, _ in close(descriptor)
        }
        Issue.record("two listeners on one port")
      } catch {
        #expect(error.description == "bind: EADDRINUSE")
      }
      listener.close()
    }
  }

  // G-112
  @Test func `frees its port at once`() async throws {
    let address = try #require(SocketAddress("127.0.0.1:0"))
    try await withEventLoop { loop in
      try await loop.run {
        let first = try TCPListener(loop: loop, address: address, backlog: 1) { descriptor, _ in close(descriptor) }
        first.close()
        let second = try TCPListener(loop: loop, address: first.localAddress, backlog: 1) { descriptor, _ in
          close(descriptor)
        }
        second.close()
      }
    }
  }

  @Test func `hands a connection to another loop`() async throws {
    let address = try #require(SocketAddress("127.0.0.1:0"))
    let recorder = StreamRecorder()
    recorder.onEnd = { $0.close() }
    try await withEventLoop("first") { first in
      try await withEventLoop("second") { second in
        let listener = try TCPListener(loop: first, address: address, backlog: 8) { descriptor, _ in
          second.execute {
            let stream = try? TCPStream(loop: second, adopting: descriptor)
            stream?.delegate = recorder
            stream?.startReading()
          }
        }
        let peer = try PeerSocket(connectingTo: listener.localAddress)
        peer.write([1, 2, 3])
        peer.close()
        #expect(await eventually { !recorder.closings.isEmpty })
        listener.close()
      }
    }
    #expect(recorder.bytes == [1, 2, 3])
  }

  @Test func `accepts a thousand connections and leaks none`() async {
    // In a process of its own, where nothing else opens descriptors.
    await #expect(processExitsWith: .success) {
      guard let address = SocketAddress("127.0.0.1:0") else { exit(10) }
      let accepted = Lock(0)
      let closed = Lock(0)
      // libuv opens a pipe for signals with its first loop.
      try EventLoop(name: "first").stop()
      let before = openDescriptorCount()
      try await withEventLoop { loop in
        let listener = try TCPListener(loop: loop, address: address, backlog: 128) { descriptor, _ in
          accepted.withLock { $0 += 1 }
          let stream = try? TCPStream(loop: loop, adopting: descriptor)
          stream?.delegate = Closer(closed)
          stream?.startReading()
        }
        for _ in 0..<1_000 {
          let peer = try PeerSocket(connectingTo: listener.localAddress)
          peer.write([1])
          peer.close()
        }
        guard await eventually({ closed.withLock { $0 } == 1_000 }) else { exit(11) }
        listener.close()
      }
      guard accepted.withLock({ $0 }) == 1_000 else { exit(12) }
      // The test library itself may have one more or less.
      guard openDescriptorCount() <= before + 3 else { exit(13) }
    }
  }

  // G-029
  @Test func `waits while the process is out of descriptors, and goes on`() async {
    await #expect(processExitsWith: .success) {
      guard let address = SocketAddress("127.0.0.1:0") else { exit(10) }
      let accepted = Lock([CInt]())
      let loop = try EventLoop(name: "shortage")
      let listener = try TCPListener(loop: loop, address: address, backlog: 64) { descriptor, _ in
        accepted.withLock { $0.append(descriptor) }
      }
      try await loop.run {}
      let peers = try (0..<10).map { _ in try PeerSocket() }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let former = limit.rlim_cur
      limit.rlim_cur = rlim_t((0..<1_000).filter { fcntl($0, F_GETFD) == -1 }[3])
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

      for peer in peers { try peer.connect(to: listener.localAddress) }
      guard sleepUntil({ accepted.withLock { $0.count } == 3 }) else { exit(12) }
      let start = clock()
      usleep(500_000)
      // Trying again without a pause would take all the processor time there is.
      guard clock() - start < 30_000 else { exit(13) }
      let kept = accepted.withLock { $0 }
      guard kept.count == 3 else { exit(14) }

      // Room for three more, then for all.
      for descriptor in kept { close(descriptor) }
      guard sleepUntil({ accepted.withLock { $0.count } == 6 }) else { exit(15) }
      limit.rlim_cur = former
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      guard sleepUntil({ accepted.withLock { $0.count } == 10 }) else { exit(16) }
      listener.close()
      loop.stop()
      guard loop.openHandleCount == 0 else { exit(17) }
    }
  }

  @Test func `lets go of its port where the loop has ended before`() async throws {
    let address = try #require(SocketAddress("127.0.0.1:0"))
    let loop = try EventLoop(name: "test")
    loop.stop()
    var listener: TCPListener? = try TCPListener(loop: loop, address: address, backlog: 1) { descriptor, _ in
      close(descriptor)
    }
    let taken = try #require(listener?.localAddress)
    listener = nil
    try await withEventLoop { loop in
      let again = try TCPListener(loop: loop, address: taken, backlog: 1) { descriptor, _ in close(descriptor) }
      again.close()
    }
  }
}

/// As `eventually`, without Swift's own timers, which need a descriptor.
private func sleepUntil(_ condition: () -> Bool) -> Bool {
  for _ in 0..<5_000 {
    if condition() { return true }
    usleep(2_000)
  }
  return false
}

private final class Closer: TCPStreamDelegate {
  private let closed: Lock<Int>

  init(_ closed: Lock<Int>) { self.closed = closed }

  func stream(_ stream: TCPStream, didRead bytes: UnsafeRawBufferPointer) {}
  func streamDidReachEnd(_ stream: TCPStream) { stream.close() }
  func streamDidDrain(_ stream: TCPStream) {}
  func streamDidClose(_ stream: TCPStream, error: NetworkError?) { closed.withLock { $0 += 1 } }
}
