import EnergyModel
import EnergyWire
import FoundationEssentials
import Glibc
import LocalTime

struct PlanCommand: Command {
  static let words = ["plan"]
  static let operands = ["VENUE"]
  static let flags: [Flag] = [.duration, .from, .to, .split, .action]
  static let summary = "The best time to run a load of a given duration."

  private let venue: String
  private let action: SuggestedAction
  private let durationSeconds: Int
  private let from: String
  private let to: String?
  private let isContiguous: Bool

  private static let defaultWindowSeconds: Int64 = 86_400

  init(_ arguments: Arguments) throws(UsageError) {
    venue = arguments.operand(0)
    action = try arguments.action()
    guard let seconds = try arguments.duration(.duration) else { throw UsageError("--duration is needed") }
    durationSeconds = seconds
    from = arguments[.from] ?? "now"
    to = arguments[.to]
    isContiguous = !arguments.isGiven(.split)
  }

  func run(_ session: Session) async throws(Problem) {
    let client = try session.client()
    let venue = try await session.venue(venue, by: client)
    let clock = LocalClock(timeZone: venue.timeZone) ?? .utc
    let window = try window(Self.now, clock)
    let call = Contract.PlanLoad(
      venueID: venue.id, action: action, window: window, durationSeconds: durationSeconds, isContiguous: isContiguous)
    try await session.show(call, by: client) { plan in
      Self.text(plan, venue, clock, durationSeconds: durationSeconds)
    }
  }

  private func window(_ now: Timestamp, _ clock: LocalClock) throws(Problem) -> Interval {
    let start = try moment(from, .from, after: now, clock)
    let end =
      try to.map { text throws(Problem) in try moment(text, .to, after: start, clock) }
      ?? start.advanced(bySeconds: Self.defaultWindowSeconds)
    guard let window = Interval(start: start, end: end), !window.isEmpty else {
      throw .usage(UsageError("--to must lie after --from"))
    }
    return window
  }

  private func moment(
    _ text: String, _ flag: Flag, after reference: Timestamp, _ clock: LocalClock
  ) throws(Problem) -> Timestamp {
    guard let moment = Moment.parse(text, after: reference, clock: clock) else {
      throw .usage(
        UsageError(
          "--\(flag.rawValue): expected now, 18:00, 2026-11-30T18:00 or 2026-11-30T18:00:00Z, not \"\(text)\""))
    }
    return moment
  }

  private static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  static func text(
    _ plan: Contract.Plan, _ venue: Contract.Venue, _ clock: LocalClock, durationSeconds: Int
  ) -> String {
    let name = Text.clean(venue.name)
    var lines = ["\(DurationText.text(durationSeconds)) at \(name) (\(clock.timeZone)):"]
    lines += plan.intervals.map { "  \(clock.span($0))" }
    let immediate = plan.immediateMeanRating.map { ", started at once \(Decimal.text($0.value, digits: 2))" } ?? ""
    lines.append("mean rating \(Decimal.text(plan.meanRating.value, digits: 2))\(immediate)")
    if !plan.coversWindow { lines.append("the guidance does not cover the whole window yet") }
    return lines.joined(separator: "\n")
  }
}
