/// Frames written by hand, byte for byte (RFC 9113 §4.1).
struct Frame: Equatable {
  var type: UInt8
  var flags: UInt8 = 0
  var streamID: UInt32 = 0
  var payload: [UInt8] = []

  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func settings(_ entries: [(id: UInt16, value: UInt32)] = []) -> Frame {
    Frame(type: 4, payload: entries.flatMap { bytes($0.id) + bytes($0.value) })
  }

  static let settingsAcknowledgement = Frame(type: 4, flags: 1)

  static func data(_ payload: [UInt8], streamID: UInt32, ends: Bool = false) -> Frame {
    Frame(type: 0, flags: ends ? 1 : 0, streamID: streamID, payload: payload)
  }

  static func paddedData(_ payload: [UInt8], padding: UInt8, streamID: UInt32) -> Frame {
    Frame(
      type: 0, flags: 8, streamID: streamID,
      payload: [padding] + payload + [UInt8](repeating: 0, count: Int(padding)))
  }

  static func headers(_ block: [UInt8], streamID: UInt32, ends: Bool, endsHeaders: Bool = true) -> Frame {
    Frame(type: 1, flags: (ends ? 1 : 0) | (endsHeaders ? 4 : 0), streamID: streamID, payload: block)
  }

  static func continuation(_ block: [UInt8], streamID: UInt32, endsHeaders: Bool) -> Frame {
    Frame(type: 9, flags: endsHeaders ? 4 : 0, streamID: streamID, payload: block)
  }

  static func reset(streamID: UInt32, code: UInt32) -> Frame {
    Frame(type: 3, streamID: streamID, payload: bytes(code))
  }

  static func windowUpdate(streamID: UInt32, by increment: UInt32) -> Frame {
    Frame(type: 8, streamID: streamID, payload: bytes(increment))
  }

  static func ping(_ payload: UInt64) -> Frame {
    Frame(type: 6, payload: bytes(payload))
  }

  /// A header block of literals without indexing (RFC 7541 §6.2.2).
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    var block: [UInt8] = []
    for (name, value) in fields {
      block.append(0)
      for text in [name, value] {
        block.append(UInt8(text.utf8.count))
        block += text.utf8
      }
    }
    return block
  }

  static let request = block([(":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"), (":authority", "t")])

  var encoded: [UInt8] {
    let length = UInt32(payload.count)
    return Array(Self.bytes(length)[1...]) + [type, flags] + Self.bytes(streamID) + payload
  }

  /// The frames that `bytes` consists of; what is cut off at the end is dropped.
  static func all(in bytes: [UInt8]) -> [Frame] {
    var rest = bytes[...]
    var frames: [Frame] = []
    while rest.count >= 9 {
      let header = Array(rest.prefix(9))
      let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
      guard rest.count >= 9 + length else { break }
      let id = header[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append(
        Frame(type: header[3], flags: header[4], streamID: id, payload: Array(rest.dropFirst(9).prefix(length))))
      rest = rest.dropFirst(9 + length)
    }
    return frames
  }

  /// The first four bytes of the payload as a number: an error code or an increment.
  var number: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

  private static func bytes<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

extension [Frame] {
  var encoded: [UInt8] { flatMap(\.encoded) }
}
