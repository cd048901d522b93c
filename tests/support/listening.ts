/** Lists the addresses on which processes of this machine listen: from Linux's `/proc`, elsewhere by `lsof`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import type { Address } from "../../scripts/cli/ports.ts";

const LISTENS = "0A";

/** Parses an IPv4 address and port of `/proc/net/tcp`: hexadecimal, with the bytes of the address reversed. */
const addressOf = (local: string): Address => {
  const [host = "", port = ""] = local.split(":");
  const bytes = host.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return { host: bytes.toReversed().join("."), port: Number.parseInt(port, 16) };
};

const LSOF = ["-nP", "-a", "-iTCP", "-sTCP:LISTEN", "-Fn", "-p"];

/** Returns the addresses on which these processes listen for TCP connections. */
export const listeningAddresses = async (
  pids: readonly number[],
  hasProc = existsSync("/proc/net/tcp"),
): Promise<Address[]> => {
  if (!hasProc) {
    const { stdout } = await promisify(execFile)("lsof", [...LSOF, pids.join(",")]);
    return [...stdout.matchAll(/^n(.*):(\d+)$/gm)].map(([, host = "", port]) => ({
      host,
      port: Number(port),
    }));
  }
  const own = new Set<string>();
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`)) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => "");
      own.add(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "");
    }
  }
  const addresses: Address[] = [];
  for (const table of ["tcp", "tcp6"]) {
    const lines = (await readFile(`/proc/net/${table}`, "utf8")).trim().split("\n").slice(1);
    for (const line of lines) {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      if (state === LISTENS && own.has(inode)) addresses.push(addressOf(local));
    }
  }
  return addresses;
};
