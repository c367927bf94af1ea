import EnergyClient
import EnergyModel
import EnergyWire
import FoundationEssentials
import GRPCTransport
import NetworkIO
import TLS

/// What a command works with: the server and the output.
struct Session {
  let output: Output
  let isJSON: Bool
  let loop: EventLoop
  let channel: ClientChannel
  private let connection: Connection

  init(_ connection: Connection, isJSON: Bool) throws(Problem) {
    self.connection = connection
    self.isJSON = isJSON
    output = Output()
    // Before the loop, which would have to be stopped.
    let security = try Self.security(connection)
    do throws(NetworkError) {
      loop = try EventLoop(name: "energykitctl")
    } catch {
      throw .local("\(error)")
    }
    var configuration = ClientConfiguration(target: connection.target, loop: loop)
    configuration.security = security
    configuration.userAgent = "energykitctl/\(Program.version)"
    configuration.keepalive = .init(timeMilliseconds: 240_000)
    // Pages of a listing have up to 1,000 rows.
    configuration.maximumResponseByteCount = 64 << 20
    channel = ClientChannel(configuration)
  }

  private static func security(_ connection: Connection) throws(Problem) -> ClientConfiguration.Security? {
    guard let tls = connection.tls else { return nil }
    do throws(TLSError) {
      return .init(context: try TLSContext(tls), serverName: connection.serverName)
    } catch {
      throw .local(error.description)
    }
  }

  func end() async {
    await channel.shutdown(graceMilliseconds: 200)
    loop.stop()
  }

  // MARK: Callers

  /// As a client of the server's.
  func client() throws(Problem) -> EnergyClient {
    guard let key = connection.clientKey else {
      throw .usage(UsageError("a client's key is needed: --key-file, ENERGYKIT_API_KEY or --demo; see --help"))
    }
    return client(key)
  }

  /// As its operator.
  func operatorClient() throws(Problem) -> EnergyClient {
    guard let key = connection.operatorKey else {
      throw .usage(UsageError("the operator's key is needed: --admin-key-file, ENERGYKIT_ADMIN_KEY or --demo"))
    }
    return client(key)
  }

  private func client(_ key: String) -> EnergyClient {
    var client = EnergyClient(channel: channel, key: key)
    client.timeoutMilliseconds = connection.timeoutMilliseconds
    return client
  }

  // MARK: Calls that are shown

  /// Makes a call and prints its answer.
  func show<Call: ContractCall>(
    _ call: Call, by client: EnergyClient, _ text: (Call.Answer) -> String
  ) async throws(Problem) {
    let bytes = try await asking { () async throws(CallFailure) in try await client.bytes(of: call) }
    try output.line(
      try reading(Call.self) { () throws(WireError) in
        isJSON
          ? try Call.withDecoded(bytes) { message throws(WireError) in try message.json() }
          : text(try Call.answer(decoding: bytes))
      })
  }

  /// Prints a whole listing: JSON a line for each row as it comes, a table at the end.
  func list<Call: PagedCall>(
    _ call: Call, by client: EnergyClient, rowsIn field: String, table empty: Table, none: String,
    _ row: (Call.Item) -> [String]
  ) async throws(Problem) {
    var table = empty
    var pages = client.pages(call).makeAsyncIterator()
    while let page = try await asking({ () async throws(CallFailure) in try await pages.next(isolation: nil) }) {
      guard isJSON else {
        for item in page.value.items { table.add(row(item)) }
        continue
      }
      let lines = try reading(Call.self) { () throws(WireError) in
        try Call.withDecoded(page.bytes) { message throws(WireError) in try message.jsonItems(of: field) }
      }
      if !lines.isEmpty { try output.line(lines.joined(separator: "\n")) }
    }
    if !isJSON { try output.line(table.isEmpty ? none : table.text) }
  }

  func call<Call: ContractCall>(_ call: Call, by client: EnergyClient) async throws(Problem) -> Call.Answer {
    try await asking { () async throws(CallFailure) in try await client.call(call) }
  }

  func asking<Value>(_ body: () async throws(CallFailure) -> Value) async throws(Problem) -> Value {
    do throws(CallFailure) {
      return try await body()
    } catch {
      throw .call(error)
    }
  }

  func reading<Call: ContractCall, Value>(
    _: Call.Type, _ body: () throws(WireError) -> Value
  ) throws(Problem) -> Value {
    do throws(WireError) {
      return try body()
    } catch {
      throw .call(CallFailure(error, of: Call.method))
    }
  }

  // MARK: Venues by their names

  func venueID(_ text: String, by client: EnergyClient) async throws(Problem) -> UUID {
    if let id = UUID(text: text) { return id }
    return try await venue(text, by: client).id
  }

  /// - Parameter text: The venue's id, or its name where that is of one venue only.
  func venue(_ text: String, by client: EnergyClient) async throws(Problem) -> Contract.Venue {
    if let id = UUID(text: text) { return try await call(Contract.GetVenue(.venueID(id)), by: client) }
    var found: [Contract.Venue] = []
    var pages = client.pages(Contract.ListVenues()).makeAsyncIterator()
    while let page = try await asking({ () async throws(CallFailure) in try await pages.next(isolation: nil) }) {
      found += page.value.items.filter { $0.name.lowercased() == text.lowercased() }
    }
    guard let venue = found.first else { throw .notFound("no venue is named \"\(Text.clean(text))\"") }
    guard found.count == 1 else {
      throw .usage(
        UsageError("\(found.count) venues are named \"\(Text.clean(text))\": name one by its id (energykitctl venues)"))
    }
    return venue
  }
}
