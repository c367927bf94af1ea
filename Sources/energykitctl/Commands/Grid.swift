import EnergyModel
import EnergyWire
import LocalTime

struct PublishCommand: Command {
  static let words = ["grid", "publish"]
  static let operands = ["FILE"]
  static let summary = "Publishes a grid signal: a PublishGridSignalRequest as JSON, from a file or (-) standard input."
  static let notes = [
    "  {\"gridRegion\": \"CISO\", \"kind\": \"SIGNAL_KIND_CARBON_AVERAGE\", \"model\": \"my-forecast-1\", \"stepSeconds\": 3600,",
    "   \"issueTime\": \"2026-11-30T15:00:00Z\", \"points\": [{\"start\": \"2026-11-30T15:00:00Z\", \"value\": 152.5}, ...]}",
  ]

  private let file: String

  private static let byteLimit = 64 << 20

  init(_ arguments: Arguments) throws(UsageError) {
    file = arguments.operand(0)
  }

  func run(_ session: Session) async throws(Problem) {
    let call = try request()
    try await session.show(call, by: session.operatorClient()) { result in
      let changed = result.isGuidanceChanged ? "the guidance has changed" : "the guidance is as it was"
      return "\(result.storedCount) points stored, \(changed), \(result.subscribersNotified) subscribers told"
    }
  }

  private func request() throws(Problem) -> Contract.PublishGridSignal {
    var reader = JSONReader(try SmallFile.read(file, byteLimit: Self.byteLimit))
    do throws(JSONText.Fault) {
      guard let document = try reader.next() else { throw .init(line: 1, "is empty") }
      if let more = try reader.next() { throw .init(line: more.line, "one document is enough") }
      return try Contract.PublishGridSignal(json: document)
    } catch {
      throw Problem(error, in: file)
    }
  }
}

struct RegionsCommand: Command {
  static let words = ["grid", "regions"]
  static let summary = "The grid regions that there is data for."

  init(_ arguments: Arguments) throws(UsageError) {}

  func run(_ session: Session) async throws(Problem) {
    try await session.show(Contract.ListGridRegions(), by: session.operatorClient()) { regions in
      var table = Table("CODE", "NAME", "ISSUED (UTC)", "GUIDANCE UNTIL (UTC)", "DATA")
      for region in regions {
        table.add(
          region.code, region.name, region.latestIssueTime.map { LocalClock.utc.dateAndTime($0) } ?? "",
          region.guidanceInterval.map { LocalClock.utc.dateAndTime($0.end) } ?? "", region.quality?.name ?? "")
      }
      return table.isEmpty ? "no regions" : table.text
    }
  }
}

struct RegionCommand: Command {
  static let words = ["region"]
  static let operands = ["LAT,LON"]
  static let summary =
    "The grid region and time zone of a place; also of a five-digit postal code, where the server knows them."

  private let place: Contract.ResolveGridRegion.Where

  init(_ arguments: Arguments) throws(UsageError) {
    let text = arguments.operand(0)
    if let location = Contract.Place(text) {
      place = .location(location)
    } else if text.utf8.count == 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      place = .postalCode(text)
    } else {
      throw UsageError("expected degrees north and east like 37.77,-122.42, not \"\(text)\"")
    }
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(Contract.ResolveGridRegion(place), by: session.operatorClient()) { region in
      var card = Card()
      card.add("grid region", region.gridRegion)
      card.add("time zone", region.timeZone)
      card.add("region supported", region.isSupported ? "yes" : "no")
      card.add("basis", region.basis)
      return card.text
    }
  }
}

extension DataQuality {
  fileprivate var name: String {
    switch self {
    case .measured: "measured"
    case .forecast: "forecast"
    case .estimated: "estimated"
    case .climatology: "typical values"
    }
  }
}
