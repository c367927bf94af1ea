import EnergyModel
import Storage
import Testing

@testable import EnergyRPC

private let second: UInt64 = 1_000_000_000

@Suite struct `A pause of a stream` {
  @Test(
    arguments: [
      (.rateLimitExceeded(retryAfterSeconds: 7), 7), (.serviceUnavailable(retryAfterSeconds: 1), 1),
      (.serviceUnavailable(retryAfterSeconds: 0), 1), (.rateLimitExceeded(retryAfterSeconds: 40_000), 30),
      (.rateLimitExceeded(retryAfterSeconds: .max), 30),
    ] as [(EnergyKitError, UInt64)])
  func `lasts as long as the delay, but not for ever`(error: EnergyKitError, seconds: UInt64) {
    var pause = StreamPause()
    #expect(pause.refusal(at: 5) == nil)
    pause.begin(after: error, at: 5)
    #expect(pause.refusal(at: 5) != nil)
    #expect(pause.refusal(at: 4 + seconds * second) != nil)
    #expect(pause.refusal(at: 5 + seconds * second) == nil)
  }

  @Test func `says how long it is until the refused batch may come again`() {
    var pause = StreamPause()
    pause.begin(after: .rateLimitExceeded(retryAfterSeconds: 100), at: 0)
    #expect(pause.refusal(at: 0) == .rateLimitExceeded(retryAfterSeconds: 100))
    #expect(pause.refusal(at: 10 * second + 1) == .rateLimitExceeded(retryAfterSeconds: 90))
    #expect(pause.refusal(at: 29 * second) == .rateLimitExceeded(retryAfterSeconds: 71))
    // Another refusal makes it no shorter.
    pause.begin(after: .serviceUnavailable(retryAfterSeconds: 1), at: 1 * second)
    #expect(pause.refusal(at: 10 * second) == .serviceUnavailable(retryAfterSeconds: 90))
  }

  @Test(arguments: [
    EnergyKitError.permissionDenied(.venue), .venueUnavailable,
    .invalidLoadEvent(InvalidLoadEvents(faults: [], faultCount: 0, serverTime: Timestamp(milliseconds: 0))),
  ])
  func `does not follow what cannot be mended by waiting`(error: EnergyKitError) {
    var pause = StreamPause()
    let order = pause.order
    pause.begin(after: error, at: 5)
    #expect(pause.refusal(at: 5) == nil)
    #expect(pause.order === order)
  }

  @Test func `parts the batches before it from those after it`() {
    var pause = StreamPause()
    let order = pause.order
    order.wasBroken()
    pause.begin(after: .serviceUnavailable(retryAfterSeconds: 1), at: 5)
    #expect(!pause.order.isBroken)
  }
}
