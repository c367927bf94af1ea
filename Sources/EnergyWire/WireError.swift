package import EnergyModel

/// Why a request's bytes did not become a request.
package enum WireError: Error, Hashable, Sendable {
  /// Not a message of its type, or a string in it is not UTF-8 (G-060).
  case unparsable
  /// Decoding would take more fields or memory than such a message may (docs/architecture.md, Limits).
  case tooComplex
  /// The message parses, yet a field breaks its contract.
  case invalid(InvalidRequest)

  static func invalid(_ field: String, _ description: String) -> WireError {
    .invalid(InvalidRequest(field: field, description: description))
  }
}
