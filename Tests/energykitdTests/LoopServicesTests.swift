import EnergyModel
import GRPC
import NetworkIO
import TestSupport
import Testing

@testable import energykitd

@Suite struct `The services of the loops` {
  @Test func `are made on their loops, before anybody can call`() async throws {
    try await withEventLoop("one") { one in
      try await withEventLoop("two") { two in
        let services = try await LoopServices(on: [one, two]) { loop in
          Service(router: Router([Method(path: "/t.T/\(loop.isCurrent)", handler: .oneRequest { _, _ in })]))
        }
        for loop in [one, two] { #expect(services.take(loop).router["/t.T/true"] != nil) }
      }
    }
  }

  @Test func `end the start with one line where a loop cannot have its own`() async throws {
    try await withEventLoop("one") { one in
      try await withEventLoop("two") { two in
        let made = { () async throws(StartError) -> LoopServices in
          try await LoopServices(on: [one, two]) { loop throws(EnergyKitError) in
            if loop === two { throw .serviceUnavailable(retryAfterSeconds: 5) }
            return Service(router: Router([]))
          }
        }
        let error = StartError("an event loop cannot serve: serviceUnavailable(retryAfterSeconds: 5)")
        await #expect(throws: error) { _ = try await made() }
      }
    }
  }
}
