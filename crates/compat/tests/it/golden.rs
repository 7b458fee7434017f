/// Protobuf in hexadecimal, and what it says.
const GOLDEN: &[(&str, &str)] = &[
    (
        "0aa1010a027431120263311a1d0805120b0a016d20022a040a026e6f1a0c08a5ebdcca061080cab5ee01223e0a01611a016e2201642a2c1a1f0a1d0a1b0a0178121632140a0911000000000000f03f0a0208000a031a017922090a070a016b120220013a0575726e3a782a2c0a026d30120263311a02743120012a1512130a0968747470733a2f2f661a03612f622201663a0575726e3a79320a0a080a017a12031a0177",
        r#"{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED","message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"no"}]},"timestamp":"2026-01-02T03:04:05.500Z"},"artifacts":[{"artifactId":"a","name":"n","description":"d","parts":[{"data":{"data":{"x":[1,null,"y"]}},"metadata":{"k":true}}],"extensions":["urn:x"]}],"history":[{"messageId":"m0","contextId":"c1","taskId":"t1","role":"ROLE_USER","content":[{"file":{"fileWithUri":"https://f","mimeType":"a/b","name":"f"}}],"extensions":["urn:y"]}],"metadata":{"z":"w"}}}"#,
    ),
    (
        "120b0a016d20022a040a026869",
        r#"{"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"hi"}]}}"#,
    ),
    (
        "1a1a0a027431120263311a02080820012a0a0a080a016112031a0162",
        r#"{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_AUTH_REQUIRED"},"final":true,"metadata":{"a":"b"}}}"#,
    ),
    (
        "22160a027431120263311a080a01612a030a017820012801",
        r#"{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"append":true,"lastChunk":true}}"#,
    ),
];

/// A `SendMessageRequest` with a text and a file.
const SEND: &str =
    "0a190a026d3120012a040a0268692a0b1209120464474e7222016f12280a0a746578742f706c61696e12160a01701201751a0174220b0a06426561726572120163180720011a0a0a080a016112031a0162";
