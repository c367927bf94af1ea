/// The origins whose pages may call by gRPC-Web (WHATWG Fetch, "HTTP-network-or-cache fetch"; RFC 6454 §6.2).
///
/// Where there is none, gRPC-Web is not served: pages come from elsewhere, always, since this server serves none.
package struct WebOrigins: Hashable, Sendable {
  package enum Fault: Error, Hashable, Sendable {
    /// Not `scheme://host` or `scheme://host:port`, in lower case, nor `*`.
    case malformed(String)
  }

  private let all: Set<[UInt8]>
  private let areAny: Bool

  package static let none = WebOrigins()

  private init() {
    all = []
    areAny = false
  }

  /// - Parameter texts: `https://app.example.com` or with a port, as browsers write it, or `*` for every one.
  package init(_ texts: [String]) throws(Fault) {
    for text in texts where text != "*" && !Self.isOrigin(text) { throw .malformed(text) }
    areAny = texts.contains("*")
    all = Set(texts.map { Array($0.utf8) })
  }

  package var isEmpty: Bool { all.isEmpty }

  package func allow(_ origin: some Collection<UInt8>) -> Bool {
    areAny || all.contains(Array(origin))
  }

  /// A scheme, a host (a name, IPv4, or IPv6 in brackets) and perhaps a port; no path, no user.
  private static func isOrigin(_ text: String) -> Bool {
    guard let colon = text.firstRange(of: "://") else { return false }
    let scheme = text[..<colon.lowerBound]
    guard let first = scheme.first, isLower(first),
      scheme.allSatisfy({ isLower($0) || isDigit($0) || "+-.".contains($0) })
    else { return false }
    let rest = text[colon.upperBound...]
    guard let end = rest.last == "]" ? nil : rest.lastIndex(of: ":") else { return isHost(rest) }
    let port = rest[rest.index(after: end)...]
    return isHost(rest[..<end]) && port.allSatisfy(isDigit) && (UInt16(port) ?? 0) > 0
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.first == "[", host.last == "]" {
      let inside = host.dropFirst().dropLast()
      return !inside.isEmpty && inside.allSatisfy { isDigit($0) || ("a"..."f").contains($0) || $0 == ":" || $0 == "." }
    }
    return !host.isEmpty && host.allSatisfy { isLower($0) || isDigit($0) || "-._".contains($0) }
  }

  private static func isLower(_ character: Character) -> Bool { ("a"..."z").contains(character) }
  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
