/// What a place is to the server.
package struct ResolvedPlace: Hashable, Sendable {
  /// Inside the contiguous United States: guidance can be given.
  package let isSupported: Bool
  /// The balancing authority's code as EIA has it, for example CISO; `nil` where the place is not supported.
  package let gridRegion: String?
  /// IANA name; `nil` where the place is not supported.
  package let timeZone: String?
  /// How it was found, for a person.
  package let basis: String
}
