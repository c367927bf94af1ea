package import EnergyModel
package import FoundationEssentials
package import Storage

/// A client that is there now.
package struct CreatedClient: Sendable {
  package let client: Client
  /// Shown this once; `nil` where the client was there already.
  package let key: APIKey?
}

/// What of a client is to be changed; `nil`: nothing of it.
package struct ClientUpdate: Hashable, Sendable {
  package var name: String?
  package var entitlements: Set<Entitlement>?
  package var isDisabled: Bool?

  package init(name: String? = nil, entitlements: Set<Entitlement>? = nil, isDisabled: Bool? = nil) {
    self.name = name
    self.entitlements = entitlements
    self.isDisabled = isDisabled
  }
}

extension AdminOperations {
  /// - Parameter id: `nil`: a new one. Repeating a request with an id is harmless.
  /// - Throws: `alreadyExists` where the id is known with another name or other entitlements.
  package func createClient(
    id: UUID?, name: String, entitlements: Set<Entitlement>
  ) async throws(AdminFailure) -> CreatedClient {
    try await change {
      if let id, let known = try await store.client(id: id) {
        guard known.name == name, known.entitlements == entitlements else {
          throw AdminFailure.alreadyExists(.client(id: id.text))
        }
        return CreatedClient(client: known, key: nil)
      }
      let key = try APIKey.make()
      let client = Client(
        id: id ?? UUID(), name: name, entitlements: entitlements, isDisabled: false, createTime: clock.now)
      try await store.save(client, keyHash: key.hash.bytes)
      await tell(.client(client.id), AdminChange("CreateClient", clientID: client.id))
      return CreatedClient(client: client, key: key)
    }
  }

  /// - Throws: `notFound`.
  package func client(id: UUID) async throws(AdminFailure) -> Client {
    try await read {
      guard let client = try await store.client(id: id) else { throw AdminFailure.notFound(.client(id: id.text)) }
      return client
    }
  }

  /// By name, then id.
  package func clients(after cursor: NameCursor?, limit: Int) async throws(AdminFailure) -> Page<Client> {
    try await read {
      Page(try await store.clients(after: cursor, limit: limit + 1), limit: limit) {
        NameCursor(name: $0.name, id: $0.id)
      }
    }
  }

  /// Calls and streams by what was before have ended when this returns, or end within a second.
  /// - Throws: `notFound`.
  package func updateClient(id: UUID, _ update: ClientUpdate) async throws(AdminFailure) -> Client {
    try await change {
      guard var client = try await store.client(id: id) else { throw AdminFailure.notFound(.client(id: id.text)) }
      let earlier = client
      if let name = update.name { client.name = name }
      if let entitlements = update.entitlements { client.entitlements = entitlements }
      if let isDisabled = update.isDisabled { client.isDisabled = isDisabled }
      guard client != earlier else { return client }
      try await store.save(client, keyHash: nil)
      await tell(.client(id), AdminChange("UpdateClient", client.differences(from: earlier), clientID: id))
      return client
    }
  }

  /// Its events stay with their venues.
  /// - Throws: `notFound`.
  package func deleteClient(id: UUID) async throws(AdminFailure) {
    try await change {
      guard try await store.deleteClient(id: id) else { throw AdminFailure.notFound(.client(id: id.text)) }
      await tell(.client(id), AdminChange("DeleteClient", clientID: id))
    }
  }

  /// Makes the client another key; the others work for `overlapMilliseconds` more, not longer than they would have.
  /// - Throws: `notFound`.
  package func rotateKey(clientID: UUID, overlapMilliseconds: Int64) async throws(AdminFailure) -> APIKey {
    try await change {
      guard try await store.client(id: clientID) != nil else {
        throw AdminFailure.notFound(.client(id: clientID.text))
      }
      let key = try APIKey.make()
      let now = clock.now
      try await store.replaceKeys(
        of: clientID, by: key.hash.bytes, othersEnd: now.advanced(byMilliseconds: overlapMilliseconds), now: now)
      await tell(
        .client(clientID),
        AdminChange("RotateClientKey", "overlap of \(overlapMilliseconds / 1000) s", clientID: clientID))
      return key
    }
  }
}

extension Client {
  /// For the log: what is otherwise than before.
  fileprivate func differences(from earlier: Client) -> String {
    var words: [String] = []
    if name != earlier.name { words.append("name") }
    if entitlements != earlier.entitlements { words.append("entitlements") }
    if isDisabled != earlier.isDisabled { words.append(isDisabled ? "disabled" : "enabled") }
    return words.joined(separator: ", ")
  }
}
