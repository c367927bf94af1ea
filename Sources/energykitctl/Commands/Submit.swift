import EnergyClient
import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC

struct SubmitCommand: Command {
  static let words = ["submit"]
  static let operands = ["FILE"]
  static let flags: [Flag] = [.venue, .partial, .batchSize]
  static let summary = "Stores load events: JSON from a file or (-) standard input."
  static let notes = [
    "The file holds events (LoadEvent or ElectricVehicleStatusEvent by protobuf's JSON mapping, one after the other), or",
    "batches: {\"venueId\": ..., \"loadEvents\": [...], \"vehicleStatusEvents\": [...]}. Events alone need --venue.",
    "They go in order, many in a call. A call that fails for a passing reason is made again, four times: an event is",
    "stored once, however often it is sent. Without --partial the first batch with a bad event ends the command, and",
    "nothing of that batch is stored.",
  ]

  private let file: String
  private let venueID: UUID?
  private let isPartial: Bool
  private let batchSize: Int

  private static let byteLimit = 256 << 20

  init(_ arguments: Arguments) throws(UsageError) {
    file = arguments.operand(0)
    venueID = try arguments.id(.venue)
    isPartial = arguments.isGiven(.partial)
    batchSize = try arguments.integer(.batchSize, in: 1...10_000, default: 1000)
  }

  func run(_ session: Session) async throws(Problem) {
    let client = try session.client()
    let batches = EventBatch.cut(try entries(), maximumCount: batchSize)
    guard !batches.isEmpty else { throw .local("\(file): holds no events") }
    var summary = SubmissionSummary(eventCount: batches.reduce(0) { $0 + $1.entries.count })
    var failure: Problem?
    for batch in batches where failure == nil {
      do throws(Problem) {
        summary.add(try await submit(batch, session, client), batch)
      } catch {
        if case .call(let refusal) = error, refusal.code == .invalidArgument { summary.add(refusal, batch) }
        failure = error
      }
    }
    try session.output.line(session.isJSON ? summary.json : summary.text)
    if let failure { throw failure }
    if summary.refusedCount > 0 { throw .someRefused }
  }

  private func entries() throws(Problem) -> [EventFile.Entry] {
    let bytes = try SmallFile.read(file, byteLimit: Self.byteLimit)
    do throws(JSONText.Fault) {
      return try EventFile(bytes, venueID: venueID).entries
    } catch {
      throw Problem(error, in: file)
    }
  }

  /// Again where the reason passes; the events are the same, so nothing is stored twice.
  private func submit(
    _ batch: EventBatch, _ session: Session, _ client: EnergyClient
  ) async throws(Problem) -> Contract.SubmissionResult {
    var pauses: [Int64] = [1000, 2000, 4000, 8000]
    while true {
      do throws(Problem) {
        return try await session.call(batch.call(allowsPartialSuccess: isPartial), by: client)
      } catch {
        guard case .call(let failure) = error, failure.mayPass, !pauses.isEmpty else { throw error }
        let pause = max(pauses.removeFirst(), failure.retryAfterMilliseconds ?? 0)
        guard pause <= 60_000 else { throw error }
        Output.complain("\(failure.line); again in \(pause / 1000) s")
        try? await Task.sleep(for: .milliseconds(pause))
      }
    }
  }
}

extension CallFailure {
  /// Whether the same call may succeed later.
  fileprivate var mayPass: Bool {
    switch code {
    case .unavailable, .resourceExhausted, .aborted, .deadlineExceeded: true
    case .ok, .cancelled, .unknown, .invalidArgument, .notFound, .alreadyExists, .permissionDenied,
      .failedPrecondition, .outOfRange, .unimplemented, .internal, .dataLoss, .unauthenticated:
      false
    }
  }
}

/// What became of all batches.
struct SubmissionSummary {
  private struct Fault {
    let line: Int?
    let rejection: Contract.Rejection
  }

  private let eventCount: Int
  private var storedCount = 0
  private var duplicateCount = 0
  private(set) var refusedCount = 0
  private var faults: [Fault] = []
  /// Of the last batch, where it was refused whole.
  private var refusedBatch: (eventCount: Int, violationCount: Int)?

  private static let shownFaultCount = 20

  init(eventCount: Int) {
    self.eventCount = eventCount
  }

  /// Events that were not sent, or that no answer has come for.
  private var leftCount: Int { max(0, eventCount - storedCount - duplicateCount - refusedCount) }

  mutating func add(_ result: Contract.SubmissionResult, _ batch: EventBatch) {
    storedCount += result.storedCount
    duplicateCount += result.duplicateCount
    refusedCount += result.rejectedCount
    faults += result.rejected.map { Fault(line: batch.line(of: $0.field), rejection: $0) }
  }

  /// The batch was refused whole.
  mutating func add(_ failure: CallFailure, _ batch: EventBatch) {
    refusedCount += batch.entries.count
    faults += failure.violations.map { Fault(line: batch.line(of: $0.field), rejection: $0) }
    let count = failure.metadata["violations"].flatMap { Int($0) } ?? failure.violations.count
    refusedBatch = (batch.entries.count, count)
  }

  var text: String {
    var table = Table("EVENTS", "STORED", "STORED BEFORE", "REFUSED", "LEFT")
    table.add([eventCount, storedCount, duplicateCount, refusedCount, leftCount].map { String($0) })
    var blocks = [table.text]
    if let refusedBatch {
      blocks.append(
        "A batch of \(refusedBatch.eventCount) was refused whole, for \(refusedBatch.violationCount) faults. --partial stores the "
          + "good ones.")
    }
    if !faults.isEmpty { blocks.append(reasons) }
    return blocks.joined(separator: "\n\n")
  }

  private var reasons: String {
    var table = Table("LINE", "FIELD", "REASON", "WHY")
    for fault in faults.prefix(Self.shownFaultCount) {
      table.add(
        fault.line.map { String($0) } ?? "", fault.rejection.field, fault.rejection.reason,
        fault.rejection.description)
    }
    let rest = faults.count - Self.shownFaultCount
    return rest > 0 ? table.text + "\nand \(rest) more (--json lists them all)" : table.text
  }

  /// SubmitLoadEventsResponse for all calls together; each fault with its line, and the number of events that are left.
  var json: String {
    let rejected = faults.map { fault in
      let line = fault.line.map { "\"line\":\($0)," } ?? ""
      return "{\(line)\"field\":\(JSONText.quoted(fault.rejection.field)),"
        + "\"reason\":\(JSONText.quoted(fault.rejection.reason)),"
        + "\"description\":\(JSONText.quoted(fault.rejection.description))}"
    }
    return "{\"storedCount\":\(storedCount),\"duplicateCount\":\(duplicateCount),\"rejectedCount\":\(refusedCount),"
      + "\"leftCount\":\(leftCount),"
      + "\"rejected\":[\(rejected.joined(separator: ","))]}"
  }
}
