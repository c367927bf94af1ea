/// The content types served; the answer's is the request's (G-035).
package enum ContentType: Hashable, Sendable, CaseIterable {
  /// `application/grpc`
  case plain
  /// `application/grpc+proto`
  case proto
  /// `application/grpc-web` (G-131)
  case web
  /// `application/grpc-web+proto`
  case webProto
  /// `application/grpc-web-text` (G-132)
  case webText
  /// `application/grpc-web-text+proto`
  case webTextProto

  /// Media types are compared without regard to case, parameters after `;` are not looked at (RFC 9110 §8.3.1). `nil`
  /// for everything that is answered with HTTP 415: foreign types, codecs that are not served.
  package init?(_ value: UnsafeRawBufferPointer) {
    // As nearly every client writes it.
    if value.equals("application/grpc") {
      self = .plain
      return
    }
    let type = value.prefix { $0 != UInt8(ascii: ";") }
    let end = type.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { $0 + 1 } ?? type.startIndex
    let essence = type[..<end]
    guard let found = Self.allCases.first(where: { Self.equals(essence, $0.text) }) else { return nil }
    self = found
  }

  package var text: StaticString {
    switch self {
    case .plain: "application/grpc"
    case .proto: "application/grpc+proto"
    case .web: "application/grpc-web"
    case .webProto: "application/grpc-web+proto"
    case .webText: "application/grpc-web-text"
    case .webTextProto: "application/grpc-web-text+proto"
    }
  }

  /// Whether it is of gRPC-Web: trailers come as a frame of the body.
  package var isWeb: Bool {
    switch self {
    case .plain, .proto: false
    case .web, .webProto, .webText, .webTextProto: true
    }
  }

  private static func equals(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return zip(bytes, UnsafeRawBufferPointer(text)).allSatisfy { byte, wanted in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 == wanted : byte == wanted
    }
  }
}
