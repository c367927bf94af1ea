package import NetworkIO

/// Whom a channel calls.
package struct ChannelTarget: Hashable, Sendable, CustomStringConvertible {
  enum Place: Hashable, Sendable {
    /// Tried in turn.
    case addresses([SocketAddress])
    /// Looked up before each attempt to connect.
    case name(host: String, port: UInt16)
  }

  let place: Place
  /// What `:authority` says, unless the channel is told otherwise: host and port, or `localhost` for a unix socket (G-027).
  package let authority: String
  /// The name or address in numbers that a certificate must be for; `nil` for a unix socket.
  package let host: String?
  /// As it was written.
  package let description: String

  /// Reads `host:port`, `127.0.0.1:50051`, `[::1]:50051` and `unix:/path`. Returns `nil` for anything else, port 0 and
  /// names longer than DNS allows (RFC 1035 §2.3.4) among it.
  package init?(_ text: String) {
    description = text
    if let address = SocketAddress(text) {
      guard address.path != nil || address.port != 0 else { return nil }
      place = .addresses([address])
      authority = address.path == nil ? text : "localhost"
      host = address.path == nil ? Self.host(of: text) : nil
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let name = String(text[..<colon])
    let digits = text[text.index(after: colon)...]
    guard Self.isName(name), (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits), port > 0
    else { return nil }
    place = .name(host: name, port: port)
    authority = text
    host = name
  }

  /// Several addresses, tried in turn; at least one.
  package init(addresses: [SocketAddress], authority: String, host: String? = nil) {
    precondition(!addresses.isEmpty, "a channel needs an address")
    place = .addresses(addresses)
    self.authority = authority
    self.host = host
    description = addresses.map(\.description).joined(separator: ", ")
  }

  private static func host(of text: String) -> String {
    let end = text.lastIndex(of: ":") ?? text.endIndex
    return String(text[..<end].filter { $0 != "[" && $0 != "]" })
  }

  private static func isName(_ name: String) -> Bool {
    (1...253).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        case _: false
        }
      }
  }
}
