//! PCI device ids as tools print them.

/// The vendors whose ids this room lists, after PCI-SIG: AMD (ATI) and NVIDIA.
const VENDORS: [u16; 2] = [0x1002, 0x10de];

/// The device id in `0x74a1`, `74a1`, `1002:74a1`, or nvidia-smi's `0x233510DE`, which has the vendor's id in its lower half.
/// `None` where it is none of these.
pub fn pci_device_id(text: &str) -> Option<u16> {
    let text = text.trim();
    if let Some((vendor, device)) = text.split_once(':') {
        return vendor_known(vendor).then(|| hex(device, 4)).flatten();
    }
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    match digits.len() {
        8 if vendor_known(digits.get(4..)?) => hex(digits.get(..4)?, 4),
        _ => hex(digits, 4),
    }
}

fn vendor_known(text: &str) -> bool {
    hex(text, 4).is_some_and(|vendor| VENDORS.contains(&vendor))
}

/// A number of exactly so many hexadecimal digits.
pub(crate) fn hex(text: &str, length: usize) -> Option<u16> {
    let plain = text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| u16::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::pci_device_id;

    #[test]
    fn spellings_of_an_id_meet() {
        for text in ["0x2335", "2335", " 0x233510DE ", "10de:2335", "10DE:2335"] {
            assert_eq!(pci_device_id(text), Some(0x2335), "{text}");
        }
        assert_eq!(pci_device_id("1002:74a1"), Some(0x74a1));
        assert_eq!(pci_device_id("0x74A1"), Some(0x74a1));
    }

    #[test]
    fn other_text_is_no_id() {
        for text in ["", "0x", "8086:74a1", "0x23358086", "12345", "+335", "é335", "1002:", "0x2335:10de"] {
            assert_eq!(pci_device_id(text), None, "{text}");
        }
    }
}
