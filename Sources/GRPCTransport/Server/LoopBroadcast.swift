package import GRPC
import NetworkIO

/// `Broadcast` on one event loop: calls are grouped by connection, so that a publication writes to each connection once,
/// and the groups are served in slices, one a turn.
///
/// While a publication is under way a newer one takes its place: the round goes on from where it is, with the newer
/// message, until every group has had it. Belongs to its loop.
package final class LoopBroadcast: Broadcast {
  /// Calls served before others on the loop get their turn; a group is never split.
  private static let callsPerSlice = 512

  package private(set) var count = 0

  private let loop: EventLoop
  private var groups: [BroadcastGroup] = []
  private var groupsByConnection: [ObjectIdentifier: BroadcastGroup] = [:]
  private var newest: SharedMessage?
  private var prepare: ([any BroadcastSubscriber]) -> Void = { _ in }
  /// Counts publications; wraps.
  private var number: UInt32 = 0
  private var finalStatus: (() -> Status)?
  /// Where the round goes on.
  private var cursor = 0
  private var isRunning = false

  /// - Parameter executor: An event loop of a `GRPCServer`, as handed to `makeService`.
  package init(on executor: any CallExecutor) {
    guard let loop = executor as? EventLoop else { preconditionFailure("a LoopBroadcast needs an event loop") }
    self.loop = loop
  }

  package func join(_ call: any ServerCall, as subscriber: any BroadcastSubscriber, offersNewest: Bool) {
    assert(loop.isCurrent)
    guard let stream = call as? ServerStream else { preconditionFailure("a LoopBroadcast needs calls of a GRPCServer") }
    guard !stream.hasEnded else { return }
    stream.membership?.leave(stream)
    stream.subscriber = subscriber
    stream.offeredNumber = number
    group(of: stream.connection).add(stream)
    count += 1
    if offersNewest, let newest {
      prepare([subscriber])
      stream.offer(newest)
    }
  }

  package func publish(_ message: SharedMessage, prepare: @escaping ([any BroadcastSubscriber]) -> Void) {
    assert(loop.isCurrent)
    newest = message
    self.prepare = prepare
    beginRound()
  }

  package func finishAll(_ status: @escaping () -> Status) {
    assert(loop.isCurrent)
    finalStatus = status
    newest = nil
    beginRound()
  }

  // MARK: - Groups

  private func group(of connection: ServerConnection) -> BroadcastGroup {
    let key = ObjectIdentifier(connection)
    if let group = groupsByConnection[key] { return group }
    let group = BroadcastGroup(broadcast: self, key: key, place: groups.count, offeredNumber: number)
    groupsByConnection[key] = group
    groups.append(group)
    return group
  }

  fileprivate func left(_ group: BroadcastGroup) {
    count -= 1
    guard group.members.isEmpty else { return }
    groupsByConnection[group.key] = nil
    let last = groups.removeLast()
    guard last !== group else { return }
    groups[group.place] = last
    last.place = group.place
  }

  // MARK: - Rounds

  private func beginRound() {
    number &+= 1
    guard !isRunning else { return }
    isRunning = true
    serveSlice()
  }

  /// Groups move when others go, so a round is not a range but all groups without the number, from the cursor on.
  private func serveSlice() {
    var served = 0
    var looked = 0
    while looked < groups.count && served < Self.callsPerSlice {
      if cursor >= groups.count { cursor = 0 }
      let group = groups[cursor]
      cursor += 1
      looked += 1
      guard group.offeredNumber != number else { continue }
      group.offeredNumber = number
      served += serve(group)
      // What has gone may have moved another group here.
      if served > 0 { looked = 0 }
    }
    if served >= Self.callsPerSlice { return loop.atTurnEnd(self) }
    isRunning = false
    finalStatus = nil
  }

  private func serve(_ group: BroadcastGroup) -> Int {
    let due = group.members.filter { $0.offeredNumber != number }
    if let finalStatus {
      for stream in due { stream.finish(finalStatus()) }
    } else if let newest, !due.isEmpty {
      prepare(due.compactMap(\.subscriber))
      for stream in due where !stream.hasEnded {
        stream.offeredNumber = number
        stream.offer(newest)
      }
    }
    return due.count
  }
}

extension LoopBroadcast: TurnEndObserver {
  package func turnEnded() {
    serveSlice()
  }
}

/// The calls of one connection in one broadcast.
final class BroadcastGroup {
  fileprivate let key: ObjectIdentifier
  fileprivate var place: Int
  fileprivate var offeredNumber: UInt32
  fileprivate private(set) var members: [ServerStream] = []
  private let broadcast: LoopBroadcast

  fileprivate init(broadcast: LoopBroadcast, key: ObjectIdentifier, place: Int, offeredNumber: UInt32) {
    self.broadcast = broadcast
    self.key = key
    self.place = place
    self.offeredNumber = offeredNumber
  }

  fileprivate func add(_ stream: ServerStream) {
    stream.membership = self
    stream.memberPlace = UInt32(truncatingIfNeeded: members.count)
    members.append(stream)
  }

  /// Takes a call out that has ended.
  func leave(_ stream: ServerStream) {
    let place = Int(stream.memberPlace)
    guard stream.membership === self, members.indices.contains(place), members[place] === stream else { return }
    stream.membership = nil
    let last = members.removeLast()
    if last !== stream {
      members[place] = last
      last.memberPlace = stream.memberPlace
    }
    broadcast.left(self)
  }
}
