/** A certificate that signs itself, with its key, as PEM: made by hand, because Node reads certificates but makes none. */
import { generateKeyPairSync, sign } from "node:crypto";

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const VERSION_TAG = 0xa0;

const COMMON_NAME = Buffer.from("550403", "hex");
const ECDSA_WITH_SHA256 = Buffer.from("2a8648ce3d040302", "hex");

export function selfSigned(name: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(SEQUENCE, der(OBJECT_ID, ECDSA_WITH_SHA256));
  const subject = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8_STRING, Buffer.from(name)))),
  );
  const time = (year: number): Buffer => der(GENERALIZED_TIME, Buffer.from(`${year}0101000000Z`));
  const content = der(
    SEQUENCE,
    der(VERSION_TAG, der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.of(1)),
    algorithm,
    subject,
    der(SEQUENCE, time(2000), time(2999)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign("sha256", content, privateKey));
  const body = der(SEQUENCE, content, algorithm, signature)
    .toString("base64")
    .replace(/.{1,64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
