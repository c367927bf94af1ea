package import EnergyModel
package import EnergyService
package import FoundationEssentials
import Locking
package import Storage

/// A clock that stands still until it is moved.
package final class ManualClock: Sendable {
  private let moment: Lock<Timestamp>

  package init(_ start: Timestamp = .noon) {
    moment = Lock(start)
  }

  package var now: Timestamp { moment.withLock { $0 } }
  package func advance(seconds: Int64) { moment.withLock { $0 = $0.advanced(bySeconds: seconds) } }
  package func set(_ now: Timestamp) { moment.withLock { $0 = now } }
  package var service: ServiceClock { ServiceClock { self.now } }
}

extension Timestamp {
  /// 2025-06-18T19:00:00Z, noon in California.
  package static let noon = Timestamp(seconds: 1_750_273_200)
}

/// An event loop for tests: runs what is hopped to it when told to.
package final class TestLoop: Sendable {
  private let queue = Lock<[@Sendable () -> Void]>([])

  package init() {}

  package var hop: AccessCache.Hop {
    { [self] work in queue.withLock { $0.append(work) } }
  }

  /// Waits for one piece of work and runs everything that is there.
  package func turn() async {
    while true {
      let work = queue.withLock { queue in
        defer { queue = [] }
        return queue
      }
      for item in work { item() }
      if !work.isEmpty { return }
      try? await Task.sleep(nanoseconds: 100_000)
    }
  }
}

package func makeClient(
  _ name: String = "hub", _ entitlements: Set<Entitlement> = [.energyKit], isDisabled: Bool = false
)
  -> Client
{
  Client(id: UUID(), name: name, entitlements: entitlements, isDisabled: isDisabled, createTime: .noon)
}

package func makeVenue(
  _ name: String = "home", homeID: UUID? = nil, region: String = "CISO", timeZone: String = "America/Los_Angeles",
  planID: String? = nil, incorporatesPlan: Bool = true, isSupported: Bool = true, isLocationDenied: Bool = false
) -> EnergyVenue {
  EnergyVenue(
    id: UUID(), name: name, homeID: homeID, timeZone: timeZone, gridRegion: region, ratePlanID: planID,
    incorporatesRatePlan: incorporatesPlan, isRegionSupported: isSupported, isLocationServicesDenied: isLocationDenied,
    createTime: .noon)
}

package func makeMasterKey(_ id: UInt8, seed: UInt8? = nil) -> MasterKey {
  MasterKey(id: id, secret: (0..<32).map { $0 &* 7 &+ (seed ?? id) }, createTime: .noon)
}

package func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
  try Array(text.utf8).withUnsafeBytes(body)
}
