import Glibc

/// Runs `body` with the path of an empty directory that is removed afterwards.
package func withTemporaryDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  let created = "/tmp/energykit-test-XXXXXX".withCString { template -> String? in
    guard let copy = strdup(template) else { return nil }
    defer { free(copy) }
    return mkdtemp(copy).map { String(cString: $0) }
  }
  guard let path = created else { preconditionFailure("mkdtemp failed") }
  defer { removeTree(path) }
  return try await body(path)
}

/// Removes a file, or a directory and all in it.
private func removeTree(_ path: String) {
  for name in names(in: path) { removeTree(path + "/" + name) }
  remove(path)
}

/// The names in a directory, sorted; none where there is no such directory.
package func names(in directory: String) -> [String] {
  guard let stream = opendir(directory) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}
