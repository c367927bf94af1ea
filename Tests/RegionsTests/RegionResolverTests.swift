import Foundation
import Regions
import Testing

private let resolver = RegionResolver()

private func resolve(_ latitude: Double, _ longitude: Double) throws -> ResolvedPlace {
  resolver.resolve(try #require(Coordinate(latitude: latitude, longitude: longitude)))
}

@Suite struct `Membership in the contiguous United States` {
  private struct Case: Decodable {
    let name: String
    let lat: Double
    let lon: Double
    let contiguous: Bool
    /// Where the rule says otherwise, and may.
    let ruleAnswer: Bool?

    enum CodingKeys: String, CodingKey {
      case name, lat, lon, contiguous
      case ruleAnswer = "rule_answer"
    }
  }

  @Test func `holds for the given cases`() throws {
    let url = try #require(Bundle.module.url(forResource: "membership_cases", withExtension: "json"))
    let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: url))
    #expect(cases.count == 27)
    for each in cases {
      #expect(try resolve(each.lat, each.lon).isSupported == each.ruleAnswer ?? each.contiguous, "\(each.name)")
    }
  }

  @Test(
    arguments: [
      // Near borders, on this side.
      ("Detroit", 42.3297, -83.0425), ("Niagara Falls NY", 43.0962, -79.0377), ("El Paso", 31.7587, -106.4869),
      ("Calexico", 32.6789, -115.4989), ("Nogales AZ", 31.3404, -110.9343), ("Brownsville", 25.9017, -97.4975),
      ("Laredo", 27.5036, -99.5076), ("Sault Ste Marie MI", 46.4953, -84.3453), ("Sumas", 49.0001, -122.265),
      ("Sweet Grass MT", 48.9936, -111.9550), ("Derby Line", 45.0050, -72.0990), ("Calais ME", 45.1891, -67.2786),
      ("Northwest Angle", 49.3447, -95.0661), ("Lubec", 44.8606, -66.9841), ("Presidio", 29.5607, -104.3719),
      // Islands.
      ("Nantucket", 41.2835, -70.0995), ("Martha's Vineyard", 41.3890, -70.6420),
      ("San Juan Island", 48.5343, -123.0170),
      ("Santa Cruz Island", 34.0195, -119.7605), ("Dry Tortugas", 24.6285, -82.8732),
      ("Mackinac Island", 45.8492, -84.6189),
      ("Put-in-Bay", 41.6542, -82.8205), ("Manhattan", 40.7831, -73.9712), ("Alcatraz", 37.8270, -122.4230),
      ("Beaver Island", 45.6736, -85.5519), ("Ocracoke", 35.1146, -75.9810), ("Monhegan", 43.7648, -69.3156),
      ("South Padre Island", 26.1118, -97.1681),
      // Piers and harbours.
      ("Navy Pier", 41.8917, -87.5991), ("Santa Monica Pier", 34.0083, -118.4987), ("Boston Harbor", 42.3400, -71.0200),
      // Inland.
      ("Denver", 39.7392, -104.9903), ("Salt Lake, on the lake", 41.1, -112.5), ("Lebanon KS", 39.8097, -98.5556),
    ] as [(String, Double, Double)])
  func `has places at its edges`(name: String, latitude: Double, longitude: Double) throws {
    #expect(try resolve(latitude, longitude).isSupported, "\(name)")
  }

  @Test(
    arguments: [
      ("Honolulu", 21.3069, -157.8583), ("Hilo", 19.7071, -155.0885), ("Juneau", 58.3005, -134.4197),
      ("Ketchikan", 55.3422, -131.6461), ("Attu", 52.9, 172.9), ("San Juan PR", 18.4655, -66.1057),
      ("Guam", 13.4443, 144.7937), ("Saipan", 15.1850, 145.7467), ("Pago Pago", -14.2756, -170.7020),
      ("St Thomas", 18.3381, -64.8941),
      ("Vancouver", 49.2827, -123.1207), ("Toronto", 43.6532, -79.3832), ("Ottawa", 45.4215, -75.6972),
      ("Saint John NB", 45.2733, -66.0633), ("Fort Frances", 48.6095, -93.3942), ("White Rock", 49.0253, -122.8026),
      ("Thunder Bay", 48.3809, -89.2477), ("Sarnia", 42.9745, -82.4066), ("Kingston ON", 44.2312, -76.4860),
      ("Tijuana", 32.5149, -117.0382), ("Reynosa", 26.0508, -98.2979), ("Piedras Negras", 28.7000, -100.5231),
      ("Monterrey", 25.6866, -100.3161), ("Havana", 23.1136, -82.3666), ("Nassau", 25.0443, -77.3504),
      // Water.
      ("mid Lake Superior", 47.7, -87.5), ("mid Lake Huron", 44.8, -82.4), ("Gulf of Mexico", 27.0, -90.0),
      ("40 km off Oregon", 44.6, -124.6), ("Pacific", 35.0, -124.0),
      // Mistakes.
      ("null island", 0, 0), ("Los Angeles, swapped", -90, 34.05), ("Los Angeles, east", 34.0522, 118.2437),
      ("Los Angeles, south", -34.0522, -118.2437), ("Chicago, both signs flipped", -41.8781, 87.6298),
      ("Boston, swapped", 42.3601 - 84, 71.0589), ("north pole", 90, 0), ("south pole", -90, 0),
      ("antimeridian", 40, 180), ("antimeridian, west", 40, -180),
    ] as [(String, Double, Double)])
  func `ends at its edges`(name: String, latitude: Double, longitude: Double) throws {
    let place = try resolve(latitude, longitude)
    #expect(!place.isSupported, "\(name)")
    #expect(place.gridRegion == nil && place.timeZone == nil)
    #expect(place.basis == "outside the contiguous United States")
  }

  @Test(
    arguments: [
      (Double.nan, 0.0), (0, Double.nan), (.infinity, 0), (0, -.infinity), (90.001, 0), (-91, 0), (0, 180.5),
      (-118.24, 34.05),
      (1e300, 1e300),
    ] as [(Double, Double)])
  func `is not asked of what is no coordinate`(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
  }
}

@Suite struct `The grid and the zone of a place` {
  @Test(
    arguments: [
      ("Los Angeles, downtown", 34.0522, -118.2437, "LDWP"), ("San Francisco", 37.7749, -122.4194, "CISO"),
      ("San Diego", 32.7157, -117.1611, "CISO"),
      ("Houston", 29.7604, -95.3698, "ERCO"), ("Dallas", 32.7767, -96.7970, "ERCO"),
      ("El Paso", 31.7619, -106.4850, "EPE"),
      ("New York", 40.7128, -74.0060, "NYIS"), ("Boston", 42.3601, -71.0589, "ISNE"),
      ("Philadelphia", 39.9526, -75.1652, "PJM"), ("Chicago", 41.8781, -87.6298, "PJM"),
      ("Indianapolis", 39.7684, -86.1581, "MISO"), ("Seattle", 47.6062, -122.3321, "SCL"),
      ("Miami", 25.7617, -80.1918, "FPL"), ("Phoenix", 33.4484, -112.0740, nil),
      ("Nashville", 36.1627, -86.7816, "TVA"),
    ] as [(String, Double, Double, String?)])
  func `have the authority that serves it`(name: String, latitude: Double, longitude: Double, authority: String?) throws
  {
    let place = try resolve(latitude, longitude)
    if let authority {
      #expect(place.gridRegion == authority, "\(name): \(place.basis)")
    } else {
      // Two utilities share the town.
      #expect(["AZPS", "SRP"].contains(place.gridRegion), "\(name): \(place.basis)")
    }
    #expect(place.basis.contains("km away"))
  }

  @Test(
    arguments: [
      ("Indianapolis", 39.7684, -86.1581, "America/New_York"), ("Gary IN", 41.5934, -87.3464, "America/Chicago"),
      ("Evansville IN", 37.9716, -87.5711, "America/Chicago"), ("Louisville KY", 38.2527, -85.7585, "America/New_York"),
      ("Paducah KY", 37.0834, -88.6001, "America/Chicago"), ("Knoxville TN", 35.9606, -83.9207, "America/New_York"),
      ("Memphis TN", 35.1495, -90.0490, "America/Chicago"), ("Miami FL", 25.7617, -80.1918, "America/New_York"),
      ("Pensacola FL", 30.4213, -87.2169, "America/Chicago"), ("Boise ID", 43.6150, -116.2023, "America/Denver"),
      ("Coeur d'Alene ID", 47.6777, -116.7805, "America/Los_Angeles"),
      ("Portland OR", 45.5152, -122.6784, "America/Los_Angeles"),
      ("Ontario OR", 44.0266, -116.9629, "America/Denver"), ("El Paso TX", 31.7619, -106.4850, "America/Denver"),
      ("Austin TX", 30.2672, -97.7431, "America/Chicago"), ("Goodland KS", 39.3508, -101.7102, "America/Denver"),
      ("Topeka KS", 39.0473, -95.6752, "America/Chicago"), ("Scottsbluff NE", 41.8666, -103.6672, "America/Denver"),
      ("Omaha NE", 41.2565, -95.9345, "America/Chicago"), ("Rapid City SD", 44.0805, -103.2310, "America/Denver"),
      ("Sioux Falls SD", 43.5446, -96.7311, "America/Chicago"), ("Fargo ND", 46.8772, -96.7898, "America/Chicago"),
      ("Dickinson ND", 46.8792, -102.7896, "America/Denver"), ("Detroit MI", 42.3314, -83.0458, "America/New_York"),
      ("Iron Mountain MI", 45.8202, -88.0660, "America/Chicago"), ("Phoenix AZ", 33.4484, -112.0740, "America/Phoenix"),
      ("Las Vegas NV", 36.1699, -115.1398, "America/Los_Angeles"),
      ("Salt Lake City UT", 40.7608, -111.8910, "America/Denver"),
    ] as [(String, Double, Double, String)])
  func `have its clock, in states with two of them too`(
    name: String, latitude: Double, longitude: Double, zone: String
  ) throws {
    let place = try resolve(latitude, longitude)
    #expect(place.timeZone == zone, "\(name): \(place.basis)")
  }

  @Test func `are found for every place on a raster of the country, in time`() throws {
    var supported = 0
    let clock = ContinuousClock()
    let time = try clock.measure {
      for latitude in stride(from: 24.5, through: 49.5, by: 1) {
        for longitude in stride(from: -125.0, through: -66.0, by: 1) {
          let place = try resolve(latitude, longitude)
          #expect(place.isSupported == (place.gridRegion != nil) && place.isSupported == (place.timeZone != nil))
          supported += place.isSupported ? 1 : 0
        }
      }
    }
    print("measured: a place takes \(time / 1_560), \(supported) of 1560 are supported")
    #expect((780...900).contains(supported))
  }

  @Test func `are found from many threads at once`() async throws {
    await withTaskGroup(of: String?.self) { group in
      for index in 0..<200 {
        group.addTask {
          Coordinate(latitude: 30 + Double(index % 15), longitude: -100).map { resolver.resolve($0).gridRegion ?? "" }
        }
      }
      for await region in group { #expect(region?.isEmpty == false) }
    }
  }
}
