/// The zone whose midnight begins a grid region's day (docs/rating.md, Reference).
package enum GridRegionZone {
  /// IANA name; `UTC` for regions that are not a US balancing authority, such as an operator's own.
  package static func timeZone(ofRegion code: String) -> String { zones[code] ?? "UTC" }

  /// Balancing authorities as EIA-930 codes them; each with the local zone EIA gives for it, by its IANA name.
  private static let zones: [String: String] = {
    let codes = [
      "America/Los_Angeles": """
      AVA AVRN BANC BPAT CHPD CISO DOPD GCPD GRID IID LDWP NEVP PACW PGE PSEI SCL TIDC TPWR
      """,
      "America/Phoenix": "AZPS DEAA GRIF GRMA HGMA SRP TEPC WALC",
      "America/Denver": "EPE GWA IPCO NWMT PACE PNM PSCO WACM WAUE WAUW WWA",
      "America/Chicago": "AEC AECI EEI ERCO GLHB GRIS MISO SIKE SOCO SPA SWPP TVA",
      "America/New_York": """
      CPLE CPLW CSTO DUK FMPP FPC FPL GVL HST ISNE JEA LGEE NSB NYIS OVEC PJM SC SCEG SEC SEPA TAL TEC YAD
      """,
      "America/Anchorage": "AMPL CEA",
      "Pacific/Honolulu": "HECO",
    ]
    var zones: [String: String] = [:]
    for (zone, list) in codes {
      for code in list.split(separator: " ") { zones[String(code)] = zone }
    }
    return zones
  }()
}
