import EnergyModel
import EnergyRPC
import EnergyService
import EnergyWire
import FoundationEssentials
import GRPC
import ServiceTestSupport
import Storage
import TestSupport
import Testing

@Suite struct `Admission by key` {
  private enum Outcome: Equatable {
    case client(UUID)
    case administrator
    case refused(Status)
    case undecided
  }

  private let local = ConnectionContext(peer: "test", allowsAdmin: true)
  private let remote = ConnectionContext(peer: "test", allowsAdmin: false)

  private func outcome(_ resolution: AdmissionTicket.Resolution?) -> Outcome {
    switch resolution {
    case .admitted(let caller as Caller): .client(caller.id)
    case .admitted(let caller): caller === Operator.shared ? .administrator : .undecided
    case .refused(let status): .refused(status)
    case nil: .undecided
    }
  }

  /// What comes of a call with this `authorization`, once the store was asked where that was needed.
  private func admit(
    _ authorization: String?, to name: MethodName = .listVenues, on connection: ConnectionContext? = nil,
    _ bench: Bench
  ) async throws -> Outcome {
    let admission = try #require(bench.service.admission)
    let method = try #require(bench.service.router[name.path])
    let head = RequestHead()
    if let authorization {
      withBytes("authorization") { name in withBytes(authorization) { _ = head.append(name: name, value: $0) } }
    }
    let call = RecordedCall(on: bench.executor)
    let decision = bench.executor.run {
      admission.admit(head, to: method, call: call, connection: connection ?? local)
    }
    switch decision {
    case .admitted(let caller): return outcome(.admitted(caller))
    case .refused(let status): return .refused(status)
    case .pending(let ticket):
      var resolution: AdmissionTicket.Resolution?
      ticket.whenResolved { resolution = $0 }
      #expect(await bench.settles { resolution != nil })
      return outcome(resolution)
    }
  }

  @Test func `lets a client in, and asks the store about it once`() async throws {
    let bench = try await Bench()
    for scheme in ["Bearer ", "bearer ", "BEARER   "] {
      #expect(try await admit(scheme + bench.key.text, bench) == .client(bench.client.id))
    }
    let other = ConnectionContext(peer: "other", allowsAdmin: false)
    #expect(try await admit("Bearer " + bench.key.text, on: other, bench) == .client(bench.client.id))
    #expect(bench.store.questionCount("keyOwner") == 1)
  }

  @Test func `knows the operator's methods by their flag`() async throws {
    let bench = try await Bench()
    for name in MethodName.allCases {
      guard let method = bench.service.router[name.path] else { continue }
      #expect(method.isForOperators == name.isAdmin)
    }
    #expect(bench.service.router[MethodName.publishGridSignal.path]?.isForOperators == true)
  }

  @Test func `has one text for whatever is wrong with a key`() async throws {
    let bench = try await Bench()
    let disabled = try await Bench(isDisabled: true)
    let wrong: [String?] = [
      nil, "", "Bearer", "Bearer ", "Basic " + bench.key.text, bench.key.text, "Bearer x",
      "Bearer " + bench.key.text.dropLast(), "Bearer " + bench.key.text + "x", "Bearer " + (try APIKey.make()).text,
    ]
    for authorization in wrong {
      for method in [MethodName.listVenues, .publishGridSignal] {
        #expect(
          try await admit(authorization, to: method, bench) == .refused(.unauthenticated), "\(authorization ?? "")")
      }
    }
    #expect(try await admit("Bearer " + disabled.key.text, disabled) == .refused(.unauthenticated))
    #expect(Said(Status.unauthenticated) == Said(.unauthenticated, "UNAUTHENTICATED"))
  }

  @Test func `keeps operator and clients apart`() async throws {
    let bench = try await Bench()
    let admin = "Bearer " + Bench.adminKey
    #expect(try await admit(admin, to: .publishGridSignal, bench) == .administrator)
    #expect(try await admit(admin, to: .listVenues, bench) == .refused(.keyNotAllowedHere))
    let client = "Bearer " + bench.key.text
    #expect(try await admit(client, to: .publishGridSignal, bench) == .refused(.keyNotAllowedHere))
    #expect(Said(Status.keyNotAllowedHere) == Said(.permissionDenied, "PERMISSION_DENIED"))
  }

  @Test(arguments: [nil, "Bearer " + Bench.adminKey, "Bearer x"])
  func `does not serve the operator on a listener for clients`(authorization: String?) async throws {
    let bench = try await Bench()
    let outcome = try await admit(authorization, to: .publishGridSignal, on: remote, bench)
    guard case .refused(let status) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(status.code == .unimplemented)
  }

  @Test func `needs the entitlement, and names it`() async throws {
    let bench = try await Bench([.loadEventsExperience])
    for _ in 0..<2 {
      let outcome = try await admit("Bearer " + bench.key.text, bench)
      guard case .refused(let status) = outcome else { return #expect(Bool(false), "\(outcome)") }
      #expect(
        Said(status)
          == Said(.permissionDenied, "PERMISSION_DENIED", ["entitlement": "com.apple.developer.energykit"]))
    }
  }

  @Test func `is asked again later where the store cannot say`() async throws {
    let bench = try await Bench()
    bench.store.fail(with: .busy)
    let outcome = try await admit("Bearer " + bench.key.text, bench)
    guard case .refused(let status) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(Said(status) == Said(.unavailable, "SERVICE_UNAVAILABLE", retrySeconds: 1))
    bench.store.fail(with: nil)
    #expect(try await admit("Bearer " + bench.key.text, bench) == .client(bench.client.id))
  }
}
