import FoundationEssentials
import Storage

/// Values that are read rarely and whole stand in their rows as JSON.
enum JSONBody {
  static func encode(_ value: some Encodable) throws(StoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(value))
    } catch {
      throw .failed(operation: "encode JSON", reason: "\(type(of: value)) holds what JSON cannot")
    }
  }

  static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(StoreError) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      throw .failed(operation: "decode JSON", reason: "not a \(Value.self) as this version knows it")
    }
  }
}
