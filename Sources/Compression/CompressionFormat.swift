/// What stands around deflated data.
package enum CompressionFormat: Hashable, Sendable {
  /// RFC 1952, with a checksum.
  case gzip
  /// RFC 1950, with a checksum: what HTTP and gRPC call deflate.
  case zlib

  /// As zlib wants it: the largest window, and 16 for gzip.
  var windowBits: CInt {
    switch self {
    case .gzip: 15 + 16
    case .zlib: 15
    }
  }
}
