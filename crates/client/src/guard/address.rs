//! Which addresses an outbound call may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is out of bounds, or `None` when it is a public one.
///
/// What is not known to be public is refused: of IPv6 only global unicast (2000::/3) passes.
pub(super) fn refusal(address: IpAddr, allow_loopback: bool) -> Option<&'static str> {
    let reason = match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    };
    reason.filter(|&reason| !(allow_loopback && reason == LOOPBACK))
}

const LOOPBACK: &str = "a loopback address";

fn v4(address: Ipv4Addr) -> Option<&'static str> {
    // IANA special-purpose registry; everything that is not globally reachable.
    Some(match address.octets() {
        [0, ..] => "an unspecified address",
        [127, ..] => LOOPBACK,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address",
        [100, 64..=127, ..] => "a carrier's private address",
        [169, 254, ..] => "a link-local address",
        [192, 0, 0, _] | [192, 88, 99, _] => "a special-purpose address",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "a documentation address",
        [198, 18..=19, ..] => "a benchmarking address",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    })
}

fn v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    let low = || {
        let [.., a, b] = segments;
        embedded(a, b)
    };
    Some(match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => "an unspecified address",
        [0, 0, 0, 0, 0, 0, 0, 1] => LOOPBACK,
        // An IPv4 address in another coat is judged as what it is: mapped, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => return v4(low()),
        [0x2002, a, b, ..] => return v4(embedded(a, b)),
        [0xfe80..=0xfebf, ..] => "a link-local address",
        [0xfc00..=0xfdff, ..] => "a private address",
        [0xff00..=0xffff, ..] => "a multicast address",
        [0x2001, 0..=0x1ff, ..] => "a special-purpose address",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "a documentation address",
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    })
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::refusal;

    fn refused(address: &str, allow_loopback: bool) -> Option<&'static str> {
        refusal(address.parse().expect(address), allow_loopback)
    }

    #[test]
    fn public_addresses_pass() {
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
        ] {
            assert_eq!(refused(address, false), None, "{address}");
        }
    }

    #[test]
    fn every_other_address_is_refused_whatever_its_form() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:c0a8:101::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(refused(address, false).is_some(), "{address}");
        }
    }

    #[test]
    fn the_loopback_switch_opens_loopback_and_nothing_else() {
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(refused(address, true), None, "{address}");
        }
        for address in ["0.0.0.0", "::", "10.0.0.1", "169.254.169.254", "fe80::1", "fd00::1"] {
            assert!(refused(address, true).is_some(), "{address}");
        }
    }
}
