/// Message codings (grpc doc/compression.md).
package enum Encoding: Hashable, Sendable {
  case identity, gzip
  /// RFC 1950, as HTTP's name means it.
  case deflate

  /// The value of `grpc-accept-encoding`: what requests may be coded with.
  package static let served: StaticString = "identity,gzip,deflate"

  /// `nil` where the coding is not served (G-039).
  package init?(_ name: UnsafeRawBufferPointer) {
    if name.equals("gzip") {
      self = .gzip
    } else if name.equals("identity") {
      self = .identity
    } else if name.equals("deflate") {
      self = .deflate
    } else {
      return nil
    }
  }
}

extension RequestHead {
  /// Whether the client lists gzip in `grpc-accept-encoding`: spaces, unknown names and weights do not matter, except
  /// that a weight of 0 means no (G-040).
  package var acceptsGzip: Bool {
    withValue(.acceptEncoding) { list in
      list.split(separator: UInt8(ascii: ",")).contains { Self.isGzip($0) }
    } ?? false
  }

  private static func isGzip(_ part: Slice<UnsafeRawBufferPointer>) -> Bool {
    var name: [UInt8] = []
    var weight: [UInt8] = []
    var isName = true
    for byte in part where byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") {
      if byte == UInt8(ascii: ";") { isName = false }
      if isName { name.append(byte) } else { weight.append(byte) }
    }
    let isNone = weight.starts(with: ";q=0".utf8) && weight.dropFirst(4).allSatisfy { ".0".utf8.contains($0) }
    return name.elementsEqual("gzip".utf8) && !isNone
  }
}
