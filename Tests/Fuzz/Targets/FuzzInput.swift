/// What the fuzzer made up, read from its front.
struct FuzzInput {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ data: UnsafePointer<UInt8>?, _ count: Int) {
    rest = UnsafeRawBufferPointer(start: data, count: count)
  }

  /// 0 where nothing is left.
  mutating func byte() -> UInt8 {
    guard let first = rest.first else { return 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
    return first
  }

  /// As many as are left, at most.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    let taken = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    return taken
  }
}

/// Ends the process, for libFuzzer to keep the input.
func violated(_ rule: String) -> Never {
  fatalError("violated: \(rule)")
}
