/// Figures in the text format that Prometheus reads (Prometheus, "Exposition formats", text 0.0.4).
package struct MetricsText: Sendable {
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  package private(set) var text = ""

  package init() {}

  /// Begins a family: its samples follow.
  package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
  }

  package mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: UInt64) {
    append(name, labels, "\(value)")
  }

  package mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
    append(name, labels, "\(value)")
  }

  package mutating func sample(_ name: String, _ value: UInt64) { sample(name, [:], value) }
  package mutating func sample(_ name: String, _ value: Double) { sample(name, [:], value) }

  private mutating func append(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
    }
    text += " \(value)\n"
  }

  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      case _: result.append(character)
      }
    }
    return result
  }
}
