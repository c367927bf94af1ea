import Foundation

/// A JSON document, so that each fault can be named by its place.
indirect enum JSONValue: Decodable, Hashable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  static let maximumByteCount = 8 * 1024 * 1024

  init(parsing text: String, source: String) throws(GridDataError) {
    var bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard bytes.count <= Self.maximumByteCount else {
      throw GridDataError(source, "is larger than \(Self.maximumByteCount) bytes")
    }
    do { self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) } catch {
      throw GridDataError(source, "is not JSON")
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }
}

/// Takes values of a kind out of a document, or says where they are not of it.
struct JSONReader {
  let source: String

  func object(_ value: JSONValue?, at path: String) throws(GridDataError) -> [String: JSONValue] {
    guard case .object(let object) = value else { throw GridDataError(source, field: path, "is not an object") }
    return object
  }

  func array(_ value: JSONValue?, at path: String) throws(GridDataError) -> [JSONValue] {
    switch value {
    case .array(let array): return array
    case nil, .null: throw GridDataError(source, field: path, "is missing")
    case .bool, .number, .text, .object: throw GridDataError(source, field: path, "is not an array")
    }
  }

  /// `nil` where absent or null.
  func text(_ value: JSONValue?, at path: String) throws(GridDataError) -> String? {
    switch value {
    case .text(let text): return text
    case nil, .null: return nil
    case .bool, .number, .array, .object: throw GridDataError(source, field: path, "is not a text")
    }
  }

  /// `nil` where absent or null. Numbers may be written as texts.
  func number(_ value: JSONValue?, at path: String) throws(GridDataError) -> Double? {
    switch value {
    case .number(let number) where number.isFinite: return number
    case nil, .null: return nil
    case .text(let text):
      switch NumberText.read(text) {
      case .number(let number): return number
      case .missing: return nil
      case .invalid: throw GridDataError(source, field: path, "is not a number")
      }
    case .bool, .number, .array, .object: throw GridDataError(source, field: path, "is not a number")
    }
  }
}
