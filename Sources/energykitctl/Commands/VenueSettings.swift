import EnergyModel
import EnergyWire
import FoundationEssentials
import LocalTime

struct VenueListCommand: Command {
  static let words = ["venue", "list"]
  static let summary = "All venues of the server, by name."

  init(_ arguments: Arguments) throws(UsageError) {}

  func run(_ session: Session) async throws(Problem) {
    try await session.list(
      Contract.ListVenueSettings(pageSize: 1000), by: session.operatorClient(), rowsIn: "settings",
      table: Table("ID", "NAME", "REGION", "TIME ZONE", "RATE PLAN", "SUPPORTED", "LOCATION"), none: "no venues"
    ) { settings in
      [
        settings.venue.id.text, settings.venue.name, settings.venue.gridRegion, settings.venue.timeZone,
        settings.ratePlanID, settings.isRegionSupported ? "yes" : "no", settings.location?.text ?? "",
      ]
    }
  }
}

struct VenueGetCommand: Command {
  static let words = ["venue", "get"]
  static let operands = ["ID"]
  static let summary = "What the operator sees of a venue."

  private let id: UUID

  init(_ arguments: Arguments) throws(UsageError) {
    id = try arguments.id(operand: 0, "ID")
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(Contract.GetVenueSettings(venueID: id), by: session.operatorClient()) { $0.card.text }
  }
}

struct VenueCreateCommand: Command {
  static let words = ["venue", "create"]
  static let operands = ["NAME"]
  static let flags: [Flag] = [.location, .timeZone, .gridRegion, .home, .locationServices, .id]
  static let summary = "Makes a venue; its location decides region support, and grid region and time zone unless given."

  private let call: Contract.CreateVenue

  init(_ arguments: Arguments) throws(UsageError) {
    var call = Contract.CreateVenue(name: arguments.operand(0))
    call.venueID = try arguments.id(.id)
    call.homeID = try arguments.id(.home)
    call.location = try arguments.place()
    call.timeZone = arguments[.timeZone] ?? ""
    call.gridRegion = arguments[.gridRegion] ?? ""
    call.isLocationServicesDenied = try arguments.onOff(.locationServices) == false
    self.call = call
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) { $0.card.text }
  }
}

struct VenueUpdateCommand: Command {
  static let words = ["venue", "update"]
  static let operands = ["ID"]
  static let flags: [Flag] = [
    .name, .location, .timeZone, .gridRegion, .home, .locationServices, .ratePlan, .incorporateRatePlan,
  ]
  static let summary = "Changes what is named; everything else stays. An empty --home or --rate-plan unlinks."

  private let call: Contract.UpdateVenue

  init(_ arguments: Arguments) throws(UsageError) {
    var call = Contract.UpdateVenue(venueID: try arguments.id(operand: 0, "ID"))
    guard Self.flags.contains(where: arguments.isGiven) else {
      throw UsageError("\"venue update\" needs something to change; see energykitctl venue update --help")
    }
    call.name = arguments[.name]
    call.homeID = arguments[.home]
    call.location = try arguments.place()
    call.timeZone = arguments[.timeZone]
    call.gridRegion = arguments[.gridRegion]
    call.isLocationServicesDenied = try arguments.onOff(.locationServices).map { !$0 }
    call.incorporatesRatePlan = try arguments.onOff(.incorporateRatePlan)
    call.ratePlanID = arguments[.ratePlan]
    self.call = call
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) { $0.card.text }
  }
}

struct VenueDeleteCommand: Command {
  static let words = ["venue", "delete"]
  static let operands = ["ID"]
  static let summary = "Deletes a venue with all of its events."

  private let id: UUID

  init(_ arguments: Arguments) throws(UsageError) {
    id = try arguments.id(operand: 0, "ID")
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(Contract.DeleteVenue(venueID: id), by: session.operatorClient()) { "deleted \(id.text)" }
  }
}

struct AccessListCommand: Command {
  static let words = ["venue", "access", "list"]
  static let flags: [Flag] = [.venue, .client]
  static let summary = "Who may do what at which venue: of --venue, of --client, or of both."

  private let call: Contract.ListVenueAccess

  init(_ arguments: Arguments) throws(UsageError) {
    let (venue, client) = (try arguments.id(.venue), try arguments.id(.client))
    guard venue != nil || client != nil else { throw UsageError("--venue or --client is needed") }
    call = Contract.ListVenueAccess(venueID: venue, clientID: client, pageSize: 1000)
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.list(
      call, by: session.operatorClient(), rowsIn: "entries", table: Table("VENUE", "CLIENT", "ACCESS"),
      none: "no access"
    ) { entry in
      [entry.venueID.text, entry.clientID.text, entry.access?.name ?? "unknown"]
    }
  }
}

struct AccessSetCommand: Command {
  static let words = ["venue", "access", "set"]
  static let operands = ["VENUE", "CLIENT", "granted|restricted|denied|none"]
  static let summary = "What a client may do at a venue."

  private let call: Contract.SetVenueAccess

  init(_ arguments: Arguments) throws(UsageError) {
    guard let access = VenueAccess.named.first(where: { $0.name == arguments.operand(2) }) else {
      throw UsageError("expected granted, restricted, denied or none, not \"\(arguments.operand(2))\"")
    }
    call = Contract.SetVenueAccess(
      venueID: try arguments.id(operand: 0, "VENUE"), clientID: try arguments.id(operand: 1, "CLIENT"), access: access)
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) {
      "\(call.access.name): \(call.clientID.text) at \(call.venueID.text)"
    }
  }
}

struct DeviceDeleteCommand: Command {
  static let words = ["device", "delete"]
  static let operands = ["VENUE", "CLIENT", "DEVICE"]
  static let summary = "Deletes a device of a client at a venue, with its events."

  private let call: Contract.DeleteDevice

  init(_ arguments: Arguments) throws(UsageError) {
    call = Contract.DeleteDevice(
      venueID: try arguments.id(operand: 0, "VENUE"), clientID: try arguments.id(operand: 1, "CLIENT"),
      deviceID: arguments.operand(2))
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) { "deleted \(Text.clean(call.deviceID))" }
  }
}

extension VenueAccess {
  fileprivate static let named: [VenueAccess] = [.granted, .restricted, .denied, .none]

  fileprivate var name: String {
    switch self {
    case .none: "none"
    case .granted: "granted"
    case .denied: "denied"
    case .restricted: "restricted"
    }
  }
}

extension Contract.Place {
  fileprivate var text: String { "\(Decimal.text(latitude, digits: 2)),\(Decimal.text(longitude, digits: 2))" }
}

extension Contract.VenueSettings {
  fileprivate var card: Card {
    var card = Card()
    card.add("id", venue.id.text)
    card.add("name", venue.name)
    card.add("home", venue.homeID?.text ?? "")
    card.add("location", location?.text ?? "")
    card.add("time zone", venue.timeZone)
    card.add("grid region", venue.gridRegion)
    card.add("region supported", isRegionSupported ? "yes" : "no")
    card.add("location services", isLocationServicesDenied ? "off" : "on")
    card.add("rate plan", ratePlanID)
    card.add("plan enters ratings", incorporatesRatePlan ? "yes" : "no")
    card.add("created (UTC)", createTime.map { LocalClock.utc.dateAndTime($0) } ?? "")
    return card
  }
}
