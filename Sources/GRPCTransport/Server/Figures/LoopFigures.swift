import GRPC

/// The figures of one loop, counted on it alone.
final class LoopFigures {
  private let paths: [String]
  /// One for each method, in the router's order, and one for what has no method.
  private let methods: UnsafeMutableBufferPointer<CallFigures>
  @exclusivity(unchecked) var connections = ConnectionFigures()

  init(_ router: Router) {
    paths = router.allPaths + [""]
    methods = .allocate(capacity: paths.count)
    methods.initialize(repeating: CallFigures())
  }

  deinit {
    methods.deinitialize()
    methods.deallocate()
  }

  /// Stands for all methods that there are not.
  var unknownPlace: UInt16 { UInt16(methods.count - 1) }

  func path(_ place: UInt16) -> String { paths[Int(place)] }

  func began(_ place: UInt16) {
    methods[Int(place)].startedCount += 1
  }

  func ended(_ place: UInt16, _ code: StatusCode, milliseconds: UInt32, requestBytes: UInt32, responseBytes: UInt32) {
    methods[Int(place)].end(
      code, milliseconds: milliseconds, requestBytes: requestBytes, responseBytes: responseBytes)
  }

  var snapshot: ServerFigures {
    var figures = ServerFigures()
    for (path, method) in zip(paths, methods) { figures.methods[path] = method }
    figures.connections = connections
    return figures
  }
}

extension CallEnd {
  /// The code that a call is counted under: one that was lost or given up is CANCELLED.
  var code: StatusCode {
    switch self {
    case .finished(let code): code
    case .cancelled, .connectionLost: .cancelled
    case .deadlineExceeded: .deadlineExceeded
    }
  }
}
