/// A fact in a log entry.
package enum LogValue: Sendable {
  case text(String)
  case integer(Int64)
  case number(Double)
  case truth(Bool)

  /// What `value` says of itself.
  package init(_ value: some CustomStringConvertible) {
    self = .text(value.description)
  }

  package init(_ value: String) {
    self = .text(value)
  }

  /// Above `Int64.max` as text.
  package init(_ value: some BinaryInteger) {
    self = Int64(exactly: value).map(LogValue.integer) ?? .text(String(value))
  }

  package init(_ value: Double) {
    self = .number(value)
  }

  package init(_ value: Bool) {
    self = .truth(value)
  }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .truth(value) }
}

extension LogValue: ExpressibleByStringInterpolation {}
