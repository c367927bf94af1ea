internal import EnergyModel
internal import Storage

/// The time after a refusal that asks to come again: until then the batches of a stream are refused, since those that were
/// sent before the client heard of it build on what is missing (docs/decisions/0020-batches-of-a-stream.md).
struct StreamPause {
  /// Longer than any answer takes to arrive; a client whose day is used up may send smaller batches after it.
  private static let longestNanoseconds: UInt64 = 30_000_000_000

  /// That of the batches to come; of those under way when one has failed, the store takes none any more.
  private(set) var order = SubmissionOrder()
  private var error: EnergyKitError?
  private var end: UInt64 = 0
  /// When the refused batch may come again.
  private var retryTime: UInt64 = 0

  /// - Parameter now: Nanoseconds, as are the others.
  mutating func begin(after error: EnergyKitError, at now: UInt64) {
    guard let seconds = error.retrySeconds else { return }
    let delay = UInt64(min(max(seconds, 1), 86_400)) * 1_000_000_000
    order = SubmissionOrder()
    self.error = error
    retryTime = max(retryTime, now + delay)
    end = max(end, now + min(delay, Self.longestNanoseconds))
  }

  /// What a batch is refused with that comes now.
  func refusal(at now: UInt64) -> EnergyKitError? {
    guard let error, now < end else { return nil }
    let seconds = Int((retryTime - now + 999_999_999) / 1_000_000_000)
    return switch error {
    case .rateLimitExceeded: .rateLimitExceeded(retryAfterSeconds: seconds)
    default: .serviceUnavailable(retryAfterSeconds: seconds)
    }
  }
}

extension EnergyKitError {
  /// Where the same batch may succeed later.
  fileprivate var retrySeconds: Int? {
    switch self {
    case .rateLimitExceeded(let seconds), .serviceUnavailable(let seconds): seconds
    case .guidanceUnavailable, .inProgress, .invalidLoadEvent, .locationServicesDenied, .permissionDenied,
      .unsupportedRegion, .venueUnavailable:
      nil
    }
  }
}
