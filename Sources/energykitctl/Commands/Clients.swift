import EnergyModel
import EnergyWire
import FoundationEssentials
import LocalTime

struct ClientListCommand: Command {
  static let words = ["client", "list"]
  static let summary = "All clients, by name."

  init(_ arguments: Arguments) throws(UsageError) {}

  func run(_ session: Session) async throws(Problem) {
    try await session.list(
      Contract.ListClients(pageSize: 1000), by: session.operatorClient(), rowsIn: "clients",
      table: Table("ID", "NAME", "ENTITLEMENTS", "CREATED (UTC)", "STATE"), none: "no clients"
    ) { client in
      [
        client.id.text, client.name, client.entitlementNames, LocalClock.utc.dateAndTime(client.createTime),
        client.isDisabled ? "disabled" : "enabled",
      ]
    }
  }
}

struct ClientGetCommand: Command {
  static let words = ["client", "get"]
  static let operands = ["CLIENT"]
  static let summary = "One client, by its id."

  private let id: UUID

  init(_ arguments: Arguments) throws(UsageError) {
    id = try arguments.id(operand: 0, "CLIENT")
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(Contract.GetClient(clientID: id), by: session.operatorClient()) { $0.card.text }
  }
}

struct ClientCreateCommand: Command {
  static let words = ["client", "create"]
  static let operands = ["NAME"]
  static let flags: [Flag] = [.entitlement, .id]
  static let summary = "Makes a client and prints its API key, which is shown this once."

  private let call: Contract.CreateClient

  init(_ arguments: Arguments) throws(UsageError) {
    call = Contract.CreateClient(
      clientID: try arguments.id(.id), name: arguments.operand(0), entitlements: try arguments.entitlements() ?? [])
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) { created in
      var card = created.client.card
      card.add("api key", created.apiKey.isEmpty ? "(made before; rotate it if it is lost)" : created.apiKey)
      return card.text
    }
  }
}

struct ClientUpdateCommand: Command {
  static let words = ["client", "update"]
  static let operands = ["CLIENT"]
  static let flags: [Flag] = [.name, .entitlement, .noEntitlements, .enable, .disable]
  static let summary = "Changes what is named; everything else stays."

  private let call: Contract.UpdateClient

  init(_ arguments: Arguments) throws(UsageError) {
    guard !arguments.isGiven(.enable) || !arguments.isGiven(.disable) else {
      throw UsageError("--enable and --disable exclude each other")
    }
    let isDisabled = arguments.isGiven(.disable) ? true : arguments.isGiven(.enable) ? false : nil
    call = Contract.UpdateClient(
      clientID: try arguments.id(operand: 0, "CLIENT"), name: arguments[.name],
      entitlements: try arguments.entitlements(), isDisabled: isDisabled)
    guard call.name != nil || call.entitlements != nil || call.isDisabled != nil else {
      throw UsageError("\"client update\" needs something to change; see energykitctl client update --help")
    }
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) { $0.card.text }
  }
}

struct ClientDeleteCommand: Command {
  static let words = ["client", "delete"]
  static let operands = ["CLIENT"]
  static let summary = "Deletes a client and its key; its events stay with their venues."

  private let id: UUID

  init(_ arguments: Arguments) throws(UsageError) {
    id = try arguments.id(operand: 0, "CLIENT")
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(Contract.DeleteClient(clientID: id), by: session.operatorClient()) { "deleted \(id.text)" }
  }
}

struct ClientRotateKeyCommand: Command {
  static let words = ["client", "rotate-key"]
  static let operands = ["CLIENT"]
  static let flags: [Flag] = [.overlap]
  static let summary = "Makes a new API key and prints it, this once; without --overlap the old one ends at once."

  private let call: Contract.RotateClientKey

  init(_ arguments: Arguments) throws(UsageError) {
    call = Contract.RotateClientKey(
      clientID: try arguments.id(operand: 0, "CLIENT"), overlapSeconds: try arguments.duration(.overlap))
  }

  func run(_ session: Session) async throws(Problem) {
    try await session.show(call, by: session.operatorClient()) { key in
      var card = Card()
      card.add("api key", key)
      return card.text
    }
  }
}

extension Client {
  /// As the command line names them.
  fileprivate var entitlementNames: String {
    entitlements.sorted { $0.rawValue < $1.rawValue }.map { entitlement in
      switch entitlement {
      case .energyKit: "base"
      case .loadEventsExperience: "load-events"
      }
    }.joined(separator: ", ")
  }

  fileprivate var card: Card {
    var card = Card()
    card.add("id", id.text)
    card.add("name", name)
    card.add("entitlements", entitlementNames)
    card.add("created (UTC)", LocalClock.utc.dateAndTime(createTime))
    card.add("state", isDisabled ? "disabled" : "enabled")
    return card
  }
}
