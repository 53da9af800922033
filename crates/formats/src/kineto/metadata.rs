//! What the document says beside its events: devices, ranks, the zero of its clock.

use super::scan::{Text, Value, elements, members};
use super::unescape::unescape;
use kforge_trace::{CaptureFacts, DeviceFacts};

/// Takes one top-level member of the document.
pub(super) fn take(facts: &mut CaptureFacts, key: &[u8], value: Value<'_>) {
    match (key, value) {
        (b"baseTimeNanoseconds", value) => facts.clock_zero = number(value),
        (b"traceName", Value::Text(text)) => facts.own_name = Some(words(text)),
        (b"deviceProperties", Value::Nested(bytes)) => {
            elements(bytes, |value| {
                if let Value::Nested(bytes) = value {
                    facts.devices.push(device(bytes));
                }
            });
        }
        (b"distributedInfo", Value::Nested(bytes)) => members(bytes, |key, value| match key {
            b"rank" => facts.rank = number(value),
            b"world_size" => facts.world = number(value),
            _ => {}
        }),
        _ => {}
    }
}

/// True for the members that [`take`] reads; the rest need not be held as a whole.
pub(super) fn wants(key: &[u8]) -> bool {
    matches!(key, b"baseTimeNanoseconds" | b"traceName" | b"deviceProperties" | b"distributedInfo")
}

fn device(bytes: &[u8]) -> DeviceFacts {
    let mut device = DeviceFacts::default();
    members(bytes, |key, value| match (key, value) {
        (b"id", value) => device.id = number(value),
        (b"name", Value::Text(text)) => device.name = Some(words(text)),
        (b"numSms", value) => device.units = number(value).and_then(|units| u32::try_from(units).ok()),
        (b"totalGlobalMem", value) => {
            device.memory_bytes = number(value).and_then(|bytes| u64::try_from(bytes).ok());
        }
        _ => {}
    });
    device
}

fn number(value: Value<'_>) -> Option<i64> {
    std::str::from_utf8(value.token()?).ok()?.parse().ok()
}

fn words(text: Text<'_>) -> String {
    let mut out = Vec::new();
    unescape(text.raw, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
