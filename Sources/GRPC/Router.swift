import Glibc

/// The methods of one executor, by path. A request's path is looked up as it came, without becoming a `String`.
package struct Router {
  /// Open addressing, a power of two, at most half full; -1 is a free place. Keys are our own paths only, so a client
  /// cannot make them collide.
  private var table: [Int32] = [-1, -1]
  private var methods: [Method] = []
  private var paths: [[UInt8]] = []
  private var services: Set<String> = []
  private let contract: Set<String>

  /// Of two methods with one path, the later counts.
  ///
  /// - Parameter contract: Paths of methods that callers know of, served here or not.
  package init(_ methods: [Method], contract: some Sequence<String> = EmptyCollection<String>()) {
    self.contract = Set(contract)
    var byPath: [String: Method] = [:]
    for method in methods { byPath[method.path] = method }
    self.methods = byPath.values.sorted { $0.path < $1.path }
    paths = self.methods.map { Array($0.path.utf8) }
    services = Set(self.methods.compactMap { PathParts($0.path)?.service })
    var capacity = 2
    while capacity < 2 * self.methods.count { capacity *= 2 }
    table = Array(repeating: -1, count: capacity)
    for (index, path) in paths.enumerated() {
      let place = path.withUnsafeBytes { firstFree(from: hash($0)) }
      table[place] = Int32(index)
    }
  }

  package subscript(path: String) -> Method? {
    var path = path
    return path.withUTF8 { method(at: UnsafeRawBufferPointer($0)) }
  }

  package func method(at path: UnsafeRawBufferPointer) -> Method? {
    index(of: path).map { methods[$0] }
  }

  /// The paths of all methods, ascending; their places are the methods' indices.
  package var allPaths: [String] { methods.map(\.path) }

  package func index(of path: UnsafeRawBufferPointer) -> Int? {
    var place = hash(path) & (table.count - 1)
    while table[place] >= 0 {
      let index = Int(table[place])
      if isPath(index, path) { return index }
      place = (place + 1) & (table.count - 1)
    }
    return nil
  }

  package subscript(index: Int) -> Method { methods[index] }

  /// The answer to a path that `method(at:)` does not know: UNIMPLEMENTED, saying whether it is a method of the contract
  /// that is not served, or the service or the method that is unknown (G-031). The path is shown cut to 256 bytes.
  package func refusal(of path: UnsafeRawBufferPointer) -> Status {
    let text = String(decoding: path.prefix(256), as: UTF8.self)
    guard let parts = PathParts(text) else { return Status(.unimplemented, "malformed method path \(text)") }
    if contract.contains(text) {
      return Status(.unimplemented, "\(parts.service)/\(parts.method) is not served by this version")
    }
    guard services.contains(parts.service) else {
      return Status(.unimplemented, "unknown service \(parts.service)")
    }
    return Status(.unimplemented, "unknown method \(parts.method) of service \(parts.service)")
  }

  private func isPath(_ index: Int, _ path: UnsafeRawBufferPointer) -> Bool {
    paths[index].withUnsafeBytes { known in
      guard known.count == path.count, let a = known.baseAddress, let b = path.baseAddress else { return false }
      return memcmp(a, b, path.count) == 0
    }
  }

  private func firstFree(from hash: Int) -> Int {
    var place = hash & (table.count - 1)
    while table[place] >= 0 { place = (place + 1) & (table.count - 1) }
    return place
  }

  /// Eight bytes a step; the multiplication by an odd constant spreads, the shift brings high bits down.
  private func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    var state = UInt64(truncatingIfNeeded: bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      state = mix(state ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while offset < bytes.count {
      state = mix(state ^ UInt64(bytes[offset]))
      offset += 1
    }
    return Int(truncatingIfNeeded: state >> 1)
  }

  private func mix(_ value: UInt64) -> UInt64 {
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ (product >> 29)
  }
}

/// `/service/method`.
struct PathParts {
  let service: String
  let method: String

  init?(_ path: String) {
    guard path.first == "/", let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
    service = String(path[path.index(after: path.startIndex)..<slash])
    method = String(path[path.index(after: slash)...])
    guard !service.isEmpty, !method.isEmpty else { return nil }
  }
}
