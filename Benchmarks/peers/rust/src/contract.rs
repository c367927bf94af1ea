// The messages (what prost-build makes of the contract), what the service does with them, and gRPC's framing. It decodes,
// looks at the shape, answers, and does nothing else: no keys, no venues, no token, no store.
use bytes::{BufMut, Bytes};
use http::{HeaderMap, HeaderValue};
use prost::Message;
use std::cell::RefCell;

// MARK: - Messages

#[derive(Clone, PartialEq, Message)]
pub struct Timestamp {
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}
#[derive(Clone, PartialEq, Message)]
pub struct DoubleValue {
    #[prost(double, tag = "1")]
    pub value: f64,
}
#[derive(Clone, PartialEq, Message)]
pub struct TimeInterval {
    #[prost(message, optional, tag = "1")]
    pub start: Option<Timestamp>,
    #[prost(message, optional, tag = "2")]
    pub end: Option<Timestamp>,
}
#[derive(Clone, PartialEq, Message)]
pub struct ElectricalLoadDevice {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(int32, tag = "3")]
    pub r#type: i32,
}
#[derive(Clone, PartialEq, Message)]
pub struct VehiclePerformanceMetrics {
    #[prost(message, optional, tag = "1")]
    pub estimated_range_meters: Option<DoubleValue>,
    #[prost(message, optional, tag = "2")]
    pub battery_temperature_celsius: Option<DoubleValue>,
}
#[derive(Clone, PartialEq, Message)]
pub struct ElectricVehicleMeasurement {
    #[prost(int32, tag = "1")]
    pub state_of_charge_percent: i32,
    #[prost(int32, tag = "2")]
    pub direction: i32,
    #[prost(int64, tag = "3")]
    pub power_milliwatts: i64,
    #[prost(int64, tag = "4")]
    pub energy_milliwatt_hours: i64,
    #[prost(message, optional, tag = "5")]
    pub performance_metrics: Option<VehiclePerformanceMetrics>,
}
#[derive(Clone, PartialEq, Message)]
pub struct HvacMeasurement {
    #[prost(int32, tag = "1")]
    pub stage_percent: i32,
}
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Identity {
    #[prost(string, tag = "7")]
    DeviceId(String),
    #[prost(message, tag = "8")]
    Device(ElectricalLoadDevice),
}
#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Measurement {
    #[prost(message, tag = "9")]
    ElectricVehicle(ElectricVehicleMeasurement),
    #[prost(message, tag = "10")]
    Hvac(HvacMeasurement),
}
#[derive(Clone, PartialEq, Message)]
pub struct LoadEvent {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(message, optional, tag = "2")]
    pub timestamp: Option<Timestamp>,
    #[prost(string, tag = "3")]
    pub session_id: String,
    #[prost(int32, tag = "4")]
    pub session_state: i32,
    #[prost(bool, tag = "5")]
    pub was_following_guidance: bool,
    #[prost(string, tag = "6")]
    pub guidance_token: String,
    #[prost(oneof = "Identity", tags = "7, 8")]
    pub identity: Option<Identity>,
    #[prost(oneof = "Measurement", tags = "9, 10")]
    pub measurement: Option<Measurement>,
}
#[derive(Clone, PartialEq, Message)]
pub struct SubmitLoadEventsRequest {
    #[prost(string, tag = "1")]
    pub venue_id: String,
    #[prost(message, repeated, tag = "2")]
    pub load_events: Vec<LoadEvent>,
    #[prost(bool, tag = "4")]
    pub allow_partial_success: bool,
}
#[derive(Clone, PartialEq, Message)]
pub struct SubmitLoadEventsResponse {
    #[prost(int32, tag = "1")]
    pub stored_count: i32,
}
#[derive(Clone, PartialEq, Message)]
pub struct GuidanceValue {
    #[prost(message, optional, tag = "1")]
    pub interval: Option<TimeInterval>,
    #[prost(double, tag = "2")]
    pub rating: f64,
}
#[derive(Clone, PartialEq, Message)]
pub struct ElectricityGuidance {
    #[prost(string, tag = "1")]
    pub guidance_token: String,
    #[prost(string, tag = "2")]
    pub venue_id: String,
    #[prost(int32, tag = "3")]
    pub suggested_action: i32,
    #[prost(message, optional, tag = "4")]
    pub interval: Option<TimeInterval>,
    #[prost(int32, repeated, tag = "5")]
    pub options: Vec<i32>,
    #[prost(message, repeated, tag = "6")]
    pub values: Vec<GuidanceValue>,
    #[prost(message, optional, tag = "7")]
    pub issue_time: Option<Timestamp>,
    #[prost(string, tag = "8")]
    pub grid_region: String,
    #[prost(message, optional, tag = "9")]
    pub next_update_time: Option<Timestamp>,
}
/// Also StreamGuidanceRequest, as far as it is looked at.
#[derive(Clone, PartialEq, Message)]
pub struct GetGuidanceRequest {
    #[prost(string, tag = "1")]
    pub venue_id: String,
    #[prost(int32, tag = "2")]
    pub suggested_action: i32,
}
/// Also StreamGuidanceResponse.
#[derive(Clone, PartialEq, Message)]
pub struct GetGuidanceResponse {
    #[prost(message, optional, tag = "1")]
    pub guidance: Option<ElectricityGuidance>,
}
#[derive(Clone, PartialEq, Message)]
pub struct SignalPoint {
    #[prost(message, optional, tag = "1")]
    pub start: Option<Timestamp>,
    #[prost(double, tag = "2")]
    pub value: f64,
}
#[derive(Clone, PartialEq, Message)]
pub struct PublishGridSignalRequest {
    #[prost(string, tag = "1")]
    pub grid_region: String,
    #[prost(message, repeated, tag = "7")]
    pub points: Vec<SignalPoint>,
}
#[derive(Clone, PartialEq, Message)]
pub struct PublishGridSignalResponse {
    #[prost(int32, tag = "1")]
    pub stored_count: i32,
    #[prost(bool, tag = "2")]
    pub guidance_changed: bool,
    #[prost(int64, tag = "3")]
    pub subscribers_notified: i64,
}

// MARK: - Load events

/// The event as the other servers build it; the device's text is moved, not copied.
#[allow(dead_code)]
pub struct Event {
    id: [u8; 16],
    session: [u8; 16],
    token: [u8; 16],
    milliseconds: i64,
    state: i32,
    device: String,
    power: i64,
    energy: i64,
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 { return None }
    let mut out = [0u8; 16];
    let mut n = 0;
    for (i, c) in bytes.iter().enumerate() {
        if matches!(i, 8 | 13 | 18 | 23) {
            if *c != b'-' { return None }
            continue;
        }
        let digit = match c { b'0'..=b'9' => c - b'0', b'a'..=b'f' => c - b'a' + 10, b'A'..=b'F' => c - b'A' + 10, _ => return None };
        out[n / 2] = if n % 2 == 1 { out[n / 2] << 4 | digit } else { digit };
        n += 1;
    }
    Some(out)
}

fn shaped(event: LoadEvent) -> Option<Event> {
    let time = event.timestamp?;
    if !(1..=3).contains(&event.session_state) { return None }
    let device = match event.identity? { Identity::DeviceId(id) => id, Identity::Device(device) => device.id };
    if device.is_empty() || device.len() > 64 { return None }
    let (power, energy) = match event.measurement? {
        Measurement::ElectricVehicle(m) => {
            if !(0..=100).contains(&m.state_of_charge_percent) || !(1..=2).contains(&m.direction) { return None }
            if m.power_milliwatts < 0 || m.energy_milliwatt_hours < 0 { return None }
            (m.power_milliwatts, m.energy_milliwatt_hours)
        }
        Measurement::Hvac(m) => {
            if !(0..=100).contains(&m.stage_percent) { return None }
            (0, 0)
        }
    };
    Some(Event {
        id: uuid(&event.id)?,
        session: uuid(&event.session_id)?,
        token: uuid(&event.guidance_token)?,
        milliseconds: time.seconds * 1000 + i64::from(time.nanos) / 1_000_000,
        state: event.session_state,
        device,
        power,
        energy,
    })
}

// MARK: - Guidance

fn guidance(offset: f64) -> ElectricityGuidance {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as i64;
    let start = now / 3600 * 3600;
    let time = |seconds: i64| Some(Timestamp { seconds, nanos: 0 });
    let interval = |from: i64, to: i64| Some(TimeInterval { start: time(from), end: time(to) });
    ElectricityGuidance {
        guidance_token: "5f6b2c1e-9a40-4a52-8f5b-0c7d3e21a964".into(),
        venue_id: "3c0e9d52-7b1f-4f6a-9f0d-2a6f5b8c1e47".into(),
        suggested_action: 1,
        interval: interval(start, start + 24 * 3600),
        options: vec![1, 2],
        values: (0..24)
            .map(|hour| GuidanceValue {
                interval: interval(start + hour * 3600, start + (hour + 1) * 3600),
                rating: ((hour * 37 % 100) as f64 + offset) / 101.0,
            })
            .collect(),
        issue_time: time(now),
        grid_region: "CISO".into(),
        next_update_time: time(start + 3600),
    }
}
thread_local!(static CURRENT: RefCell<ElectricityGuidance> = RefCell::new(guidance(0.0)));

/// What a new subscriber gets.
pub fn current_message() -> Bytes {
    CURRENT.with(|g| framed(&GetGuidanceResponse { guidance: Some(g.borrow().clone()) }))
}

// MARK: - Calls: one whole gRPC frame in, one whole gRPC frame out

pub const SUBMIT: &str = "/energykit.v1.LoadEventService/SubmitLoadEvents";
pub const GET: &str = "/energykit.v1.ElectricityGuidanceService/GetGuidance";
pub const STREAM: &str = "/energykit.v1.ElectricityGuidanceService/StreamGuidance";
pub const PUBLISH: &str = "/energykit.v1.AdminService/PublishGridSignal";

pub const INVALID: u32 = 3;
pub const UNIMPLEMENTED: u32 = 12;

pub fn submit(frame: Bytes) -> Result<Bytes, u32> {
    let request = SubmitLoadEventsRequest::decode(message(frame)?).map_err(|_| INVALID)?;
    let events: Option<Vec<Event>> = request.load_events.into_iter().map(shaped).collect();
    let events = std::hint::black_box(events.ok_or(INVALID)?);
    Ok(framed(&SubmitLoadEventsResponse { stored_count: events.len() as i32 }))
}
pub fn get(frame: Bytes) -> Result<Bytes, u32> {
    let request = GetGuidanceRequest::decode(message(frame)?).map_err(|_| INVALID)?;
    let mut guidance = CURRENT.with(|g| g.borrow().clone());
    guidance.venue_id = request.venue_id;
    Ok(framed(&GetGuidanceResponse { guidance: Some(guidance) }))
}
pub fn subscribe(frame: Bytes) -> Result<(), u32> {
    GetGuidanceRequest::decode(message(frame)?).map(|_| ()).map_err(|_| INVALID)
}
/// `send` gives the frame to every subscriber and says how many there are.
pub fn publish(frame: Bytes, send: impl FnOnce(Bytes) -> usize) -> Result<Bytes, u32> {
    let request = PublishGridSignalRequest::decode(message(frame)?).map_err(|_| INVALID)?;
    CURRENT.with(|g| {
        let mut g = g.borrow_mut();
        let offset = if g.values[0].rating == 0.0 { 1.0 } else { 0.0 };
        *g = guidance(offset);
    });
    let count = send(current_message());
    Ok(framed(&PublishGridSignalResponse {
        stored_count: request.points.len() as i32,
        guidance_changed: true,
        subscribers_notified: count as i64,
    }))
}

// MARK: - Framing

pub fn framed(m: &impl Message) -> Bytes {
    let n = m.encoded_len();
    let mut v = Vec::with_capacity(n + 5);
    v.put_u8(0);
    v.put_u32(n as u32);
    m.encode(&mut v).unwrap();
    Bytes::from(v)
}
/// Whether `b` holds at least one whole gRPC frame.
pub fn whole(b: &[u8]) -> bool {
    b.len() >= 5 && b.len() - 5 >= u32::from_be_bytes(b[1..5].try_into().unwrap()) as usize
}
fn message(mut b: Bytes) -> Result<Bytes, u32> {
    if !whole(&b) || b[0] != 0 { return Err(INVALID) }
    let n = u32::from_be_bytes(b[1..5].try_into().unwrap()) as usize;
    if b.len() != n + 5 { return Err(INVALID) } // exactly one message
    Ok(b.split_off(5))
}
pub fn head<B>(body: B) -> http::Response<B> {
    let mut r = http::Response::new(body);
    r.headers_mut().insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    r
}
pub fn status(code: u32) -> HeaderMap {
    let mut h = HeaderMap::with_capacity(1);
    h.insert("grpc-status", if code == 0 { HeaderValue::from_static("0") } else { HeaderValue::from(code) });
    h
}
