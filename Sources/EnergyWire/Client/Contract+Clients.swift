internal import CEnergyProto
package import EnergyModel
package import FoundationEssentials
package import ProtobufWire

// AdminService: clients and their keys.

extension Contract {
  package struct CreatedClient: Hashable, Sendable {
    package let client: Client
    /// Shown once; empty where the client was there already.
    package let apiKey: String
  }

  package struct CreateClient: ContractCall {
    /// `nil`: the server makes one.
    package let clientID: UUID?
    package let name: String
    package let entitlements: Set<Entitlement>

    package init(clientID: UUID? = nil, name: String, entitlements: Set<Entitlement>) {
      self.clientID = clientID
      self.name = name
      self.entitlements = entitlements
    }

    package static var method: MethodName { .createClient }
    package static var answerType: ContractMessage { .init(energykit__v1__create_client_response__init) }

    package func encode(to sink: inout some WireSink) {
      if let clientID { sink.uuid(clientID, 1) }
      sink.string(name, 2)
      sink.entitlements(entitlements, 3)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> CreatedClient {
      let raw = message.view(Energykit__V1__CreateClientResponse.self).pointee
      return CreatedClient(
        client: try Client(message.required(raw.client, "client"), message.arena),
        apiKey: try message.arena.text(of: raw.api_key))
    }
  }

  package struct GetClient: ContractCall {
    package let clientID: UUID

    package init(clientID: UUID) {
      self.clientID = clientID
    }

    package static var method: MethodName { .getClient }
    package static var answerType: ContractMessage { .init(energykit__v1__get_client_response__init) }

    package func encode(to sink: inout some WireSink) { sink.uuid(clientID, 1) }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Client {
      let raw = message.view(Energykit__V1__GetClientResponse.self).pointee
      return try Client(message.required(raw.client, "client"), message.arena)
    }
  }

  package struct ListClients: PagedCall {
    package typealias Item = Client

    package var pageSize: Int32
    package var pageToken: String

    package init(pageSize: Int32 = 0, pageToken: String = "") {
      self.pageSize = pageSize
      self.pageToken = pageToken
    }

    package static var method: MethodName { .listClients }
    package static var answerType: ContractMessage { .init(energykit__v1__list_clients_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.integer(Int64(pageSize), 1)
      sink.string(pageToken, 2)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Page<Client> {
      let raw = message.view(Energykit__V1__ListClientsResponse.self).pointee
      return Page(
        items: try message.list(raw.n_clients, raw.clients) { client throws(WireError) in
          try Client(client, message.arena)
        },
        nextPageToken: try message.arena.text(of: raw.next_page_token))
    }
  }

  /// What is `nil` stays as it is.
  package struct UpdateClient: ContractCall {
    package let clientID: UUID
    package let name: String?
    package let entitlements: Set<Entitlement>?
    package let isDisabled: Bool?

    package init(
      clientID: UUID, name: String? = nil, entitlements: Set<Entitlement>? = nil, isDisabled: Bool? = nil
    ) {
      self.clientID = clientID
      self.name = name
      self.entitlements = entitlements
      self.isDisabled = isDisabled
    }

    package static var method: MethodName { .updateClient }
    package static var answerType: ContractMessage { .init(energykit__v1__update_client_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(clientID, 1)
      sink.message(name.map(StringValueMessage.init), 2)
      sink.bool(entitlements != nil, 3)
      sink.entitlements(entitlements ?? [], 4)
      sink.message(isDisabled.map(BoolValueMessage.init), 5)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> Client {
      let raw = message.view(Energykit__V1__UpdateClientResponse.self).pointee
      return try Client(message.required(raw.client, "client"), message.arena)
    }
  }

  package struct DeleteClient: ContractCall {
    package let clientID: UUID

    package init(clientID: UUID) {
      self.clientID = clientID
    }

    package static var method: MethodName { .deleteClient }
    package static var answerType: ContractMessage { .init(energykit__v1__delete_client_response__init) }
    package func encode(to sink: inout some WireSink) { sink.uuid(clientID, 1) }
    package static func answer(_ message: DecodedMessage) throws(WireError) {}
  }

  /// Answered by the new key.
  package struct RotateClientKey: ContractCall {
    package let clientID: UUID
    /// How long the old key works beside the new one; `nil`: it ends at once.
    package let overlapSeconds: Int?

    package init(clientID: UUID, overlapSeconds: Int? = nil) {
      self.clientID = clientID
      self.overlapSeconds = overlapSeconds
    }

    package static var method: MethodName { .rotateClientKey }
    package static var answerType: ContractMessage { .init(energykit__v1__rotate_client_key_response__init) }

    package func encode(to sink: inout some WireSink) {
      sink.uuid(clientID, 1)
      sink.message(overlapSeconds.map(DurationMessage.init), 2)
    }

    package static func answer(_ message: DecodedMessage) throws(WireError) -> String {
      try message.arena.text(of: message.view(Energykit__V1__RotateClientKeyResponse.self).pointee.api_key)
    }
  }
}

extension Client {
  /// Without entitlements that this client does not know.
  init(_ raw: UnsafePointer<Energykit__V1__Client>, _ arena: DecodeArena) throws(WireError) {
    let entitlements = UnsafeBufferPointer(start: raw.pointee.entitlements, count: raw.pointee.n_entitlements)
    self.init(
      id: try arena.uuid(raw.pointee.id, field: "client.id"), name: try arena.text(of: raw.pointee.name),
      entitlements: Set(
        entitlements.compactMap { UInt8(exactly: $0.rawValue).flatMap(Entitlement.init(rawValue:)) }),
      isDisabled: raw.pointee.disabled != 0,
      createTime: Timestamp(raw.pointee.create_time) ?? Timestamp(seconds: 0))
  }
}

extension WireSink {
  /// Packed; each value is one byte.
  mutating func entitlements(_ entitlements: Set<Entitlement>, _ field: UInt32) {
    guard !entitlements.isEmpty else { return }
    entitlements.map(\.rawValue).sorted().withUnsafeBytes { bytes($0, field) }
  }
}
