extension Metadata {
  /// The caller's own fields of a request (G-042...045): without pseudo-headers, the transport's fields and gRPC's, of
  /// which only those that handlers may want stay. Values that are no legal ASCII and undecodable `-bin` values are left
  /// out; `-bin` values joined by commas become several.
  package init(_ head: RequestHead) {
    self = head.withFields { Metadata(received: $0) }
  }

  /// The peer's own fields of a header block, likewise.
  init(received fields: FieldBlock.Fields) {
    self.init()
    for (name, value) in fields where Self.isCallers(name) { appendReceived(name, value) }
  }

  private mutating func appendReceived(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let name = String(decoding: name, as: UTF8.self)
    if name.hasSuffix("-bin") {
      for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let bytes = Base64.decode(trimmed(part)) else { continue }
        fields.append(Field(name: name, value: bytes))
      }
    } else {
      let text = trimmed(value[...])
      guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return }
      fields.append(Field(name: name, value: Array(text)))
    }
  }

  private static func isCallers(_ name: UnsafeRawBufferPointer) -> Bool {
    guard MetadataName.isLegal(name) else { return false }
    if name.starts(withText: "grpc-") {
      return name.equals("grpc-previous-rpc-attempts") || name.equals("grpc-trace-bin") || name.equals("grpc-tags-bin")
    }
    return !MetadataName.isTransports(name)
  }
}

extension FieldBlock {
  /// Appends a field that a handler gave, made safe whatever it holds (G-078): names in lower case; `-bin` values in
  /// base64; nothing at all for illegal names, for the transport's and gRPC's own names (except
  /// `grpc-retry-pushback-ms`, G-076), and for text outside 0x20...0x7E.
  mutating func append(_ field: Metadata.Field) {
    append { bytes in
      let start = bytes.count
      for byte in field.name.utf8 {
        bytes.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
      }
      let nameByteCount = bytes.count - start
      let isSendable = bytes.withUnsafeBytes { MetadataName.isSendable(UnsafeRawBufferPointer(rebasing: $0[start...])) }
      guard isSendable else { return nil }
      if bytes[start...].suffix(4).elementsEqual("-bin".utf8) {
        Base64.append(field.value, to: &bytes)
      } else {
        let text = trimmed(field.value[...])
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        bytes.append(contentsOf: text)
      }
      return nameByteCount
    }
  }
}

private enum MetadataName {
  /// `0-9 a-z _ - .`, at least one (gRPC over HTTP2, "Header-Name").
  static func isLegal(_ name: UnsafeRawBufferPointer) -> Bool {
    !name.isEmpty
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        case _: false
        }
      }
  }

  static func isSendable(_ name: UnsafeRawBufferPointer) -> Bool {
    guard isLegal(name), !isTransports(name) else { return false }
    return !name.starts(withText: "grpc-") || name.equals("grpc-retry-pushback-ms")
  }

  /// Names that belong to HTTP: connection-specific ones (RFC 9113 §8.2.2) and those that say how the body is to be read.
  static func isTransports(_ name: UnsafeRawBufferPointer) -> Bool {
    switch name.count {
    case 2: name.equals("te")
    case 4: name.equals("host")
    case 7: name.equals("upgrade") || name.equals("trailer")
    case 10: name.equals("connection") || name.equals("keep-alive")
    case 12: name.equals("content-type")
    case 14: name.equals("content-length")
    case 16: name.equals("proxy-connection")
    case 17: name.equals("transfer-encoding")
    case _: false
    }
  }
}

/// Without spaces and tabs at its ends, which HTTP forbids there (RFC 9113 §8.2.1).
private func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
  let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  let front = bytes.drop(while: isSpace)
  guard let last = front.lastIndex(where: { !isSpace($0) }) else { return front }
  return front[...last]
}
