import GRPC
import ProtobufWire
import TestSupport

/// A protobuf message as a list of fields, for requests and for what is expected.
struct Fields: WireMessage, Equatable, Sendable {
  enum Value: Equatable, Sendable {
    case number(UInt64)
    case bytes([UInt8])
  }

  private(set) var all: [(number: UInt32, value: Value)] = []

  static func == (a: Fields, b: Fields) -> Bool {
    a.all.count == b.all.count && zip(a.all, b.all).allSatisfy { $0 == $1 }
  }

  func number(_ field: UInt32, _ value: UInt64) -> Fields { adding(field, .number(value)) }
  func text(_ field: UInt32, _ text: String) -> Fields { adding(field, .bytes(Array(text.utf8))) }
  func bytes(_ field: UInt32, _ bytes: [UInt8]) -> Fields { adding(field, .bytes(bytes)) }
  func message(_ field: UInt32, _ message: Fields) -> Fields { bytes(field, message.encodedBytes) }

  private func adding(_ field: UInt32, _ value: Value) -> Fields {
    var copy = self
    copy.all.append((field, value))
    return copy
  }

  func encode(to sink: inout some WireSink) {
    for (field, value) in all {
      switch value {
      case .number(let number):
        sink.varint(UInt64(field) << 3)
        sink.varint(number)
      case .bytes(let bytes): bytes.withUnsafeBytes { sink.bytes($0, field) }
      }
    }
  }

  init() {}

  /// Reads varints and length-delimited fields; nothing else occurs here.
  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let key = Self.varint(&rest)
      if key & 7 == 0 {
        all.append((UInt32(key >> 3), .number(Self.varint(&rest))))
      } else {
        let count = Int(Self.varint(&rest))
        all.append((UInt32(key >> 3), .bytes(Array(rest.prefix(count)))))
        rest = rest.dropFirst(count)
      }
    }
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = rest.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    return value
  }

  func parts(_ field: UInt32) -> [[UInt8]] {
    all.compactMap { number, value in
      if number == field, case .bytes(let bytes) = value { bytes } else { nil }
    }
  }

  func texts(_ field: UInt32) -> [String] { parts(field).map { String(decoding: $0, as: UTF8.self) } }

  func messages(_ field: UInt32) -> [Fields] { parts(field).map(Fields.init) }

  func numbers(_ field: UInt32) -> [UInt64] {
    all.compactMap { number, value in
      if number == field, case .number(let number) = value { number } else { nil }
    }
  }
}

extension Method {
  /// Calls a method of one request.
  func call(_ call: RecordedCall, _ request: [UInt8]) {
    guard case .oneRequest(let handler) = handler else { return }
    call.manualExecutor.run { request.withUnsafeBytes { handler(call, $0) } }
  }
}
