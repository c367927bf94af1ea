import EnergyModel
import GRPC
import Locking
import NetworkIO

/// What each event loop serves: made on the loops before anything listens, so that a loop that cannot serve ends the start.
final class LoopServices: Sendable {
  /// `@unchecked Sendable`: made on a loop, and used on that loop alone.
  private struct Made: @unchecked Sendable {
    let service: Service
  }

  private let made = Lock<[ObjectIdentifier: Made]>([:])

  /// - Throws: where `make` does on one of the loops.
  init(
    on loops: [EventLoop], _ make: @escaping @Sendable (EventLoop) throws(EnergyKitError) -> Service
  ) async throws(StartError) {
    for loop in loops {
      let result = await withCheckedContinuation { continuation in
        loop.execute { continuation.resume(returning: Self.attempt(make, on: loop)) }
      }
      switch result {
      case .success(let service): made.withLock { $0[ObjectIdentifier(loop)] = service }
      case .failure(let error): throw StartError("an event loop cannot serve: \(error)")
      }
    }
  }

  private static func attempt(
    _ make: (EventLoop) throws(EnergyKitError) -> Service, on loop: EventLoop
  ) -> Result<Made, EnergyKitError> {
    do throws(EnergyKitError) {
      return .success(Made(service: try make(loop)))
    } catch {
      return .failure(error)
    }
  }

  /// Hands over what was made on `executor`, once, and on it.
  func take(_ executor: any CallExecutor) -> Service {
    guard let made = made.withLock({ $0.removeValue(forKey: ObjectIdentifier(executor)) }) else {
      preconditionFailure("each loop serves once")
    }
    return made.service
  }
}
