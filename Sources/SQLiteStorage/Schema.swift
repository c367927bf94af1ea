package import Storage

/// The tables, as steps from an empty file on. Steps are only ever added: step n turns version n into version n + 1.
package enum Schema {
  package static let migrations = [version1, version2, version3, version4]

  /// Stands in the file's header, so that no other program's database is taken for ours: "EnKt".
  static let applicationID: Int64 = 0x456e_4b74

  /// Brings the file to the newest version, all steps in one transaction.
  ///
  /// - Throws: `newerSchema` where the file has more steps behind it than there are; `failed` where it is not ours.
  package static func migrate(
    _ connection: Connection, with migrations: [String] = migrations
  ) throws(StoreError) {
    let found = try connection.integer("PRAGMA user_version")
    let supported = Int64(migrations.count)
    try checkOwner(of: connection, isEmpty: found == 0)
    guard found <= supported else { throw .newerSchema(found: Int(found), supported: Int(supported)) }
    guard found >= 0 else { throw .failed(operation: "open database", reason: "there is no schema version \(found)") }
    guard found < supported else { return }
    try connection.transaction { () throws(StoreError) in
      for migration in migrations[Int(found)...] { try connection.execute(migration) }
      try connection.execute("PRAGMA application_id = \(applicationID)")
      try connection.execute("PRAGMA user_version = \(supported)")
    }
  }

  private static func checkOwner(of connection: Connection, isEmpty: Bool) throws(StoreError) {
    let owner = try connection.integer("PRAGMA application_id")
    let tableCount = try connection.integer("SELECT count(*) FROM sqlite_schema")
    guard owner == applicationID || (isEmpty && owner == 0 && tableCount == 0) else {
      throw .failed(operation: "open database", reason: "the file is another program's database")
    }
  }

  /// Ids are 16 bytes, times milliseconds since 1970, power mW, energy mWh.
  ///
  /// `sequence` numbers the events in the order of their commits. Their key starts with the time, so that new rows go
  /// near the end of its tree: a key that starts with a random id is several times slower.
  private static let version1 = """
    CREATE TABLE events (
      sequence INTEGER PRIMARY KEY,
      timestamp INTEGER NOT NULL,
      id BLOB NOT NULL,
      venue_id BLOB NOT NULL,
      client_id BLOB NOT NULL,
      kind INTEGER NOT NULL,
      device_type INTEGER NOT NULL,
      device_id TEXT NOT NULL,
      device_name TEXT,
      session_id BLOB,
      session_state INTEGER,
      was_following_guidance INTEGER,
      guidance_token BLOB,
      percent INTEGER NOT NULL,
      direction INTEGER,
      power INTEGER,
      energy INTEGER,
      has_performance INTEGER,
      range_meters REAL,
      battery_celsius REAL,
      status INTEGER,
      reason INTEGER,
      target_percent INTEGER,
      target_completion_time INTEGER,
      target_start_time INTEGER,
      target_range_meters REAL,
      received_at INTEGER NOT NULL,
      UNIQUE (timestamp, id, venue_id, client_id)
    );
    CREATE TABLE clients (
      id BLOB NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      entitlements INTEGER NOT NULL,
      is_disabled INTEGER NOT NULL,
      create_time INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX clients_by_name ON clients (name, id);
    CREATE TABLE client_keys (
      hash BLOB NOT NULL PRIMARY KEY,
      client_id BLOB NOT NULL REFERENCES clients (id)
    ) WITHOUT ROWID;
    CREATE INDEX client_keys_by_client ON client_keys (client_id);
    CREATE TABLE venues (
      id BLOB NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      home_id BLOB,
      time_zone TEXT NOT NULL,
      grid_region TEXT NOT NULL,
      rate_plan_id TEXT,
      incorporates_rate_plan INTEGER NOT NULL,
      is_region_supported INTEGER NOT NULL,
      is_location_services_denied INTEGER NOT NULL,
      create_time INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX venues_by_name ON venues (name, id);
    CREATE INDEX venues_by_home ON venues (home_id) WHERE home_id IS NOT NULL;
    CREATE TABLE venue_access (
      client_id BLOB NOT NULL REFERENCES clients (id),
      venue_id BLOB NOT NULL REFERENCES venues (id),
      access INTEGER NOT NULL,
      PRIMARY KEY (client_id, venue_id)
    ) WITHOUT ROWID;
    CREATE INDEX venue_access_by_venue ON venue_access (venue_id);
    CREATE TABLE rate_plans (
      id TEXT NOT NULL PRIMARY KEY,
      body BLOB NOT NULL
    );
    CREATE TABLE grid_signals (
      grid_region TEXT NOT NULL,
      issue_time INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      model TEXT NOT NULL,
      is_measured INTEGER NOT NULL,
      points BLOB NOT NULL,
      PRIMARY KEY (grid_region, issue_time, kind, model, is_measured)
    );
    CREATE TABLE guidance_series (
      number INTEGER PRIMARY KEY,
      series TEXT NOT NULL UNIQUE
    );
    CREATE TABLE guidance_revisions (
      series_number INTEGER NOT NULL REFERENCES guidance_series (number),
      issue_time INTEGER NOT NULL,
      number INTEGER NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (series_number, issue_time, number)
    );
    CREATE TABLE master_keys (
      id INTEGER PRIMARY KEY,
      secret BLOB NOT NULL,
      create_time INTEGER NOT NULL
    );
    """

  /// Sessions and devices, so far only known by their events. Where events came before there were rules of sessions,
  /// the last event by time says where a session stands.
  private static let version2 = """
    CREATE TABLE load_sessions (
      number INTEGER PRIMARY KEY,
      id BLOB NOT NULL,
      venue_id BLOB NOT NULL,
      client_id BLOB NOT NULL,
      device_id TEXT NOT NULL,
      flow INTEGER NOT NULL,
      begin_time INTEGER NOT NULL,
      last_time INTEGER NOT NULL,
      last_energy INTEGER NOT NULL,
      is_open INTEGER NOT NULL,
      UNIQUE (id, venue_id, client_id)
    );
    CREATE INDEX open_load_sessions ON load_sessions (client_id, venue_id) WHERE is_open;
    CREATE TABLE load_devices (
      client_id BLOB NOT NULL,
      venue_id BLOB NOT NULL,
      device_id TEXT NOT NULL,
      PRIMARY KEY (client_id, venue_id, device_id)
    ) WITHOUT ROWID;
    INSERT INTO load_sessions
        (id, venue_id, client_id, device_id, flow, begin_time, last_time, last_energy, is_open)
      SELECT session_id, venue_id, client_id, device_id, coalesce(direction, 0), begin_time, timestamp,
          coalesce(energy, 0), session_state <> 3
        FROM (
          SELECT *, min(timestamp) OVER session AS begin_time,
              row_number() OVER (session ORDER BY timestamp DESC, sequence DESC) AS place
            FROM events WHERE kind = 1 WINDOW session AS (PARTITION BY session_id, venue_id, client_id))
        WHERE place = 1;
    INSERT INTO load_devices SELECT DISTINCT client_id, venue_id, device_id FROM events;
    """

  /// Keys that end, where venues are (0.01 degrees), and what is being erased.
  private static let version3 = """
    ALTER TABLE client_keys ADD COLUMN end_time INTEGER;
    ALTER TABLE venues ADD COLUMN latitude INTEGER;
    ALTER TABLE venues ADD COLUMN longitude INTEGER;
    CREATE TABLE erasures (
      number INTEGER PRIMARY KEY,
      venue_id BLOB NOT NULL,
      client_id BLOB,
      device_id TEXT,
      last_sequence INTEGER NOT NULL
    );
    """

  /// Events that a client has leased of its daily budget (days since 1970, UTC): of its last day only.
  private static let version4 = """
    CREATE TABLE daily_events (
      client_id BLOB NOT NULL PRIMARY KEY,
      day INTEGER NOT NULL,
      leased INTEGER NOT NULL
    ) WITHOUT ROWID;
    """
}
