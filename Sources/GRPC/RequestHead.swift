/// The header block of one request, in one buffer that its connection uses again and again: header blocks of a
/// connection never interleave (RFC 9113 §4.3). Valid only while its call is being admitted.
package final class RequestHead {
  private var bytes: [UInt8] = []
  private var fields: [(name: Range<Int>, value: Range<Int>)] = []

  package init() {}

  package func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
  }

  package func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(contentsOf: name)
    let middle = bytes.count
    bytes.append(contentsOf: value)
    fields.append((start..<middle, middle..<bytes.count))
  }

  /// Calls `body` with the first value under `name` (lower case); returns `nil` where there is none.
  package func withFirstValue<Result>(_ name: StaticString, _ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    bytes.withUnsafeBytes { all in
      for field in fields where field.name.count == name.utf8CodeUnitCount {
        let candidate = UnsafeRawBufferPointer(rebasing: all[field.name])
        let wanted = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard candidate.elementsEqual(wanted) else { continue }
        return body(UnsafeRawBufferPointer(rebasing: all[field.value]))
      }
      return nil
    }
  }
}
