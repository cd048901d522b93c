/** A certificate for a server of the tests: signed by itself, for this machine alone, made anew for each run. */
import { execFileSync } from "node:child_process";

const LOCAL = "DNS:localhost,IP:127.0.0.1";

/** A key and a certificate (PEM) for 127.0.0.1 and localhost, or for another host. */
export const makeCertificate = (host?: string): { key: string; cert: string } => {
  const names = host === undefined ? LOCAL : `DNS:${host}`;
  const args = [
    ...["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "1"],
    ...["-subj", `/CN=${host ?? "test"}`, "-addext", `subjectAltName=${names}`, "-keyout", "-", "-out", "-"],
  ];
  const pem = execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });
  const [key = "", cert = ""] = pem.split(/(?=-----BEGIN CERTIFICATE-----)/);
  return { key, cert };
};
