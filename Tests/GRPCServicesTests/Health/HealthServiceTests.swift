import GRPC
import ProtobufWire
import TestSupport
import Testing

@testable import GRPCServices

@Suite struct `The health service` {
  private static let known = "a.v1.Known"

  private let executor = ManualExecutor()
  private let board = HealthBoard()
  private let service: HealthService

  init() {
    let known = Method(path: "/\(Self.known)/Do", handler: .oneRequest { _, _ in })
    service = HealthService(of: [known], board: board, on: executor)
  }

  private func call(_ name: String, _ request: [UInt8]) throws -> RecordedCall {
    let method = try #require(service.methods.first { $0.path == "/grpc.health.v1.Health/\(name)" })
    let call = RecordedCall(on: executor)
    method.call(call, request)
    return call
  }

  private func request(_ name: String) -> [UInt8] { name.isEmpty ? [] : Fields().text(1, name).encodedBytes }

  /// The statuses that were sent.
  private func statuses(_ call: RecordedCall) -> [UInt64] { call.messages.map { Fields($0).numbers(1).first ?? 0 } }

  // G-120, G-123
  @Test(arguments: ["", known]) func `says that a service serves`(name: String) throws {
    let call = try call("Check", request(name))
    #expect(statuses(call) == [1] && call.status == .ok)
  }

  // G-123
  @Test(arguments: ["b.v1.Other", "a.v1", known + "\0", known + "\0.more", "\0"])
  func `does not find what is not there`(name: String) throws {
    let call = try call("Check", request(name))
    #expect(call.status?.code == .notFound && call.messages.isEmpty)
  }

  // G-060
  @Test(arguments: ["Check", "Watch"], [[0x0A, 0x05, 0x61], [0x0A, 0x01, 0xFF], [0x0B]] as [[UInt8]])
  func `refuses what is no request`(name: String, bytes: [UInt8]) throws {
    #expect(try call(name, bytes).status?.code == .internal)
  }

  @Test func `needs no credentials`() {
    #expect(service.methods.allSatisfy { !$0.needsAdmission })
  }

  // G-121
  @Test func `tells a watcher the present state and each change`() throws {
    let call = try call("Watch", request(Self.known))
    #expect(statuses(call) == [1])
    executor.run { board.set(.notServing, of: Self.known) }
    executor.run { board.set(.notServing, of: Self.known) }
    executor.run { board.set(.serving, of: "b.v1.Other") }
    executor.run { board.set(.serving, of: Self.known) }
    #expect(statuses(call) == [1, 2, 1])
    #expect(!call.hasEnded)
  }

  // G-121
  @Test func `keeps on watching a service that is not known yet`() throws {
    let call = try call("Watch", request("b.v1.Other"))
    #expect(statuses(call) == [3] && !call.hasEnded)
    executor.run { board.set(.serving, of: "b.v1.Other") }
    #expect(statuses(call) == [3, 1])
  }

  @Test func `forgets a watcher that has gone`() throws {
    let calls = try ["x", "x", "y"].map { try call("Watch", request($0)) }
    #expect(service.watchCount == 3 && service.watchedNameCount == 2)
    for call in calls { executor.run { call.end(.cancelled(errorCode: 8)) } }
    #expect(service.watchCount == 0 && service.watchedNameCount == 0)
    executor.run { board.set(.serving, of: "x") }
    #expect(calls.allSatisfy { statuses($0) == [3] })
  }

  // G-122
  @Test func `lists all services`() throws {
    board.set(.notServing, of: "")
    let call = try call("List", [])
    let entries = Fields(try #require(call.messages.first)).messages(1)
    #expect(entries.map { $0.texts(1).first ?? "" } == ["", Self.known])
    #expect(entries.map { $0.messages(2).first?.numbers(1) ?? [] } == [[2], [1]])
    #expect(call.status == .ok)
  }

  // G-122
  @Test(arguments: [98, 99]) func `lists no more than a hundred`(count: Int) throws {
    for index in 0..<count { board.set(.serving, of: "s\(index)") }
    #expect(try call("List", []).status?.code == (count == 98 ? .ok : .resourceExhausted))
  }

  // G-104
  @Test func `serves nothing any more once it leaves`() async throws {
    board.set(.notServing, of: "c.v1.Down")
    let watches = try ["", Self.known, "b.v1.Other", "c.v1.Down"].map { try call("Watch", request($0)) }
    let pump = Task.detached { [executor] in
      while !Task.isCancelled {
        executor.run {}
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    await board.leave()
    pump.cancel()
    await pump.value
    executor.run { board.set(.serving, of: Self.known) }
    #expect(watches.map(statuses) == [[1, 2], [1, 2], [3], [2]])
    #expect(try statuses(call("Check", request(""))) == [2])
  }
}
