import Glibc

/// Header fields in order, all in one buffer that is used again and again: nothing is allocated once it is warm.
package struct FieldBlock {
  /// Where one field stands in the buffer: the name from `start` to `middle`, the value from there to `end`.
  struct Span {
    var start: UInt32
    var middle: UInt32
    var end: UInt32
  }

  /// What RFC 9113 §6.5.2 adds to each field's octets when a header list is measured.
  package static let fieldOverhead = 32

  private var bytes: [UInt8] = []
  private var spans: [Span] = []
  /// Size of the list as RFC 9113 §6.5.2 measures it: names, values and 32 octets a field.
  package private(set) var listByteCount = 0

  package init() {}

  package var count: Int { spans.count }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    listByteCount = 0
  }

  package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(contentsOf: name)
    let middle = bytes.count
    bytes.append(contentsOf: value)
    close(start: start, middle: middle)
  }

  package mutating func append(_ name: StaticString, _ value: StaticString) {
    append(name) { $0.append(contentsOf: UnsafeRawBufferPointer(value)) }
  }

  /// Appends a field whose value `write` appends to the buffer; it must not touch what stands there already.
  package mutating func append(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    bytes.append(contentsOf: UnsafeRawBufferPointer(name))
    let middle = bytes.count
    write(&bytes)
    close(start: start, middle: middle)
  }

  /// Appends a field from parts that `write` appends: the name first, `true` returned after it was written; then the
  /// value. Where it returns `nil`, nothing is appended.
  mutating func append(writing write: (inout [UInt8]) -> Int?) {
    let start = bytes.count
    guard let nameByteCount = write(&bytes) else {
      bytes.removeLast(bytes.count - start)
      return
    }
    close(start: start, middle: start + nameByteCount)
  }

  /// Takes the last field away again.
  mutating func removeLast() {
    guard let span = spans.popLast() else { return }
    listByteCount -= Int(span.end - span.start) + Self.fieldOverhead
    bytes.removeLast(bytes.count - Int(span.start))
  }

  private mutating func close(start: Int, middle: Int) {
    let end = bytes.count
    spans.append(Span(start: UInt32(start), middle: UInt32(middle), end: UInt32(end)))
    listByteCount += end - start + Self.fieldOverhead
  }

  /// Calls `body` with all fields; their bytes are valid until it returns.
  package func withFields<Result>(_ body: (Fields) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in spans.withUnsafeBufferPointer { body(Fields(bytes: bytes, spans: $0)) } }
  }

  /// The fields of a block, valid during `withFields` only.
  package struct Fields: RandomAccessCollection {
    let bytes: UnsafeRawBufferPointer
    let spans: UnsafeBufferPointer<Span>

    package var startIndex: Int { 0 }
    package var endIndex: Int { spans.count }

    package subscript(index: Int) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
      let span = spans[index]
      return (
        UnsafeRawBufferPointer(rebasing: bytes[Int(span.start)..<Int(span.middle)]),
        UnsafeRawBufferPointer(rebasing: bytes[Int(span.middle)..<Int(span.end)])
      )
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The UTF-8 of a literal, which lives for ever.
  init(_ text: StaticString) {
    self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// Whether these are the bytes of `text`.
  func equals(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && starts(withText: text)
  }

  func starts(withText text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount, let baseAddress else { return text.utf8CodeUnitCount == 0 }
    return memcmp(baseAddress, text.utf8Start, text.utf8CodeUnitCount) == 0
  }
}
