/// What is wrong with data that came from outside, said so that its author can find it.
package struct GridDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// File or address.
  package let source: String
  /// Counted from 1, the header being a line.
  package let line: Int?
  /// Column, or path within a JSON document, for example `items[0].energyweekdayschedule[3][25]`.
  package let field: String?
  package let reason: String

  init(_ source: String, line: Int? = nil, field: String? = nil, _ reason: String) {
    self.source = source
    self.line = line
    self.field = field
    self.reason = reason
  }

  package var description: String {
    let place = line.map { "\(source):\($0)" } ?? source
    return field.map { "\(place): \($0): \(reason)" } ?? "\(place): \(reason)"
  }
}
