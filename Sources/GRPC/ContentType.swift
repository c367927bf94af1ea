/// The content types served; the answer's is the request's (G-035).
package enum ContentType: Hashable, Sendable {
  /// `application/grpc`
  case plain
  /// `application/grpc+proto`
  case proto

  /// Media types are compared without regard to case, parameters after `;` are not looked at (RFC 9110 §8.3.1). `nil`
  /// for everything that is answered with HTTP 415: foreign types, gRPC-Web, codecs that are not served.
  package init?(_ value: UnsafeRawBufferPointer) {
    // As nearly every client writes it.
    if value.equals("application/grpc") {
      self = .plain
      return
    }
    let type = value.prefix { $0 != UInt8(ascii: ";") }
    let end = type.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map { $0 + 1 } ?? type.startIndex
    let essence = type[..<end]
    if Self.equals(essence, "application/grpc") {
      self = .plain
    } else if Self.equals(essence, "application/grpc+proto") {
      self = .proto
    } else {
      return nil
    }
  }

  package var text: StaticString {
    switch self {
    case .plain: "application/grpc"
    case .proto: "application/grpc+proto"
    }
  }

  private static func equals(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return zip(bytes, UnsafeRawBufferPointer(text)).allSatisfy { byte, wanted in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 == wanted : byte == wanted
    }
  }
}
