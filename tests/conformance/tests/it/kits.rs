//! The assertions of the official kits, and the test that each stands at a scenario.

use std::collections::BTreeSet;

/// Those of ACTS, by area: 113 tests.
const ACTS: &str = "
    CARD-DISC-001..007 CARD-CACHE-001 CARD-SCHEMA-001 CARD-EXT-001
    CORE-SEND-001..004 CORE-FAIL-001 CORE-GET-001..002 CORE-CANCEL-001..002 CORE-LIST-001..003
    CORE-HIST-001..006 CORE-MULTI-001 CORE-MULTI-003 CORE-MULTI-005..006 CORE-CTX-001
    STREAM-SSE-001..004 STREAM-SUB-001..003 STREAM-MSG-001 STREAM-MULTI-001..002 STREAM-RESUB-001
    CORE-EXEC-001..002 CORE-ERR-001..009 JSONRPC-ERR-001..003 CORE-CAP-001..002
    SEC-AUTH-001..006 SEC-PUSH-001..002 SEC-EXTCARD-001..004 VER-NEG-001..002 DM-FMT-001..003
    DM-ART-001..004 DM-SERIAL-001..002 DM-EXTRA-001
    PUSH-CFG-001..004 PUSH-LIST-001 PUSH-ERR-001 PUSH-IDEM-001 PUSH-DELIV-001..003
    JSONRPC-ENV-001 JSONRPC-CT-001 JSONRPC-SSE-001 REST-STATUS-001 REST-PD-001 REST-CT-001
    REST-SUB-GET-001 REST-SUB-POST-001 GRPC-STATUS-001 GRPC-STREAM-001..002
    CLIENT-PARSE-001..006 CLIENT-AUTH-001 CLIENT-CAP-001";

/// The requirements of a2a-tck, but for what no server on loopback can show: encryption (AUTH-TLS,
/// AUTH-SERVER-001, GRPC-SVC-003) and the signing of cards (CARD-SIGN).
const TCK: &str = "
    CARD-DISC-001 CARD-PROTO-001..002 CARD-STRUCT-001 CARD-EXT-001..002 CARD-CACHE-001..003
    AUTH-SERVER-002 AUTH-INTASK-001..006 AUTH-SCOPE-001..003
    GRPC-SVC-001..002 GRPC-META-001 GRPC-ERR-001..003
    HTTP_JSON-URL-001..002 HTTP_JSON-SVC-001..002 HTTP_JSON-QP-001 HTTP_JSON-ERR-001..002
    HTTP_JSON-STATUS-001 HTTP_JSON-SSE-001
    JSONRPC-FMT-001..002 JSONRPC-SVC-001..002 JSONRPC-ERR-001..003 JSONRPC-SSE-001..002
    CORE-SEND-001..003 CORE-STREAM-001..003 CORE-GET-001..002 CORE-LIST-001..005
    CORE-CANCEL-001..003 CORE-EXECUTION-MODE-001..002 CORE-ERR-001..002 CORE-CAP-001..004
    CORE-MULTI-001 CORE-MULTI-001a CORE-MULTI-002 CORE-MULTI-002a CORE-MULTI-003..006
    CORE-HIST-001..006
    DM-TASK-001..002 DM-MSG-001..002 DM-PART-001 DM-ART-001 DM-STATUS-001 DM-SERIAL-001..005
    BIND-EQUIV-001..004 BIND-FIELD-001
    PUSH-CREATE-001..002 PUSH-GET-001..002 PUSH-LIST-001 PUSH-DEL-001..002 PUSH-DELIVER-001..003
    STREAM-ORDER-001..004 STREAM-SUB-001..004
    VER-CLIENT-001..002 VER-SERVER-001..003";

/// `A-001..003` is three of them.
fn spelt_out(list: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for word in list.split_whitespace() {
        let Some((first, last)) = word.split_once("..") else {
            all.insert(word.to_owned());
            continue;
        };
        let (name, first) = first.rsplit_once('-').unwrap();
        for number in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
            all.insert(format!("{name}-{number:03}"));
        }
    }
    all
}

/// What stands above the scenarios for a kit.
fn held(kit: &str) -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/scenarios");
    let mut held = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let mine = text.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(kit));
        for line in mine.filter_map(|line| line.strip_prefix(": ")) {
            held.extend(line.split(", ").map(str::to_owned));
        }
    }
    held
}

#[test]
fn every_assertion_of_the_kits_stands_at_a_scenario() {
    for (kit, list, count) in [("acts", ACTS, 113), ("tck", TCK, 121)] {
        let (wanted, held) = (spelt_out(list), held(kit));
        assert_eq!(wanted.difference(&held).collect::<Vec<_>>(), [""; 0], "{kit}: at no scenario");
        assert_eq!(held.difference(&wanted).collect::<Vec<_>>(), [""; 0], "{kit}: not in the list");
        assert_eq!(wanted.len(), count, "{kit}");
    }
}
