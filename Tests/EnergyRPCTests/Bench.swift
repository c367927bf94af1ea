import EnergyAnalysis
import EnergyModel
import EnergyRPC
import EnergyService
import EnergyWire
import FoundationEssentials
import GRPC
import Locking
import ServiceTestSupport
import Storage
import TestSupport
import Testing

/// One event loop's services over a store in memory: a client that may use one Californian venue, and calls made without
/// a transport.
final class Bench {
  static let adminKey = "operator-key-of-the-tests"

  let store = ProbeStore()
  let clock = ManualClock()
  let source = TestSource()
  let executor = ManualExecutor()
  let client: Client
  let key: APIKey
  let venue: EnergyVenue
  let loop: EnergyLoop
  let service: Service
  let admin: AdminOperations
  /// What the log is told.
  let problems = Lock<[StoreError]>([])
  private let tokenKeys: GuidanceTokenKeys
  private let fanOut = GuidanceFanOut()

  init(
    _ entitlements: Set<Entitlement> = [.energyKit], isDisabled: Bool = false, venue: EnergyVenue = makeVenue(),
    access: VenueAccess = .granted
  ) async throws {
    self.venue = venue
    client = makeClient("hub", entitlements, isDisabled: isDisabled)
    key = try APIKey.make()
    try await store.save(client, keyHash: key.hash.bytes)
    try await store.save(venue)
    try await store.setAccess(access, venueID: venue.id, clientID: client.id)
    tokenKeys = try GuidanceTokenKeys([makeMasterKey(1)])
    let fanOut = fanOut
    let guidance = try await GuidanceService.start(
      store: store, clock: clock.service, source: source,
      settings: .init(reissueRule: ReissueRule(minimumIntervalSeconds: 0)),
      observer: GuidanceObserver(onRevision: { fanOut.publish($0) }, onUnavailable: { fanOut.finish($0) }))
    let problems = problems
    admin = AdminOperations(
      store: store, clock: clock.service, guidance: guidance, changes: AccessChanges(), findPlace: findTestPlace)
    let shared = SharedServices(
      store: store, clock: clock.service, tokenKeys: tokenKeys, adminKey: try #require(AdminKey(Self.adminKey)),
      admin: admin, venues: VenueService(store: store), guidance: guidance,
      loadEvents: LoadEventService(store: store, clock: clock.service), fanOut: fanOut, sessionRules: .strict,
      onStoreProblem: { error in problems.withLock { $0.append(error) } })
    loop = try EnergyLoop(executor: executor, shared: shared, makeBroadcast: { ListBroadcast() })
    fanOut.register(loop)
    service = loop.makeService()
  }

  var caller: Caller { Caller(client) }

  // MARK: Calls

  /// A call by `caller` that has come to where nothing more happens without the store.
  func start(
    _ method: MethodName, _ request: [UInt8] = [], as caller: AnyObject?, trailerLimit: Int = 8 << 10
  ) throws -> RecordedCall {
    let call = RecordedCall(on: executor)
    call.caller = caller
    call.trailerLimit = trailerLimit
    guard case .oneRequest(let handle)? = service.router[method.path]?.handler else {
      Issue.record("\(method) is not served")
      return call
    }
    executor.run { request.withUnsafeBytes { handle(call, $0) } }
    return call
  }

  /// A whole call by the client.
  func call(_ method: MethodName, _ request: [UInt8] = [], trailerLimit: Int = 8 << 10) async throws -> RecordedCall {
    let call = try start(method, request, as: caller, trailerLimit: trailerLimit)
    #expect(await settles { call.hasEnded }, "\(method) does not end")
    return call
  }

  /// A whole call by the operator.
  func publish(_ request: [UInt8]) async throws -> RecordedCall {
    let call = try start(.publishGridSignal, request, as: Operator.shared)
    #expect(await settles { call.hasEnded })
    return call
  }

  /// Runs the loop until `condition` holds.
  func settles(_ condition: () -> Bool) async -> Bool {
    await eventually {
      executor.run {}
      return executor.run(condition)
    }
  }

  // MARK: Requests

  func guidanceRequest(
    venue: String? = nil, action: Int64 = 1, explain: Bool = false, known: String = ""
  ) -> [UInt8] {
    WireBuilder { request in
      request.text(1, venue ?? self.venue.id.text)
      request.number(2, action)
      if explain { request.number(3, 1) }
      if !known.isEmpty { request.text(4, known) }
    }.bytes
  }

  /// For StreamGuidance, whose known token has another number.
  func streamRequest(known: String = "") -> [UInt8] {
    WireBuilder { request in
      request.text(1, venue.id.text)
      request.number(2, 1)
      if !known.isEmpty { request.text(3, known) }
    }.bytes
  }

  /// A token as guidance of this moment would have it.
  func token(clientID: UUID? = nil) throws -> String {
    let codec = try GuidanceTokenCodec(tokenKeys)
    let tag = try codec.tag(clientID: clientID ?? client.id, venueID: venue.id)
    return try codec.token(issueTime: clock.now, number: 1, tag: tag).text
  }

  /// Whether guidance with this token was made for the client and venue.
  func isOurs(_ token: String) throws -> Bool {
    let uuid = try #require(UUID(uuidString: token))
    return try GuidanceTokenCodec(tokenKeys).verify(uuid, clientID: client.id, venueID: venue.id, now: clock.now) != nil
  }
}

/// Offers to its calls at once; loops have their own, in slices.
final class ListBroadcast: Broadcast {
  private var members: [(call: any ServerCall, subscriber: any BroadcastSubscriber)] = []

  var count: Int { members.count { !$0.call.hasEnded } }

  func join(_ call: any ServerCall, as subscriber: any BroadcastSubscriber, offersNewest: Bool) {
    members.append((call, subscriber))
  }

  func publish(_ message: SharedMessage, prepare: @escaping ([any BroadcastSubscriber]) -> Void) {
    prepare(members.map(\.subscriber))
    for member in members { member.call.offer(message, to: member.subscriber) }
  }

  func finishAll(_ status: @escaping () -> Status) {
    for member in members { member.call.finish(status()) }
    members = []
  }
}

/// What a status says in its details.
struct Said: Equatable {
  var code: StatusCode?
  var reason = ""
  var metadata: [String: String] = [:]
  /// Path and reason of each violation.
  var violations: [String] = []
  var retrySeconds: Int64?

  init(_ status: Status?) {
    code = status?.code
    for any in WireReader(status?.details ?? [])?.messages(3) ?? [] {
      guard let detail = any.message(2) else { continue }
      switch any.text(1) {
      case "type.googleapis.com/google.rpc.ErrorInfo":
        reason = detail.text(1)
        for entry in detail.messages(3) { metadata[entry.text(1)] = entry.text(2) }
      case "type.googleapis.com/google.rpc.BadRequest":
        violations = detail.messages(1).map { "\($0.text(1)) \($0.text(3))" }
      case "type.googleapis.com/google.rpc.RetryInfo": retrySeconds = detail.message(1)?.number(1)
      case let other: Issue.record("unexpected detail \(other)")
      }
    }
  }

  init(
    _ code: StatusCode, _ reason: String = "", _ metadata: [String: String] = [:], violations: [String] = [],
    retrySeconds: Int64? = nil
  ) {
    self.code = code
    self.reason = reason
    self.metadata = metadata
    self.violations = violations
    self.retrySeconds = retrySeconds
  }
}

extension RecordedCall {
  var said: Said { Said(status) }

  /// The only message, read; `nil` where there is none or more than one.
  var answer: WireReader? { messages.count == 1 ? WireReader(messages[0]) : nil }
}

/// A map of two places: north of the 50th degree nothing is supported.
let findTestPlace: PlaceFinder = { point in
  point.latitude < 50
    ? Place(isSupported: true, gridRegion: "CISO", timeZone: "America/Los_Angeles", basis: "south")
    : Place(isSupported: false, gridRegion: "", timeZone: "America/Vancouver", basis: "north")
}
