/// When to ask again where there is no guidance: spread, so that not all come at once (docs/architecture.md, Errors).
package enum GuidanceRetry {
  /// 5...60 seconds; up to a second more for every 200 streams that are told at the same time.
  package static func seconds(streamCount: Int = 0, using random: inout some RandomNumberGenerator) -> Int {
    Int.random(in: 5...60 + max(0, streamCount) / 200, using: &random)
  }

  package static func seconds(streamCount: Int = 0) -> Int {
    var random = SystemRandomNumberGenerator()
    return seconds(streamCount: streamCount, using: &random)
  }
}
