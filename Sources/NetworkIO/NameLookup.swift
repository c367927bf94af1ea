import CUV
import Glibc

/// Asks the system for the addresses of a host's name, on one of libuv's threads. One of these is one question.
///
/// libuv holds a reference from `start` until the callback. Counted as a handle of the loop, so that the loop does not end
/// before the answer, which cannot be called back once the system has been asked.
package final class NameLookup {
  private let loop: EventLoop
  private let port: UInt16
  private let completion: (Result<[SocketAddress], NetworkError>) -> Void
  private let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)

  private init(
    loop: EventLoop, port: UInt16, completion: @escaping (Result<[SocketAddress], NetworkError>) -> Void
  ) {
    self.loop = loop
    self.port = port
    self.completion = completion
  }

  deinit {
    request.deallocate()
  }

  /// Looks up IPv4 and IPv6 addresses, in the system's order (RFC 6724). On the loop's thread, `completion` too, and
  /// never within this call. A name without addresses is an error, such as `EAI_NONAME`.
  package static func addresses(
    of host: String, port: UInt16, loop: EventLoop,
    completion: @escaping (Result<[SocketAddress], NetworkError>) -> Void
  ) {
    NameLookup(loop: loop, port: port, completion: completion).start(host)
  }

  private func start(_ host: String) {
    let held = Unmanaged.passRetained(self)
    request.pointee.data = held.toOpaque()
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    loop.handleMade()
    let code = uv_getaddrinfo(
      loop.raw, request, { NameLookup.answered($0, $1, $2) }, host, nil, &hints)
    guard code < 0 else { return }
    held.release()
    loop.handleFreed()
    loop.executeLater { self.completion(.failure(NetworkError(call: "getaddrinfo", code: code))) }
  }

  private static func answered(
    _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ status: CInt, _ list: UnsafeMutablePointer<addrinfo>?
  ) {
    defer { uv_freeaddrinfo(list) }
    guard let context = request?.pointee.data else { return }
    let lookup = Unmanaged<NameLookup>.fromOpaque(context).takeRetainedValue()
    lookup.loop.handleFreed()
    lookup.finish(status, list)
  }

  private func finish(_ status: CInt, _ list: UnsafeMutablePointer<addrinfo>?) {
    guard status >= 0 else { return completion(.failure(NetworkError(call: "getaddrinfo", code: status))) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next {
      next = entry.pointee.ai_next
      guard let address = SocketAddress(entry.pointee, port: port), !found.contains(address) else { continue }
      found.append(address)
    }
    guard !found.isEmpty else {
      return completion(.failure(NetworkError(call: "getaddrinfo", code: CInt(UV_EAI_NODATA.rawValue))))
    }
    completion(.success(found))
  }
}

extension SocketAddress {
  /// What `getaddrinfo` says, with a port of our own; `nil` for families other than IPv4 and IPv6.
  fileprivate init?(_ entry: addrinfo, port: UInt16) {
    guard let address = entry.ai_addr else { return nil }
    var storage = sockaddr_storage()
    let byteCount = min(Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
    withUnsafeMutableBytes(of: &storage) { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: byteCount))
      // The port stands at the same place in both families.
      if byteCount >= 4 { bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self) }
    }
    self.init(storage)
  }
}
