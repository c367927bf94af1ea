import EnergyService

/// The operator's key, in a file that only its owner may read; made on the first start.
enum AdminKeyFile {
  /// - Parameter path: `nil`: a key for this run alone, told nowhere (with `--store memory:` and no `--admin-key-file`).
  static func readOrMake(_ path: String?) throws(StartError) -> (key: AdminKey, text: String) {
    if let path, let text = try read(path), let key = AdminKey(text) { return (key, text) }
    guard let text = try? APIKey.make().text, let key = AdminKey(text) else {
      throw StartError("no random bytes for the admin key")
    }
    if let path { try SecretFile.write(text + "\n", to: path) }
    return (key, text)
  }

  /// The key in the file; `nil` where there is no file.
  static func read(_ path: String) throws(StartError) -> String? {
    guard let content = try SecretFile.read(path) else { return nil }
    let text = String(content.prefix { !$0.isWhitespace })
    // What could not come in a header can never be the key: it would lock the operator out.
    guard (16...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw StartError("\(path): holds no key of 16 to 512 printable ASCII characters")
    }
    return text
  }
}
