import Glibc

/// An IPv4 or IPv6 address with a port, or the path of a unix socket.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// 0...65535; 0 lets the system pick one. 0 for a unix socket.
  package let port: UInt16
  private let host: Host

  private enum Host: Hashable, Sendable {
    /// In host byte order.
    case v4(UInt32)
    /// The first and the last eight bytes, in host byte order, and the zone index (0: none).
    case v6(UInt64, UInt64, scope: UInt32)
    /// An absolute path that fits `sun_path`.
    case unix(String)
  }

  /// Reads `127.0.0.1:50051`, `[::1]:50051` and `unix:/path`, whose path is absolute. No names, no zone indices, no
  /// lookups.
  ///
  /// Returns `nil` for anything else, also for a missing port, one above 65535 and a path above 107 bytes.
  package init?(_ text: String) {
    if text.utf8.starts(with: Self.unixPrefix.utf8) {
      let path = String(text.utf8.dropFirst(Self.unixPrefix.utf8.count)) ?? ""
      guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count < Self.pathCapacity, !path.utf8.contains(0) else {
        return nil
      }
      port = 0
      host = .unix(path)
      return
    }
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
      let port = Self.port(text.utf8[text.utf8.index(after: colon)...]),
      let host = Self.host(text.utf8[..<colon])
    else { return nil }
    self.port = port
    self.host = host
  }

  private static let unixPrefix = "unix:"
  /// Bytes of `sun_path`, the NUL at its end among them.
  private static let pathCapacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// Reads what `accept4` and `getsockname` write; `nil` for families other than IPv4 and IPv6.
  init?(_ storage: sockaddr_storage) {
    switch CInt(storage.ss_family) {
    case AF_INET:
      let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
      port = UInt16(bigEndian: address.sin_port)
      host = .v4(UInt32(bigEndian: address.sin_addr.s_addr))
    case AF_INET6:
      let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
      port = UInt16(bigEndian: address.sin6_port)
      host = Self.v6(address.sin6_addr, scope: address.sin6_scope_id)
    default:
      return nil
    }
  }

  /// Whether only this machine can reach it: unix sockets, 127.0.0.0/8, ::1, and the second mapped into IPv6.
  package var isLoopback: Bool {
    switch host {
    case .v4(let address): address >> 24 == 127
    case .v6(let high, let low, _): high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
    case .unix: true
    }
  }

  /// Whom to count connections by: the IPv4 address, or the first half of the IPv6 address, which is what one customer
  /// gets; IPv4 mapped into IPv6 counts as IPv4. `nil` for a unix socket.
  package var networkNumber: UInt64? {
    switch host {
    case .v4(let address): 0xFFFF << 32 | UInt64(address)
    case .v6(let high, let low, _): high == 0 ? low : high
    case .unix: nil
    }
  }

  /// Whether it stands for every address of its family: 0.0.0.0, `::`.
  package var isWildcard: Bool {
    switch host {
    case .v4(let address): address == 0
    case .v6(let high, let low, _): high == 0 && low == 0
    case .unix: false
    }
  }

  package var isIPv6: Bool { family == AF_INET6 }

  /// The file of a unix socket; `nil` for others.
  package var path: String? {
    switch host {
    case .v4, .v6: nil
    case .unix(let path): path
    }
  }

  /// The form that `init` reads; a zone index, which only the system gives, is left out.
  package var description: String {
    switch host {
    case .v4(let address):
      var bytes = in_addr(s_addr: address.bigEndian)
      return "\(Self.text(AF_INET, &bytes)):\(port)"
    case .v6(let high, let low, _):
      var bytes = Self.bytes(high, low)
      return "[\(Self.text(AF_INET6, &bytes))]:\(port)"
    case .unix(let path):
      return Self.unixPrefix + path
    }
  }

  /// AF_INET, AF_INET6 or AF_UNIX.
  var family: CInt {
    switch host {
    case .v4: AF_INET
    case .v6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Gives the address in the system's form, valid within `body` only.
  func withSystemAddress<Result, Failure: Error>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    switch host {
    case .v4(let address):
      var system = sockaddr_in()
      system.sin_family = sa_family_t(AF_INET)
      system.sin_port = port.bigEndian
      system.sin_addr.s_addr = address.bigEndian
      return try Self.rebound(&system, body)
    case .v6(let high, let low, let scope):
      var system = sockaddr_in6()
      system.sin6_family = sa_family_t(AF_INET6)
      system.sin6_port = port.bigEndian
      system.sin6_addr = Self.bytes(high, low)
      system.sin6_scope_id = scope
      return try Self.rebound(&system, body)
    case .unix(let path):
      var system = sockaddr_un()
      system.sun_family = sa_family_t(AF_UNIX)
      // Shorter than the field, which is zero: `init` has seen to it.
      withUnsafeMutableBytes(of: &system.sun_path) { $0.copyBytes(from: path.utf8) }
      return try Self.rebound(&system, body)
    }
  }

  private static func rebound<System, Result, Failure: Error>(
    _ system: inout System, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafePointer(to: &system) { pointer throws(Failure) in
      let raw = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return try body(raw, socklen_t(MemoryLayout<System>.size))
    }
  }

  // MARK: - Text

  private static func port(_ digits: Substring.UTF8View) -> UInt16? {
    guard (1...5).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    var value: UInt32 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + UInt32(digit - UInt8(ascii: "0"))
    }
    return UInt16(exactly: value)
  }

  private static func host(_ text: Substring.UTF8View) -> Host? {
    // inet_pton stops at a NUL byte; 45 characters are the longest address.
    guard (1...47).contains(text.count), !text.contains(0) else { return nil }
    if text.first == UInt8(ascii: "[") {
      guard text.last == UInt8(ascii: "]") else { return nil }
      var address = in6_addr()
      guard inet_pton(AF_INET6, String(Substring(text.dropFirst().dropLast())), &address) == 1 else { return nil }
      return v6(address, scope: 0)
    }
    var address = in_addr()
    guard inet_pton(AF_INET, String(Substring(text)), &address) == 1 else { return nil }
    return .v4(UInt32(bigEndian: address.s_addr))
  }

  private static func text(_ family: CInt, _ address: UnsafeRawPointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let start = buffer.baseAddress,
        let text = inet_ntop(family, address, start, socklen_t(buffer.count))
      else { return "" }
      return String(cString: text)
    }
  }

  // MARK: - IPv6 bytes

  private static func v6(_ address: in6_addr, scope: UInt32) -> Host {
    withUnsafeBytes(of: address) { bytes in
      .v6(
        UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)), scope: scope)
    }
  }

  private static func bytes(_ high: UInt64, _ low: UInt64) -> in6_addr {
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }
}
