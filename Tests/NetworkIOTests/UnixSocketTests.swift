import Glibc
import Locking
import NetworkIO
import TestSupport
import Testing

/// A directory of the test's own, and an address in it.
private final class Place: Sendable {
  let directory: String
  let path: String
  let address: SocketAddress

  init() throws {
    var template = Array("/tmp/energykit-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw NetworkError(call: "mkdtemp", code: -errno) }
    directory = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    path = directory + "/a.sock"
    guard let address = SocketAddress("unix:" + path) else { throw NetworkError(call: "mkdtemp", code: -EINVAL) }
    self.address = address
  }

  deinit {
    unlink(path)
    rmdir(directory)
  }

  var mode: mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  func listen(_ loop: EventLoop, mode: UInt32 = 0o660) throws(NetworkError) -> TCPListener {
    try TCPListener(loop: loop, address: address, backlog: 8, fileMode: mode) { descriptor, _ in close(descriptor) }
  }
}

@Suite struct `A unix socket` {
  @Test(arguments: [0o600, 0o660, 0o777] as [UInt32])
  func `has the permissions asked for, and goes with its listener`(mode: UInt32) async throws {
    let place = try Place()
    try await withEventLoop { loop in
      let listener = try place.listen(loop, mode: mode)
      #expect(listener.localAddress == place.address)
      #expect(place.mode == S_IFSOCK | mode_t(mode))
      listener.close()
      // Also where the process ends before the loop's next turn.
      #expect(place.mode == nil)
    }
  }

  @Test func `carries bytes both ways, its own address standing for the peer's`() async throws {
    let place = try Place()
    let server = StreamRecorder()
    server.onRead = { $0.write($1) }
    server.onEnd = { $0.close() }
    let client = StreamRecorder()
    client.onRead = { stream, _ in stream.close() }
    let peers = Lock([SocketAddress]())
    try await withEventLoop { loop in
      let listener = try TCPListener(loop: loop, address: place.address, backlog: 8) { descriptor, peer in
        peers.withLock { $0.append(peer) }
        let stream = try? TCPStream(loop: loop, adopting: descriptor)
        stream?.delegate = server
        stream?.startReading()
      }
      loop.execute {
        TCPStream.connect(loop: loop, to: place.address) { result in
          guard let stream = try? result.get() else { return }
          stream.delegate = client
          stream.startReading()
          [UInt8]([1, 2, 3]).withUnsafeBytes { stream.write($0) }
        }
      }
      #expect(await eventually { client.closings == ["closed"] && server.closings == ["closed"] })
      listener.close()
    }
    #expect(client.bytes == [1, 2, 3])
    #expect(peers.withLock { $0 } == [place.address])
  }

  // G-027
  @Test func `that nobody answers at is replaced`() async throws {
    let place = try Place()
    let dead = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    bind(dead, at: place.path)
    close(dead)
    #expect(place.mode != nil)
    try await withEventLoop { loop in
      let listener = try place.listen(loop)
      listener.close()
    }
  }

  // G-027, G-028
  @Test func `that somebody answers at is left alone`() async throws {
    let place = try Place()
    try await withEventLoop { loop in
      let listener = try place.listen(loop)
      #expect(throws: NetworkError(call: "bind", code: -EADDRINUSE)) { try place.listen(loop) }
      #expect(place.mode != nil)
      listener.close()
    }
  }

  // G-027
  @Test func `takes no other file's place`() async throws {
    let place = try Place()
    close(open(place.path, O_CREAT | O_WRONLY, 0o600))
    try await withEventLoop { loop in
      _ = #expect(throws: NetworkError(call: "bind", code: -EEXIST)) { try place.listen(loop) }
    }
    #expect(place.mode == S_IFREG | 0o600)
  }

  @Test func `leaves a file alone that has taken its own's place`() async throws {
    let place = try Place()
    try await withEventLoop { loop in
      let listener = try place.listen(loop)
      unlink(place.path)
      close(open(place.path, O_CREAT | O_WRONLY, 0o600))
      try await loop.run { listener.close() }
    }
    #expect(place.mode == S_IFREG | 0o600)
  }

  // G-028
  @Test func `goes to one of two servers that start at once`() async throws {
    for _ in 0..<50 {
      let place = try Place()
      let dead = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      bind(dead, at: place.path)
      close(dead)
      try await withEventLoop { loop in
        let start: @Sendable () -> TCPListener? = { [address = place.address] in
          try? TCPListener(loop: loop, address: address, backlog: 8) { descriptor, _ in close(descriptor) }
        }
        async let first = Task.detached(operation: start).value
        async let second = Task.detached(operation: start).value
        let listeners = await [first, second].compactMap { $0 }
        #expect(listeners.count == 1)
        for listener in listeners { listener.close() }
      }
    }
  }

  @Test func `that is not there is an error that says so`() async throws {
    let place = try Place()
    let failure = Lock<NetworkError?>(nil)
    try await withEventLoop { loop in
      loop.execute {
        TCPStream.connect(loop: loop, to: place.address) { result in
          if case .failure(let error) = result { failure.withLock { $0 = error } }
        }
      }
      #expect(await eventually { failure.withLock { $0 } != nil })
    }
    #expect(failure.withLock { $0?.description } == "connect: ENOENT")
  }

  private func bind(_ descriptor: CInt, at path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    _ = withUnsafePointer(to: &address) {
      Glibc.bind(
        descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

@Suite struct `A wildcard address` {
  // G-029
  @Test func `of IPv6 takes IPv4 too, unless told not to`() async throws {
    let six = try #require(SocketAddress("[::]:0"))
    try await withEventLoop { loop in
      let both = try TCPListener(loop: loop, address: six, backlog: 1) { descriptor, _ in close(descriptor) }
      let port = both.localAddress.port
      let four = try #require(SocketAddress("0.0.0.0:\(port)"))
      #expect(throws: NetworkError.self) {
        try TCPListener(loop: loop, address: four, backlog: 1) { descriptor, _ in close(descriptor) }
      }
      try await loop.run { both.close() }
      let one = try TCPListener(loop: loop, address: both.localAddress, backlog: 1, isIPv6Only: true) { descriptor, _ in
        close(descriptor)
      }
      let other = try TCPListener(loop: loop, address: four, backlog: 1) { descriptor, _ in close(descriptor) }
      one.close()
      other.close()
    }
  }
}
