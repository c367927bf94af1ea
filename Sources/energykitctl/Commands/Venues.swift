import EnergyModel
import EnergyWire
import FoundationEssentials

struct VenuesCommand: Command {
  static let words = ["venues"]
  static let summary = "The venues that the key may see."

  init(_ arguments: Arguments) throws(UsageError) {}

  func run(_ session: Session) async throws(Problem) {
    try await session.list(
      Contract.ListVenues(), by: session.client(), rowsIn: "venues",
      table: Table("ID", "NAME", "REGION", "TIME ZONE", "RATE PLAN"), none: "no venues"
    ) { venue in
      [venue.id.text, venue.name, venue.gridRegion, venue.timeZone, venue.hasRatePlan ? "yes" : "no"]
    }
  }
}

struct VenueCommand: Command {
  static let words = ["venue"]
  static let operands = ["[VENUE]"]
  static let flags: [Flag] = [.home]
  static let summary = "One venue, by its id or its name, or by --home."

  private enum Key {
    case text(String)
    case home(UUID)
  }

  private let key: Key

  init(_ arguments: Arguments) throws(UsageError) {
    switch (arguments.operands.first, try arguments.id(.home)) {
    case (let text?, nil): key = .text(text)
    case (nil, let home?): key = .home(home)
    case (nil, nil), (.some, .some): throw UsageError("\"venue\" takes a venue or --home, one of them")
    }
  }

  func run(_ session: Session) async throws(Problem) {
    let client = try session.client()
    let venueKey: Contract.GetVenue.Key =
      switch key {
      case .text(let text): .venueID(try await session.venueID(text, by: client))
      case .home(let home): .homeID(home)
      }
    try await session.show(Contract.GetVenue(venueKey), by: client) { venue in
      var card = Card()
      card.add("id", venue.id.text)
      card.add("name", venue.name)
      card.add("home", venue.homeID?.text ?? "")
      card.add("time zone", venue.timeZone)
      card.add("grid region", venue.gridRegion)
      card.add("rate plan", venue.hasRatePlan ? "yes" : "no")
      return card.text
    }
  }
}
