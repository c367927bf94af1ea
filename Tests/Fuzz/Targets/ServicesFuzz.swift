import GRPC
import GRPCServices
import TestSupport

/// Health and reflection: each request is answered once, or ends its call.
@c(fuzz_services) public func fuzzServices(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = FuzzInput(data, count)
  let executor = ManualExecutor()
  let health = HealthService(of: [], board: HealthBoard(), on: executor)
  let reflection = ReflectionService(of: health.methods, pool: Pool.shared)
  for method in health.methods + reflection.methods {
    let call = RecordedCall(on: executor)
    executor.run {
      switch method.handler {
      case .oneRequest(let handle): handle(call, input.rest)
      case .manyRequests(let make): _ = make(call).receive(input.rest) {}
      }
    }
    if call.messages.count + (call.status.map { $0.code == .ok ? 0 : 1 } ?? 0) != 1 {
      violated("a request is answered once or ends its call: \(method.path)")
    }
    executor.run { call.end(.connectionLost) }
  }
  return 0
}

private enum Pool {
  static let shared = DescriptorPool([DescriptorPool.standardSet])
}
