/** Lists the addresses on which processes of this machine listen: from Linux's `/proc`, elsewhere by `lsof`. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { Address } from "../../scripts/cli/ports.ts";

const LISTENS = "0A";

/** Parses an IPv4 address and port of `/proc/net/tcp`: hexadecimal, with the bytes of the address reversed. */
const addressOf = (local: string): Address => {
  const [host = "", port = ""] = local.split(":");
  const bytes = host.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return { host: bytes.toReversed().join("."), port: Number.parseInt(port, 16) };
};

/** The target of a file descriptor of a process; empty if it was closed meanwhile. */
const linkOf = (fd: string): string => {
  try {
    return readlinkSync(fd);
  } catch {
    return "";
  }
};

/** Returns the addresses on which these processes listen for TCP connections. */
export const listeningAddresses = (pids: readonly number[]): Address[] => {
  if (!existsSync("/proc/net/tcp")) {
    const args = ["-nP", "-a", "-iTCP", "-sTCP:LISTEN", "-Fn", "-p", pids.join(",")];
    const found = execFileSync("lsof", args, { encoding: "utf8" }).matchAll(/^n(.*):(\d+)$/gm);
    return [...found].map(([, host = "", port]) => ({ host, port: Number(port) }));
  }
  const folders = pids.map((pid) => `/proc/${pid}/fd`);
  const own = new Set(
    folders.flatMap((folder) => readdirSync(folder).map((fd) => linkOf(`${folder}/${fd}`))),
  );
  const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"));
  return lines.flatMap((line) => {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === LISTENS && own.has(`socket:[${inode}]`) ? [addressOf(local)] : [];
  });
};
