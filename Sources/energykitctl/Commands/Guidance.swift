import EnergyClient
import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPC

struct GuidanceCommand: Command {
  static let words = ["guidance"]
  static let operands = ["VENUE"]
  static let flags: [Flag] = [.action, .watch, .explain]
  static let summary = "When to use electricity at a venue: ratings from 0, the best, to 1, as bars."
  static let notes = [
    "VENUE is an id or a name. Times are the venue's. A * marks what is within 0.05 of the best rating.",
    "--watch ends with 0 when it is interrupted; where the connection is lost it connects again, five times.",
  ]

  private let venue: String
  private let action: SuggestedAction
  private let watches: Bool
  private let explains: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    venue = arguments.operand(0)
    action = try arguments.action()
    watches = arguments.isGiven(.watch)
    explains = arguments.isGiven(.explain)
    guard !watches || !explains else { throw UsageError("--watch and --explain exclude each other") }
  }

  func run(_ session: Session) async throws(Problem) {
    let client = try session.client()
    let venue = try await session.venue(venue, by: client)
    guard watches else { return try await showOnce(session, client, venue) }
    let interruption = try await Interruption(on: session.loop)
    let watch = GuidanceWatch(session: session, client: client, venue: venue, action: action)
    try await interruption.ending { () async throws(Problem) in try await watch.run() }
  }

  private func showOnce(
    _ session: Session, _ client: EnergyClient, _ venue: Contract.Venue
  ) async throws(Problem) {
    let call = Contract.GetGuidance(venueID: venue.id, action: action, explains: explains)
    try await session.show(call, by: client) { answer in
      guard let guidance = answer.guidance else { return "no guidance" }
      return GuidanceChart(
        venue: venue, guidance: guidance, explanations: answer.explanations, isColoured: session.output.isColoured
      ).text
    }
  }
}

/// Prints guidance as it comes.
private struct GuidanceWatch {
  let session: Session
  let client: EnergyClient
  let venue: Contract.Venue
  let action: SuggestedAction

  /// Seconds before each further attempt after a loss.
  private static let pauses: [Int64] = [1, 2, 4, 8, 16]

  /// Never ends by itself, but with a problem.
  func run() async throws(Problem) {
    var known: UUID?
    var losses = 0
    while true {
      do throws(Problem) {
        try await read(&known, &losses)
      } catch {
        // What has never worked will not by being repeated.
        guard case .call(let failure) = error, failure.code == .unavailable, known != nil,
          Self.pauses.indices.contains(losses)
        else { throw error }
        let pause = max(Self.pauses[losses] * 1000, failure.retryAfterMilliseconds ?? 0)
        losses += 1
        Output.complain("\(failure.line); again in \(pause / 1000) s")
        do {
          try await Task.sleep(for: .milliseconds(pause))
        } catch {
          throw .local("interrupted")
        }
      }
    }
  }

  private func read(_ known: inout UUID?, _ losses: inout Int) async throws(Problem) {
    let call = Contract.StreamGuidance(venueID: venue.id, action: action, knownToken: known)
    let answers = client.stream(call).makeAsyncIterator()
    while let answer = try await session.asking({ () async throws(CallFailure) in
      try await answers.next(isolation: nil)
    }) {
      if !session.isJSON, known != nil { try session.output.line("") }
      known = answer.value.token
      losses = 0
      try print(answer)
    }
    throw .call(CallFailure(code: .unavailable, message: "the server has ended the stream"))
  }

  private func print(_ answer: ReceivedAnswer<Contract.StreamGuidance>) throws(Problem) {
    guard session.isJSON else {
      return try session.output.line(
        GuidanceChart(venue: venue, guidance: answer.value, isColoured: session.output.isColoured).text)
    }
    try session.output.line(
      try session.reading(Contract.StreamGuidance.self) { () throws(WireError) in
        try Contract.StreamGuidance.withDecoded(answer.bytes) { message throws(WireError) in try message.json() }
      })
  }
}
